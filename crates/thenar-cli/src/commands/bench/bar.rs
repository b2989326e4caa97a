//! `thenar bench bar`: a soft bar on a table carries a free box on a slope, beside what other engines need for it.

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::table::Table;
use crate::commands::run::nanoseconds;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use thenar::contact::ContactMethod;
use thenar::geometry::TetMesh;
use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Quat, Vec3};
use thenar::world::{Material, ObjectDef, ObjectId, SoftDef, World, WorldConfig};

const DT: f64 = 5e-3;
const SIZE: Vec3 = Vec3::new(0.08, 0.02, 0.02);
const BOX: Vec3 = Vec3::new(0.02, 0.01, 0.02);
const BOX_MASS: f64 = 0.3;
const FRICTION: f64 = 0.5;
const DEGREES: f64 = 5.0;
/// Below this the middle of the box is no longer on the bar, metres: its weight presses it down by 0.7 mm.
const DROPPED: f64 = 0.026;

/// Cubes along the edges, and seconds of settling and of measuring: less where a step may take a fifth of a second.
const BARS: [([usize; 3], f64, f64); 3] = [([16, 3, 3], 1.0, 2.0), ([20, 5, 5], 1.0, 2.0), ([34, 7, 7], 0.25, 0.35)];

const METHODS: [(&str, ContactMethod); 3] = ContactMethod::ALL;

/// Others on the smallest bar, on one core: step, ms, ms per step in contact, and whether the box stayed.
const PEERS: [(&str, f64, f64, &str); 6] = [
    ("MuJoCo 4.0 flex", 5.0, 5.2, "creeps 1 mm/s"),
    ("Rapier 0.36 FEM", 5.0, 15.7, "holds"),
    ("Drake 1.51 SAP", 5.0, 21.3, "holds, 0.07 mm"),
    ("Newton 1.7 VBD", 1.67, 12.5, "creeps 1.3 mm/s"),
    ("PyBullet 3.2.7", 1.0, 9.6, "slides"),
    ("SOFA 26.06 LCP", 5.0, 62.0, "holds, 0.00 mm"),
];

/// Everything measured.
#[derive(Serialize)]
struct Figures {
    dt: f64,
    box_kg: f64,
    degrees: f64,
    rows: Vec<Row>,
    peers: Vec<Peer>,
}

/// One bar under one method.
#[derive(Serialize)]
struct Row {
    tets: usize,
    nodes: usize,
    method: &'static str,
    /// Medians over the measured steps.
    contacts: u32,
    constraints: u32,
    median_ms: f64,
    p99_ms: f64,
    /// How far the box moves while it is measured, and for how long that is.
    creep_mm: f64,
    measured_s: f64,
    /// The box is still on the bar.
    held: bool,
}

#[derive(Serialize)]
struct Peer {
    engine: &'static str,
    step_ms: f64,
    median_ms: f64,
    verdict: &'static str,
}

