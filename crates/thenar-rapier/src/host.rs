//! A Rapier world as the rest of a hand's world.

use crate::joint::Joint;
use crate::{convert, shape};
use rapier3d::dynamics::{
    ImpulseJointHandle, ImpulseJointSet, IslandManager, MassProperties as TheirMass, MultibodyJointSet,
    RigidBodyBuilder, RigidBodyHandle, RigidBodySet, SoftBodySet,
};
use rapier3d::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use rapier3d::pipeline::PhysicsWorld;
use thenar::geometry::distance::{MassError, MassProperties, Shape, ShapeError};
use thenar::host::{BodyMotion, PhysicsHost};
use thenar::math::{Pose, Vec3};

/// Why a body, joint or rate was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HostError {
    /// The rate.
    #[error("rate is {0} Hz, expected between 10 and 2000 Hz")]
    Rate(f64),
    /// The shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A mesh without a volume.
    #[error("the shape has no convex hull; give it a volume")]
    Flat,
    /// The mass.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A number of a body or joint.
    #[error("{field} is {value}, expected {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A handle of something else.
    #[error("there is no dynamic body {0:?}; add it first")]
    NoBody(RigidBodyHandle),
}

/// A body whose mass may be shared.
#[derive(Clone, Copy)]
struct Shared {
    handle: RigidBodyHandle,
    whole: MassProperties,
    pushed: bool,
}

/// A Rapier world.
pub struct RapierHost {
    physics: PhysicsWorld,
    shared: Vec<Shared>,
    dt: f64,
}

/// The whole state of a Rapier world.
#[derive(Clone)]
pub struct SavedRapier {
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
}

impl RapierHost {
    /// An empty world that steps `rate` times per second.
    ///
    /// # Errors
    /// For a rate outside 10 to 2000 Hz.
    pub fn new(rate: f64, gravity: Vec3) -> Result<Self, HostError> {
        let physics = PhysicsWorld { gravity: convert::vector(gravity), ..PhysicsWorld::default() };
        RapierHost::from_world(physics, rate)
    }

    /// A world that was built elsewhere; make its bodies graspable with [`RapierHost::adopt`].
    ///
    /// # Errors
    /// For a rate outside 10 to 2000 Hz.
    pub fn from_world(mut physics: PhysicsWorld, rate: f64) -> Result<Self, HostError> {
        if !(10.0..=2000.0).contains(&rate) {
            return Err(HostError::Rate(rate));
        }
        physics.integration_parameters.dt = (1.0 / rate) as f32;
        Ok(RapierHost { physics, shared: Vec::new(), dt: 1.0 / rate })
    }

    /// Adds something that never moves.
    ///
    /// # Errors
    /// If the shape cannot be used.
    pub fn add_fixed(&mut self, shape: &Shape, pose: Pose, friction: f64) -> Result<RigidBodyHandle, HostError> {
        let body = RigidBodyBuilder::fixed().pose(convert::pose(&pose));
        self.insert(body, shape, friction)
    }

    /// Adds a moving body of that mass (kg); `pose` places the shape's frame.
    ///
    /// # Errors
    /// If the shape or its mass cannot be used.
    pub fn add_body(
        &mut self,
        shape: &Shape,
        mass: f64,
        pose: Pose,
        friction: f64,
    ) -> Result<RigidBodyHandle, HostError> {
        shape.validate()?;
        let whole = MassProperties::of_shape(shape, 1000.0)?.with_mass(mass)?;
        let body =
            RigidBodyBuilder::dynamic().pose(convert::pose(&pose)).additional_mass_properties(share_of(&whole, 1.0));
        let handle = self.insert(body, shape, friction)?;
        self.recompute(handle);
        self.shared.push(Shared { handle, whole, pushed: false });
        Ok(handle)
    }

