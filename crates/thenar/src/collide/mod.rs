//! Detection: which surfaces touch, of whatever bodies. Knows nothing of how contact is resolved.
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `FAR` | 1 mm | half of the thinnest thing a hand holds (a card of 2 mm): slower points cannot cross it in a step |
//! | `ARRIVED` | 0.05 mm | a traced point is at the surface: as exact as sampled distance fields are |
//! | `TRACES` | 24 | steps of tracing; a way that needs more grazes the object and is left to the next step |
//! | `FACING` | 0.2 | a point faces what is within 78° of its normal: the corner of a soft cube (55°) does, the wall beside it does not |
//! | `DEEPEST` | 6 mm | a third of a finger: deeper, the nearest surface is that of the other side |
//! | `NEW_DEPTH` | 3 mm | further than a surface gets within one step |
//! | `TOUCHING` | 0.3 mm | below this the direction between two coarse surfaces is noise |
//! | `NORMAL_ENOUGH`, `BESIDE` | 0.6, 0.36 = 0.6² | cosine at a local minimum of the distance, with an allowance for triangles of 5 mm |
//! | `SMOOTH` | 0.985 | a corner whose normal is more than 10° off its triangle says more of the coarse mesh than of the surface: without it the rim of a dent drives a box sideways |
//! | `FARTHEST_WEIGHT` | 4 | an element that would carry a place with more is too flat to say where it is |
//! | `ALIKE` | 0.985 | normals within 10°, as of a smooth surface; more, and points of one face would wait for those of the next |
//! | `TILTS` | 8 | corners of a face that are looked for: a disc is an octagon, 2 % less wide |
//! | `TILT` | 0.02 | radians in a step: 5 rad/s for 4 ms |
//! | `KEPT` | 3 µm | as deep as a point may be without a spring: less is no reason to lose an anchor |
//! | `GROUPS` | 32 | groups of one part: a finger has four |

mod contact;
mod deciding;
mod edges;
mod objects;
mod scene;
mod skin;
mod soft_pairs;
mod touch_places;

pub use contact::{BodyRef, Carrier, Contact, ContactKey, Contacts, Feature, Met, Side};
pub use edges::edges_against_skin;
pub use objects::objects_against_objects;
pub use scene::{Entered, Remembered, Scene};
pub use skin::skin_against_objects;
pub use soft_pairs::{DEEPEST, soft_against_soft};
pub use touch_places::TouchPlaces;
