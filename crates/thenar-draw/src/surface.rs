//! Triangle surfaces that can be drawn, and the shapes scenes are made of.

use crate::canvas::Rgb;
use thenar::geometry::TriMesh;
use thenar::hand::Skin;
use thenar::math::{Pose, Vec3};

/// How a surface answers light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// Soft, with red light bleeding into the shadow edge.
    Skin,
    /// Diffuse.
    Matte,
    /// Diffuse with a highlight.
    Gloss,
    /// Its colour as it is, without light.
    Unlit,
}

/// A triangle surface with normals and colours per vertex.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Vertex positions, metres.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Linear RGB.
    pub colours: Vec<Rgb>,
    /// Vertex indices, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// How it answers light.
    pub material: Material,
    /// 1 solid, 0 invisible.
    pub opacity: f32,
    /// Whether it throws a shadow.
    pub casts_shadow: bool,
}

impl Surface {
    /// A surface from its parts.
    #[must_use]
    pub fn new(positions: Vec<Vec3>, normals: Vec<Vec3>, triangles: Vec<[u32; 3]>, colour: Rgb) -> Self {
        let colours = vec![colour; positions.len()];
        Surface { positions, normals, colours, triangles, material: Material::Matte, opacity: 1.0, casts_shadow: true }
    }

    /// The skin of a hand at rest.
    #[must_use]
    pub fn skin(skin: &Skin) -> Self {
        Surface::deformed_skin(skin, skin.mesh.positions.clone(), skin.normals.clone())
    }

    /// The skin of a hand with the positions and normals of one frame.
    #[must_use]
    pub fn deformed_skin(skin: &Skin, positions: Vec<Vec3>, normals: Vec<Vec3>) -> Self {
        let mut surface = Surface::new(positions, normals, skin.mesh.triangles.clone(), SKIN);
        if skin.colours.len() == surface.positions.len() {
            surface.colours.clone_from(&skin.colours);
        }
        if surface.normals.len() != surface.positions.len() {
            surface.normals = smooth_normals(&surface.positions, &surface.triangles);
        }
        surface.material = Material::Skin;
        surface
    }

    /// A mesh with smooth normals (averaged over the triangles around each vertex, weighted by area).
    #[must_use]
    pub fn smooth(mesh: &TriMesh, colour: Rgb) -> Self {
        let normals = smooth_normals(&mesh.positions, &mesh.triangles);
        Surface::new(mesh.positions.clone(), normals, mesh.triangles.clone(), colour)
    }

    /// A mesh with one normal per triangle, so that facets show.
    #[must_use]
    pub fn faceted(mesh: &TriMesh, colour: Rgb) -> Self {
        let mut surface = Surface::new(Vec::new(), Vec::new(), Vec::new(), colour);
        for t in &mesh.triangles {
            surface.facet(t.map(|v| mesh.positions[v as usize]), colour);
        }
        surface
    }

