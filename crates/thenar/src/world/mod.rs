//! A world of hands and objects, and the step that moves it.
//!
//! Start reading at `step.rs`: [`World::step`] is the flow of the whole engine on one screen. `phases.rs` holds its phases as
//! types, `constrain.rs` the rounds of its solve. Motion, and what contacts remember, are written into the State by `commit.rs` alone; beside
//! it, tracking writes what it leads hands by (`track.rs`), and puts a hand on its target that appears there (`seat.rs`), assembly improves the
//! rotations of elements, and outputs remember which fingers touched what (`outputs.rs`) and what fingertips feel (`touch.rs`).
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `ALARM` | 1 mm | points this close to an object at the predicted end, or as close as something falls freely in a step, are looked at: one that was inside and leaves faster than this in a step was not pressing |
//! | `SOFT_ALARM` | 2 mm | the same between soft surfaces, both of which move [Talvas §V: about 2 mm] |
//! | `ROUNDS` | 8 | solves of a step: two are usual where contacts change; friction that has not settled goes on in the next step |
//! | `ROUNDS_OF_HELD` | 200 | the same where contacts are held as in another step: each takes a part of what is left, down to round-off |
//! | `FLIPS_TO_LIFT` | 8 | more flips are modelled anew: the 24 rows of eight contacts cost as much to carry and sweep as a factorisation; twice as many after each one that did not settle them |
//! | `REMODELS` | 3 | a budget: contacts that still change their mind after three factorisations are lifted by rows, however many they are |
//! | `REVISIONS` | 2 | how often a step reads gaps from distance fields anew where its contacts ended beside their predicted places: each time leaves the square of what was missing |
//! | `LOST` | 1 mm | a constraint that far from being met is worse than the spring that would do instead: a cube wedged between fingers and a box's wall went through both |
//! | `ROUNDS_AGAINST_OUTRAGE` | 24 | solves of a step in which contacts still pull, or stick to what slides with more than any presses: each gives those that do rows, which cannot, or, where conjugate gradients carry none, opens them |
//! | `SLIDING_ROWS` | 384 | rows of contacts that slide in the matrix, for the linear model of the force on handles: 128 contacts |
//! | `MOST_ACTIVE` | 150 | rows of contact up to which the linear model leaves out what inertia bends: eliminating more takes longer than a step |
//! | `JOINT_ROWS` | 15 | rows for the bones at the joints of a handle: a palm has five, with three rows each |
//! | `SMALL` | 1e-6 rad | turn by which the torque of joints is differentiated: half of the digits |
//! | `FAR` | 1 km | no target of a handle is further away |
//! | `SPARE_ROWS` | 384 | rows for contacts that flip: twice `FLIPS_TO_LIFT` contacts of three rows in each of `ROUNDS`; more where there are more contacts than that |
//! | `FIRST_ROWS` | 576 | those, and 64 hard points, from the start; a world in closer contact than ever makes room before it factors |
//! | `MOST_ROWS` | 6000 | `W` of 6000 rows has 288 MB; contacts beyond are springs |
//! | `ROTATION_ITERATIONS` | 2 | improvements of the elements' rotations per step: enough to follow any hand (the kernel's error bound is tested) |
//! | `UNFOLDED`, `UNFOLDINGS` | 0.3, 100 | least stretch of tissue that appears in a bent pose: right side out by a good measure, and elasticity does the rest within steps; rounds are a budget |
//! | `WILDEST` | 100 m/s | no contact in a hand's world changes a velocity by more within a step: a step that says so has exploded |
//! | `WILDEST_SPIN` | 2000 rad/s | the same for spins: `WILDEST` at a lever of 5 cm |
//! | `FAILURES_BEFORE_RESEATING` | 3 | a step that failed starts anew from rest, which may mend it; a hand that fails three times in a row would hang there without being put on its target |
//! | `RETURN` | 0.25 m/s | a hand that was put aside comes back so fast: half of what counts as a launch of what is in its way |
//! | `BEARABLE` | 0.5 mm | a hand that appears inside something is moved out until it is no deeper: tissue bears that |
//! | `ATTEMPTS` | 12 | moves out of what a hand appears in: between two objects there may be no way out of both |
//! | `WAYS` | 8 | directions in which a hand is moved out of what it appears in: a box has six sides |
//! | `SAME_WAY` | 0.95 | directions up to 18° apart are one |
//! | `TRACES` | 40 | steps through an object, each as far as its surface is away: a way along a face needs the most |
//! | `FARTHEST` | 3 mm | how far soft bodies may come over each other in a part of a step: as deep as detection looks for new contacts |
//! | `FARTHEST_INTO` | 8 mm | the same into a rigid object, whose distance is known everywhere: half of a finger |
//! | `LITERAL_PART` | 1 ms | pressure by depth acts one step late and swings from step to step in longer ones: half the damping time of tissue |
//! | `MOST_PARTS` | 32 | parts of a step, a budget: at 60 Hz soft things are met on their way that hit each other at 5.8 m/s (32 times `FARTHEST`), and what hits a rigid object at 15 m/s |
//! | `FASTEST`, `FASTEST_SPIN` | 100 m/s, 1000 rad/s | what a caller may set an object in motion with: the same as at its start |
//! | `EDGE_DEPTH` | 1 mm | edges are looked for this deep below a surface: what is rounder is no edge to a finger |
//! | `EDGE_SHARPNESS` | 0.9 | below a flat place the surface is as far as the depth, below an edge of 90° 0.7 of it |
//! | `FINENESS` | 1 | contact points of a soft object are an edge of its elements apart where it is flat: more points than nodes would contradict each other |
//! | `BULGE` | 0.3 mm | they are nearer where its surface is round, and bulges between them by no more: less than soft things flatten, and a ball rolls |
//! | `BALL_DEPTH` | 0.2 mm | depth at which the contact area of a ball in another object is taken: about what a held object sinks in |
//! | `TALVAS_TETS` | 1513 | elements of all fifteen phalanges [Talvas §4] |
//! | `PEREZ_TETS` | 597 | elements of the whole hand [Perez §V] |
//! | `GARRE_TETS` | 800 | elements of the middle one of three hands [Garre §6] |
//! | `LANES` | 8 | skin vertices carried together: one register of `f32` |

