//! Reading measures off a simulation after every step.

use thenar::contact::Side;
use thenar::hand::{BONE_COUNT, BoneId, Digit, Patch};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tactile::{FingerTouch, TactileParams};
use thenar::world::{HandOutputs, Partner};

use super::series::{CheckOutcome, Series, judge};
use super::simulation::Simulation;
use super::soft::SoftThing;
use super::stretch::{JointRegion, extremes};
use super::tactile;
use crate::scene::{Check, Measure, Scene};

/// What the checks of a scene need, step by step.
pub struct Probe {
    checks: Vec<Check>,
    /// Index of the object of each check; 0 where it has none.
    objects: Vec<usize>,
    series: Vec<Series>,
    /// Index of the soft object of each check.
    softs: Vec<Option<usize>>,
    starts: Vec<Pose>,
    /// Orientation in the palm at the last step and turn about its own axis so far, radians, of each check's object.
    rolls: Vec<(Quat, f64)>,
    recoveries: f64,
    reseats: f64,
    /// Of each hand, where a check asks for it.
    joint_regions: Vec<JointRegion>,
    /// Slip reported so far, per hand.
    slips: Vec<f64>,
}

impl Probe {
    /// A probe for the checks of a scene that is about to start.
    #[must_use]
    pub fn new(scene: &Scene, simulation: &Simulation) -> Probe {
        let object = |check: &Check| {
            let named = check.object.as_ref();
            named.and_then(|name| scene.objects.iter().position(|object| object.name == *name)).unwrap_or(0)
        };
        let soft = |check: &Check| {
            let named = check.object.as_ref();
            named.and_then(|name| scene.softs.iter().position(|soft| soft.name == *name))
        };
        let empty = |check: &Check| match check.measure {
            Measure::Slip => Series::Places(Vec::new()),
            Measure::SlipTurn => Series::Turns(Vec::new()),
            Measure::DiscTiltError => Series::Sometimes(Vec::new()),
            _ => Series::Numbers(Vec::new()),
        };
        let objects: Vec<usize> = scene.checks.iter().map(object).collect();
        let rolls = scene.checks.iter().zip(&objects);
        let rolls = rolls.map(|(check, k)| (in_palm(simulation, check.hand.unwrap_or(0), *k).rotation, 0.0));
        let asked = scene.checks.iter().any(|check| check.measure == Measure::JointVolume);
        let hands = simulation.hands().iter().filter(|_| asked);
        let joint_regions = hands.map(|hand| JointRegion::of(&hand.model)).collect();
        Probe {
            rolls: rolls.collect(),
            objects,
            series: scene.checks.iter().map(empty).collect(),
            softs: scene.checks.iter().map(soft).collect(),
            checks: scene.checks.clone(),
            starts: simulation.objects().iter().map(|id| simulation.world().object(*id).pose).collect(),
            recoveries: 0.0,
            reseats: 0.0,
            joint_regions,
            slips: vec![0.0; simulation.hands().len()],
        }
    }

    /// Reads all measures after a step.
    pub fn read(&mut self, simulation: &Simulation) {
        let flags = simulation.world().report().flags;
        self.recoveries += f64::from(u8::from(flags.rolled_back));
        self.reseats += f64::from(u8::from(flags.reseated));
        for (slips, hand) in self.slips.iter_mut().zip(simulation.hands()) {
            *slips += simulation.world().hand(hand.id).tactile.iter().filter(|finger| finger.slip.event).count() as f64;
        }
        for k in 0..self.checks.len() {
            let (check, object) = (&self.checks[k], self.objects[k]);
            let in_palm = || in_palm(simulation, check.hand.unwrap_or(0), object);
            match check.measure {
                Measure::Slip | Measure::SlipTurn => match &mut self.series[k] {
                    Series::Places(places) => places.push(in_palm().position),
                    Series::Turns(turns) => turns.push(in_palm().rotation),
                    Series::Numbers(_) | Series::Sometimes(_) => {}
                },
                Measure::DiscTiltError => {
                    let value = self.tilt_error(simulation, check);
                    if let Series::Sometimes(values) = &mut self.series[k] {
                        values.push(value);
                    }
                }
                Measure::Roll => {
                    let (before, angle) = self.rolls[k];
                    let now = in_palm().rotation;
                    // within a step the turn is small
                    let angle = angle + yaw(before.inverse() * now);
                    self.rolls[k] = (now, angle);
                    if let Series::Numbers(values) = &mut self.series[k] {
                        values.push(angle.to_degrees());
                    }
                }
                _ => {
                    let value = match self.softs[k].and_then(|soft| simulation.softs().get(soft)) {
                        Some(soft) if check.measure == Measure::DigitsOn => {
                            digits_on(simulation, check, Partner::Soft(soft.id))
                        }
                        Some(soft) => of_soft(simulation, soft, check.measure),
                        None => self.number(simulation, check, object),
                    };
                    if let Series::Numbers(values) = &mut self.series[k] {
                        values.push(value);
                    }
                }
            }
        }
    }

