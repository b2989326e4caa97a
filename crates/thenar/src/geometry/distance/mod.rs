//! Signed distance to the shapes that hands touch.
//!
//! A [`Shape`] answers one question, in its own frame: how far is this point from my surface, and which way is out?
//! Primitives answer exactly, everywhere. Positive distances are outside, negative inside.
//!
//! ```
//! use thenar::geometry::distance::Shape;
//! use thenar::math::Vec3;
//!
//! let ball = Shape::Sphere { radius: 0.0365 };
//! let sample = ball.sample(Vec3::new(0.0, 0.04, 0.0));
//! assert!((sample.distance - 0.0035).abs() < 1e-15);
//! assert_eq!(sample.normal, Vec3::Y);
//! ```
//!
//! What else a rigid object needs comes from the same shape: [`MassProperties`], and [`surface_points`] by which it
//! touches other rigid objects.

mod build;
mod bvh;
mod closed;
mod grid;
#[cfg(test)]
mod grid_tests;
mod mass;
mod primitive;
mod shape;
mod surface;
mod surface_mesh;
mod tessellate;

pub use build::GridBuilder;
pub use closed::{MOST_TRIANGLES, MeshError};
pub use grid::DistanceGrid;
pub use mass::{MassError, MassProperties};
pub(crate) use shape::nearest_part;
pub use shape::{Part, Sample, Shape, ShapeError};
pub use surface::{MOST_SURFACE_POINTS, SurfacePoint, surface_points};
pub use surface_mesh::mesh_surface_points;
