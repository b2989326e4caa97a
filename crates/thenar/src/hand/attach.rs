//! How tissue hangs on bones, and how it carries skin and pads.

use super::tissue::BoneAxes;
use super::{Attachment, BoneId, Digit, HandParts, NodeSpring, PadSample};
use crate::geometry::{Embedding, TetLocator, TetMesh};
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Samples on the surface of each bone.
const BONE_SAMPLES: usize = 400;
/// How far outside an element (barycentric) a point may lie and still be carried by it rather than by another digit's.
const SLACK: f64 = 0.05;

/// Finds carrying elements and keeps digits apart where their elements touch or overlap.
pub(super) struct Carrier<'a> {
    mesh: &'a TetMesh,
    locator: TetLocator,
    /// The digit each element belongs to by its middle; `None` in the palm.
    digits: Vec<Option<Digit>>,
}

impl<'a> Carrier<'a> {
    pub fn new(mesh: &'a TetMesh, parts: &HandParts) -> Self {
        let axes = BoneAxes::new(&parts.skeleton);
        let digits =
            (0..mesh.tets.len()).map(|t| axes.nearest(mesh.corners(t).iter().sum::<Vec3>() / 4.0).digit()).collect();
        Carrier { mesh, locator: TetLocator::new(mesh), digits }
    }

    /// The element that carries a point of that digit; for a point of the skin, with its outward normal.
    fn carry(&self, p: Vec3, digit: Option<Digit>, normal: Option<Vec3>) -> Option<(u32, [f64; 4])> {
        let foreign = |t: u32| matches!((self.digits[t as usize], digit), (Some(a), Some(b)) if a != b);
        let mut own: Option<(u32, [f64; 4])> = None;
        let least = |w: &[f64; 4]| w.iter().copied().fold(f64::INFINITY, f64::min);
        self.locator.for_each_containing(p, |t, w| {
            if !foreign(t) && own.is_none_or(|(_, best)| least(&w) > least(&best)) {
                own = Some((t, w));
            }
        });
        own.or_else(|| {
            let facing = self.locator.nearest_facing(p, normal?)?;
            (!foreign(facing.0) && least(&facing.1) >= -SLACK).then_some(facing)
        })
        .or_else(|| self.locator.locate_or_nearest(p))
    }

    /// Embeds the skin.
    pub fn embed_skin(&self, parts: &HandParts) -> Embedding {
        let mut embedding = Embedding::default();
        for (v, &p) in parts.skin.mesh.positions.iter().enumerate() {
            let digit = main_bone(&parts.skin.weights[v]).digit();
            let (tet, weights) = self.carry(p, digit, parts.skin.normals.get(v).copied()).unwrap_or((0, [0.25; 4]));
            embedding.tets.push(tet);
            embedding.weights.push(weights);
        }
        embedding
    }

    /// Springs at the mean of the bone-surface samples in each element [CLAP §3.4].
    pub fn attachments(&self, parts: &HandParts) -> Vec<Attachment> {
        let mut attachments = Vec::new();
        for bone in &parts.skeleton.bones {
            let samples = bone_surface_samples(bone);
            let count = samples.len() as f64;
            let inside = samples.into_iter().filter_map(|local| {
                let mut own = None;
                self.locator.for_each_containing(bone.rest.point(local), |t, w| {
                    let matches = self.digits[t as usize] == bone.id.digit();
                    if own.is_none() || matches {
                        own = Some((t, w));
                    }
                });
                own.map(|(t, w)| (t, w, local))
            });
            attachments.extend(mean_springs(bone.id, count, inside));
        }
        attachments
    }

    /// A spring per node and bone by the skinning weights of the skin around the node [Perez §II-A].
    pub fn node_springs(&self, parts: &HandParts, embedding: &Embedding) -> Vec<NodeSpring> {
        let mut springs = Vec::new();
        for (n, weights) in self.node_weights(parts, embedding).into_iter().enumerate() {
            for (bone, weight) in weights {
                let local = parts.skeleton.bone(bone).rest.local(self.mesh.positions[n]);
                springs.push(NodeSpring { node: n as u32, bone, local, weight });
            }
        }
        springs
    }

