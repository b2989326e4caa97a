//! `thenar bench garre`: what a step with a soft tool costs, stage by stage, and the linear model of the force on its handle [Garre Fig. 8].
//!
//! The figures of the haptic loop itself stand beside these: a tick that reads such a model does not depend on what is measured here.

use super::Output;
use super::bars::{Bar, Bars};
use super::sparse_skin::sparser;
use super::table::Table;
use crate::commands::run::nanoseconds;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use thenar::contact::ContactMethod;
use thenar::hand::{HandModel, HandOptions, TissueOptions};
use thenar::haptics::HandleModel;
use thenar::world::{Preset, Stage, StepReport};
use thenar_devices::haptics::measure as haptics;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation};

/// Surface triangles and tetrahedra of Fig. 8; the others are varied with the middle one of these.
const TRIANGLES: [usize; 3] = [700, 2100, 6300];
const TETS: [usize; 3] = [200, 800, 1800];

/// The visual loop of the paper, steps per second in contact.
const PAPER_RATE: f64 = 50.0;

/// The path of the scene that is measured, seconds: while the hand touches.
const FROM: f64 = 0.9;
const TO: f64 = 4.3;

/// Stages as the paper has them, with their colours.
const STAGES: [(&str, &str); 4] =
    [("collision", "#7a7a7a"), ("unconstrained", "#2d6fc2"), ("constrained", "#c2452d"), ("linearisation", "#3c8d40")];

/// How long the haptic loop is watched, seconds; with nothing beside it (`thenar bench haptics` watches it for longer and beside a simulation).
const TICKING: f64 = 10.0;

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    rows: Vec<Row>,
    /// Of the largest tissue, by points.
    linearise_ms: f64,
    /// Of the largest skin, by points: over the whole step.
    linearise_share: f64,
    /// By aggregates, of the stages after collision: the largest change over the sizes of the skin.
    aggregate_change: f64,
    /// Of the slowest row.
    steps_per_s: f64,
    /// Time of a haptic tick with one handle, µs: half of them, and 999 of 1000, are faster.
    tick_us_median: f64,
    tick_us_p999: f64,
    /// Share of ticks that began more than 0.3 ms late.
    late_fraction: f64,
}

/// One size, by one method.
#[derive(Clone, Serialize)]
struct Row {
    method: &'static str,
    triangles: usize,
    /// What stands for the triangles: points of the skin that may touch.
    vertices: usize,
    tets: usize,
    contacts: f64,
    /// Means over the steps in contact, ms, in the order of the paper's stages.
    collision_ms: f64,
    unconstrained_ms: f64,
    constrained_ms: f64,
    linearise_ms: f64,
    /// Steps per second, linearisation included, outputs too.
    steps_per_s: f64,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let mut rows = Vec::new();
    for (method, name) in [(ContactMethod::Point, "point"), (ContactMethod::Aggregate, "aggregate")] {
        let middle = hand(TETS[1])?;
        for triangles in TRIANGLES {
            rows.push(measure(&skinned(&middle, triangles), triangles, method, name)?);
        }
        for tets in TETS {
            let sized = hand(tets)?;
            rows.push(measure(&skinned(&sized, TRIANGLES[1]), TRIANGLES[1], method, name)?);
        }
    }
    let mut figures = Figures::new(rows);
    progress.next("ticking");
    let ticks = haptics::measure(1, TICKING, true, || {}).map_err(Error::input)?;
    figures.tick_us_median = ticks.tick_us_median;
    figures.tick_us_p999 = ticks.tick_us_p999;
    figures.late_fraction = ticks.late_fraction;
    let histogram = [("one handle", &ticks.statistics.compute)];
    output.draw("garre-ticks.svg", || Ok(haptics::histogram_svg("Time of a haptic tick", &histogram)))?;
    output.draw("garre.svg", || Ok(figures.bars().svg()))?;
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

fn hand(tets: usize) -> Result<Arc<HandModel>, Error> {
    let tissue = TissueOptions { tets, ..Preset::Garre.tissue() };
    HandModel::build(&HandOptions { tissue, ..HandOptions::default() }).map(Arc::new).map_err(Error::input)
}

/// The hand with as many contact vertices as a skin of so many triangles has where ours may touch: half as many vertices as triangles, and of
/// those the share that the touching area has of the whole.
fn skinned(hand: &HandModel, triangles: usize) -> Arc<HandModel> {
    let mesh = &hand.skin.mesh;
    let corners = |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize]);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        0.5 * (b - a).cross(c - a).length()
    };
    let whole: f64 = mesh.triangles.iter().map(area).sum();
    let share = hand.contact_areas.iter().sum::<f64>() / whole;
    let wanted = (0.5 * triangles as f64 * share) as usize;
    // spacing by halving: fewer vertices the further apart they are
    let (mut near, mut far) = (1e-4, 0.05);
    for _ in 0..14 {
        let spacing = 0.5 * (near + far);
        let count = sparser(hand, spacing).contact_vertices.len();
        *(if count > wanted { &mut near } else { &mut far }) = spacing;
    }
    sparser(hand, far)
}

