//! Where the hand feels: skin vertices that make contact, and sample points of the fingertip pads.

use super::rest_pose::DigitChain;
use super::shape::HandShape;
use super::skin::MarkedSkin;
use super::{Digit, Patch};
use crate::geometry::contraction::nearest_seeds;
use crate::math::Vec3;

/// Fewest contact vertices on a hand, as long as its skin has that many.
pub const MIN_CONTACT_VERTICES: usize = 3000;
/// Samples on each fingertip pad.
pub const PAD_SAMPLES: usize = 100;

/// A point of a fingertip pad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PadPoint {
    /// Position in the distal bone's frame, metres.
    pub local: Vec3,
    /// Outward unit normal in the distal bone's frame.
    pub normal: Vec3,
}

/// Chosen skin vertices, ascending, and the area each stands for, m².
pub(super) fn contact_vertices(marked: &MarkedSkin) -> (Vec<u32>, Vec<f64>) {
    let coarseness: Vec<f64> = (0..marked.nail.len()).map(|v| coarseness(marked, v)).collect();
    if marked.nail.len() <= MIN_CONTACT_VERTICES {
        return ((0..marked.nail.len() as u32).collect(), marked.skin.areas.clone());
    }
    // Thin out until just enough remain: the widest spacing that still gives the least number.
    let (mut fine, mut wide) = (0.0, 0.02);
    for _ in 0..12 {
        let spacing = 0.5 * (fine + wide);
        if thin_out(marked, &coarseness, spacing).len() >= MIN_CONTACT_VERTICES + MIN_CONTACT_VERTICES / 20 {
            fine = spacing;
        } else {
            wide = spacing;
        }
    }
    let chosen = thin_out(marked, &coarseness, fine);
    let areas = areas_by_nearest(marked, &chosen);
    (chosen, areas)
}

/// Relative spacing of contact vertices: every vertex of a pad, dense on the palm side, sparse on the back.
fn coarseness(marked: &MarkedSkin, vertex: usize) -> f64 {
    let patch = marked.skin.patches[vertex];
    let palmar = match patch {
        Patch::THENAR | Patch::HYPOTHENAR | Patch::PALM_CENTRE | Patch::METACARPAL_HEADS => true,
        Patch::DORSUM | Patch::WRIST => false,
        _ => marked.skin.normals[vertex].y < 0.3,
    };
    match (marked.pad[vertex], palmar, patch.digit()) {
        (true, _, _) => 0.0,
        (_, true, Some(_)) => 0.8,
        (_, true, None) => 1.0,
        (_, false, _) => 1.7,
    }
}

/// Vertices no two of which are nearer than their spacing, in order of index within order of importance.
fn thin_out(marked: &MarkedSkin, coarseness: &[f64], spacing: f64) -> Vec<u32> {
    let positions = &marked.skin.mesh.positions;
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_by(|&a, &b| coarseness[a as usize].total_cmp(&coarseness[b as usize]).then(a.cmp(&b)));
    let cell = (1.7 * spacing).max(1.5e-3);
    let [low, high] = marked.skin.mesh.bounds();
    let size: [usize; 3] = std::array::from_fn(|a| ((high - low)[a] / cell) as usize + 1);
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); size.iter().product()];
    let at = |p: Vec3| -> [usize; 3] { std::array::from_fn(|a| ((p - low)[a] / cell) as usize) };
    let bucket = |[i, j, k]: [usize; 3]| (k * size[1] + j) * size[0] + i;
    let mut chosen = Vec::new();
    for v in order {
        let (p, reach) = (positions[v as usize], coarseness[v as usize] * spacing);
        let c = at(p);
        let range = |a: usize| c[a].saturating_sub(1)..=(c[a] + 1).min(size[a] - 1);
        let crowded = reach > 0.0
            && range(2).any(|k| {
                range(1).any(|j| {
                    range(0).any(|i| {
                        buckets[bucket([i, j, k])]
                            .iter()
                            .any(|&other| positions[other as usize].distance_squared(p) < reach * reach)
                    })
                })
            });
        if !crowded {
            buckets[bucket(c)].push(v);
            chosen.push(v);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Gives every skin vertex to the contact vertex nearest along the surface, so that no area jumps between fingers.
fn areas_by_nearest(marked: &MarkedSkin, chosen: &[u32]) -> Vec<f64> {
    let owner = nearest_seeds(&marked.skin.mesh, chosen);
    let mut areas = vec![0.0; chosen.len()];
    for (v, &source) in owner.iter().enumerate() {
        if let Some(area) = areas.get_mut(source as usize) {
            *area += marked.skin.areas[v];
        }
    }
    areas
}

/// Sample points of one fingertip pad of a right hand: a sunflower pattern on an ellipse below the distal bone, moved
/// onto the skin.
pub(super) fn pad_points(shape: &HandShape, chain: &DigitChain, digit: Digit) -> Vec<PadPoint> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let joints = chain.joints();
    let bone = joints[joints.len() - 1];
    let length = bone.position.distance(chain.tip().position) / shape.unit;
    let arc = shape.digit(digit).joints();
    let [width, _, palmar] = shape.digit(digit).section(arc[arc.len() - 1]);
    let (centre, half_length, half_width) = (0.56 * length, 0.36 * length, 0.72 * width);
    let point = |i: usize| {
        let r = ((i as f64 + 0.5) / PAD_SAMPLES as f64).sqrt();
        let (sin, cos) = libm::sincos(GOLDEN_ANGLE * i as f64);
        let (x, z) = (r * cos * half_width, -(centre + r * sin * half_length));
        let to_hand = |y: f64| bone.position / shape.unit + bone.rotation * Vec3::new(x, y, z);
        // Inside at the bone, outside well below it: bisect.
        let (mut inside, mut outside) = (0.0, -2.0 * palmar);
        for _ in 0..40 {
            let middle = 0.5 * (inside + outside);
            if shape.value(to_hand(middle)) < 0.0 { inside = middle } else { outside = middle }
        }
        let local = Vec3::new(x, inside, z);
        let normal = bone.rotation.inverse() * shape.gradient(to_hand(inside), 0.25);
        PadPoint { local: local * shape.unit, normal: normal.normalize_or(-Vec3::Y) }
    };
    (0..PAD_SAMPLES).map(point).collect()
}
