//! Every reader of foreign bytes as a function that must not panic.
//!
//! The same functions are called by libFuzzer (`fuzz/`, nightly Rust), by the runner of this crate (`cargo xtask fuzz`, any
//! Rust) and, with a few thousand damaged files, by the ordinary tests.

mod target;

pub use target::{TARGETS, Target, target};
