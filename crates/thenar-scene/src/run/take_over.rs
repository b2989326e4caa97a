//! Going on where another simulation is, with other settings, methods or hands.

use std::sync::Arc;

use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, Digit, HandPose};
use thenar::math::{Pose, Vec3};
use thenar::world::{BodyError, HandOutputs, Partner, WorldConfig};

use super::regrasp::{Carried, Regrasp, Thing, whole_motion};
use super::simulation::Simulation;
use crate::motion::{Hold, palm_shift, size};

/// How a simulation goes on from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Everything is where it was, bit for bit.
    Whole,
    /// Things are where they were. Hands of other tissue or measures close around what theirs held, which stays in their palms
    /// until they do.
    Regrasped,
    /// From the beginning: what is in the scene is not the same.
    Anew,
}

impl Simulation {
    /// Goes on where another simulation of the same scene is, with the settings, methods and hands of this one: places, motion,
    /// time and what drives the hands are taken over. Without `whole`, things alone are: for a host whose own bodies have other
    /// masses or friction now.
    pub fn continue_from(&mut self, mut before: Simulation, whole: bool) -> Continuation {
        let whole = whole && self.same_hands(&before) && self.restore_from(&before);
        if !whole && !self.same_things(&before) {
            return Continuation::Anew;
        }
        // A recording of both goes on at the same number of steps; with another step, at the same time.
        let same_step = before.step == self.step;
        self.done = if same_step { before.done } else { (before.time() / self.step).round() as u64 };
        self.done = self.done.min(self.steps);
        // what the scene itself still holds stays held
        let world = &mut self.world;
        self.held.retain(|(object, _)| {
            let stays = before.held.iter().any(|(held, _)| held == object);
            if !stays {
                placed(world.release(*object));
            }
            stays
        });
        if whole {
            self.rest = before.rest.take();
            self.regrasp = before.regrasp.take();
            self.grips = std::mem::take(&mut before.grips);
            if self.regrasp.is_none() && pulls_otherwise(self.world.config(), before.world.config()) {
                self.regrasp = Some(Regrasp::easing(self.time(), &before, self.carried_by(&before)));
            }
        } else {
            self.place_as(&before);
            let carried = self.carried_by(&before);
            for thing in carried.iter().map(|carried| &carried.thing) {
                if let (Thing::Rigid(object), Some(rest)) = (thing, &mut self.rest) {
                    rest.wake(&mut self.world, *object);
                }
            }
            self.regrasp = Some(Regrasp::new(self.time(), self.hands.len(), carried));
        }
        for (hand, driven) in self.hands.iter_mut().zip(before.hands) {
            hand.last_frame = driven.last_frame.filter(|_| whole);
            hand.source = driven.source;
            if let (Some(source), false) = (&mut hand.source, whole) {
                source.show_again();
            }
        }
        if whole { Continuation::Whole } else { Continuation::Regrasped }
    }

    fn same_hands(&self, before: &Simulation) -> bool {
        let same = |(a, b): (&super::DrivenHand, &super::DrivenHand)| Arc::ptr_eq(&a.model, &b.model);
        self.hands.len() == before.hands.len() && self.hands.iter().zip(&before.hands).all(same)
    }

    fn restore_from(&mut self, before: &Simulation) -> bool {
        let points = |s: &Simulation| s.world.objects().iter().map(|o| o.samples.len()).collect::<Vec<_>>();
        let same_hosts = self.rest.is_some() == before.rest.is_some();
        same_hosts && points(self) == points(before) && self.world.restore(&before.world.snapshot()).is_ok()
    }

    /// The same things and as many hands of the same sides, whatever their tissue and measures.
    fn same_things(&self, before: &Simulation) -> bool {
        let names = |s: &Simulation| s.world.objects().iter().map(|o| o.name.clone()).collect::<Vec<_>>();
        let sides = |s: &Simulation| s.hands.iter().map(|hand| hand.model.side).collect::<Vec<_>>();
        let nodes = |s: &Simulation| s.softs.iter().map(|soft| soft.rest.len()).collect::<Vec<_>>();
        let same_hosts = self.rest.is_some() == before.rest.is_some();
        names(self) == names(before) && sides(self) == sides(before) && nodes(self) == nodes(before) && same_hosts
    }

    /// Puts things where they are in another simulation.
    fn place_as(&mut self, before: &Simulation) {
        let old = &before.world;
        for (object, from) in self.objects.iter().zip(&before.objects) {
            let Some(model) = self.world.objects().get(object.0 as usize) else { continue };
            let (moves, com, now) = (model.mass.is_some(), model.com, old.object(*from));
            match &mut self.rest {
                Some(rest) if moves => {
                    let pose = Pose::new(now.pose.point(com), now.pose.rotation);
                    rest.place(&mut self.world, *object, pose, now.velocity, now.spin);
                }
                _ => placed(self.world.set_object_motion(*object, now.pose, now.velocity, now.spin)),
            }
        }
        for (soft, from) in self.softs.iter().zip(&before.softs) {
            let Some(state) = old.state().softs.get(from.id.0 as usize) else { continue };
            if soft.handles.is_empty() {
                placed(self.world.shape_soft(soft.id, &state.nodes, &state.velocities));
            } else {
                // a tool goes where its handles lead it
                placed(self.world.place_soft(soft.id, whole_motion(&soft.rest, &state.nodes)));
            }
        }
    }

