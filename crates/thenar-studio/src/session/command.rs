//! What the server asks of the simulation's thread.

use crate::viewers::ViewerId;
use crate::wire::PageMessage;

/// One request; those of the pages come in their order.
pub enum Command {
    /// A page has joined and needs the scene.
    Join(ViewerId),
    /// A page said something; it may have gone when its turn comes.
    Say { from: ViewerId, controlled: bool, message: PageMessage },
    /// A page has uploaded a recording.
    Recording { from: ViewerId, name: String, bytes: Vec<u8> },
    /// The server ends.
    Stop,
}