// A failed step hands its memory back by value; boxing it would allocate in the step.
#![allow(clippy::result_large_err)]

mod assemble;
mod check;
mod commit;
mod config;
mod constrain;
mod edit;
mod hand;
mod handle;
mod hold;
mod hosted;
mod lead;
mod limit;
#[cfg(test)]
mod limit_tests;
mod linear;
mod linear_joints;
mod linear_shapes;
#[cfg(test)]
mod linear_tests;
mod object_def;
mod outputs;
mod parts;
mod phases;
mod push;
mod report;
mod seams;
mod seat;
mod skin;
mod snapshot;
mod soft_def;
mod soft_surface;
mod state;
mod step;
mod touch;
mod track;
mod twin;
mod unfold;
mod weight;

pub use crate::body::{
    AttachmentMethod, CarriedSurface, JointState, ObjectModel, SkeletonCoupling, SkeletonMethod, SkeletonParams,
    SoftBody, SoftState, StretchLimits, TissueParams, TissueStretch,
};
pub use crate::contact::{AggregateParams, ContactMethod, Pressure, SpringParams};
pub use crate::energy::held::HeldNodes;
pub use crate::energy::joints::JointParams;
pub use crate::energy::tether::Tether;
pub use crate::energy::tissue::{EnergyLimit, Material, Relaxation, TissueError};
pub use crate::haptics::{HandleCoupling, HandleDef, HandleId, HandleModel, HandleState};
pub use crate::math::Kernels;
pub use crate::strain::{StrainParams, StrainSolver, Stretch};
pub use crate::tactile::TactileParams;
pub use crate::tracking::{CouplingParams, TrackingMode, TrackingParams};
pub use check::ConfigError;
pub use config::{Preset, SolverParams, WorldConfig};
pub use edit::BodyError;
pub use hand::Hand;
pub use handle::HandleError;
pub use object_def::{ObjectDef, ObjectError};
pub use outputs::{ContactEvent, ContactForce, HandOutputs, ObjectOutputs, Partner, SoftOutputs, Wrench};
pub use report::{Clock, Flags, Stage, StepReport};
pub use snapshot::{Snapshot, SnapshotError};
pub use soft_def::{SoftDef, SoftError};
pub use state::{HandState, State};
pub use step::StepError;
pub use twin::ScratchError;

