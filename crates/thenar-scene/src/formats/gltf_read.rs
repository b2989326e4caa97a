//! Meshes and skinned hands out of glTF 2.0 (`.glb`, or `.gltf` with its data inside).

use super::gltf_data::GltfData;
use super::import_error::{ImportError, ImportProblem};
use super::joint_names::{parse_joint, parse_side};
use glam::DMat4;
use gltf::mesh::Mode;
use gltf::{Node, Primitive, Semantic, Skin};
use thenar::geometry::TriMesh;
use thenar::hand::{Side, XR_JOINT_COUNT, XrJoint};
use thenar::math::Vec3;

/// Most triangles of one model.
const MAX_TRIANGLES: usize = 1 << 20;
/// Joints deeper than this below a root are taken as a cycle.
const MAX_DEPTH: usize = 64;

/// A skinned hand as it stands in the file: scene coordinates, file order.
#[derive(Clone, Debug)]
pub(crate) struct SkinnedHand {
    pub mesh: TriMesh,
    /// Linear RGB per vertex, where the file has vertex colours.
    pub colours: Vec<[f32; 3]>,
    /// Joint weights per vertex; they sum to 1.
    pub weights: Vec<Vec<(XrJoint, f64)>>,
    /// Placement of the joints that could be matched by name.
    pub joints: [Option<DMat4>; XR_JOINT_COUNT],
    /// The hand its names speak of.
    pub side: Option<Side>,
    /// Names of all joints of the skin, for messages.
    pub names: String,
}

/// Reads all triangles of a file as one mesh in scene coordinates, metres.
///
/// # Errors
/// [`ImportError`] with the name of the file and what is wrong.
pub fn read_gltf_mesh(bytes: &[u8], name: &str) -> Result<TriMesh, ImportError> {
    static_mesh(bytes).map_err(|problem| problem.in_file(name))
}

fn static_mesh(bytes: &[u8]) -> Result<TriMesh, ImportProblem> {
    let data = GltfData::parse(bytes)?;
    let globals = global_transforms(&data);
    let mut mesh = TriMesh::default();
    for node in data.document.nodes() {
        let Some(instance) = node.mesh() else { continue };
        for primitive in instance.primitives() {
            let first = mesh.positions.len();
            let transform = globals[node.index()];
            append_triangles(&data, &primitive, transform.determinant() < 0.0, &mut mesh)?;
            for p in &mut mesh.positions[first..] {
                *p = transform.transform_point3(*p);
            }
        }
    }
    check(&mesh)?;
    Ok(mesh)
}

pub(crate) fn read_skinned(bytes: &[u8]) -> Result<SkinnedHand, ImportProblem> {
    let data = GltfData::parse(bytes)?;
    let globals = global_transforms(&data);
    let skin = best_skin(&data).ok_or(ImportProblem::NoSkin)?;
    let matched = match_joints(&data, &skin);
    let nodes: Vec<usize> = skin.joints().map(|n| n.index()).collect();
    let placement: Vec<DMat4> = match skin.inverse_bind_matrices() {
        None => nodes.iter().map(|&n| globals[n]).collect(),
        Some(accessor) => {
            let inverse = data.floats::<16>(&accessor, "inverse bind matrices")?;
            if inverse.len() < nodes.len() {
                let reason = format!("has {} matrices for {} joints", inverse.len(), nodes.len());
                let what = "inverse bind matrices";
                return Err(ImportProblem::Accessor { index: accessor.index(), what, reason });
            }
            nodes.iter().zip(&inverse).map(|(&n, m)| globals[n] * DMat4::from_cols_array(m)).collect()
        }
    };
    // What carries no name we know moves with the nearest named joint above it, at last the wrist.
    let owners: Vec<XrJoint> = nodes.iter().map(|&n| matched.owner[n].unwrap_or(XrJoint::Wrist)).collect();

    let mut hand = SkinnedHand {
        mesh: TriMesh::default(),
        colours: Vec::new(),
        weights: Vec::new(),
        joints: matched.node.map(|n| n.map(|n| globals[n])),
        side: None,
        names: skin.joints().filter_map(|n| n.name()).take(40).collect::<Vec<_>>().join(", "),
    };
    let mut hints: Vec<Option<Side>> = vec![skin.name().and_then(parse_side)];
    for node in data.document.nodes() {
        let (Some(mesh), Some(own)) = (node.mesh(), node.skin()) else { continue };
        if own.index() != skin.index() {
            continue;
        }
        hints.push(node.name().and_then(parse_side));
        hints.push(mesh.name().and_then(parse_side));
        for primitive in mesh.primitives() {
            append_skinned(&data, &primitive, &placement, &owners, &mut hand)?;
        }
    }
    hints.extend(skin.joints().map(|n| n.name().and_then(parse_side)));
    let votes = |side: Side| hints.iter().filter(|h| **h == Some(side)).count();
    hand.side = match votes(Side::Left).cmp(&votes(Side::Right)) {
        std::cmp::Ordering::Less => Some(Side::Right),
        std::cmp::Ordering::Greater => Some(Side::Left),
        std::cmp::Ordering::Equal => None,
    };
    check(&hand.mesh)?;
    Ok(hand)
}

