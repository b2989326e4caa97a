//! `thenar bench perez`: a closing fist with hard limits of stretches [Perez §V], by four solvers of the same steps.

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::perez_oracle::{self, Small};
use super::table::Table;
use crate::commands::run::nanoseconds;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use thenar::hand::{HandModel, HandOptions};
use thenar::world::{Preset, StepReport, StrainParams, StrainSolver, StretchLimits};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation};
use thenar_scene::scene::Scene;

/// The paper's frames are as long as its hand allows; displays run at this rate.
const DT: f64 = 1.0 / 90.0;

/// Ten frames around the fist of Fig. 3.
const FRAMES: usize = 10;

/// Limits that make about as many of them active in the fist as in the paper (335), which prints neither its limits nor its pose.
const LEAST: f64 = 0.88;
const MOST: f64 = 1.13;

/// How often each step is taken anew; the quickest counts.
const REPEATS: usize = 5;

/// Solvers with rows are stopped after so many linearisations: what they have not met then they do not meet.
const ITERATIONS: u32 = 400;

/// Solvers by the names of their rows: ours, the paper's as it is printed beside what became of it here, and the papers' baselines.
pub const SOLVERS: [(&str, StrainSolver, bool); 5] = [
    ("newton", StrainSolver::Newton, true),
    ("njls", StrainSolver::Njls, true),
    ("njls as printed", StrainSolver::Njls, false),
    ("sqp_pgs", StrainSolver::SqpPgs, true),
    ("sqp_pjls", StrainSolver::SqpPjls, true),
];

/// The parameters of a row.
pub fn strain(solver: StrainSolver, accelerated: bool, iterations: u32) -> StrainParams {
    StrainParams { solver, accelerated, iterations, ..StrainParams::default() }
}

/// Milliseconds of the paper by solver, and its steps per second without, with few and with many active limits.
const PAPER_MS: [(&str, f64); 3] = [("sqp_pgs", 313.0), ("sqp_pjls", 282.0), ("njls as printed", 22.0)];
const PAPER_RATES: [f64; 3] = [119.0, 89.0, 54.0];

/// More active limits than this are many [Perez §V].
const MANY: u32 = 100;

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    tets: usize,
    active_median: f64,
    violation: f64,
    njls_ms: f64,
    njls_as_printed_ms: f64,
    sqp_pgs_ms: f64,
    sqp_pjls_ms: f64,
    newton_ms: f64,
    best_ms: f64,
    best_name: &'static str,
    speedup_pgs: f64,
    speedup_pjls: f64,
    free_steps_per_s: f64,
    moderate_steps_per_s: f64,
    high_steps_per_s: f64,
    solvers: Vec<Row>,
    /// The same solvers beside an optimum.
    small: Small,
    #[serde(skip)]
    traces: Vec<(&'static str, Vec<(f64, f64)>)>,
}

