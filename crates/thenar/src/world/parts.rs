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

/// Parts at most, a budget: at 60 Hz soft things are met on their way that hit each other at 5.8 m/s (32 times [`FARTHEST`]), and what hits a rigid
/// object at 15 m/s.
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

/// A soft body in flight, or a group of its surface.
struct Flight {
    bounds: Aabb,
    mean: Vec3,
    /// Greatest difference of a velocity from the mean, m/s.
    off: f64,
}

impl Flight {
    fn new(places: impl Iterator<Item = Vec3>, velocities: impl ExactSizeIterator<Item = Vec3> + Clone) -> Flight {
        let mean = velocities.clone().sum::<Vec3>() / velocities.len() as f64;
        let off = velocities.map(|v| v.distance_squared(mean)).fold(0.0, f64::max).sqrt();
        Flight { bounds: Aabb::around(places), mean, off }
    }

    /// How far it comes over what moves with `velocity` and turns so that its rim has `spin`, metres; zero if it does not come so far as that.
    fn way_over(&self, bounds: &Aabb, velocity: Vec3, spin: f64, dt: f64) -> f64 {
        let way = (self.mean.distance(velocity) + self.off + spin) * dt;
        if self.bounds.grown(way).overlaps(bounds) { way } else { 0.0 }
    }
}

impl World {
    pub(super) fn parts(&mut self, dt: f64) -> u32 {
        // a tether is an impulse of one whole step
        if self.has_tethers() {
            return 1;
        }
        // the casts saturate
        let literal = if self.shares_by_depth() { (dt / LITERAL_PART - 1e-6).ceil() as u32 } else { 1 };
        let mut points = std::mem::take(&mut self.work.flying_points);
        let flying = (self.farthest_way(dt, &mut points) / FARTHEST).ceil() as u32;
        self.work.flying_points = points;
        literal.max(flying).clamp(1, MOST_PARTS)
    }

    /// True if patches in contact share their pressure by a law that acts one step late.
    fn shares_by_depth(&self) -> bool {
        self.config.aggregate.pressure == Pressure::Depth
            && self.state.contacts.contacts().iter().any(|m| m.method == ContactMethod::Aggregate)
    }

    /// How far two bodies come over each other in a step, metres, measured by what soft bodies may. Where the bodies as wholes come too far, it is
    /// asked group by group: fingers that close around a thing at rest are slow where they are near it, however fast others are.
    fn farthest_way(&self, dt: f64, points: &mut Vec<[Vec3; 2]>) -> f64 {
        let active = |body: &usize| self.state.softs[*body].active;
        let mut farthest = 0.0f64;
        for a in (0..self.softs.len()).filter(active) {
            let own = self.flight(a);
            for (object, state) in self.objects.iter().zip(&self.state.objects).filter(|(o, _)| !o.dormant()) {
                // a hand on what is fixed is held back by its tracker; detection follows its points on their way in
                if self.hand_of_soft[a].is_some() && object.mass.is_none() {
                    continue;
                }
                let spin = object.mass.as_ref().map_or(0.0, |m| state.spin(m).length() * object.radius);
                let bounds = object.world_bounds(&state.pose);
                if own.way_over(&bounds, state.velocity, spin, dt) > FARTHEST_INTO {
                    let ways = self.group_flights(a).map(|group| group.way_over(&bounds, state.velocity, spin, dt));
                    let way = ways.fold(0.0, f64::max);
                    if way > FARTHEST_INTO {
                        farthest = farthest.max(way * FARTHEST / FARTHEST_INTO);
                    }
                }
            }
            for b in (a + 1..self.softs.len()).filter(active) {
                // hands are led by trackers, which hold them back with a bounded force
                if self.hand_of_soft[a].is_some() && self.hand_of_soft[b].is_some() {
                    continue;
                }
                let other = self.flight(b);
                let most = own.way_over(&other.bounds, other.mean, other.off, dt);
                if most > FARTHEST {
                    farthest = farthest.max(self.way_of_groups(a, b, most, dt, points));
                }
            }
        }
        farthest
    }

    /// How far a group of one body's surface comes over points of another's that are within `reach` of it, metres.
    fn way_of_groups(&self, a: usize, b: usize, reach: f64, dt: f64, points: &mut Vec<[Vec3; 2]>) -> f64 {
        let state = &self.state.softs[b];
        let of_other = self.softs[b].touch.points.iter();
        points.clear();
        points.extend(of_other.map(|p| [p.interpolate(&state.nodes), p.interpolate(&state.velocities)]));
        let of_group = |group: Flight| {
            let within = group.bounds.grown(reach);
            let near = points.iter().filter(|[place, _]| within.contains(*place));
            let fastest = near.map(|[_, velocity]| velocity.distance(group.mean)).reduce(f64::max);
            fastest.map_or(0.0, |fastest| (fastest + group.off) * dt)
        };
        self.group_flights(a).map(of_group).fold(0.0, f64::max)
    }

    fn flight(&self, body: usize) -> Flight {
        let state = &self.state.softs[body];
        Flight::new(state.nodes.iter().copied(), state.velocities.iter().copied())
    }

    /// The groups of a body's surface, one by one.
    fn group_flights(&self, body: usize) -> impl Iterator<Item = Flight> + '_ {
        let (state, touch) = (&self.state.softs[body], &self.softs[body].touch);
        touch.groups.iter().map(|group| {
            let own = &touch.points[group.points[0] as usize..group.points[1] as usize];
            let places = own.iter().map(|p| p.interpolate(&state.nodes));
            Flight::new(places, own.iter().map(|p| p.interpolate(&state.velocities)))
        })
    }
}
