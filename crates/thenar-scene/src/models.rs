//! Household-like things made by code, so that scenes need no files: closed meshes of solids given by their distance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::geometry::{TriMesh, isosurface};
use thenar::math::Vec3;

/// Names of the models: `shape = { mesh = { model = "mug" } }`. All are concave. They stand or lie around the origin;
/// lengths in millimetres below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Bent in the plane of x and y, its ends up; 170 long, 34 thick.
    Banana,
    /// Open upwards; 100 across, 52 high, with a wall of 5.
    Bowl,
    /// A C-clamp in the plane of x and y, open to +x, its spine along y: 120 high, 60 deep, 18 thick.
    Clamp,
    /// Open upwards, without handle: 70 across, 90 high, with a wall of 5.
    Cup,
    /// A drill: its grip along y, its body above along z with the chuck at -z, its battery below.
    Drill,
    /// Its handle along y, 260 long and 26 thick; its head on top along x, 100 long.
    Hammer,
    /// Open upwards, 82 across, 90 high, with a wall of 5 and a handle at +x.
    Mug,
    /// Its handle along y, 200 long and 22 thick; below it the blade, 80 wide and 5 thick, bent out of line.
    Spatula,
}

/// A distance to a surface, negative inside.
type Field = fn(Vec3) -> f64;

impl Model {
    /// All of them.
    pub const ALL: [Model; 8] =
        [Model::Banana, Model::Bowl, Model::Clamp, Model::Cup, Model::Drill, Model::Hammer, Model::Mug, Model::Spatula];

    /// Its surface.
    #[must_use]
    pub fn mesh(self) -> TriMesh {
        let (field, half, cell): (Field, [f64; 3], f64) = match self {
            Model::Banana => (banana, [95.0, 60.0, 22.0], 3.0),
            Model::Bowl => (bowl, [54.0, 32.0, 54.0], 2.2),
            Model::Clamp => (clamp, [40.0, 66.0, 14.0], 2.5),
            Model::Cup => (cup, [40.0, 50.0, 40.0], 2.2),
            Model::Drill => (drill, [35.0, 105.0, 100.0], 3.0),
            Model::Hammer => (hammer, [60.0, 150.0, 20.0], 3.0),
            Model::Mug => (mug, [80.0, 50.0, 46.0], 2.2),
            Model::Spatula => (spatula, [46.0, 160.0, 50.0], 2.2),
        };
        let half = Vec3::from_array(half);
        let mut surface = isosurface(&field, [-half, half], cell);
        let normal = |p: Vec3| gradient(field, p).normalize_or(Vec3::Y);
        surface.relax(2, field, |p| (p - normal(p) * field(p), normal(p)));
        let mut mesh = surface.triangulate();
        mesh.positions.iter_mut().for_each(|p| *p *= 1e-3);
        mesh
    }
}

fn gradient(field: Field, p: Vec3) -> Vec3 {
    let slope = |axis: Vec3| field(p + axis * 0.05) - field(p - axis * 0.05);
    Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
}

fn rod(p: Vec3, a: Vec3, b: Vec3, radius: f64) -> f64 {
    let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a.lerp(b, along)) - radius
}

/// A box with rounded edges.
fn block(p: Vec3, half: Vec3, round: f64) -> f64 {
    let q = p.abs() - (half - round);
    q.max(Vec3::ZERO).length() + q.max_element().min(0.0) - round
}

/// A drum along y with rounded edges.
fn drum(p: Vec3, radius: f64, half: f64, round: f64) -> f64 {
    let (out, up) = (p.x.hypot(p.z) - (radius - round), p.y.abs() - (half - round));
    out.max(0.0).hypot(up.max(0.0)) + out.max(up).min(0.0) - round
}

/// Two solids joined with a fillet.
fn joined(a: f64, b: f64, fillet: f64) -> f64 {
    let near = (fillet - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * fillet)
}

fn banana(p: Vec3) -> f64 {
    // an arc of radius 110 about a point above, thinner at its ends
    let (x, y) = (p.x, 110.0 - 14.0 - p.y);
    let angle = x.atan2(y).clamp(-0.75, 0.75);
    let centre = Vec3::new(110.0 * angle.sin(), 110.0 - 14.0 - 110.0 * angle.cos(), 0.0);
    let slim = (angle / 0.75).powi(4);
    0.9 * (p.distance(centre) - 17.0 + 9.0 * slim)
}

