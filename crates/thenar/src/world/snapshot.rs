//! Saving and restoring a world.

use super::{Hand, State, World};
use crate::body::{JointState, SoftBody, SoftState};
use crate::collide::BodyRef;
use crate::contact::ContactMemory;
use crate::energy::tissue::TissueMemory;
use crate::math::Vec3;

/// A saved state of a world; restoring it continues bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    state: State,
    figures: Vec<Figure>,
}

/// Why a snapshot was not restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It was taken of a world of other bodies.
    #[error(
        "the snapshot is of another world: {what} {index} counts {saved} there and {here} here; restore it into a world with the same bodies, added in the same order"
    )]
    OtherWorld {
        /// What differs, such as `nodes of soft body`.
        what: &'static str,
        /// Of which one; 0 for the world as a whole.
        index: usize,
        /// In the snapshot.
        saved: usize,
        /// In this world.
        here: usize,
    },
}

/// A number by which the models of two worlds can be told apart. Methods and parameters are not among them: a state goes
/// on under others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figure {
    what: &'static str,
    index: usize,
    value: usize,
}

impl World {
    /// Saves the state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state.clone(), figures: self.figures() }
    }

    /// Continues from a saved state of this world, or of one with the same bodies under other methods: a hand whose bones
    /// were bodies gets the joint angles nearest to them where the skeleton is a reduced one, and loses them where not.
    ///
    /// # Errors
    /// If the snapshot is of a world with other bodies; then nothing changes.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let here = self.figures();
        let (mut saved, mut own) = (snapshot.figures.iter(), here.iter());
        loop {
            match (saved.next(), own.next()) {
                (None, None) => break,
                (a, b) if a == b => {}
                (a, b) => {
                    let (what, index) = a.or(b).map_or(("bodies", 0), |figure| (figure.what, figure.index));
                    let value = |figure: Option<&Figure>| figure.map_or(0, |figure| figure.value);
                    return Err(SnapshotError::OtherWorld { what, index, saved: value(a), here: value(b) });
                }
            }
        }
        let mut contacts = std::mem::take(&mut self.state.contacts);
        contacts.clear();
        recall(&mut contacts, &snapshot.state.contacts);
        self.state = State { contacts, ..snapshot.state.clone() };
        for hand in &self.hands {
            if adapt_skeleton(hand, &self.softs[hand.soft], &mut self.state.softs[hand.soft]) {
                self.state.contacts.forget(BodyRef::Soft(hand.soft as u32));
            }
        }
        for (body, state) in self.softs.iter().zip(&mut self.state.softs) {
            state.holding.resize(body.stretch.len(), [0.0; 4]);
            if !state.memory.fits(&body.tissue) {
                state.memory = TissueMemory::new(&body.tissue);
                state.memory.settle(&body.tissue, &state.rotations, &state.nodes);
            }
        }
        self.reassign_slots();
        self.work.touching.clear();
        self.work.handle_step = None;
        Ok(())
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |what, index, value| Figure { what, index, value };
        let mut figures = vec![
            figure("hands of the world", 0, self.hands.len()),
            figure("soft bodies of the world", 0, self.softs.len()),
            figure("objects of the world", 0, self.objects.len()),
            figure("slots for hosted objects of the world", 0, self.hosted_slots()),
            figure("handles of the world", 0, self.handles.len()),
        ];
        for (i, soft) in self.softs.iter().enumerate() {
            figures.push(figure("nodes of soft body", i, soft.node_count()));
            figures.push(figure("elements of soft body", i, soft.tets.len()));
            figures.push(figure("bones of soft body", i, soft.bones.len()));
            figures.push(figure("contact points of soft body", i, soft.surface.points.len()));
        }
        for (i, object) in self.objects.iter().enumerate() {
            figures.push(figure("contact points of object", i, object.samples.len()));
            figures.push(figure("moving parts of object", i, usize::from(object.mass.is_some())));
        }
        figures
    }
}

/// Copies what contacts remember into a memory that has room for more: that of a clone is full, and forgets what comes
/// later.
pub(super) fn recall(to: &mut ContactMemory, from: &ContactMemory) {
    from.contacts().iter().for_each(|memory| to.keep(*memory));
    from.patches().iter().for_each(|memory| to.keep_patch(*memory));
}

/// Joint angles for a skeleton that has them, none for one that has not. True if tissue was moved.
fn adapt_skeleton(hand: &Hand, body: &SoftBody, state: &mut SoftState) -> bool {
    match (&body.reduced, &state.joints) {
        (Some(skeleton), None) => {
            let frames = std::array::from_fn(|b| hand.frame(b, &state.bones[b].pose));
            let (angles, fitted) = skeleton.fit(&frames);
            hand.carry_along(state, &frames, &fitted);
            state.velocities.fill(Vec3::ZERO);
            state.joints = Some(JointState { angles, ..JointState::default() });
            for (bone, centre) in state.bones.iter_mut().zip(hand.centres(&fitted)).skip(1) {
                bone.pose = centre;
                bone.velocity = Vec3::ZERO;
                bone.momentum = Vec3::ZERO;
            }
            true
        }
        (None, Some(_)) => {
            state.joints = None;
            false
        }
        _ => false,
    }
}
