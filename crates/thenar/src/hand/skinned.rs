//! A hand from somebody else's skin: a skinned surface with named joints becomes the same parts as one built from anatomy.

use super::build_skeleton::build_skeleton;
use super::contact_points::contact_vertices;
use super::fit::{measure_digit, measure_palm, rest_joint_set};
use super::fit_gaps::{Measured, fill_gaps};
use super::joint_frames::{align_joints, digit_joints, mirrored_joints};
use super::rest_pose::{DigitChain, rest_chains};
use super::skin::MarkedSkin;
use super::skinned_site::SiteMap;
use super::{
    Anatomy, AnatomyError, BoneId, Digit, FitError, HandParts, JointSet, Preset, Side, Skin, XrJoint, carrier,
};
use crate::geometry::{SurfaceDistance, SurfaceError, TriMesh};
use crate::math::{Pose, Vec3};

/// Linear RGB of a skin without colours.
const SKIN_COLOUR: [f32; 3] = [0.60, 0.36, 0.26];
/// A skin with fewer triangles than this is refined, so that its pads carry enough contact vertices.
const LEAST_TRIANGLES: usize = 9_000;
/// Most rounds of refinement, each of which makes four triangles of one.
const MOST_ROUNDS: usize = 4;

/// A closed skinned surface with its joints, in any common coordinates, metres.
#[derive(Clone, Debug)]
pub struct SkinnedSurface {
    /// Left or right.
    pub side: Side,
    /// The closed surface.
    pub mesh: TriMesh,
    /// Linear RGB per vertex; may be empty.
    pub colours: Vec<[f32; 3]>,
    /// Joints that carry each vertex, with weights that sum to 1.
    pub weights: Vec<Vec<(XrJoint, f64)>>,
    /// Placement of the joints at rest. Fingertips and metacarpals may be missing; orientations are believed as far as
    /// their -Z follows the bones.
    pub joints: JointSet,
}

