//! The rest of a scene's world, in the engine that the scene names.

use thenar::host::{Coupling, CouplingParams, GraspError, Graspable};
use thenar::math::{Pose, Vec3};
use thenar::world::{ObjectDef, ObjectError, ObjectId, StepError, World};
use thenar_rapier::{HostError, Joint, JointKind, JointSpring, RapierHost, RigidBodyHandle};

use crate::scene::{Direction, HostEngine, HostSpec, JointSpec};

/// Why an object cannot be in the rest of the world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RestError {
    /// Refused by the host.
    #[error("object '{name}': {error}")]
    Host {
        /// Name of the object.
        name: String,
        /// What is wrong.
        error: HostError,
    },
    /// Refused by the coupling.
    #[error(transparent)]
    Grasp(#[from] GraspError),
    /// Refused by the world.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Objects that may be near hands at once: more than find room under two of them.
const MOST_AWAKE: usize = 12;

/// A host with its coupling.
pub(super) struct Rest {
    host: RapierHost,
    coupling: Coupling<RapierHost>,
    bodies: Vec<(ObjectId, RigidBodyHandle)>,
}

impl Rest {
    /// A host for as many `moving` objects.
    pub fn new(spec: &HostSpec, moving: usize, world: &mut World) -> Result<Rest, RestError> {
        let HostEngine::Rapier = spec.engine;
        let host = RapierHost::new(spec.rate, world.config().gravity);
        let host = host.map_err(|error| RestError::Host { name: "host".to_owned(), error })?;
        let params = CouplingParams { slots: moving.min(MOST_AWAKE), ..CouplingParams::default() };
        Ok(Rest { host, coupling: Coupling::new(world, params), bodies: Vec::new() })
    }

    /// Adds an object to both sides. Fixed ones are the same on both; moving ones are coupled.
    pub fn add(&mut self, world: &mut World, def: ObjectDef, joint: Option<&JointSpec>) -> Result<ObjectId, RestError> {
        let refused = |error| RestError::Host { name: def.name.clone(), error };
        let Some(mass) = def.mass else {
            self.host.add_fixed(&def.shape, def.pose, def.friction).map_err(refused)?;
            return Ok(world.add_object(def)?);
        };
        let body = self.host.add_body(&def.shape, mass, def.pose, def.friction).map_err(refused)?;
        self.host.set_velocity(body, def.velocity, def.spin);
        if let Some(spec) = joint {
            self.host.add_joint(&joint_of(spec, def.pose.position), body, None).map_err(refused)?;
        }
        let graspable = Graspable {
            name: def.name.clone(),
            shape: def.shape,
            friction: def.friction,
            // what slides in something or hangs on something touches it in ways that only the host knows to ignore
            touches_fixed: joint.is_none(),
            rail: joint.and_then(|j| j.slide).map(Direction::vector),
        };
        let object = self.coupling.add(world, &self.host, body, graspable)?;
        self.bodies.push((object, body));
        Ok(object)
    }

    /// Puts an object somewhere on both sides: the placement of its centre of mass, its velocity and spin. One that a hand is
    /// near follows the host's copy within the host's next step.
    pub fn place(&mut self, world: &mut World, object: ObjectId, pose: Pose, velocity: Vec3, spin: Vec3) {
        let Some((_, body)) = self.bodies.iter().find(|(known, _)| *known == object) else { return };
        let com = world.objects().get(object.0 as usize).map_or(Vec3::ZERO, |model| model.com);
        self.host.set_frame(*body, Pose::new(pose.point(-com), pose.rotation));
        self.host.set_velocity(*body, velocity, spin);
        // an object that was taken out of the world stays out
        let _ = world.place_hosted(object, pose, velocity, spin);
    }

    /// Lets a hand that appears around an object feel it from its first step on.
    pub fn wake(&mut self, world: &mut World, object: ObjectId) {
        self.coupling.wake(world, &mut self.host, object);
    }

    /// True while an object is simulated on both sides.
    pub fn is_awake(&self, object: ObjectId) -> bool {
        self.coupling.is_awake(object)
    }

    pub fn step(&mut self, world: &mut World, dt: f64) -> Result<(), StepError> {
        self.coupling.step(world, &mut self.host, dt).map(|_| ())
    }

    /// Largest distance between the copies of an object, metres.
    pub fn offset(&self) -> f64 {
        self.coupling.report().offset
    }
}

fn joint_of(spec: &JointSpec, position: Vec3) -> Joint {
    let (kind, axis, unit) = match (spec.slide, spec.hinge) {
        (Some(axis), _) => (JointKind::Slide, axis.vector(), 1.0),
        (None, Some(axis)) => (JointKind::Hinge, axis.vector(), 1f64.to_radians()),
        (None, None) => (JointKind::Slide, Vec3::ZERO, 1.0),
    };
    Joint {
        kind,
        axis,
        anchor: spec.anchor.map_or(position, Vec3::from_array),
        limits: spec.limits.map(|l| l * unit),
        spring: spec.spring.map(|s| JointSpring { rest: s.rest * unit, stiffness: s.stiffness, damping: s.damping }),
    }
}
