//! A hand as glTF 2.0 in one `.glb` file that any viewer opens.
//!
//! Scene 0 holds the skin with normals, colours and weights, and the skeleton as nodes with WebXR's joint names; scene 1
//! holds the edges of the tetrahedra as lines.

use super::glb;
use super::joint_names::webxr_name;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use thenar::geometry::TetMesh;
use thenar::hand::{HandModel, Side, Skeleton, Skin, XrJoint};
use thenar::math::{Pose, Vec3};

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const LINES: u32 = 1;

/// The bytes of a `.glb` file with this hand.
#[must_use]
pub fn write_hand(hand: &HandModel) -> Vec<u8> {
    write(hand.side, &hand.skin, &hand.skeleton, Some(&hand.tissue.mesh))
}

/// The bytes of a `.glb` file with a skin and its skeleton, without tissue.
#[must_use]
pub fn write_skin(side: Side, skin: &Skin, skeleton: &Skeleton) -> Vec<u8> {
    write(side, skin, skeleton, None)
}

fn write(side: Side, skin: &Skin, skeleton: &Skeleton, tissue: Option<&TetMesh>) -> Vec<u8> {
    let mut file = Writer::default();
    let side = side.name();
    let (joints, root) = file.skeleton(skeleton);
    let skin = file.skin(skin, skeleton, &joints, root, side);
    let mut scenes = vec![json!({ "name": format!("{side} hand"), "nodes": [skin, root] })];
    if let Some(mesh) = tissue {
        let tissue = file.edges(&mesh.positions, &mesh.tets);
        scenes.push(json!({ "name": "tetrahedra", "nodes": [tissue] }));
    }
    file.finish(scenes)
}

/// The joint above another: fingers hang on the wrist, everything else on its predecessor.
fn parent(joint: XrJoint) -> Option<XrJoint> {
    match joint {
        XrJoint::Wrist => None,
        XrJoint::Palm
        | XrJoint::ThumbMetacarpal
        | XrJoint::IndexMetacarpal
        | XrJoint::MiddleMetacarpal
        | XrJoint::RingMetacarpal
        | XrJoint::LittleMetacarpal => Some(XrJoint::Wrist),
        other => Some(XrJoint::ALL[other.index() - 1]),
    }
}

/// The joints that are written, WebXR's 25, parents first.
fn webxr_joints() -> impl Iterator<Item = XrJoint> {
    XrJoint::ALL.into_iter().filter(|j| *j != XrJoint::Palm)
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    skins: Vec<Value>,
}

impl Writer {
    /// Adds the joints as nodes; returns them with their node numbers, and the node of the wrist.
    fn skeleton(&mut self, skeleton: &Skeleton) -> (Vec<(XrJoint, usize)>, usize) {
        let rest = |joint: XrJoint| skeleton.xr_rest[joint].map_or(Pose::IDENTITY, |s| s.pose);
        let first = self.nodes.len();
        let joints: Vec<(XrJoint, usize)> = webxr_joints().enumerate().map(|(i, j)| (j, first + i)).collect();
        for &(joint, _) in &joints {
            let local = match parent(joint) {
                Some(parent) => rest(parent).inverse() * rest(joint),
                None => rest(joint),
            };
            let q = local.rotation.normalize();
            let children: Vec<usize> =
                joints.iter().filter(|(j, _)| parent(*j) == Some(joint)).map(|(_, node)| *node).collect();
            let mut node = json!({
                "name": webxr_name(joint),
                "translation": local.position.to_array().map(|v| v as f32),
                "rotation": [q.x as f32, q.y as f32, q.z as f32, q.w as f32],
            });
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            self.nodes.push(node);
        }
        (joints, first)
    }

