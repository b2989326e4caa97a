//! Counts the energy that a device gives to its user, and takes back what was never put in [Hannaford & Ryu 2002].
//!
//! A force is held for a tick while the device moves by `Δx`, so what flows in is known exactly: `E += −f·Δx`. Something that stores
//! and dissipates never lets `E` fall below zero; a sampled wall, a late model and a device that measures turns without resisting them
//! do, and a hand feels that as a buzz, or is thrown out of a wall that it entered unnoticed.
//!
//! The controller never lets a force be larger than a spring of the largest stiffness could hold with what was put in:
//!
//! ```text
//! f² / 2k ≤ E + reserve
//! ```
//!
//! Where the user pushes against it, `E` grows by `f Δx` and the bound by `k Δx`: the wall is where the user stopped, and as stiff as ever, not where it would throw the hand
//! with energy that nobody put in. What is softer than `k` and passive is never touched. The bound needs no velocity, so that noise of one does
//! not come back as force. A debt is paid by a damper.

use super::proxy::DeviceCoupling;
use crate::math::{Pose, Vec3, rotation_log};

/// Of observer and controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassivityParams {
    /// Whether forces are changed; energy is counted in any case.
    pub control: bool,
    /// `k`: stiffer than anything that is rendered, N/m.
    pub stiffness: f64,
    /// The same of turns, N·m/rad.
    pub turn_stiffness: f64,
    /// J that may be given without having been put in: less than a tap with a finger.
    pub reserve: f64,
    /// The damper that pays a debt, N·s/m.
    pub damping: f64,
    /// The same of turns, N·m·s/rad.
    pub turn_damping: f64,
    /// Below this force (N, or N·m at a lever of 5 cm) the device moves freely, and what it dissipates then is forgotten.
    pub free: f64,
    /// Seconds in which it is forgotten.
    pub forget: f64,
    /// Most energy that is remembered, J: what springs at the device's largest force can hold.
    pub most: f64,
}

impl Default for PassivityParams {
    fn default() -> Self {
        let coupling = DeviceCoupling::default();
        Self {
            control: true,
            stiffness: MARGIN * coupling.stiffness,
            turn_stiffness: MARGIN * coupling.turn_stiffness,
            reserve: 1e-3,
            damping: 10.0,
            turn_damping: 5e-3,
            free: 0.05,
            forget: 0.05,
            most: 0.5,
        }
    }
}

/// Nothing felt through a coupling is stiffer than it; half as much more leaves room for what sampling does to `E`.
const MARGIN: f64 = 1.5;

impl PassivityParams {
    /// The same for what is felt through that coupling.
    #[must_use]
    pub fn through(self, coupling: &DeviceCoupling) -> Self {
        let (stiffness, turn_stiffness) = (MARGIN * coupling.stiffness, MARGIN * coupling.turn_stiffness);
        Self { stiffness, turn_stiffness, ..self }
    }
}

/// Of one handle of a device.
#[derive(Clone, Debug)]
pub struct Passivity {
    params: PassivityParams,
    /// Axes with motors: forces x y z, torques x y z. Elsewhere a wrench does no work, whatever is computed.
    actuated: [bool; 6],
    /// Where the device was, and what it was told.
    last: Option<(Pose, [f64; 6])>,
    energy: f64,
    lowest: f64,
    /// J that the controller dissipated.
    taken: f64,
}

impl Passivity {
    /// For a device with those motors.
    #[must_use]
    pub fn new(params: PassivityParams, actuated: [bool; 6]) -> Self {
        Self { params, actuated, last: None, energy: 0.0, lowest: 0.0, taken: 0.0 }
    }

    /// What the user has put in and not got back, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// The lowest that [`Passivity::energy`] ever was, J: 0 if the device never gave more than it got.
    #[must_use]
    pub fn lowest(&self) -> f64 {
        self.lowest
    }

    /// What the controller took out of the motion, J.
    #[must_use]
    pub fn dissipated(&self) -> f64 {
        self.taken
    }

    /// One tick: counts what the last wrench did, and changes the next one where it would give too much.
    ///
    /// `pose` is where the device is measured, with its velocities; the wrench is that on the user, N and N·m.
    pub fn tick(&mut self, pose: &Pose, velocity: Vec3, spin: Vec3, dt: f64, wrench: &mut [f64]) {
        for (value, actuated) in wrench.iter_mut().zip(self.actuated) {
            if !actuated {
                *value = 0.0;
            }
        }
        self.observe(pose, dt);
        if self.params.control {
            self.control(velocity, spin, dt, wrench);
        }
        let mut held = [0.0; 6];
        held.copy_from_slice(&wrench[..6]);
        self.last = Some((*pose, held));
    }

    /// Tells what the device was given in the end, where limits came after the controller.
    pub fn given(&mut self, wrench: &[f64]) {
        if let Some((_, held)) = &mut self.last {
            held.copy_from_slice(&wrench[..6]);
        }
    }

