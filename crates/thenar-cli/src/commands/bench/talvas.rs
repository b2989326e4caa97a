//! `thenar bench talvas`: Table 1 of Talvas 2015, contact by points beside contact by aggregates.

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::duel::{self, Figures, duel};
use super::pressures::Pressures;
use super::sparse_skin::sparser;
use super::table::Table;
use crate::commands::run::hands::Hands;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use thenar::hand::{HandModel, Preset, Side};
use thenar_scene::library;
use thenar_scene::run::tissue_options;
use thenar_scene::scene::{Scene, Variation};

/// A line of the paper's table.
struct Published {
    phalanges: usize,
    contacts: f64,
    constraints: [f64; 2],
    solve_ms: [f64; 2],
    total_ms: [f64; 2],
}

/// A grasp that is measured, and how.
struct Grasp {
    scene: &'static str,
    /// Values of the scene that differ, such as those of one of its variants.
    variant: Option<&'static str>,
    /// Soft phalanges of preset `talvas`, all if none is named; `None`: the hand of one piece.
    soft: Option<&'static [&'static str]>,
    /// Distance between skin vertices that feel contact, metres: as many press as in the paper.
    spacing: f64,
    /// The object is held from here on, seconds.
    hold: f64,
    paper: Published,
}

const GRASPS: [Grasp; 6] = [
    Grasp {
        scene: "pencil",
        variant: None,
        soft: None,
        spacing: 1.7e-3,
        hold: 5.8,
        paper: published(3, 33.0, [52.0, 12.0], [14.91, 4.85], [25.21, 15.3]),
    },
    Grasp {
        scene: "edge",
        variant: None,
        soft: Some(&["thumb-distal", "index-distal"]),
        spacing: 2.5e-3,
        hold: 4.0,
        paper: published(2, 19.0, [49.0, 8.0], [14.01, 4.28], [22.76, 13.05]),
    },
    Grasp {
        scene: "edge",
        variant: Some("an edge nearer to the side of the thumb"),
        soft: Some(&["thumb-distal", "index-distal"]),
        spacing: 2.1e-3,
        hold: 4.0,
        paper: published(2, 23.0, [62.0, 8.0], [22.52, 5.26], [32.45, 14.53]),
    },
    Grasp {
        scene: "rigid-ball-tips",
        variant: None,
        soft: Some(&[]),
        spacing: 2.5e-3,
        hold: 4.0,
        paper: published(15, 37.0, [86.0, 22.0], [37.78, 10.8], [59.13, 32.58]),
    },
    Grasp {
        scene: "rigid-ball-close",
        variant: None,
        soft: Some(&[]),
        spacing: 3e-3,
        hold: 3.4,
        paper: published(15, 84.0, [233.0, 32.0], [229.74, 15.33], [254.05, 39.94]),
    },
    Grasp {
        scene: "dumbbell",
        variant: None,
        soft: Some(&[]),
        spacing: 2.5e-3,
        hold: 4.0,
        paper: published(30, 93.0, [283.0, 70.0], [350.91, 53.42], [408.26, 116.53]),
    },
];

/// The grasp that is repeated with a denser and denser skin, and the distances between its vertices, metres.
const DENSITY_SCENE: &str = "rigid-ball-tips";
const DENSITIES: [f64; 6] = [3.6e-3, 2.8e-3, 2.3e-3, 1.9e-3, 1.5e-3, 0.0];

/// A grasp carries this share of the object's weight, or the object was dropped.
const CARRIED: f64 = 0.8;

const fn published(
    phalanges: usize,
    contacts: f64,
    constraints: [f64; 2],
    solve_ms: [f64; 2],
    total_ms: [f64; 2],
) -> Published {
    Published { phalanges, contacts, constraints, solve_ms, total_ms }
}

/// Everything measured.
#[derive(Serialize)]
struct Measured {
    rows: Vec<Row>,
    /// One grasp with more and more contacts.
    by_contacts: Vec<Row>,
    /// Where the pressure of a patch goes.
    pressures: Option<Pressures>,
}

