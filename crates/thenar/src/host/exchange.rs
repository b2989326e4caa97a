//! One body's traffic between the two sides.

use super::HostCopy;
use crate::energy::tether::{Tether, TetherPull};
use crate::geometry::distance::MassProperties;
use crate::math::{Mat3, Vec3};

/// How copies are kept together. The defaults hold for every mass and rate: the numbers have no dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingParams {
    /// The engine's part of the mass, below one half.
    pub share: f64,
    /// Stiffness over `m / dt²` of the host (and inertia over `dt²` for turning).
    pub stiffness: f64,
    /// Damping over `m / dt`.
    pub damping: f64,
    /// How much of the mean spring force is fed forward after each host step.
    pub feed: f64,
    /// A body wakes when a hand comes this near, metres, and rests when all hands are twice as far.
    pub near: f64,
    /// Bodies that may be awake at once.
    pub slots: usize,
}

impl Default for CouplingParams {
    /// Chosen by the largest eigenvalue of one exchange, over a free body, one held by a soft to rigid hand and one
    /// that the host blocks, with 1 to 16 engine steps per host step: below 0.77 in all of them (a disturbance is gone
    /// after ten host steps), but for a hand as soft as the coupling itself, whose own swing has 0.94.
    fn default() -> Self {
        CouplingParams { share: 0.25, stiffness: 0.3, damping: 0.4, feed: 0.2, near: 0.03, slots: 6 }
    }
}

/// An impulse and an angular impulse about the centre of mass; N s, N m s. Also used for their rates.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Wrench {
    pub linear: Vec3,
    pub angular: Vec3,
}

impl Wrench {
    pub fn scaled(self, by: f64) -> Wrench {
        Wrench { linear: self.linear * by, angular: self.angular * by }
    }

    pub fn plus(self, other: Wrench) -> Wrench {
        Wrench { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }

    pub fn is_zero(&self) -> bool {
        self.linear == Vec3::ZERO && self.angular == Vec3::ZERO
    }
}

/// How much firmer the coupling is in motions that the host blocks: there the host's copy does not answer, so that
/// stiffness cannot make the exchange unstable.
const BLOCKED: f64 = 100.0;

/// State of one body's coupling.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Exchange {
    pub awake: bool,
    pub copy: HostCopy,
    /// Fed forward to the engine's copy.
    feed: Wrench,
    /// Impulse that the host is still owed.
    owed: Wrench,
    /// Its rate during the last engine step.
    rate: Wrench,
    /// Impulse of the springs since the last host step, and how long that is.
    sprung: Wrench,
    since: f64,
}

impl Exchange {
    pub fn first_seen(copy: HostCopy) -> Self {
        Exchange { copy, ..Exchange::default() }
    }

    /// Begins with the force that lets the engine's copy move as the host's does: its weight, if that one rests.
    pub fn wake(&mut self, mass: &MassProperties, share: f64, gravity: Vec3) {
        self.awake = true;
        let linear = (self.copy.acceleration - gravity) * (mass.mass * share);
        self.feed = Wrench { linear, angular: Vec3::ZERO };
        self.rate = Wrench::default();
        self.sprung = Wrench::default();
        self.since = 0.0;
    }

    /// Ends; `left` is the momentum that the engine's copy has over the host's.
    pub fn rest(&mut self, left: Wrench) {
        self.awake = false;
        self.owed = self.owed.plus(left);
        self.rate = Wrench::default();
    }

    /// The tether of the next engine step, which ends `t` seconds after the last host step.
    pub fn tether(
        &self,
        mass: &MassProperties,
        rail: Option<Vec3>,
        params: &CouplingParams,
        interval: f64,
        t: f64,
    ) -> Tether {
        let target = self.copy.predict(t);
        let r = Mat3::from_quat(target.pose.rotation);
        let inertia = r * mass.inertia * r.transpose();
        let (stiffness, damping) = (params.stiffness / (interval * interval), params.damping / interval);
        let (firm, turning) = match rail {
            None => (Mat3::IDENTITY, 1.0),
            Some(d) => {
                let along = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
                (Mat3::IDENTITY * BLOCKED + along * (1.0 - BLOCKED), BLOCKED)
            }
        };
        Tether {
            target: target.pose,
            velocity: target.velocity,
            spin: target.spin,
            linear: firm * (mass.mass * stiffness),
            linear_damping: firm * (mass.mass * damping),
            angular: inertia * (stiffness * turning),
            angular_damping: inertia * (damping * turning),
            force: self.feed.linear,
            torque: self.feed.angular,
        }
    }

    /// Books what the tether did in an engine step. The couple of the two forces is given to the host as well, because
    /// they act at the two centres of mass.
    pub fn book(&mut self, pull: &TetherPull, dt: f64) {
        self.rate = Wrench { linear: -pull.force, angular: -pull.torque - pull.offset.cross(pull.force) };
        self.owed = self.owed.plus(self.rate.scaled(dt));
        self.sprung = self.sprung.plus(Wrench { linear: pull.spring_force, angular: pull.spring_torque }.scaled(dt));
        self.since += dt;
    }

    /// The impulse of the next host step: all that is owed but what belongs to the time after it, `surplus` seconds.
    pub fn pay(&mut self, surplus: f64) -> Wrench {
        let paid = self.owed.plus(self.rate.scaled(-surplus));
        self.owed = self.rate.scaled(surplus);
        paid
    }

    /// After host steps: what the springs carried is fed forward.
    pub fn feed(&mut self, gain: f64) {
        if self.since > 0.0 {
            self.feed = self.feed.plus(self.sprung.scaled(gain / self.since));
        }
        self.sprung = Wrench::default();
        self.since = 0.0;
    }
}
