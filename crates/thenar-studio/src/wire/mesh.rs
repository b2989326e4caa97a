//! MESH messages: what does not change while a scene runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use thenar::geometry::TriMesh;
use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, HandModel};
use thenar::math::Vec3;
use thenar_scene::run::Simulation;

use super::bytes::Bytes;
use super::skin_view::SkinView;

/// What a MESH message holds.
#[derive(Clone, Copy)]
enum What {
    Skin = 1,
    Rigid = 2,
    Soft = 3,
    Tets = 4,
    Skeleton = 5,
}

/// Flag of a MESH message: a colour follows for every vertex.
const COLOURED: u16 = 1;
/// Flag of a MESH message: after the colours, the place on the nearest nail follows for every vertex.
const NAILED: u16 = 2;
/// Steps of such a place, which reaches from −2 to 2.
const NAIL_STEPS: f32 = 63.0;
/// Edge of the triangles of a curved object, metres.
const EDGE: f64 = 0.006;
/// Half the side of the square that stands for a plane, metres.
const PLANE: f64 = 2.0;

/// All meshes of a scene, `views` giving the streamed skin of each hand.
#[must_use]
pub fn scene_meshes(simulation: &Simulation, views: &[Arc<SkinView>]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    for (index, (hand, view)) in simulation.hands().iter().zip(views).enumerate() {
        messages.push(skin(index, &hand.model, view));
        messages.push(skeleton(index, &hand.model));
        messages.push(tets(index, &hand.model));
    }
    for (index, object) in simulation.world().objects().iter().enumerate() {
        let mesh = object_mesh(&object.shape);
        messages.push(message(What::Rigid, index, 0, &mesh.positions, mesh.triangles.as_flattened()).finish());
    }
    for (index, soft) in simulation.softs().iter().enumerate() {
        let Some(mesh) = soft.surface(simulation.world()) else { continue };
        let index = simulation.objects().len() + index;
        messages.push(message(What::Soft, index, 0, &mesh.positions, mesh.triangles.as_flattened()).finish());
    }
    messages
}

/// The surface of an object in its own frame; a square for a plane.
#[must_use]
fn object_mesh(shape: &Shape) -> TriMesh {
    shape.tessellate(EDGE).unwrap_or_else(|| {
        let corner = |x: f64, z: f64| Vec3::new(PLANE * x, 0.0, PLANE * z);
        TriMesh {
            positions: vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }
    })
}

fn message(what: What, index: usize, flags: u16, positions: &[Vec3], indices: &[u32]) -> Bytes {
    let mut bytes = Bytes::message(super::MESH, flags, 0);
    bytes.u16(what as u16);
    bytes.u16(index as u16);
    bytes.u32(positions.len() as u32);
    bytes.u32(indices.len() as u32);
    positions.iter().for_each(|p| bytes.vector(*p));
    indices.iter().for_each(|i| bytes.u32(*i));
    bytes
}

fn skin(index: usize, hand: &HandModel, view: &SkinView) -> Vec<u8> {
    let positions: Vec<Vec3> = view.vertices.iter().map(|v| hand.skin.mesh.positions[*v as usize]).collect();
    let has_nails = hand.skin.nails.len() == hand.skin.mesh.positions.len();
    let flags = if has_nails { COLOURED | NAILED } else { COLOURED };
    let mut bytes = message(What::Skin, index, flags, &positions, view.triangles.as_flattened());
    for vertex in &view.vertices {
        let colour = hand.skin.colours.get(*vertex as usize).copied().unwrap_or([0.5; 3]);
        colour.iter().for_each(|&linear| bytes.u8(srgb(linear)));
        bytes.u8(u8::MAX);
    }
    for vertex in view.vertices.iter().filter(|_| has_nails) {
        let place = hand.skin.nails[*vertex as usize];
        place.iter().for_each(|along| bytes.u8(((along * NAIL_STEPS).round() as i8).cast_unsigned()));
    }
    bytes.finish()
}

/// From linear light to the 8 bits of sRGB (IEC 61966-2-1).
fn srgb(linear: f32) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

/// Length and radius of each bone, and its parent.
fn skeleton(index: usize, hand: &HandModel) -> Vec<u8> {
    let bones = &hand.skeleton.bones;
    let mut bytes = Bytes::message(super::MESH, 0, 0);
    bytes.u16(What::Skeleton as u16);
    bytes.u16(index as u16);
    bytes.u32(bones.len() as u32);
    bytes.u32(bones.len() as u32);
    for bone in bones {
        bytes.f32(bone.length);
        bytes.f32(bone.capsules.first().map_or(0.0, |capsule| capsule.radius));
    }
    for bone in bones {
        bytes.u32(bone.id.parent().map_or(u32::MAX, |parent: BoneId| u32::from(parent.0)));
    }
    bytes.finish()
}

/// Nodes and edges of the tissue.
fn tets(index: usize, hand: &HandModel) -> Vec<u8> {
    let mesh = &hand.tissue.mesh;
    let mut edges = BTreeSet::new();
    for tet in &mesh.tets {
        for a in 0..4 {
            for b in 0..a {
                edges.insert([tet[a].min(tet[b]), tet[a].max(tet[b])]);
            }
        }
    }
    let flat: Vec<u32> = edges.into_iter().flatten().collect();
    message(What::Tets, index, 0, &mesh.positions, &flat).finish()
}