/// One grasp under both methods.
#[derive(Serialize)]
struct Row {
    scene: &'static str,
    phalanges: usize,
    contacts: f64,
    constraints_point: f64,
    constraints_aggregate: f64,
    solve_ms_point: f64,
    solve_ms_aggregate: f64,
    total_ms_point: f64,
    total_ms_aggregate: f64,
    /// Deepest skin vertex of both methods, mm.
    #[serde(skip)]
    depths: [f64; 2],
    /// Why a row says nothing, for example because a method dropped the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    /// Place in the paper's table.
    #[serde(skip)]
    grasp: usize,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("grasping");
    let mut rows = Vec::new();
    for (index, grasp) in GRASPS.iter().enumerate() {
        progress.count(index, GRASPS.len());
        if library::scenes().any(|(name, _)| name == grasp.scene) {
            rows.push(grasp.measure(index, &[grasp.spacing])?.remove(0));
        }
    }
    progress.next("making contacts denser");
    let mut by_contacts = Vec::new();
    for (index, grasp) in GRASPS.iter().enumerate().filter(|(_, g)| g.scene == DENSITY_SCENE) {
        by_contacts = grasp.measure(index, &DENSITIES)?;
    }
    progress.next("spreading pressure");
    let measured = Measured { rows, by_contacts, pressures: Some(Pressures::measure()?) };
    output.draw("talvas-contacts.svg", || Ok(measured.chart().svg()))?;
    drop(progress);
    if output.json { output::print_json(&measured) } else { output::print_text(&measured.to_string()) }
}

impl Grasp {
    /// The scene with this grasp's hand.
    fn scene(&self) -> Result<Scene, Error> {
        let mut scene = library::scene(self.scene).map_err(Error::input)?;
        let variants: Vec<Variation> = scene.variants.clone();
        if let Some(variant) = variants.iter().find(|v| self.variant == Some(v.name.as_str())) {
            scene = scene.with(variant).map_err(Error::input)?;
        }
        scene.seconds = scene.seconds.max(self.hold + duel::STEPS as f64 * scene.world.step);
        if let Some(soft) = self.soft {
            "talvas".clone_into(&mut scene.world.preset);
            if !soft.is_empty() {
                scene.world.soft = Some(soft.iter().map(|&name| name.to_owned()).collect());
            }
        }
        Ok(scene)
    }

    /// One row for each density of the skin.
    fn measure(&self, grasp: usize, spacings: &[f64]) -> Result<Vec<Row>, Error> {
        let scene = self.scene()?;
        let hands = Hands::build(&scene, Preset::Adult, None, None)?;
        let sparse = |side: Side, spacing: f64| match spacing {
            0.0 => hands.of(side),
            _ => sparser(&hands.of(side), spacing),
        };
        let mut rows = Vec::new();
        for &spacing in spacings {
            let pair = [Side::Right, Side::Left].map(|side| sparse(side, spacing));
            let hand = |side: Side| -> Arc<HandModel> {
                match side {
                    Side::Right => Arc::clone(&pair[0]),
                    Side::Left => Arc::clone(&pair[1]),
                }
            };
            rows.push(self.row(grasp, &scene, duel(&scene, &hand, self.hold)?)?);
        }
        Ok(rows)
    }

    fn row(&self, grasp: usize, scene: &Scene, [point, aggregate]: [Figures; 2]) -> Result<Row, Error> {
        let mut remarks = Vec::new();
        if self.soft.is_none() {
            remarks.push(format!("hand of one piece, of which {} phalanges touch", self.paper.phalanges));
        }
        for (method, figures) in duel::METHODS.iter().zip([&point, &aggregate]) {
            if figures.carried < CARRIED {
                remarks
                    .push(format!("dropped by {method}, which carries {:.0} % of the weight", 100.0 * figures.carried));
            }
        }
        let soft = match tissue_options(&scene.world, None).map_err(Error::input)?.layout {
            thenar::hand::TissueLayout::Whole => self.paper.phalanges,
            thenar::hand::TissueLayout::Phalanges(soft) => soft.count(),
        };
        Ok(Row {
            scene: self.scene,
            phalanges: soft * scene.hands.len(),
            contacts: aggregate.contacts,
            constraints_point: point.constraints,
            constraints_aggregate: aggregate.constraints,
            solve_ms_point: point.solve_ms,
            solve_ms_aggregate: aggregate.solve_ms,
            total_ms_point: point.total_ms,
            total_ms_aggregate: aggregate.total_ms,
            depths: [point.depth_mm, aggregate.depth_mm],
            remark: remarks.join(", "),
            grasp,
        })
    }
}

