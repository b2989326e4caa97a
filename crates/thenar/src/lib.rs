//! Thenar: a soft human hand for virtual worlds.
//!
//! A tracked hand comes in; deformed skin, grasped objects and contact forces come out. Units are SI throughout
//! (metres, kilograms, seconds, newtons), the frame is right-handed with Y up, and state is `f64`.
//!
//! # In fifteen lines
//!
//! ```
//! use thenar::geometry::distance::Shape;
//! use thenar::hand::{HandModel, HandOptions, SkinDetail};
//! use thenar::math::{Pose, Quat, Vec3};
//! use thenar::tracking::TrackerFrame;
//! use thenar::world::{ObjectDef, World, WorldConfig};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = HandModel::build(&HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() })?;
//! let mut world = World::new(WorldConfig::default())?;
//! let hand = world.add_hand(&model)?;
//! let above = Pose::new(Vec3::new(0.0, 0.2, 0.0), Quat::IDENTITY);
//! let ball = world.add_object(ObjectDef::moving("ball", Shape::Sphere { radius: 0.0365 }, 0.145, above))?;
//! // A tracker delivers 26 OpenXR joints per frame; here the hand at rest, turned palm up.
//! let wrist = Pose::new(Vec3::new(0.0, 0.1, 0.07), Quat::from_rotation_z(std::f64::consts::PI));
//! let bones = model.skeleton.pose(&Default::default(), wrist);
//! let frame = TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) };
//! for _ in 0..100 {
//!     world.track(hand, &frame)?;
//!     world.step(1.0 / 250.0)?;
//! }
//! let (skin, caught) = (&world.hand(hand).skin_positions, world.object(ball).pose.position);
//! assert!(skin.len() > 2000 && caught.y > 0.1, "the ball lies in the palm");
//! # Ok(())
//! # }
//! ```
//!
//! # The step
//!
//! [`world::World::step`] is implicit Euler with one Newton iteration on the sum of all energies [CLAP eqs. 3–5]:
//! `(M + h D + h² K) v' = M v − h ∂U/∂q`, where `U` holds
//!
//! | energy | equation | file |
//! |---|---|---|
//! | corotational tissue, with its energy limit | CLAP eqs. 7–10 | `energy/tissue/` |
//! | joints and their limits | CLAP eq. 6 | `energy/joint.rs` |
//! | tissue on bones | CLAP eq. 11 | `energy/attachment.rs` |
//! | contact and friction as springs | CLAP eqs. 12–13 | `contact/pair.rs`, `contact/springs.rs` |
//! | elastic tracking | CLAP eq. 14 | `energy/coupling.rs`, `tracking/elastic.rs` |
//! | coupling with another engine | CLAP eq. 14, §3.7 | `energy/tether.rs`, `host/` |
//! | inertia with its gyroscopic term, weight | CLAP eq. 3 | `energy/inertia.rs`, `energy/gravity.rs` |
//!
//! Each soft body's matrix has a fixed pattern and is factored by `sparse::Cholesky`; the rigid objects form a dense
//! border behind it (`solve/direct.rs`). That gives the free motion. What must hold exactly is written as rows with laws
//! ([`constraint`]): Signorini's and Coulomb's at points, Coulomb–Contensou's for patches, any other that implements
//! [`constraint::Law`]. The rows are carried through the factor and swept over until the laws hold.
//!
//! A contact spring in the matrix is a linear model of its law, and the law judges it after every solve: no contact
//! pulls, and none slides where it should stick. Where a verdict differs, the contact is lifted out of the matrix by rows
//! (Woodbury), or all contacts are modelled anew if many flipped; then the step is solved again
//! ([`world::StepReport::rounds`]). Anchors hold objects without creep: a contact sticks where it is until Coulomb's
//! limit moves its anchor; and a spring that rests sheds its depth.
//!
//! # Modules
//!
//! `sparse`, `energy`, `body`, `collide`, `solve` and `strain` are how it works inside: they can be reached with the feature `unstable`, and change without notice.
//! What parameters are made of is in [`world`].
//!
//! The modules depend on one another in one direction only: each uses some of those above it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`math`] | vectors, rotations, polar decomposition, SIMD lanes |
//! | `sparse` | block-sparse symmetric matrices and their solvers |
//! | [`geometry`] | triangle and tetrahedral meshes, distance fields, the mesher |
//! | [`hand`] | anatomy, skin, skeleton, tissue: everything that makes a [`hand::HandModel`] |
//! | `energy` | one file per energy term, and the linear problem they are appended to |
//! | [`tracking`] | tracked frames and how the simulated hand follows them |
//! | `body` | bodies, soft and rigid: models, states, surfaces that can touch |
//! | `collide` | detection: contacts of one kind between whatever bodies |
//! | `solve` | solvers of the step's linear problem |
//! | [`constraint`] | rows, laws, and the forces that make them hold |
//! | [`contact`] | contact methods: springs, points, patches |
//! | `strain` | hard limits of stretches, and the solvers that meet them |
//! | [`haptics`] | handles that a device moves, the linear model of the force on them, the proxy of a haptic loop |
//! | [`tactile`] | what fingertips feel, and what a device on them does |
//! | [`world`] | [`world::World`], its step and what comes out of it |
//! | [`host`] | objects that live in another physics engine too |
#![warn(missing_docs)]
// What is public of the modules inside is used by nobody where they are hidden.
#![cfg_attr(not(feature = "unstable"), allow(dead_code, unused_imports))]

#[cfg(not(feature = "unstable"))]
mod body;
#[cfg(feature = "unstable")]
pub mod body;
#[cfg(not(feature = "unstable"))]
mod collide;
#[cfg(feature = "unstable")]
pub mod collide;
pub mod constraint;
pub mod contact;
#[cfg(not(feature = "unstable"))]
mod energy;
#[cfg(feature = "unstable")]
pub mod energy;
pub mod geometry;
pub mod hand;
pub mod haptics;
pub mod host;
pub mod math;
#[cfg(not(feature = "unstable"))]
mod solve;
#[cfg(feature = "unstable")]
pub mod solve;
#[cfg(not(feature = "unstable"))]
mod sparse;
#[cfg(feature = "unstable")]
pub mod sparse;
#[cfg(not(feature = "unstable"))]
mod strain;
#[cfg(feature = "unstable")]
pub mod strain;
pub mod tactile;
pub mod tracking;
pub mod world;