use crate::body::HandMakeup;
use crate::collide::{Contacts, TouchPlaces};
use crate::constraint::{Compliance, ConstraintSet};
use crate::contact::{ContactMemory, HeldContacts, Method, Pair, Touching};
use crate::energy::inertia::RigidState;
use crate::energy::problem::BorderSystem;
use crate::energy::tissue::{TissueMemory, TissueRotations, TissueWork};
use crate::hand::HandModel;
use crate::math::{Executor, Pose, Serial, Vec3};
use crate::solve::pcg::IterativeSolver;
use crate::strain::Limits;
use crate::tactile::SoftPlaces;
use crate::tracking::{ElasticState, Targets, TrackerFrame};
use phases::Equations;
use std::sync::Arc;

/// A hand of a world. Ids count from 0 in the order of adding, are never given twice, and mean nothing to other worlds
/// (but to a twin). Who changes a body by an id that its world does not know gets a [`BodyError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandId(pub u32);

/// A deformable object of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SoftId(pub u32);

/// An object of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Scratch of a step: reused, never saved. Beside each field, the stage that writes it.
#[derive(Default)]
struct Workspace {
    /// There is room for all bodies: false for twins that borrow.
    made: bool,
    /// parts: places and velocities of a soft surface
    flying_points: Vec<[Vec3; 2]>,
    /// predict
    predicted_nodes: Vec<Vec<Vec3>>,
    /// predict
    predicted_objects: Vec<Pose>,
    /// predict: velocities and spins at the start of the step; commit: at its end
    object_motions: Vec<(Vec3, Vec3)>,
    /// detect
    point_positions: Vec<Vec3>,
    /// detect
    places: Vec<TouchPlaces>,
    /// detect
    contacts: Contacts,
    /// track
    bone_poses: Vec<Pose>,
    /// assemble
    tissue: Vec<TissueWork>,
    /// assemble: the objects' equations without contact
    border_energies: BorderSystem,
    /// assemble; then handed from phase to phase
    equations: Equations,
    /// assemble, constrain, commit
    touching: Touching,
    /// solve
    iterative: IterativeSolver,
    /// constrain
    constraints: ConstraintSet,
    /// constrain
    compliance: Compliance,
    /// assemble, constrain
    limits: Limits,
    /// assemble: rows that this step may have
    row_limit: usize,
    /// Skin touches by springs, whatever was chosen: a step is solved once more.
    yielding: bool,
    /// commit
    next_memory: ContactMemory,
    /// outputs
    touch_places: Vec<SoftPlaces>,
    /// predict: the handles at the start of the step
    handle_starts: Vec<HandleState>,
    /// predict: the length of the step, if it was solved
    handle_step: Option<f64>,
    /// linearise: the first of the rows that measure handles
    handle_rows: Option<usize>,
    /// linearise
    linear: linear::LinearScratch,
}

