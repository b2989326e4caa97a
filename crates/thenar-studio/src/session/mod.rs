//! The simulation's thread: it takes what pages say, steps the world beside real time and streams what comes of it.
//!
//! Start reading at [`Session::run`].

mod arrange;
mod command;
mod explain;
mod fallen;
mod feedback;
mod ground;
mod hands;
mod health;
mod live_hand;
mod load;
mod pace;
mod problem;
mod say;
mod settings;
mod stage;
mod tape;

pub use command::Command;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use thenar::hand::Preset;
use thenar::tracking::TrackerFrame;

use crate::shared::Shared;
use crate::viewers::ViewerId;
use crate::wire::{FrameHeader, HapticSection, History, Loading, Mode, ServerMessage, encode_frame};
use arrange::Origin;
use fallen::Fallen;
use feedback::Feeling;
use hands::HandStore;
use health::Health;
use live_hand::LiveHand;
use pace::Pace;
use problem::Problem;
use settings::Settings;
use stage::Stage;
use tape::Tape;

/// How often pages hear how it goes.
const REPORT_EVERY: Duration = Duration::from_millis(500);
/// How long a scene that has ended stays before it starts again.
const REST: Duration = Duration::from_millis(1500);
/// What people can do about a panic.
const ENGINE_FAILED: &str = "the engine failed; please report how this came about";

/// The newest input of a page.
#[derive(Clone, Copy)]
struct Input {
    from: ViewerId,
    seq: u32,
    t: f64,
}

/// How a session begins.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Name of a scene of the library.
    pub scene: String,
    /// Measures of the hands.
    pub measures: Preset,
    /// Number of tetrahedra of a hand; that of the preset where it is missing.
    pub tets: Option<usize>,
    /// Threads that the engine may use.
    pub threads: usize,
}

/// What is being played, and for whom.
pub struct Session {
    commands: Receiver<Command>,
    shared: Arc<Shared>,
    threads: usize,
    tets: Option<usize>,
    hands: HandStore,
    settings: Settings,
    /// The last settings that worked.
    settled: Settings,
    origin: Option<Origin>,
    mode: Mode,
    stage: Option<Stage>,
    scenes_loaded: u32,
    live: Vec<Rc<RefCell<LiveHand>>>,
    headset: [Option<TrackerFrame>; 2],
    feeling: Feeling,
    /// What haptic loops did, tick by tick.
    ticks: History,
    pace: Pace,
    playing: bool,
    single: bool,
    ended: Option<Instant>,
    tape: Option<Tape>,
    input: Option<Input>,
    fresh_input: bool,
    settings_changed: bool,
    /// The world has been built anew and not yet stepped: there is nothing to see of it.
    unseen: bool,
    /// Counts what can be seen, so that nothing is sent twice.
    moment: u64,
    step_us: f64,
    reported: Instant,
    fallen: Fallen,
    health: Health,
}

impl Session {
    pub fn new(beginning: &Beginning, commands: Receiver<Command>, shared: Arc<Shared>) -> Session {
        Session {
            commands,
            shared,
            threads: beginning.threads,
            tets: beginning.tets,
            hands: HandStore::default(),
            settings: Settings::new(beginning.measures),
            settled: Settings::new(beginning.measures),
            origin: None,
            mode: Mode::Script,
            stage: None,
            scenes_loaded: 0,
            live: Vec::new(),
            headset: [None, None],
            feeling: Feeling::default(),
            ticks: History::default(),
            pace: Pace::new(),
            playing: true,
            single: false,
            ended: None,
            tape: None,
            input: None,
            fresh_input: false,
            settings_changed: false,
            unseen: false,
            moment: 0,
            step_us: 0.0,
            reported: Instant::now(),
            fallen: Fallen::default(),
            health: Health::default(),
        }
    }

    /// Plays until the server ends.
    pub fn run(mut self, scene: &str) {
        self.attempt(|session| session.load_library(scene, None));
        while self.receive() {
            if self.settings_changed {
                self.settings_changed = false;
                self.attempt(Session::change_settings);
            }
            self.advance();
            self.publish();
            if self.reported.elapsed() >= REPORT_EVERY {
                self.report();
            }
        }
        // What is being recorded is not lost with the server.
        self.attempt(Session::stop_recording);
    }

