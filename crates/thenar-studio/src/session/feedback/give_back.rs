//! What a device held goes back to who else wants it, slowly: nothing is launched.

use thenar::haptics::HandleState;
use thenar::math::Pose;
use thenar_devices::haptics::Held;
use thenar_scene::motion::minimum_jerk;
use thenar_scene::run::Simulation;

use super::scene_wants;

/// How long it takes, simulated seconds: a person who moves a hand by some centimetres takes about as long.
const SECONDS: f64 = 0.4;

/// On its way from where a device left it to where the scene wants it.
pub struct GivingBack {
    held: Held,
    from: Pose,
    since: f64,
}

impl GivingBack {
    /// From where it is led now.
    pub fn new(held: Held, from: Pose, simulation: &Simulation) -> GivingBack {
        GivingBack { held, from, since: simulation.time() }
    }

    /// Before a step: a bit further. `None` when it is there, and has been let go.
    pub fn lead(self, simulation: &mut Simulation) -> Option<GivingBack> {
        let time = simulation.time();
        let share = ((time - self.since) / SECONDS).clamp(0.0, 1.0);
        let (Some(to), true) = (scene_wants(&self.held, simulation, time + simulation.step()), share < 1.0) else {
            self.held.release(simulation);
            return None;
        };
        let share = minimum_jerk(share);
        let position = self.from.position.lerp(to.pose.position, share);
        let pose = Pose::new(position, self.from.rotation.slerp(to.pose.rotation, share).normalize());
        self.held.lead(simulation, &[HandleState { pose, ..HandleState::default() }]);
        Some(self)
    }

    /// At once: the simulation goes on as another one.
    pub fn finish(self, simulation: &mut Simulation) {
        self.held.release(simulation);
    }
}
