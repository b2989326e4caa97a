//! Writes the recording that moves the hand of scene `soft-ball`: a data glove with one value per finger and a tracked wrist,
//! both with the noise such devices have.
//!
//! `cargo run --release -p thenar-scene --example soft_ball_glove > scenes/files/soft-ball-glove.csv`

use thenar_scene::motion::{gaussian, minimum_jerk};

/// Seconds; how far thumb and fingers are bent, 0 to 1; place of the wrist, metres.
type Key = (f64, [f64; 5], [f64; 3]);

const ABOVE: [f64; 3] = [0.0, 0.160, 0.1265];
const AT_BALL: [f64; 3] = [0.0, 0.082, 0.1265];
const LIFTED: [f64; 3] = [0.0, 0.183, 0.1265];
const OPEN: [f64; 5] = [0.05, 0.05, 0.05, 0.05, 0.05];
const READY: [f64; 5] = [0.45, 0.20, 0.20, 0.20, 0.20];
const HOLD: [f64; 5] = [0.98, 0.44, 0.44, 0.44, 0.44];
const SQUEEZE: [f64; 5] = [0.98, 0.60, 0.60, 0.60, 0.60];

const KEYS: [Key; 8] = [
    (0.0, OPEN, ABOVE),
    (0.8, READY, AT_BALL),
    (1.6, HOLD, AT_BALL),
    (1.8, HOLD, AT_BALL),
    (2.6, HOLD, LIFTED),
    (3.4, SQUEEZE, LIFTED),
    (4.2, HOLD, LIFTED),
    (5.0, HOLD, LIFTED),
];

/// Frames per second.
const RATE: u32 = 50;
/// Standard deviations: of a finger's value, and of the wrist's place in metres.
const BEND_NOISE: f64 = 0.004;
const WRIST_NOISE: f64 = 0.0003;

fn main() {
    println!("time,thumb,index,middle,ring,little,x,y,z");
    for frame in 0..=5 * RATE {
        let time = f64::from(frame) / f64::from(RATE);
        let (bends, wrist) = between_keys(time);
        let (thumb_to_middle, ring_to_little, shake) = (
            gaussian(15, u64::from(frame), 0),
            gaussian(15, u64::from(frame), 1),
            gaussian(15, u64::from(frame), 2) * WRIST_NOISE,
        );
        let noise = [thumb_to_middle.to_array(), ring_to_little.to_array()].concat();
        let row: Vec<String> = (bends.iter().zip(noise))
            // A glove gives whole steps of an 8-bit converter.
            .map(|(bend, noise)| {
                format!("{:.4}", ((bend + BEND_NOISE * noise).clamp(0.0, 1.0) * 255.0).round() / 255.0)
            })
            .chain(wrist.iter().zip(shake.to_array()).map(|(place, shake)| format!("{:.4}", place + shake)))
            .collect();
        println!("{time:.2},{}", row.join(","));
    }
}

fn between_keys(time: f64) -> ([f64; 5], [f64; 3]) {
    let next = KEYS.iter().position(|key| key.0 >= time).unwrap_or(KEYS.len() - 1).max(1);
    let (from, to) = (KEYS[next - 1], KEYS[next]);
    let share = minimum_jerk((time - from.0) / (to.0 - from.0));
    let mixed = |a: f64, b: f64| a + (b - a) * share;
    (
        std::array::from_fn(|digit| mixed(from.1[digit], to.1[digit])),
        std::array::from_fn(|axis| mixed(from.2[axis], to.2[axis])),
    )
}