/// One world and what was seen of it.
struct Run {
    world: World,
    lid: ObjectId,
    settled: Vec3,
    times: Vec<u64>,
    contacts: Vec<u32>,
    constraints: Vec<u32>,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("pressing");
    let mut rows = Vec::new();
    for (done, &bar) in BARS.iter().enumerate() {
        progress.count(done, BARS.len());
        rows.extend(measure(bar)?);
    }
    let peers = PEERS.map(|(engine, step_ms, median_ms, verdict)| Peer { engine, step_ms, median_ms, verdict });
    let figures = Figures { dt: DT, box_kg: BOX_MASS, degrees: DEGREES, rows, peers: peers.into() };
    output.draw("bar.svg", || Ok(figures.chart().svg()))?;
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

/// All methods step by step in turn, so that whatever else the machine does hits them alike.
fn measure((cells, settling, measuring): ([usize; 3], f64, f64)) -> Result<Vec<Row>, Error> {
    let mesh = kuhn_cells(cells, SIZE);
    let mut runs = Vec::new();
    for (_, method) in METHODS {
        runs.push(Run::new(method, &mesh)?);
    }
    let steps = |seconds: f64| (seconds / DT).round() as usize;
    for _ in 0..steps(settling) {
        runs.iter_mut().try_for_each(|run| run.step().map(|_| ()))?;
    }
    runs.iter_mut().for_each(Run::start);
    for step in 0..steps(measuring) {
        for turn in 0..METHODS.len() {
            runs[(step + turn) % METHODS.len()].measure()?;
        }
    }
    Ok(METHODS.iter().zip(&runs).map(|((name, _), run)| run.row(name, &mesh, measuring)).collect())
}

impl Run {
    fn new(method: ContactMethod, mesh: &TetMesh) -> Result<Run, Error> {
        let tilt = DEGREES.to_radians();
        let gravity = 9.81 * Vec3::new(tilt.sin(), -tilt.cos(), 0.0);
        let config = WorldConfig { gravity, method, soft_friction: FRICTION, ..WorldConfig::default() };
        let mut world = World::new(config).map_err(Error::input)?;
        world.set_clock(nanoseconds);
        let table = ObjectDef { friction: FRICTION, ..ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY) };
        world.add_object(table).map_err(Error::input)?;
        let material = Material { young: 1e5, poisson: 0.33 };
        let bar = SoftDef::new("bar", mesh.clone(), material, 1000.0);
        world.add_soft(bar).map_err(Error::input)?;
        let at = Pose::new(Vec3::Y * (SIZE.y + BOX.y), Quat::IDENTITY);
        let lid = ObjectDef { friction: FRICTION, ..ObjectDef::moving("box", Shape::Box { half: BOX }, BOX_MASS, at) };
        let lid = world.add_object(lid).map_err(Error::input)?;
        let (times, contacts, constraints) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Run { world, lid, settled: Vec3::ZERO, times, contacts, constraints })
    }

    fn step(&mut self) -> Result<u64, Error> {
        let start = nanoseconds();
        self.world.step(DT).map_err(Error::input)?;
        Ok(nanoseconds() - start)
    }

    fn place(&self) -> Vec3 {
        self.world.object(self.lid).pose.position
    }

    fn start(&mut self) {
        self.settled = self.place();
    }

    fn measure(&mut self) -> Result<(), Error> {
        let time = self.step()?;
        let report = self.world.report();
        self.times.push(time);
        self.contacts.push(report.skin_contacts);
        self.constraints.push(report.constraints);
        Ok(())
    }

    fn row(&self, method: &'static str, mesh: &TetMesh, measured_s: f64) -> Row {
        Row {
            tets: mesh.tets.len(),
            nodes: mesh.positions.len(),
            method,
            contacts: quantile(&self.contacts, 0.5),
            constraints: quantile(&self.constraints, 0.5),
            median_ms: quantile(&self.times, 0.5) as f64 * 1e-6,
            p99_ms: quantile(&self.times, 0.99) as f64 * 1e-6,
            creep_mm: self.place().distance(self.settled) * 1e3,
            measured_s,
            held: self.place().y > DROPPED,
        }
    }
}

