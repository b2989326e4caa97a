//! A hand whose phalanges are soft one by one, on a rigid palm [Talvas §4].
//!
//! Each soft phalanx is a mesh of its own: the hand's solid cut at the joints. What is rigid (the palm, and phalanges
//! that are not chosen) is carried by a cage: a single element around it whose four corners are tied to its bone by
//! stiff springs. A cage costs four nodes, and skin, contact and constraints treat it like any other tissue. Skin over
//! a joint is blended between the two sides, so that it stays whole when they move apart.

mod carry;
mod cut;

use super::tissue::{element_samples, in_bone, mark_nails, pad_ball};
use super::{
    Attachment, BoneId, Digit, FLESH_DENSITY, HandError, HandModel, HandParts, NodeSpring, Tissue, TissueKind,
    TissueOptions,
};
use crate::geometry::TetMesh;
use crate::geometry::mesher::{FEWEST_TETS, MeshRequest, MesherError, mesh_surface, surface_volume};
use crate::geometry::tet_mesh::tet_volume;
use crate::math::Vec3;
use carry::{Component, bone_springs};
use cut::PhalanxCut;

/// A set of phalanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phalanges(u16);

impl Phalanges {
    /// All fifteen.
    pub const ALL: Phalanges = Phalanges(0xfffe);

    /// The given bones; the palm is none of them.
    #[must_use]
    pub fn of(bones: impl IntoIterator<Item = BoneId>) -> Phalanges {
        Phalanges(bones.into_iter().fold(0, |set, bone| set | 1 << bone.0) & Phalanges::ALL.0)
    }

    /// True if the bone is one of them.
    #[must_use]
    pub fn contains(self, bone: BoneId) -> bool {
        self.0 >> bone.0 & 1 == 1
    }

