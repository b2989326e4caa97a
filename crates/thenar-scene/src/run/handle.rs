//! Handles of soft objects on the paths that a scene wants.

use thenar::haptics::{HandleCoupling, HandleDef, HandleId, HandleState};
use thenar::math::{Pose, Vec3, rotation_exp, rotation_log};
use thenar::world::World;

use crate::motion::minimum_jerk;
use crate::scene::{HandleKey, HandleSpec, SoftSpec};

/// A handle with its path.
#[derive(Clone)]
pub struct DrivenHandle {
    /// In the world.
    pub id: HandleId,
    start: Pose,
    keys: Vec<HandleKey>,
}

impl DrivenHandle {
    pub(super) fn new(world: &World, id: HandleId, spec: &HandleSpec) -> DrivenHandle {
        let start = world.handle_state(id).map_or(Pose::IDENTITY, |state| state.pose);
        DrivenHandle { id, start, keys: spec.keys.clone() }
    }

    /// Where its keys want it; `None` without any.
    #[must_use]
    pub fn wanted(&self, time: f64) -> Option<HandleState> {
        // no path of a scene is so fast that a millisecond matters
        let (before, after) = (self.place(time - 5e-4)?, self.place(time + 5e-4)?);
        let pose = self.place(time)?;
        Some(HandleState {
            pose,
            velocity: (after.position - before.position) / 1e-3,
            spin: rotation_log(after.rotation * before.rotation.inverse()) / 1e-3,
        })
    }

    fn place(&self, time: f64) -> Option<Pose> {
        let next = self.keys.partition_point(|key| key.at <= time);
        let (from, to) = match next {
            0 => (self.keys.first()?, self.keys.first()?),
            n => (&self.keys[n - 1], self.keys.get(n).unwrap_or(&self.keys[n - 1])),
        };
        let share = if to.at > from.at { minimum_jerk((time - from.at) / (to.at - from.at)) } else { 0.0 };
        let mixed = |a: [f64; 3], b: [f64; 3]| Vec3::from_array(a).lerp(Vec3::from_array(b), share);
        let turn = mixed(from.turn, to.turn) * std::f64::consts::PI / 180.0;
        let position = self.start.position + mixed(from.moved, to.moved);
        Some(Pose::new(position, (rotation_exp(turn) * self.start.rotation).normalize()))
    }

    /// Sets its target for the end of the step that ends at `time`.
    pub(super) fn lead(&self, world: &mut World, time: f64) {
        if let Some(target) = self.wanted(time) {
            // a handle of the scene is there, and its path is finite; what was removed is gone
            let _ = world.set_handle_target(self.id, target);
        }
    }
}

/// What the engine makes handles of.
pub(super) fn definitions(spec: &SoftSpec) -> Vec<HandleDef> {
    let pose = spec.pose();
    let of = |handle: &HandleSpec| {
        let usual = HandleDef::new(pose.point(Vec3::from_array(handle.seed)), handle.radius);
        let linear = handle.stiffness.unwrap_or(usual.coupling.linear);
        // rotations yield as places do at a lever of 7 cm
        let share = linear / usual.coupling.linear;
        let coupling = HandleCoupling {
            linear,
            linear_damping: usual.coupling.linear_damping * share.sqrt(),
            angular: usual.coupling.angular * share,
            angular_damping: usual.coupling.angular_damping * share.sqrt(),
            ..usual.coupling
        };
        HandleDef { coupling, ..usual }
    };
    spec.handles.iter().map(of).collect()
}
