//! Balls of tetrahedra.
#![allow(dead_code)] // Each test uses its part.

use super::box_mesh;
use thenar::geometry::TetMesh;
use thenar::math::Vec3;

/// A ball about `centre`: a box of `cells` cubes along each edge, pushed out onto spheres.
pub fn ball(centre: Vec3, radius: f64, cells: usize) -> TetMesh {
    let mut mesh = box_mesh([cells; 3], Vec3::splat(2.0));
    for p in &mut mesh.positions {
        let q = *p - Vec3::ONE;
        let far = q.abs().max_element();
        *p = if far > 0.0 { centre + q * (far / q.length() * radius) } else { centre };
    }
    mesh
}

/// The same ball seen in a mirror at the plane `x = 0`.
pub fn mirrored(mesh: &TetMesh) -> TetMesh {
    mesh.mirrored_x()
}