/// Why no hand can be made from a skinned surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinnedError {
    /// The surface bounds no solid.
    #[error("the skin is no closed surface: {0}")]
    Surface(#[from] SurfaceError),
    /// The joints make no hand.
    #[error("the joints make no hand: {0}")]
    Joints(#[from] FitError),
    /// The measures of the hand are out of range.
    #[error("the hand has impossible measures: {0}")]
    Anatomy(#[from] AnatomyError),
    /// One list per vertex is needed.
    #[error("there are weights for {found} vertices, but the surface has {vertices}")]
    WeightCount {
        /// Number of weight lists.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A joint outside the skin.
    #[error("joint {joint:?} lies {distance:.4} m outside the skin at rest: joints and skin do not belong together")]
    JointOutside {
        /// Which joint.
        joint: XrJoint,
        /// How far outside, metres.
        distance: f64,
    },
}

impl SkinnedSurface {
    /// Skin, skeleton, patches, contact vertices and pads in the hand frame.
    ///
    /// # Errors
    /// If the surface is not closed or cuts itself, or the joints are not those of a hand inside it.
    pub fn parts(&self) -> Result<HandParts, SkinnedError> {
        if self.weights.len() != self.mesh.positions.len() {
            let (found, vertices) = (self.weights.len(), self.mesh.positions.len());
            return Err(SkinnedError::WeightCount { found, vertices });
        }
        let mirrored = (self.side == Side::Left).then(|| self.mirrored());
        let right = mirrored.as_ref().unwrap_or(self);
        // Joints first: a hand in millimetres shall be told so, not that its skin crosses itself.
        let preset = Anatomy::preset(Preset::Adult, Side::Right);
        let filled = fill_gaps(&right.joints, &preset, &rest_chains(&preset))?;
        self.mesh.check_solid()?;
        let parts = right.right_parts(&preset, &filled)?;
        Ok(if self.side == Side::Left { mirrored_parts(parts) } else { parts })
    }

    fn mirrored(&self) -> SkinnedSurface {
        SkinnedSurface {
            side: Side::Right,
            mesh: self.mesh.mirrored(),
            joints: mirrored_joints(&self.joints),
            ..self.clone()
        }
    }

    fn right_parts(&self, preset: &Anatomy, filled: &Measured) -> Result<HandParts, SkinnedError> {
        let aligned = align_joints(&filled.joints, Side::Right, &rest_joint_set(&rest_chains(preset)));
        let Some(wrist) = aligned[XrJoint::Wrist].map(|j| j.pose) else {
            return Err(FitError::Needed(XrJoint::Wrist).into());
        };
        let to_hand = wrist.inverse();
        let joints = JointSet(aligned.0.map(|joint| {
            joint.map(|mut j| {
                j.pose = to_hand * j.pose;
                j
            })
        }));
        let mut mesh = self.mesh.clone();
        mesh.positions.iter_mut().for_each(|p| *p = to_hand.point(*p));
        let (mesh, blend) = refined(mesh);
        let distance = SurfaceDistance::new(&mesh);
        check_inside(&joints, &distance)?;

        let weights = self.bone_weights(&blend);
        let chains = Digit::ALL.map(|digit| chain(digit, &joints, &mesh, &weights));
        let anatomy = measured(preset, &joints, &chains, filled.scale, &distance)?;
        let skeleton = build_skeleton(&anatomy, &chains, &|p| distance.distance(p));
        let sites = SiteMap::new(&chains, &skeleton);
        let normals = mesh.vertex_normals();
        let site = |v: usize| sites.site(mesh.positions[v], normals[v], &weights[v]);
        let vertices = 0..mesh.positions.len();
        let marked = MarkedSkin {
            nail: vertices.clone().map(|v| site(v).nail).collect(),
            pad: vertices.clone().map(|v| site(v).pad).collect(),
            skin: Skin {
                areas: mesh.vertex_areas(),
                patches: vertices.clone().map(|v| site(v).patch).collect(),
                colours: vertices.map(|v| self.colour(&blend[v])).collect(),
                nails: Vec::new(),
                weights,
                normals,
                mesh,
            },
        };
        let (contact_vertices, contact_areas) = contact_vertices(&marked);
        let pads = Digit::ALL.map(|digit| sites.pad_points(digit, &distance));
        let MarkedSkin { skin, nail, .. } = marked;
        Ok(HandParts { side: Side::Right, skin, skeleton, contact_vertices, contact_areas, pads, nail })
    }

    /// The four heaviest bones of each vertex of the refined skin.
    fn bone_weights(&self, blend: &[Blend]) -> Vec<[(BoneId, f32); 4]> {
        (blend.iter())
            .map(|parts| {
                let mut bones = [0.0; super::BONE_COUNT];
                for &(vertex, share) in parts {
                    for &(joint, weight) in &self.weights[vertex as usize] {
                        bones[carrier(joint).index()] += share * weight;
                    }
                }
                let mut order: Vec<BoneId> = BoneId::all().collect();
                order.sort_by(|a, b| bones[b.index()].total_cmp(&bones[a.index()]).then(a.cmp(b)));
                let total: f64 = order[..4].iter().map(|b| bones[b.index()]).sum();
                let share = |b: BoneId| if total > 0.0 { bones[b.index()] / total } else { 0.0 };
                let mut out = [0, 1, 2, 3].map(|i| (order[i], share(order[i]) as f32));
                if total <= 0.0 {
                    out[0] = (BoneId::PALM, 1.0);
                }
                out
            })
            .collect()
    }

    fn colour(&self, parts: &Blend) -> [f32; 3] {
        if self.colours.len() != self.mesh.positions.len() {
            return SKIN_COLOUR;
        }
        let mut sum = [0.0; 3];
        for &(vertex, share) in parts {
            for c in 0..3 {
                sum[c] += share as f32 * self.colours[vertex as usize][c];
            }
        }
        sum
    }
}

/// The original vertices a vertex of the refined skin is made of, with shares that sum to 1.
type Blend = Vec<(u32, f64)>;

/// Refines a coarse surface until it has enough triangles. New vertices bulge with the normals of the old ones; where that
/// would make the surface cut itself (in narrow webs) they stay on the middle of their edges.
fn refined(mut mesh: TriMesh) -> (TriMesh, Vec<Blend>) {
    let mut blend: Vec<Blend> = (0..mesh.positions.len() as u32).map(|v| vec![(v, 1.0)]).collect();
    for _ in 0..MOST_ROUNDS {
        if mesh.triangles.len() >= LEAST_TRIANGLES {
            break;
        }
        let round = quartered(&mesh, 0.75);
        let sound = round.0.check_solid().is_ok();
        let (finer, edges) = if sound { round } else { quartered(&mesh, 0.0) };
        for [a, b] in edges {
            let halves = [a, b].into_iter().flat_map(|v| blend[v as usize].clone());
            let mut mixed: Blend = halves.map(|(v, share)| (v, 0.5 * share)).collect();
            mixed.sort_unstable_by_key(|part| part.0);
            mixed.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += later.1;
                }
                same
            });
            blend.push(mixed);
        }
        mesh = finer;
    }
    (mesh, blend)
}

