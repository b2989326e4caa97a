//! Handles of a world: bones that a device moves.

use super::{BodyError, HandId, SoftId, World};
use crate::collide::BodyRef;
use crate::energy::coupling::capped;
use crate::hand::BoneId;
use crate::haptics::{HandleCoupling, HandleId, HandleState};
use crate::math::{Pose, rotation_log};

/// A bone that a device may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Handle {
    pub soft: usize,
    pub bone: u32,
    pub coupling: HandleCoupling,
}

impl Handle {
    /// Stiffness of the coupling at the start of a step, N/m and N·m/rad: less where its force would be beyond its cap.
    pub fn stiffness(&self, pose: &Pose, target: &HandleState) -> [f64; 2] {
        let turn = rotation_log(target.pose.rotation * pose.rotation.inverse());
        let stretch = pose.position.distance(target.pose.position);
        let coupling = &self.coupling;
        [
            capped(coupling.linear, stretch, coupling.force_cap),
            capped(coupling.angular, turn.length(), coupling.torque_cap),
        ]
    }
}

/// Why a handle was refused, or cannot do what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HandleError {
    /// The world never gave this id.
    #[error(
        "there is no handle {id} in this world; use an id that it gave when the handle, or the soft object with it, was added"
    )]
    Unknown {
        /// The id.
        id: u32,
    },
    /// The hand or soft object.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The bone is a handle already.
    #[error("bone {bone} of hand {hand} is handle {handle} already; use that")]
    Taken {
        /// The hand.
        hand: u32,
        /// Its bone.
        bone: u8,
        /// The handle.
        handle: u32,
    },
    /// The bones are no bodies.
    #[error("handles are bones that are bodies, and skeleton.method is `Reduced`; choose `SkeletonMethod::Bodies`")]
    Reduced,
    /// The bone does not exist.
    #[error("a hand has bones 0 to 15, and no bone {0}")]
    Bone(u8),
    /// A number cannot be used.
    #[error("handle: {field} is {value}, expected {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// It stays: ids count on, and what was added after it would be another one.
    #[error("handle {id} cannot go: only the handle that was added last can, and only one on a bone of a hand")]
    Stays {
        /// The id.
        id: u32,
    },
    /// There is nothing to linearise.
    #[error("the force on handles is linearised after a step that could be solved; step the world first")]
    NoStep,
    /// There is no factor to carry rows through.
    #[error(
        "solver is `Pcg`: the force on handles is linearised through a factor, which it does not make; choose `SolverParams::Direct`"
    )]
    Iterative,
}

impl World {
    /// Makes a bone of a hand a handle: the palm for a pen-like device, a phalanx for a glove. Without a target it moves as before.
    ///
    /// # Errors
    /// If there is no such hand or bone, it is a handle already, bones are functions of joint angles, or a number cannot be used.
    pub fn add_handle(
        &mut self,
        hand: HandId,
        bone: BoneId,
        coupling: HandleCoupling,
    ) -> Result<HandleId, HandleError> {
        let h = self.hand_index(hand)?;
        let soft = self.hands[h].soft;
        if self.softs[soft].reduced.is_some() {
            return Err(HandleError::Reduced);
        }
        if bone.index() >= self.softs[soft].bones.len() {
            return Err(HandleError::Bone(bone.0));
        }
        let at = |handle: &Handle| handle.soft == soft && handle.bone == u32::from(bone.0);
        if let Some(handle) = self.handles.iter().position(at) {
            return Err(HandleError::Taken { hand: hand.0, bone: bone.0, handle: handle as u32 });
        }
        check_coupling(&coupling)?;
        Ok(self.push_handle(Handle { soft, bone: u32::from(bone.0), coupling }))
    }

    /// Handles on the palm and on every phalanx of a hand, for a glove that tracks all: by [`BoneId`].
    ///
    /// # Errors
    /// As for [`World::add_handle`].
    pub fn add_glove(&mut self, hand: HandId, coupling: HandleCoupling) -> Result<Vec<HandleId>, HandleError> {
        BoneId::all().map(|bone| self.add_handle(hand, bone, coupling)).collect()
    }

