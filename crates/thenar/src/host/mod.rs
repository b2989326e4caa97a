//! The rest of the world is another physics engine [CLAP §3.7].
//!
//! A [`PhysicsHost`] simulates everything that no hand is near: stacks, drawers, doors. A body that a hand may grasp
//! exists twice, once in the host and once as a hosted object of the [`World`](crate::world::World); a [`Coupling`]
//! keeps the two together and passes forces between them.
//!
//! # How the two sides meet
//!
//! CLAP gives both copies the whole mass, so that a grasped object weighs twice. Here the copies share it:
//! the engine's copy has `share · m`, the host's the rest, each with its own part of the weight and inertia.
//! - While a hand is near, the engine pulls its copy towards a constant-acceleration prediction of the host's
//!   ([`crate::energy::tether`]), implicitly.
//! - The impulse of that pull, of exactly the time of one host step, is applied to the host's copy with the opposite
//!   sign. So momentum is neither made nor lost, whatever the rates of the two loops.
//! - Stiffness and damping scale with `m / dt²` and `m / dt` of the host, so that the same dimensionless numbers hold
//!   for every mass and rate. The exchange is stable for `share < ½` (the lighter side follows the heavier one).
//! - What the springs carry on average is fed forward and the springs relax: a constant load leaves no offset.
//!
//! # Writing a host
//!
//! Implement [`PhysicsHost`] for a struct that owns the other engine's world. All quantities are in the host's units of
//! length ([`PhysicsHost::units_per_metre`]), kilograms and seconds; [`Coupling`] converts. Five things matter:
//! 1. [`PhysicsHost::motion`] speaks of the *centre of mass*, with the axes of the body.
//! 2. [`PhysicsHost::set_share`] scales mass and inertia together and leaves velocities alone. Gravity then follows by
//!    itself in engines that accelerate all masses alike; others must scale the weight too.
//! 3. A [push](PhysicsHost::push) acts during the next step only. Engines whose forces persist must clear them.
//! 4. A body that is pushed must not be asleep.
//! 5. [`PhysicsHost::save`] must hold everything that the next steps depend on, warm starts included, if snapshots are
//!    to continue bit for bit.
//!
//! ```
//! use thenar::geometry::distance::{MassProperties, Shape};
//! use thenar::host::{BodyMotion, Coupling, CouplingParams, Graspable, PhysicsHost};
//! use thenar::math::{Pose, Quat, Vec3};
//! use thenar::world::{World, WorldConfig};
//!
//! /// Bodies that fall.
//! #[derive(Clone)]
//! struct Falling { bodies: Vec<Body> }
//! #[derive(Clone)]
//! struct Body { mass: MassProperties, share: f64, motion: BodyMotion, push: (Vec3, Vec3) }
//!
//! impl PhysicsHost for Falling {
//!     type Body = usize;
//!     type Saved = Falling;
//!     fn time_step(&self) -> f64 { 1.0 / 60.0 }
//!     fn mass(&self, body: usize) -> Option<MassProperties> { self.bodies.get(body).map(|b| b.mass) }
//!     fn motion(&self, body: usize) -> Option<BodyMotion> { self.bodies.get(body).map(|b| b.motion) }
//!     fn set_share(&mut self, body: usize, share: f64) { self.bodies[body].share = share; }
//!     fn push(&mut self, body: usize, force: Vec3, torque: Vec3) { self.bodies[body].push = (force, torque); }
//!     fn step(&mut self) {
//!         for b in &mut self.bodies {
//!             let (force, _) = std::mem::take(&mut b.push); // these bodies do not turn
//!             b.motion.velocity += (force / (b.mass.mass * b.share) + Vec3::new(0.0, -9.81, 0.0)) / 60.0;
//!             b.motion.pose.position += b.motion.velocity / 60.0;
//!         }
//!     }
//!     fn save(&self) -> Falling { self.clone() }
//!     fn restore(&mut self, saved: &Falling) { self.clone_from(saved); }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ball = Shape::Sphere { radius: 0.03 };
//! let mass = MassProperties::of_shape(&ball, 700.0)?;
//! let motion = BodyMotion::at_rest(Pose::new(Vec3::Y, Quat::IDENTITY));
//! let mut host = Falling { bodies: vec![Body { mass, share: 1.0, motion, push: Default::default() }] };
//! let mut world = World::new(WorldConfig::default())?;
//! let mut coupling = Coupling::new(&mut world, CouplingParams::default());
//! let ball = coupling.add(&mut world, &host, 0, Graspable::new("ball", ball))?;
//! for _ in 0..90 {
//!     coupling.step(&mut world, &mut host, 1.0 / 90.0)?; // and track hands, as ever
//! }
//! assert!(world.object(ball).pose.position.y < -3.8);
//! # Ok(())
//! # }
//! ```

mod copy;
mod coupling;
mod exchange;
mod graspable;

pub use copy::HostCopy;
pub use coupling::{Coupling, CouplingReport, CouplingSnapshot};
pub use exchange::CouplingParams;
pub use graspable::{GraspError, Graspable};

use crate::geometry::distance::MassProperties;
use crate::math::{Pose, Vec3};

/// How a body of a host moves, in the host's units of length.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BodyMotion {
    /// Placement of the centre of mass, with the axes of the body.
    pub pose: Pose,
    /// Velocity of the centre of mass.
    pub velocity: Vec3,
    /// Spin in world axes, rad/s.
    pub spin: Vec3,
}

impl BodyMotion {
    /// A body that does not move.
    #[must_use]
    pub fn at_rest(pose: Pose) -> Self {
        BodyMotion { pose, velocity: Vec3::ZERO, spin: Vec3::ZERO }
    }
}

/// An engine that simulates the rest of the world. How to write one stands in the [module](self).
pub trait PhysicsHost {
    /// Names a body.
    type Body: Copy + PartialEq + std::fmt::Debug;
    /// A saved state of the whole host.
    type Saved: Clone;

    /// Units of length in a metre: 100 for an engine that counts in centimetres.
    fn units_per_metre(&self) -> f64 {
        1.0
    }

    /// Length of a step, seconds. It must not change.
    fn time_step(&self) -> f64;

    /// Whole mass properties in the body's own frame, whatever share the host has of them at the time. `None` if there
    /// is no such body.
    fn mass(&self, body: Self::Body) -> Option<MassProperties>;

    /// How a body moves. `None` if it has been removed.
    fn motion(&self, body: Self::Body) -> Option<BodyMotion>;

    /// From now on the body has this part (0 to 1) of its mass, inertia and weight; its velocity stays.
    fn set_share(&mut self, body: Self::Body, share: f64);

    /// A force through the centre of mass and a torque, in world axes, constant during the next step and forgotten
    /// after it. Wakes the body.
    fn push(&mut self, body: Self::Body, force: Vec3, torque: Vec3);

    /// Moves everything by [`PhysicsHost::time_step`].
    fn step(&mut self);

    /// Saves the state.
    fn save(&self) -> Self::Saved;

    /// Continues from a saved state.
    fn restore(&mut self, saved: &Self::Saved);
}