    /// The verdicts, in the order of the checks.
    #[must_use]
    pub fn outcomes(&self, step: f64) -> Vec<CheckOutcome> {
        self.checks.iter().zip(&self.series).map(|(check, series)| judge(check, series, step)).collect()
    }

    /// The values of each check so far, in their order.
    #[must_use]
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    fn number(&self, simulation: &Simulation, check: &Check, object: usize) -> f64 {
        let world = simulation.world();
        let of_object = || simulation.objects().get(object).map(|id| world.object(*id));
        let of_hand = || simulation.hands().get(check.hand.unwrap_or(0)).map(|hand| world.hand(hand.id));
        let start = self.starts.get(object).copied().unwrap_or_default();
        let weight = simulation.masses().get(object).copied().flatten().map(|mass| world.config().gravity * mass);
        let value = match check.measure {
            Measure::Height => of_object().map(|o| o.pose.position.y),
            Measure::Displacement => of_object().map(|o| o.pose.position.distance(start.position)),
            Measure::Turn => of_object().map(|o| o.pose.rotation.angle_between(start.rotation).to_degrees()),
            Measure::Yaw => of_object().map(|o| yaw(o.pose.rotation * start.rotation.inverse()).to_degrees()),
            Measure::Speed => of_object().map(|o| o.velocity.length()),
            Measure::KineticEnergy => kinetic_energy(simulation, object),
            Measure::Force => of_object().map(|o| o.force.length()),
            Measure::Lift => of_object().map(|o| o.force.y),
            Measure::ForceOverWeight => {
                of_object().zip(weight).map(|(o, weight)| -o.force.dot(weight) / weight.length_squared())
            }
            Measure::PalmError => palm_error(simulation, check.hand.unwrap_or(0)),
            Measure::PalmForce => of_hand().map(|h| h.tracking_force.length()),
            Measure::GripForce => of_hand().map(|h| h.grip.iter().sum::<f64>() + h.palm_force),
            Measure::Contacts => of_hand().map(|h| h.contacts.len() as f64),
            Measure::Digits => of_hand().map(|h| h.grip.iter().filter(|force| **force > 0.0).count() as f64),
            Measure::DigitsOn => {
                simulation.objects().get(object).map(|id| digits_on(simulation, check, Partner::Object(*id)))
            }
            Measure::ThumbOnIndex => thumb_on(simulation, check, Digit::Index),
            Measure::ThumbOnMiddle => thumb_on(simulation, check, Digit::Middle),
            Measure::ThumbOnRing => thumb_on(simulation, check, Digit::Ring),
            Measure::ThumbOnLittle => thumb_on(simulation, check, Digit::Little),
            Measure::Phalanges => of_hand().map(|h| pressing_phalanges(h) as f64),
            Measure::Bend => of_hand().map(|h| bend(&h.bones).to_degrees()),
            Measure::JointDrift => of_hand().map(|h| h.joint_drift),
            Measure::Depth => of_hand().map(|h| h.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)),
            Measure::LeastDetF => Some(world.report().min_det),
            Measure::LeastStretch => Some(extremes(world)[0]),
            Measure::GreatestStretch => Some(extremes(world)[1]),
            Measure::JointVolume => self.joint_volume(simulation, check.hand.unwrap_or(0)),
            Measure::Crossed => Some(self.crossed(simulation)),
            Measure::Recoveries => Some(self.recoveries),
            Measure::SoftContacts => Some(f64::from(world.report().soft_contacts)),
            Measure::MovingAtOnce => Some(moving_at_once(simulation) as f64),
            Measure::Reseats => Some(self.reseats),
            Measure::Residual => Some(world.report().residual),
            Measure::HostOffset => Some(simulation.host_offset()),
            Measure::DiscDisplacement => touched(simulation, of_hand(), tactile::displacement),
            Measure::SurfaceTilt => touched(simulation, of_hand(), tactile::surface_tilt),
            Measure::SlipLevel => touched(simulation, of_hand(), tactile::slip_level),
            Measure::SlipEvents => self.slips.get(check.hand.unwrap_or(0)).copied(),
            // Read elsewhere, or something that only soft objects have.
            Measure::Slip | Measure::SlipTurn | Measure::Roll | Measure::Squash | Measure::Deformation => None,
            Measure::DiscTiltError | Measure::HandleForce | Measure::HandleTorque | Measure::HandleError => None,
        };
        value.unwrap_or(f64::NAN)
    }

    /// In steps that have it; not a number where touch is not rendered.
    fn tilt_error(&self, simulation: &Simulation, check: &Check) -> Option<f64> {
        let hand = simulation.hands().get(check.hand.unwrap_or(0)).map(|hand| simulation.world().hand(hand.id));
        touched(simulation, hand, tactile::tilt_error).unwrap_or(Some(f64::NAN))
    }

    fn joint_volume(&self, simulation: &Simulation, hand: usize) -> Option<f64> {
        let (region, driven) = (self.joint_regions.get(hand)?, simulation.hands().get(hand)?);
        let body = simulation.world().soft_of(driven.id)?;
        Some(region.volume(&driven.model, &simulation.world().state().softs.get(body)?.nodes))
    }

    fn crossed(&self, simulation: &Simulation) -> f64 {
        let places = simulation.objects().iter().map(|id| simulation.world().object(*id).pose.position.x);
        places.zip(&self.starts).filter(|(x, start)| x * start.position.x < 0.0).count() as f64
    }
}

