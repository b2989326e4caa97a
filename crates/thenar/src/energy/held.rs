//! Nodes of a soft body that are held at places from outside.
//!
//! Each node has a share of one spring and one damper of the whole body, by its mass, so that the hold bends nothing by itself. On
//! node `i` of mass `m_i` of a body of mass `M` acts, at the end of the step,
//! ```text
//! f_i = m_i / M (k (x̂_i − x_i) − c v_i)
//! ```

use super::problem::SoftProblem;
use super::spring::Spring;
use crate::math::{Mat3, Vec3};

/// How a soft body is held.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldNodes {
    /// Where each node is held, metres.
    pub places: Vec<Vec3>,
    /// Of all nodes together, N/m.
    pub stiffness: f64,
    /// Of all nodes together, N s/m.
    pub damping: f64,
}

/// The spring of one node.
#[must_use]
pub fn held(node: Vec3, place: Vec3, stiffness: f64) -> Spring<1> {
    Spring {
        residual: node - place,
        stiffness: Mat3::from_diagonal(Vec3::splat(stiffness)),
        jacobian: [Mat3::IDENTITY],
    }
}

impl HeldNodes {
    /// Adds the hold of a body whose nodes have these places and masses at the start of the step.
    pub fn append(&self, nodes: &[Vec3], masses: &[f64], problem: &mut SoftProblem, h: f64) {
        let whole: f64 = masses.iter().sum();
        for (i, ((node, place), mass)) in nodes.iter().zip(&self.places).zip(masses).enumerate() {
            let share = mass / whole;
            let spring = held(*node, *place, self.stiffness * share);
            problem.rhs[i] -= spring.gradient(0) * h;
            problem.matrix.diagonal[i].add_diagonal((self.stiffness * h * h + self.damping * h) * share);
        }
    }
}
