//! Scenes, file formats and recordings for Thenar.
