//! Loading scenes, starting them again, and changing their settings while they run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use thenar::hand::{Anatomy, Preset, Side, fit};
use thenar_scene::assets::Assets;
use thenar_scene::motion::{Script, Stance};
use thenar_scene::recording::{About, Recording};
use thenar_scene::run::{Continuation, Host, tissue_options};
use thenar_scene::scene::WorldSpec;
use thenar_scene::trackers::{RecordedHand, read_recording, table_height, table_scene};

use super::Session;
use super::arrange::{Origin, arranged};
use super::fallen::Fallen;
use super::feedback::Choice;
use super::hands::{Measures, OWN, Pair};
use super::health::Health;
use super::live_hand::{HeadsetSource, LiveHand, LiveSource};
use super::problem::Problem;
use super::stage::Stage;
use super::tape::{self, Tape};
use crate::shelf::MOST_UNFETCHED;
use crate::wire::{Mode, ServerMessage};

/// Share of the tracked hands that touch the table under a recording that has no scene of its own.
const TOUCHING: f64 = 0.35;
/// Time step under such a recording, seconds.
const TABLE_STEP: f64 = 0.004;
/// What to do about settings that do not go together.
const CHANGE_BACK: &str = "Change one of the settings back.";

/// Nanoseconds since the first call.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

impl Session {
    /// A scene of the library, with its own motion unless a person drives.
    pub(super) fn load_library(&mut self, name: &str, case: Option<&str>) -> Result<(), Problem> {
        let unknown = |error: &dyn std::fmt::Display| Problem::new(error, "Choose one of the list.");
        let scene = thenar_scene::library::scene(name).map_err(|error| unknown(&error))?;
        let cases: Vec<String> = scene.cases.iter().map(|case| case.name.clone()).collect();
        let wanted = match case {
            Some(case) => cases
                .iter()
                .position(|known| known == case)
                .ok_or_else(|| unknown(&format!("`{name}` has no case `{case}`, but {}", cases.join(", "))))?,
            None => 0,
        };
        let runs = scene.runs().map_err(|error| unknown(&error))?;
        let (case, scene) = runs.into_iter().nth(wanted).unwrap_or((None, scene));
        let mode = if self.mode == Mode::Recording { Mode::Script } else { self.mode };
        self.load(Origin { scene, case, cases, files: BTreeMap::new(), recording: None }, mode)
    }

    /// An uploaded recording: a run of Thenar in its own scene, anything else over a table.
    pub(super) fn load_recording(&mut self, name: &str, bytes: &[u8]) -> Result<(), Problem> {
        let remedy = "Use a recording of the studio or of `thenar run --record`, or a tracker's recording as JSON.";
        let recording = Arc::new(read_recording(bytes, name).map_err(|error| Problem::new(error, remedy))?);
        let (scene, files) = match Recording::read(bytes) {
            Ok(run) => (run.scene, run.files),
            Err(_) => {
                let (pair, _) = self.pair(&WorldSpec::default())?;
                let height = table_height(&recording, &pair.right.model.skeleton, TOUCHING);
                let scene = table_scene(&recording, height, TABLE_STEP);
                (scene.map_err(|error| Problem::new(error, "Cut the recording."))?, BTreeMap::new())
            }
        };
        self.load(Origin { scene, case: None, cases: Vec::new(), files, recording: Some(recording) }, Mode::Recording)
    }

    /// Plays another scene from its beginning; if that fails, all stays as it was.
    fn load(&mut self, origin: Origin, mode: Mode) -> Result<(), Problem> {
        let origin_before = self.origin.replace(origin);
        let mode_before = std::mem::replace(&mut self.mode, mode);
        self.settings.forget_numbers();
        let loaded = self.restart();
        match &loaded {
            Ok(()) => {
                self.playing = true;
                self.shared.state().checks = None;
                self.report();
            }
            Err(_) => {
                self.mode = mode_before;
                self.origin = origin_before;
            }
        }
        loaded
    }

    /// What drives the hands. A person takes over where the script is; everything else starts again.
    pub(super) fn change_mode(&mut self, mode: Mode) -> Result<(), Problem> {
        if mode == Mode::Recording && self.origin.as_ref().is_none_or(|origin| origin.recording.is_none()) {
            return Err(Problem::new("There is no recording to play.", "Load one first."));
        }
        let before = std::mem::replace(&mut self.mode, mode);
        let takes_over = before == Mode::Script && mode == Mode::Mouse;
        if before == mode {
            return Ok(());
        }
        // what a script reached says nothing of what a person does
        self.shared.state().checks = None;
        self.rebuild(takes_over)
    }