/// One solver over the ten frames.
#[derive(Serialize)]
struct Row {
    solver: &'static str,
    ms: f64,
    iterations: f64,
    violation: f64,
    active: f64,
    paper_ms: Option<f64>,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let options = HandOptions { tissue: Preset::Perez.tissue(), ..HandOptions::default() };
    let hand = HandModel::build(&options).map(Arc::new).map_err(Error::input)?;
    let scene = fist(DT)?;
    let mut usual = scene.clone();
    usual.world.set.retain(|name, _| name.ends_with("-volume"));
    // an open hand has no limit on only where limits are as wide as usual
    let (wide, tight) = (rates(&usual, &hand)?, rates(&scene, &hand)?);
    let rates = [wide[0], wide[1], tight[2]];
    let mut simulation = start(&scene, &hand)?;
    let mut frames: Vec<Vec<StepReport>> = vec![Vec::new(); SOLVERS.len()];
    let mut traces = Vec::new();
    let closed = closing_end(&scene);
    while simulation.time() < closed - FRAMES as f64 / 2.0 * DT {
        simulation.advance().map_err(Error::input)?;
    }
    for frame in 0..FRAMES {
        for (k, (name, solver, accelerated)) in SOLVERS.into_iter().enumerate() {
            let mut best: Option<StepReport> = None;
            for _ in 0..REPEATS {
                let mut twin = simulation.twin().ok_or_else(|| Error::input("the scene cannot be copied"))?;
                let strain = strain(solver, accelerated, ITERATIONS);
                twin.world_mut().set_strain(strain).map_err(Error::input)?;
                let report = *twin.advance().map_err(Error::input)?.ok_or_else(|| Error::input("the scene is over"))?;
                if best.is_none_or(|best| report.limit_ns < best.limit_ns) {
                    best = Some(report);
                }
                if frame == FRAMES / 2 && traces.len() == k {
                    let trace = twin.world().limit_trace().iter();
                    traces.push((name, trace.map(|&(step, beyond)| (f64::from(step), beyond)).collect()));
                }
            }
            frames[k].extend(best);
        }
        simulation.advance().map_err(Error::input)?;
    }
    let figures = Figures::new(hand.report().tets, &frames, rates, perez_oracle::measure()?, traces);
    output.draw("perez.svg", || Ok(figures.chart().svg()))?;
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

/// The fist with the paper's hand.
pub fn fist(dt: f64) -> Result<Scene, Error> {
    let mut scene = library::scene("bend").map_err(Error::input)?;
    scene.world.preset = "perez".to_owned();
    scene.world.step = dt;
    scene.world.set.clear();
    for (name, value) in [("flesh", LEAST), ("bone", LEAST), ("nail", LEAST)] {
        scene.world.set.insert(format!("{name}-least"), value.into());
        scene.world.set.insert(format!("{name}-most"), MOST.into());
        // the paper limits stretches alone
        scene.world.set.insert(format!("{name}-volume"), 0.0.into());
    }
    Ok(scene)
}

/// When the fingers are closed, seconds.
pub fn closing_end(scene: &Scene) -> f64 {
    scene.hands.first().and_then(|hand| hand.keys.get(1)).map_or(0.5 * scene.seconds, |key| key.at)
}

pub fn start(scene: &Scene, hand: &Arc<HandModel>) -> Result<Simulation, Error> {
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new("."), 1, &quiet);
    let mut simulation = Simulation::new(scene, &|_| Arc::clone(hand), &mut assets).map_err(Error::input)?;
    Host { clock: Some(nanoseconds), threads: 1 }.lend(simulation.world_mut());
    Ok(simulation)
}