impl Measured {
    fn chart(&self) -> Chart {
        let series = |name: &str, colour, value: fn(&Row) -> f64| Series {
            name: name.to_owned(),
            colour,
            points: self.by_contacts.iter().map(|row| (row.contacts, value(row))).collect(),
            marks: true,
        };
        Chart {
            title: "Solving the constraints of one grasp with more and more contacts".to_owned(),
            caption:
                "A ball between three fingertips; Talvas 2015: 37.8 ms for points, 10.8 ms for aggregates (37 contacts)"
                    .to_owned(),
            x: Axis { label: "skin vertices that press".to_owned(), logarithmic: false },
            y: Axis { label: "constraint solve, ms per step, median".to_owned(), logarithmic: false },
            series: vec![
                series("point", "#c2452d", |row| row.solve_ms_point),
                series("aggregate", "#2d6fc2", |row| row.solve_ms_aggregate),
            ],
            bands: Vec::new(),
        }
    }
}

/// How much less the second of a pair is, percent.
fn less([point, aggregate]: [f64; 2]) -> String {
    if point > 0.0 { format!("{:.0} %", 100.0 * (1.0 - aggregate / point)) } else { String::new() }
}

impl Row {
    fn solve_ms(&self) -> [f64; 2] {
        [self.solve_ms_point, self.solve_ms_aggregate]
    }

    fn total_ms(&self) -> [f64; 2] {
        [self.total_ms_point, self.total_ms_aggregate]
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let mut cells = cells(
            name,
            self.phalanges,
            self.contacts,
            [self.constraints_point, self.constraints_aggregate],
            [self.solve_ms(), self.total_ms()],
            3,
        );
        if self.remark.contains("dropped") {
            // the times of an empty hand compare with nothing
            cells.iter_mut().filter(|cell| cell.ends_with('%')).for_each(|cell| "dropped".clone_into(cell));
        }
        cells.extend(self.depths.map(|mm| format!("{mm:.2}")));
        cells
    }
}

impl Published {
    fn cells(&self) -> Vec<String> {
        cells("  Talvas", self.phalanges, self.contacts, self.constraints, [self.solve_ms, self.total_ms], 2)
    }
}