/// Four triangles for one; a new vertex per edge, moved from its middle towards the tangent planes at both ends by the
/// fraction `bulge` [Boubekeur & Alexa 2008, "Phong tessellation"]. Returns the edges in the order of their vertices.
fn quartered(mesh: &TriMesh, bulge: f64) -> (TriMesh, Vec<[u32; 2]>) {
    let normals = mesh.vertex_normals();
    let edges = mesh.edges();
    let first = mesh.positions.len() as u32;
    let mut finer =
        TriMesh { positions: mesh.positions.clone(), triangles: Vec::with_capacity(4 * mesh.triangles.len()) };
    for &[a, b] in &edges {
        let [a, b] = [a as usize, b as usize];
        let middle = 0.5 * (mesh.positions[a] + mesh.positions[b]);
        let onto = |v: usize| middle - (middle - mesh.positions[v]).dot(normals[v]) * normals[v];
        finer.positions.push(middle.lerp(0.5 * (onto(a) + onto(b)), bulge));
    }
    let of = |a: u32, b: u32| {
        let edge = [a.min(b), a.max(b)];
        first + edges.binary_search(&edge).unwrap_or_default() as u32
    };
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [of(a, b), of(b, c), of(c, a)];
        finer.triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (finer, edges)
}

/// Joints of digits must lie inside the skin; tips and the wrist, which trackers put on the skin, nearly so.
fn check_inside(joints: &JointSet, distance: &SurfaceDistance) -> Result<(), SkinnedError> {
    for joint in XrJoint::ALL {
        let Some(sample) = joints[joint] else { continue };
        let outside = distance.distance(sample.pose.position);
        let tip = Digit::ALL.iter().any(|d| XrJoint::tip(*d) == joint);
        let allowed = if tip || joint == XrJoint::Wrist || joint == XrJoint::Palm { 0.02 } else { 0.0 };
        if outside > allowed {
            return Err(SkinnedError::JointOutside { joint, distance: outside });
        }
    }
    Ok(())
}

/// Frames along a digit; the last is where the skin ends beyond the tip.
fn chain(digit: Digit, joints: &JointSet, mesh: &TriMesh, weights: &[[(BoneId, f32); 4]]) -> DigitChain {
    let pose = |joint: XrJoint| joints[joint].map_or(Pose::IDENTITY, |j| j.pose);
    let names = digit_joints(digit);
    let mut frames: Vec<Pose> = names.iter().map(|&j| pose(j)).collect();
    let distal = frames[frames.len() - 2];
    let bone = BoneId::of(digit, 2);
    let end = (mesh.positions.iter().zip(weights))
        .filter(|(_, w)| w[0].0 == bone)
        .map(|(p, _)| -distal.local(*p).z)
        .fold(0.0, f64::max);
    // A tip on the skin (or beyond) is drawn back into the bone, so that the bone stays inside the flesh.
    let last = frames.len() - 1;
    let reach = (-distal.local(frames[last].position).z).min(end - 0.15 * end);
    let place = |depth: f64| Pose::new(distal.point(Vec3::new(0.0, 0.0, -depth)), distal.rotation);
    frames[last] = place(reach.max(0.005));
    frames.push(place(end.max(reach + 0.001)));
    DigitChain { frames }
}

/// Measures of the hand: lengths from joints, sections from the skin, angles of rest as they are.
fn measured(
    preset: &Anatomy,
    joints: &JointSet,
    chains: &[DigitChain; 5],
    scale: f64,
    distance: &SurfaceDistance,
) -> Result<Anatomy, AnatomyError> {
    let mut joints = joints.clone();
    for sample in joints.0.iter_mut().flatten() {
        sample.radius = (-distance.distance(sample.pose.position)).max(0.0);
    }
    let mut anatomy = preset.clone().scaled(scale, scale, scale);
    for digit in Digit::ALL {
        measure_digit(&mut anatomy, digit, &joints, Pose::IDENTITY);
        let frames = &chains[digit.index()].frames;
        let measures = anatomy.digit_mut(digit);
        let end = frames.len() - 1;
        measures.distal = frames[end - 2].position.distance(frames[end - 1].position);
        measures.soft_tip = frames[end - 1].position.distance(frames[end].position).clamp(0.001, 0.02);
        let first = usize::from(digit == Digit::Thumb);
        for joint in first..3 {
            let (parent, child) = (frames[joint - first], frames[joint - first + 1]);
            let along = parent.rotation.inverse() * child.rotation * Vec3::NEG_Z;
            measures.rest_flexion[joint] = libm::atan2(-along.y, -along.z);
        }
        for joint in 0..3 {
            let rest = measures.rest_flexion[joint];
            let range = &mut measures.flexion[joint];
            *range = [range[0].min(rest), range[1].max(rest)];
        }
    }
    measure_palm(&mut anatomy, preset, &joints, scale);
    anatomy.validate()?;
    Ok(anatomy)
}

fn mirrored_parts(parts: HandParts) -> HandParts {
    let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
    let pads = parts.pads.map(|points| {
        points
            .into_iter()
            .map(|mut p| {
                (p.local, p.normal) = (flip(p.local), flip(p.normal));
                p
            })
            .collect()
    });
    HandParts { side: Side::Left, skin: parts.skin.mirrored(), skeleton: parts.skeleton.mirrored(), pads, ..parts }
}
