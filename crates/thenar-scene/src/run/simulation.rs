//! A scene in motion.

use std::sync::Arc;

use thenar::geometry::distance::{MassError, MassProperties};
use thenar::hand::{BoneId, HandModel, Side, XrJoint};
use thenar::haptics::{HandleCoupling, HandleId, HandleState};
use thenar::math::{Pose, Quat, Vec3, rotation_log};
use thenar::tracking::TrackerFrame;
use thenar::world::{
    BodyError, HandId, ObjectDef, ObjectError, ObjectId, Partner, StepError, StepReport, TissueError, World,
};

use super::regrasp::{Grip, Regrasp, held_at};
use super::rest::{Rest, RestError};
use super::settings::{refused_setting, world_config};
use super::soft::{self, SoftThing};
use super::source::FrameSource;
use super::take_over::holds;
use crate::assets::{AssetError, Assets};
use crate::motion::{Closing, Posture, Refit, Solid, Stance, Tracker, closed_around, fitted};
use crate::scene::{HandSpec, Lead, ObjectSpec, PushSpec, Scene, SceneError};
use crate::trackers::RecordedHand;

/// Density of objects that give neither mass nor density, kg/m³: wood.
pub const USUAL_DENSITY: f64 = 700.0;

/// Why a scene could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A setting.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file of the scene.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// An object.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// An object of the rest of the world.
    #[error(transparent)]
    Rest(#[from] RestError),
    /// The mass of an object.
    #[error("object '{name}': {error}")]
    Mass {
        /// Name of the object.
        name: String,
        /// What is wrong.
        error: MassError,
    },
    /// A recording that does not show the hand it should move.
    #[error("`{file}` has no frame of a {side:?} hand")]
    Unseen {
        /// As written in the scene.
        file: String,
        /// The hand.
        side: Side,
    },
    /// A material of a hand.
    #[error(transparent)]
    Tissue(#[from] TissueError),
    /// A deformable object.
    #[error("soft object '{name}': {what}")]
    Soft {
        /// Name of the object.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// A step.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// A hand of a simulation, with what drives it.
pub struct DrivenHand {
    /// In the world.
    pub id: HandId,
    /// What never changes of it.
    pub model: Arc<HandModel>,
    tracker: Tracker,
    /// The handle on its palm, if that leads it.
    pub palm: Option<HandleId>,
    pub(super) last_frame: Option<u64>,
    pub(super) source: Option<Box<dyn FrameSource>>,
    pub(super) fed: Option<TrackerFrame>,
}

impl DrivenHand {
    /// The tracker and the script it watches; `None` if something else drives the hand.
    #[must_use]
    pub fn tracker(&self) -> Option<&Tracker> {
        if self.source.is_none() { Some(&self.tracker) } else { None }
    }

    /// Where the hand is wanted at a time: by its script, or by what drives it in its place if that knows.
    #[must_use]
    pub fn stance(&self, time: f64) -> Option<Stance> {
        match &self.source {
            Some(source) => source.stance(),
            None => Some(self.tracker.stance(time)),
        }
    }

    /// Where the palm's centre of mass is wanted at a time, and how fast: by the script, or by what drives the hand in its place if that knows
    /// (it knows no velocities).
    #[must_use]
    pub fn palm_at(&self, time: f64) -> Option<HandleState> {
        let (wrist, com) = self.palm_parts();
        let centre = |time: f64| {
            let frame = self.stance(time)?.palm * wrist;
            Some(Pose::new(frame.point(com), frame.rotation))
        };
        let (before, pose, after) = (centre(time - 5e-4)?, centre(time)?, centre(time + 5e-4)?);
        Some(HandleState {
            pose,
            velocity: (after.position - before.position) / 1e-3,
            spin: rotation_log(after.rotation * before.rotation.inverse()) / 1e-3,
        })
    }

    /// The palm joint of a hand whose palm has its centre of mass there.
    #[must_use]
    pub fn palm_joint(&self, centre: &Pose) -> Pose {
        let (wrist, com) = self.palm_parts();
        *centre * (wrist * Pose::new(com, Quat::IDENTITY)).inverse()
    }

    /// The wrist seen from the palm joint, and the palm's centre of mass seen from the wrist.
    fn palm_parts(&self) -> (Pose, Vec3) {
        let skeleton = &self.model.skeleton;
        let palm = skeleton.xr_rest[XrJoint::Palm].map_or(Pose::IDENTITY, |joint| joint.pose);
        (palm.inverse(), skeleton.bone(BoneId::PALM).com)
    }

    /// The tracked frame that was fed before the last step, if there was a new one.
    #[must_use]
    pub fn fed(&self) -> Option<&TrackerFrame> {
        self.fed.as_ref()
    }

    fn next_frame(&mut self, step: u64, time: f64) -> Option<TrackerFrame> {
        if let Some(source) = &mut self.source {
            return source.frame(step, time, &self.model.skeleton);
        }
        let number = self.tracker.number(time);
        if self.last_frame == Some(number) {
            return None;
        }
        self.last_frame = Some(number);
        self.tracker.frame(&self.model.skeleton, number)
    }
}

/// A scene as a world that can be stepped.
pub struct Simulation {
    pub(super) world: World,
    pub(super) rest: Option<Rest>,
    pub(super) step: f64,
    pub(super) steps: u64,
    pub(super) done: u64,
    pub(super) hands: Vec<DrivenHand>,
    pub(super) objects: Vec<ObjectId>,
    masses: Vec<Option<f64>>,
    pushes: Vec<(PushSpec, usize)>,
    pub(super) softs: Vec<SoftThing>,
    pub(super) held: Vec<(ObjectId, f64)>,
    starts: Vec<Pose>,
    /// Until when each thing is presented, if it is.
    presented: Vec<Option<f64>>,
    /// Things that the scene presents stay until a hand holds them.
    pub(super) presents: bool,
    /// While hands close again around what they held.
    pub(super) regrasp: Option<Regrasp>,
    /// What fingers hold that would not be held as they are tracked.
    pub(super) grips: Vec<Option<Grip>>,
    /// Handles that a device leads past their scripts.
    led: Vec<(HandleId, HandleState)>,
}

impl Simulation {
    /// Sets a scene up. `models` gives the hand of a side, `assets` the meshes.
    ///
    /// # Errors
    /// If a setting, file or object cannot be used.
    pub fn new(
        scene: &Scene,
        models: &dyn Fn(Side) -> Arc<HandModel>,
        assets: &mut Assets<'_>,
    ) -> Result<Simulation, RunError> {
        let mut config = world_config(&scene.world)?;
        config.tactile = scene.tactile.as_ref().map(|spec| spec.params(assets)).transpose()?;
        let mut world = World::new(config).map_err(refused_setting)?;
        let mut rest = match &scene.host {
            Some(spec) => {
                let moving = scene.objects.iter().filter(|object| !object.fixed).count();
                Some(Rest::new(spec, moving, &mut world)?)
            }
            None => None,
        };
        let (mut objects, mut masses, mut solids) = (Vec::new(), Vec::new(), Vec::new());
        for spec in &scene.objects {
            let def = object_def(spec, scene.world.friction, assets)?;
            masses.push(def.mass);
            solids.push(Solid { shape: def.shape.clone(), pose: def.pose, fixed: def.mass.is_none() });
            objects.push(match &mut rest {
                Some(rest) => rest.add(&mut world, def, spec.joint.as_ref())?,
                None => world.add_object(def)?,
            });
        }
        let soft_solids =
            scene.softs.iter().map(|spec| soft::solid(spec, assets)).collect::<Result<Vec<_>, RunError>>()?;
        let around: Vec<Solid> =
            solids.iter().cloned().chain(soft_solids.iter().flatten().map(|solid| Solid::clone(solid))).collect();
        let mut hands = Vec::new();
        for spec in &scene.hands {
            let model = models(spec.side.into());
            let close = |closing: &Closing<'_>| -> Posture {
                let named = scene.objects.iter().position(|object| object.name == closing.object);
                named.map_or(closing.to, |k| closed_around(&model, closing, &solids[k].shape, solids[k].pose))
            };
            let tracker = Tracker::new(&fitted(spec, &model, &around), &model.skeleton, &close);
            let source = recorded(spec, &model, &around, assets)?;
            let id = world.add_hand(&model)?;
            // bones that are functions of joint angles are no handles: the tracker leads them
            let palm = (spec.lead == Lead::Handle)
                .then(|| world.add_handle(id, BoneId::PALM, HandleCoupling::default()).ok())
                .flatten();
            hands.push(DrivenHand { id, model, tracker, palm, last_frame: None, source, fed: None });
        }
        let mut softs = Vec::new();
        for (spec, solid) in scene.softs.iter().zip(soft_solids) {
            softs.push(SoftThing::add(&mut world, spec, solid, assets)?);
        }
        let step = scene.world.step;
        let steps = (scene.seconds / step).round().max(1.0) as u64;
        let object = |name: &str| scene.objects.iter().position(|object| object.name == name);
        let pushes = scene.pushes.iter().filter_map(|push| Some((push.clone(), object(&push.object)?))).collect();
        let held = hold(&mut world, scene, &objects);
        let starts = scene.objects.iter().map(ObjectSpec::pose).collect();
        let presented = scene.objects.iter().map(|object| object.held).collect();
        Ok(Simulation {
            world,
            rest,
            step,
            steps,
            done: 0,
            hands,
            objects,
            masses,
            pushes,
            softs,
            held,
            starts,
            presented,
            presents: false,
            regrasp: None,
            grips: Vec::new(),
            led: Vec::new(),
        })
    }

    /// Another simulation of the same scene at the same moment; from here on both go their own ways. `None` where something else
    /// than scripts drives the hands, or another engine has the things.
    #[must_use]
    pub fn twin(&self) -> Option<Simulation> {
        if self.rest.is_some() || self.regrasp.is_some() || self.hands.iter().any(|hand| hand.source.is_some()) {
            return None;
        }
        let hand = |hand: &DrivenHand| DrivenHand {
            id: hand.id,
            model: Arc::clone(&hand.model),
            tracker: hand.tracker.clone(),
            palm: hand.palm,
            last_frame: hand.last_frame,
            source: None,
            fed: hand.fed.clone(),
        };
        Some(Simulation {
            world: self.world.twin(),
            rest: None,
            hands: self.hands.iter().map(hand).collect(),
            objects: self.objects.clone(),
            masses: self.masses.clone(),
            pushes: self.pushes.clone(),
            softs: self.softs.clone(),
            held: self.held.clone(),
            starts: self.starts.clone(),
            presented: self.presented.clone(),
            regrasp: None,
            grips: self.grips.clone(),
            led: self.led.clone(),
            ..*self
        })
    }

    /// Lets something else than its script drive a hand of the scene.
    pub fn drive(&mut self, hand: usize, source: Box<dyn FrameSource>) {
        if let Some(hand) = self.hands.get_mut(hand) {
            hand.source = Some(source);
        }
    }

    /// Lets a device lead a handle past whatever the scene wants of it, from the next step on.
    pub fn lead(&mut self, handle: HandleId, target: HandleState) {
        match self.led.iter_mut().find(|(led, _)| *led == handle) {
            Some((_, place)) => *place = target,
            None => self.led.push((handle, target)),
        }
    }

    /// No device leads that handle any more: the scene does, or the tracker of its hand.
    pub fn unlead(&mut self, handle: HandleId) {
        self.led.retain(|(led, _)| *led != handle);
        // what the scene wants of it is told before the next step
        let _ = self.world.release_handle(handle);
    }

    /// Feeds new tracked frames and steps once. `None` when the scene is over.
    ///
    /// # Errors
    /// If the engine refuses the step.
    pub fn advance(&mut self) -> Result<Option<&StepReport>, StepError> {
        if self.done == self.steps {
            return Ok(None);
        }
        let time = self.time();
        for hand in &mut self.hands {
            hand.fed = hand.next_frame(self.done, time);
        }
        self.close_again(time);
        for hand in &self.hands {
            if let Some(frame) = &hand.fed {
                ours(self.world.track(hand.id, frame));
            }
        }
        for hand in &self.hands {
            if let (Some(palm), Some(target)) = (hand.palm, hand.palm_at(time + self.step)) {
                // the handle is there, and a script is finite
                let _ = self.world.set_handle_target(palm, target);
            }
        }
        for handle in self.softs.iter().flat_map(|soft| &soft.handles) {
            handle.lead(&mut self.world, time + self.step);
        }
        for (handle, target) in &self.led {
            // a device that says nonsense leads nowhere
            let _ = self.world.set_handle_target(*handle, *target);
        }
        self.push(time);
        self.done += 1;
        match &mut self.rest {
            Some(rest) => rest.step(&mut self.world, self.step)?,
            None => {
                self.world.step(self.step)?;
            }
        }
        Ok(Some(self.world.report()))
    }

    /// Pushes what is to be pushed in the step that starts at `time`.
    fn push(&mut self, time: f64) {
        // A step that starts on a bound belongs to what follows it, whatever the round-off.
        let time = time + 1e-6 * self.step;
        let (presents, world, hands) = (self.presents, &mut self.world, &self.hands);
        self.held.retain(|(object, until)| {
            let what = Partner::Object(*object);
            let taken = |hand: &DrivenHand| holds(world.hand(hand.id), what);
            let stays = if presents { !hands.iter().any(taken) } else { time < *until };
            if !stays {
                ours(world.release(*object));
            }
            stays
        });
        for (push, object) in self.pushes.iter().filter(|(push, _)| push.from <= time && time < push.to) {
            let mass = self.masses[*object].unwrap_or(0.0);
            let force = push.force.map_or(Vec3::ZERO, Vec3::from_array)
                + push.acceleration.map_or(Vec3::ZERO, Vec3::from_array) * mass;
            ours(self.world.push(self.objects[*object], force, Vec3::ZERO));
        }
    }

    /// From now on, things that the scene presents for a while stay until a hand holds them: for hands that keep no time.
    pub fn present_until_grasped(&mut self) {
        self.presents = true;
    }

    /// Puts a thing back where it started, at rest: rigid ones by their number, deformable ones after them.
    pub fn put_back(&mut self, thing: usize) {
        if let (Some(object), Some(start)) = (self.objects.get(thing), self.starts.get(thing)) {
            match &mut self.rest {
                Some(rest) => {
                    let com = self.world.objects().get(object.0 as usize).map_or(Vec3::ZERO, |model| model.com);
                    let pose = Pose::new(start.point(com), start.rotation);
                    rest.place(&mut self.world, *object, pose, Vec3::ZERO, Vec3::ZERO);
                }
                None => ours(self.world.set_object_motion(*object, *start, Vec3::ZERO, Vec3::ZERO)),
            }
            if let (Some(until), Some(state)) =
                (self.presented[thing], self.world.state().objects.get(object.0 as usize))
            {
                let tether = held_at(state.pose, 1.0);
                ours(self.world.hold(*object, tether));
                self.held.push((*object, until));
            }
        } else if let Some(soft) = thing.checked_sub(self.objects.len()).and_then(|k| self.softs.get(k)) {
            ours(self.world.place_soft(soft.id, Pose::IDENTITY));
        }
    }

    /// Simulated time, seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.done as f64 * self.step
    }

    /// Steps taken so far.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.done
    }

    /// Time step, seconds.
    #[must_use]
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Number of steps of the whole scene.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to set a clock or save and restore it.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Hands in the order of the scene.
    #[must_use]
    pub fn hands(&self) -> &[DrivenHand] {
        &self.hands
    }

    /// Objects in the order of the scene.
    #[must_use]
    pub fn objects(&self) -> &[ObjectId] {
        &self.objects
    }

    /// Deformable objects in the order of the scene.
    #[must_use]
    pub fn softs(&self) -> &[SoftThing] {
        &self.softs
    }

    /// Largest distance between the two copies of an object that a hand is near, metres; zero without a host.
    #[must_use]
    pub fn host_offset(&self) -> f64 {
        self.rest.as_ref().map_or(0.0, Rest::offset)
    }

    /// Masses of the objects, kg; `None` for fixed ones.
    #[must_use]
    pub fn masses(&self) -> &[Option<f64>] {
        &self.masses
    }
}