/// Hands and objects that move and touch.
pub struct World {
    config: WorldConfig,
    softs: Vec<Arc<SoftBody>>,
    hand_of_soft: Vec<Option<u32>>,
    hands: Vec<Hand>,
    objects: Vec<ObjectModel>,
    state: State,
    work: Workspace,
    hand_outputs: Vec<HandOutputs>,
    object_outputs: Vec<ObjectOutputs>,
    soft_outputs: Vec<SoftOutputs>,
    events: Vec<ContactEvent>,
    hosting: hosted::Hosting,
    pushes: push::Pushes,
    holds: hold::Holds,
    report: StepReport,
    clock: Clock,
    executor: Arc<dyn Executor>,
    outside: Option<Arc<dyn Method>>,
    handles: Vec<handle::Handle>,
    held: Option<HeldContacts>,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// Names the parameter, or the combination of them, that no world can have.
    pub fn new(config: WorldConfig) -> Result<World, ConfigError> {
        config.check()?;
        let room = config.contact_capacity;
        let contacts = ContactMemory::with_capacity(room);
        Ok(World {
            config,
            softs: Vec::new(),
            hand_of_soft: Vec::new(),
            hands: Vec::new(),
            objects: Vec::new(),
            state: State { contacts, ..State::default() },
            work: Workspace::with_room(room),
            hand_outputs: Vec::new(),
            object_outputs: Vec::new(),
            soft_outputs: Vec::new(),
            events: Vec::with_capacity(256),
            hosting: hosted::Hosting::default(),
            pushes: push::Pushes::default(),
            holds: hold::Holds::default(),
            report: StepReport::default(),
            clock: || 0,
            executor: Arc::new(Serial),
            outside: None,
            handles: Vec::new(),
            held: None,
        })
    }

    /// Adds a hand. It appears with its first tracked frame.
    ///
    /// # Errors
    /// Names the element and the property of the tissue that cannot be used.
    pub fn add_hand(&mut self, model: &HandModel) -> Result<HandId, TissueError> {
        let makeup = HandMakeup {
            tissue: &self.config.tissue,
            attachment: self.config.attachment,
            attach: self.config.attach,
            skeleton: self.config.skeleton.method,
            kernels: self.config.kernels,
        };
        let body = SoftBody::from_hand(model, &makeup)?;
        let hand = Hand::new(model, &body, self.softs.len());
        let targets = Targets::new(&hand.skeleton);
        let centres = hand.centres(&targets.bones);
        self.state.hands.push(HandState {
            targets,
            elastic: ElasticState::seated(&centres),
            touching: vec![0; self.objects.len()],
            touching_soft: vec![0; self.softs.len()],
            aside: Vec3::ZERO,
            failures: 0,
            tactile: Default::default(),
        });
        self.hand_outputs.push(HandOutputs::new(&hand, &body, model, self.config.tactile.as_ref()));
        let state = hand.absent(&body);
        let id = self.hands.len() as u32;
        self.hands.push(hand);
        self.add_soft_body(Arc::new(body), state, Some(id));
        Ok(HandId(id))
    }

    /// Adds a deformable object; its mesh is in world coordinates, where it starts at rest.
    ///
    /// # Errors
    /// Names the field of the definition that cannot be used.
    pub fn add_soft(&mut self, def: SoftDef) -> Result<SoftId, SoftError> {
        if def.stretch.is_some() && matches!(self.config.solver, SolverParams::Pcg { .. }) {
            return Err(SoftError::LimitsWithoutFactor { name: def.name });
        }
        let handles = def.handles.clone();
        let body = def.build(self.config.kernels)?;
        let state = SoftState {
            active: true,
            nodes: body.rest.clone(),
            velocities: vec![Vec3::ZERO; body.node_count()],
            bones: body.bones_at_rest.iter().map(|pose| RigidState::at(*pose)).collect(),
            joints: None,
            rotations: TissueRotations::identity(&body.tissue),
            memory: TissueMemory::new(&body.tissue),
            holding: vec![[0.0; 4]; body.stretch.len()],
        };
        let id = SoftId(self.softs.len() as u32);
        let own = self.softs.len();
        self.add_soft_body(Arc::new(body), state, None);
        for (bone, handle) in handles.iter().enumerate() {
            self.push_handle(handle::Handle { soft: own, bone: bone as u32, coupling: handle.coupling });
        }
        Ok(id)
    }

