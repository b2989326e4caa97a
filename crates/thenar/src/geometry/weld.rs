//! Joining vertices that lie on one another.

use std::collections::HashMap;

use super::TriMesh;
use crate::math::Vec3;

impl TriMesh {
    /// The same surface with vertices closer than `tolerance` metres joined, triangles that collapse dropped and unused
    /// vertices removed. Files that store every triangle by itself, or split vertices for texture seams, become
    /// connected surfaces this way. Triangles that refer to missing vertices are dropped too.
    #[must_use]
    pub fn welded(&self, tolerance: f64) -> TriMesh {
        let size = tolerance.max(f64::MIN_POSITIVE);
        let cell = |p: Vec3| (p / size).to_array().map(|x| x.floor() as i64);
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(self.positions.len());
        let mut joined: Vec<Vec3> = Vec::with_capacity(self.positions.len());
        let mut target = Vec::with_capacity(self.positions.len());
        for p in &self.positions {
            let home = cell(*p);
            let near = neighbours(home)
                .flat_map(|c| cells.get(&c).into_iter().flatten())
                .copied()
                .find(|&kept| joined[kept as usize].distance_squared(*p) <= tolerance * tolerance);
            target.push(near.unwrap_or_else(|| {
                let fresh = joined.len() as u32;
                cells.entry(home).or_default().push(fresh);
                joined.push(*p);
                fresh
            }));
        }
        let triangles = self.triangles.iter().filter_map(|t| {
            let [a, b, c] = t.map(|i| target.get(i as usize).copied());
            let [a, b, c] = [a?, b?, c?];
            (a != b && b != c && c != a).then_some([a, b, c])
        });
        TriMesh { triangles: triangles.collect(), positions: joined }.without_unused_vertices()
    }

    fn without_unused_vertices(&self) -> TriMesh {
        let mut renamed = vec![u32::MAX; self.positions.len()];
        let mut compact = TriMesh::default();
        for triangle in &self.triangles {
            compact.triangles.push(triangle.map(|i| {
                let name = &mut renamed[i as usize];
                if *name == u32::MAX {
                    *name = compact.positions.len() as u32;
                    compact.positions.push(self.positions[i as usize]);
                }
                *name
            }));
        }
        compact
    }
}

/// A cell and the 26 around it, itself first.
fn neighbours([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    const STEPS: [i64; 3] = [0, -1, 1];
    (0..27).map(move |k| {
        [x.saturating_add(STEPS[k / 9]), y.saturating_add(STEPS[k / 3 % 3]), z.saturating_add(STEPS[k % 3])]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::Shape;

    #[test]
    fn triangle_soup_becomes_the_mesh_it_came_from() {
        let mesh = Shape::Sphere { radius: 0.03 }.tessellate(0.005).unwrap();
        let mut soup = TriMesh::default();
        for (k, triangle) in mesh.triangles.iter().enumerate() {
            for (corner, index) in triangle.iter().enumerate() {
                soup.triangles.resize(k + 1, [0; 3]);
                soup.triangles[k][corner] = soup.positions.len() as u32;
                // Jitter below the tolerance, also across cell borders.
                let jitter = 1e-9 * Vec3::new((k % 3) as f64 - 1.0, (k % 5) as f64 - 2.0, corner as f64 - 1.0);
                soup.positions.push(mesh.positions[*index as usize] + jitter);
            }
        }
        let welded = soup.welded(1e-7);
        assert_eq!(welded.positions.len(), mesh.positions.len());
        assert_eq!(welded.triangles.len(), mesh.triangles.len());
    }

    #[test]
    fn slivers_strays_and_bad_indices_go() {
        let mesh = TriMesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X, Vec3::splat(9.0)],
            triangles: vec![[0, 1, 2], [0, 1, 3], [0, 1, 77]],
        };
        let welded = mesh.welded(1e-6);
        assert_eq!(welded.triangles, vec![[0, 1, 2]]);
        assert_eq!(welded.positions.len(), 3);
    }
}
