//! Between two solves of a step: which models of contacts the laws contradict, and what to do about it.

use super::pair::{EXACT, Pair, Verdict};
use super::rows::append_pair;
use super::touching::{ContactInput, Motion, Touching};
use crate::body::ContactMethod;
use crate::constraint::{ConstraintSet, TOLERANCE};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;

/// A point without a spring may be this deep, metres.
const SUNK_SPRING: f64 = 3e-6;

/// A point without a row may be this deep, metres, where the rounds of a step come to their end.
pub(super) const SUNK_POINT: f64 = 3e-5;

/// A contact whose models the law contradicted this often gets rows instead of another model.
const TRIED: u32 = 2;

/// A hard point that corrections have not brought to where it must end after as many rounds gets rows, which do at once: another round costs as
/// much as a few rows.
const CORRECTED: u32 = 2;

/// Hard points that slide and get rows for it at most: beside those of points that flip, their laws can all be met at once.
const FEW_SLIDE: usize = 48;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Contacts whose verdict the law contradicts.
    pub flips: u32,
    /// How many of them another model would settle: a hard point that slides has rows afterwards, too.
    pub worth: u32,
    /// Friction of sliding contacts that was misjudged.
    pub misjudged: u32,
    /// Hard points whose models are off by more than they press with.
    pub far: u32,
}

