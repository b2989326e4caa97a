//! Tests and upkeep of the workspace.

fn main() {}
