//! Scenes, file formats and recordings for Thenar.

pub mod assets;
pub mod formats;
pub mod library;
pub mod motion;
#[cfg(test)]
mod mutation;
pub mod scene;
