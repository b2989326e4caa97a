//! The skin carried by the tissue.
//!
//! Positions by barycentric weights; normals by the cofactor of the deformation gradient, averaged at the nodes so that
//! shading is smooth across elements. Both are linear in what the four nodes hold, so a node's position and cofactor
//! lie together in one cache line and are summed at once, for eight vertices of an element at a time. Single precision
//! suffices for display: at arm's length it resolves 0.1 µm.

use super::seams::Seams;
use super::{SoftBody, SoftState};
use crate::hand::HandModel;
use crate::math::{Array, Kernels, Mat3, Vec3, Vector};
use std::sync::Arc;

/// What one node lends to its vertices: position, then the three columns of the cofactor, four numbers each.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct NodeShare(pub [f32; 16]);

/// Vertices worked on together: one register of single precision.
const LANES: usize = 8;

/// Eight vertices of one element. Where it carries fewer, the last one is repeated.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Bundle {
    weights: [[f32; LANES]; 4],
    /// Normals at rest, by axis.
    normal: [[f32; LANES]; 3],
    vertices: [u32; LANES],
    nodes: [u32; 4],
}

/// Carries the skin of one hand. Copies share what never changes.
#[derive(Clone, Debug)]
pub(super) struct SkinCarrier {
    bundles: Arc<[Bundle]>,
    inverse_rest: Arc<[Mat3]>,
    nodes: Vec<NodeShare>,
    seams: Seams,
}

impl SkinCarrier {
    pub fn new(hand: &HandModel, body: &SoftBody) -> Self {
        let (embedding, normals) = (&hand.embedding, &hand.skin.normals);
        // vertices over joints are blended afterwards
        let mut alone = vec![true; embedding.tets.len()];
        hand.seams.iter().for_each(|s| alone[s.vertex as usize] = false);
        let mut by_tet: Vec<u32> = (0..embedding.tets.len() as u32).filter(|&v| alone[v as usize]).collect();
        by_tet.sort_by_key(|&v| embedding.tets[v as usize]);
        let of_one_tet = by_tet.chunk_by(|&a, &b| embedding.tets[a as usize] == embedding.tets[b as usize]);
        let bundle = |vertices: &[u32]| {
            let vertices: [u32; LANES] = std::array::from_fn(|lane| vertices[lane.min(vertices.len() - 1)]);
            Bundle {
                weights: std::array::from_fn(|i| vertices.map(|v| embedding.weights[v as usize][i] as f32)),
                normal: std::array::from_fn(|axis| vertices.map(|v| normals[v as usize][axis] as f32)),
                vertices,
                nodes: body.tets[embedding.tets[vertices[0] as usize] as usize],
            }
        };
        SkinCarrier {
            bundles: of_one_tet.flat_map(|vertices| vertices.chunks(LANES)).map(bundle).collect(),
            inverse_rest: body
                .tets
                .iter()
                .map(|t| {
                    let p = t.map(|i| body.rest[i as usize]);
                    Mat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]).inverse()
                })
                .collect(),
            nodes: vec![NodeShare::default(); body.node_count()],
            seams: Seams::new(&hand.seams, normals, body),
        }
    }

    /// Fills positions (metres) and unit normals for the given nodes.
    pub fn carry(
        &mut self,
        kernels: Kernels,
        tets: &[[u32; 4]],
        state: &SoftState,
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        gather(tets, &self.inverse_rest, &state.nodes, &mut self.nodes);
        spread(kernels, &self.bundles, &self.nodes, positions, normals);
        self.seams.blend(kernels, &self.nodes, &state.bones, positions, normals);
    }
}

