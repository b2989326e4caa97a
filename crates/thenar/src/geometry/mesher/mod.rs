//! Fills closed surfaces with well-shaped tetrahedra that cover them.
//!
//! The way there: a fine lattice cut at the surface (`stuffing`), made finer where needed (`split`)
//! and coarser elsewhere by merging edges (`collapse`) under a wanted edge length per place (`size_plan`), improved by reconnecting (`swap`) and moving nodes (`smooth`), and at last inflated
//! until every vertex of the surface lies inside an element (`cover`).

mod check;
mod collapse;
mod complex;
mod cover;
mod domain;
mod size_plan;
mod smooth;
mod split;
mod stuffing;
mod swap;

pub use check::{MesherError, check_surface, surface_volume};

use super::tet_mesh::euler_characteristic;
use super::{SurfaceDistance, TetMesh, TriMesh};
use crate::math::Vec3;
use collapse::{CollapseGuard, collapse_to};
use complex::Complex;
use cover::{Cover, draw_in, shrink_pass};
use domain::Domain;
use size_plan::SizePlan;
use smooth::{OnSurface, smooth_pass};
use split::split_pass;
use swap::swap_pass;

/// Fewest elements that can be asked for.
pub const FEWEST_TETS: usize = 50;
/// Most elements that can be asked for.
pub const MOST_TETS: usize = 2_000_000;

/// A ball in which the elements are finer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Centre of the ball, metres.
    pub centre: Vec3,
    /// Radius of the ball, metres.
    pub radius: f64,
    /// Elements that the part of the shape inside the ball gets, at least; they come on top of the others.
    pub tets: usize,
}

/// What to make of a surface.
#[derive(Clone, Copy)]
pub struct MeshRequest<'a> {
    /// Wanted number of elements (without those of refinements); the result is within 10 %.
    pub tets: usize,
    /// Wanted edge length at a place relative to other places; `None` for the same everywhere.
    pub sizing: Option<&'a dyn Fn(Vec3) -> f64>,
    /// Width of the narrowest part or gap that must be kept, metres; `None` if nothing is finer than the elements.
    pub finest_feature: Option<f64>,
    /// Places with finer elements.
    pub refine: &'a [Refinement],
}

impl MeshRequest<'_> {
    /// Elements of the same size everywhere.
    #[must_use]
    pub const fn uniform(tets: usize) -> MeshRequest<'static> {
        MeshRequest { tets, sizing: None, finest_feature: None, refine: &[] }
    }
}

/// Fills a closed surface with about `request.tets` tetrahedra whose boundary covers all its vertices.
///
/// ```
/// use thenar::geometry::TriMesh;
/// use thenar::geometry::mesher::{MeshRequest, mesh_surface};
/// use thenar::math::Vec3;
///
/// let octahedron = TriMesh {
///     positions: vec![Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z],
///     triangles: vec![
///         [0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5],
///     ],
/// };
/// let mesh = mesh_surface(&octahedron, &MeshRequest::uniform(200))?;
/// assert!((180..=220).contains(&mesh.tets.len()));
/// assert!(mesh.quality().min_dihedral_deg > 10.0);
/// # Ok::<(), thenar::geometry::mesher::MesherError>(())
/// ```
///
/// # Errors
/// A surface that is open, not manifold, intersects itself or has no volume; a number of elements out of range or too
/// small for the shape.
pub fn mesh_surface(surface: &TriMesh, request: &MeshRequest<'_>) -> Result<TetMesh, MesherError> {
    check::check_count(request.tets + request.refine.iter().map(|r| r.tets).sum::<usize>())?;
    check::check_count(request.tets)?;
    let volume = check_surface(surface)?;
    let distance = SurfaceDistance::new(surface);
    let fine = stuffed(surface, &distance, volume, request)?;
    let plan = SizePlan::new(&fine, request);
    let sizing = |p: Vec3| plan.size(p);
    let domain = Domain { surface: &distance, sizing: &sizing };
    let mut complex = Complex::new(&fine, &sizing);
    densify(&mut complex, &domain, plan.tets);
    coarsen(&mut complex, &domain, plan.tets);
    let (points, normals) = surface_samples(surface, &sizing);
    inflate(&mut complex, &domain, &points, &normals);
    if complex.len().abs_diff(plan.tets) > plan.tets / 10 {
        return Err(MesherError::Unreached { asked: plan.tets, reached: complex.len() });
    }
    Ok(complex.to_mesh())
}