fn cells(
    name: &str,
    phalanges: usize,
    contacts: f64,
    constraints: [f64; 2],
    times: [[f64; 2]; 2],
    digits: usize,
) -> Vec<String> {
    let mut cells = vec![name.to_owned(), phalanges.to_string(), format!("{contacts:.0}")];
    cells.extend(constraints.map(|rows| format!("{rows:.0}")));
    for pair in times {
        cells.extend(pair.map(|ms| format!("{ms:.digits$}")));
        cells.push(less(pair));
    }
    cells
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = duel::STEPS;
        writeln!(
            f,
            "Objects held with contact by points and by aggregates; one thread; medians of {steps} steps, ms.\n"
        )?;
        let headings = [
            "scene",
            "phalanges",
            "contacts",
            "rows: point",
            "aggregate",
            "solve: point",
            "aggregate",
            "less",
            "step: point",
            "aggregate",
            "less",
            "depth, mm: point",
            "aggregate",
        ];
        let mut table = Table::new(&headings);
        for row in &self.rows {
            table.row(row.cells(row.scene));
            table.row(GRASPS[row.grasp].paper.cells());
        }
        writeln!(f, "{table}")?;
        for row in self.rows.iter().filter(|row| !row.remark.is_empty()) {
            writeln!(f, "{}: {}", row.scene, row.remark)?;
        }
        for grasp in GRASPS.iter().filter(|g| self.rows.iter().all(|row| row.scene != g.scene)) {
            writeln!(f, "{}: not measured, the library has no such scene", grasp.scene)?;
        }
        writeln!(
            f,
            "contacts: skin vertices that press under aggregate; the skin's vertices are spaced for as many as in the paper."
        )?;
        writeln!(
            f,
            "rows: three for each point; only vertices that pressed in the last step, or are inside at the predicted pose,"
        )?;
        writeln!(
            f,
            "become points, which is why points are fast here: what sticks is part of the matrix and has no row."
        )?;
        writeln!(
            f,
            "aggregate: pressure by springs, as by default. solve: from the free motion to the constrained one."
        )?;
        writeln!(f, "depth: the deepest skin vertex of all steps.\n")?;
        writeln!(f, "The grasp of {DENSITY_SCENE} with a denser and denser skin:\n")?;
        let mut table = Table::new(&headings);
        for row in &self.by_contacts {
            table.row(row.cells(row.scene));
        }
        writeln!(f, "{table}")?;
        if let Some(pressures) = &self.pressures {
            writeln!(f, "{pressures}")?;
        }
        write!(f, "Talvas: Talvas, Marchal, Duriez, Otaduy 2015, Table 1.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let figures = |solve_ms: f64, constraints: f64| Figures {
            solve_ms,
            total_ms: solve_ms + 1.0,
            constraints,
            contacts: 30.0,
            depth_mm: 0.1,
            carried: 1.0,
        };
        let row = |index: usize| Row {
            grasp: index,
            ..GRASPS[index].row(index, &Scene::read(LITTLE).unwrap(), [figures(0.4, 60.0), figures(0.1, 12.0)]).unwrap()
        };
        Measured { rows: vec![row(0), row(5)], by_contacts: vec![row(3)], pressures: None }
    }

    const LITTLE: &str = "name = \"little\"\nstory = \"Nothing happens.\"\nseconds = 1.0\n[[hand]]\nside = \"right\"\n\
                          [[hand.key]]\nat = 0.0\npalm = { position = [0, 0, 0] }\ngrasp = \"open\"\n";

    /// A contract with scripts that compare runs.
    #[test]
    fn json_rows_have_the_promised_fields_and_no_others() {
        let json = serde_json::to_value(measured()).unwrap();
        // the last row has nothing to remark
        let row = json["rows"].as_array().unwrap().last().unwrap();
        let mut fields: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let promised = [
            "constraints_aggregate",
            "constraints_point",
            "contacts",
            "phalanges",
            "scene",
            "solve_ms_aggregate",
            "solve_ms_point",
            "total_ms_aggregate",
            "total_ms_point",
        ];
        assert_eq!(fields, promised);
    }

    #[test]
    fn every_row_stands_above_the_papers() {
        let text = measured().to_string();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|l| l.starts_with("pencil")).unwrap();
        assert!(lines[at].contains("75 %"), "{text}");
        assert!(lines[at + 1].starts_with("  Talvas") && lines[at + 1].contains("67 %"), "{text}");
        assert!(text.contains("408.26"), "{text}");
        assert!(text.contains("rigid-ball-close: not measured"), "{text}");
    }

    #[test]
    fn the_papers_reductions_follow_from_its_times() {
        let reductions = |times: fn(&Published) -> [f64; 2]| GRASPS.each_ref().map(|g| less(times(&g.paper)));
        assert_eq!(reductions(|p| p.solve_ms), ["67 %", "69 %", "77 %", "71 %", "93 %", "85 %"]);
        assert_eq!(reductions(|p| p.total_ms), ["39 %", "43 %", "55 %", "45 %", "84 %", "71 %"]);
    }

    /// A row whose scene, variant or phalanges are misspelt would be skipped or measured wrongly.
    #[test]
    fn every_grasp_fits_its_scene() {
        for grasp in GRASPS.iter().filter(|g| library::scenes().any(|(name, _)| name == g.scene)) {
            let plain = library::scene(grasp.scene).unwrap();
            assert!(grasp.variant.is_none_or(|name| plain.variants.iter().any(|v| v.name == name)), "{}", grasp.scene);
            let scene = grasp.scene().unwrap();
            let soft = match tissue_options(&scene.world, None).unwrap().layout {
                thenar::hand::TissueLayout::Whole => grasp.paper.phalanges,
                thenar::hand::TissueLayout::Phalanges(soft) => soft.count(),
            };
            assert_eq!(soft * scene.hands.len(), grasp.paper.phalanges, "{}", grasp.scene);
        }
    }
}
