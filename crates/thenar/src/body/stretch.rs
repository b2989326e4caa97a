//! How far the elements of a soft body may be stretched and squeezed, where that is limited [Perez §II-A].

use crate::math::{Mat3, Vec3};

/// Limits of the principal stretches of a material, 1 being the length at rest, and of its volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchLimits {
    /// Least stretch, above 0 and below 1: an element that keeps to it cannot turn inside out.
    pub least: f64,
    /// Greatest stretch, above 1.
    pub most: f64,
    /// Least volume over that at rest, below 1; 0 where stretches alone are limited.
    pub volume: f64,
}

/// Limits of the tissues of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TissueStretch {
    /// Skin, fat and muscle as one.
    pub flesh: StretchLimits,
    /// Elements that are mostly bone.
    pub bone: StretchLimits,
    /// Elements under a nail.
    pub nail: StretchLimits,
}

impl StretchLimits {
    /// Skin strains by half in normal use and was measured up to 0.8 (Delhaye 2016, Wang & Hayward 2007); the limits of
    /// the published pictures are not printed. Stretches alone let an element lose half its volume, which flesh, mostly water, does
    /// not: indented fingertips lose 5 % (MIT Touch Lab). With 0.85 the joints of a fist lose 1.1 %; with 0.9 nothing, so that some of the tissue
    /// has to grow by as much as the rest loses.
    pub const USUAL: StretchLimits = StretchLimits { least: 0.7, most: 1.4, volume: 0.85 };
}

impl TissueStretch {
    /// The same limits for every tissue.
    #[must_use]
    pub const fn all(limits: StretchLimits) -> TissueStretch {
        TissueStretch { flesh: limits, bone: limits, nail: limits }
    }
}

/// One element with limits: what its stretches are measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchElement {
    /// Its nodes.
    pub nodes: [u32; 4],
    /// Gradients of their shape functions, 1/m: `F = Σ x_a ∇N_aᵀ`.
    pub gradients: [Vec3; 4],
    /// Its limits.
    pub limits: StretchLimits,
    /// Energy that its own elasticity puts up against a stretch, per stretch squared: `(λ + 2μ) V`, J.
    pub stiffness: f64,
}

impl StretchElement {
    /// The element over nodes with these places at rest; the modulus is `λ + 2μ`, Pa.
    #[must_use]
    pub fn new(nodes: [u32; 4], rest: [Vec3; 4], limits: StretchLimits, modulus: f64) -> StretchElement {
        let [a, b, c, d] = rest;
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let rows = edges.inverse().transpose();
        let gradients = [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
        StretchElement { nodes, gradients, limits, stiffness: modulus * edges.determinant() / 6.0 }
    }

    /// The deformation gradient by a place for each node.
    #[inline]
    #[must_use]
    pub fn deformation(&self, place: impl Fn(u32) -> Vec3) -> Mat3 {
        let origin = place(self.nodes[0]);
        let mut columns = [Vec3::ZERO; 3];
        for k in 1..4 {
            let edge = place(self.nodes[k]) - origin;
            for (column, gradient) in columns.iter_mut().zip(self.gradients[k].to_array()) {
                *column += edge * gradient;
            }
        }
        Mat3::from_cols(columns[0], columns[1], columns[2])
    }
}
