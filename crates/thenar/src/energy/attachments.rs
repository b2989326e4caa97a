//! All springs between tissue and bones of one body, with their constant sums prepared.
//!
//! The Hessian of [`attachment`](super::attachment::attachment) over a whole hand is a sum of a few constants turned
//! with the bones: node–node blocks `k wᵢ wⱼ I` never change, and the node–bone and bone–bone blocks need only
//! `Σ k w l`, `Σ k l` and `Σ k [l]ᵀ[l]` per bone. Summing those once makes assembly a fraction of the springs' own cost.

use crate::math::{Mat3, Pose, Vec3, skew};
use crate::sparse::{BlockMatrix, BlockPattern, Slot};
use std::collections::BTreeMap;

/// One spring: element nodes, barycentric weights, bone, and where on the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttachmentSpring {
    /// The nodes that carry the point.
    pub nodes: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// Index of the bone.
    pub bone: u32,
    /// The point relative to the bone's centre of mass, in its frame, metres.
    pub local: Vec3,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// What a stretched spring does to its bone.
pub(super) struct Pull {
    /// Gradient by the bone's place.
    pub force: Vec3,
    /// Gradient by the bone's rotation.
    pub torque: Vec3,
    /// Joules, not scaled.
    pub energy: f64,
}

impl AttachmentSpring {
    /// Adds `scale · gradient` to the nodes' blocks; returns the bone's share of it.
    pub(super) fn pull(&self, nodes: &[Vec3], bone: &Pose, scale: f64, rhs: &mut [Vec3]) -> Pull {
        let arm = bone.rotation * self.local;
        let mut stretch = bone.position + arm;
        for i in 0..4 {
            stretch -= nodes[self.nodes[i] as usize] * self.weights[i];
        }
        let force = stretch * (self.stiffness * scale);
        for i in 0..4 {
            rhs[self.nodes[i] as usize] -= force * self.weights[i];
        }
        Pull { force, torque: arm.cross(force), energy: 0.5 * self.stiffness * stretch.length_squared() }
    }
}

/// The springs of one body.
#[derive(Clone, Debug, Default)]
pub struct AttachmentSet {
    springs: Vec<AttachmentSpring>,
    node_node: Vec<(Slot, f64)>,
    node_bone: Vec<NodeBone>,
    bones: Vec<BoneSum>,
}

#[derive(Clone, Copy, Debug)]
struct NodeBone {
    bone: u32,
    linear: Slot,
    angular: Slot,
    /// `Σ k w`
    weight: f64,
    /// `Σ k w l`
    moment: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct BoneSum {
    linear: Slot,
    angular: Slot,
    cross: Slot,
    /// `Σ k`
    stiffness: f64,
    /// `Σ k l`
    moment: Vec3,
    /// `Σ k [l]ᵀ[l]`
    second: Mat3,
}

/// What the Hessian of many springs needs: sums over the springs, which never change.
pub(super) struct AttachmentSums {
    /// `Σ k wᵢ wⱼ` by pair of nodes.
    pub node_node: BTreeMap<(u32, u32), f64>,
    /// `Σ k w` and `Σ k w l` by node and bone.
    pub node_bone: BTreeMap<(u32, u32), (f64, Vec3)>,
    /// `Σ k`, `Σ k l` and `Σ k [l]ᵀ[l]` by bone.
    pub bones: Vec<(f64, Vec3, Mat3)>,
}

impl AttachmentSums {
    pub fn new(springs: &[AttachmentSpring], bone_count: usize) -> AttachmentSums {
        let mut node_node = BTreeMap::<(u32, u32), f64>::new();
        let mut node_bone = BTreeMap::<(u32, u32), (f64, Vec3)>::new();
        let mut bones = vec![(0.0, Vec3::ZERO, Mat3::ZERO); bone_count];
        for s in springs {
            for i in 0..4 {
                for j in i..4 {
                    let (a, b) = (s.nodes[i].min(s.nodes[j]), s.nodes[i].max(s.nodes[j]));
                    *node_node.entry((a, b)).or_default() += s.stiffness * s.weights[i] * s.weights[j];
                }
                let entry = node_bone.entry((s.nodes[i], s.bone)).or_default();
                entry.0 += s.stiffness * s.weights[i];
                entry.1 += s.local * (s.stiffness * s.weights[i]);
            }
            let sum = &mut bones[s.bone as usize];
            sum.0 += s.stiffness;
            sum.1 += s.local * s.stiffness;
            let l = skew(s.local);
            sum.2 += l.transpose() * l * s.stiffness;
        }
        AttachmentSums { node_node, node_bone, bones }
    }
}

/// Block of a bone's centre of mass; its rotation is the next one.
#[must_use]
pub fn bone_block(node_count: usize, bone: u32) -> u32 {
    node_count as u32 + 2 * bone
}

impl AttachmentSet {
    /// Blocks coupled by one spring, for building the pattern.
    #[must_use]
    pub fn clique(spring: &AttachmentSpring, node_count: usize) -> [u32; 6] {
        let b = bone_block(node_count, spring.bone);
        let n = spring.nodes;
        [n[0], n[1], n[2], n[3], b, b + 1]
    }

