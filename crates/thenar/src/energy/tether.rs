//! Coupling of a rigid body to its copy in another engine [CLAP §3.7 with eq. 14, misprints corrected].
//!
//! CLAP's rigid-body coupling with three additions: damping of the relative motion, a target that moves within the
//! step, and a force that is fed forward so that a constant load stretches nothing. On the body act
//! ```text
//! f = f₀ + k (x̂ − x) + c (v̂ − v),      τ = τ₀ + K θ + C (ŵ − w),    θ the axis-angle of R̂ Rᵀ
//! ```
//! all at the end of the step, where `x̂`, `v̂`, `R̂`, `ŵ` are what the copy is predicted to be then.

use super::problem::BorderSystem;
use crate::math::{Mat3, Pose, Vec3, rotation_log};

/// The coupling of one body in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tether {
    /// Predicted placement of the copy's centre of mass at the end of the step.
    pub target: Pose,
    /// Its predicted velocity, m/s.
    pub velocity: Vec3,
    /// Its predicted spin, rad/s.
    pub spin: Vec3,
    /// Linear stiffness in world axes, N/m.
    pub linear: Mat3,
    /// Linear damping in world axes, N s/m.
    pub linear_damping: Mat3,
    /// Angular stiffness in world axes, N m/rad.
    pub angular: Mat3,
    /// Angular damping in world axes, N m s/rad.
    pub angular_damping: Mat3,
    /// Force fed forward, N.
    pub force: Vec3,
    /// Torque fed forward, N m.
    pub torque: Vec3,
}

/// What a tether did to its body in a step.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct TetherPull {
    /// Force on the body, N.
    pub force: Vec3,
    /// Torque about its centre of mass, N m.
    pub torque: Vec3,
    /// The part of the force that the linear spring made, N.
    pub spring_force: Vec3,
    /// The part of the torque that the angular spring made, N m.
    pub spring_torque: Vec3,
    /// Offset of the body from its copy at the end of the step, metres.
    pub offset: Vec3,
}

impl Tether {
    /// Adds the coupling of the body at `pose` (at the start of the step) with border index `index`.
    pub fn append(&self, border: &mut BorderSystem, index: usize, pose: &Pose, h: f64) {
        let (linear, angular) = (2 * index, 2 * index + 1);
        border.add(linear, linear, &(self.linear * (h * h) + self.linear_damping * h));
        border.add(angular, angular, &(self.angular * (h * h) + self.angular_damping * h));
        let away = self.target.position - pose.position;
        border.add_rhs(linear, (self.force + self.linear * away + self.linear_damping * self.velocity) * h);
        let turn = rotation_log(self.target.rotation * pose.rotation.inverse());
        border.add_rhs(angular, (self.torque + self.angular * turn + self.angular_damping * self.spin) * h);
    }

    /// The pull that the solved motion of the body implies; `pose` is where it was at the start of the step.
    #[must_use]
    pub fn pull(&self, pose: &Pose, velocity: Vec3, spin: Vec3, h: f64) -> TetherPull {
        let away = self.target.position - pose.position - velocity * h;
        let turn = rotation_log(self.target.rotation * pose.rotation.inverse()) - spin * h;
        let (spring_force, spring_torque) = (self.linear * away, self.angular * turn);
        TetherPull {
            force: self.force + spring_force + self.linear_damping * (self.velocity - velocity),
            torque: self.torque + spring_torque + self.angular_damping * (self.spin - spin),
            spring_force,
            spring_torque,
            offset: -away,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_exp;

    /// What is appended must be what is reported: the momentum that a free body gains is the impulse of the pull.
    #[test]
    fn the_impulse_is_the_change_of_momentum() {
        let (mass, inertia, h) = (0.3, Mat3::from_diagonal(Vec3::new(1e-4, 2e-4, 3e-4)), 1.0 / 90.0);
        let tether = Tether {
            target: Pose::new(Vec3::new(0.01, -0.02, 0.005), rotation_exp(Vec3::new(0.1, -0.2, 0.05))),
            velocity: Vec3::new(0.1, 0.3, -0.2),
            spin: Vec3::new(1.0, -2.0, 0.5),
            linear: Mat3::from_diagonal(Vec3::splat(900.0)),
            linear_damping: Mat3::from_diagonal(Vec3::splat(12.0)),
            angular: Mat3::from_diagonal(Vec3::new(0.3, 0.6, 0.9)),
            angular_damping: Mat3::from_diagonal(Vec3::splat(0.01)),
            force: Vec3::new(0.0, 2.0, 0.0),
            torque: Vec3::new(0.01, 0.0, 0.02),
        };
        let pose = Pose::new(Vec3::new(0.002, 0.0, 0.0), rotation_exp(Vec3::new(0.0, 0.1, 0.0)));
        let (v, w) = (Vec3::new(0.5, 0.0, 0.1), Vec3::new(0.0, 1.0, 0.0));
        let mut border = crate::energy::problem::BorderProblem::default();
        border.resize(1);
        let border = &mut border.assembled;
        border.add(0, 0, &Mat3::from_diagonal(Vec3::splat(mass)));
        border.add(1, 1, &inertia);
        border.add_rhs(0, v * mass);
        border.add_rhs(1, inertia * w);
        tether.append(border, 0, &pose, h);
        // the tensors here are diagonal, so each row is solved alone
        let solved: Vec<f64> = (0..6).map(|i| border.rhs[i] / border.matrix[7 * i]).collect();
        let (v1, w1) = (Vec3::new(solved[0], solved[1], solved[2]), Vec3::new(solved[3], solved[4], solved[5]));
        let pull = tether.pull(&pose, v1, w1, h);
        assert!((pull.force * h - (v1 - v) * mass).length() < 1e-12, "{pull:?}");
        assert!((pull.torque * h - inertia * (w1 - w)).length() < 1e-12, "{pull:?}");
    }
}