    /// Adds one flat triangle of its own colour.
    pub fn facet(&mut self, corners: [Vec3; 3], colour: Rgb) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(Vec3::Y);
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.normals.extend([normal; 3]);
        self.colours.extend([colour; 3]);
        self.triangles.push([first, first + 1, first + 2]);
    }

    /// The same surface with another material.
    #[must_use]
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// The same surface, see-through.
    #[must_use]
    pub fn with_opacity(mut self, opacity: f32) -> Self {
        self.opacity = opacity;
        self
    }

    /// The same surface with one colour per vertex.
    #[must_use]
    pub fn with_colours(mut self, colours: Vec<Rgb>) -> Self {
        if colours.len() == self.positions.len() {
            self.colours = colours;
        }
        self
    }

    /// The same surface moved.
    #[must_use]
    pub fn at(mut self, pose: Pose) -> Self {
        for p in &mut self.positions {
            *p = pose.point(*p);
        }
        for n in &mut self.normals {
            *n = pose.rotation * *n;
        }
        self
    }

    /// A ball around the origin.
    #[must_use]
    pub fn sphere(radius: f64, colour: Rgb) -> Self {
        Surface::capsule(Vec3::ZERO, Vec3::ZERO, radius, colour)
    }

    /// A segment with round ends.
    #[must_use]
    pub fn capsule(a: Vec3, b: Vec3, radius: f64, colour: Rgb) -> Self {
        const RINGS: usize = 12;
        let axis = (b - a).normalize_or(Vec3::Y);
        // Each half sphere is a row of rings; the stretch between the two equators is the cylinder.
        let rows: Vec<(Vec3, f64, f64)> = (0..=RINGS)
            .map(|i| (a, -1.0 + i as f64 / RINGS as f64))
            .chain((0..=RINGS).map(|i| (b, i as f64 / RINGS as f64)))
            .map(|(centre, t)| {
                let angle = t * std::f64::consts::FRAC_PI_2;
                (centre, libm::cos(angle), libm::sin(angle))
            })
            .collect();
        lathe(
            axis,
            colour,
            &rows.iter().map(|&(c, r, h)| (c + h * radius * axis, radius * r, r, h)).collect::<Vec<_>>(),
        )
    }

    /// A cylinder with flat ends.
    #[must_use]
    pub fn cylinder(a: Vec3, b: Vec3, radius: f64, colour: Rgb) -> Self {
        let axis = (b - a).normalize_or(Vec3::Y);
        lathe(
            axis,
            colour,
            &[
                (a, 0.0, 0.0, -1.0),
                (a, radius, 0.0, -1.0),
                (a, radius, 1.0, 0.0),
                (b, radius, 1.0, 0.0),
                (b, radius, 0.0, 1.0),
                (b, 0.0, 0.0, 1.0),
            ],
        )
    }

    /// An arrow as a solid: shaft and cone.
    #[must_use]
    pub fn arrow(from: Vec3, to: Vec3, radius: f64, colour: Rgb) -> Self {
        let axis = (to - from).normalize_or(Vec3::Y);
        let neck = to - axis * (5.0 * radius).min(0.6 * from.distance(to));
        lathe(
            axis,
            colour,
            &[
                (from, 0.0, 0.0, -1.0),
                (from, radius, 0.0, -1.0),
                (from, radius, 1.0, 0.0),
                (neck, radius, 1.0, 0.0),
                (neck, radius, 0.0, -1.0),
                (neck, 2.4 * radius, 0.0, -1.0),
                (neck, 2.4 * radius, 0.9, 0.44),
                (to, 0.0, 0.9, 0.44),
            ],
        )
    }

    /// A box around the origin with these half extents and slightly rounded-looking edges left sharp.
    #[must_use]
    pub fn cuboid(half: Vec3, colour: Rgb) -> Self {
        let mut surface = Surface::new(Vec::new(), Vec::new(), Vec::new(), colour);
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut n = Vec3::ZERO;
                n[axis] = sign;
                let mut u = Vec3::ZERO;
                u[(axis + 1) % 3] = half[(axis + 1) % 3] * sign;
                let mut v = Vec3::ZERO;
                v[(axis + 2) % 3] = half[(axis + 2) % 3];
                let c = n * half[axis];
                surface.facet([c - u - v, c + u - v, c + u + v], colour);
                surface.facet([c - u - v, c + u + v, c - u + v], colour);
            }
        }
        surface
    }

    /// A level rectangle at height 0 facing +Y, in squares of about `cell` metres of two alternating colours.
    #[must_use]
    pub fn plane(half_x: f64, half_z: f64, cell: f64, colours: [Rgb; 2]) -> Self {
        let mut surface = Surface::new(Vec::new(), Vec::new(), Vec::new(), colours[0]);
        let count = |half: f64| ((2.0 * half / cell.max(1e-4)).round() as usize).clamp(1, 200);
        let (nx, nz) = (count(half_x), count(half_z));
        let at = |i: usize, n: usize, half: f64| half * (2.0 * i as f64 / n as f64 - 1.0);
        for i in 0..nx {
            for k in 0..nz {
                let corner = |a: usize, b: usize| Vec3::new(at(i + a, nx, half_x), 0.0, at(k + b, nz, half_z));
                let colour = colours[(i + k) % 2];
                surface.facet([corner(0, 0), corner(0, 1), corner(1, 1)], colour);
                surface.facet([corner(0, 0), corner(1, 1), corner(1, 0)], colour);
            }
        }
        surface
    }

    /// A table top whose upper face is at height 0: half extents in x and z, and its thickness.
    #[must_use]
    pub fn table(half_x: f64, half_z: f64, thickness: f64, colour: Rgb) -> Self {
        Surface::cuboid(Vec3::new(half_x, 0.5 * thickness, half_z), colour)
            .at(Pose::new(Vec3::new(0.0, -0.5 * thickness, 0.0), thenar::math::Quat::IDENTITY))
    }
}