    /// Prepares the sums. Every clique of the springs must be in the pattern; springs outside it are left out.
    #[must_use]
    pub fn new(
        springs: Vec<AttachmentSpring>,
        node_count: usize,
        bone_count: usize,
        pattern: &BlockPattern,
    ) -> AttachmentSet {
        let AttachmentSums { node_node, node_bone, bones: sums } = AttachmentSums::new(&springs, bone_count);
        let slot = |a, b| pattern.edge(a, b);
        AttachmentSet {
            node_node: node_node.into_iter().filter_map(|((a, b), k)| Some((slot(a, b)?, k))).collect(),
            node_bone: node_bone
                .into_iter()
                .filter_map(|((node, bone), (weight, moment))| {
                    let b = bone_block(node_count, bone);
                    Some(NodeBone { bone, linear: slot(node, b)?, angular: slot(node, b + 1)?, weight, moment })
                })
                .collect(),
            bones: sums
                .into_iter()
                .enumerate()
                .filter_map(|(bone, (stiffness, moment, second))| {
                    let b = bone_block(node_count, bone as u32);
                    Some(BoneSum {
                        linear: slot(b, b)?,
                        angular: slot(b + 1, b + 1)?,
                        cross: slot(b, b + 1)?,
                        stiffness,
                        moment,
                        second,
                    })
                })
                .collect(),
            springs,
        }
    }

    /// The springs themselves.
    #[must_use]
    pub fn springs(&self) -> &[AttachmentSpring] {
        &self.springs
    }

    /// Adds `scale · Hessian` to a matrix.
    pub fn add_hessian(&self, bones: &[Pose], scale: f64, matrix: &mut BlockMatrix) {
        for &(slot, k) in &self.node_node {
            matrix.add_scalar(slot, scale * k);
        }
        for pair in &self.node_bone {
            let arm = bones[pair.bone as usize].rotation * pair.moment;
            matrix.add_scalar(pair.linear, -scale * pair.weight);
            matrix.add(pair.angular, &(skew(arm) * scale));
        }
        for (bone, sum) in self.bones.iter().enumerate() {
            let r = Mat3::from_quat(bones[bone].rotation);
            matrix.add_scalar(sum.linear, scale * sum.stiffness);
            matrix.add(sum.cross, &(skew(r * sum.moment) * -scale));
            matrix.add(sum.angular, &((r * sum.second * r.transpose()) * scale));
        }
    }

    /// Adds `scale · gradient` to the blocks of a right-hand side; returns the energy, joules.
    pub fn add_gradient(&self, nodes: &[Vec3], bones: &[Pose], scale: f64, rhs: &mut [Vec3]) -> f64 {
        let mut energy = 0.0;
        for s in &self.springs {
            let pull = s.pull(nodes, &bones[s.bone as usize], scale, rhs);
            let b = bone_block(nodes.len(), s.bone) as usize;
            rhs[b] += pull.force;
            rhs[b + 1] += pull.torque;
            energy += pull.energy;
        }
        energy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::attachment::attachment;
    use crate::math::rotation_exp;

    /// The prepared sums must be the plain sum of the springs, block for block.
    #[test]
    fn sums_equal_the_springs_they_stand_for() {
        let nodes: Vec<Vec3> = (0..6)
            .map(|i| Vec3::new(0.01 * i as f64, 0.02 * ((i * 3) % 5) as f64, 0.015 * ((i * 2) % 3) as f64))
            .collect();
        let bones = [
            Pose::new(Vec3::new(0.01, 0.0, 0.02), rotation_exp(Vec3::new(0.3, -0.2, 0.9))),
            Pose::new(Vec3::new(-0.01, 0.03, 0.0), rotation_exp(Vec3::new(-1.1, 0.4, 0.2))),
        ];
        let spring =
            |nodes, weights, bone, local, stiffness| AttachmentSpring { nodes, weights, bone, local, stiffness };
        let springs = vec![
            spring([0, 1, 2, 3], [0.1, 0.2, 0.3, 0.4], 0, Vec3::new(0.001, 0.002, -0.003), 500.0),
            spring([1, 2, 3, 4], [0.25, 0.25, 0.4, 0.1], 0, Vec3::new(-0.004, 0.002, 0.001), 300.0),
            spring([5, 2, 4, 3], [0.7, 0.1, 0.1, 0.1], 1, Vec3::new(0.002, -0.001, 0.006), 900.0),
        ];
        let cliques: Vec<_> = springs.iter().map(|s| AttachmentSet::clique(s, nodes.len())).collect();
        let pattern = BlockPattern::from_cliques(10, cliques.iter().map(<[u32; 6]>::as_slice));
        let set = AttachmentSet::new(springs.clone(), nodes.len(), bones.len(), &pattern);
        let (mut fast, mut plain) = (BlockMatrix::zero(&pattern), BlockMatrix::zero(&pattern));
        let (mut gradient, mut expected) = (vec![Vec3::ZERO; 10], vec![Vec3::ZERO; 10]);
        set.add_hessian(&bones, 0.5, &mut fast);
        let energy = set.add_gradient(&nodes, &bones, 2.0, &mut gradient);
        let mut sum = 0.0;
        for (s, blocks) in springs.iter().zip(&cliques) {
            let at = s.nodes.map(|n| nodes[n as usize]);
            let term = attachment(&at, &s.weights, &bones[s.bone as usize], s.local, s.stiffness);
            sum += term.value();
            for i in 0..6 {
                expected[blocks[i] as usize] += term.gradient(i) * 2.0;
                for j in i..6 {
                    plain.add(pattern.edge(blocks[i], blocks[j]).unwrap(), &(term.hessian(i, j) * 0.5));
                }
            }
        }
        assert!((energy - sum).abs() < 1e-12 * sum);
        for (a, b) in gradient.iter().zip(&expected) {
            assert!((*a - *b).length() < 1e-12);
        }
        for (a, b) in pattern.edges().chain((0..10).map(|i| (i, i))) {
            let slot = pattern.edge(a, b).unwrap();
            let gap = fast.get(slot) - plain.get(slot);
            assert!(gap.to_cols_array().iter().all(|x| x.abs() < 1e-10), "block ({a}, {b})");
        }
    }
}
