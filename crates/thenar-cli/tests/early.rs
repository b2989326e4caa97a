//! Mistakes are named before anything is built, whatever takes long is not begun.

mod thenar;

use std::fs;
use std::path::Path;
use thenar::{refusal, run, scratch, stderr};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A ground, and a thing from a file.
fn scene_with(name: &str, mesh: &str) -> std::path::PathBuf {
    let path = scratch(name);
    let scene = format!(
        "name = 'thing'\nseconds = 1\n[[object]]\nname = 'thing'\nmass = 0.1\nshape = {{ mesh = {{ file = '{mesh}' }} }}\n\
         [[hand]]\nside = 'right'\n[[hand.key]]\nat = 0\npalm = {{ position = [0, 0.3, 0] }}\ngrasp = 'flat'\n"
    );
    fs::write(&path, scene).expect("the scene is written");
    path
}

#[test]
fn mistakes_are_named_before_a_hand_is_built() {
    let garbage = scratch("garbage.stl");
    fs::write(&garbage, (0..400_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect::<Vec<_>>())
        .expect("a file");
    let (absent, broken) = (scene_with("absent-mesh.toml", "absent.stl"), scene_with("garbage.toml", "garbage.stl"));
    let glove = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/files/soft-ball-glove.csv");
    let glove = text(&glove);
    let unwritable = if cfg!(target_os = "linux") { "/proc/film.png" } else { "no/such/folder/film.png" };
    let film = scratch("early.png");
    // as long as the test takes
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let listen = format!("udp:{port}");
    for (words, expected) in [
        (&["run", "press", "--contact", "penality"][..], &["penality", "penalty"][..]),
        (&["run", "press", "--preset", "telvas"], &["telvas", "talvas"]),
        (&["run", "press", "--recording", "absent.json"], &["absent.json"]),
        (&["run", text(&absent)], &["absent.stl"]),
        (&["run", text(&broken)], &["garbage.stl", "no STL at all"]),
        (&["run", "press", "--tets", "3"], &["--tets", "'3'", "from 50 to"]),
        (&["run", "press", "--tets", "-5"], &["--tets", "'-5'", "from 50 to"]),
        (&["hand", "--tets", "-5"], &["--tets", "'-5'", "from 50 to"]),
        (&["hand", "--out", "h.txt"], &["--out", "h.txt", ".glb"]),
        (&["run", "press", "--film", unwritable], &[unwritable]),
        (&["run", "press", "--record", "no/such/folder/run.mcap"], &["no/such/folder/run.mcap"]),
        (&["run", "ball", "--record", "x.txt"], &["--record", "x.txt", ".mcap"]),
        (&["run", "ball", "--outputs", "x.npz"], &["--outputs x.npz", "folder", "leave out the .npz"]),
        (&["run", "hold2.png"], &["hold2.png", ".toml", "thenar scenes"]),
        (&["run", "press", "--film", "film.txt"], &["film.txt", ".png"]),
        (&["run", "press", "--haptics", "recorded:absent.csv"], &["absent.csv"]),
        (&["run", "press", "--haptics", "sim3", "--haptics-mode", "half"], &["half", "linear"]),
        (&["run", "press", "--glove"], &["--haptics"]),
        (&["run", "press", "--haptics", "sim6", "--record", "felt.mcap"], &["--record", "hold no device", "--outputs"]),
        (&["run", "press", "--haptics", "sim6", "--glove"], &["sim6 has one handle", "UDP"]),
        (&["run", "press", "--haptics", "sim6", "--preset", "clap"], &["clap", "world.set.solver=direct"]),
        (&["run", "press", "--haptics", "sim6", "--set", "world.set.solver=pcg"], &["world.set.solver=direct"]),
        (
            &["run", "tools", "--case", "sword", "--haptics", "sim6", "--preset", "clap"],
            &["clap", "world.set.solver=direct"],
        ),
        (&["run", "press", "--haptics", "sim6", "--skeleton", "reduced"], &["--skeleton bodies"]),
        (&["run", "press", "--haptics", "sim6", "--preset", "talvas"], &["talvas", "--skeleton bodies"]),
        (&["run", "tools", "--case", "sword", "--haptics", "udp", "--glove"], &["tools", "no hand for a glove"]),
        (&["run", "press", "--haptics", "udp", "--glove", "--preset", "garre"], &["garre", "phalanges"]),
        (&["run", "press", "--recording", glove, "--recording-offset", "nan,0,0"], &["--recording-offset nan,0,0"]),
        (&["send", glove, "--to", "udp:9", "--offset", "0,NaN,0"], &["--offset 0,NaN,0"]),
        (&["send", glove, "--to", "udp:9", "--times", "0"], &["--times", "'0'"]),
        (&["recording", glove, "--dt", "0"], &["--dt 0", "0.00001"]),
        (&["run", "ycb-set", "--record", "all.mcap"], &["--case"]),
        (&["run", "finger", "--film", text(&film), "--beside", "no such"], &["--beside no such", "collapses"]),
        (&["run", "ycb-set", "--film", text(&film), "--beside", "no such"], &["--case"]),
        (&["run", "press", "--listen", &listen], &[&port, "in use"]),
    ] {
        let words: Vec<&str> = ["-v"].iter().chain(words).copied().collect();
        let message = refusal(&words);
        for word in expected {
            assert!(message.contains(word), "{words:?}: {word}: {message}");
        }
        assert!(!message.contains("building the hand"), "{words:?}: {message}");
    }
}

#[test]
fn a_shorter_run_names_the_checks_that_it_does_not_judge() {
    let ran = run(&["run", "ball", "--tets", "600", "--seconds", "0.5", "--json"]);
    assert!(ran.status.code().is_some_and(|code| code < 2), "{}", stderr(&ran));
    let result: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let not_judged = result["outcome"]["not_judged"].as_array().expect("a list");
    assert!(!not_judged.is_empty(), "{result}");
    let judged = result["outcome"]["checks"].as_array().expect("a list");
    assert!(judged.iter().all(|check| not_judged.iter().all(|name| *name != check["name"])), "{result}");
    assert!(result["steps"].as_u64().is_some_and(|steps| steps <= 500), "{result}");
}

/// It is looked for during the run, so it ends nothing; but nobody should build a hand to hear of it.
#[cfg(unix)]
#[test]
fn a_tactile_device_that_is_not_there_is_told_before_a_hand_is_built() {
    let words = ["-v", "run", "press", "--tets", "600", "--seconds", "0.1", "--tactile-to", "serial:/no/such/line"];
    let ran = run(&words);
    assert!(ran.status.code().is_some_and(|code| code < 2), "{}", stderr(&ran));
    let said = stderr(&ran);
    let told = said.find("/no/such/line").unwrap_or_else(|| panic!("nothing is said of it: {said}"));
    assert!(said.find("building the hand").is_some_and(|built| told < built), "{said}");
}
