//! A soft body ready to be stepped: its tissue, bones, joints, contact points and the plan of its matrix.

use super::handle_nodes::HandleNodes;
use super::params::{AttachmentMethod, SkeletonMethod, TissueParams};
use super::skeleton::{JointState, ReducedSkeleton};
use super::touch_surface::HAND_SPACING;
use super::{CarriedSurface, SoftSurface, StretchElement, StretchLimits, SurfacePoint, TouchSurface};
use crate::energy::attachments::{AttachmentSet, AttachmentSpring, bone_block};
use crate::energy::blended::{BlendedSet, BlendedSpring, Carrying, MOST_CARRYING};
use crate::energy::inertia::{RigidMass, RigidState};
use crate::energy::joints::JointTerm;
use crate::energy::tissue::{Element, Relaxation, TissueEnergy, TissueError, TissueMemory, TissueRotations};
use crate::geometry::TetMesh;
use crate::hand::{BoneId, HandModel, Patch, REDUCED_BLOCKS, Skeleton, TissueKind};
use crate::math::{Kernels, Pose, Quat, Vec3};
use crate::sparse::{BlockPattern, Slot, Symbolic};
use std::sync::Arc;

/// What never changes about a soft body.
pub struct SoftBody {
    /// Nodes at rest in the body's own frame.
    pub rest: Vec<Vec3>,
    /// Nodes of each element.
    pub tets: Vec<[u32; 4]>,
    /// Mass of each node, kg.
    pub node_mass: Vec<f64>,
    /// The elements.
    pub tissue: TissueEnergy,
    /// Mass and inertia of the bones.
    pub bones: Vec<RigidMass>,
    /// Springs between tissue and bones.
    pub attachments: AttachmentSet,
    /// Springs between nodes and their places blended between bones; none where `attachments` has some.
    pub blended: BlendedSet,
    /// Joints between bones.
    pub joints: Vec<JointTerm>,
    /// Slots of the ten pairs of blocks of each joint.
    pub joint_slots: Vec<[Slot; 10]>,
    /// Slots of the ten node pairs of each element.
    pub tet_slots: Vec<[Slot; 10]>,
    /// What is seen of a soft object.
    pub shown: CarriedSurface,
    /// Points that can touch.
    pub surface: SoftSurface,
    /// The surface with which it feels other soft bodies and itself.
    pub touch: TouchSurface,
    /// The skeleton, if its bones are functions of joint angles instead of bodies.
    pub reduced: Option<ReducedSkeleton>,
    /// Its own weight acts on it; a hand's is carried by its owner.
    pub falls: bool,
    /// Stiffness-proportional (Rayleigh) damping, seconds.
    pub damping: f64,
    /// Damping of the springs between tissue and bones in proportion to their stiffness, seconds.
    pub attachment_damping: f64,
    /// Placements of the handles' centres of mass at rest.
    pub bones_at_rest: Vec<Pose>,
    /// A hand without a skeleton: its first bone is its handle, and the others are carried along with it.
    pub one_piece: bool,
    /// Nodes that never move.
    pub clamped: Vec<u32>,
    /// Coulomb's coefficient of its surface; `None` leaves it to what it touches.
    pub friction: Option<f64>,
    /// Elements whose stretches have hard limits: all of them, or none.
    pub stretch: Vec<StretchElement>,
    /// Which blocks of its matrix are coupled.
    pub pattern: Arc<BlockPattern>,
    /// Elimination order of the blocks.
    pub symbolic: Arc<Symbolic>,
}

/// What moves: a snapshot of one soft body.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftState {
    /// The body is in the world; a hand that was never seen is not.
    pub active: bool,
    /// Node positions, metres.
    pub nodes: Vec<Vec3>,
    /// Node velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// Bones: placements of the centres of mass, and motion.
    pub bones: Vec<RigidState>,
    /// Joint angles, if the bones are functions of them.
    pub joints: Option<JointState>,
    /// Rotations of the elements, from which the next step starts.
    pub rotations: TissueRotations,
    /// What has relaxed in the elements.
    pub memory: TissueMemory,
    /// What holds the three stretches of each element within its limits, J: negative against squeezing, positive against
    /// stretching; and, negative, what holds its volume. Empty without hard limits.
    pub holding: Vec<[f64; 4]>,
}

impl SoftState {
    /// Nodes were put where they are, and have been there for ever.
    pub fn begin_anew(&mut self, body: &SoftBody) {
        self.rotations.reset(&body.tissue, &self.nodes);
        self.memory.settle(&body.tissue, &self.rotations, &self.nodes);
    }
}

