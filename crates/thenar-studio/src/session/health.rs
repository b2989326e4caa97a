//! What a person should know about the simulation itself: where it is not to be believed.

use thenar::world::{Flags, World};

use super::stage::Stage;
use crate::wire::Trouble;

/// More than the strongest hands press with, N: typical strong grips are 500 N.
const ABSURD: f64 = 600.0;

/// The worst since pages were last told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// Least det F; 0 where nothing was seen.
    inside_out: f64,
    /// Strongest grip, N.
    force: f64,
    /// Steps that were taken back.
    rolled_back: u32,
    /// Steps that left contacts out.
    overflown: u32,
    /// Steps whose constraints contradicted each other.
    yielded: u32,
}

impl Health {
    /// Looks at the last step.
    pub fn look(&mut self, stage: &Stage) {
        let world = stage.simulation.world();
        let report = world.report();
        self.inside_out = self.inside_out.min(report.min_det);
        self.force = self.force.max(strongest(stage, world));
        let Flags { rolled_back, contact_overflow, yielded, .. } = report.flags;
        self.rolled_back += u32::from(rolled_back);
        self.overflown += u32::from(contact_overflow);
        self.yielded += u32::from(yielded);
    }

    /// In words, the worst first.
    pub fn troubles(&self) -> Vec<Trouble> {
        let mut troubles = Vec::new();
        let mut tell = |kind, message: String, remedy| troubles.push(Trouble { kind, message, remedy });
        if self.rolled_back > 0 {
            let steps = if self.rolled_back == 1 { "a step" } else { "steps" };
            let message =
                format!("The simulation gave up {steps} ({} just now) and stood still instead.", self.rolled_back);
            tell("rolled_back", message, "Move more slowly, or choose the default preset.");
        }
        if self.inside_out < 0.0 {
            let message = "Tissue is turned inside out: do not believe its forces.".to_owned();
            tell("inside_out", message, "Open the hand, or choose elastic tracking and the limit of strain.");
        }
        if self.force > ABSURD {
            let message = format!("The hand presses with {:.0} N: no hand can.", self.force);
            tell("force", message, "Open the hand, or choose elastic tracking.");
        }
        if self.overflown > 0 {
            let message = "More skin touches than there is room for: some contacts are left out.".to_owned();
            tell("overflow", message, "Open the hand, or reset the scene.");
        }
        if self.yielded > 0 {
            let message =
                "Something is wedged: what holds it left no way to move, and skin gave way like springs.".to_owned();
            tell("yielded", message, "Open the hand, or choose penalty contact, which always gives way.");
        }
        troubles
    }
}

/// The strongest grip of any hand, N: all that digits and palm press with.
fn strongest(stage: &Stage, world: &World) -> f64 {
    let hands = stage.simulation.hands().iter().map(|hand| world.hand(hand.id));
    hands.map(|hand| hand.grip.iter().sum::<f64>() + hand.palm_force).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_healthy_simulation_has_nothing_to_tell_and_each_trouble_is_told() {
        assert!(Health::default().troubles().is_empty());
        assert!(Health { inside_out: 0.0, force: 90.0, ..Health::default() }.troubles().is_empty());
        let worst = Health { inside_out: -1.2, force: 1500.0, rolled_back: 3, overflown: 1, yielded: 2 };
        let kinds: Vec<&str> = worst.troubles().iter().map(|trouble| trouble.kind).collect();
        assert_eq!(kinds, ["rolled_back", "inside_out", "force", "overflow", "yielded"]);
        assert!(worst.troubles()[2].message.contains("1500 N"));
    }
}
