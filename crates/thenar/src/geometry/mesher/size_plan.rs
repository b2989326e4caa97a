//! How long edges should be where, so that the asked number of elements comes out.

use super::{MeshRequest, Refinement};
use crate::geometry::TetMesh;
use crate::geometry::tet_mesh::tet_volume;
use crate::math::Vec3;

/// Elements per cube of the wanted edge length. Regular tetrahedra do not fill space and the edges of good meshes are a
/// little longer than their mean, so this is a mean over finished meshes rather than `6 sqrt 2`.
const TETS_PER_CUBE: f64 = 8.5;

/// Refined balls aim at this many times the asked elements: at least so many must come out.
const REFINE_SURPLUS: f64 = 1.3;

/// Edge lengths grow by this much per metre away from a refined ball.
const GRADING: f64 = 0.4;

/// Wanted edge lengths, and the number of elements they make.
pub(super) struct SizePlan<'a> {
    request: &'a MeshRequest<'a>,
    scale: f64,
    /// Edge length inside each refined ball.
    fine: Vec<f64>,
    /// Elements to aim for in all.
    pub tets: usize,
}

impl<'a> SizePlan<'a> {
    pub fn new(mesh: &TetMesh, request: &'a MeshRequest<'a>) -> Self {
        let cells: Vec<(Vec3, f64)> = (0..mesh.tets.len())
            .map(|t| {
                let corners = mesh.corners(t);
                (corners.iter().sum::<Vec3>() / 4.0, tet_volume(corners))
            })
            .collect();
        let count = |size: &dyn Fn(Vec3) -> f64| -> f64 {
            cells.iter().map(|&(p, v)| TETS_PER_CUBE * v / size(p).powi(3)).sum()
        };
        let mut plan = SizePlan { request, scale: 1.0, fine: Vec::new(), tets: request.tets };
        plan.scale = libm::cbrt(count(&|p| plan.base(p)) / request.tets as f64);
        plan.fine = request.refine.iter().map(|ball| plan.edge_in(ball, &cells)).collect();
        if !plan.fine.is_empty() {
            plan.tets = count(&|p| plan.size(p)) as usize;
        }
        plan
    }

    fn base(&self, p: Vec3) -> f64 {
        self.scale * self.request.sizing.map_or(1.0, |s| s(p))
    }

    fn edge_in(&self, ball: &Refinement, cells: &[(Vec3, f64)]) -> f64 {
        let inside: f64 = cells.iter().filter(|(p, _)| p.distance(ball.centre) < ball.radius).map(|(_, v)| v).sum();
        if inside > 0.0 {
            libm::cbrt(TETS_PER_CUBE * inside / (REFINE_SURPLUS * ball.tets as f64))
        } else {
            f64::INFINITY
        }
    }

    /// Wanted edge length, metres.
    pub fn size(&self, p: Vec3) -> f64 {
        self.request.refine.iter().zip(&self.fine).fold(self.base(p), |size, (ball, fine)| {
            size.min(fine + GRADING * (p.distance(ball.centre) - ball.radius).max(0.0))
        })
    }
}
