//! Putting a hand on its target at once.

use super::World;
use crate::collide::soft_against_objects;
use crate::tracking::ElasticState;

/// A hand is moved out of what it appears in until no point is deeper than this, metres: the tissue can bear that.
const BEARABLE: f64 = 5e-4;
/// Attempts to move out; what lies between two objects may stay in both.
const ATTEMPTS: usize = 12;

impl World {
    pub(super) fn seat(&mut self, hand: usize) {
        let state = &mut self.state.hands[hand];
        let frames = state.targets.bones;
        let soft = self.hands[hand].soft;
        self.hands[hand].seat(&self.softs[soft], &mut self.state.softs[soft], &frames);
        state.elastic = ElasticState::seated(&self.hands[hand].centres(&frames));
        state.failures = 0;
        state.touching.fill(0);
        self.report.flags.reseated = true;
        self.move_out(hand);
    }

    /// A hand that appears inside an object is moved out as a whole, and tracking pulls it back with the force that it may
    /// use: springs as deep as a finger would throw the object away.
    fn move_out(&mut self, hand: usize) {
        let soft = self.hands[hand].soft;
        for _ in 0..ATTEMPTS {
            let work = &mut self.work;
            for (pose, object) in work.predicted_objects.iter_mut().zip(&self.state.objects) {
                *pose = object.pose;
            }
            work.contacts.clear();
            let (surface, nodes) = (&self.softs[soft].surface, &self.state.softs[soft].nodes);
            let (objects, poses, positions) = (&self.objects, &work.predicted_objects, &mut work.point_positions);
            soft_against_objects(soft as u32, surface, nodes, objects, poses, 0.0, positions, &mut work.contacts);
            let deepest = work.contacts.contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
            let Some(deepest) = deepest.filter(|contact| contact.gap < -BEARABLE) else { break };
            let out = deepest.normal * -deepest.gap;
            let state = &mut self.state.softs[soft];
            state.nodes.iter_mut().for_each(|x| *x += out);
            state.bones.iter_mut().for_each(|bone| bone.pose.position += out);
            self.state.hands[hand].elastic.bones.iter_mut().for_each(|bone| bone.pose.position += out);
        }
        self.work.contacts.clear();
    }
}
