//! A person who holds a device: the hand as mass, spring and damper around where it wants to be.
//!
//! The force is held from one write to the next, poses are read in steps of an encoder, and the body moves in steps of 50 µs between: that is
//! what makes sampled walls buzz, so that tests can see it.

use super::triple::Reader;
use super::wish::{Intention, Wish};
use super::{HapticDevice, Motion, Motors, Reading};
use thenar::haptics::HandleState;
use thenar::math::{Pose, Vec3, rotation_exp, rotation_log};

/// Of a hand that holds a pen, and of the pen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandImpedance {
    /// Hand and device as they move together, kg.
    pub mass: f64,
    /// About the grip, kg·m².
    pub inertia: f64,
    /// Towards where the hand wants to be, N/m.
    pub stiffness: f64,
    /// N·s/m, against how it wants to move.
    pub damping: f64,
    /// N·m/rad.
    pub turn_stiffness: f64,
    /// N·m·s/rad.
    pub turn_damping: f64,
    /// Of the device's joints, against the world, N·s/m.
    pub friction: f64,
    /// From where the hand holds the pen to where the motors act on it, in the pen's axes, metres.
    pub grip: Vec3,
    /// Of the encoders, metres; angles are read in steps that move a point at 5 cm as far. 0 for exact.
    pub resolution: f64,
}

impl Default for HandImpedance {
    /// Fingers on a pen: natural frequency near 6 Hz, half of critical damping [Kuchenbecker 2003, Hasser & Cutkosky 2002 measure about that], on a
    /// desktop device with 20 µm encoders.
    fn default() -> Self {
        Self {
            mass: 0.2,
            inertia: 2.0e-4,
            stiffness: 300.0,
            damping: 8.0,
            turn_stiffness: 1.0,
            turn_damping: 0.014,
            friction: 0.5,
            grip: Vec3::ZERO,
            resolution: 20e-6,
        }
    }
}

/// Of the body's motion, seconds.
const STEP: f64 = 50e-6;
/// At which angles are as fine as ways, m.
const LEVER: f64 = 0.05;

/// A device in the hand of a simulated person.
pub struct SimulatedDevice {
    name: &'static str,
    motors: Motors,
    hand: HandImpedance,
    intention: Intention,
    grip: HandleState,
    wrench: [f64; 6],
    time: f64,
    steps: u64,
}

impl SimulatedDevice {
    /// Forces only, as most devices on desks: up to 8 N.
    #[must_use]
    pub fn three(hand: HandImpedance, intention: Motion) -> Self {
        Self::new("sim3", Motors::three(8.0), hand, Intention::Motion(intention))
    }

    /// Forces and torques: up to 8 N and 0.4 N·m.
    #[must_use]
    pub fn six(hand: HandImpedance, intention: Motion) -> Self {
        Self::new("sim6", Motors::six(8.0, 0.4), hand, Intention::Motion(intention))
    }

    /// A person who is told where to go while it happens, and holds a pen that is found at `start`. Nobody holds it when the wish says so, or when
    /// none has come for a quarter of a second: the device is lost then, and rests where it is or where the wish says that it lies.
    #[must_use]
    pub fn live(name: &'static str, motors: Motors, hand: HandImpedance, start: Pose, wishes: Reader<Wish>) -> Self {
        Self { grip: at_rest(start), ..Self::new(name, motors, hand, Intention::live(start, wishes)) }
    }

    fn new(name: &'static str, motors: Motors, hand: HandImpedance, mut intention: Intention) -> Self {
        let grip = at_rest(intention.at(0.0).pose);
        Self { name, motors, hand, intention, grip, wrench: [0.0; 6], time: 0.0, steps: 0 }
    }

    /// Where the motors hold the pen, exactly.
    #[must_use]
    pub fn state(&self) -> HandleState {
        let lever = self.grip.pose.rotation * self.hand.grip;
        let position = self.grip.pose.position + lever;
        let velocity = self.grip.velocity + self.grip.spin.cross(lever);
        HandleState { pose: Pose { position, ..self.grip.pose }, velocity, ..self.grip }
    }

    fn advance(&mut self, until: f64) {
        // whole steps, counted, so that the same ticks give the same bits
        let wanted = (until / STEP).round() as u64;
        while self.steps < wanted {
            self.steps += 1;
            self.time = self.steps as f64 * STEP;
            let wanted = self.intention.at(self.time);
            let (hand, grip) = (&self.hand, &mut self.grip);
            let (force, mut torque) = (Vec3::from_slice(&self.wrench[..3]), Vec3::from_slice(&self.wrench[3..]));
            torque += (grip.pose.rotation * hand.grip).cross(force);
            let pull = hand.stiffness * (wanted.pose.position - grip.pose.position) + hand.damping * wanted.velocity;
            let turn = rotation_log(wanted.pose.rotation * grip.pose.rotation.conjugate());
            let twist = hand.turn_stiffness * turn + hand.turn_damping * wanted.spin;
            let drag = 1.0 + STEP * (hand.damping + hand.friction) / hand.mass;
            grip.velocity = (grip.velocity + STEP / hand.mass * (force + pull)) / drag;
            let drag = 1.0 + STEP * hand.turn_damping / hand.inertia;
            grip.spin = (grip.spin + STEP / hand.inertia * (torque + twist)) / drag;
            grip.pose.position += STEP * grip.velocity;
            grip.pose.rotation = (rotation_exp(STEP * grip.spin) * grip.pose.rotation).normalize();
        }
    }
}

