//! The skin carried by the tissue.
//!
//! Positions by barycentric weights; normals by the cofactor of the deformation gradient, averaged at the nodes so that
//! shading is smooth across elements. Both are linear in what the four nodes hold, so a node's position and cofactor
//! lie together in one cache line and are summed at once. Single precision suffices for display: at arm's length it
//! resolves 0.1 µm.

use super::SoftBody;
use crate::geometry::Embedding;
use crate::math::{Kernels, Mat3, Vec3, dispatch};

/// What one node lends to its vertices: position, then the three columns of the cofactor, four numbers each.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct NodeShare([f32; 16]);

/// How one vertex is carried.
#[derive(Clone, Copy, Debug)]
struct Carried {
    nodes: [u32; 4],
    weights: [f32; 4],
    normal: [f32; 3],
}

/// Carries the skin of one hand.
#[derive(Clone, Debug)]
pub(super) struct SkinCarrier {
    vertices: Vec<Carried>,
    inverse_rest: Vec<Mat3>,
    nodes: Vec<NodeShare>,
}

impl SkinCarrier {
    pub fn new(embedding: &Embedding, normals: &[Vec3], body: &SoftBody) -> Self {
        let narrow = |v: [f64; 4]| v.map(|x| x as f32);
        SkinCarrier {
            vertices: embedding
                .tets
                .iter()
                .zip(&embedding.weights)
                .zip(normals)
                .map(|((&tet, &weights), normal)| Carried {
                    nodes: body.tets[tet as usize],
                    weights: narrow(weights),
                    normal: normal.to_array().map(|x| x as f32),
                })
                .collect(),
            inverse_rest: body
                .tets
                .iter()
                .map(|t| {
                    let p = t.map(|i| body.rest[i as usize]);
                    Mat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]).inverse()
                })
                .collect(),
            nodes: vec![NodeShare::default(); body.node_count()],
        }
    }

    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Fills positions (metres) and unit normals for the given nodes.
    pub fn carry(
        &mut self,
        kernels: Kernels,
        tets: &[[u32; 4]],
        nodes: &[Vec3],
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        gather(tets, &self.inverse_rest, nodes, &mut self.nodes);
        spread(kernels, &self.vertices, &self.nodes, positions, normals);
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

fn spread(
    kernels: Kernels,
    vertices: &[Carried],
    nodes: &[NodeShare],
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    dispatch!(kernels, fn avx2<>(vertices: &[Carried], nodes: &[NodeShare], positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]]) { FUSED => spread_kernel::<FUSED>(vertices, nodes, positions, normals) });
}

/// Vertices whose normals are scaled to unit length together: roots and quotients are slow one by one.
const TOGETHER: usize = 8;

#[inline(always)]
fn spread_kernel<const FUSED: bool>(
    vertices: &[Carried],
    nodes: &[NodeShare],
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    let multiply_add = |a: f32, b: f32, c: f32| if FUSED { a.mul_add(b, c) } else { a * b + c };
    let chunks = vertices.chunks(TOGETHER).zip(positions.chunks_mut(TOGETHER)).zip(normals.chunks_mut(TOGETHER));
    for ((vertices, positions), normals) in chunks {
        let mut scale = [1.0f32; TOGETHER];
        for (k, vertex) in vertices.iter().enumerate() {
            let mut sum = [0.0f32; 16];
            for (&node, &w) in vertex.nodes.iter().zip(&vertex.weights) {
                let share = &nodes[node as usize].0;
                for k in 0..16 {
                    sum[k] = multiply_add(w, share[k], sum[k]);
                }
            }
            let rest = &vertex.normal;
            let mut n = [0.0f32; 3];
            for k in 0..3 {
                let across = multiply_add(sum[8 + k], rest[1], sum[12 + k] * rest[2]);
                n[k] = multiply_add(sum[4 + k], rest[0], across);
            }
            positions[k] = [sum[0], sum[1], sum[2]];
            normals[k] = n;
            scale[k] = multiply_add(n[0], n[0], multiply_add(n[1], n[1], n[2] * n[2]));
        }
        for s in &mut scale {
            *s = 1.0 / s.max(f32::MIN_POSITIVE).sqrt();
        }
        for (normal, s) in normals.iter_mut().zip(&scale) {
            *normal = normal.map(|n| n * s);
        }
    }
}
