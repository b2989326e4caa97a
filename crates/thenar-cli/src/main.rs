//! The command line of Thenar.

fn main() {}
