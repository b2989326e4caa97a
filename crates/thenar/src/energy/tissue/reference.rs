//! One element at a time, straight from the formulas: what the kernels are tested against.

use super::Element;
use crate::math::{Mat3, Vec3, polar_rotation};

/// A single element at given node positions, with its converged rotation.
pub(super) struct ReferenceElement {
    gradients: [Vec3; 4],
    volume: f64,
    element: Element,
    rotation: Mat3,
    f: Mat3,
}

impl ReferenceElement {
    pub fn new(rest: [Vec3; 4], x: [Vec3; 4], element: Element) -> Self {
        let shape = |p: [Vec3; 4]| Mat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]);
        let inverse = shape(rest).inverse();
        let rows = inverse.transpose();
        let f = shape(x) * inverse;
        ReferenceElement {
            gradients: [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis],
            volume: element.fill * shape(rest).determinant() / 6.0,
            element,
            rotation: polar_rotation(&f),
            f,
        }
    }

    fn stress_of(&self, strain: &Mat3) -> Mat3 {
        let m = self.element.material;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        *strain * (2.0 * m.mu()) + Mat3::from_diagonal(Vec3::splat(m.lambda() * trace))
    }

    fn symmetric(m: Mat3) -> Mat3 {
        (m + m.transpose()) * 0.5
    }

    fn strain(&self) -> Mat3 {
        Self::symmetric(self.rotation.transpose() * self.f) - Mat3::IDENTITY
    }

    /// Energy density without the limit's share.
    pub fn density(&self) -> f64 {
        let strain = self.strain();
        let stress = self.stress_of(&strain);
        let product = |a: Vec3, b: Vec3| a.dot(b);
        0.5 * (product(strain.x_axis, stress.x_axis)
            + product(strain.y_axis, stress.y_axis)
            + product(strain.z_axis, stress.z_axis))
    }

    /// [CLAP eq. 9]
    pub fn stiffening(&self) -> f64 {
        match self.element.limit {
            Some(l) if self.density() > l.density => 1.0 + l.stiffness / l.density * (self.density() / l.density - 1.0),
            _ => 1.0,
        }
    }

    /// Energy with the limit's share, J [CLAP eq. 8].
    pub fn energy(&self) -> f64 {
        let w = self.density();
        let added = match self.element.limit {
            Some(l) if w > l.density => 0.5 * l.stiffness * (w / l.density - 1.0).powi(2),
            _ => 0.0,
        };
        self.volume * (w + added)
    }

    /// Gradient of the energy without the limit.
    fn plain_gradient(&self) -> [Vec3; 4] {
        let stress = self.rotation * self.stress_of(&self.strain());
        self.gradients.map(|g| stress * g * self.volume)
    }

    pub fn gradient(&self) -> [Vec3; 4] {
        self.plain_gradient().map(|g| g * self.stiffening())
    }

    /// Block `(a, b)` of the Hessian with the rotation held [CLAP eq. 10].
    pub fn hessian(&self, a: usize, b: usize) -> Mat3 {
        let column = |axis: Vec3| {
            let change =
                Mat3::from_cols(axis * self.gradients[b].x, axis * self.gradients[b].y, axis * self.gradients[b].z);
            let strain = Self::symmetric(self.rotation.transpose() * change);
            self.rotation * self.stress_of(&strain) * self.gradients[a] * self.volume
        };
        let mut k = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z)) * self.stiffening();
        if let Some(l) = self.element.limit
            && self.density() > l.density
        {
            let g = self.plain_gradient();
            let factor = l.stiffness / (l.density * l.density * self.volume);
            k += Mat3::from_cols(g[a] * g[b].x, g[a] * g[b].y, g[a] * g[b].z) * factor;
        }
        k
    }
}
