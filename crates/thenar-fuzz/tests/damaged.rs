//! A short run of every fuzz target, the same on every machine; `cargo xtask fuzz` goes on for longer.

use thenar_fuzz::TARGETS;
use thenar_scene::mutation::mutations;

/// Damaged copies of all seeds of a target together.
const INPUTS: u64 = 400;

#[test]
fn readers_take_or_refuse_damaged_files_but_never_panic() {
    for target in TARGETS {
        let seeds = target.seeds().unwrap_or_else(|error| panic!("seeds of {}: {error}", target.name));
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for seed in &seeds {
            (target.run)(seed);
            for damaged in mutations(seed, INPUTS / seeds.len() as u64 + 1) {
                (target.run)(&damaged);
            }
        }
    }
}

#[test]
fn libfuzzer_has_every_target() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("fuzz/Cargo.toml is there");
    for target in TARGETS {
        assert!(manifest.contains(&format!("fuzz_targets/{}.rs", target.name)), "{} is missing", target.name);
    }
}
