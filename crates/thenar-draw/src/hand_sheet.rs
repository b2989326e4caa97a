//! The standard views of a hand.

use crate::camera::Camera;
use crate::canvas::{Canvas, Rgb, srgb};
use crate::scene3::{Line, Scene3};
use crate::sheet::Sheet;
use crate::surface::{Material, Surface};
use std::collections::BTreeSet;
use thenar::hand::{HandModel, Side, Skeleton, Skin, Tissue, TissueKind};
use thenar::math::Vec3;

/// Size of one picture of a sheet.
pub const TILE: [usize; 2] = [340, 470];

/// A view of a hand at rest in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandView {
    /// What is written below.
    pub name: &'static str,
    /// Direction of sight in the frame of a right hand; mirrored for a left one.
    pub direction: [f64; 3],
    /// Up in the picture.
    pub up: [f64; 3],
}

impl HandView {
    /// The palm, fingers up.
    pub const PALM: HandView = HandView { name: "palm", direction: [0.0, 1.0, 0.0], up: [0.0, 0.0, -1.0] };
    /// The back, fingers up.
    pub const BACK: HandView = HandView { name: "back", direction: [0.0, -1.0, 0.0], up: [0.0, 0.0, -1.0] };
    /// From the thumb's side.
    pub const SIDE: HandView = HandView { name: "thumb side", direction: [1.0, 0.0, 0.0], up: [0.0, 0.0, -1.0] };
    /// From the little finger's side, a little from the palm.
    pub const LITTLE: HandView = HandView { name: "little side", direction: [-1.0, 0.45, 0.1], up: [0.0, 0.0, -1.0] };
    /// Back and thumb.
    pub const THREE_QUARTER: HandView =
        HandView { name: "three-quarter", direction: [0.62, -0.66, -0.42], up: [0.0, 0.0, -1.0] };
    /// The fingers from the front.
    pub const FRONT: HandView = HandView { name: "from the front", direction: [0.0, -0.35, 1.0], up: [0.0, 1.0, 0.0] };

    /// Camera that frames these points of a hand of that side.
    #[must_use]
    pub fn camera(&self, points: &[Vec3], side: Side, aspect: f64) -> Camera {
        let mirror = if side == Side::Left { -1.0 } else { 1.0 };
        let [x, y, z] = self.direction;
        Camera::framing(points, Vec3::new(mirror * x, y, z), Vec3::from_array(self.up), aspect, 0.05)
    }
}

/// Pictures of the skin alone from several sides, on one sheet.
#[must_use]
pub fn skin_sheet(skin: &Skin, side: Side, views: &[HandView]) -> Canvas {
    let mut sheet = Sheet::new(views.len(), TILE[0], TILE[1]);
    let mut scene = Scene3::new();
    scene.add(Surface::skin(skin));
    for view in views {
        sheet.push(picture(&scene, view, &skin.mesh.positions, side), view.name);
    }
    sheet.canvas()
}

/// Palm, back, side, three-quarter, tissue and bone views of a hand on one sheet.
#[must_use]
pub fn hand_sheet(hand: &HandModel) -> Canvas {
    let mut sheet = Sheet::new(6, TILE[0], TILE[1]);
    let points = &hand.skin.mesh.positions;
    let mut skin = Scene3::new();
    skin.add(Surface::skin(&hand.skin));
    for view in [HandView::PALM, HandView::BACK, HandView::SIDE, HandView::THREE_QUARTER] {
        sheet.push(picture(&skin, &view, points, hand.side), view.name);
    }
    let tets = hand.tissue.kinds.iter().filter(|kind| **kind != TissueKind::Rigid).count();
    if tets > 0 {
        let label = format!("{tets} tetrahedra");
        sheet.push(picture(&tissue_scene(&hand.tissue), &HandView::THREE_QUARTER, points, hand.side), label);
    }
    let bones = bones_scene(&hand.skin, &hand.skeleton);
    sheet.push(picture(&bones, &HandView::BACK, points, hand.side), format!("{} bones", hand.skeleton.bones.len()));
    sheet.canvas()
}

