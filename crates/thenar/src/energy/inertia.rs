//! Inertia of nodes and rigid bodies: the `M` of implicit Euler, with the gyroscopic term.
//!
//! A body carries its angular momentum `L = R I Rᵀ ω` from step to step instead of `ω`: with no torque `L` is constant
//! while `R` turns, which is Euler's equation including `ω × I ω`.

use crate::math::{Mat3, Pose, Quat, Vec3, rotation_exp};

/// Mass and inertia of a rigid body about its centre of mass, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMass {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia tensor, kg m².
    pub inertia: Mat3,
}

/// Motion of a rigid body: the placement of its centre of mass, its velocity and angular momentum in world axes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigidState {
    /// Placement of the centre of mass.
    pub pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass, kg m²/s.
    pub momentum: Vec3,
}

impl RigidMass {
    /// Inertia in world axes, `R I Rᵀ`.
    #[must_use]
    pub fn world_inertia(&self, rotation: Quat) -> Mat3 {
        let r = Mat3::from_quat(rotation);
        r * self.inertia * r.transpose()
    }

    /// A moment of inertia that no axis falls below, kg m².
    #[must_use]
    pub fn least_inertia(&self) -> f64 {
        let inverse = self.inertia.inverse();
        1.0 / (inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z)
    }
}

impl RigidState {
    /// A body at rest.
    #[must_use]
    pub fn at(pose: Pose) -> Self {
        RigidState { pose, velocity: Vec3::ZERO, momentum: Vec3::ZERO }
    }

    /// Angular velocity in world axes, rad/s.
    #[must_use]
    pub fn spin(&self, mass: &RigidMass) -> Vec3 {
        mass.world_inertia(self.pose.rotation).inverse() * self.momentum
    }

    /// Moves the body by the velocities found for this step and carries its momentum over [CLAP eq. 3].
    pub fn advance(&mut self, mass: &RigidMass, velocity: Vec3, spin: Vec3, dt: f64) {
        self.momentum = mass.world_inertia(self.pose.rotation) * spin;
        self.velocity = velocity;
        self.pose.position += velocity * dt;
        self.pose.rotation = (rotation_exp(spin * dt) * self.pose.rotation).normalize();
    }

    /// Kinetic energy, J.
    #[must_use]
    pub fn kinetic_energy(&self, mass: &RigidMass) -> f64 {
        0.5 * mass.mass * self.velocity.length_squared() + 0.5 * self.spin(mass).dot(self.momentum)
    }
}