/// The usual colour of skin where none is given.
pub const SKIN: Rgb = [0.60, 0.36, 0.26];

/// A surface of revolution from rows of (centre, radius, normal outwards, normal along the axis).
fn lathe(axis: Vec3, colour: Rgb, rows: &[(Vec3, f64, f64, f64)]) -> Surface {
    const SECTORS: usize = 32;
    let (u, v) = axis.any_orthonormal_pair();
    let mut surface = Surface::new(Vec::new(), Vec::new(), Vec::new(), colour);
    for &(centre, radius, out, along) in rows {
        for s in 0..SECTORS {
            let angle = s as f64 / SECTORS as f64 * std::f64::consts::TAU;
            let ray = libm::cos(angle) * u + libm::sin(angle) * v;
            surface.positions.push(centre + radius * ray);
            surface.normals.push((out * ray + along * axis).normalize_or(axis));
        }
    }
    surface.colours = vec![colour; surface.positions.len()];
    for row in 0..rows.len() - 1 {
        for s in 0..SECTORS {
            let at = |r: usize, s: usize| ((row + r) * SECTORS + s % SECTORS) as u32;
            surface.triangles.push([at(0, s), at(0, s + 1), at(1, s + 1)]);
            surface.triangles.push([at(0, s), at(1, s + 1), at(1, s)]);
        }
    }
    surface
}

/// Area-weighted vertex normals.
#[must_use]
pub fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let n = (b - a).cross(c - a);
        for &v in t {
            normals[v as usize] += n;
        }
    }
    normals.into_iter().map(|n| n.normalize_or(Vec3::Y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume by the divergence theorem; positive only if triangles are counter-clockwise from outside.
    fn volume(s: &Surface) -> f64 {
        s.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| s.positions[v as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    #[test]
    fn shapes_are_closed_and_face_outwards() {
        use std::f64::consts::PI;
        let c = [1.0; 3];
        let close = |surface: &Surface, exact: f64| {
            let v = volume(surface);
            // 32 sectors inscribe 2π²/(3·32²) = 0.6 % too little area per section, the rows about as much again.
            assert!((v - exact).abs() < 0.02 * exact, "volume {v} instead of {exact}");
            for t in &surface.triangles {
                let [a, b, d] = t.map(|v| surface.positions[v as usize]);
                let n = (b - a).cross(d - a);
                let mean: Vec3 = t.iter().map(|&v| surface.normals[v as usize]).sum();
                assert!(n.dot(mean) >= -1e-12, "normals point the way the triangle faces");
            }
        };
        close(&Surface::sphere(0.5, c), 4.0 / 3.0 * PI * 0.125);
        close(&Surface::cuboid(Vec3::new(1.0, 2.0, 3.0), c), 48.0);
        close(&Surface::capsule(Vec3::ZERO, Vec3::X, 0.5, c), PI * 0.25 + 4.0 / 3.0 * PI * 0.125);
        close(&Surface::cylinder(Vec3::ZERO, Vec3::Z, 0.5, c), PI * 0.25);
        close(&Surface::table(1.0, 1.0, 0.1, c), 0.4);
        let plane = Surface::plane(1.0, 1.0, 0.5, [c, c]);
        assert!(plane.normals.iter().all(|n| n.y > 0.99));
    }
}