/// One tile of a sheet.
#[must_use]
pub fn picture(scene: &Scene3, view: &HandView, points: &[Vec3], side: Side) -> Canvas {
    let camera = view.camera(points, side, TILE[0] as f64 / TILE[1] as f64);
    scene.render(&camera, TILE[0], TILE[1])
}

/// The outside of the tissue as facets coloured by what they are made of, with the edges of the elements.
#[must_use]
pub fn tissue_scene(tissue: &Tissue) -> Scene3 {
    let mesh = &tissue.mesh;
    let mut scene = Scene3::new();
    let mut shell = Surface::new(Vec::new(), Vec::new(), Vec::new(), [0.0; 3]);
    let mut edges = BTreeSet::new();
    for (face, tet) in boundary_faces(&mesh.tets) {
        let kind = tissue.kinds.get(tet).copied().unwrap_or(TissueKind::Flesh);
        if kind == TissueKind::Rigid {
            continue; // a cage is not flesh
        }
        shell.facet(face.map(|v| mesh.positions[v as usize]), tissue_colour(kind));
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            edges.insert((a.min(b), a.max(b)));
        }
    }
    scene.add(shell);
    for (a, b) in edges {
        let (a, b) = (mesh.positions[a as usize], mesh.positions[b as usize]);
        scene.lines.push(Line { a, b, colour: srgb(0x0038_2620), thickness: 1.0, opacity: 0.75, hidden: 0.0 });
    }
    scene
}

/// Colour of an element of the tissue.
#[must_use]
pub fn tissue_colour(kind: TissueKind) -> Rgb {
    match kind {
        TissueKind::Flesh => srgb(0x00e2_a98c),
        TissueKind::Bone | TissueKind::Rigid => srgb(0x00ef_e6cf),
        TissueKind::Nail => srgb(0x00b9_d3e0),
    }
}

/// The bones as capsules inside a see-through skin, with the axes of their frames.
#[must_use]
pub fn bones_scene(skin: &Skin, skeleton: &Skeleton) -> Scene3 {
    let mut scene = Scene3::new();
    let mut veil = Surface::skin(skin).with_opacity(0.3);
    veil.casts_shadow = false;
    scene.add(veil);
    for bone in &skeleton.bones {
        for c in &bone.capsules {
            let solid = Surface::capsule(c.a, c.b, c.radius, srgb(0x00f1_e9d6)).with_material(Material::Gloss);
            scene.add(solid.at(bone.rest));
        }
        scene.axes(bone.rest, 0.008);
    }
    scene
}

/// Faces that belong to one element only, wound to face outwards, with their element.
fn boundary_faces(tets: &[[u32; 4]]) -> Vec<([u32; 3], usize)> {
    // Faces opposite to each corner of a positively oriented tetrahedron, counter-clockwise from outside.
    const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let mut faces: Vec<([u32; 3], [u32; 3], usize)> = Vec::with_capacity(4 * tets.len());
    for (index, tet) in tets.iter().enumerate() {
        for corners in FACES {
            let face = corners.map(|c| tet[c]);
            let mut key = face;
            key.sort_unstable();
            faces.push((key, face, index));
        }
    }
    faces.sort_unstable();
    let mut out = Vec::new();
    let mut i = 0;
    while i < faces.len() {
        let same = faces[i..].iter().take_while(|f| f.0 == faces[i].0).count();
        if same == 1 {
            out.push((faces[i].1, faces[i].2));
        }
        i += same;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundary_of_two_tets_has_six_faces_that_face_outwards() {
        let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
        // det[b-a, c-a, d-a] > 0 for both.
        let faces = boundary_faces(&[[0, 1, 2, 3], [1, 4, 2, 3]]);
        assert_eq!(faces.len(), 6);
        let volume: f64 = faces
            .iter()
            .map(|(f, _)| {
                let [a, b, c] = f.map(|v| p[v as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        let expected: f64 = [[0, 1, 2, 3], [1, 4, 2, 3]]
            .iter()
            .map(|t: &[usize; 4]| (p[t[1]] - p[t[0]]).dot((p[t[2]] - p[t[0]]).cross(p[t[3]] - p[t[0]])) / 6.0)
            .sum();
        assert!((volume - expected).abs() < 1e-12, "{volume} {expected}");
    }
}