/// Elements in the first, fine mesh for each one wanted: collapses need a choice.
const OVERSAMPLING: f64 = 6.0;
/// Most lattice cells ever tried.
const MOST_CELLS: f64 = 6e6;
/// Most elements in the first mesh, if no more are asked for: merging a million takes some twenty seconds.
const MOST_ELEMENTS: f64 = 1e6;
/// The first mesh may come out this many times finer than the wanted number of elements says, to keep the topology.
const FINEST_SURPLUS: f64 = 6.0;

/// Stuffs the surface with lattice cells small enough to keep its topology.
fn stuffed(
    surface: &TriMesh,
    distance: &SurfaceDistance,
    volume: f64,
    request: &MeshRequest<'_>,
) -> Result<TetMesh, MesherError> {
    let lo = surface.positions.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let hi = surface.positions.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    let euler = euler_characteristic(surface.triangles.iter().copied());
    // A body-centred cubic lattice has 12 elements per cell.
    let oversampling = if request.tets < 50_000 { OVERSAMPLING } else { 2.0 };
    let wanted = oversampling * request.tets as f64;
    let by_count = libm::cbrt(12.0 * volume / wanted);
    let most_elements = MOST_ELEMENTS.max(FINEST_SURPLUS * wanted);
    let mut cell = request.finest_feature.map_or(by_count, |f| f.min(by_count));
    loop {
        let counts = (hi - lo) / cell + Vec3::splat(3.0);
        if counts.x * counts.y * counts.z > MOST_CELLS || 12.0 * volume / cell.powi(3) > most_elements {
            return Err(MesherError::TooDetailed { cell });
        }
        let mesh = stuffing::stuff(&|p| distance.distance(p), lo, hi, cell);
        if !mesh.tets.is_empty() && check::is_closed_manifold(&mesh) && mesh.boundary_euler() == euler {
            return Ok(mesh);
        }
        cell *= 0.75;
    }
}

/// Splits edges until the first mesh is at least as fine as wanted everywhere.
fn densify(complex: &mut Complex, domain: &Domain<'_>, target: usize) {
    for _ in 0..8 {
        if split_pass(complex, domain, 0.9, usize::MAX) == 0 {
            break;
        }
        improve(complex, domain, FIRST_ENVELOPE, 0.35, 1);
    }
    // A lattice may come out with too few elements (a thin shape): split the longest edges.
    for _ in 0..8 {
        if complex.len() >= target {
            break;
        }
        split_pass(complex, domain, 0.7, target + target / 4);
        improve(complex, domain, FIRST_ENVELOPE, 0.35, 1);
    }
}

/// How far boundary faces may stray from the surface at first, in units of the wanted edge length.
const FIRST_ENVELOPE: f64 = 0.22;
/// Rounds of merging after which guards are as lax as they get.
const MOST_ROUNDS: usize = 24;

