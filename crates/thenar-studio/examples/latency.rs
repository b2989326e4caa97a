//! How long a hand's input takes to the frame that shows it, through the whole server, on this machine.
//!
//! `cargo run --release -p thenar-studio --example latency`

#[path = "../tests/client/mod.rs"]
mod client;

use std::time::{Duration, Instant};

use client::{Page, studio};
use serde_json::json;

/// Inputs that are timed, at about the rate of a mouse.
const INPUTS: u32 = 400;
const PAUSE: Duration = Duration::from_millis(8);

fn main() {
    let studio = studio();
    let mut page = Page::open(&studio, "hardware");
    page.words("scene", |_| true);
    page.say(&json!({"type": "mode", "value": "mouse"}));
    page.words("state", |state| state["mode"] == "mouse");
    let palm: Vec<f64> =
        page.scene["hands"][0]["palm"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    let mut times = Vec::new();
    for seq in 1..=INPUTS {
        let position = [palm[0], palm[1] + 0.02 * (0.1 * f64::from(seq)).sin(), palm[2]];
        let start = Instant::now();
        page.say(&json!({"type": "palm", "position": position, "rotation": &palm[3..], "seq": seq, "t": 0}));
        page.frame_with("the input shows", |frame| frame.input_seq == seq);
        times.push(start.elapsed());
        std::thread::sleep(PAUSE);
    }
    times.sort_unstable();
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize].as_secs_f64() * 1e3;
    println!("{INPUTS} inputs: p50 {:.2} ms, p95 {:.2} ms, worst {:.2} ms", at(0.5), at(0.95), at(1.0));
}
