//! Vertices of a surface that are spread evenly over it, those that stick out first.

use super::TriMesh;
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Chooses vertices of a surface, the sharpest first, none nearer to another on its side of the body than `spacing` (metres, per vertex, at
/// most `widest`). `normals` and `areas` are those of the vertices; one without an area belongs to no triangle and is not chosen.
#[must_use]
pub fn spread(mesh: &TriMesh, normals: &[Vec3], areas: &[f64], spacing: &[f64], widest: f64) -> Vec<u32> {
    let sharpness = sharpness(mesh);
    let mut order: Vec<u32> = (0..mesh.positions.len() as u32).filter(|&v| areas[v as usize] > 0.0).collect();
    order.sort_by(|&a, &b| sharpness[b as usize].total_cmp(&sharpness[a as usize]).then(a.cmp(&b)));
    let cell = |p: Vec3| (p / widest).floor().to_array().map(|x| x as i64);
    let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for v in order {
        let (at, normal, near) = (mesh.positions[v as usize], normals[v as usize], spacing[v as usize]);
        let [x, y, z] = cell(at);
        let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
        let crowded = around.filter_map(|key| cells.get(&key)).flatten().any(|&c| {
            mesh.positions[c as usize].distance_squared(at) < near * near && normals[c as usize].dot(normal) > 0.0
        });
        if !crowded {
            cells.entry([x, y, z]).or_default().push(v);
            chosen.push(v);
        }
    }
    chosen
}

/// How much the triangles around each vertex disagree about their normal: 0 where it is flat, 0.29 on the edge of a box, 0.42 at its
/// corner. Rounded, so that what is equally sharp keeps its order.
fn sharpness(mesh: &TriMesh) -> Vec<f64> {
    let mut sums = vec![(Vec3::ZERO, 0.0); mesh.positions.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(t);
        let across = (b - a).cross(c - a);
        for &v in triangle {
            let (sum, total) = &mut sums[v as usize];
            *sum += across;
            *total += across.length();
        }
    }
    sums.iter()
        .map(|(sum, total)| if *total > 0.0 { ((1.0 - sum.length() / total) * 50.0).round() / 50.0 } else { 0.0 })
        .collect()
}