    /// Makes the bone of the handle that was added last an ordinary one again, which follows its tracker: the world is as it was before
    /// [`World::add_handle`].
    ///
    /// # Errors
    /// If there is no such handle, it is not the last, or it is the rigid part of a soft object.
    pub fn remove_handle(&mut self, handle: HandleId) -> Result<(), HandleError> {
        let i = self.handle_index(handle)?;
        if i + 1 != self.handles.len() || self.hand_of_soft[self.handles[i].soft].is_none() {
            return Err(HandleError::Stays { id: handle.0 });
        }
        self.handles.pop();
        self.state.handles.pop();
        self.work.handle_starts.pop();
        // models of the last step had one handle more
        self.work.handle_step = None;
        self.work.handle_rows = None;
        Ok(())
    }

    pub(super) fn push_handle(&mut self, handle: Handle) -> HandleId {
        self.handles.push(handle);
        self.state.handles.push(None);
        self.work.handle_starts.push(HandleState::default());
        self.reserve_rows(super::constrain::FIRST_ROWS);
        HandleId(self.handles.len() as u32 - 1)
    }

    /// The handles of a soft object, in the order of its definition.
    pub fn handles_of(&self, soft: SoftId) -> impl Iterator<Item = HandleId> + '_ {
        let own = self.handles.iter().enumerate().filter(move |(_, handle)| handle.soft == soft.0 as usize);
        own.map(|(id, _)| HandleId(id as u32))
    }

    /// How many handles there are.
    #[must_use]
    pub fn handle_count(&self) -> usize {
        self.handles.len()
    }

    /// Where a handle is and how it moves.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn handle_state(&self, handle: HandleId) -> Result<HandleState, HandleError> {
        let handle = self.handles.get(handle.0 as usize).ok_or(HandleError::Unknown { id: handle.0 })?;
        Ok(self.state_of(handle))
    }

    pub(super) fn state_of(&self, handle: &Handle) -> HandleState {
        let bone = &self.state.softs[handle.soft].bones[handle.bone as usize];
        let mass = &self.softs[handle.soft].bones[handle.bone as usize];
        HandleState { pose: bone.pose, velocity: bone.velocity, spin: bone.spin(mass) }
    }

    /// Where a device wants a handle at the end of the next step and after it, until it says otherwise. The palm of a hand takes the posture that
    /// was tracked last along; a hand that was never tracked appears there at rest.
    ///
    /// # Errors
    /// If there is no such handle, its body was removed, or a number is not finite.
    pub fn set_handle_target(&mut self, handle: HandleId, target: HandleState) -> Result<(), HandleError> {
        let (i, mut target) = (self.handle_index(handle)?, target);
        let finite = target.pose.is_finite() && target.velocity.is_finite() && target.spin.is_finite();
        let length = target.pose.rotation.length();
        if !finite || length < 1e-6 || target.pose.position.length() > FAR {
            let expected = "finite numbers, a rotation, and a place within a kilometre";
            return Err(HandleError::Field { field: "target", value: target.pose.position.length(), expected });
        }
        target.pose.rotation = target.pose.rotation.normalize();
        let Handle { soft, bone, .. } = self.handles[i];
        if let Some(hand) = self.hand_of_soft[soft] {
            self.carry_targets(hand as usize, bone as usize, &target.pose);
        }
        self.state.handles[i] = Some(target);
        Ok(())
    }

    /// Lets a handle go: nothing leads it until it has a target again. The bones of a hand without any target follow its tracker.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn release_handle(&mut self, handle: HandleId) -> Result<(), HandleError> {
        let i = self.handle_index(handle)?;
        self.state.handles[i] = None;
        Ok(())
    }

    /// Puts the rigid part of a handle somewhere at once, as it is told; its tissue follows by its springs. For those who ask how the force on it
    /// depends on where it is.
    ///
    /// # Errors
    /// If there is no such handle, or a number is not finite.
    pub fn put_handle(&mut self, handle: HandleId, to: HandleState) -> Result<(), HandleError> {
        let i = self.handle_index(handle)?;
        let sum = to.pose.position + to.velocity + to.spin;
        if !(sum.is_finite() && to.pose.is_finite() && to.pose.rotation.length() > 1e-6) {
            let expected = "finite numbers and a rotation";
            return Err(HandleError::Field { field: "state", value: sum.length(), expected });
        }
        let Handle { soft, bone, .. } = self.handles[i];
        let mass = &self.softs[soft].bones[bone as usize];
        let state = &mut self.state.softs[soft].bones[bone as usize];
        state.pose = Pose::new(to.pose.position, to.pose.rotation.normalize());
        state.velocity = to.velocity;
        state.momentum = mass.world_inertia(state.pose.rotation) * to.spin;
        Ok(())
    }

    /// Holds contacts as the last step left them, in all steps to come: a switch for those who compare steps with each other. Held contacts may
    /// pull, and steps take longer.
    #[doc(hidden)]
    pub fn hold_contacts(&mut self, hold: bool) {
        self.held = hold.then(|| self.work.touching.as_held());
        self.work.compliance.exact = hold;
    }

    fn handle_index(&self, handle: HandleId) -> Result<usize, HandleError> {
        let i = handle.0 as usize;
        let soft = self.handles.get(i).ok_or(HandleError::Unknown { id: handle.0 })?.soft;
        if self.state.removed.contains(&BodyRef::Soft(soft as u32)) {
            return Err(BodyError::Removed { kind: "body of handle", id: handle.0 }.into());
        }
        Ok(i)
    }

    /// The tracked posture of a hand goes with a handle that is led: all of it with the palm, a phalanx alone.
    fn carry_targets(&mut self, hand: usize, bone: usize, centre: &Pose) {
        let frame = self.hands[hand].frame(bone, centre);
        let targets = &mut self.state.hands[hand].targets;
        let palm = BoneId::PALM.index();
        if bone == palm {
            let motion = frame * targets.bones[palm].inverse();
            for pose in &mut targets.bones {
                // rounding would double with every target
                let carried = motion * *pose;
                *pose = Pose::new(carried.position, carried.rotation.normalize());
            }
            targets.bones[palm] = frame;
            targets.present = true;
        } else {
            targets.bones[bone] = frame;
        }
    }

    /// A handle of that hand is led by a device.
    pub(super) fn is_led(&self, hand: usize) -> bool {
        let soft = self.hands[hand].soft;
        self.handles.iter().zip(&self.state.handles).any(|(handle, target)| handle.soft == soft && target.is_some())
    }

    /// Where all handles are at the start of a step.
    pub(super) fn note_handles(&mut self, dt: f64) {
        for i in 0..self.handles.len() {
            self.work.handle_starts[i] = self.state_of(&self.handles[i]);
        }
        self.work.handle_step = Some(dt);
        self.work.handle_rows = None;
    }
}

/// No target is further away, metres.
const FAR: f64 = 1e3;

pub(super) fn check_coupling(coupling: &HandleCoupling) -> Result<(), HandleError> {
    let positive = [
        ("coupling.linear", coupling.linear),
        ("coupling.linear_damping", coupling.linear_damping),
        ("coupling.angular", coupling.angular),
        ("coupling.angular_damping", coupling.angular_damping),
    ];
    for (field, value) in positive {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(HandleError::Field { field, value, expected: "a finite number that is not negative" });
        }
    }
    for (field, value) in [("coupling.force_cap", coupling.force_cap), ("coupling.torque_cap", coupling.torque_cap)] {
        if value.is_nan() || value <= 0.0 {
            return Err(HandleError::Field { field, value, expected: "a positive number; infinity for no cap" });
        }
    }
    Ok(())
}
