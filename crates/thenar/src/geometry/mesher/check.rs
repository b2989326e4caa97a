//! Refuses surfaces that cannot be filled, and says where they fail.

use super::{FEWEST_TETS, MOST_TETS};
use crate::geometry::orientation::segment_pierces_triangle;
use crate::geometry::triangle_tree::TriangleTree;
use crate::geometry::{TetMesh, TriMesh};
use crate::math::Vec3;

/// Why a surface cannot be filled with tetrahedra.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MesherError {
    /// Too few or too many elements asked for.
    #[error("tets = {asked} is out of range: ask for {FEWEST_TETS} to {MOST_TETS}")]
    Count {
        /// The number asked for.
        asked: usize,
    },
    /// No triangles at all.
    #[error("the surface has no triangles")]
    Empty,
    /// A vertex index beyond the vertex list.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are only {count} vertices")]
    Index {
        /// The triangle.
        triangle: usize,
        /// The index it holds.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// NaN or infinite coordinates.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle that uses a vertex twice or has no area.
    #[error("triangle {triangle} near {at} is degenerate: merge or remove it")]
    Degenerate {
        /// The triangle.
        triangle: usize,
        /// Its first corner, metres.
        at: Vec3,
    },
    /// An edge with one triangle: the surface has a hole.
    #[error("the surface is open: the edge between vertices {a} and {b} near {at} has only one triangle")]
    Open {
        /// One end of the edge.
        a: u32,
        /// The other end.
        b: u32,
        /// Middle of the edge, metres.
        at: Vec3,
    },
    /// An edge with more than two triangles, or two that disagree about what is outside.
    #[error(
        "the surface is not manifold: the edge between vertices {a} and {b} near {at} has {count} triangles on one side"
    )]
    NonManifold {
        /// One end of the edge.
        a: u32,
        /// The other end.
        b: u32,
        /// Middle of the edge, metres.
        at: Vec3,
        /// Triangles that use the edge in the same direction.
        count: usize,
    },
    /// Two triangles that cross.
    #[error("the surface intersects itself: triangles {first} and {second} cross near {at}")]
    SelfIntersecting {
        /// One triangle.
        first: u32,
        /// The other.
        second: u32,
        /// A corner of the first, metres.
        at: Vec3,
    },
    /// Nothing inside.
    #[error("the surface encloses {volume:.3e} m³: it is flat, or its triangles point inwards")]
    NoVolume {
        /// The signed volume, m³.
        volume: f64,
    },
    /// The shape needs more elements than asked for.
    #[error("{asked} elements cannot follow this surface well; {reached} can: ask for about that many")]
    Unreached {
        /// Elements aimed at.
        asked: usize,
        /// Elements that good shapes need.
        reached: usize,
    },
    /// The shape is too thin for any lattice that can be filled in reasonable time and memory.
    #[error("the surface is too thin or too detailed to fill: the finest lattice tried had cells of {cell:.3e} m")]
    TooDetailed {
        /// Size of the finest lattice cell tried, metres.
        cell: f64,
    },
}

pub(super) fn check_count(asked: usize) -> Result<(), MesherError> {
    if (FEWEST_TETS..=MOST_TETS).contains(&asked) { Ok(()) } else { Err(MesherError::Count { asked }) }
}

/// Signed volume enclosed by a closed surface, m³; positive if its triangles point outwards.
#[must_use]
pub fn surface_volume(surface: &TriMesh) -> f64 {
    surface
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| surface.positions[v as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

/// Checks that a surface is closed, manifold, free of self-intersections and encloses a volume, which it returns (m³).
///
/// # Errors
/// The first defect found, with its place.
pub fn check_surface(surface: &TriMesh) -> Result<f64, MesherError> {
    check_triangles(surface)?;
    check_edges(surface)?;
    let volume = surface_volume(surface);
    let lo = surface.positions.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let hi = surface.positions.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    let span = (hi - lo).max_element();
    // Thinner than a millionth of its span in the mean: nothing a lattice could resolve.
    if volume.is_nan() || volume <= 1e-9 * span * span * span {
        return Err(MesherError::NoVolume { volume });
    }
    check_crossings(surface)?;
    Ok(volume)
}

fn check_triangles(surface: &TriMesh) -> Result<(), MesherError> {
    if surface.triangles.is_empty() {
        return Err(MesherError::Empty);
    }
    if let Some(vertex) = surface.positions.iter().position(|p| !p.is_finite()) {
        return Err(MesherError::NotFinite { vertex });
    }
    let count = surface.positions.len();
    for (triangle, t) in surface.triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|v| **v as usize >= count) {
            return Err(MesherError::Index { triangle, vertex, count });
        }
        if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
            return Err(MesherError::Degenerate { triangle, at: surface.positions[t[0] as usize] });
        }
    }
    Ok(())
}

/// Every directed edge must occur once, and so must its reverse.
fn check_edges(surface: &TriMesh) -> Result<(), MesherError> {
    let mut edges: Vec<(u32, u32)> =
        surface.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
    edges.sort_unstable();
    let middle = |a: u32, b: u32| 0.5 * (surface.positions[a as usize] + surface.positions[b as usize]);
    let mut i = 0;
    while i < edges.len() {
        let (a, b) = edges[i];
        let count = edges[i..].iter().take_while(|e| **e == (a, b)).count();
        if count > 1 {
            return Err(MesherError::NonManifold { a, b, at: middle(a, b), count });
        }
        if edges.binary_search(&(b, a)).is_err() {
            return Err(MesherError::Open { a, b, at: middle(a, b) });
        }
        i += 1;
    }
    Ok(())
}

/// True if every edge of the boundary of a mesh has exactly two boundary faces.
pub(super) fn is_closed_manifold(mesh: &TetMesh) -> bool {
    check_edges(&mesh.boundary()).is_ok()
}

fn check_crossings(surface: &TriMesh) -> Result<(), MesherError> {
    let tree = TriangleTree::new(surface);
    let corners = |t: u32| surface.triangles[t as usize].map(|v| surface.positions[v as usize]);
    for first in 0..surface.triangles.len() as u32 {
        let [a, b, c] = corners(first);
        let mut crossing = None;
        tree.for_each_in_box(a.min(b).min(c), a.max(b).max(c), |second| {
            if crossing.is_none() && second > first && cross(surface, first, second) {
                crossing = Some(second);
            }
        });
        if let Some(second) = crossing {
            return Err(MesherError::SelfIntersecting { first, second, at: a });
        }
    }
    Ok(())
}

/// True if an edge of one triangle pierces the other, edges at shared vertices aside.
fn cross(surface: &TriMesh, first: u32, second: u32) -> bool {
    let (t, s) = (surface.triangles[first as usize], surface.triangles[second as usize]);
    let shared = t.iter().filter(|v| s.contains(v)).count();
    if shared >= 2 {
        return false;
    }
    let at = |v: u32| surface.positions[v as usize];
    let pierces = |edges: [u32; 3], face: [u32; 3]| {
        (0..3).any(|i| {
            let (a, b) = (edges[i], edges[(i + 1) % 3]);
            !face.contains(&a) && !face.contains(&b) && segment_pierces_triangle(at(a), at(b), face.map(at))
        })
    };
    pierces(t, s) || pierces(s, t)
}
