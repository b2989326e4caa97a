//! Into how many parts a step is cut: surfaces see each other only where they come near, so that what flies through another
//! body within a step has to be met on its way.

use super::World;
use crate::contact::{ContactMethod, Pressure};
use crate::geometry::Aabb;
use crate::math::Vec3;

/// How far two soft bodies may come over each other in a part of a step, metres: as deep as detection looks for new
/// contacts.
const FARTHEST: f64 = 3e-3;

/// The same of a soft body and a rigid object, whose distance is known everywhere: half of a finger.
const FARTHEST_INTO: f64 = 8e-3;

/// Parts at most: two hands that clap at 6 m/s, at 60 Hz.
const MOST_PARTS: u32 = 32;

/// A part is at most this long while pressure is shared by the depths that the last step left [Talvas eq. 11], seconds.
const LITERAL_PART: f64 = 1e-3;

/// One of the parts into which a step is cut.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Which, from zero on.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Part {
    /// Its share of the step.
    pub fn share(self) -> f64 {
        1.0 / f64::from(self.of)
    }

    pub fn is_last(self) -> bool {
        self.index + 1 == self.of
    }

    /// A sum over the parts: what the earlier ones gave, or nothing before the first.
    pub fn carried_on<T: Default>(self, sum: T) -> T {
        if self.index == 0 { T::default() } else { sum }
    }
}

/// A soft body in flight.
struct Flight {
    bounds: Aabb,
    mean: Vec3,
    /// Greatest difference of a node's velocity from the mean, m/s.
    off: f64,
}

impl World {
    pub(super) fn parts(&self, dt: f64) -> u32 {
        // a tether is an impulse of one whole step
        if self.has_tethers() {
            return 1;
        }
        // the casts saturate
        let literal = if self.shares_by_depth() { (dt / LITERAL_PART - 1e-6).ceil() as u32 } else { 1 };
        let flying = (self.farthest_way(dt) / FARTHEST).ceil() as u32;
        literal.max(flying).clamp(1, MOST_PARTS)
    }

    /// True if patches in contact share their pressure by a law that acts one step late.
    fn shares_by_depth(&self) -> bool {
        self.config.aggregate.pressure == Pressure::Depth
            && self.state.contacts.contacts().iter().any(|m| m.method == ContactMethod::Aggregate)
    }

    /// How far two bodies come over each other in a step, metres, measured by what soft bodies may.
    fn farthest_way(&self, dt: f64) -> f64 {
        let active = |body: &usize| self.state.softs[*body].active;
        let mut farthest = 0.0f64;
        for a in (0..self.softs.len()).filter(active) {
            let own = self.flight(a);
            for (object, state) in self.objects.iter().zip(&self.state.objects).filter(|(o, _)| !o.dormant()) {
                let spin = object.mass.as_ref().map_or(0.0, |m| state.spin(m).length() * object.radius);
                let way = (own.mean.distance(state.velocity) + own.off + spin) * dt;
                // a hand on what is fixed is held back by its tracker; detection follows its points on their way in
                if self.hand_of_soft[a].is_some() && object.mass.is_none() {
                    continue;
                }
                if way > FARTHEST_INTO && own.bounds.grown(way).overlaps(&object.world_bounds(&state.pose)) {
                    farthest = farthest.max(way * FARTHEST / FARTHEST_INTO);
                }
            }
            for b in (a + 1..self.softs.len()).filter(active) {
                // hands are led by trackers, which hold them back with a bounded force
                if self.hand_of_soft[a].is_some() && self.hand_of_soft[b].is_some() {
                    continue;
                }
                let other = self.flight(b);
                let way = (own.mean.distance(other.mean) + own.off + other.off) * dt;
                if own.bounds.grown(way).overlaps(&other.bounds) {
                    farthest = farthest.max(way);
                }
            }
        }
        farthest
    }

    fn flight(&self, body: usize) -> Flight {
        let state = &self.state.softs[body];
        let mean = state.velocities.iter().sum::<Vec3>() / state.velocities.len() as f64;
        let off = state.velocities.iter().map(|v| v.distance_squared(mean)).fold(0.0, f64::max).sqrt();
        Flight { bounds: Aabb::around(state.nodes.iter().copied()), mean, off }
    }
}
