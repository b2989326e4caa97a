//! How much of each element of a mesh lies inside a surface that it covers.

use super::mesher::surface_volume;
use super::surface_distance::SurfaceDistance;
use super::tet_mesh::tet_volume;
use super::{TetMesh, TriMesh};
use crate::math::Vec3;

/// Sample points per element for shares of volume.
const SAMPLES: usize = 48;
/// Least fill of an element: a mesh that covers the skin has elements that barely touch it, and they need some mass.
const LEAST_FILL: f64 = 0.02;

/// Shares of the elements' volumes inside a closed surface; together they hold exactly its volume.
#[must_use]
pub fn fill_of_elements(mesh: &TetMesh, surface: &TriMesh) -> Vec<f64> {
    let distance = SurfaceDistance::new(surface);
    let samples = unit_samples();
    let of = |t| {
        let corners = mesh.corners(t);
        filled(&distance, &corners, &spread(&samples, &corners))
    };
    let mut fill: Vec<f64> = (0..mesh.tets.len()).map(of).collect();
    fit_volume(mesh, &mut fill, surface_volume(surface));
    fill
}

/// Well-spread points of an element.
#[must_use]
pub fn element_samples(corners: &[Vec3; 4]) -> [Vec3; SAMPLES] {
    spread(&unit_samples(), corners)
}

fn spread(samples: &[[f64; 4]; SAMPLES], corners: &[Vec3; 4]) -> [Vec3; SAMPLES] {
    samples.map(|w| (0..4).map(|k| corners[k] * w[k]).sum::<Vec3>())
}

fn filled(distance: &SurfaceDistance, corners: &[Vec3; 4], points: &[Vec3; SAMPLES]) -> f64 {
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    let reach = corners.iter().map(|c| c.distance(centre)).fold(0.0, f64::max);
    if distance.distance(centre) < -reach {
        return 1.0;
    }
    let inside = points.iter().filter(|&&p| distance.distance(p) < 0.0).count();
    (inside as f64 / SAMPLES as f64).max(LEAST_FILL)
}

/// Scales the fill of partly filled elements so that all together hold exactly the volume of the skin: sampling errs a
/// little, and a mesh may miss slivers of skin between vertices.
fn fit_volume(mesh: &TetMesh, fill: &mut [f64], volume: f64) {
    for _ in 0..8 {
        let (mut whole, mut partial) = (0.0, 0.0);
        for (t, f) in fill.iter().enumerate() {
            let v = f * tet_volume(mesh.corners(t));
            if *f < 1.0 { partial += v } else { whole += v }
        }
        if partial <= 0.0 || (whole + partial - volume).abs() < 1e-6 * volume {
            break;
        }
        let scale = ((volume - whole) / partial).max(0.1);
        fill.iter_mut().filter(|f| **f < 1.0).for_each(|f| *f = (*f * scale).min(1.0));
    }
}

/// Barycentric weights of well-spread points in a tetrahedron: a low-discrepancy sequence in the cube, folded.
fn unit_samples() -> [[f64; 4]; SAMPLES] {
    // The additive recurrence of the root of x^4 = x + 1 [Roberts 2018, "The unreasonable effectiveness of
    // quasirandom sequences"].
    const ROOT: f64 = 1.220_744_084_605_759_5;
    std::array::from_fn(|i| {
        let at = |k: i32| (0.5 + (i + 1) as f64 / ROOT.powi(k)).fract();
        // Sorted, three uniform numbers cut the unit interval into four uniform shares.
        let mut cuts = [at(1), at(2), at(3)];
        cuts.sort_by(f64::total_cmp);
        [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 1.0 - cuts[2]]
    })
}
