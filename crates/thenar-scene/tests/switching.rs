//! Every choice can be changed for every other while a ball is held: it is neither dropped nor shot away.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use thenar::hand::{Anatomy, HandModel, HandOptions, Preset as HandPreset, Side, SkinDetail, TissueOptions};
use thenar::math::Vec3;
use thenar::world::Preset;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{CHOICES, Continuation, Simulation, tissue_options, world_config};
use thenar_scene::scene::{Scene, Tracking};

/// Fastest that the ball may move against the palm, m/s.
const FASTEST: f64 = 0.5;
/// Elements of the hands here: few, so that many pairs can be tried.
const TETS: usize = 600;

/// A key and one of its words, as the studio offers them.
type Chosen = (&'static str, &'static str);

fn choices() -> Vec<Chosen> {
    let mut choices: Vec<Chosen> = Preset::ALL.iter().map(|(name, _)| ("preset", *name)).collect();
    choices.extend([("tracking", "elastic"), ("tracking", "direct")]);
    for choice in CHOICES.iter().filter(|choice| choice.name != "kernels") {
        choices.extend(choice.words().map(|word| (choice.name, word)));
    }
    choices.extend(HandPreset::ALL.iter().map(|preset| ("hand", preset.name())));
    choices
}

/// A scene with the measures of its hand.
#[derive(Clone)]
struct Choice {
    scene: Scene,
    measures: &'static str,
}

impl Choice {
    /// The ball, lifted and held.
    fn new() -> Choice {
        let mut scene = library::scene("ball").unwrap();
        scene.hands[0].keys.truncate(4);
        scene.seconds = 60.0;
        scene.world.step = 0.004;
        Choice { scene, measures: "adult" }
    }

    /// With a choice; `None` where it does not go with the others.
    fn with(&self, (key, word): Chosen) -> Option<Choice> {
        let mut changed = self.clone();
        let world = &mut changed.scene.world;
        match (key, word) {
            ("preset", _) => {
                world.preset = word.to_owned();
                world.set.clear();
            }
            ("tracking", "direct") => world.tracking = Tracking::Direct,
            ("tracking", _) => world.tracking = Tracking::Elastic,
            ("hand", _) => changed.measures = word,
            _ => {
                world.set.insert(key.to_owned(), word.into());
            }
        }
        world_config(&changed.scene.world).is_ok().then_some(changed)
    }

    fn simulation(&self) -> Simulation {
        let model = model(self.measures, tissue_options(&self.scene.world, Some(TETS)).unwrap());
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
        Simulation::new(&self.scene, &|_| Arc::clone(&model), &mut assets).unwrap()
    }
}

fn model(measures: &str, tissue: TissueOptions) -> Arc<HandModel> {
    static BUILT: OnceLock<Mutex<BTreeMap<String, Arc<HandModel>>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap();
    let build = || {
        let anatomy = Anatomy::preset(measures.parse::<HandPreset>().unwrap(), Side::Right);
        Arc::new(HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Default, tissue }).unwrap())
    };
    Arc::clone(built.entry(format!("{measures} {tissue:?}")).or_insert_with(build))
}

fn advance(simulation: &mut Simulation, seconds: f64) -> f64 {
    let (ball, hand) = (simulation.objects()[1], simulation.hands()[0].id);
    let end = simulation.time() + seconds;
    let mut fastest = 0.0f64;
    let palm = |simulation: &Simulation| simulation.world().hand(hand).tracked[0].position;
    // outputs of a world that was just restored are those of its next step
    let mut before = None;
    while simulation.time() < end {
        simulation.advance().unwrap().expect("the scene is long enough");
        let now = palm(simulation);
        let moved = before.map_or(Vec3::ZERO, |before| now - before);
        before = Some(now);
        let relative = simulation.world().object(ball).velocity - moved / simulation.step();
        fastest = fastest.max(relative.length());
    }
    fastest
}

fn height(simulation: &Simulation) -> f64 {
    simulation.world().object(simulation.objects()[1]).pose.position.y
}

/// Holds the ball under the first choice, then makes the others in turn.
fn walk(first: Chosen, others: impl Iterator<Item = Chosen>) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(chosen) = Choice::new().with(first) else { return wrong };
    let mut start = chosen.simulation();
    advance(&mut start, 3.3);
    if height(&start) < 0.1 {
        return vec![format!("{first:?}: the ball is not lifted")];
    }
    let held = height(&start);
    for second in others {
        let Some(changed) = chosen.with(second) else { continue };
        let before = start.twin().expect("a script drives the hand");
        let mut simulation = changed.simulation();
        let continuation = simulation.continue_from(before, true);
        assert_ne!(continuation, Continuation::Anew, "{first:?} to {second:?}");
        let fastest = advance(&mut simulation, 2.4);
        let fell = held - height(&simulation);
        println!("{first:?} to {second:?}: {continuation:?}, at most {fastest:.3} m/s, {:.1} mm lower", fell * 1e3);
        if fastest > FASTEST || fell > 0.03 || simulation.time() < 4.8 {
            wrong.push(format!("{first:?} to {second:?}: {fastest:.2} m/s, {:.0} mm lower", fell * 1e3));
        }
    }
    wrong
}

/// Each word of each choice for each other one of it.
#[test]
fn every_word_changes_into_every_other_while_a_ball_is_held() {
    let all = choices();
    let mut wrong = Vec::new();
    for first in &all {
        wrong.extend(walk(*first, all.iter().copied().filter(|other| other.0 == first.0 && other != first)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// And for each word of all other choices.
#[test]
#[ignore = "minutes; part of `cargo xtask test --full`"]
fn every_pair_of_choices_is_safe_while_a_ball_is_held() {
    let all = choices();
    let mut wrong = Vec::new();
    for first in &all {
        wrong.extend(walk(*first, all.iter().copied().filter(|other| other.0 != first.0)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
