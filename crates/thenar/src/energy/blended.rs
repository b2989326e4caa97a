//! Springs that hold each node of the tissue at its place blended between bones [Perez §II-A].
//!
//! A node has *one* spring of no length at rest, whose other end is the point that linear blend skinning gives it,
//! `y = Σ w_b (p_b + R_b l_b)`, and the force is shared by the weights. A sum of one spring per bone is another energy: with `y_b` the
//! place by bone `b`, `Σ w_b ‖x − y_b‖² = ‖x − y‖² + Σ w_b ‖y_b − y‖²`, and the last term, which the bones alone decide, unbends joints.

use super::attachments::bone_block;
use super::problem::SoftProblem;
use super::spring::Spring;
use crate::math::{Mat3, Pose, Vec3, skew};
use crate::sparse::{BlockPattern, Slot};

/// A bone that carries a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrying {
    /// Index of the bone.
    pub bone: u32,
    /// Its share; those of a node sum to 1.
    pub weight: f64,
    /// The node at rest relative to the bone's centre of mass, in its frame, metres.
    pub local: Vec3,
}

/// The spring of one node: `½ k ‖x − Σ w_b (p_b + R_b l_b)‖²`.
///
/// Blocks: the node, then centre of mass and rotation of each bone; `N` is one more than twice the number of bones.
///
/// # Panics
/// If there are fewer than `N` blocks.
#[must_use]
pub fn blended<const N: usize>(node: Vec3, carrying: &[Carrying], bones: &[Pose], stiffness: f64) -> Spring<N> {
    let mut residual = node;
    let mut jacobian = [Mat3::IDENTITY; N];
    for (k, c) in carrying.iter().enumerate() {
        let bone = &bones[c.bone as usize];
        let arm = bone.rotation * c.local;
        residual -= (bone.position + arm) * c.weight;
        jacobian[1 + 2 * k] = Mat3::from_diagonal(Vec3::splat(-c.weight));
        jacobian[2 + 2 * k] = skew(arm) * c.weight;
    }
    Spring { residual, stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)), jacobian }
}

/// Bones that carry one node at most.
pub const MOST_CARRYING: usize = 4;
const MOST_BLOCKS: usize = 1 + 2 * MOST_CARRYING;

/// A node with the bones that carry it.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendedSpring {
    /// The node.
    pub node: u32,
    /// The bones, one to four.
    pub carrying: Vec<Carrying>,
    /// N/m.
    pub stiffness: f64,
}

impl BlendedSpring {
    /// Blocks that it couples, for building the pattern.
    #[must_use]
    pub fn clique(&self, node_count: usize) -> Vec<u32> {
        let bones = self.carrying.iter().map(|c| bone_block(node_count, c.bone));
        std::iter::once(self.node).chain(bones.flat_map(|b| [b, b + 1])).collect()
    }
}

/// The springs of one body.
#[derive(Clone, Debug, Default)]
pub struct BlendedSet {
    springs: Vec<(BlendedSpring, Vec<u32>, Vec<Slot>)>,
}

impl BlendedSet {
    /// Prepares the springs; their cliques must be in the pattern, and springs outside of it are left out.
    #[must_use]
    pub fn new(springs: Vec<BlendedSpring>, node_count: usize, pattern: &BlockPattern) -> BlendedSet {
        let prepared = springs.into_iter().filter_map(|spring| {
            let blocks = spring.clique(node_count);
            let pairs = blocks.iter().enumerate().flat_map(|(k, &a)| blocks[k..].iter().map(move |&b| (a, b)));
            let slots: Option<Vec<Slot>> = pairs.map(|(a, b)| pattern.edge(a, b)).collect();
            Some((spring, blocks.clone(), slots?))
        });
        BlendedSet { springs: prepared.collect() }
    }

    /// Adds all springs: `h² Hessian` to the matrix, `−h gradient` to the right-hand side.
    pub fn append(&self, nodes: &[Vec3], bones: &[Pose], problem: &mut SoftProblem, h: f64) {
        for (spring, blocks, slots) in &self.springs {
            let count = spring.carrying.len().min(MOST_CARRYING);
            let term: Spring<MOST_BLOCKS> =
                blended(nodes[spring.node as usize], &spring.carrying[..count], bones, spring.stiffness);
            let mut slot = slots.iter();
            for a in 0..=2 * count {
                problem.rhs[blocks[a] as usize] -= term.gradient(a) * h;
                for b in a..=2 * count {
                    if let Some(&slot) = slot.next() {
                        problem.matrix.add(slot, &(term.hessian(a, b) * (h * h)));
                    }
                }
            }
        }
    }
}
