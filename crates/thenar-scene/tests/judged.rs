//! Every scene under every contact method: its checks hold, and hands at rest grip alike.

mod all_cores;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use all_cores::on_all_cores;
use thenar::contact::ContactMethod;
use thenar::hand::{HandModel, HandOptions, Side};
use thenar::math::Vec3;
use thenar::world::{HandOutputs, Preset};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation, run};
use thenar_scene::scene::Scene;

fn model(side: Side) -> Arc<HandModel> {
    static RIGHT: OnceLock<Arc<HandModel>> = OnceLock::new();
    let right = RIGHT.get_or_init(|| Arc::new(HandModel::build(&HandOptions::default()).unwrap()));
    match side {
        Side::Right => Arc::clone(right),
        Side::Left => Arc::new(right.mirrored()),
    }
}

/// A hand's targets have not moved for this long, seconds, and nothing was pushed: it rests.
const REST: f64 = 0.4;

/// Normal forces on the five digits and the palm of every hand, N, while all hands rest.
#[derive(Default)]
struct Resting {
    /// When the scene pushes something, from and to, seconds.
    pushes: Vec<[f64; 2]>,
    since: f64,
    targets: Vec<Vec3>,
    /// Time and forces.
    grips: Vec<(f64, Vec<[f64; 6]>)>,
}

impl Resting {
    fn watch(&mut self, simulation: &Simulation) {
        let hands = simulation.hands();
        let outs = || hands.iter().map(|hand| simulation.world().hand(hand.id));
        let targets: Vec<_> = outs().flat_map(|out| out.tracked.iter().map(|pose| pose.position)).collect();
        let moved = targets.iter().zip(&self.targets).any(|(a, b)| a.distance(*b) > 1e-9);
        let now = simulation.time();
        let pushed = self.pushes.iter().any(|[from, to]| (*from..=*to).contains(&now));
        if moved || pushed || self.targets.len() != targets.len() {
            self.since = now;
        }
        self.targets = targets;
        if now - self.since > REST {
            let grip = |out: &HandOutputs| {
                let mut all = [out.palm_force; 6];
                all[..5].copy_from_slice(&out.grip);
                all
            };
            self.grips.push((now, outs().map(grip).collect()));
        }
    }

    /// Means over the last rest, up to half a second before its end.
    fn mean(&self) -> Option<Vec<[f64; 6]>> {
        let end = self.grips.last()?.0;
        let last: Vec<_> = self.grips.iter().filter(|(t, _)| *t > end - 0.5).collect();
        let mut mean = vec![[0.0; 6]; last[0].1.len()];
        for (_, grips) in &last {
            for (sum, grip) in mean.iter_mut().flatten().zip(grips.iter().flatten()) {
                *sum += grip / last.len() as f64;
            }
        }
        Some(mean)
    }
}

fn with_method(scene: &Scene, method: &str) -> Scene {
    let mut scene = scene.clone();
    scene.world.set.insert("contact".to_owned(), method.into());
    scene
}

/// Scenes, and which of their cases, in which a rest depends on what happened before it, or on how stiff a contact is, and why.
const DIFFERENT: [(&str, &[&str], &str); 3] = [
    (
        "dumbbell",
        &[],
        "the thumb is wedged between bar and weight: its forces hold each other, and hard points yield nowhere",
    ),
    ("smash", &[], "the blow shifts the can in the hand: the palm's one or two newtons are what friction left of it"),
    (
        "ycb-set",
        &["banana", "cup", "bowl"],
        "springs ten times as stiff agree with points on banana and cup; the bowl's rim is shared by thumb and palm, 19 N together, in two ways that both hold",
    ),
];

/// Normal forces agree within a tenth in total, and within a fifth or 0.2 N on each digit.
fn alike(a: &[f64; 6], b: &[f64; 6]) -> bool {
    let close = |a: f64, b: f64, share: f64, least: f64| (a - b).abs() <= (share * a.max(b)).max(least);
    let total = |grip: &[f64; 6]| grip.iter().sum::<f64>();
    close(total(a), total(b), 0.1, 0.2) && a.iter().zip(b).all(|(a, b)| close(*a, *b, 0.2, 0.2))
}

/// What came of a scene under one method.
struct Judged {
    method: &'static str,
    faults: Vec<String>,
    grip: Option<Vec<[f64; 6]>>,
}

fn run_with(scene: &Scene, name: &str, method: &'static str) -> Judged {
    let pushes = scene.pushes.iter().map(|push| [push.from, push.to]).collect();
    let (mut rest, mut worst) = (Resting { pushes, ..Resting::default() }, Worst::default());
    let scene = with_method(scene, method);
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    let outcome = run(&scene, &model, &mut assets, Host::default(), &mut |simulation| {
        rest.watch(simulation);
        worst.watch(simulation);
    });
    let outcome = outcome.unwrap();
    let failed = outcome.checks.iter().filter(|check| !check.ok).map(|check| format!("{check:?}"));
    let faults = failed.chain(worst.faults(name, method)).collect();
    Judged { method, faults, grip: rest.mean() }
}

/// The worst of all steps.
#[derive(Default)]
struct Worst {
    depth: f64,
    mean_depth: f64,
    pull: f64,
    rolled_back: u32,
    overflow: u32,
    /// Determinant of the worst element, turned round: more than nothing is inside out.
    inside_out: f64,
}

