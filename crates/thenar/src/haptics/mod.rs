//! Force feedback: handles that a device moves, and the linear model of the force a tool puts on them [Garre 2010].
//!
//! # Constants
//!
//! | constant | value | why |
//! |---|---|---|
//! | `MARGIN` | 1.5 | nothing felt through a coupling is stiffer than it; half as much more leaves room for what sampling does to the energy that is counted |
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
