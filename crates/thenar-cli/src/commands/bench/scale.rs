//! `thenar bench scale`: the grasp with finer and finer tissue, on one and two threads.

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::measure::{GRASP, grasp_scene, hand, measure, resident_mb};
use super::table::Table;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Elements asked for.
const SIZES: [usize; 5] = [850, 1500, 3000, 5000, 10000];
const THREADS: [usize; 2] = [1, 2];
/// Displays and trackers run at this rate.
const DT: f64 = 1.0 / 90.0;
/// Measured until here: one second of the grasp.
const END: f64 = GRASP.start + 1.0;

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    dt: f64,
    rows: Vec<Row>,
}

/// One size on one number of threads.
#[derive(Serialize)]
struct Row {
    tets: usize,
    nodes: usize,
    threads: usize,
    contacts_median: f64,
    median_ms: f64,
    p99_ms: f64,
    steps_per_s: f64,
    stages: BTreeMap<&'static str, f64>,
    rss_mb: Option<f64>,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let scene = grasp_scene(DT, END)?;
    let mut rows = Vec::new();
    for tets in SIZES {
        let hand = hand(tets)?;
        let report = hand.report();
        for threads in THREADS {
            let times = measure(&scene, &hand, threads, &(GRASP.start..END))?;
            rows.push(Row {
                tets: report.tets,
                nodes: report.nodes,
                threads,
                contacts_median: times.contacts_median,
                median_ms: times.median_ms,
                p99_ms: times.p99_ms,
                steps_per_s: 1e3 / times.median_ms,
                stages: times.stages.iter().copied().collect(),
                rss_mb: resident_mb(),
            });
        }
    }
    let figures = Figures { dt: DT, rows };
    output.draw("scale.svg", || Ok(figures.chart().svg()))?;
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

impl Figures {
    fn chart(&self) -> Chart {
        let series = |threads: usize, name: &str, colour| Series {
            name: name.to_owned(),
            colour,
            points: self.rows.iter().filter(|r| r.threads == threads).map(|r| (r.tets as f64, r.median_ms)).collect(),
            marks: true,
        };
        Chart {
            title: "Time per step of a grasp".to_owned(),
            caption: "CLAP: 15 to 22 ms with 856 tetrahedra".to_owned(),
            x: Axis { label: "tetrahedra".to_owned(), logarithmic: true },
            y: Axis { label: "ms per step, median".to_owned(), logarithmic: true },
            series: vec![
                series(1, "one thread", "#2d6fc2"),
                series(2, "two threads", "#c2452d"),
                Series { name: "CLAP".to_owned(), colour: "#7a7a7a", points: vec![(856.0, 18.0)], marks: true },
            ],
            bands: Vec::new(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A hand grasps a ball; step 1/{:.0} s; medians, ms. CLAP: 15 to 22 with 856 tets.\n",
            1.0 / self.dt
        )?;
        let stages = ["track", "collide", "assemble", "factor", "solve", "outputs"];
        let mut headings = vec!["tets", "nodes", "threads", "contacts", "step", "p99", "steps/s"];
        headings.extend(stages);
        headings.push("MB");
        let mut table = Table::new(&headings);
        for row in &self.rows {
            let mut cells = vec![
                row.tets.to_string(),
                row.nodes.to_string(),
                row.threads.to_string(),
                format!("{:.0}", row.contacts_median),
                format!("{:.2}", row.median_ms),
                format!("{:.2}", row.p99_ms),
                format!("{:.0}", row.steps_per_s),
            ];
            cells.extend(stages.map(|s| format!("{:.3}", row.stages.get(s).copied().unwrap_or(0.0))));
            cells.push(row.rss_mb.map_or_else(String::new, |mb| format!("{mb:.0}")));
            table.row(cells);
        }
        write!(f, "{table}")
    }
}