/// The smallest value that at least this share of all values does not exceed.
fn quantile<T: Copy + Ord + Default>(values: &[T], share: f64) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// A bar of that size, lying on y = 0 about the origin: cubes of six tetrahedra around a diagonal each.
pub fn kuhn_cells(cells: [usize; 3], size: Vec3) -> TetMesh {
    const PATHS: [([usize; 3], bool); 6] = [
        ([0, 1, 2], true),
        ([0, 2, 1], false),
        ([1, 0, 2], false),
        ([1, 2, 0], true),
        ([2, 0, 1], true),
        ([2, 1, 0], false),
    ];
    let count = cells.map(|n| n + 1);
    let node = |c: [usize; 3]| (c[0] + count[0] * (c[1] + count[1] * c[2])) as u32;
    let grid =
        |n: [usize; 3]| (0..n[2]).flat_map(move |k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| [i, j, k])));
    let place = |c: [usize; 3]| {
        let share = Vec3::from_array(std::array::from_fn(|a| c[a] as f64 / cells[a] as f64));
        size * (share - Vec3::new(0.5, 0.0, 0.5))
    };
    let mut mesh = TetMesh { positions: grid(count).map(place).collect(), ..TetMesh::default() };
    for cell in grid(cells) {
        for (axes, even) in PATHS {
            let mut corner = cell;
            let mut tet = [node(corner); 4];
            for (step, axis) in axes.into_iter().enumerate() {
                corner[axis] += 1;
                tet[step + 1] = node(corner);
            }
            if !even {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    mesh
}

impl Figures {
    fn chart(&self) -> Chart {
        let series = |method: &str, colour| Series {
            name: method.to_owned(),
            colour,
            points: self.rows.iter().filter(|r| r.method == method).map(|r| (r.tets as f64, r.median_ms)).collect(),
            marks: true,
        };
        let others = self.peers.iter().map(|p| (864.0, p.median_ms)).collect();
        Chart {
            title: "Time per step of a soft bar that carries a box".to_owned(),
            caption: "MuJoCo, PyBullet, Newton, Rapier, Drake and SOFA from below, with 864 tetrahedra".to_owned(),
            x: Axis { label: "tetrahedra".to_owned(), logarithmic: true },
            y: Axis { label: "ms per step, median".to_owned(), logarithmic: true },
            series: vec![
                series("penalty", "#2d6fc2"),
                series("point", "#c2452d"),
                series("aggregate", "#2d8a4e"),
                Series { name: "others".to_owned(), colour: "#7a7a7a", points: others, marks: true },
            ],
            bands: Vec::new(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A bar of 8 x 2 x 2 cm on a table carries a free box of {} kg on a slope of {}°; step {} ms, one thread.\n",
            self.box_kg,
            self.degrees,
            1e3 * self.dt
        )?;
        let headings = ["method", "tets", "nodes", "contacts", "rows", "ms", "p99", "creep mm", "in s", "box"];
        let mut table = Table::new(&headings);
        for row in &self.rows {
            table.row(vec![
                row.method.to_owned(),
                row.tets.to_string(),
                row.nodes.to_string(),
                row.contacts.to_string(),
                row.constraints.to_string(),
                format!("{:.2}", row.median_ms),
                format!("{:.2}", row.p99_ms),
                format!("{:.4}", row.creep_mm),
                format!("{:.2}", row.measured_s),
                if row.held { "held" } else { "dropped" }.to_owned(),
            ]);
        }
        writeln!(f, "{table}\nOthers, 864 tets, one core:\n")?;
        let mut table = Table::new(&["engine", "step ms", "ms", "box"]);
        for peer in &self.peers {
            let (step, ms) = (format!("{}", peer.step_ms), format!("{:.1}", peer.median_ms));
            table.row(vec![peer.engine.to_owned(), step, ms, peer.verdict.to_owned()]);
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bars_have_the_sizes_they_are_compared_by() {
        let tets = BARS.map(|(cells, ..)| kuhn_cells(cells, SIZE).tets.len());
        assert_eq!(tets, [864, 3000, 9996]);
        let mesh = kuhn_cells(BARS[0].0, SIZE);
        let corner = |i: u32| mesh.positions[i as usize];
        let volume: f64 = mesh
            .tets
            .iter()
            .map(|t| {
                let [a, b, c, d] = t.map(corner);
                let volume = (b - a).dot((c - a).cross(d - a)) / 6.0;
                assert!(volume > 0.0);
                volume
            })
            .sum();
        assert!((volume - SIZE.element_product()).abs() < 1e-12, "{volume} m³");
    }

    #[test]
    fn every_method_has_its_row_and_the_others_stand_beside() {
        let rows = measure(([4, 1, 1], 0.05, 0.05)).unwrap();
        let figures = Figures { dt: DT, box_kg: BOX_MASS, degrees: DEGREES, rows, peers: Vec::new() };
        let json = serde_json::to_value(&figures).unwrap();
        for (row, (name, _)) in json["rows"].as_array().unwrap().iter().zip(METHODS) {
            assert_eq!(row["method"], name);
            for field in ["tets", "nodes", "contacts", "constraints", "median_ms", "p99_ms", "creep_mm", "measured_s"] {
                assert!(row[field].is_number(), "{field}: {row}");
            }
            assert!(row["contacts"].as_u64() > Some(0), "{row}");
        }
    }
}
