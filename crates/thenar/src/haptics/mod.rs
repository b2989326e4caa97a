//! Force feedback: handles that a device moves, and the linear model of the force a tool puts on them [Garre 2010].
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `EVERY_TICK` | 1.5 | a world whose next step is due within so many ticks makes one for every tick: the proxy is its handle, and the model bridges what is late |
//! | `MOST_TICKS` | 4 | for so many ticks a handle is taken to go on as a step left it: reading, stepping and handing over take two, and a late step one or two more |
//! | `MARGIN` | 1.5 | nothing felt through a coupling is stiffer than it; half as much more leaves room for what sampling does to the energy that is counted |
//! | `MOST_FORCES` | 15 | forces for which the answer of contacts is asked at once, for each handle: three on each bone at the five joints of a palm |
//! | `SYMMETRIC` | 1e-6 | a compliance that differs from its transpose by less is symmetric, and takes the same shapes on both sides: rounding stays far below, sliding far above |
//! | `LEVER` | 5 cm | at which a torque is felt as a force: fingers that hold a pen-like handle |

mod handle;
mod linearise;
mod lu;
mod model;
mod passivity;
mod proxy;
#[cfg(test)]
mod proxy_tests;

pub use handle::{HandleCoupling, HandleDef, HandleId};
pub use linearise::{ContactMatrix, Lead, Linearisation, Own, Response};
pub use model::{HandleModel, HandleState};
pub use passivity::{Passivity, PassivityParams};
pub use proxy::{DeviceCoupling, HandleBody, LateParams, Proxy, ProxyModel, limit_wrench};