impl Touching {
    /// Judges every model by the motion found so far.
    pub fn judge(&mut self, input: &ContactInput<'_>, motion: &Motion<'_>) -> Findings {
        let mut findings = Findings::default();
        self.flips.clear();
        self.outrageous.clear();
        self.slow.clear();
        self.unmet = 0.0;
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            if pair.block.is_some() || pair.between_objects() || pair.normal_stiffness == 0.0 {
                continue;
            }
            if pair.hold.is_some_and(|hold| hold.verdict == Verdict::Open) {
                continue;
            }
            let w = pair.displacement(input.dt, input.found(&pair.contact, motion));
            if pair.needs_rows() {
                let deep = if pair.is_hard() { SUNK_POINT } else { SUNK_SPRING };
                if -pair.contact.normal.dot(w) + pair.shift() > deep {
                    self.flips.push(i as u32);
                }
                continue;
            }
            let judged = pair.judge(w);
            let contradicted = pair.is_contradicted(w, &judged);
            let far = pair.is_far(w, &judged, self.usual);
            if contradicted && judged.verdict == Verdict::Open || far && !pair.is_hard() {
                self.outrageous.push(i as u32);
            } else if far {
                // rows of many hard points contradict each other; corrections bring them there
                findings.far += 1;
            }
            if !contradicted {
                let unmet = if pair.is_hard() { pair.unmet(w) } else { 0.0 };
                self.unmet = self.unmet.max(unmet);
                let met = if pair.hold.is_some() { EXACT } else { TOLERANCE };
                if unmet > met || pair.verdict == Verdict::Slide && !pair.is_close(w, &judged, self.usual) {
                    findings.misjudged += 1;
                    pair.misjudged += 1;
                    if pair.is_hard() && pair.hold.is_none() && pair.misjudged > CORRECTED {
                        self.slow.push(i as u32);
                    }
                }
                continue;
            }
            let depth = -pair.contact.normal.dot(w) + pair.shift();
            let deep = if pair.is_hard() { TOLERANCE } else { SUNK_SPRING };
            if pair.verdict != Verdict::Open || depth > deep {
                self.flips.push(i as u32);
            }
        }
        findings.flips = self.flips.len() as u32;
        let hard = self.flips.iter().filter(|&&i| self.pairs[i as usize].is_hard()).count() as u32;
        findings.worth = findings.flips - hard / 2;
        findings
    }

    /// Of the contacts that flipped, keeps those whose models pull, or hold on to what slides; returns how many.
    pub fn keep_outrageous_flips(&mut self) -> usize {
        std::mem::swap(&mut self.flips, &mut self.outrageous);
        self.flips.len()
    }

    /// Of the contacts that flipped, keeps those that the matrix holds though they pull, or hold on to what slides; says whether there are any.
    pub fn keep_outrageous_models(&mut self) -> bool {
        std::mem::swap(&mut self.flips, &mut self.outrageous);
        let pairs = &self.pairs;
        self.flips.retain(|&i| pairs[i as usize].verdict != Verdict::Open);
        !self.flips.is_empty()
    }

    /// Models only those anew. Rounds that model all of them may go in circles; these only open contacts and let go, and come to an end.
    pub fn remodel_outrageous(&mut self, input: &ContactInput<'_>, motion: &Motion<'_>) {
        for &i in &self.flips {
            let pair = &mut self.pairs[i as usize];
            let w = pair.displacement(input.dt, input.found(&pair.contact, motion));
            let judged = pair.judge(w);
            pair.model(w, judged);
        }
    }

    /// Gives the contacts that flipped rows with the law itself, and hard points that corrections are slow with.
    pub fn lift(&mut self, input: &ContactInput<'_>, set: &mut ConstraintSet) {
        for &i in self.flips.iter().chain(&self.slow) {
            let pair = &mut self.pairs[i as usize];
            // a contact that leaves its patch has what its own spring gives, and nothing of the patch
            pair.share = 0.0;
            if let Some(spring) = pair.spring.take() {
                set.release(spring);
            }
            self.crowded |= !append_pair(pair, input, set);
        }
        self.shrink_patches(input, set);
    }

    /// Hard points take over the forces that their rows have found: a model of them goes on from there.
    pub fn keep_forces(&mut self, set: &ConstraintSet) {
        for pair in self.pairs.iter_mut().filter(|p| p.is_hard()) {
            if let Some(&[along, second, third]) = pair.block.map(|block| set.force(block)) {
                let axes = pair.axes();
                (pair.kept, pair.drag) = (along, axes.y_axis * second + axes.z_axis * third);
            }
        }
    }

    /// Models every contact as the motion found so far says, for a matrix that is factored anew; rows are given up. `near` the
    /// solution friction is modelled by its tangent.
    ///
    /// A hard point that sank in without a model or rows has had no force: its multiplier begins at nothing, and its stiff spring brings it back to
    /// where it is as deep as the spring is stiffer than its nodes ([`Pair::brought_back`]). There it is judged: by its depth now it would be pushed with a
    /// hundred times what its nodes resist with, and friction, which the matrix takes as given, would be as much too large.
    pub fn remodel(&mut self, input: &ContactInput<'_>, motion: &Motion<'_>, near: bool) {
        for &i in &self.flips {
            self.pairs[i as usize].flips += 1;
        }
        let tried = |p: &Pair| p.flips >= TRIED && p.method != ContactMethod::Aggregate;
        // half of the rows, beside those that others need, are left for what the rounds to come lift
        let rows = |f: &dyn Fn(&Pair) -> bool| 3 * self.pairs.iter().filter(|p| f(p)).count();
        let needed = rows(&|p| p.needs_rows() && !p.by_rows);
        let room = 2 * rows(&tried) <= input.rows.saturating_sub(needed);
        for pair in &mut self.pairs {
            if pair.between_objects() && pair.block.is_none() {
                continue;
            }
            let mut w = pair.displacement(input.dt, input.found(&pair.contact, motion));
            let had_force = pair.block.is_some() || pair.verdict != Verdict::Open;
            pair.block = None;
            pair.by_rows = false;
            if !pair.needs_rows() {
                if pair.is_hard() && !had_force {
                    (pair.kept, pair.drag) = (0.0, Vec3::ZERO);
                    w = pair.brought_back(w);
                }
                let mut judged = pair.judge(w);
                if pair.is_hard() && had_force {
                    pair.tighten(&judged);
                    judged = pair.judge(w);
                }
                // of a hard point its own model decides whether a linear force can stand for it
                if near && judged.verdict == Verdict::Slide && !pair.is_hard() {
                    pair.model_sliding_on(w, judged);
                } else {
                    pair.model(w, judged);
                }
                pair.by_rows |= tried(pair) && room;
            } else if -pair.contact.normal.dot(w) + pair.shift() > SUNK_SPRING {
                pair.verdict = Verdict::Stick;
            }
        }
        self.slide_by_rows();
    }

    /// Where few hard points slide, all of them get rows. As models they take friction as given and have it corrected from round to round, which comes
    /// to no end where a hand is wedged around something: more friction, more pressure, more friction. Many that slide at once, such as a large soft
    /// thing on a slope, are no wedge, and rows of all of them would cost more than the rounds.
    pub(super) fn slide_by_rows(&mut self) {
        let slides = |p: &Pair| p.is_hard() && p.verdict == Verdict::Slide && p.hold.is_none();
        if self.pairs.iter().filter(|p| slides(p)).count() <= FEW_SLIDE {
            self.pairs.iter_mut().filter(|p| slides(p)).for_each(|p| p.by_rows = true);
        }
    }

    /// Brings the friction of sliding contacts to where the law wants it, and hard points to where they must end, as forces
    /// on the right-hand side.
    pub fn correct(&mut self, input: &ContactInput<'_>, problems: &mut [SoftProblem], border: &mut BorderProblem) {
        let settled = self.flips.is_empty();
        for pair in &mut self.pairs {
            let hard = pair.is_hard();
            if pair.block.is_some() || !(hard || pair.verdict == Verdict::Slide) || !pair.is_in_matrix() {
                continue;
            }
            let w = pair.displacement(input.dt, input.found(&pair.contact, &Motion { problems, border }));
            let mut judged = pair.judge(w);
            if hard && settled && !pair.is_contradicted(w, &judged) {
                pair.tighten(&judged);
                judged = pair.judge(w);
            } else if pair.verdict != Verdict::Slide || judged.verdict != Verdict::Slide {
                continue;
            }
            let missing = judged.force - pair.modelled(w);
            Touching::push(pair, missing, input, problems, &mut border.assembled);
            pair.constant += missing;
        }
    }
}
