//! Detection: which surface points touch which objects. Knows nothing of how contact is resolved.

mod contact_set;
mod detect;
mod method;
mod object;
mod soft_contact;
mod soft_pairs;
mod surface;
mod touch_places;
mod touch_surface;
mod touch_tree;

pub use contact_set::{Contact, ContactSet, Toucher};
pub use detect::{objects_against_objects, soft_against_objects};
pub use method::ContactMethod;
pub use object::{ObjectModel, ObjectSample};
pub use soft_contact::{SoftContact, SoftContactSet, SoftSide};
pub use soft_pairs::{DEEPEST, soft_against_soft};
pub use surface::{SoftSurface, SurfacePoint};
pub use touch_places::TouchPlaces;
pub use touch_surface::{TouchGroup, TouchSurface};
pub use touch_tree::TouchTree;
