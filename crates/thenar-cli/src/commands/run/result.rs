//! The figures of a run.

use super::hands::Hands;
use super::tactile::Figures;
use super::unjudged::NotJudged;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use thenar::hand::Side;
use thenar_scene::run::{Outcome, Simulation};
use thenar_scene::scene::Scene;

/// What `thenar run` prints.
#[derive(Serialize)]
pub struct RunResult {
    scene: String,
    preset: String,
    steps: usize,
    dt: f64,
    tets: usize,
    nodes: usize,
    bones: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    soft: Vec<Soft>,
    ms: Times,
    contacts: Contacts,
    depth_mm: Depth,
    recoveries: u64,
    /// Steps whose constraints contradicted each other, and which springs solved.
    yielded: u64,
    /// Steps that began with an element turned inside out.
    inside_out: u64,
    /// The least determinant of the deformation of an element.
    least_det: f64,
    /// Touch on the fingertips, where it is rendered.
    #[serde(rename = "tactile", skip_serializing_if = "Option::is_none")]
    pub touch: Option<Figures>,
    /// A haptic device, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub haptics: Option<super::haptics::Figures>,
    outcome: Verdict,
    hash: String,
    #[serde(skip)]
    counts: Vec<u32>,
    /// Times of the steps in which something soft touched something, ms.
    #[serde(skip)]
    touching: Vec<f64>,
}

/// A soft object.
#[derive(Serialize)]
struct Soft {
    name: String,
    tets: usize,
    triangles: usize,
}

#[derive(Serialize, Default)]
struct Times {
    median: f64,
    p99: f64,
    max: f64,
    /// Of the steps in contact.
    contact_median: f64,
    contact_p99: f64,
    stages: BTreeMap<&'static str, f64>,
}

#[derive(Serialize, Default)]
struct Contacts {
    median: u32,
    max: u32,
}

/// How far the skin is inside objects, mm.
#[derive(Serialize, Default)]
struct Depth {
    /// Weighted by the normal forces, in the worst step.
    mean: f64,
    max: f64,
}

#[derive(Serialize, Default)]
struct Verdict {
    passed: bool,
    checks: Vec<Check>,
    /// Checks that say nothing about what was run.
    not_judged: Vec<NotJudged>,
}

#[derive(Serialize)]
struct Check {
    name: String,
    value: f64,
    limit: String,
    unit: &'static str,
    ok: bool,
}

impl RunResult {
    pub fn new(scene: &Scene, hands: &Hands, not_judged: &[NotJudged]) -> RunResult {
        let model = hands.of(scene.hands.first().map_or(Side::Right, |h| h.side.into()));
        RunResult {
            scene: scene.name.clone(),
            preset: scene.world.preset.clone(),
            steps: 0,
            dt: scene.world.step,
            tets: model.tissue.soft_mesh().tets.len(),
            nodes: model.tissue.mesh.positions.len(),
            bones: model.skeleton.bones.len(),
            soft: scene.softs.iter().map(|s| Soft { name: s.name.clone(), tets: 0, triangles: 0 }).collect(),
            ms: Times::default(),
            contacts: Contacts::default(),
            depth_mm: Depth::default(),
            recoveries: 0,
            yielded: 0,
            inside_out: 0,
            least_det: f64::INFINITY,
            touch: None,
            haptics: None,
            outcome: Verdict { not_judged: not_judged.to_vec(), ..Verdict::default() },
            hash: String::new(),
            counts: Vec::new(),
            touching: Vec::new(),
        }
    }

    /// True if every check held.
    pub fn passed(&self) -> bool {
        self.outcome.passed
    }

    /// Names of the checks.
    pub fn check_names(&self) -> Vec<&str> {
        self.outcome.checks.iter().map(|c| c.name.as_str()).collect()
    }

    /// What each check allows, with its unit.
    pub fn check_limits(&self) -> Vec<String> {
        self.outcome.checks.iter().map(|c| format!("{} {}", c.limit, c.unit).trim_end().to_owned()).collect()
    }

    /// What each check found, marked where it failed.
    pub fn check_values(&self) -> Vec<String> {
        self.outcome.checks.iter().map(|c| format!("{}{:.4}", if c.ok { "" } else { "! " }, c.value)).collect()
    }

    /// Median time of a step, milliseconds.
    pub fn median_ms(&self) -> f64 {
        self.ms.median
    }

    /// Reads one step.
    pub fn watch(&mut self, simulation: &Simulation) {
        let report = simulation.world().report();
        if self.steps == 0 {
            self.count_softs(simulation);
        }
        self.steps += 1;
        if report.skin_contacts + report.soft_contacts > 0 {
            self.touching.push(report.stage_ns.iter().sum::<u64>() as f64 * 1e-6);
        }
        self.recoveries += u64::from(report.flags.rolled_back);
        self.yielded += u64::from(report.flags.yielded);
        self.inside_out += u64::from(report.min_det <= 0.0);
        self.least_det = self.least_det.min(report.min_det);
        self.counts.push(report.skin_contacts);
        self.depth_mm.mean = self.depth_mm.mean.max(report.mean_depth * 1e3);
        self.depth_mm.max = self.depth_mm.max.max(report.depth * 1e3);
    }

