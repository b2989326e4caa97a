//! Couples hands to a Rapier world: the rest of the world of [CLAP §3.7].
//!
//! [`RapierHost`] owns a [`PhysicsWorld`] and implements [`PhysicsHost`](thenar::host::PhysicsHost) for it. Everything
//! that Rapier can do (joints, motors, stacks) works for grasped bodies, because they stay bodies of Rapier.
//!
//! A coupled step allocates nothing on the engine's side (`no_allocation` among the tests of `thenar`); Rapier itself
//! does as it likes in its own step, and when a body's share of its mass changes.
//!
//! ```
//! use thenar::geometry::distance::Shape;
//! use thenar::host::{Coupling, CouplingParams, Graspable};
//! use thenar::math::{Pose, Quat, Vec3};
//! use thenar::world::{World, WorldConfig};
//! use thenar_rapier::RapierHost;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut world = World::new(WorldConfig::default())?; // and hands in it
//! let mut host = RapierHost::new(90.0, world.config().gravity)?;
//! host.add_fixed(&Shape::Plane, Pose::IDENTITY, 0.5)?;
//! let cube = Shape::Box { half: Vec3::splat(0.02) };
//! let body = host.add_body(&cube, 0.1, Pose::new(Vec3::new(0.0, 0.02, 0.0), Quat::IDENTITY), 0.5)?;
//! let mut coupling = Coupling::new(&mut world, CouplingParams::default());
//! let cube = coupling.add(&mut world, &host, body, Graspable::new("cube", cube))?;
//! for _ in 0..100 {
//!     coupling.step(&mut world, &mut host, 1.0 / 250.0)?;
//! }
//! assert!((world.object(cube).pose.position.y - 0.02).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod convert;
mod host;
mod joint;
mod shape;

pub use host::{HostError, RapierHost, SavedRapier};
pub use joint::{Joint, JointKind, JointSpring};
pub use rapier3d::prelude::{PhysicsWorld, RigidBodyHandle};
