//! `thenar bench clap`: the grasp of CLAP §5.2, at three step lengths.

use super::measure::{GRASP, grasp_scene, hand, measure, resident_mb, simulate};
use super::table::Table;
use super::{Output, figure};
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use thenar::hand::HandModel;
use thenar_scene::run::Timing;

/// Step rates measured, Hz: of displays, of tracking, of haptic devices.
const RATES: [f64; 3] = [90.0, 250.0, 1000.0];
/// Elements of the hand; CLAP has 856.
const TETS: usize = 850;
/// The iterative solver is measured over the first second of the grasp.
const PCG_END: f64 = GRASP.start + 1.0;

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    tets: usize,
    nodes: usize,
    bones: usize,
    skin_triangles: usize,
    rows: Vec<Row>,
    rss_mb: Option<f64>,
}

/// One step length.
#[derive(Serialize)]
struct Row {
    dt: f64,
    contacts_median: f64,
    median_ms: f64,
    p99_ms: f64,
    steps_per_s: f64,
    stages: BTreeMap<&'static str, f64>,
    pcg_median_ms: f64,
    pcg_iterations_median: f64,
    preset: PresetRow,
}

/// The same with all parameters of preset `clap`, its solver among them, over the first second of the grasp.
#[derive(Serialize)]
struct PresetRow {
    contacts_median: f64,
    median_ms: f64,
    p99_ms: f64,
    iterations_median: f64,
    /// Relative, of the worst step.
    residual: f64,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("building the hand");
    let hand = hand(TETS)?;
    progress.next("grasping");
    let mut rows = Vec::new();
    let mut rss_mb = None;
    for rate in RATES {
        let scene = grasp_scene(1.0 / rate, GRASP.end)?;
        let times = measure(&scene, &hand, 1, &GRASP)?;
        rss_mb = rss_mb.or(resident_mb());
        let mut iterative = grasp_scene(1.0 / rate, PCG_END)?;
        iterative.world.set.insert("solver".to_owned(), "pcg".into());
        let pcg = measure(&iterative, &hand, 1, &(GRASP.start..PCG_END))?;
        rows.push(Row {
            dt: 1.0 / rate,
            contacts_median: times.contacts_median,
            median_ms: times.median_ms,
            p99_ms: times.p99_ms,
            steps_per_s: 1e3 / times.median_ms,
            stages: times.stages.iter().copied().collect(),
            pcg_median_ms: pcg.median_ms,
            pcg_iterations_median: pcg.iterations_median,
            preset: preset_clap(rate, &hand)?,
        });
    }
    output.draw("clap-figure-9.svg", || figure::draw(&hand))?;
    drop(progress);
    let report = hand.report();
    let figures = Figures {
        tets: report.tets,
        nodes: report.nodes,
        bones: report.bones,
        skin_triangles: report.skin_triangles,
        rows,
        rss_mb,
    };
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

fn preset_clap(rate: f64, hand: &Arc<HandModel>) -> Result<PresetRow, Error> {
    let mut scene = grasp_scene(1.0 / rate, PCG_END)?;
    "clap".clone_into(&mut scene.world.preset);
    let (mut timing, mut residual) = (Timing::default(), 0.0f64);
    simulate(&scene, hand, 1, |report| {
        if report.time >= GRASP.start {
            timing.add(report);
            residual = residual.max(report.residual);
        }
    })?;
    let times = timing.summary().ok_or_else(|| Error::input("no step of the scene lies in the measured part"))?;
    Ok(PresetRow {
        contacts_median: times.contacts_median,
        median_ms: times.median_ms,
        p99_ms: times.p99_ms,
        iterations_median: times.iterations_median,
        residual,
    })
}

impl Row {
    fn stage(&self, name: &str) -> f64 {
        self.stages.get(name).copied().unwrap_or(0.0)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { tets, nodes, bones, skin_triangles, .. } = self;
        writeln!(f, "A hand of {tets} tetrahedra, {nodes} nodes, {bones} bones and {skin_triangles} skin triangles")?;
        writeln!(f, "grasps, lifts and squeezes a ball; one thread; medians, ms.\n")?;
        let rates: Vec<String> = self.rows.iter().map(|row| format!("1/{:.0} s", 1.0 / row.dt)).collect();
        let mut headings = vec!["step"];
        headings.extend(rates.iter().map(String::as_str));
        headings.push("CLAP (856 tets)");
        let mut table = Table::new(&headings);
        let mut line = |name: &str, paper: &str, value: &dyn Fn(&Row) -> String| {
            let mut cells = vec![name.to_owned()];
            cells.extend(self.rows.iter().map(value));
            cells.push(paper.to_owned());
            table.row(cells);
        };
        let ms = |value: f64| format!("{value:.3}");
        line("skin vertices in contact", "", &|row| format!("{:.0}", row.contacts_median));
        line("whole step", "15 to 22", &|row| ms(row.median_ms));
        line("  99 of 100 steps under", "", &|row| ms(row.p99_ms));
        line("steps per second", "45 to 65", &|row| format!("{:.0}", row.steps_per_s));
        line("set-up (collide, assemble)", "about 10", &|row| ms(row.stage("collide") + row.stage("assemble")));
        line("solve (factor, solve)", "about 10", &|row| ms(row.stage("factor") + row.stage("solve")));
        for (stage, paper) in
            [("track", ""), ("collide", "under 0.7"), ("assemble", ""), ("factor", ""), ("solve", ""), ("outputs", "")]
        {
            line(&format!("  {stage}"), paper, &|row| ms(row.stage(stage)));
        }
        line("step with the paper's solver", "", &|row| ms(row.pcg_median_ms));
        line("  its iterations", "", &|row| format!("{:.0}", row.pcg_iterations_median));
        line("step with all of preset `clap`", "15 to 22", &|row| ms(row.preset.median_ms));
        line("  99 of 100 steps under", "", &|row| ms(row.preset.p99_ms));
        line("  skin vertices in contact", "", &|row| format!("{:.0}", row.preset.contacts_median));
        line("  iterations", "", &|row| format!("{:.0}", row.preset.iterations_median));
        line("  worst relative residual", "1e-5 asked", &|row| format!("{:.1e}", row.preset.residual));
        write!(f, "{table}")?;
        if let Some(mb) = self.rss_mb {
            writeln!(f, "\nmemory {mb:.0} MB")?;
        }
        write!(f, "CLAP: Verschoor, Lobo, Otaduy 2018, §5.2, one core of an Intel Core i7-5820K.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        let stages = ["track", "collide", "assemble", "factor", "solve", "outputs"];
        let row = Row {
            dt: 1.0 / 90.0,
            contacts_median: 120.0,
            median_ms: 0.4,
            p99_ms: 0.5,
            steps_per_s: 2500.0,
            stages: stages.into_iter().map(|stage| (stage, 0.05)).collect(),
            pcg_median_ms: 2.0,
            pcg_iterations_median: 160.0,
            preset: PresetRow {
                contacts_median: 110.0,
                median_ms: 3.0,
                p99_ms: 4.0,
                iterations_median: 170.0,
                residual: 9e-6,
            },
        };
        Figures { tets: 850, nodes: 300, bones: 16, skin_triangles: 24_000, rows: vec![row], rss_mb: Some(25.0) }
    }

    /// A contract with scripts that compare runs.
    #[test]
    fn json_has_the_promised_fields() {
        let json = serde_json::to_value(figures()).unwrap();
        for field in ["tets", "nodes", "bones", "rows", "rss_mb"] {
            assert!(json.get(field).is_some(), "{field}: {json}");
        }
        let row = &json["rows"][0];
        for field in
            ["dt", "contacts_median", "median_ms", "p99_ms", "steps_per_s", "pcg_median_ms", "pcg_iterations_median"]
        {
            assert!(row[field].is_number(), "{field}: {row}");
        }
        for field in ["contacts_median", "median_ms", "p99_ms", "iterations_median", "residual"] {
            assert!(row["preset"][field].is_number(), "{field}: {row}");
        }
        for stage in ["track", "collide", "assemble", "factor", "solve", "outputs"] {
            assert!(row["stages"][stage].is_number(), "{stage}: {row}");
        }
    }

    #[test]
    fn the_table_stands_beside_the_paper() {
        let table = figures().to_string();
        let line = |name: &str| table.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_owned();
        assert!(line("steps per second").ends_with("2500         45 to 65"), "{table}");
        assert!(line("set-up").ends_with("0.100         about 10"), "{table}");
        assert!(line("  collide").ends_with("0.050        under 0.7"), "{table}");
    }
}
