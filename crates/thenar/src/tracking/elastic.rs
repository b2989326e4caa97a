//! Intermediate bones: sixteen disconnected rigid bodies between the tracked and the simulated hand [CLAP §3.6].
//!
//! They run at a fixed rate of their own. Each is pulled by its tracked pose and by the simulated bone's last copy,
//! both held constant; the simulated bone is then pulled by the intermediate one. Noise and jumps of the tracker thus
//! reach the tissue only through two springs in series, each with a largest force.

use super::TrackingParams;
use super::params::CouplingParams;
use crate::energy::coupling::{angular, capped};
use crate::energy::inertia::{RigidMass, RigidState};
use crate::hand::BONE_COUNT;
use crate::math::{Mat3, Pose, Vec3};

/// The intermediate bones of one hand; part of the State.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticState {
    /// Placements (of the centres of mass) and motion.
    pub bones: [RigidState; BONE_COUNT],
    /// Simulated time not yet consumed by intermediate steps, seconds.
    pub accumulator: f64,
}

impl ElasticState {
    /// Intermediate bones at rest on their targets.
    #[must_use]
    pub fn seated(targets: &[Pose; BONE_COUNT]) -> Self {
        ElasticState { bones: targets.map(RigidState::at), accumulator: 0.0 }
    }

    /// Runs as many intermediate steps as fit into `dt` more seconds.
    ///
    /// `tracked` and `simulated` are placements of the centres of mass.
    pub fn advance(
        &mut self,
        dt: f64,
        params: &TrackingParams,
        masses: &[RigidMass],
        tracked: &[Pose; BONE_COUNT],
        simulated: &[Pose],
    ) {
        let h = 1.0 / params.rate;
        self.accumulator += dt;
        // a call with a very long dt still costs a bounded number of steps: beyond 32 the springs have settled anyway
        let steps = ((self.accumulator / h) as u32).min(32);
        self.accumulator = if steps == 32 { 0.0 } else { self.accumulator - f64::from(steps) * h };
        for _ in 0..steps {
            for bone in 0..BONE_COUNT {
                let coupling = if bone == 0 { &params.palm } else { &params.phalanx };
                step_bone(
                    &mut self.bones[bone],
                    &masses[bone],
                    h,
                    coupling,
                    &tracked[bone],
                    &simulated[bone],
                    bone == 0,
                );
            }
        }
    }
}

/// One implicit Euler step of one intermediate bone: `(M + h² K) v' = M v − h ∂U/∂q` [CLAP eq. 4].
fn step_bone(
    state: &mut RigidState,
    mass: &RigidMass,
    h: f64,
    coupling: &CouplingParams,
    tracked: &Pose,
    simulated: &Pose,
    positions_both: bool,
) {
    let to_tracked = tracked.position - state.pose.position;
    let k1 = capped(coupling.linear, to_tracked.length(), coupling.force_cap);
    let mut force = to_tracked * k1;
    let mut stiffness = k1;
    if positions_both {
        let to_simulated = simulated.position - state.pose.position;
        let k2 = capped(coupling.linear, to_simulated.length(), coupling.force_cap);
        force += to_simulated * k2;
        stiffness += k2;
    }
    let velocity = (state.velocity * mass.mass + force * h) / (mass.mass + h * h * stiffness);

    let mut torque = Vec3::ZERO;
    let mut turning = 0.0;
    for target in [tracked, simulated] {
        let away = angular(&state.pose, target.rotation, 1.0).residual;
        let k = capped(coupling.angular, away.length(), coupling.torque_cap);
        torque -= away * k;
        turning += k;
    }
    let inertia = mass.world_inertia(state.pose.rotation);
    let system = inertia + Mat3::from_diagonal(Vec3::splat(h * h * turning));
    let spin = system.inverse() * (state.momentum + torque * h);
    state.advance(mass, velocity, spin, h);
}
