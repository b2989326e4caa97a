//! Springs of contact in the matrix, where its pattern has room: skin on objects in the bodies' own blocks and the border,
//! objects on objects in the border alone.
//!
//! With `w = w₀ + h (v_a − v_b)` a spring's force `c − K w` adds `h² Jᵀ K J` to the matrix and `h Jᵀ (c − K w₀)` to the
//! right-hand side, `J = [weights, −I, [lever]]`: both bodies receive the force at the same place.

use super::pair::{Pair, Verdict};
use super::rows::append_pair;
use super::touching::{ContactInput, Touching, has_room};
use crate::collide::{Carrier, Side};
use crate::constraint::ConstraintSet;
use crate::energy::problem::{BorderProblem, BorderSystem, BorderTerms, SoftProblem};
use crate::math::{Mat3, Vec3, skew};
use crate::solve::pcg::LooseSprings;
use crate::sparse::Slot;

impl Touching {
    /// First hook: springs of skin on objects.
    pub fn append_springs(&self, input: &ContactInput<'_>, problems: &mut [SoftProblem], border: &mut BorderSystem) {
        self.for_springs(input, |pair, carriers, slots, body, index, lever| {
            let problem = &mut problems[body];
            add_soft(pair, carriers, slots, problem, input.dt, 1.0);
            if let Some(index) = index {
                add_touched(pair, carriers, problem, input.dt, index, lever, border);
            }
        });
        for pair in self.pairs.iter().filter(|p| p.loose && p.is_in_matrix()) {
            Touching::push(pair, pair.modelled(pair.base(input.dt)), input, problems, border);
        }
    }

    /// Takes all springs out of the blocks of soft bodies again, before they are modelled anew. The border is assembled
    /// anew instead.
    pub fn remove_springs(&self, input: &ContactInput<'_>, problems: &mut [SoftProblem]) {
        self.for_springs(input, |pair, carriers, slots, body, _, _| {
            add_soft(pair, carriers, slots, &mut problems[body], input.dt, -1.0);
        });
        let mut none = BorderSystem::default();
        for pair in self.pairs.iter().filter(|p| p.loose && p.is_in_matrix()) {
            Touching::push(pair, -pair.modelled(pair.base(input.dt)), input, problems, &mut none);
        }
    }

    fn for_springs(
        &self,
        input: &ContactInput<'_>,
        mut each: impl FnMut(&Pair, &[Carrier], &[Slot; 10], usize, Option<u32>, Vec3),
    ) {
        for pair in self.pairs.iter().filter(|p| p.is_in_matrix() && !p.loose) {
            let [side @ Side::Soft { body, tet: Some(tet), .. }, Side::Rigid { object, lever }] = pair.contact.sides
            else {
                continue;
            };
            let slots = &input.scene.softs[body as usize].tet_slots[tet as usize];
            let carriers = input.contacts.carriers(&side);
            let index = input.scene.objects[object as usize].border;
            each(pair, carriers, slots, body as usize, index, lever);
        }
    }

    /// Springs between soft bodies, for a solver that takes them as products.
    pub fn hang_loose(&self, input: &ContactInput<'_>, problems: &[SoftProblem], loose: &mut LooseSprings) {
        loose.clear();
        for pair in self.pairs.iter().filter(|p| p.loose && p.is_in_matrix()) {
            let sides = pair.contact.sides.iter().zip([1.0, -1.0]);
            let carriers = sides.flat_map(|(side, sign)| {
                let body = if let Side::Soft { body, .. } = *side { body as usize } else { 0 };
                let first: usize = problems[..body].iter().filter(|p| p.active).map(|p| p.rhs.len()).sum();
                let own = input.contacts.carriers(side).iter();
                own.map(move |c| (first as u32 + c.node, sign * c.weight))
            });
            loose.push(pair.stiffness * (input.dt * input.dt), carriers);
        }
    }