    /// What the hands of another simulation of the same things hold.
    fn carried_by(&self, before: &Simulation) -> Vec<Carried> {
        let old = &before.world;
        let mut carried = Vec::new();
        for (index, hand) in before.hands.iter().enumerate() {
            let outputs = old.hand(hand.id);
            let skeleton = &hand.model.skeleton;
            let wanted = outputs.tracked[BoneId::PALM.index()];
            let held = Hold { side: hand.model.side, palm: wanted, angles: HandPose::default() };
            let joint = held.palm_joint(skeleton);
            let palm = joint.position;
            let ratio = self.hands.get(index).map_or(1.0, |own| size(&own.model.skeleton) / size(skeleton));
            let further = |shape: &Shape, pose: Pose| palm_shift(&joint, shape, pose, ratio);
            for (object, from) in self.objects.iter().zip(&before.objects) {
                let model = self.world.objects().get(object.0 as usize).filter(|model| model.mass.is_some());
                let state = old.state().objects.get(from.0 as usize);
                let (what, thing) = (Partner::Object(*from), Thing::Rigid(*object));
                if let (Some(model), Some(state)) = (model.filter(|_| holds(outputs, what)), state) {
                    let further = further(&model.shape, old.object(*from).pose);
                    let digits = digits_on(outputs, what);
                    carried.push(Carried { thing, hand: index, pose: state.pose, digits, palm, further });
                }
            }
            for (soft, from) in self.softs.iter().zip(&before.softs) {
                let (what, digits) = (Partner::Soft(from.id), digits_on(outputs, Partner::Soft(from.id)));
                if holds(outputs, what) {
                    let thing = Thing::Soft(soft.id, from.nodes(old).to_vec());
                    let further = from.solid(old).map_or(Vec3::ZERO, |(shape, pose)| further(shape, pose));
                    carried.push(Carried { thing, hand: index, pose: Pose::IDENTITY, digits, palm, further });
                }
            }
        }
        carried
    }

    /// While hands close again: their frames, and what stays in their palms. Later, the grip that they keep.
    pub(super) fn close_again(&mut self, time: f64) {
        let Some(mut regrasp) = self.regrasp.take() else {
            for (hand, grip) in self.hands.iter_mut().zip(&mut self.grips) {
                *grip = grip.take().filter(|grip| grip.feed(hand));
            }
            return;
        };
        self.grips.resize(self.hands.len(), None);
        regrasp.settle(time, self.step, &self.world, &mut self.grips);
        if regrasp.is_over() {
            regrasp.untie(&mut self.world);
            return self.close_again(time);
        }
        let models = self.world.objects();
        let placed =
            self.objects.iter().filter_map(|id| Some((models.get(id.0 as usize)?, self.world.object(*id).pose)));
        let mut solids: Vec<_> = placed.map(|(model, pose)| (&model.shape, pose)).collect();
        solids.extend(self.softs.iter().filter_map(|soft| soft.solid(&self.world)));
        for (index, (hand, grip)) in self.hands.iter_mut().zip(&self.grips).enumerate() {
            regrasp.feed(index, [time, self.step], hand, &solids, grip.as_ref());
        }
        regrasp.carry(&mut self.world, self.rest.as_mut());
        self.regrasp = Some(regrasp);
    }
}

/// True if bones are pulled to their targets by other forces than before, which would come at once.
fn pulls_otherwise(now: &WorldConfig, before: &WorldConfig) -> bool {
    now.tracking != before.tracking || now.attachment != before.attachment || now.skeleton != before.skeleton
}

/// True if a hand presses on something from more than one side: its forces cancel each other in part.
pub(super) fn holds(hand: &HandOutputs, what: Partner) -> bool {
    let (mut sum, mut sizes) = (Vec3::ZERO, 0.0);
    for contact in hand.contacts.iter().filter(|contact| contact.partner == what) {
        sum += contact.force;
        sizes += contact.force.length();
    }
    sizes > 0.0 && sum.length() < ONE_SIDED * sizes
}

/// Digits that press on something.
fn digits_on(hand: &HandOutputs, what: Partner) -> [bool; Digit::ALL.len()] {
    let mut digits = [false; Digit::ALL.len()];
    let pressing = hand.contacts.iter().filter(|contact| contact.partner == what && contact.force != Vec3::ZERO);
    pressing.filter_map(|contact| contact.patch.digit()).for_each(|digit| digits[digit.index()] = true);
    digits
}

/// Length of the sum of all forces over the sum of their lengths: 1 where all point one way, as on a thing that lies on a palm
/// or is pushed.
const ONE_SIDED: f64 = 0.9;

/// What is fixed stays where it is.
fn placed(_done: Result<(), BodyError>) {}
