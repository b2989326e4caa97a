//! Springs between tissue and the bones of a hand in reduced coordinates: the energy of
//! [`attachment`](super::attachment::attachment), mapped by the bones' Jacobians.
//!
//! The residual `x_b + R l − Σ wᵢ xᵢ` has the derivative `J_v − [R l] J_ω` by the coordinates, so the constant sums of
//! `AttachmentSums` serve here as well.

use super::attachments::{AttachmentSpring, AttachmentSums};
use super::reduced::BoneLoad;
use crate::hand::{BONE_COUNT, BoneId, BoneJacobian};
use crate::math::{Mat3, Pose, Vec3, skew};
use crate::sparse::{BlockMatrix, BlockPattern, Slot};

#[derive(Clone, Copy, Debug)]
struct NodeBone {
    bone: u32,
    /// Slots of the node with each block that moves the bone.
    slots: [Slot; 4],
    /// `Σ k w`
    weight: f64,
    /// `Σ k w l`
    moment: Vec3,
}

/// The springs of one hand.
#[derive(Clone, Debug)]
pub struct ReducedAttachments {
    springs: Vec<AttachmentSpring>,
    node_node: Vec<(Slot, f64)>,
    node_bone: Vec<NodeBone>,
    bones: Vec<(f64, Vec3, Mat3)>,
}

impl ReducedAttachments {
    /// Blocks coupled by one spring, for building the pattern; the coordinates follow the nodes.
    #[must_use]
    pub fn clique(spring: &AttachmentSpring, node_count: usize) -> Vec<u32> {
        let blocks = BoneJacobian::blocks(BoneId(spring.bone as u8));
        spring.nodes.iter().copied().chain(blocks.iter().map(|b| (node_count + b) as u32)).collect()
    }

    /// Prepares the sums. Every clique of the springs must be in the pattern; springs outside it are left out.
    #[must_use]
    pub fn new(springs: Vec<AttachmentSpring>, node_count: usize, pattern: &BlockPattern) -> ReducedAttachments {
        let AttachmentSums { node_node, node_bone, bones } = AttachmentSums::new(&springs, BONE_COUNT);
        let node_bone = node_bone.into_iter().filter_map(|((node, bone), (weight, moment))| {
            let mut slots = [Slot::Diagonal(node); 4];
            for (slot, block) in slots.iter_mut().zip(BoneJacobian::blocks(BoneId(bone as u8))) {
                *slot = pattern.edge(node, (node_count + block) as u32)?;
            }
            Some(NodeBone { bone, slots, weight, moment })
        });
        ReducedAttachments {
            node_node: node_node.into_iter().filter_map(|((a, b), k)| Some((pattern.edge(a, b)?, k))).collect(),
            node_bone: node_bone.collect(),
            bones,
            springs,
        }
    }

    /// Adds `scale · Hessian`: the nodes' part to the matrix, the bones' to their loads.
    pub fn add_hessian(
        &self,
        bones: &[Pose; BONE_COUNT],
        jacobians: &[BoneJacobian; BONE_COUNT],
        scale: f64,
        matrix: &mut BlockMatrix,
        loads: &mut [BoneLoad; BONE_COUNT],
    ) {
        for &(slot, k) in &self.node_node {
            matrix.add_scalar(slot, scale * k);
        }
        for pair in &self.node_bone {
            let jacobian = &jacobians[pair.bone as usize];
            let arm = skew(bones[pair.bone as usize].rotation * pair.moment * scale);
            let blocks = BoneJacobian::blocks(BoneId(pair.bone as u8)).len();
            for (k, &slot) in pair.slots[..blocks].iter().enumerate() {
                matrix.add(slot, &(arm * jacobian.angular[k] - jacobian.linear[k] * (scale * pair.weight)));
            }
        }
        for ((load, pose), &(stiffness, moment, second)) in loads.iter_mut().zip(bones).zip(&self.bones) {
            let r = Mat3::from_quat(pose.rotation);
            load.linear += Mat3::from_diagonal(Vec3::splat(scale * stiffness));
            load.cross += skew(r * moment) * -scale;
            load.angular += (r * second * r.transpose()) * scale;
        }
    }