    /// How many they are.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

/// Share of a hand's elements by place in the digit: fingertips are finer, because they touch most.
const SHARES: [f64; 3] = [0.9, 0.85, 1.25];
/// Stiffness of a cage's corner relative to that of a whole bone's tissue: ten newtons at a corner move it by some
/// hundredths of a millimetre.
const CORNER: f64 = 20.0;
/// Fill of a cage: a gram or so, because the rigid part's mass belongs to its bone.
const CAGE_FILL: f64 = 1e-3;

/// How often the mesher is asked again, for the number of elements that it says a piece takes: of a hundred, a tenth is
/// gained or lost to a few better elements, and it is the number of the whole hand that counts.
const RETRIES: usize = 2;
/// That number may differ from the piece's share by one in this many.
const MOST_ASTRAY: usize = 4;

/// Builds the hand.
pub(super) fn build(mut parts: HandParts, options: &TissueOptions, soft: Phalanges) -> Result<HandModel, HandError> {
    let cuts = PhalanxCut::all(&parts);
    let mut components = (BoneId::all())
        .map(|bone| match cuts.iter().find(|c| c.bone == bone).filter(|_| soft.contains(bone)) {
            Some(cut) => Ok(Component::soft(bone, &mesh_phalanx(&parts, options, cut)?)),
            None => Ok(Component::rigid(bone, &parts)),
        })
        .collect::<Result<Vec<_>, HandError>>()?;
    Component::number(&mut components);
    let volumes: Vec<f64> = cuts.iter().map(|c| surface_volume(&c.surface)).collect();
    give_flesh_to_bones(&mut parts, soft, &volumes);
    let carried = carry::skin(&parts, &components);
    parts.skin.patches.clone_from(&carried.patches);
    let tissue = fill(&parts, &components, &cuts, &carried.embedding);
    let mut attachments = Vec::new();
    let mut node_springs = Vec::new();
    for component in &components {
        let bone = parts.skeleton.bone(component.bone);
        if component.rigid {
            attachments.extend((0..4).map(|corner| corner_spring(component, corner, bone)));
        } else {
            let springs = bone_springs(component, bone);
            if springs.is_empty() {
                return Err(HandError::LooseBone { bone: bone.id.index() });
            }
            attachments.extend(springs);
        }
        node_springs.extend(component.mesh.positions.iter().enumerate().map(|(i, p)| NodeSpring {
            node: component.first_node + i as u32,
            bone: bone.id,
            local: bone.rest.local(*p),
            weight: 1.0,
        }));
    }
    let pads = Digit::ALL.map(|digit| carry::pad(&parts, &components, digit));
    Ok(HandModel {
        side: parts.side,
        skin: parts.skin,
        skeleton: parts.skeleton,
        tissue,
        embedding: carried.embedding,
        seams: carried.seams,
        attachments,
        node_springs,
        pads,
        contact_vertices: parts.contact_vertices,
        contact_areas: parts.contact_areas,
    })
}

/// A phalanx's part of the elements of all fifteen.
fn share(bone: BoneId) -> f64 {
    SHARES[bone.segment()] / (SHARES.iter().sum::<f64>() * Digit::ALL.len() as f64)
}

fn mesh_phalanx(parts: &HandParts, options: &TissueOptions, cut: &PhalanxCut) -> Result<TetMesh, HandError> {
    let tets = (options.tets as f64 * share(cut.bone)).round() as usize;
    let refined = options.refine.filter(|digit| cut.bone == BoneId::of(*digit, 2));
    let refine: Vec<_> = refined.and_then(|digit| pad_ball(parts, digit)).into_iter().collect();
    let mesh_with = |tets: usize| {
        mesh_surface(&cut.surface, &MeshRequest { refine: &refine, ..MeshRequest::uniform(tets.max(FEWEST_TETS)) })
    };
    let mut mesh = mesh_with(tets);
    for _ in 0..RETRIES {
        match mesh {
            Err(MesherError::Unreached { reached, .. })
                if refine.is_empty() && reached.abs_diff(tets) <= tets / MOST_ASTRAY =>
            {
                mesh = mesh_with(reached);
            }
            _ => break,
        }
    }
    Ok(mesh?)
}

fn corner_spring(cage: &Component, corner: usize, bone: &super::Bone) -> Attachment {
    let mut weights = [0.0; 4];
    weights[corner] = 1.0;
    let local = bone.rest.local(cage.mesh.positions[cage.mesh.tets[0][corner] as usize]);
    Attachment { tet: cage.first_tet, weights, bone: bone.id, local, share: CORNER }
}

/// Rigid parts weigh as much as soft ones: their flesh is added to their bones, spread like the bone itself.
fn give_flesh_to_bones(parts: &mut HandParts, soft: Phalanges, volumes: &[f64]) {
    let palm = (surface_volume(&parts.skin.mesh) - volumes.iter().sum::<f64>()).max(0.0);
    for bone in &mut parts.skeleton.bones {
        let b = bone.id.index();
        if soft.contains(bone.id) {
            continue;
        }
        let volume = if b == 0 { palm } else { volumes[b - 1] };
        let own: f64 = bone.capsules.iter().map(super::report::capsule_volume).sum();
        let grown = 1.0 + FLESH_DENSITY * (volume - own).max(0.0) / bone.mass;
        bone.mass *= grown;
        bone.inertia *= grown;
    }
}

/// All components as one mesh, with what each element is made of.
fn fill(
    parts: &HandParts,
    components: &[Component],
    cuts: &[PhalanxCut],
    embedding: &crate::geometry::Embedding,
) -> Tissue {
    let mut tissue = Tissue::default();
    for component in components {
        let mesh = &component.mesh;
        tissue.mesh.positions.extend(&mesh.positions);
        tissue.mesh.tets.extend(mesh.tets.iter().map(|t| t.map(|n| n + component.first_node)));
        let cut = cuts.iter().find(|c| c.bone == component.bone).filter(|_| !component.rigid);
        let Some(cut) = cut else {
            tissue.kinds.push(TissueKind::Rigid);
            tissue.fill.push(CAGE_FILL);
            continue;
        };
        let mut filled: Vec<f64> = Vec::with_capacity(mesh.tets.len());
        for t in 0..mesh.tets.len() {
            let points = element_samples(&mesh.corners(t));
            let share = |inside: usize| inside as f64 / points.len() as f64;
            filled.push(share(points.iter().filter(|p| cut.distance.distance(**p) < 0.0).count()).max(0.02));
            let bony = share(points.iter().filter(|p| in_bone(&parts.skeleton, **p)).count());
            tissue.kinds.push(if bony > 0.5 { TissueKind::Bone } else { TissueKind::Flesh });
        }
        let sampled: f64 = filled.iter().enumerate().map(|(t, f)| f * tet_volume(mesh.corners(t))).sum();
        let scale = surface_volume(&cut.surface) / sampled;
        tissue.fill.extend(filled.into_iter().map(|f| (f * scale).min(1.0)));
    }
    mark_nails(parts, embedding, &mut tissue.kinds);
    tissue
}

/// The elements of the soft parts alone.
impl Tissue {
    /// The mesh without the cages of rigid parts.
    #[must_use]
    pub fn soft_mesh(&self) -> TetMesh {
        let soft = self.mesh.tets.iter().zip(&self.kinds).filter(|(_, kind)| **kind != TissueKind::Rigid);
        TetMesh { positions: self.mesh.positions.clone(), tets: soft.map(|(tet, _)| *tet).collect() }
    }
}

/// The corners of a regular tetrahedron around a ball.
fn cage_around(centre: Vec3, radius: f64) -> TetMesh {
    const CORNERS: [Vec3; 4] =
        [Vec3::new(1.0, 1.0, 1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];
    // the faces of a regular tetrahedron are a third as far from its centre as its corners
    let positions: Vec<Vec3> = CORNERS.iter().map(|c| centre + c.normalize() * (3.0 * radius)).collect();
    let order = [0, 1, 2, 3].map(|i: usize| positions[i]);
    let tets = if tet_volume(order) > 0.0 { vec![[0, 1, 2, 3]] } else { vec![[0, 1, 3, 2]] };
    TetMesh { positions, tets }
}

#[cfg(test)]
mod tests;
