//! Scenes, file formats and recordings for Thenar.
#![warn(missing_docs)]

pub mod assets;
pub mod devices;
pub mod executor;
pub mod formats;
pub mod library;
pub mod models;
pub mod motion;
#[doc(hidden)] // for tests of this and other crates
pub mod mutation;
pub mod recording;
pub mod run;
pub mod scene;
pub mod trackers;