/// The skin whose joints carry the most names of hand joints; `None` if no mesh uses a skin.
fn best_skin<'a>(data: &'a GltfData<'_>) -> Option<Skin<'a>> {
    let used = data.document.nodes().filter(|n| n.mesh().is_some()).filter_map(|n| n.skin());
    // Of equals `max_by_key` takes the last; the index makes it the first.
    used.max_by_key(|skin| {
        let named = skin.joints().filter_map(|n| n.name()).filter(|n| parse_joint(n).is_some()).count();
        (named, usize::MAX - skin.index())
    })
}

struct Matched {
    /// The node of each hand joint.
    node: [Option<usize>; XR_JOINT_COUNT],
    /// The hand joint each node moves with.
    owner: Vec<Option<XrJoint>>,
}

/// Finds hand joints by name: among the joints of the skin first, then among all nodes (tips are often no joints).
fn match_joints(data: &GltfData<'_>, skin: &Skin<'_>) -> Matched {
    let mut node: [Option<usize>; XR_JOINT_COUNT] = [None; XR_JOINT_COUNT];
    let mut length = [usize::MAX; XR_JOINT_COUNT];
    let mut consider = |candidate: Node<'_>, only_missing: bool, node: &mut [Option<usize>; XR_JOINT_COUNT]| {
        let Some(name) = candidate.name() else { return };
        let Some(joint) = parse_joint(name) else { return };
        let at = joint.index();
        // The shortest spelling wins: exporters append "_end" or "_target" to copies.
        if node[at].is_none() || (!only_missing && name.len() < length[at]) {
            node[at] = Some(candidate.index());
            length[at] = name.len();
        }
    };
    for joint in skin.joints() {
        consider(joint, false, &mut node);
    }
    for other in data.document.nodes().filter(|n| n.mesh().is_none()) {
        consider(other, true, &mut node);
    }
    let parents = parents(data);
    let own: Vec<Option<XrJoint>> = data.document.nodes().map(|n| n.name().and_then(parse_joint)).collect();
    let owner = (0..parents.len())
        .map(|start| {
            let mut at = Some(start);
            for _ in 0..MAX_DEPTH {
                let here = at?;
                if own[here].is_some() {
                    return own[here];
                }
                at = parents[here];
            }
            None
        })
        .collect();
    Matched { node, owner }
}

fn parents(data: &GltfData<'_>) -> Vec<Option<usize>> {
    let mut parents = vec![None; data.document.nodes().count()];
    for node in data.document.nodes() {
        for child in node.children() {
            parents[child.index()] = Some(node.index());
        }
    }
    parents
}

/// Scene transform of every node; cycles, which glTF forbids, are cut.
fn global_transforms(data: &GltfData<'_>) -> Vec<DMat4> {
    let parents = parents(data);
    let locals: Vec<DMat4> = data
        .document
        .nodes()
        .map(|n| DMat4::from_cols_array_2d(&n.transform().matrix().map(|c| c.map(f64::from))))
        .collect();
    (0..locals.len())
        .map(|start| {
            let mut transform = locals[start];
            let mut at = parents[start];
            for _ in 0..MAX_DEPTH {
                let Some(parent) = at else { break };
                transform = locals[parent] * transform;
                at = parents[parent];
            }
            transform
        })
        .collect()
}

