//! Meshes that enclose a volume, and the reasons why others do not.

use crate::geometry::{Aabb, TriMesh};
use crate::math::Vec3;

/// Most triangles a distance grid is built from.
pub const MOST_TRIANGLES: usize = 4_000_000;

/// Why a mesh cannot become a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There is no surface.
    #[error("the mesh has no triangles with an area")]
    Empty,
    /// More triangles than are handled.
    #[error("the mesh has {triangles} triangles; at most {MOST_TRIANGLES} are handled, so simplify it first")]
    TooLarge {
        /// How many there are.
        triangles: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are {vertices} vertices")]
    Index {
        /// Which triangle.
        triangle: usize,
        /// The index it holds.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Which vertex.
        vertex: usize,
    },
    /// The surface has a border, or triangles that face opposite ways next to each other.
    #[error(
        "the surface is not closed: {edges} edges are without a matching neighbour, the first from {from} to {to}; \
         close the holes and make all triangles face outwards"
    )]
    Open {
        /// How many edges lack a partner.
        edges: usize,
        /// One end of the first, metres.
        from: Vec3,
        /// Its other end.
        to: Vec3,
    },
    /// The surface encloses nothing.
    #[error("the mesh encloses no volume ({volume} m³)")]
    Flat {
        /// What was found.
        volume: f64,
    },
    /// A resolution outside the range that is handled.
    #[error("a grid of {resolution} nodes per axis is outside 24 to 256")]
    Resolution {
        /// What was asked for.
        resolution: usize,
    },
}

/// The mesh with coincident vertices joined and its triangles facing outwards, if it encloses a volume.
pub(super) fn close(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    if mesh.triangles.len() > MOST_TRIANGLES {
        return Err(MeshError::TooLarge { triangles: mesh.triangles.len() });
    }
    let vertices = mesh.positions.len();
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|i| **i as usize >= vertices) {
            return Err(MeshError::Index { triangle, index, vertices });
        }
    }
    if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(MeshError::NotFinite { vertex });
    }
    let size = Aabb::around(mesh.positions.iter().copied()).size().max_element();
    let mut welded = mesh.welded(1e-6 * size);
    if welded.triangles.is_empty() {
        return Err(MeshError::Empty);
    }
    refuse_open(&welded)?;
    let volume = signed_volume(&welded);
    if !volume.is_finite() || volume.abs() <= 1e-9 * size * size * size {
        return Err(MeshError::Flat { volume });
    }
    if volume < 0.0 {
        for triangle in &mut welded.triangles {
            triangle.swap(1, 2);
        }
    }
    Ok(welded)
}

/// Every edge must be walked as often one way as the other. That admits several solids that touch along an edge.
fn refuse_open(mesh: &TriMesh) -> Result<(), MeshError> {
    let mut walks: Vec<(u32, u32, i32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for [a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            walks.push((*from.min(to), *from.max(to), if from < to { 1 } else { -1 }));
        }
    }
    walks.sort_unstable();
    let unbalanced = |run: &&[(u32, u32, i32)]| run.iter().map(|walk| walk.2).sum::<i32>() != 0;
    let mut open = walks.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(unbalanced);
    let Some(first) = open.next() else { return Ok(()) };
    let [from, to] = [first[0].0, first[0].1].map(|i| mesh.positions[i as usize]);
    Err(MeshError::Open { edges: 1 + open.count(), from, to })
}

fn signed_volume(mesh: &TriMesh) -> f64 {
    let apex = mesh.positions[0];
    let six_volumes = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.positions[i as usize] - apex);
        a.dot(b.cross(c))
    };
    mesh.triangles.iter().map(six_volumes).sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::Shape;

    fn ball() -> TriMesh {
        Shape::Sphere { radius: 0.03 }.tessellate(0.01).unwrap()
    }

    #[test]
    fn a_hole_is_refused_and_located() {
        let mut mesh = ball();
        let hole = mesh.triangles.remove(7);
        let corners = hole.map(|i| mesh.positions[i as usize]);
        match close(&mesh) {
            Err(MeshError::Open { edges, from, to }) => {
                assert_eq!(edges, 3);
                assert!(corners.contains(&from) && corners.contains(&to));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_flipped_triangle_is_refused_but_a_whole_surface_inside_out_is_turned() {
        let mut mesh = ball();
        mesh.triangles[3].swap(0, 1);
        assert!(matches!(close(&mesh), Err(MeshError::Open { edges: 3, .. })));
        let mut inside_out = ball();
        for t in &mut inside_out.triangles {
            t.swap(0, 1);
        }
        assert!(signed_volume(&close(&inside_out).unwrap()) > 0.0);
    }

    #[test]
    fn broken_numbers_are_refused() {
        assert_eq!(close(&TriMesh::default()), Err(MeshError::Empty));
        let mut mesh = ball();
        mesh.positions[5].y = f64::NAN;
        assert_eq!(close(&mesh), Err(MeshError::NotFinite { vertex: 5 }));
        let mut mesh = ball();
        mesh.triangles[2][1] = 100_000;
        assert!(matches!(close(&mesh), Err(MeshError::Index { triangle: 2, index: 100_000, .. })));
        let doubled = TriMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z], triangles: vec![[0, 1, 2], [0, 2, 1]] };
        assert!(matches!(close(&doubled), Err(MeshError::Flat { .. })));
    }
}
