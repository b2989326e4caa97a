//! The solvers of hard limits against an oracle, on a problem small enough for one.

use super::*;
use crate::geometry::TetMesh;
use crate::sparse::Cholesky;
use crate::strain::Stretch;

const LIMITS: StretchLimits = StretchLimits { least: 0.75, most: 1.3, volume: 0.0 };

fn dt() -> f64 {
    0.01
}

/// Cubes of six tetrahedra around their diagonals.
pub(super) fn cubes(cells: [usize; 3], size: f64) -> TetMesh {
    let node = |c: [usize; 3]| (c[0] + (cells[0] + 1) * (c[1] + (cells[1] + 1) * c[2])) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..=cells[2] {
        for j in 0..=cells[1] {
            for i in 0..=cells[0] {
                mesh.positions.push(Vec3::new(i as f64, j as f64, k as f64) * size);
            }
        }
    }
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                for order in orders {
                    let mut at = [i, j, k];
                    let mut tet = [node(at); 4];
                    for (corner, axis) in order.into_iter().enumerate() {
                        at[axis] += 1;
                        tet[corner + 1] = node(at);
                    }
                    let p = tet.map(|n| mesh.positions[n as usize]);
                    if (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) < 0.0 {
                        tet.swap(2, 3);
                    }
                    mesh.tets.push(tet);
                }
            }
        }
    }
    mesh
}

/// A bar whose ends fly at each other, and whose middle is twisted a little so that nothing is symmetric.
fn squeezed(solver: StrainSolver, limits: StretchLimits) -> World {
    let strain = StrainParams { solver, iterations: 200, ..StrainParams::default() };
    let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, strain, ..WorldConfig::default() }).unwrap();
    let mesh = cubes([4, 2, 2], 0.005);
    let material = Material { young: 100.0, poisson: 0.4 };
    let mut def = SoftDef::new("bar", mesh, material, 1000.0);
    def.stretch = Some(limits);
    def.damping = 0.0;
    world.add_soft(def).unwrap();
    let state = &mut world.state.softs[0];
    for (v, x) in state.velocities.iter_mut().zip(&state.nodes) {
        let away = *x - Vec3::new(0.01, 0.005, 0.005);
        *v = Vec3::new(-45.0 * away.x, 8.0 * away.z, -9.0 * away.y + 5.0 * away.x);
    }
    world
}

/// Free and final velocities of one step, and the matrix of the free motion.
struct Solve {
    free: Vec<Vec3>,
    found: Vec<Vec3>,
    matrix: crate::sparse::BlockMatrix,
    report: StepReport,
}

fn solve(solver: StrainSolver) -> (World, Solve) {
    let mut world = squeezed(solver, LIMITS);
    world.predict(dt());
    world.detect_contacts(dt());
    let assembled = world.assemble(dt());
    let matrix = assembled.0.problems[0].matrix.clone();
    let free = world.free_motion(dt(), assembled, &mut 0).ok().unwrap();
    let before = free.motion().problems[0].solution.clone();
    let solved = world.meet_constraints(dt(), free).ok().unwrap();
    let found = solved.motion().problems[0].solution.clone();
    let report = world.report;
    (world, Solve { free: before, found, matrix, report })
}

/// `½ (v − v_free)ᵀ A (v − v_free)` [Perez eq. 1], J.
fn objective(world: &World, solve: &Solve, velocities: &[Vec3]) -> f64 {
    let away: Vec<f64> = velocities.iter().zip(&solve.free).flat_map(|(a, b)| (*a - *b).to_array()).collect();
    let mut product = vec![0.0; away.len()];
    solve.matrix.mul(Kernels::portable(), &world.softs[0].pattern, &away, &mut product);
    0.5 * away.iter().zip(&product).map(|(a, b)| a * b).sum::<f64>()
}