/// The hand of `trajectory`, led by its handle, with a model of the force after every step.
fn measure(hand: &Arc<HandModel>, triangles: usize, method: ContactMethod, name: &'static str) -> Result<Row, Error> {
    let mut scene = library::scene("trajectory").map_err(Error::input)?;
    scene.world.preset = "garre".to_owned();
    scene.world.set.insert("contact".to_owned(), method.name().into());
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new("."), 1, &quiet);
    let mut simulation = Simulation::new(&scene, &|_| Arc::clone(hand), &mut assets).map_err(Error::input)?;
    Host { clock: Some(nanoseconds), threads: 1 }.lend(simulation.world_mut());
    let mut model = HandleModel::of(1);
    let mut sums = Sums::default();
    while let Some(report) = simulation.advance().map_err(Error::input)? {
        let report = *report;
        let start = nanoseconds();
        simulation.world_mut().handle_model(&mut model).map_err(Error::input)?;
        let linearise = nanoseconds() - start;
        if (FROM..TO).contains(&report.time) && report.skin_contacts > 0 {
            sums.add(&report, linearise);
        }
    }
    Ok(sums.row(name, triangles, hand))
}

#[derive(Default)]
struct Sums {
    steps: f64,
    contacts: f64,
    ns: [f64; 4],
    outputs: f64,
}

impl Sums {
    fn add(&mut self, report: &StepReport, linearise: u64) {
        let of = |stage: Stage| report.stage_ns[stage as usize] as f64;
        self.steps += 1.0;
        self.contacts += f64::from(report.skin_contacts);
        let constrained = report.constrain_ns as f64;
        let unconstrained = of(Stage::Track) + of(Stage::Assemble) + of(Stage::Factor) + of(Stage::Solve) - constrained;
        for (sum, ns) in self.ns.iter_mut().zip([of(Stage::Collide), unconstrained, constrained, linearise as f64]) {
            *sum += ns;
        }
        self.outputs += of(Stage::Outputs);
    }

    fn row(&self, method: &'static str, triangles: usize, hand: &HandModel) -> Row {
        let [collision_ms, unconstrained_ms, constrained_ms, linearise_ms] = self.ns.map(|ns| ns * 1e-6 / self.steps);
        let whole = self.ns.iter().sum::<f64>() + self.outputs;
        Row {
            method,
            triangles,
            vertices: hand.contact_vertices.len(),
            tets: hand.report().tets,
            contacts: self.contacts / self.steps,
            collision_ms,
            unconstrained_ms,
            constrained_ms,
            linearise_ms,
            steps_per_s: self.steps * 1e9 / whole,
        }
    }
}

impl Row {
    fn stages(&self) -> [f64; 4] {
        [self.collision_ms, self.unconstrained_ms, self.constrained_ms, self.linearise_ms]
    }
}

impl Figures {
    fn new(rows: Vec<Row>) -> Figures {
        let share = |row: &Row| row.linearise_ms / row.stages().iter().sum::<f64>();
        let after = |row: &Row| row.stages()[1..].iter().sum::<f64>();
        let skins: Vec<f64> = rows.iter().filter(|r| r.method == "aggregate").take(3).map(after).collect();
        let (least, most) = skins.iter().fold((f64::INFINITY, 0.0f64), |(l, m), x| (l.min(*x), m.max(*x)));
        Figures {
            linearise_ms: rows.get(5).map_or(f64::NAN, |row| row.linearise_ms),
            linearise_share: rows.get(2).map_or(f64::NAN, share),
            aggregate_change: most / least - 1.0,
            steps_per_s: rows.iter().map(|row| row.steps_per_s).fold(f64::INFINITY, f64::min),
            tick_us_median: f64::NAN,
            tick_us_p999: f64::NAN,
            late_fraction: f64::NAN,
            rows,
        }
    }

    fn bars(&self) -> Bars {
        let bars = self.rows.iter().enumerate().map(|(k, row)| Bar {
            name: if k % 6 < 3 { format!("{} triangles", row.triangles) } else { format!("{} tets", row.tets) },
            group: row.method.to_owned(),
            parts: row.stages().to_vec(),
        });
        Bars {
            title: "Time per step while a hand slides over a log".to_owned(),
            caption: "Garre Fig. 8: the same stages; its finest sizes take about 20 ms".to_owned(),
            unit: "ms per step".to_owned(),
            parts: STAGES.to_vec(),
            bars: bars.collect(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A soft hand on a handle slides over a log (`trajectory`, preset garre); means over the steps in contact, ms.\n\
             A skin of so many triangles is our skin with its touching points thinned to as many vertices as that has where a hand may touch.\n"
        )?;
        let headings = [
            "method",
            "triangles",
            "points",
            "tets",
            "contacts",
            "collision",
            "unconstrained",
            "constrained",
            "linearisation",
            "steps/s",
        ];
        let mut table = Table::new(&headings);
        for row in &self.rows {
            let mut cells = vec![
                row.method.to_owned(),
                row.triangles.to_string(),
                row.vertices.to_string(),
                row.tets.to_string(),
                format!("{:.1}", row.contacts),
            ];
            cells.extend(row.stages().iter().map(|ms| format!("{ms:.3}")));
            cells.push(format!("{:.0}", row.steps_per_s));
            table.row(cells);
        }
        writeln!(f, "{table}")?;
        write!(
            f,
            "By aggregates the stages after collision change by {:.0} % over the skins; linearisation takes {:.0} % of the step of the largest skin by points; \
             the slowest row makes {:.0} steps/s (paper: {PAPER_RATE:.0}). With nothing beside it, a haptic tick takes {:.1} µs, 999 of 1000 less than {:.1} µs; {:.3} % begin more \
             than 0.3 ms late.",
            100.0 * self.aggregate_change,
            100.0 * self.linearise_share,
            self.steps_per_s,
            self.tick_us_median,
            self.tick_us_p999,
            100.0 * self.late_fraction
        )
    }
}
