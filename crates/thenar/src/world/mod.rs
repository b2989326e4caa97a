//! A world of hands and objects, and the step that moves it.
//!
//! Start reading at `step.rs`: [`World::step`] is the flow of the whole engine on one screen.

mod assemble;
mod commit;
mod config;
mod constrain;
mod hand;
mod hosted;
mod object_def;
mod outputs;
mod push;
mod report;
mod seams;
mod seat;
mod skeleton;
mod skin;
mod soft_body;
mod soft_def;
mod state;
mod step;
mod track;

pub use config::{Preset, SkeletonCoupling, SkeletonMethod, SkeletonParams, SolverParams, TissueParams, WorldConfig};
pub use hand::Hand;
pub use object_def::{ObjectDef, ObjectError};
pub use outputs::{ContactEvent, ContactForce, HandOutputs, ObjectOutputs};
pub use report::{Clock, Flags, Stage, StepReport};
pub use skeleton::{JointState, ReducedSkeleton};
pub use soft_body::{SoftBody, SoftState};
pub use soft_def::{SoftDef, SoftError};
pub use state::{HandState, State};
pub use step::StepError;

use crate::collide::{ContactSet, ObjectModel, SoftContact, SoftContactSet, TouchPlaces};
use crate::contact::aggregate::Patches;
use crate::contact::free::FreeContact;
use crate::contact::penalty::ContactRecord;
use crate::contact::point::Points;
use crate::contact::rows::{ConstraintSet, POINT_CAPACITY, ROW_CAPACITY};
use crate::contact::soft_pairs::{PAIR_CAPACITY, SoftPair, SoftPairs};
use crate::contact::{Anchors, ContactMethod, SoftAnchors};
use crate::energy::inertia::RigidState;
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::energy::tissue::{TissueError, TissueRotations, TissueWork};
use crate::hand::HandModel;
use crate::math::{Executor, Pose, Serial, Vec3};
use crate::solve::constraints::ConstraintSolver;
use crate::solve::direct::SoftFactor;
use crate::solve::pcg::IterativeSolver;
use crate::sparse::{BlockPattern, Symbolic};
use crate::tracking::{ElasticState, Targets, TrackerFrame};
use std::sync::Arc;

/// A hand of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandId(pub u32);

/// A deformable object of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SoftId(pub u32);

/// An object of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Scratch of a step: reused, never saved.
#[derive(Default)]
struct Workspace {
    predicted_nodes: Vec<Vec<Vec3>>,
    predicted_objects: Vec<Pose>,
    object_motions: Vec<(Vec3, Vec3)>,
    point_positions: Vec<Vec3>,
    bone_poses: Vec<Pose>,
    contacts: ContactSet,
    places: Vec<TouchPlaces>,
    soft_contacts: SoftContactSet,
    records: Vec<ContactRecord>,
    soft_records: usize,
    spring_records: usize,
    next_anchors: Vec<Anchors>,
    next_object_anchors: Vec<Anchors>,
    next_touch_anchors: Vec<SoftAnchors>,
    tissue: Vec<TissueWork>,
    problems: Vec<SoftProblem>,
    factors: Vec<SoftFactor>,
    border: BorderProblem,
    iterative: IterativeSolver,
    free: Vec<FreeContact>,
    /// How deep contacts sank in in earlier rounds of the step, metres.
    sunk: Vec<f64>,
    points: Points,
    patches: Patches,
    pairs: SoftPairs,
    constraints: ConstraintSet,
    constraint_solver: ConstraintSolver,
}

/// Hands and objects that move and touch.
pub struct World {
    config: WorldConfig,
    softs: Vec<SoftBody>,
    hand_of_soft: Vec<Option<u32>>,
    hands: Vec<Hand>,
    objects: Vec<ObjectModel>,
    state: State,
    work: Workspace,
    hand_outputs: Vec<HandOutputs>,
    object_outputs: Vec<ObjectOutputs>,
    events: Vec<ContactEvent>,
    hosting: hosted::Hosting,
    pushes: push::Pushes,
    report: StepReport,
    clock: Clock,
    executor: Arc<dyn Executor>,
}

