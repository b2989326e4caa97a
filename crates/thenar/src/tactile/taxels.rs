//! The contact forces of a fingertip on a grid, as a robot's tactile sensor gives them.

use crate::geometry::Aabb;
use crate::math::Vec3;

/// Taxels along a side at most.
pub(super) const MOST_TAXELS: usize = 64;

/// A grid over the pad. Forces are spread over the four nearest taxels by bilinear weights; what lies beside the pad counts
/// for the taxels at its edge, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Taxels {
    /// Taxels across (x) and along (z) the finger.
    pub size: [usize; 2],
    /// Corner of the grid with the least x and z, in the pad's frame, metres.
    pub corner: [f64; 2],
    /// Width and length of a taxel, metres.
    pub pitch: [f64; 2],
    /// Force on the skin, N, in the pad's frame: x and z are shear, y presses into the finger. Row after row along z, x fastest.
    pub forces: Vec<Vec3>,
}

impl Taxels {
    /// A grid of that many taxels over the samples of a pad.
    #[must_use]
    pub fn new(size: [usize; 2], pad: &Aabb) -> Taxels {
        let size = size.map(|n| n.clamp(1, MOST_TAXELS));
        let (min, extent) =
            if pad.is_empty() { (Vec3::ZERO, Vec3::ONE) } else { (pad.min, pad.size().max(Vec3::splat(1e-6))) };
        Taxels {
            size,
            corner: [min.x, min.z],
            pitch: [extent.x / size[0] as f64, extent.z / size[1] as f64],
            forces: vec![Vec3::ZERO; size[0] * size[1]],
        }
    }

    /// Before a new step.
    pub fn clear(&mut self) {
        self.forces.fill(Vec3::ZERO);
    }

    /// Adds a force at a place, both in the pad's frame.
    pub fn add(&mut self, at: Vec3, force: Vec3) {
        let place = |k: usize, x: f64| {
            let last = self.size[k] as f64 - 1.0;
            let t = ((x - self.corner[k]) / self.pitch[k] - 0.5).clamp(0.0, last);
            let t = if t.is_finite() { t } else { 0.0 };
            let low = (t as usize).min(self.size[k].saturating_sub(2));
            (low, t - low as f64)
        };
        let ((i, u), (j, v)) = (place(0, at.x), place(1, at.z));
        for (di, wi) in [(0, 1.0 - u), (1, u)] {
            for (dj, wj) in [(0, 1.0 - v), (1, v)] {
                if wi * wj != 0.0 {
                    self.forces[(j + dj) * self.size[0] + i + di] += force * (wi * wj);
                }
            }
        }
    }

    /// Area of a taxel, m².
    #[must_use]
    pub fn area(&self) -> f64 {
        self.pitch[0] * self.pitch[1]
    }

    /// Pressure into the finger and shear across and along it, Pa, of a taxel; zero outside the grid.
    #[must_use]
    pub fn stress(&self, i: usize, j: usize) -> [f64; 3] {
        if i >= self.size[0] || j >= self.size[1] {
            return [0.0; 3];
        }
        let f = self.forces[j * self.size[0] + i] / self.area();
        [f.y, f.x, f.z]
    }

    /// Sum of all forces, N, in the pad's frame.
    #[must_use]
    pub fn sum(&self) -> Vec3 {
        self.forces.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_are_kept_wherever_they_act() {
        let pad = Aabb::new(Vec3::new(-5e-3, 0.0, -7e-3), Vec3::new(5e-3, 2e-3, 7e-3));
        for size in [[1, 1], [1, 4], [4, 6], [64, 64]] {
            let mut taxels = Taxels::new(size, &pad);
            let mut sum = Vec3::ZERO;
            for k in 0..200 {
                let t = f64::from(k);
                let at = Vec3::new(9e-3 * libm::sin(t), 1e-3, 9e-3 * libm::cos(1.7 * t));
                let force = Vec3::new(0.1 * libm::cos(t), 1.0, -0.2);
                taxels.add(at, force);
                sum += force;
            }
            assert!((taxels.sum() - sum).length() < 1e-9 * sum.length(), "{size:?}");
        }
    }

    #[test]
    fn a_force_on_the_middle_of_a_taxel_is_its_alone() {
        let pad = Aabb::new(Vec3::new(-4e-3, 0.0, -6e-3), Vec3::new(4e-3, 2e-3, 6e-3));
        let mut taxels = Taxels::new([4, 6], &pad);
        taxels.add(Vec3::new(-1e-3, 0.0, 1e-3), Vec3::Y);
        assert!((taxels.stress(1, 3)[0] - 1.0 / 4e-6).abs() < 1.0, "{taxels:?}");
        assert_eq!(taxels.stress(9, 9), [0.0; 3]);
    }
}