    /// Makes a body graspable that was added to the Rapier world by other means: from now on its mass is its own and no
    /// longer its colliders'.
    ///
    /// # Errors
    /// If there is no such dynamic body.
    pub fn adopt(&mut self, handle: RigidBodyHandle) -> Result<(), HostError> {
        if self.shared.iter().any(|s| s.handle == handle) {
            return Ok(());
        }
        self.recompute(handle);
        let body = self.physics.bodies.get(handle).filter(|b| b.is_dynamic()).ok_or(HostError::NoBody(handle))?;
        let local = body.mass_properties().local_mprops;
        let whole = MassProperties {
            mass: f64::from(local.mass()),
            com: convert::from_vector(local.local_com),
            inertia: convert::from_matrix(&local.reconstruct_inertia_matrix()),
        };
        for collider in body.colliders().to_vec() {
            if let Some(collider) = self.physics.colliders.get_mut(collider) {
                collider.set_density(0.0);
            }
        }
        self.shared.push(Shared { handle, whole, pushed: false });
        self.set_share(handle, 1.0);
        self.recompute(handle);
        Ok(())
    }

    /// Joins a body to the world, or to `base`.
    ///
    /// # Errors
    /// If a body is missing or a number of the joint cannot be used.
    pub fn add_joint(
        &mut self,
        joint: &Joint,
        body: RigidBodyHandle,
        base: Option<RigidBodyHandle>,
    ) -> Result<ImpulseJointHandle, HostError> {
        check_joint(joint)?;
        let second = self.frame(body).ok_or(HostError::NoBody(body))?;
        let base = match base {
            Some(base) => base,
            None => self.physics.insert_body(RigidBodyBuilder::fixed()),
        };
        let first = self.frame(base).ok_or(HostError::NoBody(base))?;
        Ok(self.physics.impulse_joints.insert(base, body, joint.build(&first, &second), true))
    }

    /// Placement of a body's own frame.
    #[must_use]
    pub fn frame(&self, handle: RigidBodyHandle) -> Option<Pose> {
        let body = self.physics.bodies.get(handle)?;
        Some(Pose::new(convert::from_vector(body.translation()), convert::from_rotation(*body.rotation())))
    }

    /// Puts a body somewhere: the placement of its shape's frame.
    pub fn set_frame(&mut self, handle: RigidBodyHandle, frame: Pose) {
        if let Some(body) = self.physics.bodies.get_mut(handle) {
            body.set_position(convert::pose(&frame), true);
        }
    }

    /// Sets a body in motion: velocity of its centre of mass, m/s, and spin, rad/s.
    pub fn set_velocity(&mut self, handle: RigidBodyHandle, velocity: Vec3, spin: Vec3) {
        if let Some(body) = self.physics.bodies.get_mut(handle) {
            body.set_linvel(convert::vector(velocity), true);
            body.set_angvel(convert::vector(spin), true);
        }
    }

    /// Rapier's own world.
    #[must_use]
    pub fn physics(&self) -> &PhysicsWorld {
        &self.physics
    }

    /// Rapier's own world, to add what this crate has no words for.
    pub fn physics_mut(&mut self) -> &mut PhysicsWorld {
        &mut self.physics
    }

    fn insert(&mut self, body: RigidBodyBuilder, shape: &Shape, friction: f64) -> Result<RigidBodyHandle, HostError> {
        shape.validate()?;
        if !(0.0..=10.0).contains(&friction) {
            return Err(HostError::Field { field: "friction", value: friction, expected: "a number from 0 to 10" });
        }
        let colliders = shape::colliders(shape, friction).ok_or(HostError::Flat)?;
        let handle = self.physics.insert_body(body);
        for collider in colliders {
            self.physics.insert_collider(collider, Some(handle));
        }
        Ok(handle)
    }

    fn recompute(&mut self, handle: RigidBodyHandle) {
        if let Some(body) = self.physics.bodies.get_mut(handle) {
            body.recompute_mass_properties_from_colliders(&self.physics.colliders);
        }
    }
}