fn gather(tets: &[[u32; 4]], inverse_rest: &[Mat3], nodes: &[Vec3], shares: &mut [NodeShare]) {
    for (share, x) in shares.iter_mut().zip(nodes) {
        share.0 = [0.0; 16];
        share.0[..3].copy_from_slice(&x.to_array().map(|v| v as f32));
    }
    for (tet, inverse) in tets.iter().zip(inverse_rest) {
        let p = tet.map(|i| nodes[i as usize]);
        let f = Mat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]) * *inverse;
        let columns = [f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis)];
        let mut cofactor = [0.0f32; 12];
        for (k, c) in columns.iter().enumerate() {
            cofactor[4 * k..4 * k + 3].copy_from_slice(&c.to_array().map(|v| v as f32));
        }
        for &i in tet {
            for (sum, c) in shares[i as usize].0[4..].iter_mut().zip(&cofactor) {
                *sum += c;
            }
        }
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn spread(
    kernels: Kernels,
    bundles: &[Bundle],
    nodes: &[NodeShare],
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(bundles: &[Bundle], nodes: &[NodeShare], positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
            spread_bundles::<crate::math::avx2::F32x8>(bundles, nodes, positions, normals);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(bundles, nodes, positions, normals) };
    }
    spread_bundles::<Array<f32, LANES>>(bundles, nodes, positions, normals);
}

#[inline(always)]
fn spread_bundles<V: Vector<Scalar = f32>>(
    bundles: &[Bundle],
    nodes: &[NodeShare],
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    for bundle in bundles {
        let [a, b, c, d] = bundle.nodes;
        let shares = [&nodes[a as usize], &nodes[b as usize], &nodes[c as usize], &nodes[d as usize]];
        let [a, b, c, d] = &bundle.weights;
        let weights = [load::<V>(a), load::<V>(b), load::<V>(c), load::<V>(d)];
        let rest = [load::<V>(&bundle.normal[0]), load::<V>(&bundle.normal[1]), load::<V>(&bundle.normal[2])];
        let (mut place, mut normal) = ([V::splat(0.0); 3], [V::splat(0.0); 3]);
        for axis in 0..3 {
            place[axis] = blend(weights, shares, axis);
            let across =
                blend(weights, shares, 8 + axis).times_plus(rest[1], blend(weights, shares, 12 + axis) * rest[2]);
            normal[axis] = blend(weights, shares, 4 + axis).times_plus(rest[0], across);
        }
        let squared = normal[0].times_plus(normal[0], normal[1].times_plus(normal[1], normal[2] * normal[2]));
        let scale = V::splat(1.0) / squared.max(V::splat(f32::MIN_POSITIVE)).sqrt();
        let (mut places, mut directions) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        for axis in 0..3 {
            put(place[axis], &mut places[axis]);
            put(normal[axis] * scale, &mut directions[axis]);
        }
        for (lane, &vertex) in bundle.vertices.iter().enumerate() {
            positions[vertex as usize] = [places[0][lane], places[1][lane], places[2][lane]];
            normals[vertex as usize] = [directions[0][lane], directions[1][lane], directions[2][lane]];
        }
    }
}

/// One number of the four nodes, weighted for every vertex. One number at a time keeps all of them in registers.
#[inline(always)]
fn blend<V: Vector<Scalar = f32>>(weights: [V; 4], shares: [&NodeShare; 4], k: usize) -> V {
    let mut sum = weights[0] * V::splat(shares[0].0[k]);
    for i in 1..4 {
        sum = weights[i].times_plus(V::splat(shares[i].0[k]), sum);
    }
    sum
}

#[inline(always)]
fn load<V: Vector<Scalar = f32>>(from: &[f32; LANES]) -> V {
    const { assert!(V::LEN == LANES) };
    // SAFETY: a vector of eight reads eight numbers.
    unsafe { V::load(from.as_ptr()) }
}

#[inline(always)]
fn put<V: Vector<Scalar = f32>>(vector: V, to: &mut [f32; LANES]) {
    const { assert!(V::LEN == LANES) };
    // SAFETY: a vector of eight writes eight numbers.
    unsafe { vector.store(to.as_mut_ptr()) }
}
