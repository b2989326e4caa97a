//! The solvers of hard limits against an oracle, on a problem small enough for one.

use super::*;
use crate::geometry::TetMesh;
use crate::strain::{LimitProblem, Optimum};

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
    squeezed_by(StrainParams { solver, iterations: 200, ..StrainParams::default() }, limits)
}

fn squeezed_by(strain: StrainParams, limits: StretchLimits) -> World {
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

/// One step by a solver: its problem, and the velocities at its end.
fn solve(solver: StrainSolver, accelerated: bool) -> (LimitProblem, Vec<Vec3>, StepReport) {
    let strain = StrainParams { solver, iterations: 200, accelerated, ..StrainParams::default() };
    let mut world = squeezed_by(strain, LIMITS);
    let problem = world.limit_problem(0, dt()).unwrap();
    let report = *world.step(dt()).unwrap();
    let moved = world.state.softs[0].nodes.iter().zip(&problem.start);
    let found = moved.map(|(end, start)| (*end - *start) / dt()).collect();
    (problem, found, report)
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}

/// `thenar bench perez` prints the figures of the same bar.
#[test]
fn solvers_agree_with_an_oracle() {
    let (problem, _, _) = solve(StrainSolver::Newton, true);
    let best = problem.optimum().unwrap();
    let least = problem.objective(&best.velocities);
    let free = problem.violation(&problem.free);
    assert!(free > 0.1, "the free motion breaks limits by {free}");
    // an oracle has to be one: to a tenth of a percent of the forces, and to a tenth of what limits are met to
    let Optimum { stationarity, complementarity, violation, .. } = best;
    assert!(stationarity < 1e-3, "forces of limits leave {stationarity} of what they should balance");
    assert!(complementarity < 5e-4, "what holds is {complementarity} from its limit");
    assert!(violation < 5e-4, "a stretch is {violation} beyond its limit");
    // a motion that is free, or stopped, is no optimum
    assert!(problem.objective(&problem.free) == 0.0 && least > 0.0);
    let correction = distance(&best.velocities, &problem.free);
    let printed = ("njls as printed", StrainSolver::Njls, false);
    for (name, solver, accelerated) in
        StrainSolver::ALL.map(|(name, solver)| (name, solver, true)).into_iter().chain([printed])
    {
        let (problem, found, report) = solve(solver, accelerated);
        let gap = problem.objective(&found) / least - 1.0;
        let off = distance(&found, &best.velocities) / correction;
        let worst = problem.violation(&found);
        assert!(worst <= 0.005 + 1e-9, "{name}");
        assert!((report.overstretch - worst).abs() < 1e-9, "{name}: {} reported, {worst}", report.overstretch);
        assert!(off < 0.2, "{name} ends {off} of the correction away");
        // nobody is better than the optimum by more than the tolerance of the limits allows
        assert!(gap > -0.1, "{name}: {gap}");
        if solver == StrainSolver::Newton {
            assert!(gap.abs() < 0.05, "accumulated multipliers end at the optimum: {gap}");
        }
    }
}

/// The ends of a bar are nailed down half as far apart as they are at rest: it has no shape within its limits. Its steps say so, stay finite, and are
/// well again when the ends are back.
#[test]
#[allow(clippy::disallowed_macros)] // says how far they are beyond
fn limits_that_no_motion_meets_are_reported() {
    for (name, solver) in StrainSolver::ALL {
        let strain = StrainParams { solver, ..StrainParams::default() };
        let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, strain, ..WorldConfig::default() }).unwrap();
        let mesh = cubes([4, 2, 2], 0.005);
        let rest = mesh.positions.clone();
        let mut def = SoftDef::new("bar", mesh, Material { young: 100.0, poisson: 0.4 }, 1000.0);
        def.stretch = Some(LIMITS);
        def.clamped = (0..rest.len() as u32).filter(|n| [0.0, 0.02].contains(&rest[*n as usize].x)).collect();
        assert_eq!(def.clamped.len(), 18);
        let bar = world.add_soft(def).unwrap();
        let still = vec![Vec3::ZERO; rest.len()];
        let squeezed: Vec<Vec3> = rest.iter().map(|x| *x * Vec3::new(0.5, 1.0, 1.0)).collect();
        world.shape_soft(bar, &squeezed, &still).unwrap();
        for _ in 0..5 {
            let report = *world.step(dt()).unwrap();
            assert!(report.flags.overstretched && report.overstretch > 0.2, "{name}: {report:?}");
            let farthest = world.state.softs[0].nodes.iter().map(|x| x.length()).fold(0.0, f64::max);
            println!("{name}: {:.3} beyond, farthest node at {farthest:.3} m", report.overstretch);
            assert!(farthest < 0.1, "{name}: a node is {farthest} m away, {report:?}");
        }
        world.shape_soft(bar, &rest, &still).unwrap();
        let report = *world.step(dt()).unwrap();
        assert!(!report.flags.overstretched && !report.flags.rolled_back, "{name}: {report:?}");
    }
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