    fn count_softs(&mut self, simulation: &Simulation) {
        let world = simulation.world();
        for (soft, thing) in self.soft.iter_mut().zip(simulation.softs()) {
            soft.tets = world.soft_bodies().get(thing.id.0 as usize).map_or(0, |body| body.tets.len());
            soft.triangles = world.soft_surface(thing.id).map_or(0, |surface| surface.mesh.triangles.len());
        }
    }

    /// Takes the verdict and the times.
    pub fn finish(&mut self, outcome: &Outcome) {
        if let Some(t) = &outcome.timing {
            let stages = t.stages.iter().copied().collect();
            self.touching.sort_unstable_by(f64::total_cmp);
            let share = |of: f64| self.touching.get((self.touching.len() as f64 * of) as usize).copied().unwrap_or(0.0);
            self.ms = Times {
                median: t.median_ms,
                p99: t.p99_ms,
                max: t.worst_ms,
                contact_median: share(0.5),
                contact_p99: share(0.99),
                stages,
            };
        }
        self.counts.sort_unstable();
        self.contacts.median = self.counts.get(self.counts.len() / 2).copied().unwrap_or(0);
        self.contacts.max = self.counts.last().copied().unwrap_or(0);
        self.hash = format!("{:016x}", outcome.hash);
        self.outcome.passed = outcome.passed;
        self.outcome.checks = outcome
            .checks
            .iter()
            .map(|c| Check {
                name: c.name.clone(),
                value: c.value,
                limit: match (c.min, c.max) {
                    (Some(min), Some(max)) => format!("{min} to {max}"),
                    (Some(min), None) => format!(">= {min}"),
                    (None, Some(max)) => format!("<= {max}"),
                    (None, None) => String::new(),
                },
                unit: c.unit,
                ok: c.ok,
            })
            .collect();
    }
}

impl fmt::Display for RunResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.outcome.passed { "passed" } else { "FAILED" };
        let dt = (self.dt * 1e6).round() / 1e3;
        writeln!(f, "{} {verdict}: {} steps of {dt} ms, preset {}", self.scene, self.steps, self.preset)?;
        let judged = self.outcome.checks.iter().map(|c| &c.name);
        let names = judged.chain(self.outcome.not_judged.iter().map(|c| &c.name));
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        for c in &self.outcome.checks {
            let mark = if c.ok { "ok  " } else { "FAIL" };
            writeln!(f, "  {mark} {:width$}  {:>10.4} {}  ({})", c.name, c.value, c.unit, c.limit)?;
        }
        for NotJudged { name, why } in &self.outcome.not_judged {
            writeln!(f, "  --   {name:width$}  not judged: {why}")?;
        }
        writeln!(
            f,
            "hand: {} tetrahedra, {} nodes, {} bones; steps taken back {}, yielded to springs {}",
            self.tets, self.nodes, self.bones, self.recoveries, self.yielded
        )?;
        if self.inside_out > 0 {
            writeln!(
                f,
                "tissue: an element is inside out in {} steps (det F {:.2} at worst): do not believe its forces; --strain energy or hard prevents it",
                self.inside_out, self.least_det
            )?;
        }
        for soft in &self.soft {
            let Soft { name, tets, triangles } = soft;
            writeln!(f, "soft: {name}, {tets} tetrahedra in a surface of {triangles} triangles")?;
        }
        writeln!(
            f,
            "skin: contacts median {}, most {}; inside objects by {:.3} mm on average and {:.3} mm at most in the worst step",
            self.contacts.median, self.contacts.max, self.depth_mm.mean, self.depth_mm.max
        )?;
        if let Some(touch) = &self.touch {
            writeln!(f, "{touch}")?;
        }
        if let Some(haptics) = &self.haptics {
            writeln!(f, "{haptics}")?;
        }
        writeln!(
            f,
            "step: median {:.3} ms, 99 % under {:.3} ms, slowest {:.3} ms",
            self.ms.median, self.ms.p99, self.ms.max
        )?;
        if !self.touching.is_empty() {
            let Times { contact_median, contact_p99, .. } = self.ms;
            writeln!(f, "      in contact: median {contact_median:.3} ms, 99 % under {contact_p99:.3} ms")?;
        }
        let stages: Vec<String> = self.ms.stages.iter().map(|(name, ms)| format!("{name} {ms:.3}")).collect();
        writeln!(f, "      {}", stages.join(", "))?;
        write!(f, "hash: {}", self.hash)
    }
}