fn at_rest(pose: Pose) -> HandleState {
    HandleState { pose, ..HandleState::default() }
}

/// To whole steps.
fn rounded(value: Vec3, step: f64) -> Vec3 {
    if step > 0.0 { (value / step).round() * step } else { value }
}

impl HapticDevice for SimulatedDevice {
    fn name(&self) -> &str {
        self.name
    }

    fn motors(&self) -> Motors {
        self.motors
    }

    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        if !self.intention.is_there(now) {
            // whoever lets go leaves the pen where it is, unless it is told where it lies
            self.grip = at_rest(self.intention.lies().unwrap_or(self.grip.pose));
            self.wrench = [0.0; 6];
            self.steps = (now / STEP).round() as u64;
            return Reading::Lost;
        }
        self.advance(now);
        let mut state = self.state();
        let step = self.hand.resolution;
        state.pose.position = rounded(state.pose.position, step);
        state.pose.rotation = rotation_exp(rounded(rotation_log(state.pose.rotation), step / LEVER));
        if let Some(place) = states.first_mut() {
            *place = state;
        }
        Reading::Fresh
    }

    fn write(&mut self, wrenches: &[f64]) {
        for ((held, told), exists) in self.wrench.iter_mut().zip(wrenches).zip(self.motors.axes) {
            *held = if exists { *told } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::triple::{Writer, triple};
    use super::*;

    fn held() -> Motion {
        let mut motion = Motion::default();
        assert!(motion.push(0.0, Pose::IDENTITY));
        motion
    }

    #[test]
    fn a_hand_gives_way_by_its_stiffness() {
        let mut device = SimulatedDevice::six(HandImpedance::default(), held());
        device.write(&[3.0, 0.0, 0.0, 0.0, 0.1, 0.0]);
        let mut states = [HandleState::default()];
        for tick in 0..2000 {
            device.read(f64::from(tick) * 1e-3, &mut states);
        }
        assert!((states[0].pose.position.x - 0.01).abs() < 2e-5);
        assert!((rotation_log(states[0].pose.rotation).y - 0.1).abs() < 1e-3);
    }

    /// Held, it comes towards the wish; let go, it lies where the wish says however long it takes; held again, it goes on from there.
    #[test]
    fn a_pen_that_nobody_holds_is_lost_and_stays() {
        let (mut wishes, reader) = triple(Wish::default);
        let start = Pose { position: Vec3::Y, ..Pose::IDENTITY };
        let mut device = SimulatedDevice::live("mouse", Motors::three(8.0), HandImpedance::default(), start, reader);
        let wanted = Pose { position: Vec3::new(0.02, 1.0, 0.0), ..Pose::IDENTITY };
        let lying = Pose { position: Vec3::new(0.005, 1.0, 0.0), ..Pose::IDENTITY };
        let mut tick = 0;
        let mut run = |wishes: &mut Writer<Wish>, held: Option<bool>, ticks: u32| {
            let mut states = [HandleState::default()];
            let mut reading = Reading::Lost;
            for _ in 0..ticks {
                if let Some(held) = held {
                    *wishes.slot() = Wish { place: at_rest(if held { wanted } else { lying }), held };
                    wishes.publish();
                }
                reading = device.read(f64::from(tick) * 1e-3, &mut states);
                device.write(&[-3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
                tick += 1;
            }
            (reading, states[0].pose.position.x)
        };
        assert_eq!(run(&mut wishes, None, 10).0, Reading::Lost, "nobody has held it yet");
        let (reading, pressed) = run(&mut wishes, Some(true), 2000);
        assert!(reading == Reading::Fresh && (pressed - 0.01).abs() < 1e-4, "{pressed}: 3 N of 300 N/m hold it back");
        assert_eq!(run(&mut wishes, Some(false), 3000).0, Reading::Lost);
        let (reading, again) = run(&mut wishes, Some(true), 1);
        assert!(reading == Reading::Fresh && (again - 0.005).abs() < 1e-4, "{again}");
        assert_eq!(run(&mut wishes, None, 200).0, Reading::Fresh, "one wish holds for a moment");
        assert_eq!(run(&mut wishes, None, 100).0, Reading::Lost, "but not for long");
    }

    #[test]
    fn three_motors_exert_no_torque() {
        let mut device = SimulatedDevice::three(HandImpedance::default(), held());
        device.write(&[0.0, 0.0, 0.0, 0.0, 0.4, 0.0]);
        let mut states = [HandleState::default()];
        device.read(0.5, &mut states);
        assert_eq!(states[0], HandleState::default());
    }
}
