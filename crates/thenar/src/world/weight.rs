//! What a haptic loop needs of handles beside the linear model: their bodies, their couplings, what their tools weigh.

use super::World;
use super::handle::HandleError;
use crate::haptics::{DeviceCoupling, HandleBody, HandleCoupling, HandleId, HandleState, ProxyModel};

impl World {
    /// The rigid body of a handle.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn handle_body(&self, handle: HandleId) -> Result<HandleBody, HandleError> {
        let handle = self.handles.get(handle.0 as usize).ok_or(HandleError::Unknown { id: handle.0 })?;
        let mass = &self.softs[handle.soft].bones[handle.bone as usize];
        Ok(HandleBody { mass: mass.mass, inertia: mass.inertia })
    }

    /// How a handle follows its target.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn handle_coupling(&self, handle: HandleId) -> Result<HandleCoupling, HandleError> {
        let handle = self.handles.get(handle.0 as usize).ok_or(HandleError::Unknown { id: handle.0 })?;
        Ok(handle.coupling)
    }

    /// Lets a handle follow its target in another way from the next step on: as firm as a device can render.
    ///
    /// # Errors
    /// If there is no such handle, or a number cannot be used.
    pub fn set_handle_coupling(&mut self, handle: HandleId, coupling: HandleCoupling) -> Result<(), HandleError> {
        super::handle::check_coupling(&coupling)?;
        let place = self.handles.get_mut(handle.0 as usize).ok_or(HandleError::Unknown { id: handle.0 })?;
        place.coupling = coupling;
        Ok(())
    }

    /// Where a handle is wanted: its target, or where the tracker wants the bone of a hand that no device leads. `None` where nobody wants anything.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn handle_wish(&self, handle: HandleId) -> Result<Option<HandleState>, HandleError> {
        let i = handle.0 as usize;
        let own = self.handles.get(i).ok_or(HandleError::Unknown { id: handle.0 })?;
        if let Some(target) = self.state.handles[i] {
            return Ok(Some(target));
        }
        let hand = self.hand_of_soft[own.soft].map(|hand| hand as usize);
        let hand = hand.filter(|hand| self.state.hands[*hand].targets.present);
        Ok(hand.map(|hand| {
            let centres = self.hands[hand].centres(&self.state.hands[hand].targets.bones);
            HandleState { pose: centres[own.bone as usize], ..HandleState::default() }
        }))
    }

    /// The linear model of the last step for these handles, ready for a haptic loop with ticks of `dt` seconds, which expects the next one after `period`.
    ///
    /// Its proxies follow their devices as the handles do; handles that are not among them stay where they are. False if a number of the model cannot be used; the
    /// loop keeps its old one then.
    ///
    /// # Errors
    /// As for [`World::handle_model`], and if there is no such handle.
    pub fn proxy_model(
        &mut self,
        handles: &[HandleId],
        dt: f64,
        period: f64,
        prepared: &mut ProxyModel,
    ) -> Result<bool, HandleError> {
        let all = self.handles.len();
        if let Some(unknown) = handles.iter().find(|handle| handle.0 as usize >= all) {
            return Err(HandleError::Unknown { id: unknown.0 });
        }
        if prepared.handles() != handles.len() {
            *prepared = ProxyModel::of(handles.len());
        }
        let mut whole = std::mem::take(&mut prepared.whole);
        let solved = self.handle_model(&mut whole);
        prepared.whole = whole;
        solved?;
        let step = self.work.handle_step.ok_or(HandleError::NoStep)?;
        // What is left of the force by acceleration alone; a model whose handles do not yield has none.
        let inertia = &self.work.linear.inertia;
        let known = inertia.len() == 36 * all * all && prepared.whole.stiffness.iter().any(|k| *k != 0.0);
        let (n, m) = (6 * handles.len(), 6 * all);
        let ProxyModel { model, whole, .. } = prepared;
        model.time = whole.time;
        for (i, handle) in handles.iter().enumerate() {
            let from = handle.0 as usize;
            let (at, start) = (whole.at[from], &self.work.handle_starts[from]);
            model.at[i] = at;
            model.force[6 * i..6 * i + 6].copy_from_slice(&whole.force[6 * from..6 * from + 6]);
            let (push, turn) = ((at.velocity - start.velocity) / step, (at.spin - start.spin) / step);
            prepared.acceleration[6 * i..6 * i + 3].copy_from_slice(&push.to_array());
            prepared.acceleration[6 * i + 3..6 * i + 6].copy_from_slice(&turn.to_array());
            for row in 0..6 {
                for (j, other) in handles.iter().enumerate() {
                    let place = (6 * i + row) * n + 6 * j;
                    let source = (6 * from + row) * m + 6 * other.0 as usize;
                    model.stiffness[place..place + 6].copy_from_slice(&whole.stiffness[source..source + 6]);
                    model.damping[place..place + 6].copy_from_slice(&whole.damping[source..source + 6]);
                    let weight = &mut prepared.inertia[place..place + 6];
                    if known { weight.copy_from_slice(&inertia[source..source + 6]) } else { weight.fill(0.0) }
                }
            }
        }
        let own = handles.iter().map(|handle| {
            let handle = &self.handles[handle.0 as usize];
            let mass = &self.softs[handle.soft].bones[handle.bone as usize];
            (HandleBody { mass: mass.mass, inertia: mass.inertia }, DeviceCoupling::from(handle.coupling))
        });
        Ok(prepared.prepare_with(own, dt, period))
    }
}