    fn add_soft_body(&mut self, body: Arc<SoftBody>, state: SoftState, hand: Option<u32>) {
        self.need_scratch();
        self.hand_of_soft.push(hand);
        self.soft_outputs.push(SoftOutputs::new(&body, &state.nodes, &state.velocities));
        self.state.hands.iter_mut().for_each(|h| h.touching_soft.push(0));
        self.state.softs.push(state);
        self.work.add_soft(&body, self.config.kernels);
        self.softs.push(body);
        self.reserve_border();
    }

    /// Adds a rigid object.
    ///
    /// # Errors
    /// Names the field of the definition that cannot be used.
    pub fn add_object(&mut self, def: ObjectDef) -> Result<ObjectId, ObjectError> {
        let (velocity, spin) = (def.velocity, def.spin);
        let (mut model, pose) = def.build(&self.config)?;
        self.need_scratch();
        if model.mass.is_some() {
            let moving = self.work.equations.border.size() / 6;
            model.border = Some(moving as u32);
            self.work.equations.border.resize(moving + 1);
        }
        Ok(self.add_model(model, pose, velocity, spin))
    }

    fn add_model(&mut self, model: ObjectModel, pose: Pose, velocity: Vec3, spin: Vec3) -> ObjectId {
        self.need_scratch();
        let mut state = RigidState::at(pose);
        if let Some(mass) = &model.mass {
            state.velocity = velocity;
            state.momentum = mass.world_inertia(pose.rotation) * spin;
        }
        self.state.objects.push(state);
        self.state.slots.push(None);
        self.hosting.add_object(&model);
        self.pushes.add_object();
        self.state.hands.iter_mut().for_each(|h| h.touching.push(0));
        self.work.predicted_objects.push(pose);
        self.work.object_motions.push((Vec3::ZERO, Vec3::ZERO));
        self.object_outputs.push(ObjectOutputs::new(&model, &state));
        self.objects.push(model);
        self.reserve_border();
        ObjectId(self.objects.len() as u32 - 1)
    }

    fn reserve_border(&mut self) {
        let size = self.work.equations.border.size();
        self.work.compliance.resize_border(size);
        self.work.limits.resize_border(size);
        self.work.border_energies = self.work.equations.border.assembled.clone();
        self.work.equations.problems.iter_mut().for_each(|p| p.reserve_objects(size / 6));
        self.reserve_rows(constrain::FIRST_ROWS);
    }

    /// Gives the engine a clock for the stage times of the [`StepReport`].
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Gives the world a contact method of one's own, for objects whose method is [`ContactMethod::Outside`] (or for all, if the
    /// world's is). Twins have it too; snapshots do not hold it.
    pub fn set_method(&mut self, method: Arc<dyn Method>) {
        self.outside = Some(method);
    }

    /// Gives the engine threads: pieces of a step that do not depend on each other are done by `executor`. Results do
    /// not depend on it.
    pub fn set_executor(&mut self, executor: Arc<dyn Executor>) {
        self.executor = executor;
    }