    /// Skinning weights of the nodes: of the skin their elements carry, and inside the mean of their neighbours.
    fn node_weights(&self, parts: &HandParts, embedding: &Embedding) -> Vec<Vec<(BoneId, f64)>> {
        let count = self.mesh.positions.len();
        let mut sums: Vec<BTreeMap<BoneId, f64>> = vec![BTreeMap::new(); count];
        for (v, (&t, w)) in embedding.tets.iter().zip(&embedding.weights).enumerate() {
            for (k, &n) in self.mesh.tets[t as usize].iter().enumerate() {
                let share = w[k].max(0.0) * parts.skin.areas[v];
                for &(bone, weight) in parts.skin.weights[v].iter().filter(|(_, weight)| *weight > 0.0) {
                    *sums[n as usize].entry(bone).or_default() += share * f64::from(weight);
                }
            }
        }
        // Inner nodes: spread from the nodes that know, one layer of neighbours per round.
        while sums.iter().any(|s| total(s) <= 0.0) {
            let known: Vec<bool> = sums.iter().map(|s| total(s) > 0.0).collect();
            let mut gathered: Vec<BTreeMap<BoneId, f64>> = vec![BTreeMap::new(); count];
            for tet in &self.mesh.tets {
                for &to in tet.iter().filter(|n| !known[**n as usize]) {
                    for &from in tet.iter().filter(|n| known[**n as usize]) {
                        let whole = total(&sums[from as usize]);
                        for (&bone, w) in &sums[from as usize] {
                            *gathered[to as usize].entry(bone).or_default() += w / whole;
                        }
                    }
                }
            }
            let mut spread = false;
            for (sum, new) in sums.iter_mut().zip(gathered).filter(|(_, new)| !new.is_empty()) {
                *sum = new;
                spread = true;
            }
            if !spread {
                break;
            }
        }
        sums.into_iter()
            .map(|s| {
                let whole = total(&s);
                // Weights below a hundredth only cost time.
                let kept: Vec<(BoneId, f64)> = s.into_iter().filter(|(_, w)| *w > 0.01 * whole).collect();
                let whole: f64 = kept.iter().map(|(_, w)| w).sum();
                kept.into_iter().map(|(b, w)| (b, w / whole)).collect()
            })
            .collect()
    }

    /// Embeds the samples of the fingertip pads.
    pub fn pads(&self, parts: &HandParts) -> [Vec<PadSample>; Digit::ALL.len()] {
        Digit::ALL.map(|digit| {
            let bone = parts.skeleton.bone(BoneId::of(digit, 2));
            let embed = |p: &super::PadPoint| {
                let normal = bone.rest.rotation * p.normal;
                let (tet, weights) = self.carry(bone.rest.point(p.local), Some(digit), Some(normal))?;
                Some(PadSample { tet, weights, local: p.local, normal: p.normal })
            };
            parts.pads[digit.index()].iter().filter_map(embed).collect()
        })
    }
}

/// One spring per element at the mean of the bone's samples in it; `whole` is the number of samples of a whole bone.
pub(super) fn mean_springs(
    bone: BoneId,
    whole: f64,
    inside: impl Iterator<Item = (u32, [f64; 4], Vec3)>,
) -> Vec<Attachment> {
    let mut cells: BTreeMap<u32, (usize, Vec3, [f64; 4])> = BTreeMap::new();
    for (tet, w, local) in inside {
        let cell = cells.entry(tet).or_insert((0, Vec3::ZERO, [0.0; 4]));
        cell.0 += 1;
        cell.1 += local;
        (0..4).for_each(|k| cell.2[k] += w[k]);
    }
    let spring = |(tet, (count, local, weights)): (u32, (usize, Vec3, [f64; 4]))| {
        let n = count as f64;
        Attachment { tet, weights: weights.map(|w| w / n), bone, local: local / n, share: n / whole }
    };
    cells.into_iter().map(spring).collect()
}

fn total(weights: &BTreeMap<BoneId, f64>) -> f64 {
    weights.values().sum()
}

pub(super) fn main_bone(weights: &[(BoneId, f32); 4]) -> BoneId {
    weights.iter().fold((BoneId::PALM, 0.0), |best, &(bone, w)| if w > best.1 { (bone, w) } else { best }).0
}

/// Evenly spread points on the capsules of a bone, in its frame.
///
/// A strip of a given height has the same area on the round ends of a capsule as on its side (Archimedes), so heights
/// are uniform over the whole capsule; angles turn by the golden angle.
pub(super) fn bone_surface_samples(bone: &super::Bone) -> Vec<Vec3> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let area = |c: &super::Capsule| c.radius * (c.a.distance(c.b) + 2.0 * c.radius);
    let whole: f64 = bone.capsules.iter().map(area).sum();
    let mut samples = Vec::with_capacity(BONE_SAMPLES);
    for c in &bone.capsules {
        let count = (BONE_SAMPLES as f64 * area(c) / whole).round().max(20.0) as usize;
        let length = c.a.distance(c.b);
        let axis = (c.b - c.a).normalize_or(Vec3::Z);
        let side = axis.any_orthonormal_vector();
        let across = axis.cross(side);
        for i in 0..count {
            let height = -c.radius + (length + 2.0 * c.radius) * (i as f64 + 0.5) / count as f64;
            let beyond = height - height.clamp(0.0, length);
            let ring = (c.radius * c.radius - beyond * beyond).max(0.0).sqrt();
            let (sin, cos) = libm::sincos(GOLDEN_ANGLE * i as f64);
            samples.push(c.a + axis * height + (side * cos + across * sin) * ring);
        }
    }
    samples
}
