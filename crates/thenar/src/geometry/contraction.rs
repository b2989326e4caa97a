//! A coarser surface from a finer one: every vertex joins the chosen vertex nearest along the surface, and triangles
//! between three different regions remain.

use super::TriMesh;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which vertices share an edge with each vertex.
#[must_use]
pub fn neighbours(vertices: usize, edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); vertices];
    for &[a, b] in edges {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    }
    lists
}

/// For each vertex the seed nearest along edges, as an index into `seeds`; `u32::MAX` where none can be reached.
#[must_use]
pub fn nearest_seeds(mesh: &TriMesh, seeds: &[u32]) -> Vec<u32> {
    let around = neighbours(mesh.positions.len(), &mesh.edges());
    let mut owner = vec![u32::MAX; mesh.positions.len()];
    // Distances are positive, so their bits order as they do.
    let mut queue: BinaryHeap<Reverse<(u64, u32, u32)>> =
        seeds.iter().enumerate().map(|(i, &v)| Reverse((0, v, i as u32))).collect();
    while let Some(Reverse((bits, v, source))) = queue.pop() {
        if owner[v as usize] != u32::MAX {
            continue;
        }
        owner[v as usize] = source;
        for &next in &around[v as usize] {
            if owner[next as usize] == u32::MAX {
                let step = mesh.positions[v as usize].distance(mesh.positions[next as usize]);
                queue.push(Reverse(((f64::from_bits(bits) + step).to_bits(), next, source)));
            }
        }
    }
    owner
}

/// The triangles that remain between seeds, as indices into the seeds, each once.
#[must_use]
pub fn contracted(mesh: &TriMesh, owner: &[u32]) -> Vec<[u32; 3]> {
    let mut kept: Vec<([u32; 3], [u32; 3])> = (mesh.triangles.iter())
        .map(|t| t.map(|v| owner[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a && [a, b, c].iter().all(|&&o| o != u32::MAX))
        .map(|t| {
            let mut key = t;
            key.sort_unstable();
            (key, t)
        })
        .collect();
    kept.sort_unstable();
    kept.dedup_by_key(|(key, _)| *key);
    kept.into_iter().map(|(_, t)| t).collect()
}

/// Vertices within `reach` metres of `from` along edges, `from` included, in order of distance.
#[must_use]
pub fn within_reach(mesh: &TriMesh, around: &[Vec<u32>], from: u32, reach: f64) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut queue = BinaryHeap::from([Reverse((0u64, from))]);
    while let Some(Reverse((bits, v))) = queue.pop() {
        if found.contains(&v) {
            continue;
        }
        found.push(v);
        for &next in &around[v as usize] {
            let far = f64::from_bits(bits) + mesh.positions[v as usize].distance(mesh.positions[next as usize]);
            if far <= reach && !found.contains(&next) {
                queue.push(Reverse((far.to_bits(), next)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    /// A flat square of `n` by `n` cells, a millimetre each.
    fn square(n: u32) -> TriMesh {
        let at = |i: u32, j: u32| j * (n + 1) + i;
        let mut mesh = TriMesh::default();
        for j in 0..=n {
            for i in 0..=n {
                mesh.positions.push(Vec3::new(f64::from(i), f64::from(j), 0.0) * 1e-3);
            }
        }
        for j in 0..n {
            for i in 0..n {
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        mesh
    }

    #[test]
    fn all_vertices_as_seeds_leave_the_surface_as_it_is() {
        let mesh = square(4);
        let seeds: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        let owner = nearest_seeds(&mesh, &seeds);
        assert_eq!(owner, seeds);
        assert_eq!(contracted(&mesh, &owner).len(), mesh.triangles.len());
    }

    #[test]
    fn a_coarser_square_keeps_its_orientation_and_most_of_its_area() {
        let mesh = square(12);
        let seeds: Vec<u32> = (0..169).filter(|v| (v % 13) % 3 == 0 && (v / 13) % 3 == 0).collect();
        let owner = nearest_seeds(&mesh, &seeds);
        let coarse = TriMesh {
            positions: seeds.iter().map(|&v| mesh.positions[v as usize]).collect(),
            triangles: contracted(&mesh, &owner),
        };
        assert!((coarse.area() - mesh.area()).abs() < 1e-9, "{} of {} m²", coarse.area(), mesh.area());
        for t in 0..coarse.triangles.len() {
            let [a, b, c] = coarse.corners(t);
            assert!((b - a).cross(c - a).z > 0.0);
        }
    }

    #[test]
    fn reach_is_measured_along_the_surface() {
        let mesh = square(6);
        let around = neighbours(mesh.positions.len(), &mesh.edges());
        let near = within_reach(&mesh, &around, 0, 2.1e-3);
        // right, up and along the diagonals of the cells
        assert_eq!(near.len(), 6);
        assert_eq!(near[0], 0);
    }
}
