//! Touch on the fingertips, rendered after a step.

use super::parts::Part;
use super::{Hand, World};
use crate::hand::Digit;
use crate::tactile::{DeviceError, FingerMemory, FingerTouch, PadState, Surroundings, TactileParams};
use std::sync::Arc;

impl Hand {
    /// Its fingertips at rest, or none where touch is not rendered.
    pub(super) fn fingertips(&self, params: Option<&TactileParams>) -> Vec<FingerTouch> {
        let finger =
            |params: &TactileParams| self.pads.iter().map(|p| FingerTouch::new(Arc::clone(p), params)).collect();
        params.map_or(Vec::new(), finger)
    }
}

impl World {
    /// Renders touch on the fingertips from the next step on, in another way than before, or no longer. Discs start retracted. The motion of
    /// the world does not depend on it.
    ///
    /// # Errors
    /// Names the field of the device that cannot be used; then nothing changes.
    pub fn set_tactile(&mut self, params: Option<TactileParams>) -> Result<(), DeviceError> {
        params.iter().try_for_each(TactileParams::check)?;
        for ((hand, out), state) in self.hands.iter().zip(&mut self.hand_outputs).zip(&mut self.state.hands) {
            out.tactile = hand.fingertips(params.as_ref());
            state.tactile = [FingerMemory::default(); Digit::ALL.len()];
        }
        self.config.tactile = params;
        Ok(())
    }

    /// Before the contacts of a part of a step: pads are where it ends, and sums begin with the first.
    pub(super) fn begin_touch(&mut self, part: Part) {
        for out in &mut self.hand_outputs {
            for finger in &mut out.tactile {
                let bone = finger.pad().bone;
                finger.begin(&out.bones[bone.index()], part.index == 0);
            }
        }
    }

    /// After the contacts of the last part of a step.
    pub(super) fn render_touch(&mut self, dt: f64, part: Part) {
        let Some(params) = &self.config.tactile else { return };
        if !part.is_last() {
            return;
        }
        let began = (self.clock)();
        let (objects, dt) = (&self.state.objects, dt * f64::from(part.of));
        self.work.touch_places.iter_mut().for_each(crate::tactile::SoftPlaces::begin);
        let mut around = Surroundings {
            objects: &self.objects,
            poses: &|index| objects[index].pose,
            softs: &self.softs,
            states: &self.state.softs,
            places: &mut self.work.touch_places,
            itself: self.config.self_contact,
        };
        for ((out, hand), state) in self.hand_outputs.iter_mut().zip(&self.hands).zip(&mut self.state.hands) {
            for (finger, memory) in out.tactile.iter_mut().zip(&mut state.tactile) {
                let bone = out.bones[finger.pad().bone.index()];
                match out.present {
                    true => finger.render(params, &mut around, &PadState { bone, body: hand.soft, dt }, memory),
                    false => finger.leave(params, memory, dt),
                }
            }
        }
        self.report.tactile_ns = (self.clock)().saturating_sub(began);
    }
}
