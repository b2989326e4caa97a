//! Skin over the joints of a hand made of pieces: blended between the pieces on both sides, so that it stays whole.

use super::SoftBody;
use super::skin::NodeShare;
use crate::energy::inertia::RigidState;
use crate::hand::SeamCarrier;
use crate::math::{Kernels, Mat3, Vec3};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
struct Carrier {
    share: f32,
    /// Share divided by what the nodes' cofactors sum to at rest: pieces differ in how many elements meet at a node.
    normal_share: f32,
    weights: [f32; 4],
    nodes: [u32; 4],
    bone: u32,
    offset: [f32; 3],
}

#[derive(Clone, Debug)]
struct Vertex {
    vertex: u32,
    normal: [f32; 3],
    carriers: std::ops::Range<u32>,
}

/// The blended vertices of one hand.
#[derive(Clone, Debug)]
pub(super) struct Seams {
    carriers: Arc<[Carrier]>,
    vertices: Arc<[Vertex]>,
}

impl Seams {
    pub fn new(seams: &[SeamCarrier], normals: &[Vec3], body: &SoftBody) -> Seams {
        let mut elements = vec![0.0; body.node_count()];
        body.tets.iter().flatten().for_each(|&n| elements[n as usize] += 1.0);
        let carriers = seams.iter().map(|s| {
            let nodes = body.tets[s.tet as usize];
            let summed: f64 = (0..4).map(|k| s.weights[k] * elements[nodes[k] as usize]).sum();
            Carrier {
                share: s.share as f32,
                normal_share: (s.share / summed) as f32,
                weights: s.weights.map(|w| w as f32),
                nodes,
                bone: u32::from(s.bone.0),
                offset: single(s.offset),
            }
        });
        let mut vertices: Vec<Vertex> = Vec::new();
        for (i, seam) in seams.iter().enumerate() {
            match vertices.last_mut().filter(|last| last.vertex == seam.vertex) {
                Some(last) => last.carriers.end = i as u32 + 1,
                None => vertices.push(Vertex {
                    vertex: seam.vertex,
                    normal: single(normals[seam.vertex as usize]),
                    carriers: i as u32..i as u32 + 1,
                }),
            }
        }
        Seams { carriers: carriers.collect(), vertices: vertices.into() }
    }

    /// Places the blended vertices; the nodes' shares must have been gathered.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
    pub fn blend(
        &self,
        kernels: Kernels,
        nodes: &[NodeShare],
        bones: &[RigidState],
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        #[cfg(target_arch = "x86_64")]
        if kernels.has_avx2() {
            #[target_feature(enable = "avx2,fma")]
            fn avx2(
                seams: &Seams,
                nodes: &[NodeShare],
                bones: &[RigidState],
                positions: &mut [[f32; 3]],
                normals: &mut [[f32; 3]],
            ) {
                seams.blend_vertices(nodes, bones, positions, normals);
            }
            // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
            return unsafe { avx2(self, nodes, bones, positions, normals) };
        }
        self.blend_vertices(nodes, bones, positions, normals);
    }

    #[inline(always)]
    fn blend_vertices(
        &self,
        nodes: &[NodeShare],
        bones: &[RigidState],
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        let mut turns = [[[0.0f32; 3]; 3]; crate::hand::BONE_COUNT];
        for (turn, bone) in turns.iter_mut().zip(bones) {
            let r = Mat3::from_quat(bone.pose.rotation);
            *turn = [single(r.x_axis), single(r.y_axis), single(r.z_axis)];
        }
        for v in self.vertices.iter() {
            let (mut place, mut direction) = ([0.0f32; 3], [0.0f32; 3]);
            for c in &self.carriers[v.carriers.start as usize..v.carriers.end as usize] {
                let mut sum = [0.0f32; 16];
                for (w, &n) in c.weights.iter().zip(&c.nodes) {
                    for (s, x) in sum.iter_mut().zip(&nodes[n as usize].0) {
                        *s += w * x;
                    }
                }
                let [x, y, z] = &turns[c.bone as usize];
                for k in 0..3 {
                    let offset = x[k] * c.offset[0] + y[k] * c.offset[1] + z[k] * c.offset[2];
                    place[k] += c.share * (sum[k] + offset);
                    let normal = sum[4 + k] * v.normal[0] + sum[8 + k] * v.normal[1] + sum[12 + k] * v.normal[2];
                    direction[k] += c.normal_share * normal;
                }
            }
            positions[v.vertex as usize] = place;
            let scale = 1.0 / length(direction);
            normals[v.vertex as usize] = direction.map(|d| d * scale);
        }
    }
}

fn length(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).max(f32::MIN_POSITIVE).sqrt()
}

fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}