    /// Adds `scale · gradient`: the nodes' part to the right-hand side, the bones' to their loads. Returns the energy,
    /// joules.
    pub fn add_gradient(
        &self,
        nodes: &[Vec3],
        bones: &[Pose; BONE_COUNT],
        scale: f64,
        rhs: &mut [Vec3],
        loads: &mut [BoneLoad; BONE_COUNT],
    ) -> f64 {
        let mut energy = 0.0;
        for s in &self.springs {
            let pull = s.pull(nodes, &bones[s.bone as usize], scale, rhs);
            let load = &mut loads[s.bone as usize];
            load.force += pull.force;
            load.torque += pull.torque;
            energy += pull.energy;
        }
        energy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::reduced::ReducedSystem;
    use crate::hand::{Anatomy, HandPose, HandSurface, Preset, REDUCED_BLOCKS, Side, Skeleton, SkinDetail};
    use crate::math::{Kernels, rotation_exp};

    /// Springs on the palm and on two digits, away from rest.
    struct Case {
        skeleton: Skeleton,
        springs: Vec<AttachmentSpring>,
        nodes: Vec<Vec3>,
        angles: HandPose,
        wrist: Pose,
    }

    impl Case {
        fn new() -> Case {
            let anatomy = Anatomy::preset(Preset::Adult, Side::Right);
            let skeleton = HandSurface::build(&anatomy, SkinDetail::Coarse).unwrap().skeleton;
            let mut angles = HandPose::default();
            angles.digits[0] = [0.3, -0.2, 0.4, 0.5];
            angles.digits[1] = [0.6, 0.15, 0.9, 0.3];
            let wrist = Pose::new(Vec3::new(0.3, 0.9, -0.2), rotation_exp(Vec3::new(0.7, 0.2, -0.9)));
            let frames = skeleton.pose(&angles, wrist);
            let near = |i: usize| Vec3::new(libm::sin(i as f64), libm::cos(2.0 * i as f64), libm::sin(3.0 * i as f64));
            let nodes = (0..8).map(|i| frames[[0, 3, 5, 6][i / 2]].position + near(i) * 0.01).collect();
            let spring = |nodes, bone, stiffness, weights| {
                let local = near(stiffness as usize) * 0.004;
                AttachmentSpring { nodes, weights, bone, local, stiffness }
            };
            let springs = vec![
                spring([0, 1, 2, 3], 0, 900.0, [0.4, 0.3, 0.2, 0.1]),
                spring([2, 3, 4, 5], 3, 700.0, [0.1, 0.3, 0.2, 0.4]),
                spring([4, 5, 6, 7], 5, 500.0, [0.25, 0.25, 0.25, 0.25]),
                spring([4, 5, 6, 7], 6, 300.0, [0.7, 0.1, 0.1, 0.1]),
            ];
            Case { skeleton, springs, nodes, angles, wrist }
        }

        /// Placements of the centres of mass after moving along `u` (nodes, then coordinates) by `by`.
        fn moved(&self, u: &[Vec3], by: f64) -> (Vec<Vec3>, [Pose; BONE_COUNT]) {
            let n = self.nodes.len();
            let nodes = self.nodes.iter().zip(u).map(|(x, d)| *x + *d * by).collect();
            let com = self.skeleton.bones[0].com;
            let centre = self.wrist.point(com) + u[n] * by;
            let rotation = rotation_exp(u[n + 1] * by) * self.wrist.rotation;
            let mut angles = self.angles.clone();
            for (d, digit) in angles.digits.iter_mut().enumerate() {
                for (k, angle) in digit.iter_mut().enumerate() {
                    *angle += u[n + 2 + 2 * d + k / 3][k % 3] * by;
                }
            }
            let frames = self.skeleton.pose(&angles, Pose::new(centre - rotation * com, rotation));
            let of = |b: usize| Pose::new(frames[b].point(self.skeleton.bones[b].com), frames[b].rotation);
            (nodes, std::array::from_fn(of))
        }

        /// Stretches of all springs, scaled so that half their squares are the energy.
        fn stretches(&self, (nodes, bones): &(Vec<Vec3>, [Pose; BONE_COUNT])) -> Vec<Vec3> {
            let stretch = |s: &AttachmentSpring| {
                let carried: Vec3 = (0..4).map(|i| nodes[s.nodes[i] as usize] * s.weights[i]).sum();
                (bones[s.bone as usize].point(s.local) - carried) * s.stiffness.sqrt()
            };
            self.springs.iter().map(stretch).collect()
        }
    }

    fn direction(seed: usize) -> Vec<Vec3> {
        let part = |i: usize| libm::sin((seed * 37 + i * 11) as f64);
        let mut u: Vec<Vec3> =
            (0..8 + REDUCED_BLOCKS).map(|i| Vec3::new(part(3 * i), part(3 * i + 1), part(3 * i + 2))).collect();
        for digit in 0..5 {
            let last = &mut u[8 + 3 + 2 * digit];
            *last = Vec3::new(last.x, 0.0, 0.0); // places without an angle
        }
        u
    }

    #[test]
    fn mapped_springs_match_finite_differences() {
        let case = Case::new();
        let n = case.nodes.len();
        let mut cliques: Vec<Vec<u32>> = case.springs.iter().map(|s| ReducedAttachments::clique(s, n)).collect();
        let coordinates = ReducedSystem::pairs().map(|(a, b)| vec![(n + a) as u32, (n + b) as u32]);
        cliques.extend(coordinates);
        let pattern = BlockPattern::from_cliques(n + REDUCED_BLOCKS, cliques.iter().map(Vec::as_slice));
        let set = ReducedAttachments::new(case.springs.clone(), n, &pattern);
        let (nodes, bones) = case.moved(&vec![Vec3::ZERO; n + REDUCED_BLOCKS], 0.0);
        let jacobians = case.skeleton.jacobians(&case.skeleton.pose(&case.angles, case.wrist));
        let mut matrix = BlockMatrix::zero(&pattern);
        let mut rhs = vec![Vec3::ZERO; n + REDUCED_BLOCKS];
        let mut loads = [BoneLoad::ZERO; BONE_COUNT];
        set.add_hessian(&bones, &jacobians, 1.0, &mut matrix, &mut loads);
        let energy = set.add_gradient(&nodes, &bones, 1.0, &mut rhs, &mut loads);
        let mut system = ReducedSystem::empty();
        for bone in BoneId::all() {
            system.add_bone(bone, &jacobians[bone.index()], &loads[bone.index()]);
        }
        for (a, b) in ReducedSystem::pairs() {
            let slot = pattern.edge((n + a) as u32, (n + b) as u32).unwrap();
            matrix.add(slot, system.block(a, b));
        }
        rhs[n..].copy_from_slice(&system.rhs);
        let value = |s: &[Vec3]| 0.5 * s.iter().map(|r| r.length_squared()).sum::<f64>();
        assert!((energy - value(&case.stretches(&(nodes, bones)))).abs() < 1e-12 * energy);

        let step = 1e-6;
        for seed in 0..6 {
            let u = direction(seed);
            let (ahead, behind) = (case.stretches(&case.moved(&u, step)), case.stretches(&case.moved(&u, -step)));
            let slope = (value(&ahead) - value(&behind)) / (2.0 * step);
            let exact: f64 = rhs.iter().zip(&u).map(|(g, d)| g.dot(*d)).sum();
            // central differences: truncation ~ step², cancellation ~ 1e-16 / step
            assert!((slope - exact).abs() < 1e-6 * exact.abs().max(energy), "gradient {exact}, differences {slope}");
            let bent: f64 = ahead.iter().zip(&behind).map(|(a, b)| ((*a - *b) / (2.0 * step)).length_squared()).sum();
            let flat: Vec<f64> = u.iter().flat_map(Vec3::to_array).collect();
            let mut product = vec![0.0; flat.len()];
            matrix.mul(Kernels::portable(), &pattern, &flat, &mut product);
            let quadratic: f64 = product.iter().zip(&flat).map(|(a, b)| a * b).sum();
            assert!((quadratic - bent).abs() < 1e-6 * bent, "Hessian {quadratic}, Gauss-Newton's {bent}");
        }
    }

    /// Moving everything along changes nothing, so forces balance: the base feels minus the sum of the nodes' forces.
    #[test]
    fn forces_balance() {
        let case = Case::new();
        let n = case.nodes.len();
        let pattern = BlockPattern::from_cliques(n + REDUCED_BLOCKS, std::iter::empty());
        let set = ReducedAttachments::new(case.springs.clone(), n, &pattern);
        let (nodes, bones) = case.moved(&vec![Vec3::ZERO; n + REDUCED_BLOCKS], 0.0);
        let jacobians = case.skeleton.jacobians(&case.skeleton.pose(&case.angles, case.wrist));
        let mut rhs = vec![Vec3::ZERO; n];
        let mut loads = [BoneLoad::ZERO; BONE_COUNT];
        set.add_gradient(&nodes, &bones, 1.0, &mut rhs, &mut loads);
        let mut system = ReducedSystem::empty();
        for bone in BoneId::all() {
            system.add_bone(bone, &jacobians[bone.index()], &loads[bone.index()]);
        }
        let force: Vec3 = rhs.iter().sum();
        let torque: Vec3 = rhs.iter().zip(&nodes).map(|(f, x)| (*x - bones[0].position).cross(*f)).sum();
        assert!((force + system.rhs[0]).length() < 1e-12 * force.length());
        assert!((torque + system.rhs[1]).length() < 1e-12 * torque.length().max(1e-3));
    }
}
