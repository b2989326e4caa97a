//! What carries the skin, the bones' springs and the pads of a hand made of pieces.

use super::cage_around;
use crate::geometry::triangle_tree::TriangleTree;
use crate::geometry::{Embedding, TetLocator, TetMesh};
use crate::hand::attach::{bone_surface_samples, main_bone, mean_springs};
use crate::hand::{Attachment, Bone, BoneId, Digit, HandParts, PadSample, Patch, SeamCarrier};
use crate::math::Vec3;
use std::cell::Cell;

/// One piece: a soft phalanx, or the cage of a rigid part.
pub(super) struct Component {
    pub bone: BoneId,
    pub rigid: bool,
    pub mesh: TetMesh,
    /// Numbers of its first node and element in the whole hand.
    pub first_node: u32,
    pub first_tet: u32,
    locator: TetLocator,
    boundary: TriangleTree,
}

impl Component {
    pub fn soft(bone: BoneId, mesh: &TetMesh) -> Component {
        Component::new(bone, false, mesh.clone())
    }

    /// The cage of a bone's own skin: of the vertices that follow it at all.
    pub fn rigid(bone: BoneId, parts: &HandParts) -> Component {
        let follows = |v: &usize| parts.skin.weights[*v].iter().any(|(b, w)| *b == bone && *w > 0.0);
        let points = (0..parts.skin.weights.len()).filter(follows).map(|v| parts.skin.mesh.positions[v]);
        let own = parts.skeleton.bone(bone);
        let (mut low, mut high) = (own.rest.position, own.rest.point(Vec3::new(0.0, 0.0, -own.length)));
        [low, high] = [low.min(high), low.max(high)];
        for p in points.clone() {
            [low, high] = [low.min(p), high.max(p)];
        }
        let centre = 0.5 * (low + high);
        let radius = points.map(|p| p.distance(centre)).fold(0.01, f64::max);
        Component::new(bone, true, cage_around(centre, radius))
    }

    fn new(bone: BoneId, rigid: bool, mesh: TetMesh) -> Component {
        let locator = TetLocator::new(&mesh);
        let boundary = TriangleTree::new(&mesh.boundary());
        Component { bone, rigid, locator, boundary, mesh, first_node: 0, first_tet: 0 }
    }

    /// Gives the pieces their numbers within the whole hand.
    pub fn number(components: &mut [Component]) {
        let (nodes, tets) = (Cell::new(0), Cell::new(0));
        for c in components {
            c.first_node = nodes.replace(nodes.get() + c.mesh.positions.len() as u32);
            c.first_tet = tets.replace(tets.get() + c.mesh.tets.len() as u32);
        }
    }

    /// The element (of the whole hand) that carries a point, with its weights: exact wherever the point lies.
    fn carry(&self, p: Vec3) -> (u32, [f64; 4]) {
        if self.rigid {
            return (self.first_tet, self.locator.weights(0, p));
        }
        let (tet, weights) = self.locator.locate_or_nearest(p).unwrap_or((0, [0.25; 4]));
        (self.first_tet + tet, weights)
    }

    /// The point of the piece nearest to `p`: `p` itself inside it.
    fn nearest(&self, p: Vec3) -> Vec3 {
        if self.rigid || self.locator.locate(p).is_some() {
            return p;
        }
        self.boundary.nearest(p).map_or(p, |n| n.point)
    }
}

/// Bone springs of a soft piece [CLAP §3.4]: at the mean of the bone's samples in each element.
pub(super) fn bone_springs(component: &Component, bone: &Bone) -> Vec<Attachment> {
    let samples = bone_surface_samples(bone);
    let located = samples.into_iter().filter_map(|local| {
        let (tet, weights) = component.locator.locate(bone.rest.point(local))?;
        Some((component.first_tet + tet, weights, local))
    });
    // a piece may hold less than its whole bone, and hangs on it as firmly
    let inside: Vec<_> = located.collect();
    mean_springs(bone.id, inside.len() as f64, inside.into_iter())
}

/// How the pieces carry the skin.
pub(super) struct CarriedSkin {
    pub embedding: Embedding,
    pub seams: Vec<SeamCarrier>,
    pub patches: Vec<Patch>,
}

/// Bones with less weight than this at a vertex do not carry it.
const LEAST_WEIGHT: f32 = 0.02;

/// Embeds the skin: for contact every vertex in the piece of its main bone, for display in all pieces it follows.
pub(super) fn skin(parts: &HandParts, components: &[Component]) -> CarriedSkin {
    let mut carried = CarriedSkin { embedding: Embedding::default(), seams: Vec::new(), patches: Vec::new() };
    for (v, &p) in parts.skin.mesh.positions.iter().enumerate() {
        let weights = &parts.skin.weights[v];
        let main = main_bone(weights);
        let (tet, inside) = components[main.index()].carry(p);
        carried.embedding.tets.push(tet);
        carried.embedding.weights.push(inside);
        carried.patches.push(patch(parts, v, main));
        let total: f32 = weights.iter().map(|w| w.1).filter(|w| *w > LEAST_WEIGHT).sum();
        let followed = weights.iter().filter(|(_, w)| *w > LEAST_WEIGHT).count();
        if followed < 2 && inside.iter().all(|w| *w >= -1e-6) {
            continue;
        }
        for &(bone, weight) in weights.iter().filter(|(_, w)| *w > LEAST_WEIGHT) {
            let component = &components[bone.index()];
            let at = component.nearest(p);
            let (tet, inside) = component.carry(at);
            let offset = parts.skeleton.bone(bone).rest.rotation.inverse() * (p - at);
            let share = f64::from(weight / total);
            carried.seams.push(SeamCarrier { vertex: v as u32, share, tet, weights: inside, bone, offset });
        }
    }
    carried
}

/// The region of a vertex: that of the piece which carries it, so that no region belongs to two rigid parts.
fn patch(parts: &HandParts, v: usize, main: BoneId) -> Patch {
    let drawn = parts.skin.patches[v];
    if main != BoneId::PALM {
        return Patch::of_bone(main);
    }
    let palmar = parts.skin.normals[v].y < 0.15;
    match drawn.digit() {
        None => drawn,
        Some(Digit::Thumb) if palmar => Patch::THENAR,
        Some(_) if palmar => Patch::METACARPAL_HEADS,
        Some(_) => Patch::DORSUM,
    }
}

/// Samples of a fingertip pad.
pub(super) fn pad(parts: &HandParts, components: &[Component], digit: Digit) -> Vec<PadSample> {
    let bone = parts.skeleton.bone(BoneId::of(digit, 2));
    let carry = |p: &crate::hand::PadPoint| {
        let (tet, weights) = components[bone.id.index()].carry(bone.rest.point(p.local));
        PadSample { tet, weights, local: p.local, normal: p.normal }
    };
    parts.pads[digit.index()].iter().map(carry).collect()
}