    fn skin(
        &mut self,
        skin: &Skin,
        skeleton: &Skeleton,
        joints: &[(XrJoint, usize)],
        root: usize,
        side: &str,
    ) -> usize {
        let positions = self.positions(&skin.mesh.positions);
        let normals: Vec<f32> = skin.normals.iter().flat_map(Vec3::to_array).map(|v| v as f32).collect();
        let normals = self.floats(&normals, "VEC3", Some(ARRAY_BUFFER));
        let colours: Vec<f32> = skin.colours.iter().flatten().map(|v| v.clamp(0.0, 1.0)).collect();
        let (indices, weights) = skin_weights(skin, joints);
        let indices = self.accessor(&indices, UNSIGNED_BYTE, "VEC4", indices.len() / 4, Some(ARRAY_BUFFER));
        let weights = self.floats(&weights, "VEC4", Some(ARRAY_BUFFER));
        let triangles: Vec<u8> = skin.mesh.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let count = 3 * skin.mesh.triangles.len();
        let triangles = self.accessor(&triangles, UNSIGNED_INT, "SCALAR", count, Some(ELEMENT_ARRAY_BUFFER));
        let mut attributes =
            json!({ "POSITION": positions, "NORMAL": normals, "JOINTS_0": indices, "WEIGHTS_0": weights });
        if colours.len() == 3 * skin.mesh.positions.len() {
            attributes["COLOR_0"] = json!(self.floats(&colours, "VEC3", Some(ARRAY_BUFFER)));
        }
        let inverse: Vec<f32> = joints
            .iter()
            .flat_map(|&(joint, _)| {
                let back = skeleton.xr_rest[joint].map_or(Pose::IDENTITY, |s| s.pose).inverse();
                glam::DMat4::from_rotation_translation(back.rotation, back.position).to_cols_array()
            })
            .map(|v| v as f32)
            .collect();
        let inverse = self.floats(&inverse, "MAT4", None);
        let nodes: Vec<usize> = joints.iter().map(|(_, node)| *node).collect();
        self.skins.push(json!({ "inverseBindMatrices": inverse, "joints": nodes, "skeleton": root }));
        self.materials.push(json!({
            "name": "skin",
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.62 },
        }));
        let primitive = json!({ "attributes": attributes, "indices": triangles, "material": self.materials.len() - 1 });
        self.meshes.push(json!({ "name": "skin", "primitives": [primitive] }));
        self.nodes.push(json!({
            "name": format!("{side}-hand-skin"),
            "mesh": self.meshes.len() - 1,
            "skin": self.skins.len() - 1,
        }));
        self.nodes.len() - 1
    }

    /// Adds the edges of tetrahedra as lines; returns their node.
    fn edges(&mut self, positions: &[Vec3], tets: &[[u32; 4]]) -> usize {
        let mut edges = BTreeSet::new();
        for tet in tets {
            for i in 0..4 {
                for j in i + 1..4 {
                    edges.insert([tet[i].min(tet[j]), tet[i].max(tet[j])]);
                }
            }
        }
        let positions = self.positions(positions);
        let indices: Vec<u8> = edges.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let indices = self.accessor(&indices, UNSIGNED_INT, "SCALAR", 2 * edges.len(), Some(ELEMENT_ARRAY_BUFFER));
        self.materials.push(json!({
            "name": "tetrahedra",
            "pbrMetallicRoughness": { "baseColorFactor": [0.2, 0.1, 0.06, 1.0], "metallicFactor": 0.0 },
        }));
        let primitive = json!({
            "attributes": { "POSITION": positions },
            "indices": indices,
            "mode": LINES,
            "material": self.materials.len() - 1,
        });
        self.meshes.push(json!({ "name": "tetrahedra", "primitives": [primitive] }));
        self.nodes.push(json!({ "name": "tetrahedra", "mesh": self.meshes.len() - 1 }));
        self.nodes.len() - 1
    }

    /// Adds positions with the bounds glTF demands for them.
    fn positions(&mut self, positions: &[Vec3]) -> usize {
        let narrow: Vec<[f32; 3]> = positions.iter().map(|p| p.to_array().map(|v| v as f32)).collect();
        let flat: Vec<f32> = narrow.iter().flatten().copied().collect();
        let accessor = self.floats(&flat, "VEC3", Some(ARRAY_BUFFER));
        let bound = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..3).map(|k| narrow.iter().fold(start, |b, p| pick(b, p[k]))).collect()
        };
        if !narrow.is_empty() {
            self.accessors[accessor]["min"] = json!(bound(f32::min, f32::INFINITY));
            self.accessors[accessor]["max"] = json!(bound(f32::max, f32::NEG_INFINITY));
        }
        accessor
    }

    fn floats(&mut self, values: &[f32], kind: &str, target: Option<u32>) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, FLOAT, kind, values.len() / width, target)
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize, target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend(bytes);
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }

    fn finish(self, scenes: Vec<Value>) -> Vec<u8> {
        let root = json!({
            "asset": { "version": "2.0", "generator": concat!("thenar ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": scenes,
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "skins": self.skins,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        glb::join(root.to_string().as_bytes(), &self.bytes)
    }
}

/// Joint numbers and weights, four each per vertex: no joint twice, unused places zero, sums exactly what glTF expects.
fn skin_weights(skin: &Skin, joints: &[(XrJoint, usize)]) -> (Vec<u8>, Vec<f32>) {
    let (mut numbers, mut weights) = (Vec::new(), Vec::new());
    for vertex in &skin.weights {
        let mut merged: Vec<(u8, f32)> = Vec::with_capacity(4);
        for &(bone, weight) in vertex {
            let wanted = XrJoint::of_bone(bone);
            let number = joints.iter().position(|(j, _)| *j == wanted).unwrap_or(0) as u8;
            match merged.iter_mut().find(|m| m.0 == number) {
                Some(m) => m.1 += weight,
                None => merged.push((number, weight)),
            }
        }
        merged.retain(|m| m.1 > 0.0);
        let total: f32 = merged.iter().map(|m| m.1).sum();
        if merged.is_empty() {
            merged.push((0, 1.0));
        }
        for k in 0..4 {
            let (number, weight) = merged.get(k).copied().unwrap_or((0, 0.0));
            numbers.push(number);
            weights.push(if total > 0.0 { weight / total } else { weight });
        }
    }
    (numbers, weights)
}
