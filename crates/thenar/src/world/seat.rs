//! Putting a hand on its target at once.

use super::World;
use crate::collide::BodyRef;
use crate::math::Vec3;
use crate::tracking::ElasticState;

/// A hand is moved out of what it appears in until no point is deeper than this, metres: the tissue can bear that.
const BEARABLE: f64 = 5e-4;
/// A hand that was put aside comes back at this speed, m/s: half of what counts as a launch of what is in its way.
pub(super) const RETURN: f64 = 0.25;
/// Attempts to move out along one way; what lies between two objects may stay in both.
const ATTEMPTS: usize = 12;
/// Ways that are tried: a box has six sides.
const WAYS: usize = 8;
/// Cosine between two ways that are one.
const SAME_WAY: f64 = 0.95;
/// Steps along a way through an object; each goes as far as the surface is away.
const TRACES: usize = 40;

impl World {
    pub(super) fn seat(&mut self, hand: usize) {
        let state = &mut self.state.hands[hand];
        let frames = state.targets.bones;
        let soft = self.hands[hand].soft;
        self.hands[hand].seat(&self.softs[soft], &mut self.state.softs[soft], &frames);
        state.elastic = ElasticState::seated(&self.hands[hand].centres(&frames));
        state.failures = 0;
        state.aside = Vec3::ZERO;
        state.touching.fill(0);
        state.touching_soft.fill(0);
        self.state.contacts.forget(BodyRef::Soft(soft as u32));
        self.report.flags.reseated = true;
        self.move_out(hand);
    }

    /// A hand that appears inside an object is moved out as a whole, on the shortest straight way on which all of it comes
    /// out, and comes back to its target from there as slowly as [`RETURN`], or it would bat what it appeared in. What is still inside then leaves slowly
    /// (`LEAVING_SPEED` of contact).
    fn move_out(&mut self, hand: usize) {
        let soft = self.hands[hand].soft;
        let mut ways = [Vec3::ZERO; WAYS];
        let count = self.ways_out(soft, &mut ways);
        let lengths = ways[..count].iter().map(|way| (self.length_out(soft, *way), *way));
        let Some((length, way)) = lengths.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        let out = way * length;
        let state = &mut self.state.softs[soft];
        state.nodes.iter_mut().for_each(|x| *x += out);
        state.bones.iter_mut().for_each(|bone| bone.pose.position += out);
        let state = &mut self.state.hands[hand];
        state.elastic.bones.iter_mut().for_each(|bone| bone.pose.position += out);
        state.aside = out;
    }

    /// Different directions, in world axes, in which skin points inside objects are nearest to a surface.
    fn ways_out(&self, soft: usize, ways: &mut [Vec3; WAYS]) -> usize {
        let mut count = 0;
        self.for_inside(soft, Vec3::ZERO, |depth, normal, _, _| {
            let known = ways[..count].iter().any(|way| way.dot(normal) > SAME_WAY);
            if depth > BEARABLE && !known && count < WAYS {
                ways[count] = normal;
                count += 1;
            }
        });
        count
    }

    /// How far a body has to go along `way` until none of its points is deeper inside anything than it can bear, metres.
    fn length_out(&self, soft: usize, way: Vec3) -> f64 {
        let mut length = 0.0f64;
        for _ in 0..ATTEMPTS {
            let mut further = 0.0f64;
            self.for_inside(soft, way * length, |depth, _, object, local| {
                if depth > BEARABLE {
                    further = further.max(self.way_through(object, local, way));
                }
            });
            if further == 0.0 {
                break;
            }
            length += further;
        }
        length
    }

    /// How far it is from a place inside an object, in its frame, to its surface along `way`, in world axes, metres.
    fn way_through(&self, object: usize, local: Vec3, way: Vec3) -> f64 {
        let (model, state) = (&self.objects[object], &self.state.objects[object]);
        let way = state.pose.rotation.inverse() * way;
        let mut length = 0.0;
        for _ in 0..TRACES {
            let depth = -model.sample(local + way * length).distance;
            if depth <= 0.0 {
                break;
            }
            length += depth.max(BEARABLE);
        }
        length
    }

    /// Calls `found(depth, normal, object, local)` for every skin point of a body, moved by `offset`, inside an object.
    fn for_inside(&self, soft: usize, offset: Vec3, mut found: impl FnMut(f64, Vec3, usize, Vec3)) {
        let (surface, nodes) = (&self.softs[soft].surface, &self.state.softs[soft].nodes);
        for (index, object) in self.objects.iter().enumerate().filter(|(_, o)| !o.dormant()) {
            let pose = &self.state.objects[index].pose;
            let back = pose.inverse();
            for point in &surface.points {
                let local = back.point(point.interpolate(nodes) + offset);
                if let Some(sample) = object.sample_within(local, 0.0) {
                    found(-sample.distance, pose.rotation * sample.normal, index, local);
                }
            }
        }
    }
}
