//! Limits as rows: what is active is linearised, one row each.

use super::limits::StrainInput;
use super::stretch::{Stretch, is_within};
use crate::energy::problem::SoftProblem;
use crate::math::Vec3;

/// Length that a stretch of 1 counts for where rows of stretch and of contact are compared, metres: a stretch of 0.005 is then like a
/// gap of 0.03 mm.
pub const METRES: f64 = 6e-3;

/// One limit, linearised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitRow {
    /// The soft body.
    pub body: u32,
    /// Its element.
    pub tet: u32,
    /// Which of its stretches, descending.
    pub index: u8,
    /// Against stretching, not squeezing.
    pub upper: bool,
    /// Nodes.
    pub nodes: [u32; 4],
    /// `∂C/∂x` of the nodes, 1/m.
    pub gradients: [Vec3; 4],
    /// `C`, below 0 beyond the limit.
    pub value: f64,
    /// `C` by the linear model if nothing moved in the step.
    pub base: f64,
    /// Multiplier, J.
    pub lambda: f64,
}

impl LimitRow {
    /// `J v`, 1/s.
    pub fn rate(&self, velocities: &[Vec3]) -> f64 {
        self.nodes.iter().zip(&self.gradients).map(|(&node, g)| g.dot(velocities[node as usize])).sum()
    }

    /// Which limit it is.
    pub fn key(&self) -> (u32, u32, u8, bool) {
        (self.body, self.tet, self.index, self.upper)
    }
}

/// Linearises, at the end of the step by the problems' velocities, all limits that are broken, and those that `last` has a multiplier
/// for; rows come in order of their keys. Returns how far the worst is broken.
pub(super) fn linearise(
    input: &StrainInput<'_>,
    problems: &[SoftProblem],
    last: &[LimitRow],
    rows: &mut Vec<LimitRow>,
) -> f64 {
    rows.clear();
    let mut last = last.iter().filter(|row| row.lambda > 0.0).peekable();
    let mut worst = 0.0f64;
    for (b, body) in input.softs.iter().enumerate().filter(|(b, _)| problems[*b].active) {
        for (t, element) in body.stretch.iter().enumerate() {
            let place = (b as u32, t as u32);
            let end = input.end(b, element, &problems[b].solution);
            let held = last.peek().is_some_and(|row| (row.body, row.tet) == place);
            if !held && is_within(&end, &element.limits) {
                continue;
            }
            let stretch = Stretch::of(&end);
            for index in 0..3u8 {
                let sigma = stretch.sigma[index as usize];
                for upper in [false, true] {
                    let (value, sign) = match upper {
                        false => (sigma - element.limits.least, 1.0),
                        true => (element.limits.most - sigma, -1.0),
                    };
                    worst = worst.max(-value);
                    let key = (place.0, place.1, index, upper);
                    let own = last.next_if(|row| row.key() == key);
                    if value >= 0.0 && own.is_none() {
                        continue;
                    }
                    let gradients = stretch.gradient(index as usize, element).map(|g| g * sign);
                    let mut row = LimitRow {
                        body: place.0,
                        tet: place.1,
                        index,
                        upper,
                        nodes: element.nodes,
                        gradients,
                        value,
                        base: 0.0,
                        lambda: own.map_or(0.0, |row| row.lambda),
                    };
                    row.base = value - input.dt * row.rate(&problems[b].solution);
                    rows.push(row);
                }
            }
        }
    }
    worst
}