    /// From the beginning.
    pub(super) fn restart(&mut self) -> Result<(), Problem> {
        self.rebuild(false)
    }

    /// The same moment with other settings, where that is possible.
    pub(super) fn change_settings(&mut self) -> Result<(), Problem> {
        self.shared.state().checks = None;
        if let Err(problem) = self.rebuild(true) {
            self.settings = self.settled.clone();
            self.loading(None);
            self.tell_problem(&problem);
            // The page shows what was asked for until it hears what holds.
            let options = self.shared.options().clone();
            self.shared.viewers().tell_all(&ServerMessage::Options(options));
        }
        Ok(())
    }

    /// The hands that go with a world's preset, built if they are not yet.
    fn pair(&mut self, world: &WorldSpec) -> Result<(Pair, usize), Problem> {
        let tissue = tissue_options(world, self.tets).map_err(|error| Problem::new(error, CHANGE_BACK))?;
        let measures = self.settings.measures.clone();
        if self.hands.known(&measures, tissue).is_none() {
            self.loading(Some("Building the hand"));
        }
        let pair = self.hands.get(&measures, tissue);
        Ok((pair.map_err(|error| Problem::new(error, "Choose other measures."))?, tissue.tets))
    }

    fn rebuild(&mut self, keep: bool) -> Result<(), Problem> {
        let Some(origin) = self.origin.clone() else { return Ok(()) };
        let unfit = |error: &dyn std::fmt::Display| Problem::new(error, CHANGE_BACK);
        let scene = self.settings.apply(&origin.scene).map_err(|error| unfit(&error))?;
        let (pair, tets) = self.pair(&scene.world)?;
        let scene = arranged(&scene, self.mode, origin.recording.as_deref());
        // Nothing is read from this machine, whatever a scene says.
        let quiet = |_: usize, _: usize| {};
        let mut assets = Assets::only(origin.files.clone(), self.threads, &quiet);
        let host = Host { clock: Some(nanoseconds), threads: self.threads };
        let mut stage =
            Stage::new(self.scenes_loaded + 1, scene, &pair, &mut assets, host).map_err(|error| unfit(&error))?;
        stage.tets = tets;
        (stage.case, stage.cases) = (origin.case.clone(), origin.cases.clone());
        if matches!(self.mode, Mode::Mouse | Mode::Webxr) {
            stage.simulation.present_until_grasped();
        }
        // a recording ends with the world that it is of
        self.stop_recording()?;
        let held = self.carry_feedback(&mut stage);
        let stances = self.stances(&stage);
        let before = self.stage.take().filter(|_| keep);
        let continuation = before.map_or(Continuation::Anew, |before| stage.continue_from(before));
        let kept = continuation != Continuation::Anew;
        self.drive(&mut stage, &origin, if kept { stances } else { Vec::new() });
        if continuation != Continuation::Whole {
            self.scenes_loaded = stage.id;
        }
        if !kept || self.mode != Mode::Script {
            self.ended = None;
        }
        if !kept {
            self.fallen = Fallen::default();
            self.health = Health::default();
        }
        self.resume_feedback(held, continuation, &stage);
        self.stage = Some(stage);
        self.settled = self.settings.clone();
        // What can be seen is written by a step. A scene that begins makes its first one at once; one that stands still with
        // other settings stays as it was seen.
        self.unseen = true;
        self.single = !kept || self.playing;
        self.pace.restart();
        if let Some(stage) = &self.stage {
            *self.shared.options() = self.options(stage);
        }
        let options = self.shared.options().clone();
        if continuation == Continuation::Whole {
            self.shared.viewers().tell_all(&ServerMessage::Options(options));
        } else {
            self.show_scene_to_all();
        }
        self.loading(None);
        Ok(())
    }

    /// Where the hands are wanted now, for a person to go on from there.
    fn stances(&self, next: &Stage) -> Vec<Stance> {
        let Some(now) = &self.stage else { return Vec::new() };
        if self.live.len() == next.scene.hands.len() && !self.live.is_empty() {
            return self.live.iter().map(|hand| hand.borrow().stance()).collect();
        }
        let time = now.simulation.time();
        now.simulation.hands().iter().filter_map(|hand| hand.tracker().map(|t| t.stance(time))).collect()
    }