fn check_joint(joint: &Joint) -> Result<(), HostError> {
    let bad = |field, value, expected| Err(HostError::Field { field, value, expected });
    if !(joint.axis.is_finite() && joint.axis.length() > 1e-6) {
        return bad("axis", joint.axis.length(), "a direction");
    }
    if !joint.anchor.is_finite() {
        return bad("anchor", f64::NAN, "finite numbers");
    }
    let [low, high] = joint.limits;
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return bad("limits", low, "two numbers, the least first");
    }
    match joint.spring {
        Some(s) if !(s.stiffness >= 0.0 && s.stiffness.is_finite()) => bad("stiffness", s.stiffness, "not negative"),
        Some(s) if !(s.damping >= 0.0 && s.damping.is_finite()) => bad("damping", s.damping, "not negative"),
        _ => Ok(()),
    }
}

fn share_of(whole: &MassProperties, share: f64) -> TheirMass {
    let inertia = convert::matrix(&(whole.inertia * share));
    TheirMass::with_inertia_matrix(convert::vector(whole.com), (whole.mass * share) as f32, inertia)
}

impl PhysicsHost for RapierHost {
    type Body = RigidBodyHandle;
    type Saved = SavedRapier;

    fn time_step(&self) -> f64 {
        self.dt
    }

    fn mass(&self, body: RigidBodyHandle) -> Option<MassProperties> {
        self.shared.iter().find(|s| s.handle == body).map(|s| s.whole)
    }

    fn motion(&self, handle: RigidBodyHandle) -> Option<BodyMotion> {
        let body = self.physics.bodies.get(handle)?;
        let shared = self.shared.iter().find(|s| s.handle == handle)?;
        let rotation = convert::from_rotation(*body.rotation());
        let centre = convert::from_vector(body.translation()) + rotation * shared.whole.com;
        Some(BodyMotion {
            pose: Pose::new(centre, rotation),
            velocity: convert::from_vector(body.linvel()),
            spin: convert::from_vector(body.angvel()),
        })
    }

    fn set_share(&mut self, handle: RigidBodyHandle, share: f64) {
        let Some(shared) = self.shared.iter().find(|s| s.handle == handle) else { return };
        if let Some(body) = self.physics.bodies.get_mut(handle) {
            body.set_additional_mass_properties(share_of(&shared.whole, share), true);
        }
    }

    fn push(&mut self, handle: RigidBodyHandle, force: Vec3, torque: Vec3) {
        let Some(shared) = self.shared.iter_mut().find(|s| s.handle == handle) else { return };
        if let Some(body) = self.physics.bodies.get_mut(handle) {
            // forces of Rapier persist until they are reset
            shared.pushed = true;
            body.reset_forces(false);
            body.reset_torques(false);
            body.add_force(convert::vector(force), true);
            body.add_torque(convert::vector(torque), true);
        }
    }

    fn step(&mut self) {
        self.physics.step();
        for shared in self.shared.iter_mut().filter(|s| s.pushed) {
            shared.pushed = false;
            if let Some(body) = self.physics.bodies.get_mut(shared.handle) {
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
    }

    fn save(&self) -> SavedRapier {
        let p = &self.physics;
        SavedRapier {
            islands: p.islands.clone(),
            broad_phase: p.broad_phase.clone(),
            narrow_phase: p.narrow_phase.clone(),
            bodies: p.bodies.clone(),
            colliders: p.colliders.clone(),
            impulse_joints: p.impulse_joints.clone(),
            multibody_joints: p.multibody_joints.clone(),
            soft_bodies: p.soft_bodies.clone(),
        }
    }

    fn restore(&mut self, saved: &SavedRapier) {
        let p = &mut self.physics;
        p.islands.clone_from(&saved.islands);
        p.broad_phase.clone_from(&saved.broad_phase);
        p.narrow_phase.clone_from(&saved.narrow_phase);
        p.bodies.clone_from(&saved.bodies);
        p.colliders.clone_from(&saved.colliders);
        p.impulse_joints.clone_from(&saved.impulse_joints);
        p.multibody_joints.clone_from(&saved.multibody_joints);
        p.soft_bodies.clone_from(&saved.soft_bodies);
        self.shared.iter_mut().for_each(|s| s.pushed = false);
    }
}
