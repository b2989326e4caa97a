//! Turning force feedback on and off while a scene goes on.

use std::time::{Duration, Instant};

use thenar::haptics::DeviceCoupling;
use thenar_devices::haptics::{Grip, Held};
use thenar_scene::run::{Continuation, Simulation};

use super::choice::obstacle;
use super::{Choice, Feedback, GivingBack, KEY, Tempo, scene_wants};
use crate::session::Session;
use crate::session::problem::Problem;
use crate::session::stage::Stage;
use crate::wire::{Mode, Options, ServerMessage};

/// A page that holds the mouse says so ten times a second. One that is silent for longer has stalled or gone: nobody holds the device.
const HOLD: Duration = Duration::from_secs(1);

/// What pages may choose, and what has become of it.
#[derive(Default)]
pub struct Feeling {
    pub choice: Choice,
    pub feedback: Option<Feedback>,
    /// On its way back from a device to who else wants it.
    pub giving_back: Option<GivingBack>,
    /// Until when the page's word holds that somebody holds the mouse.
    held_until: Option<Instant>,
}

impl Feeling {
    /// A page says whether its mouse is held.
    pub fn hold(&mut self, on: bool) {
        self.held_until = on.then(|| Instant::now() + HOLD);
    }

    /// Whether somebody holds the device. A simulated person always does.
    pub fn is_held(&self) -> bool {
        self.choice != Choice::Mouse || self.held_until.is_some_and(|until| Instant::now() < until)
    }
}

impl Session {
    /// Everything that can be changed in a scene.
    pub(in crate::session) fn options(&self, stage: &Stage) -> Options {
        let mut options = self.settings.options(&stage.scene);
        options.switches.push(self.feeling.choice.switch(&stage.scene, self.mode));
        options
    }

    fn tell_options(&self) {
        let Some(stage) = &self.stage else { return };
        let options = self.options(stage);
        *self.shared.options() = options.clone();
        self.shared.viewers().tell_all(&ServerMessage::Options(options));
    }

    /// Another device, or none. The scene goes on.
    pub(in crate::session) fn choose_feedback(&mut self, word: &str) -> Result<(), Problem> {
        let words = || Choice::ALL.map(Choice::word).join(", ");
        let choice = Choice::parse(word).ok_or_else(|| {
            Problem::new(format!("`{KEY}` cannot be `{word}`"), &format!("Choose one of: {}.", words()))
        })?;
        if choice != Choice::Off {
            let scene = self.stage.as_ref().map(|stage| &stage.scene);
            if let Some(why) = scene.and_then(|scene| obstacle(scene, self.mode)) {
                return Err(Problem::new("There is no force feedback here.", why));
            }
            if choice == Choice::Mouse && self.mode == Mode::Script {
                self.change_mode(Mode::Mouse)?;
            }
        }
        if choice != self.feeling.choice {
            self.stop_feedback();
            self.feeling.choice = choice;
            self.start_feedback()?;
        }
        self.tell_options();
        Ok(())
    }

    /// Takes hold of what moves now, where it is.
    fn start_feedback(&mut self) -> Result<(), Problem> {
        let (Some(stage), true) = (&mut self.stage, self.feeling.choice != Choice::Off) else { return Ok(()) };
        let simulation = &mut stage.simulation;
        if let Some(giving_back) = self.feeling.giving_back.take() {
            giving_back.finish(simulation);
        }
        let held = Held::grip(simulation, Grip::Pen, DeviceCoupling::default());
        let held = held.map_err(|error| {
            self.feeling.choice = Choice::Off;
            Problem::new(error, "Choose another scene or other methods.")
        })?;
        self.feeling.feedback = Some(begin(self.feeling.choice, held, simulation));
        Ok(())
    }

    /// The device goes, and what it held is given back: at once to a person who goes on from where it is, slowly to a script.
    fn stop_feedback(&mut self) {
        let (Some(feedback), Some(stage)) = (self.feeling.feedback.take(), &mut self.stage) else { return };
        self.feeling.choice = Choice::Off;
        let simulation = &mut stage.simulation;
        let (hand, place) = (feedback.hand(), feedback.place());
        let held = feedback.into_held();
        let at = held.handles.first().and_then(|handle| simulation.world().handle_state(*handle).ok());
        match hand.and_then(|hand| Some((self.live.get(hand)?, simulation.hands().get(hand)?))) {
            Some((live, driven)) => {
                // where the palm is, not where the device pulled it to: that force is gone with the device
                live.borrow_mut().put_palm(driven.palm_joint(&at.map_or(place, |at| at.pose)));
                held.release(simulation);
            }
            None => self.feeling.giving_back = Some(GivingBack::new(held, place, simulation)),
        }
    }

