//! A haptic tick takes no lock: what it runs in this crate names none. (What it runs in the engine cannot: `crates/thenar/clippy.toml` and its invariants leave
//! it without threads.) That it allocates nothing either is measured in `haptics_no_allocation.rs`.

/// What a tick runs: the loop, the renderer, devices and what changes hands.
const TICK: [(&str, &str); 14] = [
    ("device.rs", include_str!("../src/haptics/device.rs")),
    ("glove.rs", include_str!("../src/haptics/glove.rs")),
    ("haply.rs", include_str!("../src/haptics/haply.rs")),
    ("looping.rs", include_str!("../src/haptics/looping.rs")),
    ("motion.rs", include_str!("../src/haptics/motion.rs")),
    ("realtime.rs", include_str!("../src/haptics/realtime.rs")),
    ("recorded.rs", include_str!("../src/haptics/recorded.rs")),
    ("renderer.rs", include_str!("../src/haptics/renderer.rs")),
    ("simulated.rs", include_str!("../src/haptics/simulated.rs")),
    ("statistics.rs", include_str!("../src/haptics/statistics.rs")),
    ("trace.rs", include_str!("../src/haptics/trace.rs")),
    ("triple.rs", include_str!("../src/haptics/triple.rs")),
    ("udp.rs", include_str!("../src/haptics/udp.rs")),
    ("wish.rs", include_str!("../src/haptics/wish.rs")),
];

/// What waits for another thread, of the standard library.
const WAITS: [&str; 11] = [
    "Mutex",
    "RwLock",
    "Condvar",
    "Barrier",
    "OnceLock",
    "LazyLock",
    "mpsc",
    ".lock()",
    "park(",
    "println!",
    "set_nonblocking(false)",
];

fn found(text: &str) -> Vec<&'static str> {
    // comments may speak of locks
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    WAITS.into_iter().filter(|word| code.contains(word)).collect()
}

#[test]
fn nothing_in_the_path_of_a_tick_names_a_lock() {
    for (file, text) in TICK {
        assert_eq!(found(text), Vec::<&str>::new(), "{file}");
    }
    assert_eq!(found("let x = 1; // no Mutex"), Vec::<&str>::new(), "a comment locks nothing");
    assert_eq!(found("let x = shared.lock().unwrap();"), [".lock()"], "it does find one");
}

/// The list is whole: a file of the folder that is not among them says why not.
#[test]
fn every_file_of_the_folder_is_looked_at() {
    // made before or after the loop, or in virtual time
    let elsewhere = ["fidelity.rs", "measure.rs", "mod.rs", "scene.rs", "target.rs"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/haptics");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".rs") {
            let known = elsewhere.contains(&name.as_str()) || TICK.iter().any(|(file, _)| *file == name);
            assert!(known, "{name} is new: is it run in a tick?");
        }
    }
}
