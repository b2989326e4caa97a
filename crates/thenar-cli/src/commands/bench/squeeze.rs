//! `thenar bench squeeze`: iterations of the limits' solvers against the size of the tissue, in the same fist.

use super::Output;
use super::measure::hand;
use super::perez::{closing_end, median, start};
use super::table::Table;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use thenar::world::{StrainParams, StrainSolver};
use thenar_scene::library;

/// Elements asked for.
const SIZES: [usize; 3] = [600, 1500, 5000];
const DT: f64 = 1.0 / 90.0;
/// Frames before the fist is closed that are measured, and after the fingers began to meet their limits.
const WINDOW: f64 = 0.5;
/// njls does not meet all limits of a large hand in any number of iterations that anybody waits for.
const ITERATIONS: u32 = 200;

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    rows: Vec<Row>,
    /// Mean iterations of the default solver with the most tissue over those with the least.
    growth: f64,
    njls_growth: f64,
}

/// One size by one solver.
#[derive(Serialize)]
struct Row {
    tets: usize,
    solver: &'static str,
    active: f64,
    iterations_mean: f64,
    iterations_most: u32,
    ms: f64,
    violation: f64,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let mut scene = library::scene("bend").map_err(Error::input)?;
    scene.world.step = DT;
    scene.world.set.insert("strain".to_owned(), "hard".into());
    let end = closing_end(&scene);
    let mut rows = Vec::new();
    for tets in SIZES {
        let model = hand(tets)?;
        let mut simulation = start(&scene, &model)?;
        while simulation.time() < end - WINDOW {
            simulation.advance().map_err(Error::input)?;
        }
        let mut figures = [Vec::new(), Vec::new()];
        // both solvers take every fifth step anew from the same states
        while simulation.time() < end {
            if simulation.step_count().is_multiple_of(5) {
                for (figures, solver) in figures.iter_mut().zip([StrainSolver::Newton, StrainSolver::Njls]) {
                    let mut twin = simulation.twin().ok_or_else(|| Error::input("the scene cannot be copied"))?;
                    let strain = StrainParams { solver, iterations: ITERATIONS, ..StrainParams::default() };
                    twin.world_mut().set_strain(strain).map_err(Error::input)?;
                    figures.extend(twin.advance().map_err(Error::input)?.copied());
                }
            }
            simulation.advance().map_err(Error::input)?;
        }
        for (name, reports) in ["newton", "njls"].into_iter().zip(&figures) {
            let mean = |of: &dyn Fn(&thenar::world::StepReport) -> f64| {
                reports.iter().map(of).sum::<f64>() / reports.len() as f64
            };
            rows.push(Row {
                tets: model.report().tets,
                solver: name,
                active: median(reports.iter().map(|r| f64::from(r.limits)).collect()),
                iterations_mean: mean(&|r| f64::from(r.limit_iterations)),
                iterations_most: reports.iter().map(|r| r.limit_iterations).max().unwrap_or(0),
                ms: mean(&|r| r.limit_ns as f64 * 1e-6),
                violation: reports.iter().map(|r| r.overstretch).fold(0.0, f64::max),
            });
        }
    }
    let growth = |solver: &str| {
        let mut of = rows.iter().filter(|row| row.solver == solver).map(|row| row.iterations_mean);
        let first = of.next().unwrap_or(f64::NAN);
        of.next_back().unwrap_or(f64::NAN) / first
    };
    let figures = Figures { growth: growth("newton"), njls_growth: growth("njls"), rows };
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A fist closes, step 1/90 s; the last half second, every fifth step anew by both solvers.\n")?;
        let mut table = Table::new(&["tets", "solver", "active", "iterations", "most", "ms", "violation"]);
        for row in &self.rows {
            table.row(vec![
                row.tets.to_string(),
                row.solver.to_owned(),
                format!("{:.0}", row.active),
                format!("{:.1}", row.iterations_mean),
                row.iterations_most.to_string(),
                format!("{:.2}", row.ms),
                format!("{:.4}", row.violation),
            ]);
        }
        writeln!(f, "{table}")?;
        write!(
            f,
            "iterations at the largest over the smallest: newton {:.2}, njls {:.2}",
            self.growth, self.njls_growth
        )
    }
}