    /// Before another stage takes the place of this one: what does not go with it is told and ends, what goes on is held there, too.
    pub(in crate::session) fn carry_feedback(&mut self, next: &mut Stage) -> Option<Held> {
        if let (Some(giving_back), Some(stage)) = (self.feeling.giving_back.take(), &mut self.stage) {
            giving_back.finish(&mut stage.simulation);
        }
        if self.feeling.choice == Choice::Off {
            return None;
        }
        let mouse = self.feeling.choice == Choice::Mouse && self.mode != Mode::Mouse;
        let why = obstacle(&next.scene, self.mode).or(mouse.then_some("The mouse holds the hand while you play."));
        let held = match why {
            Some(_) => None,
            None => Held::grip(&mut next.simulation, Grip::Pen, DeviceCoupling::default()).ok(),
        };
        if held.is_none() {
            self.stop_feedback();
            self.feeling.choice = Choice::Off;
            if let (Some(giving_back), Some(stage)) = (self.feeling.giving_back.take(), &mut self.stage) {
                giving_back.finish(&mut stage.simulation);
            }
            self.tell(&format!("Force feedback is off now. {}", why.unwrap_or_default()), "");
        }
        held
    }

    /// Another stage has taken over: the same device goes on with what it holds, or is found where that is now.
    pub(in crate::session) fn resume_feedback(&mut self, held: Option<Held>, how: Continuation, next: &Stage) {
        let before = self.feeling.feedback.take();
        let Some(held) = held else { return };
        self.feeling.feedback = Some(match (before, how) {
            (Some(mut feedback), Continuation::Whole) => {
                feedback.hold(held);
                feedback
            }
            _ => begin(self.feeling.choice, held, &next.simulation),
        });
    }

    /// How time goes: as it is asked to, or as fast as it can.
    fn tempo(&mut self, step: f64) -> Tempo {
        let lately = self.pace.steps_per_second() * step;
        let speed = if lately > 0.0 { lately.min(self.pace.speed) } else { self.pace.speed };
        Tempo { step, speed: speed.max(0.02) }
    }

    /// Before a step.
    pub(in crate::session) fn lead_handles(&mut self) {
        let Some(step) = self.stage.as_ref().map(|stage| stage.simulation.step()) else { return };
        let tempo = self.tempo(step);
        let Some(stage) = &mut self.stage else { return };
        if let Some(feedback) = &mut self.feeling.feedback {
            feedback.lead(&mut stage.simulation, tempo);
        } else if let Some(giving_back) = self.feeling.giving_back.take() {
            self.feeling.giving_back = giving_back.lead(&mut stage.simulation);
        }
    }

    /// After a step.
    pub(in crate::session) fn feel(&mut self) {
        let Some(step) = self.stage.as_ref().map(|stage| stage.simulation.step()) else { return };
        let (tempo, held) = (self.tempo(step), self.feeling.is_held());
        let (Some(stage), Some(feedback)) = (&mut self.stage, &mut self.feeling.feedback) else { return };
        let simulation = &mut stage.simulation;
        if let (false, Some(hand)) = (held, feedback.hand()) {
            // Nobody wants anything: whoever takes it next takes it where it is.
            if let (Some(live), Some(driven)) = (self.live.get(hand), simulation.hands().get(hand)) {
                live.borrow_mut().put_palm(driven.palm_joint(&feedback.place()));
            }
        }
        if let Err(error) = feedback.follow(simulation, held, tempo, &mut self.ticks) {
            self.stop_feedback();
            self.tell_problem(&Problem::new(error, "Force feedback is off now."));
            self.tell_options();
        }
    }
}

/// A device at what is held: where that is, or where it is wanted if it has not appeared yet.
fn begin(choice: Choice, held: Held, simulation: &Simulation) -> Feedback {
    let state = held.handles.first().and_then(|handle| simulation.world().handle_state(*handle).ok());
    let there = match held.hand.and_then(|hand| simulation.hands().get(hand)) {
        Some(hand) => simulation.world().hand(hand.id).present,
        None => true,
    };
    let wanted = || scene_wants(&held, simulation, simulation.time());
    let place = state.filter(|_| there).or_else(wanted).unwrap_or_default();
    Feedback::new(choice, held, place.pose)
}
