//! Primitives as triangle meshes, for drawing and for tests.

use core::f64::consts::{PI, TAU};

use super::Shape;
use crate::geometry::TriMesh;
use crate::math::Vec3;

/// Most segments around a circle or along an edge, whatever spacing is asked for.
const MOST_SEGMENTS: usize = 512;

impl Shape {
    /// A closed mesh of the shape with edges of about `edge` metres. A grid yields the mesh it was made from, a compound the meshes of its parts together.
    /// `None` for a plane, which has no end.
    #[must_use]
    pub fn tessellate(&self, edge: f64) -> Option<TriMesh> {
        match self {
            Shape::Sphere { radius } => Some(revolve(&arc(*radius, 0.0, -PI / 2.0, PI / 2.0, edge), edge)),
            Shape::Capsule { half_height, radius } => {
                let mut profile = arc(*radius, -half_height, -PI / 2.0, 0.0, edge);
                profile.extend(line([*radius, -half_height], [*radius, *half_height], edge).skip(1));
                profile.extend(arc(*radius, *half_height, 0.0, PI / 2.0, edge).into_iter().skip(1));
                Some(revolve(&profile, edge))
            }
            Shape::Cylinder { half_height, radius } => {
                let (r, h) = (*radius, *half_height);
                let mut profile: Vec<_> = line([0.0, -h], [r, -h], edge).collect();
                profile.extend(line([r, -h], [r, h], edge).skip(1));
                profile.extend(line([r, h], [0.0, h], edge).skip(1));
                Some(revolve(&profile, edge))
            }
            Shape::Box { half } => Some(cuboid(*half, edge)),
            Shape::Plane => None,
            Shape::Grid(grid) => Some(grid.mesh().clone()),
            Shape::Compound(parts) => {
                let mut joined = TriMesh::default();
                for part in parts.iter() {
                    let mesh = part.shape.tessellate(edge)?;
                    let first = joined.positions.len() as u32;
                    joined.positions.extend(mesh.positions.iter().map(|p| part.pose.point(*p)));
                    joined.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first)));
                }
                Some(joined)
            }
        }
    }
}

/// Number of segments of about `edge` in `length`.
pub(super) fn segments(length: f64, edge: f64, fewest: usize) -> usize {
    // The cast saturates, so a zero or broken edge ends at the upper limit.
    ((length / edge).ceil() as usize).clamp(fewest, MOST_SEGMENTS)
}

/// Points `[distance from Y axis, height]` of a circle around `[0, height]` between two angles.
fn arc(radius: f64, height: f64, from: f64, to: f64, edge: f64) -> Vec<[f64; 2]> {
    let count = segments(radius * (to - from), edge, 6);
    let point = |k: usize| {
        let angle = from + (to - from) * k as f64 / count as f64;
        [radius * libm::cos(angle).max(0.0), height + radius * libm::sin(angle)]
    };
    (0..=count).map(point).collect()
}

fn line(a: [f64; 2], b: [f64; 2], edge: f64) -> impl Iterator<Item = [f64; 2]> {
    let length = ((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])).sqrt();
    let count = segments(length, edge, 1);
    (0..=count).map(move |k| {
        let t = k as f64 / count as f64;
        [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
    })
}

/// Turns a profile around Y, with the solid on its left; its end points lie on the axis.
pub(super) fn revolve(profile: &[[f64; 2]], edge: f64) -> TriMesh {
    let widest = profile.iter().map(|p| p[0]).fold(0.0, f64::max);
    let around = segments(TAU * widest, edge, 12);
    let inner = &profile[1..profile.len() - 1];
    let mut mesh = TriMesh::default();
    mesh.positions.push(Vec3::new(0.0, profile[0][1], 0.0));
    for [radius, height] in inner {
        for k in 0..around {
            let angle = TAU * k as f64 / around as f64;
            mesh.positions.push(Vec3::new(radius * libm::cos(angle), *height, -radius * libm::sin(angle)));
        }
    }
    let top = mesh.positions.len() as u32;
    mesh.positions.push(Vec3::new(0.0, profile[profile.len() - 1][1], 0.0));
    let ring = |row: usize, k: usize| (1 + row * around + k % around) as u32;
    for k in 0..around {
        mesh.triangles.push([0, ring(0, k + 1), ring(0, k)]);
        for row in 0..inner.len() - 1 {
            let [a, b, c, d] = [ring(row, k), ring(row, k + 1), ring(row + 1, k + 1), ring(row + 1, k)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh.triangles.push([ring(inner.len() - 1, k), ring(inner.len() - 1, k + 1), top]);
    }
    mesh
}

/// The nodes of a lattice over the surface of a box, shared at edges and corners, with its quads.
pub(super) struct BoxLattice {
    pub positions: Vec<Vec3>,
    /// Corners counter-clockwise from outside.
    pub quads: Vec<[u32; 4]>,
}

pub(super) fn box_lattice(half: Vec3, edge: f64) -> BoxLattice {
    let counts = [half.x, half.y, half.z].map(|h| segments(2.0 * h, edge, 1));
    let mut lattice = BoxLattice { positions: Vec::new(), quads: Vec::new() };
    // Index of each surface node, by lattice coordinates; two whole end layers and rings between them.
    let mut index = std::collections::BTreeMap::new();
    let mut node = |ijk: [usize; 3], positions: &mut Vec<Vec3>| {
        *index.entry(ijk).or_insert_with(|| {
            let along = |axis: usize| 2.0 * ijk[axis] as f64 / counts[axis] as f64 - 1.0;
            positions.push(half * Vec3::new(along(0), along(1), along(2)));
            positions.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (layer, outward) in [(0, false), (counts[axis], true)] {
            for i in 0..counts[u] {
                for j in 0..counts[v] {
                    let mut corner = |di: usize, dj: usize| {
                        let mut ijk = [0; 3];
                        ijk[axis] = layer;
                        ijk[u] = i + di;
                        ijk[v] = j + dj;
                        node(ijk, &mut lattice.positions)
                    };
                    let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !outward {
                        quad.reverse();
                    }
                    lattice.quads.push(quad);
                }
            }
        }
    }
    lattice
}

fn cuboid(half: Vec3, edge: f64) -> TriMesh {
    let lattice = box_lattice(half, edge);
    let triangles = lattice.quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh { positions: lattice.positions, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_closed_outward_and_on_the_surface() {
        let shapes = [
            Shape::Sphere { radius: 0.03 },
            Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) },
            Shape::Capsule { half_height: 0.04, radius: 0.01 },
            Shape::Cylinder { half_height: 0.04, radius: 0.02 },
        ];
        for shape in shapes {
            for edge in [0.002, 0.02, 1.0] {
                let mesh = shape.tessellate(edge).unwrap();
                let mut edges = std::collections::BTreeMap::new();
                for [a, b, c] in &mesh.triangles {
                    for (from, to) in [(a, b), (b, c), (c, a)] {
                        *edges.entry((from.min(to), from.max(to))).or_insert(0) += if from < to { 1 } else { -1 };
                    }
                    let [pa, pb, pc] = [a, b, c].map(|i| mesh.positions[*i as usize]);
                    let normal = (pb - pa).cross(pc - pa);
                    assert!(normal.dot(pa + pb + pc) > 0.0, "{shape:?}: a triangle faces inwards");
                }
                assert!(edges.values().all(|balance| *balance == 0), "{shape:?} is open");
                assert!(mesh.positions.iter().all(|p| shape.distance(*p).abs() < 1e-15), "{shape:?}");
            }
        }
        assert!(Shape::Plane.tessellate(0.1).is_none());
    }
}
