//! The finished hand: what never changes while it is simulated.

use super::{BoneId, Digit, Side, Skeleton};
use crate::geometry::{Embedding, TetMesh, TriMesh};
use crate::math::Vec3;

/// A region of the skin that makes contact as one: a phalanx, or one of the regions of the palm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Patch(pub u8);

/// The visible surface of the hand at rest.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Closed surface in the hand frame.
    pub mesh: TriMesh,
    /// Unit outward normals per vertex, from the implicit surface.
    pub normals: Vec<Vec3>,
    /// Linear RGB albedo per vertex.
    pub colours: Vec<[f32; 3]>,
    /// For display: across and along the nearest nail per vertex, from −1 to 1 on its plate (1 along is its free edge) and up to 2
    /// around it; empty where nails are not known.
    pub nails: Vec<[f32; 2]>,
    /// Area that belongs to each vertex, m²; sums to the area of the surface.
    pub areas: Vec<f64>,
    /// The patch each vertex belongs to.
    pub patches: Vec<Patch>,
    /// For display by skinning: up to four (bone, weight) per vertex, weights summing to 1.
    pub weights: Vec<[(BoneId, f32); 4]>,
}

/// What an element is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TissueKind {
    /// Skin, fat and muscle as one.
    Flesh,
    /// An element that is mostly bone.
    Bone,
    /// An element under a nail.
    Nail,
    /// The cage of a rigid part: its corners are tied to the bone.
    Rigid,
}

/// The soft tissue: a tetrahedral mesh that encloses the skin.
#[derive(Clone, Debug, Default)]
pub struct Tissue {
    /// Nodes and elements at rest in the hand frame.
    pub mesh: TetMesh,
    /// Material of each element.
    pub kinds: Vec<TissueKind>,
    /// Fraction of each element inside the skin, 0 to 1: mass and stiffness are scaled by it.
    pub fill: Vec<f64>,
}

/// A spring between one element and one bone at the mean of the bone-surface samples inside it [CLAP §3.4, eq. 11].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The element.
    pub tet: u32,
    /// Barycentric weights of the mean sample in the element.
    pub weights: [f64; 4],
    /// The bone.
    pub bone: BoneId,
    /// The mean sample in the bone's frame, metres.
    pub local: Vec3,
    /// `N / N_total`: this pair's share of the bone's samples.
    pub share: f64,
}

/// A spring between one node and one bone with a skinning weight [Perez §II-A].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSpring {
    /// The node.
    pub node: u32,
    /// The bone.
    pub bone: BoneId,
    /// Rest position of the node in the bone's frame, metres.
    pub local: Vec3,
    /// Blending weight; the weights of a node sum to 1.
    pub weight: f64,
}

/// One of the places that carry a skin vertex over a joint, for display: `share` of the vertex lies at the element's
/// weighted point plus an offset that turns with the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamCarrier {
    /// The skin vertex.
    pub vertex: u32,
    /// Share of this place; the shares of a vertex sum to 1.
    pub share: f64,
    /// The element.
    pub tet: u32,
    /// Barycentric weights of the point of the element nearest to the vertex.
    pub weights: [f64; 4],
    /// The bone that turns the offset.
    pub bone: BoneId,
    /// From that point to the vertex at rest, in the bone's frame, metres; zero inside the element.
    pub offset: Vec3,
}

/// A point of a fingertip pad on which touch is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PadSample {
    /// The element that carries the sample.
    pub tet: u32,
    /// Barycentric weights in that element.
    pub weights: [f64; 4],
    /// Rest position in the distal bone's frame, metres.
    pub local: Vec3,
    /// Rest normal in the distal bone's frame.
    pub normal: Vec3,
}

/// A hand ready to be simulated: geometry, materials and attachments, all at rest in the hand frame.
#[derive(Clone, Debug)]
pub struct HandModel {
    /// Left or right.
    pub side: Side,
    /// The visible surface.
    pub skin: Skin,
    /// Bones and joints.
    pub skeleton: Skeleton,
    /// The soft tissue.
    pub tissue: Tissue,
    /// How the tissue carries the skin vertices.
    pub embedding: Embedding,
    /// Vertices that several pieces of tissue carry together, in order of their vertices; none in a hand of one piece.
    pub seams: Vec<SeamCarrier>,
    /// Bone-to-tissue springs by capsule samples [CLAP §3.4].
    pub attachments: Vec<Attachment>,
    /// Bone-to-tissue springs by blended skinning [Perez §II-A].
    pub node_springs: Vec<NodeSpring>,
    /// About 100 samples per fingertip pad, by [`Digit::index`].
    pub pads: [Vec<PadSample>; Digit::ALL.len()],
    /// Skin vertices that take part in contact, spread evenly and denser on the pads.
    pub contact_vertices: Vec<u32>,
    /// Area each contact vertex stands for, m²; sums to the area of the skin.
    pub contact_areas: Vec<f64>,
}