    /// Adds a force on the touching side, and its opposite on the other, to the right-hand side.
    pub(super) fn push(
        pair: &Pair,
        force: Vec3,
        input: &ContactInput<'_>,
        problems: &mut [SoftProblem],
        border: &mut BorderSystem,
    ) {
        for (side, sign) in pair.contact.sides.iter().zip([1.0, -1.0]) {
            let impulse = force * (sign * input.dt);
            match *side {
                Side::Soft { body, .. } => {
                    for c in input.contacts.carriers(side) {
                        problems[body as usize].rhs[c.node as usize] += impulse * c.weight;
                    }
                }
                Side::Rigid { object, lever } => {
                    if let Some(index) = input.scene.objects[object as usize].border {
                        border.add_rhs(2 * index as usize, impulse);
                        border.add_rhs(2 * index as usize + 1, lever.cross(impulse));
                    }
                }
            }
        }
    }
}

impl Pair {
    /// The matrix of the step, or `W`, holds a model of it.
    #[must_use]
    pub fn is_in_matrix(&self) -> bool {
        let room = has_room(&self.contact) || self.loose || self.spring.is_some();
        self.verdict != Verdict::Open && !self.needs_rows() && room && self.stiffness != Mat3::ZERO
    }
}

/// A skin point's spring over the four nodes of its element, added or (`sign` −1) taken away.
fn add_soft(pair: &Pair, carriers: &[Carrier], slots: &[Slot; 10], problem: &mut SoftProblem, h: f64, sign: f64) {
    let force = pair.modelled(pair.base(h)) * (sign * h);
    let stiffness = pair.stiffness * (sign * h * h);
    let mut slot = slots.iter();
    for (i, c) in carriers.iter().enumerate() {
        problem.rhs[c.node as usize] += force * c.weight;
        let scaled = stiffness * c.weight;
        for other in &carriers[i..] {
            if let Some(&s) = slot.next() {
                problem.matrix.add(s, &(scaled * other.weight));
            }
        }
    }
}

/// The same spring's part of the touched object.
fn add_touched(
    pair: &Pair,
    carriers: &[Carrier],
    problem: &mut SoftProblem,
    h: f64,
    index: u32,
    lever: Vec3,
    border: &mut BorderSystem,
) {
    let stiffness = pair.stiffness * (h * h);
    let columns = &mut problem.border[index as usize];
    let turned = stiffness * skew(lever);
    for c in carriers {
        let row = columns.touch(&problem.symbolic, c.node);
        columns.add(row, 0, &(stiffness * -c.weight));
        columns.add(row, 3, &(turned * c.weight));
    }
    add_object(border, index, &stiffness, lever, pair.modelled(pair.base(h)) * -h);
}

/// Contacts between rigid objects: they live in the border alone, so they can be judged again and again within a step
/// until every one of them presses or is open, sticks or slips, as Coulomb's law wants.
pub struct ObjectPairs<'a> {
    /// What they read.
    pub input: &'a ContactInput<'a>,
    /// All contacts; only those between objects are looked at.
    pub pairs: &'a mut [Pair],
}

impl ObjectPairs<'_> {
    fn border_index(&self, object: u32) -> Option<u32> {
        self.input.scene.objects[object as usize].border
    }
}

impl BorderTerms for ObjectPairs<'_> {
    fn append(&self, border: &mut BorderSystem) {
        let h = self.input.dt;
        for pair in self.pairs.iter().filter(|p| p.verdict != Verdict::Open && p.block.is_none()) {
            let [Side::Rigid { object, lever: own_lever }, Side::Rigid { object: other, lever }] = pair.contact.sides
            else {
                continue;
            };
            let Some(own) = self.border_index(object) else { continue };
            let (force, stiffness) = (pair.modelled(pair.base(h)) * h, pair.stiffness * (h * h));
            add_object(border, own, &stiffness, own_lever, force);
            if let Some(other) = self.border_index(other) {
                add_object(border, other, &stiffness, lever, -force);
                add_pair(border, own, own_lever, other, lever, &stiffness);
            }
        }
    }

    fn reconsider(&mut self, border: &BorderProblem) -> bool {
        self.judge(border, 0.0, |_| {})
    }
}

