//! Gaps at the motion found: detection looked at the predicted end of the step, and what the solve found may lie elsewhere.
//!
//! A row measures the gap as if the surface were its tangent plane. Where a contact ends beside its predicted place, on a surface that is round
//! or turns, the gap there is another: `g(q) ≠ g(q*) + ∇g (q − q*)`. What is missing is added to the rows and to the springs in the matrix, and
//! the step is solved again: a sequence of quadratic problems, whose normals stay those of the predicted end.

use super::pair::{Pair, Verdict};
use super::rounds::SUNK_POINT;
use super::touching::{ContactInput, Motion, Touching};
use crate::collide::{Contact, Feature, Met, Side};
use crate::constraint::ConstraintSet;
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::{Vec3, rotation_exp};

/// Way beside the predicted place up to which a gap is not looked at again, metres: on a surface of a radius of 1 mm, below which it is an
/// edge, it bends by [`SUNK_POINT`].
const BESIDE: f64 = 2.4e-4;

/// A gap that was read from the distance field is the field's to rounding, metres; one behind the plane by which a point went in is not.
const SAME: f64 = 1e-9;

impl Touching {
    /// Evaluates the gaps of all contacts with objects that ended beside where they were predicted; true if any differed from its linear model by
    /// more than a point may be deep.
    pub fn revise_gaps(
        &mut self,
        input: &ContactInput<'_>,
        problems: &mut [SoftProblem],
        border: &mut BorderProblem,
        set: &mut ConstraintSet,
    ) -> bool {
        let mut revised = false;
        for pair in &mut self.pairs {
            let answered = pair.block.is_some() || pair.verdict != Verdict::Open;
            if !answered || pair.hold.is_some() {
                continue;
            }
            let motion = Motion { problems, border };
            let Some(bend) = bend(pair, input, &motion) else { continue };
            let more = bend - pair.bend;
            if more.abs() <= SUNK_POINT {
                continue;
            }
            revised = true;
            pair.bend = bend;
            pair.predicted += pair.contact.normal * more;
            for block in [pair.block, pair.spring].into_iter().flatten() {
                let row = set.blocks[block as usize].first as usize;
                set.base[row] += more;
            }
            if pair.is_in_matrix() && pair.spring.is_none() {
                // `c − K w` at a gap that is larger by `more`
                let missing = pair.stiffness * pair.contact.normal * -more;
                Touching::push(pair, missing, input, problems, &mut border.assembled);
            }
        }
        if revised {
            for patch in &self.patches {
                let row = set.blocks[patch.block as usize].first as usize;
                let mean = self.members(patch).iter().map(|m| {
                    let pair = &self.pairs[m.pair as usize];
                    m.normal * pair.contact.normal.dot(pair.base(input.dt))
                });
                set.base[row] = mean.sum();
            }
        }
        revised
    }
}

/// By how much the gap at the motion found is larger than its linear model says; `None` where it cannot matter.
fn bend(pair: &Pair, input: &ContactInput<'_>, motion: &Motion<'_>) -> Option<f64> {
    let Contact { key, sides, met, normal, gap, .. } = &pair.contact;
    let ([side @ Side::Soft { .. }, Side::Rigid { object, .. }], Met::Local(predicted), Feature::Skin(_)) =
        (sides, met, key.feature)
    else {
        return None;
    };
    let moved = (input.found(&pair.contact, motion) - pair.velocity) * input.dt;
    let along = normal.dot(moved);
    if (moved - *normal * along).length_squared() < BESIDE * BESIDE {
        return None;
    }
    let model = &input.scene.objects[*object as usize];
    if (model.sample(*predicted).distance - gap).abs() > SAME {
        return None;
    }
    let none = |_| (Vec3::ZERO, Vec3::ZERO);
    let start = input.contacts.motion(side, |b| &input.scene.soft_states[b].nodes, none);
    let came = input.contacts.motion(side, |b| &motion.problems[b].solution, none);
    let pose = &input.scene.object_states[*object as usize].pose;
    let (velocity, spin) = input.object_motion(*object, motion);
    let turned = (rotation_exp(spin * input.dt) * pose.rotation).normalize();
    let local = turned.inverse() * (start + came * input.dt - pose.position - velocity * input.dt);
    Some(model.sample(local).distance - (gap + along))
}
