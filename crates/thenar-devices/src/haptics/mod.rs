//! Force feedback at 1 kHz: devices, the loop that renders to them, and what it says about itself.
//!
//! A [`HapticDevice`] says where it is and is told a wrench. A [`Renderer`] is one tick between device and model, without a clock or
//! a thread: tests run it in virtual time. [`HapticLoop`] runs it a thousand times a second on a thread of its own. The simulation
//! hands over linear models ([`thenar::haptics::ProxyModel`]) and takes where the device is, by a [`triple`] buffer in each
//! direction: nobody waits for anybody.
//!
//! | device | written | what it is |
//! |---|---|---|
//! | [`SimulatedDevice`] | `sim3`, `sim6` | a person with a pen: three motors, or six |
//! | [`SimulatedDevice::live`] | | the same person, who wants what a program says as it goes: a mouse |
//! | [`RecordedDevice`] | `recorded:FILE` | moves as a file says, whatever it feels |
//! | [`UdpDevice`] | `udp`, `udp:PORT` | any device whose owner writes thirty lines of C ([`udp`]) |
//! | [`HaplyDevice`] | `haply`, `haply:URL` | an Inverse3 by the service of its maker ([`haply`]) |
//!
//! `docs/haptics.md` explains all of it to someone who has a device and no time.

mod device;
pub mod fidelity;
mod glove;
pub mod haply;
mod looping;
pub mod measure;
mod motion;
mod realtime;
mod recorded;
mod renderer;
mod scene;
mod simulated;
mod statistics;
mod target;
pub mod trace;
pub mod trial;
pub mod triple;
pub mod udp;
mod wish;

pub use device::{HapticDevice, HapticError, Motors, Reading};
pub use glove::{GloveOutput, JointTorques};
pub use haply::HaplyDevice;
pub use looping::{HapticLoop, LoopNews, LoopParams};
pub use motion::{Motion, MotionError};
pub use recorded::RecordedDevice;
pub use renderer::{Felt, Renderer, RendererParams};
pub use scene::{Grip, GripError, Held, SceneWorld};
pub use simulated::{HandImpedance, SimulatedDevice};
pub use statistics::{Histogram, LoopStatistics};
pub use target::HapticTarget;
pub use udp::UdpDevice;
pub use wish::Wish;
