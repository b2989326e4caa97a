//! First stage: the tracked hand moves the intermediate bones, which will pull the simulated ones.

use super::World;
use super::seat::RETURN;
use crate::hand::BONE_COUNT;
use crate::tracking::{ElasticState, TrackingMode};

/// Steps in a row that may fail before the hand is put back on its target.
const FAILURES_BEFORE_RESEATING: u32 = 3;

impl World {
    pub(super) fn follow_tracker(&mut self, dt: f64) {
        for hand in 0..self.hands.len() {
            if !self.state.hands[hand].targets.present {
                continue;
            }
            if self.must_seat(hand) {
                self.seat(hand);
            }
            let led = self.is_led(hand);
            let mut tracked = self.hands[hand].centres(&self.state.hands[hand].targets.bones);
            let state = &mut self.state.hands[hand];
            let left = (state.aside.length() - RETURN * dt).max(0.0);
            state.aside = state.aside.normalize_or_zero() * left;
            tracked.iter_mut().for_each(|pose| pose.position += state.aside);
            for (pose, bone) in self.work.bone_poses.iter_mut().zip(&self.state.softs[self.hands[hand].soft].bones) {
                *pose = bone.pose;
            }
            match self.config.tracking.mode {
                // a device leads past tracker and springs
                _ if led => state.elastic = ElasticState::seated(&tracked),
                TrackingMode::Elastic => state.elastic.advance(
                    dt,
                    &self.config.tracking,
                    &self.softs[self.hands[hand].soft].bones,
                    &tracked,
                    &self.work.bone_poses[..BONE_COUNT],
                ),
                TrackingMode::Direct => state.elastic = ElasticState::seated(&tracked),
            }
        }
    }

    /// A hand is put on its target at once when it first appears, when it is far away and touches nothing, or when it
    /// could not be solved several times in a row.
    fn must_seat(&self, hand: usize) -> bool {
        let soft = &self.state.softs[self.hands[hand].soft];
        let state = &self.state.hands[hand];
        if !soft.active || state.failures >= FAILURES_BEFORE_RESEATING {
            return true;
        }
        if self.config.tracking.mode == TrackingMode::Direct {
            return false;
        }
        let own = self.hands[hand].soft;
        let free = state.touching.iter().all(|t| *t == 0)
            && state.touching_soft.iter().enumerate().all(|(soft, t)| soft == own || *t == 0);
        let palm = self.hands[hand].frame(0, &soft.bones[0].pose);
        free && palm.position.distance(state.targets.bones[0].position) > self.config.tracking.reseat_distance
    }
}