fn of_soft(simulation: &Simulation, soft: &SoftThing, measure: Measure) -> f64 {
    let world = simulation.world();
    let (place, velocity) = soft.motion(world);
    match measure {
        Measure::Height => place.y,
        Measure::Displacement => {
            let rest = &soft.rest;
            place.distance(rest.iter().sum::<Vec3>() / rest.len() as f64)
        }
        Measure::Speed => velocity.length(),
        Measure::Squash => soft.squash(world),
        Measure::Deformation => soft.deformation(world),
        Measure::HandleForce => soft.wrench(world)[0].length(),
        Measure::HandleTorque => soft.wrench(world)[1].length(),
        Measure::HandleError => soft.handle_error(world, simulation.time()),
        _ => f64::NAN,
    }
}

/// A soft object that moves faster than this does so visibly, m/s: as wide as a letter in less than a second.
const MOVING: f64 = 0.02;
/// A digit that presses by less rests on something at best, N.
const PRESSING: f64 = 0.05;

fn moving_at_once(simulation: &Simulation) -> usize {
    let world = simulation.world();
    simulation.softs().iter().filter(|soft| soft.motion(world).1.length() > MOVING).count()
}

/// How many digits of a check's hand press on that.
fn digits_on(simulation: &Simulation, check: &Check, partner: Partner) -> f64 {
    let Some(hand) = simulation.hands().get(check.hand.unwrap_or(0)) else { return f64::NAN };
    let mut pressing = [0.0; 5];
    for contact in simulation.world().hand(hand.id).contacts.iter().filter(|contact| contact.partner == partner) {
        if let Some(digit) = contact.patch.digit() {
            pressing[digit.index()] += contact.force.dot(contact.normal);
        }
    }
    pressing.iter().filter(|force| **force >= PRESSING).count() as f64
}

/// Normal force between the thumb and another digit of the same hand, N.
fn thumb_on(simulation: &Simulation, check: &Check, other: Digit) -> Option<f64> {
    let world = simulation.world();
    let own = world.soft_of(simulation.hands().get(check.hand.unwrap_or(0))?.id)?;
    let digit = |side: &Side| match *side {
        Side::Soft { body, patch, .. } if body as usize == own => Patch(patch).digit(),
        _ => None,
    };
    let between = |sides: &[Side; 2]| match sides.each_ref().map(digit) {
        [Some(a), Some(b)] => (a, b) == (Digit::Thumb, other) || (b, a) == (Digit::Thumb, other),
        _ => false,
    };
    let pairs = world.contacts().iter().filter(|pair| pair.active && between(&pair.contact.sides));
    Some(pairs.map(|pair| pair.force.dot(pair.contact.normal)).sum())
}