/// The parts from which a soft body is made.
pub struct SoftParts<'a> {
    /// Elements at rest.
    pub mesh: &'a TetMesh,
    /// What each element is made of.
    pub materials: Vec<Element>,
    /// Hard limits of each element's stretches; empty for none.
    pub stretch: Vec<StretchLimits>,
    /// kg/m³.
    pub density: f64,
    /// Mass and inertia of the bones.
    pub bones: Vec<RigidMass>,
    /// Springs between tissue and bones.
    pub attachments: Vec<AttachmentSpring>,
    /// Springs between nodes and their places blended between bones.
    pub blended: Vec<BlendedSpring>,
    /// Joints between bones.
    pub joints: Vec<JointTerm>,
    /// Points that can touch rigid objects.
    pub points: Vec<SurfacePoint>,
    /// What is seen of it; nothing for a hand, whose skin is carried by more than its elements.
    pub shown: CarriedSurface,
    /// The surface that feels soft bodies.
    pub touch: TouchSurface,
    /// Its weight acts on it.
    pub falls: bool,
    /// Rayleigh damping, seconds.
    pub damping: f64,
    /// How its stress relaxes, if it does.
    pub relaxation: Option<Relaxation>,
    /// Handles: bones that hold the nodes around them.
    pub handles: Vec<HandleNodes>,
    /// Damping of the springs between tissue and bones in proportion to their stiffness, seconds.
    pub attachment_damping: f64,
    /// Nodes that never move.
    pub clamped: Vec<u32>,
    /// Coulomb's coefficient of its surface, if it has one of its own.
    pub friction: Option<f64>,
    /// The skeleton, if its joint angles are to be the unknowns.
    pub reduced: Option<&'a Skeleton>,
}

/// What makes a soft body of a hand model.
pub struct HandMakeup<'a> {
    /// Materials.
    pub tissue: &'a TissueParams,
    /// Stiffness with which a whole bone holds its tissue, N/m.
    pub attachment: f64,
    /// By surfaces of bones, or blended between bones.
    pub attach: AttachmentMethod,
    /// Bodies or joint angles.
    pub skeleton: SkeletonMethod,
    /// Which machine kernels to use.
    pub kernels: Kernels,
}

impl SoftBody {
    /// The soft body of a hand.
    ///
    /// # Errors
    /// Names the element and the property of the tissue that cannot be used.
    pub fn from_hand(hand: &HandModel, makeup: &HandMakeup<'_>) -> Result<SoftBody, TissueError> {
        let mesh = &hand.tissue.mesh;
        let by_surface = makeup.attach == AttachmentMethod::Surface;
        let attachments = hand
            .attachments
            .iter()
            .filter(|_| by_surface)
            .map(|a| AttachmentSpring {
                nodes: mesh.tets[a.tet as usize],
                weights: a.weights,
                bone: u32::from(a.bone.0),
                local: a.local - hand.skeleton.bone(a.bone).com,
                stiffness: makeup.attachment * a.share,
            })
            .collect();
        let materials = hand
            .tissue
            .kinds
            .iter()
            .zip(&hand.tissue.fill)
            .map(|(kind, &fill)| {
                let material = match kind {
                    TissueKind::Flesh => makeup.tissue.flesh,
                    TissueKind::Bone | TissueKind::Rigid => makeup.tissue.bone,
                    TissueKind::Nail => makeup.tissue.nail,
                };
                Element { material, fill, limit: makeup.tissue.limit }
            })
            .collect();
        let points: Vec<SurfacePoint> = hand
            .contact_vertices
            .iter()
            .zip(&hand.contact_areas)
            .map(|(&vertex, &area)| {
                let tet = hand.embedding.tets[vertex as usize];
                SurfacePoint {
                    nodes: mesh.tets[tet as usize],
                    weights: hand.embedding.weights[vertex as usize],
                    tet,
                    area,
                    vertex,
                    patch: hand.skin.patches[vertex as usize].0,
                    across: SurfacePoint::normal_at_rest(
                        hand.skin.normals[vertex as usize],
                        mesh.tets[tet as usize],
                        &mesh.positions,
                    ),
                }
            })
            .collect();
        let stretch = makeup.tissue.stretch.map_or_else(Vec::new, |limits| {
            let of = |kind: &TissueKind| match kind {
                TissueKind::Flesh => limits.flesh,
                TissueKind::Bone | TissueKind::Rigid => limits.bone,
                TissueKind::Nail => limits.nail,
            };
            hand.tissue.kinds.iter().map(of).collect()
        });
        let reduced = makeup.skeleton == SkeletonMethod::Reduced;
        let one_piece = makeup.skeleton == SkeletonMethod::Handle;
        let attachments: Vec<AttachmentSpring> = if one_piece { Vec::new() } else { attachments };
        let middle = hand.skeleton.bone(BoneId::PALM);
        let middle = middle.rest.point(middle.com);
        let handle = one_piece.then(|| HandleNodes::of_palm(&mesh.positions, middle, makeup.attachment));
        SoftBody::new(
            SoftParts {
                mesh,
                materials,
                stretch,
                density: makeup.tissue.density * hand.flesh_share(),
                bones: hand.skeleton.bones.iter().map(|b| RigidMass { mass: b.mass, inertia: b.inertia }).collect(),
                attachments,
                blended: if by_surface || one_piece { Vec::new() } else { blended_springs(hand, makeup.attachment) },
                joints: if reduced || one_piece { Vec::new() } else { JointTerm::all(&hand.skeleton) },
                touch: hand_touch(hand, &points),
                points,
                shown: CarriedSurface::default(),
                falls: false,
                damping: makeup.tissue.damping,
                relaxation: makeup.tissue.relaxation,
                handles: handle.into_iter().collect(),
                attachment_damping: if one_piece { makeup.tissue.damping } else { 0.0 },
                clamped: Vec::new(),
                friction: None,
                reduced: reduced.then_some(&hand.skeleton),
            },
            makeup.kernels,
        )
        .map(|body| SoftBody { one_piece, ..body })
    }

