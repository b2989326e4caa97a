//! Tissue that is put into a bent pose at once is folded: on the inside of a joint bent by a right angle, places blended between its bones lie
//! behind each other, however they are blended. Unfolding turns such elements right side out before the first step.

use crate::body::{SoftBody, StretchLimits};
use crate::math::{Mat3, Vec3};
use crate::strain::{Stretch, beyond};

/// Least stretch of an element of a hand that appears: from there on elasticity does the rest.
const UNFOLDED: f64 = 0.3;

/// Rounds over all elements at most.
const UNFOLDINGS: usize = 100;

/// That, with room for all that flesh could be stretched to.
const LIMITS: StretchLimits = StretchLimits { least: UNFOLDED, most: 1e3, volume: 0.0 };

/// Moves nodes until no element is squeezed to less than [`UNFOLDED`]: one after the other gets the nearest shape that is not, about its
/// centre (Müller et al. 2014, strain based dynamics).
pub(super) fn unfold(body: &SoftBody, nodes: &mut [Vec3]) {
    for _ in 0..UNFOLDINGS {
        let mut folded = false;
        for (t, tet) in body.tets.iter().enumerate() {
            let deformation = body.tissue.deformation_gradient(t, nodes);
            if beyond(&deformation, &LIMITS) == 0.0 {
                continue;
            }
            let stretch = Stretch::of(&deformation);
            folded = true;
            let sigma = Vec3::from_array(stretch.sigma.map(|sigma| sigma.max(UNFOLDED)));
            let shape = stretch.now * Mat3::from_diagonal(sigma) * stretch.rest.transpose();
            let middle = |of: &[Vec3]| tet.iter().map(|&n| of[n as usize]).sum::<Vec3>() / 4.0;
            let (now, rest) = (middle(nodes), middle(&body.rest));
            for &n in tet {
                nodes[n as usize] = now + shape * (body.rest[n as usize] - rest);
            }
        }
        if !folded {
            return;
        }
    }
}
