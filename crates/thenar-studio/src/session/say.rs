//! What pages say, and what comes of it.

use thenar::hand::Side;
use thenar::math::{Pose, Quat, Vec3};

use super::load::side_index;
use super::problem::Problem;
use super::{Command, Input, Session, feedback};
use crate::viewers::ViewerId;
use crate::wire::{HandName, PageMessage, ServerMessage, SetValue};

impl Session {
    pub(super) fn obey(&mut self, command: Command) {
        match command {
            Command::Join(id) => {
                self.show_scene(id);
                self.single |= self.unseen;
                self.report();
                self.offer_recordings(id);
            }
            Command::Say { from, controlled, message } => self.hear(from, controlled, message),
            Command::Recording { from, name, bytes } => {
                if self.controls(from) {
                    self.attempt(|session| session.load_recording(&name, &bytes));
                }
            }
            Command::Stop => {}
        }
    }

    /// Sends a page what is loaded.
    fn show_scene(&mut self, id: ViewerId) {
        let options = self.shared.options().clone();
        let mut viewers = self.shared.viewers();
        if let (Some(stage), Some(viewer)) = (&self.stage, viewers.get(id)) {
            viewer.tell(&stage.describe(viewer.renderer, options));
            stage.meshes(viewer.renderer).into_iter().for_each(|mesh| viewer.send_binary(mesh));
            // The scene counts as a frame that needs no acknowledgement.
            viewer.credit = true;
        }
    }

    /// Tells a page that controls of recordings that no page has fetched: the one that made them was closed, or loaded anew.
    fn offer_recordings(&self, id: ViewerId) {
        let mut viewers = self.shared.viewers();
        if !viewers.controls(id) {
            return;
        }
        if let Some(viewer) = viewers.get(id) {
            self.shared.recordings().unfetched().for_each(|kept| viewer.tell(&kept.recorded()));
        }
    }

    fn controls(&self, id: ViewerId) -> bool {
        self.shared.viewers().controls(id)
    }

    /// What a page said while it was in control counts, though others may have waited before it and the page may be gone: what it chose
    /// last before a reload is chosen.
    fn hear(&mut self, id: ViewerId, controlled: bool, message: PageMessage) {
        match message {
            PageMessage::Ack { seq } => {
                if let Some(viewer) = self.shared.viewers().get(id)
                    && viewer.seq == seq.wrapping_add(1)
                {
                    viewer.credit = true;
                }
            }
            PageMessage::Want(want) => {
                if let Some(viewer) = self.shared.viewers().get(id) {
                    viewer.want = want;
                    // What is newly wanted shows at once, also while time stands still.
                    viewer.seen = u64::MAX;
                }
            }
            PageMessage::TakeControl => {
                self.shared.viewers().take_control(id);
                self.report();
                self.offer_recordings(id);
            }
            // The connection answers these.
            PageMessage::Hello { .. } | PageMessage::Ping { .. } | PageMessage::LoadRecording { .. } => {}
            message if controlled || self.controls(id) => self.control(id, message),
            PageMessage::Palm { .. }
            | PageMessage::Hold { .. }
            | PageMessage::Joints(_)
            | PageMessage::Grasp { .. }
            | PageMessage::Finger { .. } => {}
            _ => {
                let message = ServerMessage::Error {
                    message: "Another page controls the scene.".to_owned(),
                    remedy: "Take control first.".to_owned(),
                };
                if let Some(viewer) = self.shared.viewers().get(id) {
                    viewer.tell(&message);
                }
            }
        }
    }

    fn control(&mut self, id: ViewerId, message: PageMessage) {
        match message {
            PageMessage::Load { scene, case } => {
                self.attempt(|session| session.load_library(&scene, case.as_deref()));
            }
            PageMessage::Play => self.play(true),
            PageMessage::Pause => self.play(false),
            PageMessage::Single => {
                self.play(false);
                // a scene that has ended begins anew
                if self.ended.take().is_some() {
                    self.attempt(Session::restart);
                }
                self.single = true;
            }
            PageMessage::Speed { value } => {
                self.pace.speed = value;
                self.report();
            }
            PageMessage::Reset => self.attempt(Session::restart),
            PageMessage::Mode { value } => self.attempt(|session| session.change_mode(value)),
            PageMessage::Record { on: true } if self.tape.is_none() => self.attempt(Session::start_recording),
            PageMessage::Record { on: false } => self.attempt(Session::stop_recording),
            PageMessage::Fit { hand } => {
                let side = match hand {
                    HandName::Side(side) => side.into(),
                    HandName::Index(index) => self.live.get(index).map_or(Side::Right, |hand| hand.borrow().side()),
                };
                self.attempt(|session| session.fit_hand(side));
            }
            PageMessage::Set { key, value } => self.attempt(|session| {
                if session.tape.is_some() {
                    let remedy = "Stop the recording first: it holds one set of settings.";
                    return Err(Problem::new("Settings stay as they are while recording.", remedy));
                }
                if let (feedback::KEY, SetValue::Word(word)) = (key.as_str(), &value) {
                    return session.choose_feedback(word);
                }
                let origin = session.origin.as_ref().map(|origin| &origin.scene);
                if let Some(besides) = session.settings.set(&key, &value, origin)? {
                    session.tell(&besides, "");
                }
                // Several changes that wait together are made at once.
                session.settings_changed = true;
                Ok(())
            }),
            PageMessage::Grasp { hand, name, amount } => {
                self.with_hand(hand, |hand| hand.grasp(name, amount));
            }
            PageMessage::Finger { hand, digit, curl, spread } => {
                self.with_hand(hand, |hand| hand.bend(digit, curl, spread));
            }
            PageMessage::Palm { hand, position, rotation, seq, t } => {
                let palm = Pose::new(Vec3::from_array(position), Quat::from_array(rotation).normalize());
                self.with_hand(hand, |hand| hand.move_palm(palm));
                if let Some(feedback) = self.feeling.feedback.as_mut().filter(|feedback| feedback.hand().is_none()) {
                    feedback.ask(palm);
                    self.fresh_input = true;
                }
                self.input = Some(Input { from: id, seq, t });
            }
            PageMessage::Hold { on } => self.feeling.hold(on),
            PageMessage::Joints(joints) => {
                let frame = joints.frame();
                let side = frame.side;
                self.headset[side_index(side)] = Some(frame.clone());
                for hand in self.live.iter().filter(|hand| hand.borrow().side() == side) {
                    hand.borrow_mut().track(frame.clone());
                }
                self.fresh_input = true;
                self.input = Some(Input { from: id, seq: joints.seq, t: joints.t });
            }
            _ => {}
        }
    }

    fn play(&mut self, on: bool) {
        self.playing = on;
        self.report();
    }

    fn with_hand(&mut self, name: HandName, change: impl FnOnce(&mut super::LiveHand)) {
        let index = match name {
            HandName::Index(index) => Some(index),
            HandName::Side(side) => self.live.iter().position(|hand| hand.borrow().side() == Side::from(side)),
        };
        if let Some(hand) = index.and_then(|index| self.live.get(index)) {
            change(&mut hand.borrow_mut());
            self.fresh_input = true;
        }
    }
}