    /// A soft body from its parts.
    ///
    /// # Errors
    /// Names the element and the property of the tissue that cannot be used.
    pub fn new(mut parts: SoftParts<'_>, kernels: Kernels) -> Result<SoftBody, TissueError> {
        let (mesh, n) = (parts.mesh, parts.mesh.positions.len());
        let mut node_mass = node_masses(&parts);
        let bones_at_rest = add_handles(&mut parts, &mut node_mass);
        let block_count = n + if parts.reduced.is_some() { REDUCED_BLOCKS } else { 2 * parts.bones.len() };
        let joint_blocks = |j: &JointTerm| {
            let (a, b) = (bone_block(n, j.parent), bone_block(n, j.child));
            [a, a + 1, b, b + 1]
        };
        let mut cliques: Vec<Vec<u32>> = mesh.tets.iter().map(|t| t.to_vec()).collect();
        if parts.reduced.is_some() {
            cliques.extend(ReducedSkeleton::cliques(&parts.attachments, n));
        } else {
            cliques.extend(parts.attachments.iter().map(|s| AttachmentSet::clique(s, n).to_vec()));
            cliques.extend(parts.blended.iter().map(|s| s.clique(n)));
            cliques.extend(parts.joints.iter().map(|j| joint_blocks(j).to_vec()));
            let bone_blocks: Vec<u32> = (n as u32..block_count as u32).collect();
            cliques.extend(bone_blocks.chunks(2).map(<[u32]>::to_vec));
        }
        let pattern = BlockPattern::from_cliques(block_count, cliques.iter().map(Vec::as_slice));
        // no block is forced to the end: a free order factors a hand in two thirds of the time
        let symbolic = Symbolic::new(&pattern, &[]);
        let (attachments, reduced) = match parts.reduced {
            None => (AttachmentSet::new(parts.attachments, n, parts.bones.len(), &pattern), None),
            Some(skeleton) => {
                (AttachmentSet::default(), Some(ReducedSkeleton::new(skeleton, parts.attachments, n, &pattern)))
            }
        };
        let stretch = parts.stretch.iter().zip(&parts.materials).enumerate().map(|(tet, (&limits, element))| {
            let material = &element.material;
            StretchElement::new(
                mesh.tets[tet],
                mesh.corners(tet),
                limits,
                (material.lambda() + 2.0 * material.mu()) * element.fill,
            )
        });
        let body = SoftBody {
            stretch: stretch.collect(),
            rest: mesh.positions.clone(),
            tets: mesh.tets.clone(),
            node_mass,
            tissue: TissueEnergy::new(mesh, &parts.materials, &pattern, kernels)?.relaxing(parts.relaxation)?,
            joint_slots: parts.joints.iter().map(|j| pair_slots(&pattern, joint_blocks(j))).collect(),
            attachments,
            blended: BlendedSet::new(parts.blended, n, &pattern),
            reduced,
            bones: parts.bones,
            joints: parts.joints,
            tet_slots: mesh.tets.iter().map(|&t| pair_slots(&pattern, t)).collect(),
            surface: SoftSurface::new(parts.points),
            shown: parts.shown,
            touch: parts.touch,
            falls: parts.falls,
            damping: parts.damping,
            attachment_damping: parts.attachment_damping,
            one_piece: false,
            bones_at_rest,
            clamped: parts.clamped,
            friction: parts.friction,
            pattern: Arc::new(pattern),
            symbolic: Arc::new(symbolic),
        };
        Ok(body)
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.rest.len()
    }
}