/// The optimum by Uzawa's iteration: multipliers of all limits follow their violation in short steps, and may shrink. Slow and sure.
fn oracle(world: &World, solve: &Solve) -> Vec<Vec3> {
    let body = &world.softs[0];
    let mut cholesky = Cholesky::<f64>::new(&body.symbolic, Kernels::portable());
    cholesky.factor(&body.symbolic, &solve.matrix).unwrap();
    let mut lambda = vec![[[0.0f64; 3]; 2]; body.stretch.len()];
    let mut velocities = solve.free.clone();
    for _ in 0..20_000 {
        let mut impulse = vec![0.0; 3 * velocities.len()];
        for (element, lambda) in body.stretch.iter().zip(&mut lambda) {
            let at = |n: u32| world.state.softs[0].nodes[n as usize] + velocities[n as usize] * dt();
            let stretch = Stretch::of(&element.deformation(at));
            for i in 0..3 {
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    let limit = if side == 0 { LIMITS.least } else { LIMITS.most };
                    let value = sign * (stretch.sigma[i] - limit);
                    lambda[side][i] = (lambda[side][i] - 0.01 * element.stiffness * value).max(0.0);
                    for (node, gradient) in element.nodes.iter().zip(stretch.gradient(i, element)) {
                        for k in 0..3 {
                            impulse[3 * *node as usize + k] += sign * dt() * lambda[side][i] * gradient[k];
                        }
                    }
                }
            }
        }
        cholesky.solve(&body.symbolic, &mut impulse);
        for (n, v) in velocities.iter_mut().enumerate() {
            *v = solve.free[n] + Vec3::new(impulse[3 * n], impulse[3 * n + 1], impulse[3 * n + 2]);
        }
    }
    velocities
}

fn worst(world: &World, velocities: &[Vec3]) -> f64 {
    let at = |n: u32| world.state.softs[0].nodes[n as usize] + velocities[n as usize] * dt();
    let beyond = |e: &crate::body::StretchElement| Stretch::of(&e.deformation(at)).beyond(&LIMITS);
    world.softs[0].stretch.iter().map(beyond).fold(0.0, f64::max)
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}

#[test]
#[allow(clippy::disallowed_macros)] // its figures stand in the documentation of `strain`
fn solvers_agree_with_an_oracle() {
    let (world, one) = solve(StrainSolver::Newton);
    let best = oracle(&world, &one);
    let least = objective(&world, &one, &best);
    let free = worst(&world, &one.free);
    assert!(free > 0.1, "the free motion breaks limits by {free}");
    assert!(worst(&world, &best) < 1e-3, "the oracle meets them: {}", worst(&world, &best));
    let correction = distance(&best, &one.free);
    for (name, solver) in StrainSolver::ALL {
        let (world, solve) = solve(solver);
        let (gap, off) =
            (objective(&world, &solve, &solve.found) / least - 1.0, distance(&solve.found, &best) / correction);
        println!(
            "{name}: objective {:+.1} %, places {:.1} % of the correction away, {} linearisations, violation {:.4}",
            100.0 * gap,
            100.0 * off,
            solve.report.limit_iterations,
            worst(&world, &solve.found)
        );
        assert!(worst(&world, &solve.found) <= 0.005 + 1e-9, "{name}");
        assert_eq!(solve.report.overstretch, worst(&world, &solve.found), "{name}");
        assert!(off < 0.2, "{name} ends {off} of the correction away");
        // nobody is better than the optimum by more than the tolerance of the limits allows
        assert!(gap > -0.1, "{name}: {gap}");
        if solver == StrainSolver::Newton {
            assert!(gap.abs() < 0.05, "accumulated multipliers end at the optimum: {gap}");
        }
    }
}

#[test]
fn limits_that_no_motion_meets_are_reported() {
    // the ends are where nobody can move them: a bar squeezed to a half has no shape within its limits
    let mut world = squeezed(StrainSolver::Newton, LIMITS);
    let state = &mut world.state.softs[0];
    state.velocities.fill(Vec3::ZERO);
    state.nodes.iter_mut().for_each(|x| x.x *= 0.5);
    Arc::get_mut(&mut world.softs[0]).unwrap().node_mass.fill(1e6);
    let report = *world.step(dt()).unwrap();
    assert!(report.flags.overstretched && report.overstretch > 0.2, "{report:?}");
}

/// Stretches within their limits may lose half the volume; a limit of its own keeps it, whatever the solver.
#[test]
fn every_solver_keeps_the_volume_of_a_squeezed_bar() {
    let least = |solver: StrainSolver, volume: f64| {
        let mut world = squeezed(solver, StretchLimits { volume, ..LIMITS });
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            world.step(dt()).unwrap();
            least = least.min(world.report.min_det);
            let tolerance = StrainParams::default().tolerance;
            assert!(world.report.overstretch <= tolerance + 1e-9, "{solver:?}: {:?}", world.report);
        }
        least
    };
    for (name, solver) in StrainSolver::ALL {
        let (with, without) = (least(solver, 0.9), least(solver, 0.0));
        assert!(with > 0.9 - 0.006 && without < 0.88, "{name}: {with} with the limit, {without} without");
    }
}
