//! Files of a run that does not come to its end: Ctrl+C, SIGTERM, a full disk.
#![cfg(unix)]

mod thenar;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use thenar::{refusal, run, scratch, stderr, stdout};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Records a run of ten minutes and sends it a signal as soon as its file grows; its exit code and what it said.
fn stopped_by(name: &str) -> (Option<i32>, String) {
    let (file, folder) = (scratch(&format!("stopped-{name}.mcap")), scratch(&format!("stopped-{name}")));
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(["run", "press", "--tets", "600", "--seconds", "600", "--record", text(&file)]);
    command.args(["--outputs", text(&folder), "--outputs-rate", "100"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let start = Instant::now();
    while fs::metadata(&file).map_or(0, |file| file.len()) < 140_000 {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing is recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, name);
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), stderr(&output))
}

fn files_are_whole_after(signal: &str) {
    let (code, said) = stopped_by(signal);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("stopped after") && said.contains("its files hold everything"), "{said}");
    let (file, folder) = (scratch(&format!("stopped-{signal}.mcap")), scratch(&format!("stopped-{signal}")));
    let replayed = run(&["replay", text(&file)]);
    assert!(replayed.status.success(), "{}{}", stdout(&replayed), stderr(&replayed));
    assert!(stdout(&replayed).contains("the run was stopped before"), "{}", stdout(&replayed));
    let npz = fs::read(folder.join("outputs.npz")).expect("the arrays");
    // The end record of a ZIP file.
    assert_eq!(npz[npz.len() - 22..npz.len() - 18], *b"PK\x05\x06");
    assert!(!folder.join("outputs.npz.parts").exists());
}

#[test]
fn ctrl_c_finishes_recording_and_outputs() {
    files_are_whole_after("INT");
}

#[test]
fn sigterm_finishes_recording_and_outputs() {
    files_are_whole_after("TERM");
}

fn signal(process: &Child, signal: &str) {
    let kill = Command::new("kill").args([&format!("-{signal}"), &process.id().to_string()]).status().expect("kill");
    assert!(kill.success());
}

#[test]
fn a_signal_ends_a_run_at_once_while_its_hand_is_built() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    // Building so fine a hand takes much longer than the test waits.
    command.args(["-v", "run", "press", "--tets", "200000"]).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    assert!(said.any(|line| line.is_ok_and(|line| line.contains("building the hand"))));
    signal(&child, "TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(said.all(|line| line.is_ok_and(|line| !line.contains("stopped after"))));
}

#[test]
fn ctrl_c_ends_the_studio_properly() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thenar"));
    command.args(["studio", "--no-open", "--port", "0", "--tets", "600"]).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("starts");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(said.any(|line| line.is_ok_and(|line| line.contains("Ctrl+C"))));
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_cut_recording_is_replayed_as_far_as_it_goes_and_is_no_success() {
    let whole = scratch("to-be-cut.mcap");
    let made = run(&["run", "press", "--tets", "600", "--seconds", "1", "--record", text(&whole)]);
    assert!(made.status.code().is_some_and(|code| code < 2), "{}", stderr(&made));
    let bytes = fs::read(&whole).expect("the recording");
    let cut = scratch("cut.mcap");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("a file");
    let replayed = run(&["replay", text(&cut)]);
    let said = stdout(&replayed);
    assert_eq!(replayed.status.code(), Some(1), "{said}");
    assert!(said.starts_with("INCOMPLETE") && said.contains("missing") && said.contains("identical"), "{said}");
    let figures = run(&["replay", text(&cut), "--json"]);
    let figures: serde_json::Value = serde_json::from_slice(&figures.stdout).expect("JSON");
    let (steps, all) = (figures["steps"].as_u64().expect("a count"), figures["scene_steps"].as_u64().expect("a count"));
    assert!(figures["whole"] == false && 0 < steps && steps < all, "{figures}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_at_once() {
    let message = refusal(&["run", "press", "--tets", "600", "--seconds", "600", "--record", "/dev/full"]);
    assert!(message.contains("/dev/full") && message.contains("No space left"), "{message}");
}

/// No file may be larger than two megabytes, which says what a full disk says: a file cannot grow.
#[cfg(target_os = "linux")]
#[test]
fn outputs_on_a_full_disk_can_be_read_as_far_as_they_go() {
    let folder = scratch("full-outputs");
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 4000; exec \"$0\" run press --tets 600 --seconds 600 --outputs \"$1\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_thenar"), text(&folder)]).stdin(Stdio::null());
    let output = command.output().expect("a shell");
    let said = stderr(&output);
    assert!(output.status.code() == Some(2), "{:?}: {said}", output.status);
    assert!(said.contains("outputs.mcap") && said.contains("too large"), "{said}");
    // What grows fastest fails first, and the arrays of all steps until then are packed.
    let npz = fs::read(folder.join("outputs.npz")).expect("the arrays");
    assert_eq!(npz[npz.len() - 22..npz.len() - 18], *b"PK\x05\x06");
    assert!(!folder.join("outputs.npz.parts").exists());
    let channels = fs::read(folder.join("outputs.mcap")).expect("the channels");
    assert!(channels.starts_with(b"\x89MCAP0\r\n") && channels.len() > 1_000_000, "{} bytes", channels.len());
}

/// There may be no room left for packing: the arrays stay as they grew, and half of a packed file is not left beside them.
#[cfg(target_os = "linux")]
#[test]
fn arrays_that_cannot_be_packed_stay_as_they_are() {
    let folder = scratch("unpacked-outputs");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", folder.join("outputs.npz")).expect("a link");
    let message = refusal(&["run", "press", "--tets", "600", "--seconds", "1", "--outputs", text(&folder)]);
    assert!(message.contains("outputs.npz") && message.contains("No space left"), "{message}");
    let numbers = |name: &str| -> Vec<f64> {
        let bytes = fs::read(folder.join("outputs.npz.parts").join(name)).expect("an array");
        bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    };
    let (time, grip) = (numbers("time.f64"), numbers("hand0_grip.f64"));
    assert!(time.len() > 50 && time.windows(2).all(|two| two[0] < two[1]), "{} times", time.len());
    assert_eq!(grip.len(), 6 * time.len());
    assert!(!folder.join("outputs.npz").is_symlink(), "half a packed file would be taken for all");
}
