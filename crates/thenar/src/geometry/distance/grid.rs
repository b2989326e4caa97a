//! Signed distances sampled on a grid around a mesh.

use glam::Vec4;

use super::{MassProperties, Sample};
use crate::geometry::{Aabb, TriMesh};
use crate::math::{Mat3, Vec3};

/// Where the nodes of a grid lie.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lattice {
    pub origin: Vec3,
    pub voxel: f64,
    /// Nodes along x, y and z.
    pub counts: [usize; 3],
}

impl Lattice {
    pub fn node(&self, x: usize, y: usize, z: usize) -> Vec3 {
        self.origin + Vec3::new(x as f64, y as f64, z as f64) * self.voxel
    }
}

/// The signed distance of a closed mesh on a grid of nodes, about eight voxels wider than the mesh on every side.
///
/// Between the nodes the distance is a quadratic B-spline of their values: its gradient is continuous, so that contact
/// normals turn smoothly as a finger slides from voxel to voxel, and flat faces stay flat. The spline rounds convex and
/// concave edges by about a quarter of a voxel. Further out a lower bound of the distance continues it.
#[derive(Clone, PartialEq)]
pub struct DistanceGrid {
    lattice: Lattice,
    per_voxel: f64,
    values: Vec<f32>,
    /// The region in which the spline is evaluated.
    domain: Aabb,
    bounds: Aabb,
    unit_mass: MassProperties,
    mesh: TriMesh,
}

impl std::fmt::Debug for DistanceGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.lattice.counts;
        write!(f, "DistanceGrid({x}×{y}×{z}, voxel {} m, {} triangles)", self.lattice.voxel, self.mesh.triangles.len())
    }
}

impl DistanceGrid {
    pub(super) fn new(mesh: TriMesh, lattice: Lattice, mut values: Vec<f32>) -> Self {
        let bounds = Aabb::around(mesh.positions.iter().copied());
        // The last row is read four at a time.
        values.push(0.0);
        let [x, y, z] = lattice.counts;
        let domain = Aabb::new(lattice.node(1, 1, 1), lattice.node(x - 2, y - 2, z - 2));
        // The mesh was checked to enclose a volume, so this does not fail.
        let unit_mass = MassProperties::of_mesh(&mesh, 1.0).unwrap_or(MassProperties {
            mass: 0.0,
            com: bounds.centre(),
            inertia: Mat3::ZERO,
        });
        DistanceGrid { per_voxel: 1.0 / lattice.voxel, lattice, values, domain, bounds, unit_mass, mesh }
    }

    /// Edge of a voxel, metres.
    #[must_use]
    pub fn voxel(&self) -> f64 {
        self.lattice.voxel
    }