impl ObjectPairs<'_> {
    /// Judges contacts between objects by a motion that is known to `unmet` metres: a light object sticks and slides by turns
    /// within that, which is no change. `each` is told which were modelled anew; true if any was.
    fn judge(&mut self, border: &BorderProblem, unmet: f64, mut each: impl FnMut(u32)) -> bool {
        let mut changed = false;
        let (h, objects) = (self.input.dt, self.input.scene.objects);
        let motion = |object: u32, lever: Vec3| {
            let (v, w) =
                objects[object as usize].border.map_or((Vec3::ZERO, Vec3::ZERO), |i| border.motion(i as usize));
            v + w.cross(lever)
        };
        for (i, pair) in self.pairs.iter_mut().enumerate().filter(|(_, p)| p.block.is_none()) {
            let [Side::Rigid { object: a, lever: l }, Side::Rigid { object: b, lever: m }] = pair.contact.sides else {
                continue;
            };
            let w = pair.displacement(h, motion(a, l) - motion(b, m));
            let judged = pair.judge(w);
            let opens = (judged.verdict == Verdict::Open) != (pair.verdict == Verdict::Open);
            let same =
                judged.verdict == pair.verdict && (judged.verdict == Verdict::Open || pair.is_close(w, &judged, 0.0));
            let known = (judged.force - pair.modelled(w)).length() <= unmet * pair.normal_stiffness;
            if opens || !(same || known) {
                changed = true;
                each(i as u32);
                pair.model(w, judged);
            }
        }
        changed
    }
}

impl Touching {
    /// Judges contacts between objects by a motion that is known to `unmet` metres, and remembers which were modelled anew.
    pub fn judge_objects(&mut self, input: &ContactInput<'_>, border: &BorderProblem, unmet: f64) -> bool {
        self.unsettled.clear();
        let unsettled = &mut self.unsettled;
        ObjectPairs { input, pairs: &mut self.pairs }.judge(border, unmet, |i| unsettled.push(i))
    }

    /// Gives contacts between objects that were modelled anew in the last round rows with the law itself: beside others that
    /// have rows, models of friction that wait for each other converge slowly. Half of the rows are left to skin, which has
    /// no other way; contacts between objects lose nothing without.
    pub fn lift_objects(&mut self, input: &ContactInput<'_>, set: &mut ConstraintSet) {
        if set.rows.len() + 3 * self.unsettled.len() <= input.rows / 2 {
            for &i in &self.unsettled {
                append_pair(&mut self.pairs[i as usize], input, set);
            }
        }
    }
}

/// One object's own blocks: `[I, −[l]]ᵀ K [I, −[l]]` and the impulse `[f, l × f]`.
fn add_object(border: &mut BorderSystem, index: u32, stiffness: &Mat3, lever: Vec3, impulse: Vec3) {
    let (linear, angular) = (2 * index as usize, 2 * index as usize + 1);
    let arm = skew(lever);
    let mixed = *stiffness * arm * -1.0;
    border.add(linear, linear, stiffness);
    border.add(linear, angular, &mixed);
    border.add(angular, linear, &mixed.transpose());
    border.add(angular, angular, &(arm.transpose() * *stiffness * arm));
    border.add_rhs(linear, impulse);
    border.add_rhs(angular, lever.cross(impulse));
}

/// The blocks between two objects: `−[I, −[a]]ᵀ K [I, −[b]]` and its transpose.
fn add_pair(border: &mut BorderSystem, a: u32, arm_a: Vec3, b: u32, arm_b: Vec3, stiffness: &Mat3) {
    let (ja, jb) = ([Mat3::IDENTITY, skew(arm_a) * -1.0], [Mat3::IDENTITY, skew(arm_b) * -1.0]);
    for i in 0..2 {
        for j in 0..2 {
            let block = ja[i].transpose() * *stiffness * jb[j] * -1.0;
            border.add(2 * a as usize + i, 2 * b as usize + j, &block);
            border.add(2 * b as usize + j, 2 * a as usize + i, &block.transpose());
        }
    }
}
