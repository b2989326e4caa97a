//! How near the solvers of hard limits come to the optimum [Perez eq. 1], where there is an oracle: a small bar.

use super::bar::kuhn_cells;
use super::perez::{SOLVERS, strain};
use crate::error::Error;
use serde::Serialize;
use thenar::energy::tissue::Material;
use thenar::geometry::TetMesh;
use thenar::math::Vec3;
use thenar::strain::{LimitProblem, Optimum};
use thenar::world::{SoftDef, StrainParams, StretchLimits, World, WorldConfig};

const DT: f64 = 0.01;
const CELLS: [usize; 3] = [4, 2, 2];
const CELL: f64 = 0.005;
const LIMITS: StretchLimits = StretchLimits { least: 0.75, most: 1.3, volume: 0.0 };

/// Linearisations at most: enough for every solver.
const ITERATIONS: u32 = 200;

/// The bar by all solvers, and the oracle.
#[derive(Serialize)]
pub struct Small {
    pub tets: usize,
    /// How far the motion without limits is beyond them.
    pub free_violation: f64,
    pub oracle: Oracle,
    pub solvers: Vec<Row>,
}

/// How well the optimum is known.
#[derive(Serialize)]
pub struct Oracle {
    pub objective_uj: f64,
    pub stationarity: f64,
    pub complementarity: f64,
    pub violation: f64,
}

/// One solver.
#[derive(Serialize)]
pub struct Row {
    pub solver: &'static str,
    pub objective_uj: f64,
    /// Objective over that of the oracle, less 1.
    pub gap: f64,
    /// How far places are from the oracle's, over the whole correction.
    pub off: f64,
    pub linearisations: u32,
    pub violation: f64,
}

/// A bar whose ends fly at each other, twisted a little so that nothing is symmetric.
fn squeezed(strain: StrainParams) -> Result<World, Error> {
    let config = WorldConfig { gravity: Vec3::ZERO, strain, ..WorldConfig::default() };
    let mut world = World::new(config).map_err(Error::input)?;
    let size = Vec3::new(CELLS[0] as f64, CELLS[1] as f64, CELLS[2] as f64) * CELL;
    let mesh: TetMesh = kuhn_cells(CELLS, size);
    let middle = Vec3::Y * (0.5 * size.y);
    let velocities: Vec<Vec3> = (mesh.positions.iter().map(|x| *x - middle))
        .map(|away| Vec3::new(-45.0 * away.x, 8.0 * away.z, -9.0 * away.y + 5.0 * away.x))
        .collect();
    let nodes = mesh.positions.clone();
    let mut def = SoftDef::new("bar", mesh, Material { young: 100.0, poisson: 0.4 }, 1000.0);
    (def.stretch, def.damping) = (Some(LIMITS), 0.0);
    let bar = world.add_soft(def).map_err(Error::input)?;
    world.shape_soft(bar, &nodes, &velocities).map_err(Error::input)?;
    Ok(world)
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}

pub fn measure() -> Result<Small, Error> {
    let none = || Error::input("the bar has no motion without limits");
    let problem: LimitProblem = squeezed(StrainParams::default())?.limit_problem(0, DT).ok_or_else(none)?;
    let best: Optimum = problem.optimum().ok_or_else(none)?;
    let (least, correction) = (problem.objective(&best.velocities), distance(&best.velocities, &problem.free));
    let mut solvers = Vec::new();
    for (name, solver, accelerated) in SOLVERS {
        let mut world = squeezed(strain(solver, accelerated, ITERATIONS))?;
        let linearisations = world.step(DT).map_err(Error::input)?.limit_iterations;
        let ends = world.state().softs.first().map_or(&[][..], |state| &state.nodes);
        let found: Vec<Vec3> = ends.iter().zip(&problem.start).map(|(end, start)| (*end - *start) / DT).collect();
        let objective = problem.objective(&found);
        solvers.push(Row {
            solver: name,
            objective_uj: 1e6 * objective,
            gap: objective / least - 1.0,
            off: distance(&found, &best.velocities) / correction,
            linearisations,
            violation: problem.violation(&found),
        });
    }
    Ok(Small {
        tets: problem.body.tets.len(),
        free_violation: problem.violation(&problem.free),
        oracle: Oracle {
            objective_uj: 1e6 * least,
            stationarity: best.stationarity,
            complementarity: best.complementarity,
            violation: best.violation,
        },
        solvers,
    })
}