/// Merges edges down to the wanted number of elements.
///
/// Edges are let go shortest first over the whole mesh, a class of lengths per round: otherwise places where merging
/// is easy would pay for places where it has to wait for better elements.
fn coarsen(complex: &mut Complex, domain: &Domain<'_>, target: usize) {
    let mut guard = CollapseGuard { quality: 0.35, envelope: FIRST_ENVELOPE, longest: 2.0, shorter_than: 0.7 };
    for _ in 0..MOST_ROUNDS {
        let start = complex.len();
        collapse_to(complex, domain, target, guard);
        let near = complex.len() < 2 * target;
        improve(complex, domain, guard.envelope, if near { 0.6 } else { 0.45 }, if near { 2 } else { 1 });
        if complex.len() <= target + target / 40 && guard.shorter_than > 1.0 {
            break;
        }
        if complex.len() + start / 10 > start {
            guard.shorter_than = (guard.shorter_than * 1.15).min(2.0);
        }
        if guard.shorter_than > 1.5 {
            guard.quality = (guard.quality * 0.85).max(0.15);
            guard.envelope = (guard.envelope * 1.15).min(0.4);
            guard.longest = (guard.longest * 1.1).min(3.0);
        }
    }
    improve(complex, domain, guard.envelope, 0.6, 2);
}

fn improve(complex: &mut Complex, domain: &Domain<'_>, envelope: f64, below: f64, rounds: usize) {
    for _ in 0..rounds {
        let swaps = swap_pass(complex, domain, below, Some(envelope));
        let moves = smooth_pass(complex, &mut OnSurface { domain, envelope }, below);
        if swaps + moves == 0 {
            break;
        }
    }
}

/// Rounds of drawing the boundary in again.
const TIGHTENING_ROUNDS: usize = 10;
/// Rounds after that in which only covering counts.
const LAST_ROUNDS: usize = 8;

/// Alternates between pushing the boundary out over the points and drawing it in, a projected descent on the volume.
fn inflate(complex: &mut Complex, domain: &Domain<'_>, points: &[Vec3], normals: &[Vec3]) {
    let mut cover = Cover::new(points, normals);
    for round in 0..TIGHTENING_ROUNDS + LAST_ROUNDS {
        let late = round.saturating_sub(TIGHTENING_ROUNDS) as f64 / LAST_ROUNDS as f64;
        let floor = 0.3 - 0.18 * late;
        for _ in 0..6 {
            cover.locate_all(complex);
            if cover.outside.is_empty() {
                break;
            }
            cover.push_out(complex, floor);
        }
        swap_pass(complex, domain, 0.5, None);
        cover.locate_all(complex);
        smooth_pass(complex, &mut cover, 0.45);
        let shrunk = shrink_pass(complex, &mut cover, 0.35);
        if round < TIGHTENING_ROUNDS {
            draw_in(complex, 0.03, 0.35);
        } else if cover.outside.is_empty() && shrunk == 0 {
            break;
        }
    }
}

/// Points that the mesh must cover, with outward normals: the vertices, and more on triangles larger than elements.
fn surface_samples(surface: &TriMesh, sizing: &dyn Fn(Vec3) -> f64) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut points = surface.positions.clone();
    let mut normals = vec![Vec3::ZERO; points.len()];
    for t in &surface.triangles {
        let p = t.map(|v| surface.positions[v as usize]);
        let n = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
        for i in 0..3 {
            let (u, v) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            normals[t[i] as usize] += n * libm::atan2(u.cross(v).length(), u.dot(v));
        }
        let longest = (0..3).map(|i| p[i].distance(p[(i + 1) % 3])).fold(0.0, f64::max);
        let parts = (SAMPLES_PER_EDGE * longest / sizing((p[0] + p[1] + p[2]) / 3.0)).ceil().clamp(1.0, 500.0) as u32;
        for i in 0..=parts {
            for j in 0..=parts - i {
                let (u, v) = (f64::from(i) / f64::from(parts), f64::from(j) / f64::from(parts));
                if ![i, j, parts - i - j].contains(&parts) {
                    points.push(p[0] + (p[1] - p[0]) * u + (p[2] - p[0]) * v);
                    normals.push(n);
                }
            }
        }
    }
    (points, normals.into_iter().map(Vec3::normalize_or_zero).collect())
}

/// Samples along a wanted edge length on large triangles.
const SAMPLES_PER_EDGE: f64 = 2.0;

#[cfg(test)]
mod tests;