/// A saved state of a world; restoring it continues bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot(State);

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(config: WorldConfig) -> World {
        let work = Workspace {
            contacts: ContactSet::with_capacity(config.contact_capacity),
            soft_contacts: SoftContactSet::with_capacity(config.contact_capacity),
            records: Vec::with_capacity(config.contact_capacity),
            free: Vec::with_capacity(POINT_CAPACITY),
            sunk: Vec::with_capacity(POINT_CAPACITY),
            points: Points::new(),
            patches: Patches::new(),
            pairs: SoftPairs::new(),
            constraints: ConstraintSet::new(),
            ..Workspace::default()
        };
        World {
            config,
            softs: Vec::new(),
            hand_of_soft: Vec::new(),
            hands: Vec::new(),
            objects: Vec::new(),
            state: State::default(),
            work,
            hand_outputs: Vec::new(),
            object_outputs: Vec::new(),
            events: Vec::with_capacity(256),
            hosting: hosted::Hosting::default(),
            pushes: push::Pushes::default(),
            report: StepReport::default(),
            clock: || 0,
            executor: Arc::new(Serial),
        }
    }

    /// Adds a hand. It appears with its first tracked frame.
    ///
    /// # Errors
    /// Names the element and the property of the tissue that cannot be used.
    pub fn add_hand(&mut self, model: &HandModel) -> Result<HandId, TissueError> {
        let (body, pattern, symbolic) = SoftBody::from_hand(model, &self.config)?;
        let hand = Hand::new(model, self.softs.len());
        let targets = Targets::new(&hand.skeleton);
        let centres = hand.centres(&targets.bones);
        self.state.hands.push(HandState {
            targets,
            elastic: ElasticState::seated(&centres),
            touching: vec![0; self.objects.len()],
            failures: 0,
        });
        self.hand_outputs.push(HandOutputs::new(&hand, &body, model));
        let state = hand.absent(&body);
        let id = self.hands.len() as u32;
        self.hands.push(hand);
        self.add_soft_body(body, pattern, symbolic, state, Some(id));
        Ok(HandId(id))
    }

    /// Adds a deformable object; its mesh is in world coordinates, where it starts at rest.
    ///
    /// # Errors
    /// Names the field of the definition that cannot be used.
    pub fn add_soft(&mut self, def: SoftDef) -> Result<SoftId, SoftError> {
        let (body, pattern, symbolic) = def.build(self.config.kernels)?;
        let state = SoftState {
            active: true,
            nodes: body.rest.clone(),
            velocities: vec![Vec3::ZERO; body.node_count()],
            bones: Vec::new(),
            joints: None,
            rotations: TissueRotations::identity(&body.tissue),
            anchors: Anchors::new(body.surface.points.len()),
            touch_anchors: SoftAnchors::new(body.touch.points.len()),
        };
        let id = SoftId(self.softs.len() as u32);
        self.add_soft_body(body, pattern, symbolic, state, None);
        Ok(id)
    }

    /// Sets all of a deformable object in motion at once, m/s.
    pub fn set_soft_velocity(&mut self, soft: SoftId, velocity: Vec3) {
        if let Some(state) = self.state.softs.get_mut(soft.0 as usize) {
            state.velocities.fill(velocity);
        }
    }

    fn add_soft_body(
        &mut self,
        body: SoftBody,
        pattern: BlockPattern,
        symbolic: Symbolic,
        state: SoftState,
        hand: Option<u32>,
    ) {
        self.hand_of_soft.push(hand);
        self.state.softs.push(state);
        self.work.predicted_nodes.push(body.rest.clone());
        self.work.next_anchors.push(Anchors::new(body.surface.points.len()));
        self.work.next_touch_anchors.push(SoftAnchors::new(body.touch.points.len()));
        self.work.tissue.push(body.tissue.work());
        self.work.places.push(TouchPlaces::new(&body.touch));
        let rows = match self.config.method {
            ContactMethod::Penalty => 0,
            ContactMethod::Point => ROW_CAPACITY,
            ContactMethod::Aggregate => ROW_CAPACITY / 4,
        };
        self.work.constraint_solver.add_body(&symbolic, (rows + 3 * PAIR_CAPACITY).min(ROW_CAPACITY));
        self.work.factors.push(SoftFactor::new(&symbolic, self.config.kernels));
        self.work.problems.push(SoftProblem::new(pattern, symbolic));
        let most = self.work.point_positions.capacity().max(body.surface.points.len());
        self.work.point_positions.reserve(most);
        self.work.bone_poses.resize(crate::hand::BONE_COUNT, Pose::IDENTITY);
        self.softs.push(body);
        self.reserve_border();
    }

    /// Adds a rigid object.
    ///
    /// # Errors
    /// Names the field of the definition that cannot be used.
    pub fn add_object(&mut self, def: ObjectDef) -> Result<ObjectId, ObjectError> {
        let (velocity, spin) = (def.velocity, def.spin);
        let (mut model, pose) = def.build(self.config.object_spacing)?;
        if model.mass.is_some() {
            model.border = Some((self.work.border.size / 6) as u32);
            self.work.border.resize(self.work.border.size / 6 + 1);
        }
        Ok(self.add_model(model, pose, velocity, spin))
    }

    fn add_model(&mut self, model: ObjectModel, pose: Pose, velocity: Vec3, spin: Vec3) -> ObjectId {
        let mut state = RigidState::at(pose);
        if let Some(mass) = &model.mass {
            state.velocity = velocity;
            state.momentum = mass.world_inertia(pose.rotation) * spin;
        }
        self.state.objects.push(state);
        self.state.slots.push(None);
        self.hosting.add_object();
        self.pushes.add_object();
        self.state.object_anchors.push(Anchors::new(model.samples.len()));
        self.state.hands.iter_mut().for_each(|h| h.touching.push(0));
        self.work.next_object_anchors.push(Anchors::new(model.samples.len()));
        self.work.predicted_objects.push(pose);
        self.work.object_motions.push((Vec3::ZERO, Vec3::ZERO));
        self.object_outputs.push(ObjectOutputs::new(&model, &state));
        self.objects.push(model);
        self.reserve_border();
        ObjectId(self.objects.len() as u32 - 1)
    }

    fn reserve_border(&mut self) {
        self.work.constraint_solver.resize_border(self.work.border.size);
        let moving = self.work.border.size / 6;
        self.work.problems.iter_mut().for_each(|p| p.reserve_objects(moving));
    }

    /// Gives the engine a clock for the stage times of the [`StepReport`].
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Gives the engine threads: pieces of a step that do not depend on each other are done by `executor`. Results do
    /// not depend on it.
    pub fn set_executor(&mut self, executor: Arc<dyn Executor>) {
        self.executor = executor;
    }

    /// Feeds a tracked frame to a hand; without one the hand keeps its last target. Nothing in a frame is an error:
    /// what cannot be used is filled in or ignored, and flagged in the next report.
    pub fn track(&mut self, hand: HandId, frame: &TrackerFrame) {
        let h = hand.0 as usize;
        let Some(state) = self.state.hands.get_mut(h) else { return };
        let verdict = state.targets.accept(frame, self.hands[h].side, &self.hands[h].skeleton);
        self.report.flags.wrong_side |= verdict.wrong_side;
        self.report.flags.joints_filled |= verdict.filled > 0;
    }

    /// The parameters.
    #[must_use]
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// The figures of the last step.
    #[must_use]
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The state as it is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Soft bodies: hands first, in the order they were added.
    #[must_use]
    pub fn soft_bodies(&self) -> &[SoftBody] {
        &self.softs
    }

    /// Objects, in the order they were added.
    #[must_use]
    pub fn objects(&self) -> &[ObjectModel] {
        &self.objects
    }

    /// What came out for a hand.
    #[must_use]
    pub fn hand(&self, hand: HandId) -> &HandOutputs {
        &self.hand_outputs[hand.0 as usize]
    }

    /// What came out for an object.
    #[must_use]
    pub fn object(&self, object: ObjectId) -> &ObjectOutputs {
        &self.object_outputs[object.0 as usize]
    }

    /// Where soft surfaces came within the alarm distance of each other in the last step.
    #[must_use]
    pub fn soft_contacts(&self) -> &[SoftContact] {
        &self.work.soft_contacts.contacts
    }

    /// What soft surfaces did to each other in the last step.
    #[must_use]
    pub fn soft_pairs(&self) -> &[SoftPair] {
        &self.work.pairs.pairs
    }

    /// Contacts between fingers and objects that began or ended in the last step.
    #[must_use]
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }

    /// Saves the state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.state.clone())
    }

    /// Continues from a saved state of this world.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.state.clone_from(&snapshot.0);
        self.reassign_slots();
    }
}
