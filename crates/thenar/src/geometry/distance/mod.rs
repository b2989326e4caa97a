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

mod primitive;
mod shape;

pub use shape::{Part, Sample, Shape, ShapeError};
