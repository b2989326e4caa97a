//! Limits as rows: what is active is linearised, one row each.

use super::limits::{StrainEffort, StrainInput};
use super::stretch::{Stretch, is_within};
use crate::energy::problem::SoftProblem;
use crate::math::Vec3;

/// Length that a stretch of 1 counts for where rows of stretch and of contact are compared, metres: a stretch of 0.005 is then like a
/// gap of 0.03 mm.
pub const METRES: f64 = 6e-3;

/// The limit of the volume, behind those of three stretches.
pub(super) const VOLUME: u8 = 3;

/// One limit, linearised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitRow {
    /// The soft body.
    pub body: u32,
    /// The element.
    pub tet: u32,
    /// Which of its limits: a stretch, by its place in their order, or [`VOLUME`].
    pub which: u8,
    /// Nodes.
    pub nodes: [u32; 4],
    /// `∂C/∂x` of the nodes, 1/m.
    pub gradients: [Vec3; 4],
    /// `C`, below 0 beyond the limit.
    pub value: f64,
    /// `C` by the linear model if nothing moved in the step.
    pub base: f64,
    /// Multiplier since it was linearised, J.
    pub lambda: f64,
}

impl LimitRow {
    /// `J v`, 1/s.
    pub fn rate(&self, velocities: &[Vec3]) -> f64 {
        self.nodes.iter().zip(&self.gradients).map(|(&node, g)| g.dot(velocities[node as usize])).sum()
    }
}

/// Begins one more linearisation, if limits are broken and the step has not had all it may: `rows` are then what is broken. Counts it and
/// notes how far the worst limit was.
pub(super) fn begin_linearisation(
    input: &StrainInput<'_>,
    problems: &[SoftProblem],
    rows: &mut Vec<LimitRow>,
    effort: &mut StrainEffort,
    trace: &mut Vec<(u32, f64)>,
) -> bool {
    if effort.iterations >= input.params.iterations {
        return false;
    }
    effort.violation = linearise(input, problems, rows);
    trace.push((effort.steps, effort.violation));
    if effort.violation <= input.params.tolerance {
        return false;
    }
    effort.iterations += 1;
    effort.active = effort.active.max(rows.len() as u32);
    true
}

/// Linearises, at the end of the step by the problems' velocities, all limits that are broken. Returns how far the worst is.
fn linearise(input: &StrainInput<'_>, problems: &[SoftProblem], rows: &mut Vec<LimitRow>) -> f64 {
    rows.clear();
    let mut worst = 0.0f64;
    for (b, body) in input.softs.iter().enumerate().filter(|(b, _)| problems[*b].active) {
        for (tet, element) in (0u32..).zip(&body.stretch) {
            let end = input.end(b, element, &problems[b].solution);
            if is_within(&end, &element.limits) {
                continue;
            }
            let (stretch, limits) = (Stretch::of(&end), &element.limits);
            let mut broken = |which: u8, value: f64, gradients: [Vec3; 4]| {
                worst = worst.max(-value);
                let (body, nodes) = (b as u32, element.nodes);
                let mut row = LimitRow { body, tet, which, nodes, gradients, value, base: 0.0, lambda: 0.0 };
                row.base = value - input.dt * row.rate(&problems[b].solution);
                rows.push(row);
            };
            for (index, sigma) in stretch.sigma.into_iter().enumerate() {
                let (value, sign) =
                    if sigma < limits.least { (sigma - limits.least, 1.0) } else { (limits.most - sigma, -1.0) };
                if value < 0.0 {
                    broken(index as u8, value, stretch.gradient(index, element).map(|g| g * sign));
                }
            }
            let value = stretch.volume() - limits.volume;
            if limits.volume > 0.0 && value < 0.0 {
                broken(VOLUME, value, stretch.volume_gradient(element));
            }
        }
    }
    worst
}