impl Worst {
    fn watch(&mut self, simulation: &Simulation) {
        let report = simulation.world().report();
        self.depth = self.depth.max(report.depth);
        self.mean_depth = self.mean_depth.max(report.mean_depth);
        self.pull = self.pull.max(report.pull);
        self.rolled_back += u32::from(report.flags.rolled_back);
        self.overflow += u32::from(report.flags.contact_overflow);
        if report.min_det.is_finite() {
            self.inside_out = self.inside_out.max(-report.min_det);
        }
    }

    /// Hard points leave what sank in within a step, 0.03 mm, on rigid objects, and up to a millimetre for one step where
    /// soft things fall on each other. In a patch the springs spread the pressure: its mean depth vanishes, single
    /// contacts are as deep as their share of the pressure needs (0.25 mm at 200 kPa), and contacts that join within
    /// a step press by their springs alone for that step. Soft surfaces meet each other by springs, 0.7 mm deep in a fist.
    fn faults(&self, name: &str, method: &str) -> impl Iterator<Item = String> + use<> {
        let (most, most_on_average) = match method {
            "point" => (1.2e-3, 1e-4),
            "aggregate" if name == "smash" => (5e-3, 1e-3),
            "aggregate" => (2.5e-3, 8e-4),
            _ => (f64::INFINITY, f64::INFINITY),
        };
        let bounds = [
            ("deepest point, metres", self.depth, most),
            ("depth on average, metres", self.mean_depth, most_on_average),
            ("pulls, N", self.pull, 1e-6),
            ("steps rolled back", f64::from(self.rolled_back), 0.0),
            ("steps with more contacts than room", f64::from(self.overflow), 0.0),
            ("inside out, determinant turned round", self.inside_out, 0.0),
        ];
        let over = bounds.into_iter().filter(|(_, value, most)| value > most);
        over.map(|(what, value, most)| format!("{what}: {value}, at most {most}")).collect::<Vec<_>>().into_iter()
    }
}

/// One scene, or one case of it.
struct Case {
    name: &'static str,
    title: String,
    scene: Scene,
    /// It is among those in which hands may grip differently.
    different: bool,
}

fn judge(cases: usize) {
    let of_scene = |(name, _): (&'static str, _)| {
        let runs = library::scene(name).unwrap().runs().unwrap().into_iter().take(cases);
        runs.map(move |(case, scene)| {
            let title = case.as_ref().map_or(name.to_owned(), |case| format!("{name}, {case}"));
            let of_case = |cases: &[&str]| cases.is_empty() || case.as_deref().is_some_and(|c| cases.contains(&c));
            let different = DIFFERENT.iter().any(|(excepted, cases, _)| *excepted == name && of_case(cases));
            Case { name, title, scene, different }
        })
    };
    let cases: Vec<Case> = library::scenes().flat_map(of_scene).collect();
    let methods = ContactMethod::ALL.map(|(method, _)| method);
    let jobs: Vec<(&Case, &'static str)> = cases.iter().flat_map(|case| methods.map(|method| (case, method))).collect();
    let all = on_all_cores(&jobs, |(case, method)| run_with(&case.scene, case.name, method));
    let mut wrong = Vec::new();
    for (Case { title, different, .. }, judged) in cases.iter().zip(all.chunks(methods.len())) {
        for one in judged {
            wrong.extend(one.faults.iter().map(|fault| format!("{title} by {}: {fault}", one.method)));
        }
        let [first, others @ ..] = judged else { continue };
        for other in others {
            let (Some(a), Some(b)) = (&first.grip, &other.grip) else { continue };
            for (hand, (a, b)) in a.iter().zip(b).enumerate() {
                let found =
                    format!("{title}, hand {hand}: {a:.2?} N by {}, {b:.2?} N by {}", first.method, other.method);
                println!("{found}");
                if !alike(a, b) && !different {
                    wrong.push(found);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_scene_is_judged_under_every_method() {
    judge(1);
}

#[test]
#[ignore = "minutes; part of `cargo xtask test --full`"]
fn every_case_is_judged_under_every_method() {
    judge(usize::MAX);
}

/// Scenes of the papers under the presets that are named after them; the first few are run in every check.
const PAPERS: [(Preset, usize, &[&str]); 3] = [
    (Preset::Clap, 2, &["press", "push-ground", "ball", "smash", "stack"]),
    (Preset::Perez, 2, &["bend", "finger", "press", "rotate", "lift-weak", "lift-strong"]),
    (Preset::Talvas, 3, &["edge", "lever", "pencil", "rigid-ball-tips", "rigid-ball-close", "dumbbell", "soft-ball"]),
];

fn judge_papers(full: bool) {
    let mut wrong = Vec::new();
    for (preset, few, names) in PAPERS {
        let right =
            Arc::new(HandModel::build(&HandOptions { tissue: preset.tissue(), ..HandOptions::default() }).unwrap());
        let models = |side: Side| match side {
            Side::Right => Arc::clone(&right),
            Side::Left => Arc::new(right.mirrored()),
        };
        let word = Preset::ALL.iter().find(|(_, one)| *one == preset).unwrap().0;
        for name in &names[..if full { names.len() } else { few }] {
            let mut scene = library::scene(name).unwrap();
            scene.world.preset = word.to_owned();
            let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
            let outcome = run(&scene, &models, &mut assets, Host::default(), &mut |_| {}).unwrap();
            wrong.extend(
                outcome.checks.iter().filter(|check| !check.ok).map(|check| format!("{name}, {word}: {check:?}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn scenes_of_the_papers_pass_with_their_presets() {
    judge_papers(false);
}

#[test]
#[ignore = "minutes; part of `cargo xtask test --full`"]
fn all_scenes_of_the_papers_pass_with_their_presets() {
    judge_papers(true);
}
