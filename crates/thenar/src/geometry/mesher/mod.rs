//! Fills closed surfaces with well-shaped tetrahedra that cover them.
//!
//! The way there: a fine lattice cut at the surface ([`stuffing`]), made coarser by merging edges ([`collapse`]) under a
//! wanted edge length per place, improved by reconnecting ([`swap`]) and moving nodes ([`smooth`]), and at last inflated
//! until every vertex of the surface lies inside an element ([`cover`]).

mod check;
mod collapse;
mod complex;
mod cover;
mod domain;
mod smooth;
mod stuffing;
mod swap;

pub use check::{MesherError, check_surface, surface_volume};

use super::{SurfaceDistance, TetMesh, TriMesh};
use crate::math::Vec3;
use collapse::{CollapseGuard, collapse_to};
use complex::Complex;
use cover::{Cover, draw_in, shrink_pass};
use domain::Domain;
use smooth::{OnSurface, smooth_pass};
use swap::swap_pass;

/// Fewest elements that can be asked for.
pub const FEWEST_TETS: usize = 50;
/// Most elements that can be asked for.
pub const MOST_TETS: usize = 2_000_000;

/// What to make of a surface.
#[derive(Clone, Copy)]
pub struct MeshRequest<'a> {
    /// Wanted number of elements; the result is within 10 %.
    pub tets: usize,
    /// Wanted edge length at a place relative to other places; `None` for the same everywhere.
    pub sizing: Option<&'a dyn Fn(Vec3) -> f64>,
    /// Width of the narrowest part or gap that must be kept, metres; `None` if nothing is finer than the elements.
    pub finest_feature: Option<f64>,
}

/// Regular tetrahedra per cube of the edge length: `6 sqrt 2`.
const TETS_PER_CUBE: f64 = 8.485_281_374;

/// Fills a closed surface with about `request.tets` tetrahedra whose boundary covers all its vertices.
///
/// # Errors
/// A surface that is open, not manifold, intersects itself or has no volume; a number of elements out of range.
pub fn mesh_surface(surface: &TriMesh, request: &MeshRequest<'_>) -> Result<TetMesh, MesherError> {
    check::check_count(request.tets)?;
    let volume = check_surface(surface)?;
    let distance = SurfaceDistance::new(surface);
    let lo = surface.positions.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let hi = surface.positions.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    // The lattice starts with several elements for each one wanted, so that collapses have a choice.
    let by_count = libm::cbrt(12.0 * volume / (6.0 * request.tets as f64));
    let cell = request.finest_feature.map_or(by_count, |f| f.min(by_count));
    let fine = stuffing::stuff(&|p| distance.distance(p), lo, hi, cell);
    let relative = |p: Vec3| request.sizing.map_or(1.0, |s| s(p));
    let scale = edge_scale(&fine, &relative, request.tets);
    let sizing = |p: Vec3| scale * relative(p);
    let domain = Domain { surface: &distance, sizing: &sizing };
    let mut complex = Complex::new(&fine, &sizing);
    coarsen(&mut complex, &domain, request.tets);
    let normals = vertex_normals(surface);
    inflate(&mut complex, &domain, &surface.positions, &normals);
    Ok(complex.to_mesh())
}

/// The factor on relative sizes that makes the wanted number of elements.
fn edge_scale(fine: &TetMesh, relative: &dyn Fn(Vec3) -> f64, tets: usize) -> f64 {
    let integral: f64 = (0..fine.tets.len())
        .map(|t| {
            let corners = fine.corners(t);
            let r = relative(corners.iter().sum::<Vec3>() / 4.0);
            super::tet_mesh::tet_volume(corners) / (r * r * r)
        })
        .sum();
    libm::cbrt(TETS_PER_CUBE * integral / tets as f64)
}

fn coarsen(complex: &mut Complex, domain: &Domain<'_>, target: usize) {
    let mut guard = CollapseGuard { quality: 0.35, envelope: 0.22, longest: 2.0, shorter_than: 2.0 };
    for round in 0..12 {
        let start = complex.len();
        collapse_to(complex, domain, target, guard);
        improve(complex, domain, guard.envelope, 3);
        if complex.len() <= target + target / 40 && round >= 3 {
            break;
        }
        if start - complex.len().min(start) < start / 50 {
            guard.quality = (guard.quality * 0.85).max(0.15);
            guard.envelope = (guard.envelope * 1.15).min(0.4);
            guard.longest = (guard.longest * 1.1).min(3.0);
        }
    }
}

fn improve(complex: &mut Complex, domain: &Domain<'_>, envelope: f64, rounds: usize) {
    for _ in 0..rounds {
        let swaps = swap_pass(complex, domain, 0.6, Some(envelope));
        let moves = smooth_pass(complex, &mut OnSurface { domain, envelope }, 0.6);
        if swaps + moves == 0 {
            break;
        }
    }
}

/// Alternates between pushing the boundary out over the points and drawing it in, a projected descent on the volume.
fn inflate(complex: &mut Complex, domain: &Domain<'_>, points: &[Vec3], normals: &[Vec3]) {
    let mut cover = Cover::new(points, normals);
    let margin = 2e-3 * domain.size(points[0]);
    for round in 0..14 {
        for _ in 0..6 {
            cover.locate_all(complex);
            if cover.outside.is_empty() {
                break;
            }
            cover.push_out(complex, margin, 0.3);
        }
        swap_pass(complex, domain, 0.5, None);
        cover.locate_all(complex);
        smooth_pass(complex, &mut cover, 0.45);
        let n = shrink_pass(complex, &mut cover, 0.35);
        if round < 10 {
            draw_in(complex, 0.03, 0.35);
        } else if cover.outside.is_empty() && n == 0 {
            break;
        }
    }
}

/// Angle-weighted unit normals.
fn vertex_normals(surface: &TriMesh) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; surface.positions.len()];
    for t in &surface.triangles {
        let p = t.map(|v| surface.positions[v as usize]);
        let n = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
        for i in 0..3 {
            let (u, v) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            normals[t[i] as usize] += n * libm::atan2(u.cross(v).length(), u.dot(v));
        }
    }
    normals.into_iter().map(Vec3::normalize_or_zero).collect()
}