    fn observe(&mut self, pose: &Pose, dt: f64) {
        let Some((before, held)) = &self.last else { return };
        let way = pose.position - before.position;
        let turn = rotation_log(pose.rotation * before.rotation.conjugate());
        let (force, torque) = (Vec3::from_slice(&held[..3]), Vec3::from_slice(&held[3..]));
        self.energy -= force.dot(way) + torque.dot(turn);
        self.lowest = self.lowest.min(self.energy);
        let free = force.length() < self.params.free && torque.length() < self.params.free * LEVER;
        if free && self.energy > 0.0 {
            self.energy *= (1.0 - dt / self.params.forget).max(0.0);
        }
        self.energy = self.energy.min(self.params.most);
    }

    fn control(&mut self, velocity: Vec3, spin: Vec3, dt: f64, wrench: &mut [f64]) {
        let PassivityParams { stiffness, turn_stiffness, reserve, damping, turn_damping, .. } = self.params;
        let power =
            |wrench: &[f64]| Vec3::from_slice(&wrench[..3]).dot(velocity) + Vec3::from_slice(&wrench[3..6]).dot(spin);
        let before = power(wrench);
        let stored = 0.5 * (squares(&wrench[..3]) / stiffness + squares(&wrench[3..6]) / turn_stiffness);
        let available = (self.energy + reserve).max(0.0);
        if stored > available {
            let scale = (available / stored).sqrt();
            wrench.iter_mut().for_each(|value| *value *= scale);
        }
        if self.energy < 0.0 {
            // as much of it as there is debt
            let share = (-self.energy / reserve.max(f64::MIN_POSITIVE)).min(1.0);
            for axis in (0..6).filter(|axis| self.actuated[*axis]) {
                let (b, v) = if axis < 3 { (damping, velocity[axis]) } else { (turn_damping, spin[axis - 3]) };
                wrench[axis] -= share * b * v;
            }
        }
        self.taken += (before - power(wrench)).max(0.0) * dt;
    }
}

/// At which a torque is felt as a force, metres: fingers that hold a pen-like handle.
const LEVER: f64 = 0.05;

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1e-3;

    fn at(x: f64) -> Pose {
        Pose { position: Vec3::new(x, 0.0, 0.0), ..Pose::IDENTITY }
    }

    /// A mass against a wall, with the force held for a tick; returns how fast it leaves, and the lowest energy.
    fn bounce(stiffness: f64, damping: f64, control: bool) -> (f64, f64) {
        let mut passivity = Passivity::new(PassivityParams { control, ..PassivityParams::default() }, [true; 6]);
        let (mut x, mut v, mass): (f64, f64, f64) = (0.01, -0.1, 0.1);
        for _ in 0..400 {
            let mut wrench = [if x < 0.0 { -stiffness * x - damping * v } else { 0.0 }, 0.0, 0.0, 0.0, 0.0, 0.0];
            passivity.tick(&at(x), Vec3::new(v, 0.0, 0.0), Vec3::ZERO, DT, &mut wrench);
            for _ in 0..20 {
                v += wrench[0] / mass * DT / 20.0;
                x += v * DT / 20.0;
            }
        }
        (v, passivity.lowest())
    }

    #[test]
    fn a_sampled_wall_gives_energy_and_the_controller_takes_it_back() {
        let (faster, lowest) = bounce(4000.0, 0.0, false);
        assert!(faster > 0.105 && lowest < -0.5e-4, "{faster} m/s, {lowest} J");
        let (slower, lowest) = bounce(4000.0, 0.0, true);
        assert!(slower <= 0.1 && lowest > -1e-3, "{slower} m/s, {lowest} J, beyond its reserve of 1 mJ");
    }

    #[test]
    fn a_wall_that_is_passive_is_left_alone() {
        // more damping than half a tick of the spring [Colgate 1997]
        let (free, controlled) = (bounce(200.0, 0.3, false), bounce(200.0, 0.3, true));
        assert!((free.0 - controlled.0).abs() < 0.01 * free.0, "{free:?} {controlled:?}");
    }

    /// The user turns, feels no torque, and is pushed: all of that energy comes from nowhere.
    #[test]
    fn axes_without_motors_do_no_work() {
        let actuated = [true, true, true, false, false, false];
        let mut passivity = Passivity::new(PassivityParams::default(), actuated);
        let mut wrench = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        passivity.tick(&at(0.0), Vec3::ZERO, Vec3::ZERO, DT, &mut wrench);
        assert_eq!(wrench[5], 0.0);
        for k in 0..100 {
            let mut wrench = [5.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            passivity.tick(&at(1e-4 * f64::from(k)), Vec3::new(0.1, 0.0, 0.0), Vec3::ZERO, DT, &mut wrench);
        }
        assert!(passivity.lowest() > -1.5e-3, "a push along the motion, with nothing put in: {} J", passivity.lowest());
    }

    #[test]
    fn what_is_dissipated_in_free_motion_is_no_credit() {
        let mut passivity = Passivity::new(PassivityParams::default(), [true; 6]);
        for k in 0..1000 {
            let mut wrench = [-0.04, 0.0, 0.0, 0.0, 0.0, 0.0];
            passivity.tick(&at(1e-3 * f64::from(k)), Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO, DT, &mut wrench);
        }
        assert!(passivity.energy() < 2.5e-3, "{} J after 40 mJ of drag", passivity.energy());
    }
}
