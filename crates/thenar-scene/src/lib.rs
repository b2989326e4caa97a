//! Scenes, file formats and recordings for Thenar.

pub mod formats;
#[cfg(test)]
mod mutation;