/// Adds the triangles of a primitive; lines and points are skipped.
fn append_triangles(
    data: &GltfData<'_>,
    primitive: &Primitive<'_>,
    mirrored: bool,
    mesh: &mut TriMesh,
) -> Result<bool, ImportProblem> {
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(false);
    }
    let Some(accessor) = primitive.get(&Semantic::Positions) else { return Ok(false) };
    let positions = data.floats::<3>(&accessor, "POSITION")?;
    let first = mesh.positions.len();
    let indices: Vec<u32> = match primitive.indices() {
        Some(accessor) => data.integers::<1>(&accessor, "indices")?.into_iter().map(|[i]| i).collect(),
        None => (0..positions.len() as u32).collect(),
    };
    let corner = |a: usize, b: usize, c: usize| [indices[a], indices[b], indices[c]];
    let count = indices.len();
    let triangles: Vec<[u32; 3]> = match primitive.mode() {
        Mode::Triangles => (0..count / 3).map(|i| corner(3 * i, 3 * i + 1, 3 * i + 2)).collect(),
        Mode::TriangleStrip => (0..count.saturating_sub(2)).map(|i| corner(i, i + 1 + i % 2, i + 2 - i % 2)).collect(),
        _ => (1..count.saturating_sub(1)).map(|i| corner(0, i, i + 1)).collect(),
    };
    if mesh.triangles.len() + triangles.len() > MAX_TRIANGLES {
        let value = mesh.triangles.len() + triangles.len();
        return Err(ImportProblem::TooLarge { what: "number of triangles", value, limit: MAX_TRIANGLES });
    }
    for (triangle, t) in triangles.into_iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|v| **v as usize >= positions.len()) {
            let (vertex, vertices) = (vertex as usize, positions.len());
            return Err(ImportProblem::IndexOutOfRange { triangle, vertex, vertices });
        }
        let [a, b, c] = t.map(|v| v + first as u32);
        mesh.triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
    }
    mesh.positions.extend(positions.into_iter().map(Vec3::from_array));
    Ok(true)
}

fn append_skinned(
    data: &GltfData<'_>,
    primitive: &Primitive<'_>,
    placement: &[DMat4],
    owners: &[XrJoint],
    hand: &mut SkinnedHand,
) -> Result<(), ImportProblem> {
    let first = hand.mesh.positions.len();
    let mirrored = placement.first().is_some_and(|m| m.determinant() < 0.0);
    if !append_triangles(data, primitive, mirrored, &mut hand.mesh)? {
        return Ok(());
    }
    let count = hand.mesh.positions.len() - first;
    let mut influences: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    for set in 0..2 {
        let (Some(joints), Some(weights)) =
            (primitive.get(&Semantic::Joints(set)), primitive.get(&Semantic::Weights(set)))
        else {
            if set == 0 {
                return Err(ImportProblem::NoSkin);
            }
            break;
        };
        let joints = data.integers::<4>(&joints, "JOINTS")?;
        let weights = data.floats::<4>(&weights, "WEIGHTS")?;
        for (attribute, found) in [("JOINTS", joints.len()), ("WEIGHTS", weights.len())] {
            if found != count {
                return Err(ImportProblem::AttributeCount { attribute, found, expected: count });
            }
        }
        for (vertex, (j, w)) in joints.iter().zip(&weights).enumerate() {
            for k in 0..4 {
                let joint = j[k] as usize;
                if w[k].is_finite() && w[k] > 0.0 && joint < placement.len() {
                    influences[vertex].push((joint, w[k]));
                }
            }
        }
    }
    for (vertex, influence) in influences.iter().enumerate() {
        let total: f64 = influence.iter().map(|i| i.1).sum();
        let position = &mut hand.mesh.positions[first + vertex];
        if total <= 0.0 {
            hand.weights.push(vec![(XrJoint::Wrist, 1.0)]);
            *position = placement.first().map_or(*position, |m| m.transform_point3(*position));
            continue;
        }
        let rest = *position;
        *position = influence.iter().map(|&(j, w)| w / total * placement[j].transform_point3(rest)).sum();
        hand.weights.push(influence.iter().map(|&(j, w)| (owners[j], w / total)).collect());
    }
    if let Some(accessor) = primitive.get(&Semantic::Colors(0)) {
        let rgb: Vec<[f64; 3]> = if accessor.dimensions().multiplicity() == 4 {
            data.floats::<4>(&accessor, "COLOR_0")?.into_iter().map(|c| [c[0], c[1], c[2]]).collect()
        } else {
            data.floats::<3>(&accessor, "COLOR_0")?
        };
        if rgb.len() == count && hand.colours.len() == first {
            hand.colours.extend(rgb.iter().map(|c| c.map(|v| v.clamp(0.0, 1.0) as f32)));
        }
    }
    Ok(())
}

fn check(mesh: &TriMesh) -> Result<(), ImportProblem> {
    if mesh.triangles.is_empty() {
        return Err(ImportProblem::NoTriangles);
    }
    // Beyond a kilometre products of coordinates lose what the mesh checks need.
    if let Some((vertex, p)) = mesh.positions.iter().enumerate().find(|(_, p)| !(p.is_finite() && p.length() < 1e3)) {
        return Err(ImportProblem::NotFinite { vertex, x: p.x, y: p.y, z: p.z });
    }
    Ok(())
}
