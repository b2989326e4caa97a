//! What goes over the wire between server and page: `docs/studio-protocol.md` as code.

mod bytes;
mod frame;
mod haptic;
mod incoming;
mod mesh;
mod outgoing;
mod skin_view;
mod ticks;

pub use frame::{FrameHeader, Want, encode_frame};
pub use haptic::{HapticSection, HapticView};
pub use incoming::{HandName, Mode, PageMessage, Renderer, SetValue, parse};
pub use mesh::scene_meshes;
pub use outgoing::{
    Check, HandEntry, Loading, ObjectEntry, Options, SceneEntry, ServerMessage, Slider, State, Support, Switch, Trouble,
};
pub use skin_view::SkinView;
pub use ticks::History;

/// Version of the protocol; a page of another version is refused.
pub const PROTOCOL: u32 = 1;
/// Version of the binary messages.
const BINARY_VERSION: u8 = 1;
/// Kinds of binary messages.
const FRAME: u8 = 1;
const MESH: u8 = 2;
/// A piece of an uploaded recording, from page to server.
pub const UPLOAD: u8 = 16;
/// Length of the header that every binary message begins with.
pub const HEADER: usize = 8;
