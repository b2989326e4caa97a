//! Reading measures off a simulation after every step.

use thenar::math::{Pose, Vec3};

use super::series::{CheckOutcome, Series, judge};
use super::simulation::Simulation;
use crate::scene::{Check, Measure, Scene};

/// What the checks of a scene need, step by step.
pub struct Probe {
    checks: Vec<Check>,
    /// Index of the object of each check; 0 where it has none.
    objects: Vec<usize>,
    series: Vec<Series>,
    starts: Vec<Pose>,
    recoveries: f64,
    reseats: f64,
}

impl Probe {
    /// A probe for the checks of a scene that is about to start.
    #[must_use]
    pub fn new(scene: &Scene, simulation: &Simulation) -> Probe {
        let object = |check: &Check| {
            let named = check.object.as_ref();
            named.and_then(|name| scene.objects.iter().position(|object| object.name == *name)).unwrap_or(0)
        };
        let empty = |check: &Check| match check.measure {
            Measure::Slip => Series::Places(Vec::new()),
            _ => Series::Numbers(Vec::new()),
        };
        Probe {
            objects: scene.checks.iter().map(object).collect(),
            series: scene.checks.iter().map(empty).collect(),
            checks: scene.checks.clone(),
            starts: simulation.objects().iter().map(|id| simulation.world().object(*id).pose).collect(),
            recoveries: 0.0,
            reseats: 0.0,
        }
    }

    /// Reads all measures after a step.
    pub fn read(&mut self, simulation: &Simulation) {
        let flags = simulation.world().report().flags;
        self.recoveries += f64::from(u8::from(flags.rolled_back));
        self.reseats += f64::from(u8::from(flags.reseated));
        for k in 0..self.checks.len() {
            let (check, object) = (&self.checks[k], self.objects[k]);
            if check.measure == Measure::Slip {
                let place = in_palm(simulation, check.hand.unwrap_or(0), object);
                if let Series::Places(places) = &mut self.series[k] {
                    places.push(place);
                }
            } else {
                let value = self.number(simulation, check, object);
                if let Series::Numbers(values) = &mut self.series[k] {
                    values.push(value);
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
            Measure::JointDrift => of_hand().map(|h| h.joint_drift),
            Measure::Depth => of_hand().map(|h| h.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)),
            Measure::LeastDetF => Some(world.report().min_det),
            Measure::Recoveries => Some(self.recoveries),
            Measure::Reseats => Some(self.reseats),
            Measure::Residual => Some(world.report().residual),
            // Slip is a place, not a number.
            Measure::Slip => None,
        };
        value.unwrap_or(f64::NAN)
    }
}

/// From the script, not from the tracker: a hand that follows a jump of the tracker is not where it should be.
fn palm_error(simulation: &Simulation, hand: usize) -> Option<f64> {
    let hand = simulation.hands().get(hand)?;
    let wanted = hand.tracker().wrist(simulation.time()).position;
    Some(simulation.world().hand(hand.id).bones[0].position.distance(wanted))
}

/// Place of an object's origin in the frame of a palm.
fn in_palm(simulation: &Simulation, hand: usize, object: usize) -> Vec3 {
    let world = simulation.world();
    match (simulation.hands().get(hand), simulation.objects().get(object)) {
        (Some(hand), Some(object)) => world.hand(hand.id).bones[0].local(world.object(*object).pose.position),
        _ => Vec3::NAN,
    }
}

fn kinetic_energy(simulation: &Simulation, object: usize) -> Option<f64> {
    let world = simulation.world();
    let outputs = world.object(*simulation.objects().get(object)?);
    let Some(mass) = &world.objects().get(object)?.mass else { return Some(0.0) };
    let spin = outputs.pose.rotation.inverse() * outputs.spin;
    Some(0.5 * mass.mass * outputs.velocity.length_squared() + 0.5 * spin.dot(mass.inertia * spin))
}
