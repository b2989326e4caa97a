//! Damages good files for a while and feeds them to their readers: `cargo xtask fuzz SECONDS [TARGET]`.
//!
//! Not guided by coverage as libFuzzer is, but it needs nothing beyond the compiler of the workspace. What breaks a reader is
//! kept in `fuzz/artifacts/`.

mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use thenar_fuzz::{TARGETS, Target, target};
use thenar_scene::mutation::{Numbers, damaged};
use watchdog::Watchdog;

const HELP: &str = "thenar-fuzz SECONDS [TARGET] [SEED]: damages good files for so many seconds per target";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds: Option<u64> = words.first().and_then(|word| word.parse().ok());
    let targets = match words.get(1).map(String::as_str) {
        None | Some("all") => Some(TARGETS.to_vec()),
        Some(name) => target(name).map(|target| vec![target]),
    };
    let seed: Option<u64> = words.get(2).map_or(Some(1), |word| word.parse().ok());
    let (Some(seconds), Some(targets), Some(seed)) = (seconds, targets, seed) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("{HELP}; targets: all, {}", names.join(", "));
        return ExitCode::from(2);
    };
    // One line for a panic is enough; the input is kept.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let mut faults = 0;
    for target in targets {
        match fuzz(target, Duration::from_secs(seconds), seed) {
            Ok(found) => faults += found,
            Err(error) => {
                eprintln!("{}: {error}", target.name);
                return ExitCode::from(2);
            }
        }
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Number of inputs that broke the reader.
fn fuzz(target: Target, time: Duration, seed: u64) -> std::io::Result<usize> {
    let seeds = target.seeds()?;
    let artifacts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/artifacts").join(target.name);
    let watchdog = Watchdog::start(&artifacts);
    let mut numbers = Numbers::new(seed);
    let (start, mut count, mut faults, mut slowest) = (Instant::now(), 0_u64, 0, Duration::ZERO);
    while start.elapsed() < time && !seeds.is_empty() {
        let input = damaged(&seeds[numbers.below(seeds.len())], &mut numbers);
        let begun = Instant::now();
        watchdog.begin(&input);
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        watchdog.end();
        slowest = slowest.max(begun.elapsed());
        count += 1;
        if outcome.is_err() {
            faults += 1;
            eprintln!("{}: kept as {}", target.name, watchdog::keep(&artifacts, "crash", &input)?.display());
        }
    }
    let seeds = seeds.len();
    println!("{:<10} {count} inputs from {seeds} seeds, {faults} faults, slowest {slowest:.1?}", target.name);
    Ok(faults)
}