    /// Feeds a tracked frame to a hand; without one the hand keeps its last target. Nothing in a frame is an error:
    /// what cannot be used is filled in or ignored, and flagged in the next report.
    ///
    /// # Errors
    /// If there is no such hand, or it was removed.
    pub fn track(&mut self, hand: HandId, frame: &TrackerFrame) -> Result<(), BodyError> {
        let h = self.hand_index(hand)?;
        let verdict = self.state.hands[h].targets.accept(frame, self.hands[h].side, &self.hands[h].skeleton);
        self.report.flags.wrong_side |= verdict.wrong_side;
        self.report.flags.joints_filled |= verdict.filled > 0;
        Ok(())
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

    /// Soft bodies, those of hands and soft objects alike, in the order they were added: a [`SoftId`] is a place in this list.
    #[must_use]
    pub fn soft_bodies(&self) -> &[Arc<SoftBody>] {
        &self.softs
    }

    /// Which soft body a hand is; `None` if this world never gave the id.
    #[must_use]
    pub fn soft_of(&self, hand: HandId) -> Option<usize> {
        self.hands.get(hand.0 as usize).map(|hand| hand.soft)
    }

    /// How the hard limits of the last step were met: for each linearisation, the steps or sweeps of its solver so far, and how far the worst
    /// stretch was beyond its limit.
    #[must_use]
    pub fn limit_trace(&self) -> &[(u32, f64)] {
        &self.work.limits.trace
    }

    /// Objects, in the order they were added.
    #[must_use]
    pub fn objects(&self) -> &[ObjectModel] {
        &self.objects
    }

    /// What came out for a hand; `None` if this world never gave the id.
    #[must_use]
    pub fn get_hand(&self, hand: HandId) -> Option<&HandOutputs> {
        self.hand_outputs.get(hand.0 as usize)
    }

    /// What came out for a hand.
    ///
    /// # Panics
    /// As indexing does, if this world never gave the id; [`World::get_hand`] does not.
    #[must_use]
    pub fn hand(&self, hand: HandId) -> &HandOutputs {
        &self.hand_outputs[hand.0 as usize]
    }

    /// What came out for an object; `None` if this world never gave the id.
    #[must_use]
    pub fn get_object(&self, object: ObjectId) -> Option<&ObjectOutputs> {
        self.object_outputs.get(object.0 as usize)
    }

    /// What came out for an object.
    ///
    /// # Panics
    /// As indexing does, if this world never gave the id; [`World::get_object`] does not.
    #[must_use]
    pub fn object(&self, object: ObjectId) -> &ObjectOutputs {
        &self.object_outputs[object.0 as usize]
    }

    /// What came out for a soft object; `None` if this world never gave the id to one: the body of a hand is none.
    #[must_use]
    pub fn get_soft(&self, soft: SoftId) -> Option<&SoftOutputs> {
        self.soft_outputs.get(self.soft_object(soft)?)
    }

    /// What came out for a soft object.
    ///
    /// # Panics
    /// As indexing does, if this world never gave the id to a soft object; [`World::get_soft`] does not.
    #[must_use]
    pub fn soft(&self, soft: SoftId) -> &SoftOutputs {
        &self.soft_outputs[self.soft_object(soft).unwrap_or(usize::MAX)]
    }

    /// What is seen of a soft object, at rest: triangles, and places in the world as it was described; `None` as of
    /// [`World::get_soft`].
    #[must_use]
    pub fn soft_surface(&self, soft: SoftId) -> Option<&CarriedSurface> {
        self.softs.get(self.soft_object(soft)?).map(|body| &body.shown)
    }

    /// Where the vertices of that surface are now; `None` as of [`World::get_soft`].
    #[must_use]
    pub fn soft_vertices(&self, soft: SoftId) -> Option<impl ExactSizeIterator<Item = Vec3> + Clone + '_> {
        let i = self.soft_object(soft)?;
        let (body, state) = (self.softs.get(i)?, self.state.softs.get(i)?);
        Some(body.shown.positions(&body.tets, &state.nodes))
    }

    /// The place of a soft object in the lists of soft bodies, removed or not; none for the body of a hand.
    fn soft_object(&self, soft: SoftId) -> Option<usize> {
        let i = soft.0 as usize;
        self.hand_of_soft.get(i)?.is_none().then_some(i)
    }

    /// All contacts of the last step, of all bodies: those within the alarm distance, and what those that press came to.
    #[must_use]
    pub fn contacts(&self) -> &[Pair] {
        &self.work.touching.pairs
    }

    /// The place that the carriers of a soft side interpolate of a nodal field, one per soft body; the origin for a rigid
    /// side.
    #[must_use]
    pub fn place<'a>(&self, side: &crate::collide::Side, nodes: impl FnOnce(usize) -> &'a [Vec3]) -> Vec3 {
        self.work.contacts.motion(side, nodes, |_| (Vec3::ZERO, Vec3::ZERO))
    }

    /// Contacts between fingers and objects that began or ended in the last step.
    #[must_use]
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }
}