/// What cannot be done to a body of the scene is left: a fixed object is not pushed, and what was removed is gone.
fn ours(_done: Result<(), BodyError>) {}

/// Ties the objects that are held to their places: so stiffly that a hand moves them by less than a millimetre.
fn hold(world: &mut World, scene: &Scene, objects: &[ObjectId]) -> Vec<(ObjectId, f64)> {
    let mut held = Vec::new();
    for (spec, object) in scene.objects.iter().zip(objects) {
        let Some(until) = spec.held else { continue };
        let Some(state) = world.state().objects.get(object.0 as usize) else { continue };
        let tether = held_at(state.pose, 1.0);
        ours(world.hold(*object, tether));
        held.push((*object, until));
    }
    held
}

/// The recording that moves a hand, if there is one.
fn recorded(
    spec: &HandSpec,
    model: &HandModel,
    solids: &[Solid],
    assets: &mut Assets<'_>,
) -> Result<Option<Box<dyn FrameSource>>, RunError> {
    let Some(file) = &spec.recording else { return Ok(None) };
    let side = Side::from(spec.side);
    let recording = assets.recording(file)?;
    if recording.tracked(side) == 0 {
        return Err(RunError::Unseen { file: file.clone(), side });
    }
    let offset = spec.recording_offset.map_or(Vec3::ZERO, Vec3::from_array);
    let recording = recording.moved(offset);
    let refit = Refit::new(&recording, side, model, solids);
    Ok(Some(Box::new(RecordedHand::new(Arc::new(recording), side).refitted(refit))))
}

fn object_def(spec: &ObjectSpec, friction: f64, assets: &mut Assets<'_>) -> Result<ObjectDef, RunError> {
    let shape = spec.shape.build(&mut |source| assets.grid(source))?;
    let mass = match (spec.fixed, spec.mass) {
        (true, _) => None,
        (false, Some(mass)) => Some(mass),
        (false, None) => {
            let properties = MassProperties::of_shape(&shape, spec.density.unwrap_or(USUAL_DENSITY))
                .map_err(|error| RunError::Mass { name: spec.name.clone(), error })?;
            Some(properties.mass)
        }
    };
    Ok(ObjectDef {
        name: spec.name.clone(),
        shape,
        pose: spec.pose(),
        mass,
        friction: spec.friction.unwrap_or(friction),
        velocity: Vec3::from_array(spec.velocity),
        spin: Vec3::from_array(spec.spin.map(f64::to_radians)),
        method: spec.contact.map(Into::into),
    })
}
