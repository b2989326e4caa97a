//! `thenar bench pad`: an index pad pressed on a plate, beside what was measured on people.

use super::Output;
use super::chart::{Axis, Chart, Series};
use super::pad_time::Timed;
use super::perez::start;
use super::table::Table;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use thenar::hand::{BoneId, Digit, HandModel, HandOptions, TissueOptions};
use thenar::math::Vec3;
use thenar::world::EnergyLimit;
use thenar_scene::run::extremes;
use thenar_scene::scene::Scene;

/// The bones go where they are tracked, so that the way of the pad is known. The hand is open, as in
/// scene `finger`: in a fist the folded fingers would decide over the least stretch. What stands for `STEP`, `END` and `KEYS` is put in.
const SCENE: &str = r#"
name = "pad"
story = "An index pad is pressed on a plate."
seconds = END
[world]
step = STEP
tracking = "direct"
friction = 0.6
set = { contact = "point" }
[[object]]
name = "plate"
shape = { box = [0.04, 0.02, 0.04] }
position = [0, 0.06, 0]
fixed = true
[[hand]]
side = "right"
[[hand.key]]
at = 0.0
palm = { position = [0.0305, HEIGHT, 0.098], fingers = "forward", facing = "down" }
grasp = "flat"
fingers = { index = { flex = [8, -10, -6], spread = 0 } }
KEYS
[[check]]
name = "pressed"
measure = "grip-force"
at = END
min = 0
"#;

/// Slow enough that only elasticity answers, when the palm is at which height, seconds and metres.
const SLOWLY: [(f64, f64); 2] = [(0.2, 0.107), (3.2, 0.095)];

/// Pressed no harder than this, N.
const HARDEST: f64 = 10.0;

/// Flesh that was tried, kPa: TouchSim's, CLAP's, and one between them.
const FLESH: [f64; 3] = [50.0, 70.0, 100.0];

/// Squares of the strains along one axis from which on its energy limit acts, `2 W_max/E`: that of CLAP's threshold in flesh of 100 kPa and of 50 kPa, and that of a
/// half, which skin is strained by at 5 N (Delhaye 2016).
const ONSETS: [f64; 3] = [0.05, 0.1, 0.25];

/// One moment.
#[derive(Clone, Copy, Serialize)]
pub struct Sample {
    /// Seconds since the scene began.
    pub time: f64,
    /// Height of the palm as keys of motion say it, metres.
    height: f64,
    pub way_mm: f64,
    pub force: f64,
    area_mm2: f64,
    least_stretch: f64,
    greatest_stretch: f64,
    least_det: f64,
    /// Pressure in the inner half of the patch's radius over that of the outer: 7/3 for a paraboloid, 1 if it is the same everywhere.
    centre_over_rim: f64,
    pub step_ms: f64,
}

/// One tissue with one limit.
#[derive(Serialize)]
struct Curve {
    tissue: &'static str,
    strain: &'static str,
    tets: usize,
    /// mm at 1 N; people: 1 to 3.
    way_at_1n_mm: Option<f64>,
    /// Stiffness at 1.5 N over that at 0.2 N; people: at least 2.
    stiffening: Option<f64>,
    area_at_1n_mm2: Option<f64>,
    area_at_5n_mm2: Option<f64>,
    /// Exponent of area over force from 0.5 N on; people: 0.15 to 2/3.
    exponent: Option<f64>,
    centre_over_rim: Option<f64>,
    least_stretch: f64,
    greatest_stretch: f64,
    least_det: f64,
    step_ms: f64,
    samples: Vec<Sample>,
}

/// The refined pad with other flesh.
#[derive(Serialize)]
struct Tried {
    young_kpa: f64,
    /// Strain along one axis from which on the energy limit acts.
    onset: f64,
    /// J/m³ there.
    density: f64,
    curve: Curve,
}