/// A measure of touch, where it is rendered.
fn touched<T>(
    simulation: &Simulation,
    hand: Option<&HandOutputs>,
    measure: impl FnOnce(&TactileParams, &[FingerTouch]) -> T,
) -> Option<T> {
    let params = simulation.world().config().tactile.as_ref()?;
    Some(measure(params, &hand?.tactile))
}

/// Part of a rotation about the vertical, radians: the rotation is this one after a turn about a horizontal axis.
fn yaw(rotation: Quat) -> f64 {
    let half = rotation.y.atan2(rotation.w);
    // Quaternions of opposite sign are the same rotation.
    let wrapped = half - std::f64::consts::PI * (half / std::f64::consts::PI).round();
    2.0 * wrapped
}

fn pressing_phalanges(hand: &HandOutputs) -> usize {
    let mut pressing = [false; BONE_COUNT];
    for contact in hand.contacts.iter().filter(|contact| contact.force != Vec3::ZERO) {
        pressing[contact.patch.bone().index()] = true;
    }
    pressing.iter().skip(1).filter(|pressing| **pressing).count()
}

/// Sum of the angles between successive bones of a finger, mean of the four fingers, radians.
fn bend(bones: &[Pose; BONE_COUNT]) -> f64 {
    let along = |bone: BoneId| bones[bone.index()].rotation * Vec3::NEG_Z;
    let of_finger = |digit: Digit| {
        let [proximal, middle, distal] = [0, 1, 2].map(|segment| along(BoneId::of(digit, segment)));
        along(BoneId::PALM).angle_between(proximal) + proximal.angle_between(middle) + middle.angle_between(distal)
    };
    Digit::FINGERS.map(of_finger).iter().sum::<f64>() / Digit::FINGERS.len() as f64
}

/// From the script, not from the tracker: a hand that follows a jump of the tracker is not where it should be.
fn palm_error(simulation: &Simulation, hand: usize) -> Option<f64> {
    let hand = simulation.hands().get(hand)?;
    let outputs = simulation.world().hand(hand.id);
    let wanted = hand.tracker().map_or(outputs.tracked[0], |tracker| tracker.wrist(simulation.time()));
    Some(outputs.bones[0].position.distance(wanted.position))
}

/// Placement of an object in the frame of a palm.
fn in_palm(simulation: &Simulation, hand: usize, object: usize) -> Pose {
    let world = simulation.world();
    match (simulation.hands().get(hand), simulation.objects().get(object)) {
        (Some(hand), Some(object)) => world.hand(hand.id).bones[0].inverse() * world.object(*object).pose,
        _ => Pose::new(Vec3::NAN, Quat::NAN),
    }
}

fn kinetic_energy(simulation: &Simulation, object: usize) -> Option<f64> {
    let world = simulation.world();
    let outputs = world.object(*simulation.objects().get(object)?);
    let Some(mass) = &world.objects().get(object)?.mass else { return Some(0.0) };
    // a hosted object has only its share of the mass here
    let whole = simulation.masses().get(object).copied().flatten().map_or(1.0, |whole| whole / mass.mass);
    let spin = outputs.pose.rotation.inverse() * outputs.spin;
    Some(0.5 * whole * (mass.mass * outputs.velocity.length_squared() + spin.dot(mass.inertia * spin)))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    #[test]
    fn yaw_is_the_turn_about_the_vertical() {
        for angle in [-3.0, -0.5, 0.0, 0.7, 3.1] {
            let turn = Quat::from_rotation_y(angle);
            assert!((yaw(turn) - angle).abs() < 1e-12 && (yaw(-turn) - angle).abs() < 1e-12, "{angle}");
            assert!((yaw(turn * Quat::from_rotation_x(0.3)) - angle).abs() < 1e-12, "a tilt is no yaw");
        }
        assert!((yaw(Quat::from_rotation_y(1.5 * PI)) + FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn bend_sums_the_joints_of_a_finger() {
        let mut bones = [Pose::IDENTITY; BONE_COUNT];
        assert_eq!(bend(&bones), 0.0);
        for digit in Digit::FINGERS {
            for segment in 0..3 {
                let angle = -0.4 * (segment + 1) as f64;
                bones[BoneId::of(digit, segment).index()].rotation = Quat::from_rotation_x(angle);
            }
        }
        assert!((bend(&bones) - 1.2).abs() < 1e-7);
    }
}
