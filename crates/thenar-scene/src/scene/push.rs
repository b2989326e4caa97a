//! Forces that act on objects besides hands and weight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A constant force at an object's centre of mass for some time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushSpec {
    /// The object, by name.
    pub object: String,
    /// Seconds.
    pub from: f64,
    /// Seconds.
    pub to: f64,
    /// Newtons …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<[f64; 3]>,
    /// … or newtons per kilogram of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<[f64; 3]>,
}
