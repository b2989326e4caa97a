//! Going on where another simulation is, with other settings, methods or hands.

use std::sync::Arc;

use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, Digit, HandModel, HandPose, XrJoint};
use thenar::math::{Pose, Vec3};
use thenar::world::{BodyError, HandOutputs, Partner, WorldConfig};

use super::regrasp::{Carried, Regrasp, Thing, whole_motion};
use super::simulation::{DrivenHand, Simulation};
use crate::motion::{Hold, Solid, palm_shift, pressing_alike, size, skin_points};

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
        for (index, (hand, own)) in before.hands.iter().zip(&self.hands).enumerate() {
            let outputs = old.hand(hand.id);
            let fit = SizeFit::new(hand, own, outputs);
            for (object, from) in self.objects.iter().zip(&before.objects) {
                let model = self.world.objects().get(object.0 as usize).filter(|model| model.mass.is_some());
                let state = old.state().objects.get(from.0 as usize);
                let what = Partner::Object(*from);
                if let (Some(model), Some(state)) = (model.filter(|_| holds(outputs, what)), state) {
                    let found = Some((&model.shape, old.object(*from).pose));
                    carried.push(fit.carried(
                        Thing::Rigid(*object),
                        index,
                        state.pose,
                        digits_on(outputs, what),
                        found,
                    ));
                }
            }
            for (soft, from) in self.softs.iter().zip(&before.softs) {
                let what = Partner::Soft(from.id);
                if holds(outputs, what) {
                    let thing = Thing::Soft(soft.id, from.nodes(old).to_vec());
                    let (digits, found) = (digits_on(outputs, what), from.solid(old));
                    carried.push(fit.carried(thing, index, Pose::IDENTITY, digits, found));
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
        for (index, (hand, grip)) in self.hands.iter_mut().zip(&mut self.grips).enumerate() {
            regrasp.feed(index, [time, self.step], hand, &solids, grip);
        }
        regrasp.carry(&mut self.world, self.rest.as_mut());
        self.regrasp = Some(regrasp);
    }
}

/// A hand beside the one of another size that follows it.
struct SizeFit<'a> {
    models: [&'a HandModel; 2],
    /// The palm joint of the first, where it was wanted.
    palm: Pose,
    /// How the first was wanted.
    angles: HandPose,
    /// Size of the second over that of the first, if a person moves it: a script is fitted to its hand.
    ratio: Option<f64>,
}

impl<'a> SizeFit<'a> {
    fn new(hand: &'a DrivenHand, own: &'a DrivenHand, outputs: &HandOutputs) -> SizeFit<'a> {
        let (skeleton, bones) = (&hand.model.skeleton, &outputs.tracked);
        let angles = skeleton.angles(bones).clamped(skeleton);
        let held = Hold { side: hand.model.side, palm: bones[BoneId::PALM.index()], angles: angles.clone() };
        let ratio = hand.source.is_some().then(|| size(&own.model.skeleton) / size(skeleton));
        SizeFit { models: [&hand.model, &own.model], palm: held.palm_joint(skeleton), angles, ratio }
    }

    /// A thing that the first held, with its solid where that was.
    fn carried(
        &self,
        thing: Thing,
        hand: usize,
        pose: Pose,
        mut digits: [bool; Digit::ALL.len()],
        found: Option<(&Shape, Pose)>,
    ) -> Carried {
        let (mut further, mut bent) = (Vec3::ZERO, [None; Digit::ALL.len()]);
        let ratio = self.ratio.unwrap_or(1.0);
        if let Some((shape, at)) = found.filter(|_| ratio != 1.0) {
            further = palm_shift(&self.palm, shape, at, ratio);
            if ratio > 1.0 {
                // fingers that are long enough close best around what lies in the palm
                let out = self.palm.rotation * Vec3::Y;
                further -= out * further.dot(out);
                let palm = Pose::new(self.palm.position + further, self.palm.rotation);
                further -= out * way_to_palm(self.models[1], palm, shape, at);
            }
            let ours = Pose::new(self.palm.position + further, self.palm.rotation);
            let hands = [(self.models[0], self.palm), (self.models[1], ours)];
            let solid = Solid { shape: shape.clone(), pose: at, fixed: false };
            bent = pressing_alike(hands, &self.angles, &digits, &solid, ratio);
            if ratio > 1.0 {
                digits = bent.map(|angles| angles.is_some());
            }
        }
        Carried { thing, hand, pose, digits, palm: self.palm.position, further, bent }
    }
}

/// How far the palm of a hand, whose palm joint is there, can go where it looks until its skin touches a solid, metres.
fn way_to_palm(model: &HandModel, joint: Pose, shape: &Shape, at: Pose) -> f64 {
    let (palm, skeleton) = (BoneId::PALM.index(), &model.skeleton);
    let rest = skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
    let (bone, looks) = (joint * (rest.inverse() * skeleton.bone(BoneId::PALM).rest), joint.rotation * Vec3::NEG_Y);
    let skin = &skin_points(model)[palm];
    let mut way = 0.0;
    // each stride is as long as the solid is away; what is as far as a hand is long is not in the palm
    while way < MOST_TO_PALM {
        let away = |p: &Vec3| shape.distance(at.local(bone.point(*p) + looks * way));
        let least = skin.iter().map(away).fold(f64::INFINITY, f64::min);
        if least < TOUCHES {
            return way;
        }
        way += least;
    }
    0.0
}

/// Nearer than this is touching, metres.
const TOUCHES: f64 = 1e-4;
/// Farthest that a thing comes into the palm, metres: half the length of a finger, which held it before.
const MOST_TO_PALM: f64 = 0.05;

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
