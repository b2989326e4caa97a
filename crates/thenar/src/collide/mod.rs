//! Detection: which surface points touch which objects. Knows nothing of how contact is resolved.

mod contact_set;
mod detect;
mod object;
mod surface;

pub use contact_set::{Contact, ContactSet, Toucher};
pub use detect::{objects_against_objects, soft_against_objects};
pub use object::{ObjectModel, ObjectSample};
pub use surface::{SoftSurface, SurfacePoint};