    /// Nodes along x, y and z.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        self.lattice.counts
    }

    /// The surface, closed and facing outwards.
    #[must_use]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Box around the surface.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Radius of a ball around the origin of the mesh's frame that holds the surface.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.mesh.positions.iter().map(|p| p.length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Mass properties at a density of 1 kg/m³.
    #[must_use]
    pub fn unit_mass(&self) -> MassProperties {
        self.unit_mass
    }

    /// Distance and outward direction at a point of the mesh's frame.
    #[must_use]
    #[inline]
    pub fn sample(&self, p: Vec3) -> Sample {
        let Vec3 { x, y, z } = p;
        let Aabb { min, max } = &self.domain;
        // Written out: compares and branches are faster here than a mask of three lanes.
        let contained = x >= min.x && x <= max.x && y >= min.y && y <= max.y && z >= min.z && z <= max.z;
        if contained { self.within(p) } else { self.beyond(p) }
    }

    /// The sample if the point may be nearer than `reach` metres, for the price of one look-up if it is not.
    #[must_use]
    #[inline]
    pub fn sample_within(&self, p: Vec3, reach: f64) -> Option<Sample> {
        // Far outside, the box around the mesh tells.
        let inner = p.clamp(self.bounds.min, self.bounds.max);
        if reach < 0.0 || p.distance_squared(inner) <= reach * reach {
            let scaled = (p - self.lattice.origin) * self.per_voxel;
            let [nx, ny, nz] = self.lattice.counts;
            let nearest = |u: f64, count: usize| ((u + 0.5) as i32).clamp(0, count as i32 - 1) as usize;
            let node = nearest(scaled.x, nx) + nx * (nearest(scaled.y, ny) + ny * nearest(scaled.z, nz));
            // The spline mixes nodes at most √3 voxels from this one, and distances differ no more than their places.
            let least = f64::from(self.values[node]) - 1.74 * self.lattice.voxel;
            if least <= reach || !self.domain.contains(p) {
                return Some(self.sample(p)).filter(|sample| sample.distance <= reach);
            }
        }
        None
    }

    /// How far the domain reaches beyond the mesh on its narrowest side.
    pub(super) fn domain_margin(&self) -> f64 {
        (self.bounds.min - self.domain.min).min(self.domain.max - self.bounds.max).min_element().max(0.0)
    }

    /// The spline and its gradient, the gradient scaled to unit length.
    #[inline]
    fn within(&self, p: Vec3) -> Sample {
        let scaled = (p - self.lattice.origin) * self.per_voxel;
        let [nx, ny, nz] = self.lattice.counts;
        // The domain keeps the nearest node at least one node away from the border; the clamp only guards round-off.
        let [(i, x, dx), (j, y, dy), (k, z, dz)] =
            [weights(scaled.x, nx), weights(scaled.y, ny), weights(scaled.z, nz)];
        let corner = i + nx * (j + ny * k);
        // Four lanes along x, the fourth with weight zero: sums over y and z first, over the lanes at the end.
        let (mut value, mut slope_y, mut slope_z) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for c in 0..3 {
            let start = corner + nx * ny * c;
            let [row0, row1, row2] =
                [start, start + nx, start + 2 * nx].map(|first| Vec4::from_slice(&self.values[first..first + 4]));
            let layer = row0 * y[0] + row1 * y[1] + row2 * y[2];
            value += layer * z[c];
            slope_y += (row0 * dy[0] + row1 * dy[1] + row2 * dy[2]) * z[c];
            slope_z += layer * dz[c];
        }
        let dot = |w: &[f32; 3], v: Vec4| f64::from(w[0] * v.x + w[1] * v.y + w[2] * v.z);
        let distance = dot(&x, value);
        let gradient = Vec3::new(dot(&dx, value), dot(&x, slope_y), dot(&x, slope_z));
        Sample { distance, normal: unit(gradient) }
    }

    /// Outside the domain. With `c` the nearest point of the domain and `m` the nearest of the mesh,
    /// `|p-m|² = |p-c|² + 2 (p-c)·(c-m) + |c-m|²`, and the mesh lies at least a known gap inside every side on which `c`
    /// lies. Dropping nothing else, this bounds the distance from below and is continuous.
    fn beyond(&self, p: Vec3) -> Sample {
        let c = p.clamp(self.domain.min, self.domain.max);
        let border = self.within(c);
        let step = p - c;
        let gap = self.domain_margin();
        let along = step.abs().element_sum();
        let squared = step.length_squared() + 2.0 * gap * along + border.distance * border.distance;
        // From the nearest point of the mesh, as seen from the border, to p.
        Sample { distance: squared.sqrt(), normal: unit(step + border.normal * border.distance) }
    }
}

/// First of three nodes, quadratic B-spline weights and their derivatives per voxel.
#[inline]
fn weights(u: f64, count: usize) -> (usize, [f32; 3], [f32; 3]) {
    let middle = ((u + 0.5) as i32).clamp(1, count as i32 - 2);
    let t = (u - f64::from(middle)) as f32;
    let (left, right) = (0.5 - t, 0.5 + t);
    (middle as usize - 1, [0.5 * left * left, 0.75 - t * t, 0.5 * right * right], [-left, -2.0 * t, right])
}

#[inline]
fn unit(v: Vec3) -> Vec3 {
    let squared = v.length_squared();
    // On the medial axis the gradient may vanish; any direction leads out.
    if squared > 1e-24 { v * (1.0 / squared.sqrt()) } else { Vec3::Y }
}