/// Lumped masses of the nodes, kg.
fn node_masses(parts: &SoftParts<'_>) -> Vec<f64> {
    let mut node_mass = vec![0.0; parts.mesh.positions.len()];
    for (t, (tet, material)) in parts.mesh.tets.iter().zip(&parts.materials).enumerate() {
        let p = parts.mesh.corners(t);
        let volume = (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) / 6.0;
        for &i in tet {
            node_mass[i as usize] += 0.25 * parts.density * volume * material.fill;
        }
    }
    node_mass
}

/// A bone for every handle, behind those there are, with a spring to each of its nodes; returns where the bones are.
fn add_handles(parts: &mut SoftParts<'_>, node_mass: &mut [f64]) -> Vec<Pose> {
    let mut places = Vec::new();
    for handle in std::mem::take(&mut parts.handles) {
        let grip = handle.grip(&parts.mesh.positions, node_mass);
        let bone = handle.bone.unwrap_or(parts.bones.len() as u32);
        parts.attachments.extend(grip.springs(&handle, &parts.mesh.positions, node_mass, bone));
        grip.share_mass(&handle, node_mass);
        match parts.bones.get_mut(bone as usize) {
            Some(replaced) => *replaced = grip.mass,
            None => parts.bones.push(grip.mass),
        }
        places.push(Pose::new(grip.centre, Quat::IDENTITY));
    }
    places
}

/// A spring for every node, to its place blended between the bones that carry most of it.
fn blended_springs(hand: &HandModel, stiffness: f64) -> Vec<BlendedSpring> {
    let mut carrying = vec![Vec::new(); hand.tissue.mesh.positions.len()];
    for spring in &hand.node_springs {
        let com = hand.skeleton.bone(spring.bone).com;
        carrying[spring.node as usize].push(Carrying {
            bone: u32::from(spring.bone.0),
            weight: spring.weight,
            local: spring.local - com,
        });
    }
    let springs = carrying.into_iter().enumerate().filter(|(_, carrying)| !carrying.is_empty());
    springs
        .map(|(node, mut carrying)| {
            carrying.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.bone.cmp(&b.bone)));
            carrying.truncate(MOST_CARRYING);
            let total: f64 = carrying.iter().map(|c| c.weight).sum();
            carrying.iter_mut().for_each(|c| c.weight /= total);
            BlendedSpring { node: node as u32, carrying, stiffness }
        })
        .collect()
}

/// Parts of a hand closer than this along the skin do not touch each other, metres: webs, folds over a joint.
const APART: f64 = 0.018;

/// The surface with which a hand feels soft things: each digit is a part, and the palm.
fn hand_touch(hand: &HandModel, points: &[SurfacePoint]) -> TouchSurface {
    let mesh = &hand.tissue.mesh;
    let part = |patch: u8| Patch(patch).digit().map_or(5, |d| d.index() as u8);
    let mut touch = TouchSurface::new(&hand.skin.mesh, points, HAND_SPACING, part, &mesh.positions);
    let out_of_reach = |p: u8| Patch(p) == Patch::DORSUM || Patch(p) == Patch::WRIST;
    let joined = |a: u8, b: u8| {
        if out_of_reach(a) || out_of_reach(b) {
            return true;
        }
        let (a, b) = (Patch(a).bone(), Patch(b).bone());
        let joint = |parent, child| hand.skeleton.articulations.iter().any(|j| j.parent == parent && j.child == child);
        a == b || joint(a, b) || joint(b, a)
    };
    touch.touch_itself(joined, APART, &mesh.positions);
    touch
}

/// Slots of the ten pairs `(a, b)`, `a <= b`, of a clique of four blocks.
fn pair_slots(pattern: &BlockPattern, blocks: [u32; 4]) -> [Slot; 10] {
    let mut slots = [Slot::Diagonal(0); 10];
    let mut k = 0;
    for i in 0..4 {
        for j in i..4 {
            // all members of a clique are in the pattern by construction
            slots[k] = pattern.edge(blocks[i], blocks[j]).unwrap_or(Slot::Diagonal(blocks[i]));
            k += 1;
        }
    }
    slots
}