/// Steps per second without active limits, with few and with many: medians over the scene.
fn rates(scene: &Scene, hand: &Arc<HandModel>) -> Result<[f64; 3], Error> {
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let mut simulation = start(scene, hand)?;
    while let Some(report) = simulation.advance().map_err(Error::input)? {
        let kind = usize::from(report.limits > 0) + usize::from(report.limits > MANY);
        times[kind].push(report.stage_ns.iter().sum::<u64>() as f64 * 1e-9);
    }
    Ok(times.map(|times| 1.0 / median(times)))
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Figures {
    fn new(
        tets: usize,
        frames: &[Vec<StepReport>],
        rates: [f64; 3],
        small: Small,
        traces: Vec<(&'static str, Vec<(f64, f64)>)>,
    ) -> Figures {
        let mean = |reports: &[StepReport], of: &dyn Fn(&StepReport) -> f64| {
            reports.iter().map(of).sum::<f64>() / reports.len() as f64
        };
        let solvers: Vec<Row> = SOLVERS
            .iter()
            .zip(frames)
            .map(|((name, ..), reports)| Row {
                solver: name,
                ms: mean(reports, &|r| r.limit_ns as f64 * 1e-6),
                iterations: mean(reports, &|r| f64::from(r.limit_iterations)),
                violation: reports.iter().map(|r| r.overstretch).fold(0.0, f64::max),
                active: mean(reports, &|r| f64::from(r.limits)),
                paper_ms: PAPER_MS.iter().find(|(known, _)| known == name).map(|(_, ms)| *ms),
            })
            .collect();
        let ms = |name: &str| solvers.iter().find(|row| row.solver == name).map_or(f64::NAN, |row| row.ms);
        let met = solvers.iter().filter(|row| row.violation <= StrainParams::default().tolerance + 1e-9);
        let best = met.min_by(|a, b| a.ms.total_cmp(&b.ms));
        let (best_ms, best_name) = best.map_or((f64::NAN, "none"), |row| (row.ms, row.solver));
        Figures {
            tets,
            active_median: median(frames[0].iter().map(|r| f64::from(r.limits)).collect()),
            violation: best.map_or(f64::NAN, |row| row.violation),
            njls_ms: ms("njls"),
            njls_as_printed_ms: ms("njls as printed"),
            sqp_pgs_ms: ms("sqp_pgs"),
            sqp_pjls_ms: ms("sqp_pjls"),
            newton_ms: ms("newton"),
            best_ms,
            best_name,
            speedup_pgs: ms("sqp_pgs") / best_ms,
            speedup_pjls: ms("sqp_pjls") / best_ms,
            free_steps_per_s: rates[0],
            moderate_steps_per_s: rates[1],
            high_steps_per_s: rates[2],
            solvers,
            small,
            traces,
        }
    }

    /// Fig. 5 of the paper: the worst violation over the iterations of one frame.
    fn chart(&self) -> Chart {
        let colours = ["#2d6fc2", "#3c8d40", "#8fbf8f", "#c2452d", "#8a5fb5"];
        let series = self.traces.iter().zip(colours).map(|((name, trace), colour)| Series {
            name: (*name).to_owned(),
            colour,
            // counted from 1, and no better than a thousandth of the tolerance, so that logarithms exist
            points: trace.iter().map(|(step, beyond)| (step + 1.0, beyond.max(5e-6))).collect(),
            marks: true,
        });
        Chart {
            title: "How far limits are broken, by iteration".to_owned(),
            caption: "One frame of a closing fist; Perez Fig. 5. Steps: factorisations (newton), Jacobi steps, sweeps"
                .to_owned(),
            x: Axis { label: "steps of the solver".to_owned(), logarithmic: true },
            y: Axis { label: "worst stretch beyond its limit".to_owned(), logarithmic: true },
            series: series.collect(),
            bands: Vec::new(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A fist of {} tetrahedra closes; stretches within {LEAST} and {MOST}; ten frames of 1/90 s, {:.0} limits active (paper: 335).\n",
            self.tets, self.active_median
        )?;
        let mut table = Table::new(&["solver", "ms", "linearisations", "violation", "paper ms"]);
        for row in &self.solvers {
            table.row(vec![
                row.solver.to_owned(),
                format!("{:.2}", row.ms),
                format!("{:.1}", row.iterations),
                format!("{:.4}", row.violation),
                row.paper_ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0}")),
            ]);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "{} over sqp_pgs {:.1}, over sqp_pjls {:.1} times as fast (paper: njls 14.2 and 12.8)\n",
            self.best_name, self.speedup_pgs, self.speedup_pjls
        )?;
        let mut table = Table::new(&["active limits", "stretches within", "steps/s", "paper"]);
        let rates = [self.free_steps_per_s, self.moderate_steps_per_s, self.high_steps_per_s];
        let tight = format!("{LEAST}–{MOST}");
        let wide = format!("{}–{}", StretchLimits::USUAL.least, StretchLimits::USUAL.most);
        let rows = [("none", &wide), ("up to 100", &wide), ("more", &tight)];
        for (((name, within), rate), paper) in rows.into_iter().zip(rates).zip(PAPER_RATES) {
            table.row(vec![name.to_owned(), within.clone(), format!("{rate:.0}"), format!("{paper:.0}")]);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "whole steps of the scene. Within {tight} some limit is on even where the hand is open, so that steps with none and with few are those of \
             the usual limits, without one of the volume.\n"
        )?;
        let Small { tets, free_violation, oracle, solvers } = &self.small;
        writeln!(
            f,
            "A bar of {tets} tetrahedra whose ends fly at each other, {free_violation:.2} beyond its limits without them. The optimum by an oracle: {:.3} µJ \
             [eq. 1]; forces balanced to {:.0e}, limits that hold met to {:.0e}, none broken by more than {:.0e}.\n",
            oracle.objective_uj, oracle.stationarity, oracle.complementarity, oracle.violation
        )?;
        let mut table = Table::new(&["solver", "µJ", "gap", "places off", "linearisations", "violation"]);
        for row in solvers {
            table.row(vec![
                row.solver.to_owned(),
                format!("{:.3}", row.objective_uj),
                format!("{:+.1} %", 100.0 * row.gap),
                format!("{:.1} %", 100.0 * row.off),
                row.linearisations.to_string(),
                format!("{:.4}", row.violation),
            ]);
        }
        write!(f, "{table}")
    }
}