fn vessel(p: Vec3, radius: f64, half: f64, wall: f64) -> f64 {
    let inside = drum(p - Vec3::Y * (wall + half), radius - wall, 2.0 * half, 6.0);
    drum(p, radius, half, 2.0).max(-inside)
}

fn cup(p: Vec3) -> f64 {
    vessel(p, 35.0, 45.0, 5.0)
}

fn mug(p: Vec3) -> f64 {
    let ring = Vec3::new((p.x - 44.0).hypot(p.y) - 24.0, p.z, 0.0).length() - 6.0;
    // the part of the ring inside of the mug is cut away
    let handle = ring.max(38.5 - p.x.hypot(p.z));
    joined(vessel(p, 41.0, 45.0, 5.0), handle, 4.0)
}

fn bowl(p: Vec3) -> f64 {
    // half of a hollow ball
    let centre = p - Vec3::Y * 24.0;
    let shell = (centre.length() - 47.5).abs() - 2.5;
    let foot = drum(p + Vec3::Y * 24.0, 22.0, 4.0, 1.5);
    shell.max(p.y - 24.0).min(foot.max(47.5 - centre.length()))
}

fn clamp(p: Vec3) -> f64 {
    let spine = block(p + Vec3::X * 22.0, Vec3::new(9.0, 58.0, 9.0), 3.0);
    let arm = |y: f64| block(p - Vec3::new(2.0, y, 0.0), Vec3::new(32.0, 8.0, 9.0), 3.0);
    let screw = rod(p, Vec3::new(26.0, -50.0, 0.0), Vec3::new(26.0, -10.0, 0.0), 6.0);
    spine.min(arm(50.0)).min(arm(-50.0)).min(screw)
}

fn drill(p: Vec3) -> f64 {
    let grip = rod(p, Vec3::new(0.0, -60.0, 0.0), Vec3::new(0.0, 60.0, 0.0), 20.0);
    let body = rod(p, Vec3::new(0.0, 70.0, 30.0), Vec3::new(0.0, 70.0, -50.0), 27.0);
    let chuck = rod(p, Vec3::new(0.0, 70.0, -70.0), Vec3::new(0.0, 70.0, -80.0), 13.0);
    let battery = block(p + Vec3::Y * 78.0, Vec3::new(26.0, 18.0, 42.0), 5.0);
    joined(joined(grip, body, 8.0), battery, 8.0).min(chuck)
}

fn hammer(p: Vec3) -> f64 {
    let handle = rod(p, Vec3::new(0.0, -127.0, 0.0), Vec3::new(0.0, 110.0, 0.0), 13.0);
    let head = block(p - Vec3::Y * 122.0, Vec3::new(50.0, 14.0, 14.0), 4.0);
    handle.min(head)
}

fn spatula(p: Vec3) -> f64 {
    let handle = rod(p, Vec3::new(0.0, -30.0, 0.0), Vec3::new(0.0, 140.0, 0.0), 11.0);
    let neck = rod(p, Vec3::new(0.0, -30.0, 0.0), Vec3::new(0.0, -75.0, 22.0), 6.0);
    let blade = block(p - Vec3::new(0.0, -110.0, 24.0), Vec3::new(40.0, 42.0, 4.0), 3.0);
    joined(handle, neck, 5.0).min(blade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::geometry::distance::MassProperties;

    #[test]
    fn every_model_is_a_solid_in_one_piece_and_concave() {
        for model in Model::ALL {
            let mesh = model.mesh();
            assert_eq!(mesh.check_solid(), Ok(()), "{model:?}");
            // a mug and nothing else here has a hole: its handle
            let holes = i64::from(model == Model::Mug);
            assert_eq!(mesh.euler_characteristic(), 2 - 2 * holes, "{model:?}");
            let properties = MassProperties::of_mesh(&mesh, 1000.0).unwrap();
            assert!(properties.mass > 0.02 && properties.mass < 1.2, "{model:?} {properties:?}");
            assert!(is_concave(&mesh), "{model:?}");
        }
    }

    /// Some vertex lies clearly above the plane of some triangle.
    fn is_concave(mesh: &TriMesh) -> bool {
        (0..mesh.triangles.len()).step_by(17).any(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            mesh.positions.iter().step_by(7).any(|p| (*p - a).dot(normal) > 0.005)
        })
    }
}