    fn drive(&mut self, stage: &mut Stage, origin: &Origin, stances: Vec<Stance>) {
        let live_before = std::mem::take(&mut self.live);
        let sides: Vec<Side> = stage.scene.hands.iter().map(|hand| hand.side.into()).collect();
        for (index, side) in sides.into_iter().enumerate() {
            if self.mode == Mode::Script {
                continue;
            }
            if let (Mode::Recording, Some(recording)) = (self.mode, &origin.recording) {
                if stages_anew(stage) {
                    stage.simulation.drive(index, Box::new(RecordedHand::new(Arc::clone(recording), side)));
                }
                continue;
            }
            // A hand that goes on keeps what its person wants of it.
            let going_on = live_before.get(index).filter(|hand| !stances.is_empty() && hand.borrow().side() == side);
            let hand = going_on.cloned().unwrap_or_else(|| {
                let stance = stances.get(index).copied();
                let stance = stance.unwrap_or_else(|| Script::new(&stage.scene.hands[index]).at(0.0));
                Rc::new(RefCell::new(LiveHand::new(side, stance)))
            });
            self.live.push(Rc::clone(&hand));
            match self.mode {
                Mode::Webxr => stage.simulation.drive(index, Box::new(HeadsetSource(hand))),
                _ => stage.simulation.drive(index, Box::new(LiveSource(hand))),
            }
        }
    }

    /// Sends everyone what is loaded.
    fn show_scene_to_all(&self) {
        let Some(stage) = &self.stage else { return };
        let options = self.shared.options().clone();
        for viewer in self.shared.viewers().iter_mut() {
            viewer.tell(&stage.describe(viewer.renderer, options.clone()));
            stage.meshes(viewer.renderer).into_iter().for_each(|mesh| viewer.send_binary(mesh));
        }
    }

    /// Starts the scene again and records it: a recording holds everything from the first step.
    pub(super) fn start_recording(&mut self) -> Result<(), Problem> {
        if self.settings.measures.name() == OWN {
            return Err(Problem::new(
                "A recording names the measures of its hand, and your own have no name.",
                "Choose one of the other hands.",
            ));
        }
        if self.feeling.choice != Choice::Off {
            return Err(Problem::new(
                "A recording holds what moves a hand that nobody feels with, and a device is none of it.",
                "Turn force feedback off first.",
            ));
        }
        let waiting: usize = self.shared.recordings().unfetched().map(|kept| kept.bytes.len()).sum();
        if waiting > MOST_UNFETCHED {
            return Err(Problem::new(
                "Recordings that no page has fetched fill the memory that there is for them.",
                "Reload the page that controls the scene: it fetches them.",
            ));
        }
        // what a person holds would otherwise be gone without a word
        let begun = self.stage.as_ref().is_some_and(|stage| stage.simulation.step_count() > 0);
        self.restart()?;
        if begun {
            self.tell("The scene begins anew: a recording holds everything from its first step.", "");
        }
        let (Some(stage), Some(origin)) = (&self.stage, &self.origin) else { return Ok(()) };
        let about =
            About { measures: self.settings.measures.name().to_owned(), tets: stage.tets, files: origin.files.clone() };
        let tape = Tape::start(&stage.scene, &stage.simulation, &about);
        self.tape = Some(tape.map_err(|error| Problem::new(error, "Try again."))?);
        self.playing = true;
        self.report();
        Ok(())
    }

    /// Ends the recording and offers it.
    pub(super) fn stop_recording(&mut self) -> Result<(), Problem> {
        let (Some(tape), Some(stage)) = (self.tape.take(), &self.stage) else { return Ok(()) };
        let seconds = tape.seconds(&stage.simulation);
        let bytes = tape.finish().map_err(|error| Problem::new(error, "Record again."))?;
        let name = tape::file_name(&stage.scene.name, SystemTime::now());
        let kept = self.shared.recordings().add(&name, bytes.into(), seconds);
        self.shared.viewers().tell_all(&kept.recorded());
        self.report();
        Ok(())
    }

    /// Gives the hands the measures of the person in the headset.
    pub(super) fn fit_hand(&mut self, side: Side) -> Result<(), Problem> {
        let remedy = "Hold your open hand in front of the headset, then try again.";
        let seen = self.headset[side_index(side)].as_ref();
        let frame = seen.ok_or_else(|| Problem::new("No hand has been tracked yet.", remedy))?;
        let preset = Anatomy::preset(Preset::Adult, side);
        let (mut anatomy, _) = fit(&frame.joints, side, &preset).map_err(|error| Problem::new(error, remedy))?;
        // Measures have no side of their own.
        anatomy.side = Side::Right;
        self.settings.add_own(Measures::Own(Box::new(anatomy)));
        self.restart()
    }
}

/// Index of a side in lists of both.
pub(super) fn side_index(side: Side) -> usize {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}

/// True before the first step.
fn stages_anew(stage: &Stage) -> bool {
    stage.simulation.step_count() == 0
}