/// The refined pad on a rib of 3 mm.
#[derive(Serialize)]
struct Indentation {
    strain: &'static str,
    force: f64,
    least_det: f64,
    least_stretch: f64,
    /// Height of the skin above the rib by the way along the finger from its middle, mm.
    profile: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct Figures {
    curves: Vec<Curve>,
    flesh: Vec<Tried>,
    rib: Vec<Indentation>,
    time: Vec<Timed>,
}

pub fn run(output: &Output) -> Result<(), Error> {
    output.check()?;
    let progress = Progress::start("measuring");
    let (mut curves, mut flesh, mut rib, mut time) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (tissue, refine) in [("index pad", Some(Digit::Index)), ("whole hand", None)] {
        let hand = hand(refine)?;
        for strain in ["none", "energy", "hard"] {
            curves.push(Curve::new(tissue, strain, hand.report().tets, press(&hand, &[("strain", strain.into())])?));
            if refine.is_some() {
                rib.push(indent(&hand, strain)?);
            }
        }
        if refine.is_some() {
            for (young_kpa, square) in FLESH.into_iter().flat_map(|young| ONSETS.map(|square| (young, square))) {
                flesh.push(Tried::new(&hand, young_kpa, square)?);
            }
            let touching = touching(&hand)?;
            for relaxation in ["off", "on"] {
                time.push(Timed::new(&hand, relaxation, touching)?);
            }
        }
    }
    let figures = Figures { curves, flesh, rib, time };
    output.draw("pad.svg", || Ok(figures.chart().svg()))?;
    drop(progress);
    if output.json { output::print_json(&figures) } else { output::print_text(&figures.to_string()) }
}

/// The usual hand, its tissue finer at one pad.
pub fn hand(refine: Option<Digit>) -> Result<Arc<HandModel>, Error> {
    let tissue = TissueOptions { refine, ..TissueOptions::default() };
    HandModel::build(&HandOptions { tissue, ..HandOptions::default() }).map(Arc::new).map_err(Error::input)
}

/// Pressed slowly, to the hardest.
fn press(hand: &Arc<HandModel>, set: &[(&str, toml::Value)]) -> Result<Vec<Sample>, Error> {
    press_by(hand, set, 5e-3, &SLOWLY)
}

/// The pad while it touches: the palm comes to heights at times, in steps of `step` seconds.
pub fn press_by(
    hand: &Arc<HandModel>,
    set: &[(&str, toml::Value)],
    step: f64,
    heights: &[(f64, f64)],
) -> Result<Vec<Sample>, Error> {
    let key = |(at, height): &(f64, f64)| {
        format!("[[hand.key]]\nat = {at:?}\npalm = {{ position = [0.0305, {height:?}, 0.098] }}\n")
    };
    let number = |value: Option<&f64>| format!("{:?}", value.copied().unwrap_or_default());
    let text = SCENE
        .replace("END", &number(heights.last().map(|(at, _)| at)))
        .replace("STEP", &number(Some(&step)))
        .replace("HEIGHT", &number(heights.first().map(|(_, height)| height)))
        .replace("KEYS", &heights.iter().map(key).collect::<String>());
    let mut scene = Scene::read(&text).map_err(Error::input)?;
    scene.world.set.extend(set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    let mut simulation = start(&scene, hand)?;
    let mut samples: Vec<Sample> = Vec::new();
    let (mut touched, mut first) = (None, None);
    while let Some(report) = simulation.advance().map_err(Error::input)?.copied() {
        let world = simulation.world();
        let Some(driven) = simulation.hands().first() else { break };
        let out = world.hand(driven.id);
        let contacts = || out.contacts.iter().filter(|c| c.object().is_some() && c.pressure > 0.0);
        let normal = |c: &thenar::world::ContactForce| c.force.dot(c.normal);
        let force: f64 = contacts().map(normal).sum();
        let height = out.bones[0].position.y;
        // keys mean the middle of the palm
        let beside = *first.get_or_insert(out.tracked[0].position.y) - heights[0].1;
        if force <= 0.0 {
            continue;
        }
        let way = *touched.get_or_insert(height) - height;
        let area = |c: &thenar::world::ContactForce| normal(c) / c.pressure;
        let centre = contacts().map(|c| c.point * normal(c)).sum::<Vec3>() / force;
        let total: f64 = contacts().map(area).sum();
        // half of the radius of a disc of that area
        let inner = 0.5 * (total / std::f64::consts::PI).sqrt();
        let mean = |within: bool| {
            let part = || contacts().filter(|c| (c.point.distance(centre) < inner) == within);
            part().map(normal).sum::<f64>() / part().map(area).sum::<f64>()
        };
        let [least_stretch, greatest_stretch] = extremes(world);
        samples.push(Sample {
            time: report.time,
            height: out.tracked[0].position.y - beside,
            way_mm: 1e3 * way,
            force,
            area_mm2: 1e6 * total,
            least_stretch,
            greatest_stretch,
            least_det: report.min_det,
            centre_over_rim: mean(true) / mean(false),
            step_ms: report.stage_ns.iter().sum::<u64>() as f64 * 1e-6,
        });
        if force > HARDEST {
            break;
        }
    }
    Ok(samples)
}

/// Height of the palm at which the pad begins to touch, metres.
pub fn touching(hand: &Arc<HandModel>) -> Result<f64, Error> {
    let [high, (_, low)] = SLOWLY;
    let samples = press_by(hand, &[], 5e-3, &[high, (high.0 + 0.5, low)])?;
    samples.first().map(|s| s.height).ok_or_else(|| Error::input("the pad never touches the plate"))
}

/// Skin is looked at as far from the middle of the rib, in steps, mm; and as far to both sides of the finger's middle.
const PROFILE: [f64; 9] = [-6.0, -4.5, -3.0, -1.5, 0.0, 1.5, 3.0, 4.5, 6.0];
const ASIDE: f64 = 5e-3;

/// Top of the rib, metres.
const TOP: f64 = 0.07;

fn indent(hand: &Arc<HandModel>, strain: &'static str) -> Result<Indentation, Error> {
    let mut scene = thenar_scene::library::scene("rib").map_err(Error::input)?;
    scene.world.set.insert("strain".to_owned(), strain.into());
    scene.seconds = 2.2;
    scene.checks.clear();
    let mut simulation = start(&scene, hand)?;
    let mut least_det = f64::INFINITY;
    while let Some(report) = simulation.advance().map_err(Error::input)? {
        if report.time > 0.1 {
            least_det = least_det.min(report.min_det);
        }
    }
    let world = simulation.world();
    let driven = simulation.hands().first().ok_or_else(|| Error::input("the scene has no hand"))?;
    let out = world.hand(driven.id);
    // the underside of the fingertip
    let tip = BoneId::of(Digit::Index, 2);
    let under = |v: &usize| driven.model.skin.patches[*v].bone() == tip && out.skin_normals[*v][1] < -0.3;
    let skin = || out.skin_positions.iter().enumerate().filter(|(v, _)| under(v)).map(|(_, p)| p.map(f64::from));
    let lowest = |at: f64| {
        let near = skin().filter(|p| p[0].abs() < ASIDE && (p[2] - 1e-3 * at).abs() < 0.5e-3);
        near.map(|p| p[1]).fold(f64::INFINITY, f64::min)
    };
    Ok(Indentation {
        strain,
        force: out.contacts.iter().filter(|c| c.object().is_some()).map(|c| c.force.dot(c.normal)).sum(),
        least_det,
        least_stretch: extremes(world)[0],
        profile: PROFILE.map(|at| (at, 1e3 * (lowest(at) - TOP))).to_vec(),
    })
}

/// A value where the force first reaches `force`, between the samples around it.
fn at(samples: &[Sample], force: f64, of: impl Fn(&Sample) -> f64) -> Option<f64> {
    let k = samples.iter().position(|s| s.force >= force)?;
    let (b, a) = (&samples[k], samples.get(k.checked_sub(1)?)?);
    let share = (force - a.force) / (b.force - a.force);
    Some(of(a) + share * (of(b) - of(a)))
}

/// N/mm around a force.
fn stiffness(samples: &[Sample], force: f64) -> Option<f64> {
    let (low, high) = (0.8 * force, 1.25 * force);
    let ways = (at(samples, low, |s| s.way_mm)?, at(samples, high, |s| s.way_mm)?);
    Some((high - low) / (ways.1 - ways.0))
}

impl Curve {
    fn new(tissue: &'static str, strain: &'static str, tets: usize, samples: Vec<Sample>) -> Curve {
        let area = |force| at(&samples, force, |s| s.area_mm2);
        let most = samples.last().map_or(0.0, |s| 0.98 * s.force);
        let exponent = area(0.5).zip(area(most)).map(|(a, b)| (b / a).ln() / (most / 0.5).ln());
        let extreme = |of: &dyn Fn(&Sample) -> f64| samples.iter().map(of).fold(f64::INFINITY, f64::min);
        Curve {
            tissue,
            strain,
            tets,
            way_at_1n_mm: at(&samples, 1.0, |s| s.way_mm),
            stiffening: stiffness(&samples, 1.5).zip(stiffness(&samples, 0.2)).map(|(a, b)| a / b),
            area_at_1n_mm2: area(1.0),
            area_at_5n_mm2: area(5.0),
            exponent,
            centre_over_rim: at(&samples, 1.0, |s| s.centre_over_rim),
            least_stretch: extreme(&|s| s.least_stretch),
            greatest_stretch: -extreme(&|s| -s.greatest_stretch),
            least_det: extreme(&|s| s.least_det),
            step_ms: super::perez::median(samples.iter().map(|s| s.step_ms).collect()),
            samples,
        }
    }
}

impl Tried {
    fn new(hand: &Arc<HandModel>, young_kpa: f64, square: f64) -> Result<Tried, Error> {
        let usual = EnergyLimit::USUAL;
        let density = 0.5 * square * 1e3 * young_kpa;
        let set = [
            ("flesh-young", (1e3 * young_kpa).into()),
            ("limit-density", density.into()),
            // as steep from there on
            ("limit-stiffness", (density * usual.stiffness / usual.density).into()),
        ];
        let curve = Curve::new("index pad", "energy", hand.report().tets, press(hand, &set)?);
        Ok(Tried { young_kpa, onset: square.sqrt(), density, curve })
    }
}

impl Figures {
    fn chart(&self) -> Chart {
        let colours = ["#7a7a7a", "#3c8d40", "#2d6fc2", "#b8b8b8", "#9ccf9f", "#9bbfe8"];
        let series = self.curves.iter().zip(colours).map(|(curve, colour)| Series {
            name: format!("{}, {}", curve.tissue, curve.strain),
            colour,
            points: curve.samples.iter().map(|s| (s.way_mm, s.force)).collect(),
            marks: false,
        });
        Chart {
            title: "Force of an index pad on a plate".to_owned(),
            caption: "People: 1 N at 1 to 3 mm, and stiffer from there on (REFERENCE: Serina 1997, Pawluk & Howe 1999)"
                .to_owned(),
            x: Axis { label: "way of the bone, mm".to_owned(), logarithmic: false },
            y: Axis { label: "N".to_owned(), logarithmic: false },
            series: series.collect(),
            bands: Vec::new(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "An index pad is pressed on a plate to {HARDEST} N, 4 mm/s, bones where they are tracked.\n")?;
        let number = |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |v| format!("{v:.digits$}"));
        let mut table = Table::new(&[
            "tissue",
            "limit",
            "tets",
            "mm at 1 N",
            "stiffening",
            "mm² at 1 N",
            "at 5 N",
            "exponent",
            "centre/rim",
            "stretch",
            "det F",
            "ms",
        ]);
        let bands = ["people", "", "", "1–3", "≥ 2", "50–100", "100–200", "0.15–0.67", "about 2.3", "", "", ""];
        table.row(bands.map(str::to_owned).to_vec());
        for c in &self.curves {
            table.row(vec![
                c.tissue.to_owned(),
                c.strain.to_owned(),
                c.tets.to_string(),
                number(c.way_at_1n_mm, 2),
                number(c.stiffening, 2),
                number(c.area_at_1n_mm2, 0),
                number(c.area_at_5n_mm2, 0),
                number(c.exponent, 2),
                number(c.centre_over_rim, 1),
                format!("{:.2}–{:.2}", c.least_stretch, c.greatest_stretch),
                format!("{:.2}", c.least_det),
                format!("{:.2}", c.step_ms),
            ]);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "The fine pad by its flesh: Young's modulus, and the strain along one axis from which on the energy limit acts.\n"
        )?;
        let mut table = Table::new(&[
            "kPa",
            "strain",
            "J/m³",
            "mm at 1 N",
            "stiffening",
            "mm² at 1 N",
            "at 5 N",
            "exponent",
            "centre/rim",
            "least stretch at 5 N",
            "det F",
        ]);
        for Tried { young_kpa, onset, density, curve: c } in &self.flesh {
            table.row(vec![
                format!("{young_kpa:.0}"),
                format!("{onset:.2}"),
                format!("{density:.0}"),
                number(c.way_at_1n_mm, 2),
                number(c.stiffening, 2),
                number(c.area_at_1n_mm2, 0),
                number(c.area_at_5n_mm2, 0),
                number(c.exponent, 2),
                number(c.centre_over_rim, 1),
                number(at(&c.samples, 5.0, |s| s.least_stretch), 2),
                format!("{:.2}", c.least_det),
            ]);
        }
        writeln!(f, "{table}")?;
        Timed::table(f, &self.time)?;
        writeln!(f, "The same pad on a rib of 3 mm: mm of the skin above the rib's top, along the finger.\n")?;
        let mut headings = vec!["limit".to_owned(), "N".to_owned(), "det F".to_owned(), "stretch".to_owned()];
        headings.extend(PROFILE.map(|at| format!("{at:+.1}")));
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let mut table = Table::new(&headings);
        for rib in &self.rib {
            let mut cells = vec![
                rib.strain.to_owned(),
                format!("{:.1}", rib.force),
                format!("{:.2}", rib.least_det),
                format!("{:.2}", rib.least_stretch),
            ];
            let height = |height: &f64| if height.is_finite() { format!("{height:.2}") } else { "–".to_owned() };
            cells.extend(rib.profile.iter().map(|(_, above)| height(above)));
            table.row(cells);
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bands of people's pads, pressed by a plate. The exponent is bounded by Xydas & Kao 1999. Way and stiffening are envelopes at second hand, the
    /// areas from memory and known to 40 %: at 5 N this flesh is inside only with these. The pressure is about a paraboloid (Pawluk & Howe 1999: 2.33 here);
    /// that of linear flesh under a ball is an ellipsoid (Hertz: 1.62), which is the least that is asked of skin that stiffens, 3 as far beyond the paraboloid.
    #[test]
    fn the_usual_flesh_is_within_the_bands_of_people() {
        let hand = hand(Some(Digit::Index)).unwrap();
        let c = Curve::new("index pad", "energy", hand.report().tets, press(&hand, &[]).unwrap());
        let bands = [
            ("mm at 1 N, envelope", c.way_at_1n_mm, 1.0..=3.0),
            ("stiffening, envelope", c.stiffening, 2.0..=f64::INFINITY),
            ("mm² at 1 N, envelope", c.area_at_1n_mm2, 0.6 * 50.0..=1.4 * 100.0),
            ("mm² at 5 N, envelope", c.area_at_5n_mm2, 0.6 * 100.0..=1.4 * 200.0),
            ("exponent of the area", c.exponent, 0.15..=2.0 / 3.0),
            ("pressure at the centre over that at the rim", c.centre_over_rim, 1.62..=3.0),
            ("determinant of the worst element", Some(c.least_det), f64::MIN_POSITIVE..=1.0),
        ];
        for (what, value, band) in bands {
            assert!(value.is_some_and(|value| band.contains(&value)), "{what}: {value:?} is outside {band:?}");
        }
    }
}
