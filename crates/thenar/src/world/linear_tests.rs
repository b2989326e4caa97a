//! The rows of handles against the paper's own way to the same Schur complement: a solver of the tool that is a black box [Garre §5.2].

use super::*;
use crate::geometry::TetMesh;
use crate::geometry::distance::Shape;
use crate::haptics::{HandleDef, HandleModel};
use crate::sparse::{BlockMatrix, BlockPattern};

const H: f64 = 0.01;

/// A block of eight cubes with a handle at each end, on a table or in the air.
fn block(on_table: bool) -> World {
    let mut world = World::new(WorldConfig::default()).unwrap();
    if on_table {
        // nothing slides: that is no part of the matrix, which the black box knows
        let table = ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY);
        world.add_object(ObjectDef { friction: 10.0, ..table }).unwrap();
    }
    let mut mesh: TetMesh = limit_tests::cubes([4, 2, 1], 0.01);
    // pressed in by a third of a millimetre, and in no symmetry
    let low = if on_table { -3e-4 } else { 0.0 };
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.0, low, 1e-3 * libm::sin(90.0 * p.x)));
    let handles =
        vec![HandleDef::new(Vec3::new(0.0, 0.02, 0.005), 0.011), HandleDef::new(Vec3::new(0.04, 0.02, 0.005), 0.011)];
    let def = SoftDef::new("block", mesh, Material { young: 6e4, poisson: 0.35 }, 1100.0);
    let soft = world.add_soft(SoftDef { handles, ..def }).unwrap();
    for handle in world.handles_of(soft).collect::<Vec<_>>() {
        let mut target = world.handle_state(handle).unwrap();
        target.pose.position += Vec3::new(1e-4, -5e-4, 2e-5);
        world.set_handle_target(handle, target).unwrap();
    }
    world
}

/// The tool's solver, of which only the answers are known: conjugate gradients with the handles held.
struct BlackBox<'a> {
    matrix: &'a BlockMatrix,
    pattern: &'a BlockPattern,
    /// First scalar unknown of the handles; they are the last.
    tool: usize,
}

impl BlackBox<'_> {
    fn mul(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.matrix.mul(Kernels::default(), self.pattern, x, &mut y);
        y
    }

    /// `A_t⁻¹ b`.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut x = vec![0.0; b.len()];
        let mut r = b.to_vec();
        r[self.tool..].fill(0.0);
        let (mut p, mut size) = (r.clone(), dot(&r, &r));
        let goal = 1e-26 * size;
        for _ in 0..20 * b.len() {
            if size <= goal {
                break;
            }
            let mut q = self.mul(&p);
            q[self.tool..].fill(0.0);
            let step = size / dot(&p, &q);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
            let next = dot(&r, &r);
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + next / size * *p);
            size = next;
        }
        x
    }

    /// `A_h − A_ht A_t⁻¹ A_th`, row by row, with the handles' own inertia and coupling in it.
    fn schur(&self) -> Vec<f64> {
        let n = 3 * self.pattern.block_count();
        let m = n - self.tool;
        let mut schur = vec![0.0; m * m];
        for j in 0..m {
            let mut unit = vec![0.0; n];
            unit[self.tool + j] = 1.0;
            let column = self.mul(&unit);
            let followed = self.mul(&self.solve(&column));
            (0..m).for_each(|i| schur[i * m + j] = column[self.tool + i] - followed[self.tool + i]);
        }
        schur
    }
}

/// Two handles of one tool, free and on springs of contact: the rows that are carried through the step's factor and the black box agree on all
/// 12 × 12 entries, cross terms included.
#[test]
fn rows_through_the_factor_give_the_schur_complement_of_a_black_box() {
    for on_table in [false, true] {
        let mut world = block(on_table);
        world.step(H).unwrap();
        assert_eq!(world.contacts().iter().any(|pair| pair.active), on_table);
        assert!(world.contacts().iter().all(|pair| !pair.slipping && pair.block.is_none()));
        let mut model = HandleModel::default();
        world.handle_model(&mut model).unwrap();
        let (body, problem) = (&world.softs[0], &world.work.equations.problems[0]);
        let tool = 3 * body.node_count();
        assert_eq!(3 * body.pattern.block_count() - tool, 12, "two handles");
        let oracle = BlackBox { matrix: &problem.matrix, pattern: &body.pattern, tool }.schur();
        let size = oracle.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        for (k, expected) in oracle.iter().enumerate() {
            let found = H * H * world.work.linear.response.resists(k / 12, k % 12);
            assert!(
                (found - expected).abs() < 1e-8 * size,
                "on the table: {on_table}; entry {k}: {found}, black box {expected}"
            );
        }
        // no handle is alone
        assert!(oracle[6].abs() > 1e-6 * size && oracle[3 * 12 + 8].abs() > 1e-9 * size);
    }
}