    /// Waits for the next step or command, and takes all commands that are there. False when the server ends.
    fn receive(&mut self) -> bool {
        let mut next = match self.commands.recv_timeout(self.patience()) {
            Ok(command) => Some(command),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        while let Some(command) = next {
            if matches!(command, Command::Stop) {
                return false;
            }
            self.obey(command);
            next = self.commands.try_recv().ok();
        }
        true
    }

    /// How long nothing needs to be done.
    fn patience(&self) -> Duration {
        match &self.stage {
            Some(stage) if self.goes_on() => self.pace.wait(stage.simulation.step()),
            _ => Duration::from_millis(100),
        }
    }

    /// Time passes: nobody has stopped it, and somebody watches.
    fn goes_on(&self) -> bool {
        self.playing && self.ended.is_none() && !self.shared.viewers().is_empty()
    }

    /// Steps if it is time.
    fn advance(&mut self) {
        if self.ended.is_some_and(|since| since.elapsed() > REST) && self.playing && !self.shared.viewers().is_empty() {
            self.ended = None;
            self.attempt(Session::restart);
        }
        let goes_on = self.goes_on();
        if !goes_on && !self.single {
            self.pace.restart();
            self.fresh_input = false;
            if let Some(feedback) = &mut self.feeling.feedback {
                feedback.rest();
            }
            return;
        }
        let Some(dt) = self.stage.as_ref().map(|stage| stage.simulation.step()) else { return };
        if self.single || self.pace.is_due(dt, self.fresh_input) {
            self.fresh_input = false;
            self.single = false;
            self.step();
            self.pace.stepped(dt);
        }
    }

    fn step(&mut self) {
        self.lead_handles();
        let Some(stage) = &mut self.stage else { return };
        let start = Instant::now();
        // A fault of the engine must not end the studio: the scene starts again.
        let outcome = catch_unwind(AssertUnwindSafe(|| stage.advance()));
        self.step_us = start.elapsed().as_secs_f64() * 1e6;
        match outcome {
            Ok(Ok(true)) => {
                self.moment += 1;
                self.unseen = false;
                self.feel();
                self.record_step();
                self.look_after();
            }
            Ok(Ok(false)) => self.end_of_scene(),
            Ok(Err(error)) => self.recover(&error.to_string()),
            Err(_) => self.recover(ENGINE_FAILED),
        }
    }

    /// What a person should know, and what a person cannot fetch back.
    fn look_after(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        self.health.look(stage);
        // A script goes on to its checks, and a recording holds nothing but hands.
        if !matches!(self.mode, Mode::Mouse | Mode::Webxr) || self.tape.is_some() {
            return;
        }
        for name in self.fallen.look(stage) {
            self.tell(&format!("The {name} had fallen, and is back where it started."), "");
        }
    }

    /// Tells everyone something that is no problem.
    fn tell(&self, message: &str, remedy: &str) {
        let message = ServerMessage::Notice { message: message.to_owned(), remedy: remedy.to_owned() };
        self.shared.viewers().tell_all(&message);
    }

    fn recover(&mut self, what: &str) {
        // What was recorded up to here is whole, and shows how it came about.
        self.attempt(Session::stop_recording);
        self.stage = None;
        self.tell_problem(&Problem::new(what, "The scene starts again."));
        self.attempt(Session::restart);
    }

    fn end_of_scene(&mut self) {
        self.ended = Some(Instant::now());
        let checks = self.stage.as_ref().and_then(Stage::checks);
        self.shared.state().checks = checks;
        if self.tape.is_some() {
            self.attempt(Session::stop_recording);
        }
        self.report();
    }

    fn record_step(&mut self) {
        let (Some(tape), Some(stage)) = (&mut self.tape, &self.stage) else { return };
        let full = tape.seconds(&stage.simulation) > tape::LONGEST;
        if let Err(error) = tape.watch(&stage.simulation) {
            self.tell_problem(&Problem::new(error, "The recording ends here."));
            self.attempt(Session::stop_recording);
        } else if full {
            self.attempt(Session::stop_recording);
        }
    }

    /// Sends the world to every page that has acknowledged the frame before.
    fn publish(&mut self) {
        let Some(stage) = self.stage.as_ref().filter(|_| !self.unseen) else { return };
        let steps_per_s = self.pace.steps_per_second();
        let mut viewers = self.shared.viewers();
        for viewer in viewers.iter_mut().filter(|viewer| viewer.credit && viewer.seen != self.moment) {
            let input = self.input.filter(|input| input.from == viewer.id);
            let header = FrameHeader {
                seq: viewer.seq,
                page_t: input.map_or(f64::NAN, |input| input.t),
                input_seq: input.map_or(0, |input| input.seq),
                step_us: self.step_us,
                steps_per_s,
            };
            let feedback = self.feeling.feedback.as_ref();
            let feeling = feedback.map(|f| HapticSection { view: f.view(), history: &self.ticks, from: viewer.felt });
            let frame = encode_frame(&stage.simulation, stage.views(viewer.renderer), viewer.want, &header, feeling);
            viewer.felt = self.ticks.count();
            viewer.seq = viewer.seq.wrapping_add(1);
            viewer.credit = false;
            viewer.seen = self.moment;
            viewer.send_binary(frame.into());
        }
        viewers.drop_gone();
    }

    /// Tells every page how it goes.
    fn report(&mut self) {
        self.reported = Instant::now();
        let steps_per_s = self.pace.steps_per_second();
        {
            let mut state = self.shared.state();
            state.playing = self.playing;
            state.speed = self.pace.speed;
            state.mode = self.mode;
            state.recording = self.tape.is_some();
            state.replayable = self.origin.as_ref().is_some_and(|origin| origin.recording.is_some());
            state.troubles = std::mem::take(&mut self.health).troubles();
            state.steps_per_s = steps_per_s;
            if let Some(stage) = &self.stage {
                state.scene = stage.id;
                state.time = stage.simulation.time();
                state.realtime = steps_per_s * stage.simulation.step();
            }
        }
        self.shared.tell_state();
    }

    /// Says what takes time, or that it is done.
    fn loading(&mut self, what: Option<&str>) {
        self.shared.state().loading = what.map(|what| Loading { what: what.to_owned(), share: None });
        self.report();
    }

    /// Does something that may be refused; pages hear why. Scenes are built here, too, and a fault of the engine ends no studio.
    fn attempt(&mut self, what: impl FnOnce(&mut Session) -> Result<(), Problem>) {
        let outcome = catch_unwind(AssertUnwindSafe(|| what(self)));
        let failed = |_| Err(Problem::new(ENGINE_FAILED, "Choose another scene, or change back what you changed."));
        if let Err(problem) = outcome.unwrap_or_else(failed) {
            self.loading(None);
            self.tell_problem(&problem);
        }
    }

    fn tell_problem(&self, problem: &Problem) {
        tracing::warn!("{}", problem.message);
        let message = ServerMessage::Error { message: problem.message.clone(), remedy: problem.remedy.clone() };
        self.shared.viewers().tell_all(&message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar_scene::recording::{End, Recording};

    /// A session that records a scene, some steps after its beginning.
    fn recording(steps: u32) -> Session {
        let beginning = Beginning { scene: "press".to_owned(), measures: Preset::Adult, tets: Some(600), threads: 1 };
        let (_, received) = std::sync::mpsc::channel();
        let mut session = Session::new(&beginning, received, Arc::default());
        session.load_library("press", None).unwrap();
        session.start_recording().unwrap();
        (0..steps).for_each(|_| session.step());
        session
    }

    #[test]
    fn a_fault_of_the_engine_loses_no_recording() {
        let mut session = recording(20);
        session.recover("nodes are not where they were");
        assert!(session.stage.is_some() && session.tape.is_none(), "the scene starts again");
        let kept = session.shared.recordings().fetch(None).expect("the recording");
        let recording = Recording::read(&kept.bytes).unwrap();
        assert_eq!((recording.end, recording.steps.len()), (End::Whole, 20));
    }

    #[test]
    fn a_panic_while_a_scene_is_built_ends_neither_studio_nor_recording() {
        let mut session = recording(20);
        session.attempt(|_| panic!("a scene that cannot be built"));
        session.step();
        session.stop_recording().unwrap();
        let kept = session.shared.recordings().fetch(None).expect("the recording");
        assert_eq!(Recording::read(&kept.bytes).unwrap().steps.len(), 21);
    }
}
