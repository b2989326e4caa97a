//! The limits of a step: what is beyond them, and what is done about it round by round.

use super::gauss_seidel::GaussSeidel;
use super::jacobi::Jacobi;
use super::newton::{Held, Multiplier, STIFFER};
use super::params::{StrainParams, StrainSolver};
use super::search::{AGREES, EXACT, SETTLED, Update, Way, agrees, share};
use super::stretch::{Stretch, beyond, is_within};
use crate::body::{SoftBody, SoftState, StretchElement};
use crate::constraint::System;
use crate::energy::problem::SoftProblem;
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

/// An update of multipliers should leave no more than this share of the worst violation; else limits become stiffer, by so much, up to there.
const ENOUGH: f64 = 0.25;
const STEP_UP: f64 = 4.0;
const STIFFEST: f64 = 2e4;

/// What limits are read from.
#[derive(Clone, Copy)]
pub struct StrainInput<'a> {
    /// Step length, s.
    pub dt: f64,
    /// The bodies.
    pub softs: &'a [Arc<SoftBody>],
    /// Where they are at the start of the step.
    pub states: &'a [SoftState],
    /// Solver and tolerance.
    pub params: &'a StrainParams,
}

impl StrainInput<'_> {
    /// Deformation gradient of an element at the start of the step.
    pub(super) fn start(&self, body: usize, element: &StretchElement) -> Mat3 {
        let nodes = &self.states[body].nodes;
        element.deformation(|node| nodes[node as usize])
    }

    /// The same at the end of the step, by velocities.
    pub(super) fn end(&self, body: usize, element: &StretchElement, velocities: &[Vec3]) -> Mat3 {
        let nodes = &self.states[body].nodes;
        element.deformation(|node| nodes[node as usize] + velocities[node as usize] * self.dt)
    }
}

/// What the limits of a step took, and how well they are met.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct StrainEffort {
    /// Linearisations.
    pub iterations: u32,
    /// Jacobi steps or sweeps of the solvers with rows.
    pub steps: u32,
    /// Limits that hold something back.
    pub active: u32,
    /// How far the worst stretch is beyond its limit.
    pub violation: f64,
}

/// Limits of all bodies. Scratch, but for what [`SoftState::holding`] keeps.
#[derive(Debug, Default)]
pub struct Limits {
    pub(super) bodies: Vec<BodyLimits>,
    pub(super) gauss_seidel: GaussSeidel,
    pub(super) jacobi: Jacobi,
    /// Of the step so far.
    pub effort: StrainEffort,
    /// Stiffness of limits over that of their elements.
    stiffer: f64,
    /// The worst violation when multipliers were updated last.
    updated_at: f64,
    /// The motion of the objects at the last iterate.
    objects: Vec<f64>,
    /// Steps so far and the worst violation, at each linearisation of the step.
    pub trace: Vec<(u32, f64)>,
}

/// Limits of one body.
#[derive(Debug, Default)]
pub(super) struct BodyLimits {
    /// Elements that the matrix holds terms for.
    pub held: Vec<Held>,
    /// Those that it should hold by the last motion.
    pub next: Vec<Held>,
    /// Multipliers by the last motion.
    pub holding: Vec<[f64; 4]>,
    /// Where each element is linearised, or would be.
    pub at: Vec<Mat3>,
    /// The stretches there, where they are known: singular values are what limits cost most.
    pub at_stretch: Vec<Option<Stretch>>,
    /// Where it is at the end of the step by the last motion.
    pub ends: Vec<Mat3>,
    /// The stretches there, of those that are held or broken.
    pub end_stretch: Vec<Option<Stretch>>,
    /// Multipliers of each element.
    pub multipliers: Vec<Multiplier>,
    /// The stress that the motion of the last iterate balances.
    pub balance: Vec<Mat3>,
    /// Elements whose limits are on at one end of the way from the last iterate.
    pub way: Vec<Way>,
    /// Velocities of the last iterate, by block.
    pub iterate: Vec<Vec3>,
}

impl Limits {
    /// Makes room for one more soft body.
    pub fn add_body(&mut self, body: &SoftBody) {
        let elements = body.stretch.len();
        self.bodies.push(BodyLimits {
            held: Vec::with_capacity(elements),
            next: Vec::with_capacity(elements),
            holding: vec![[0.0; 4]; elements],
            at: vec![Mat3::IDENTITY; elements],
            at_stretch: vec![None; elements],
            ends: vec![Mat3::IDENTITY; elements],
            end_stretch: vec![None; elements],
            multipliers: vec![Multiplier::ZERO; elements],
            balance: vec![Mat3::ZERO; elements],
            way: Vec::with_capacity(elements),
            iterate: vec![Vec3::ZERO; body.symbolic.block_count()],
        });
        if elements > 0 {
            self.jacobi.add_body(&body.symbolic, elements);
            self.gauss_seidel.any = true;
        } else {
            self.jacobi.add_bare_body(&body.symbolic);
        }
        self.gauss_seidel.compliance.add_body(&body.symbolic);
    }

    /// Makes room for the objects of a border.
    pub fn resize_border(&mut self, size: usize) {
        self.gauss_seidel.compliance.resize_border(size);
        self.jacobi.resize_border(size);
        self.objects.resize(size, 0.0);
    }

    /// No body has limits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.gauss_seidel.any
    }

    /// Begins a step: what held in the last one joins the matrix at once, linearised where the step begins.
    pub fn begin(&mut self, input: &StrainInput<'_>, problems: &mut [SoftProblem]) {
        self.effort = StrainEffort::default();
        self.trace.clear();
        (self.stiffer, self.updated_at) = (STIFFER, f64::INFINITY);
        self.trace.reserve(input.params.iterations as usize + 1);
        for (b, (limits, body)) in self.bodies.iter_mut().zip(input.softs).enumerate() {
            limits.held.clear();
            limits.holding.fill([0.0; 4]);
            if !problems[b].active || input.params.solver != StrainSolver::Newton {
                continue;
            }
            limits.begin_search(b, body, input);
            for (t, element) in body.stretch.iter().enumerate() {
                let holding = input.states[b].holding.get(t).copied().unwrap_or_default();
                if holding == [0.0; 4] {
                    continue;
                }
                let start = limits.at[t];
                let stretch = Stretch::of(&start);
                limits.multipliers[t] = Multiplier::new(&stretch, holding);
                limits.held.extend(Held::new(t as u32, element, &start, &start, &stretch, holding, STIFFER));
            }
            limits.append(body, &mut problems[b], input.dt, 1.0);
        }
    }

    /// Judges all limits by the velocities that the problems hold; true if the step has to go on for them.
    pub fn judge(&mut self, input: &StrainInput<'_>, problems: &[SoftProblem]) -> bool {
        let (mut violation, mut active, mut pulls) = (0.0f64, 0, false);
        for (b, (limits, body)) in self.bodies.iter_mut().zip(input.softs).enumerate() {
            if !problems[b].active || body.stretch.is_empty() {
                continue;
            }
            // over the stiffness of their elements
            let (mut pull, mut strongest) = (0.0f64, 1.0f64);
            let mut held = limits.held.iter().peekable();
            for (t, element) in body.stretch.iter().enumerate() {
                let end = input.end(b, element, &problems[b].solution);
                let own = held.next_if(|held| held.tet == t as u32);
                limits.holding[t] = [0.0; 4];
                limits.end_stretch[t] = None;
                if own.is_none() && is_within(&end, &element.limits) {
                    continue;
                }
                let stretch = Stretch::of(&end);
                limits.end_stretch[t] = Some(stretch);
                violation = violation.max(stretch.beyond(&element.limits));
                if let Some(own) = own {
                    pull = pull.max(own.pull(&end) / element.stiffness);
                    active += own.count();
                    let holding = own.holding(&end, &stretch);
                    strongest = holding.iter().fold(strongest, |most, h| most.max(h.abs() / element.stiffness));
                    limits.holding[t] = holding;
                }
            }
            // what pulls is a force, and known as well as forces are: to a share of the body's strongest
            pulls |= pull > input.params.tolerance * strongest;
        }
        self.effort.violation = violation;
        let newton = input.params.solver == StrainSolver::Newton;
        if newton {
            self.effort.active = active;
            self.trace.push((self.effort.iterations, violation));
        }
        let unmet = violation > input.params.tolerance || pulls;
        unmet && self.effort.iterations < input.params.iterations
    }

    /// Goes towards the velocities that the problems hold as far as is good, takes the terms of the last linearisation out of the matrix and
    /// puts those of the new one in. `objects` is their motion, in the order of the border.
    pub fn relinearise(&mut self, input: &StrainInput<'_>, problems: &mut [SoftProblem], objects: &[f64]) {
        self.effort.iterations += 1;
        let limited = |b: usize| problems[b].active && !input.softs[b].stretch.is_empty();
        for (b, (limits, body)) in self.bodies.iter_mut().zip(input.softs).enumerate().filter(|(b, _)| limited(*b)) {
            limits.find_way(b, body, input, &problems[b].solution);
        }
        let bodies = || self.bodies.iter().zip(input.softs).enumerate().filter(|(b, _)| limited(*b));
        // before the first linearisation there is no iterate to start a way from
        let first = self.effort.iterations == 1;
        let before = self.stiffer;
        let slope = |share| bodies().map(|(_, (limits, body))| limits.slope(body, share, before)).sum();
        let apart = bodies().map(|(_, (limits, body))| limits.disagreement(body, before));
        let apart = apart.fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
        // where the model is exact there is no way left, and slopes along it are those of rounding
        let share = if first || agrees(apart, EXACT) { 1.0 } else { share(slope) };
        // the iterate is as good as these multipliers make it, whatever the model says of the way ahead
        let held: f64 = bodies().map(|(_, (limits, body))| limits.energy(body, before)).sum();
        let settled = !first && -slope(0.0) < SETTLED * held;
        let multipliers = settled || share == 1.0 && agrees(apart, AGREES);
        if multipliers {
            // limits that hold each other yield little to multipliers; stiffer ones do [Nocedal & Wright alg. 17.4]
            if self.effort.violation > ENOUGH * self.updated_at {
                self.stiffer = (self.stiffer * STEP_UP).min(STIFFEST);
            }
            self.updated_at = self.effort.violation;
        }
        self.follow(problems, objects, share);
        let update = Update { multipliers, before, stiffer: self.stiffer };
        for (b, (limits, body)) in self.bodies.iter_mut().zip(input.softs).enumerate() {
            if problems[b].active && !body.stretch.is_empty() {
                limits.go(b, body, input, share, update);
                limits.append(body, &mut problems[b], input.dt, -1.0);
                std::mem::swap(&mut limits.held, &mut limits.next);
                limits.append(body, &mut problems[b], input.dt, 1.0);
            }
        }
    }

    /// The iterate goes a share of the way to this motion.
    fn follow(&mut self, problems: &[SoftProblem], objects: &[f64], share: f64) {
        for (limits, problem) in self.bodies.iter_mut().zip(problems) {
            for (at, v) in limits.iterate.iter_mut().zip(&problem.solution) {
                *at += (*v - *at) * share;
            }
        }
        for (at, w) in self.objects.iter_mut().zip(objects) {
            *at += (w - *at) * share;
        }
    }

    /// The end of a step that may take no more linearisations and is beyond its limits: the last way may lead anywhere, so the step goes only as far along
    /// it as is good. What held back in vain is not remembered. Both ends of the way agree with contact, and so does what is between them.
    pub fn give_up(&mut self, input: &StrainInput<'_>, system: &mut System<'_>) {
        let newton = input.params.solver == StrainSolver::Newton && self.effort.iterations > 0;
        if !newton || self.effort.violation <= input.params.tolerance {
            return;
        }
        let System { problems, border, .. } = system;
        let limited = |b: usize| problems[b].active && !input.softs[b].stretch.is_empty();
        for (b, (limits, body)) in self.bodies.iter_mut().zip(input.softs).enumerate().filter(|(b, _)| limited(*b)) {
            limits.find_way(b, body, input, &problems[b].solution);
        }
        let bodies = || self.bodies.iter().zip(input.softs).enumerate().filter(|(b, _)| limited(*b));
        let stiffer = self.stiffer;
        let share = share(|share| bodies().map(|(_, (limits, body))| limits.slope(body, share, stiffer)).sum());
        self.follow(problems, &border.solution, share);
        self.effort.violation = 0.0;
        for (b, (limits, problem)) in self.bodies.iter_mut().zip(problems.iter_mut()).enumerate() {
            if !problem.active {
                continue;
            }
            limits.holding.fill([0.0; 4]);
            problem.solution.copy_from_slice(&limits.iterate);
            for element in &input.softs[b].stretch {
                let end = input.end(b, element, &limits.iterate);
                self.effort.violation = self.effort.violation.max(beyond(&end, &element.limits));
            }
        }
        border.solution.copy_from_slice(&self.objects);
    }

    /// Meets the limits by forces on the right-hand side, and moves the bodies accordingly: the solvers with rows.
    pub fn push(&mut self, input: &StrainInput<'_>, system: &mut System<'_>) {
        match input.params.solver {
            StrainSolver::Newton => {}
            StrainSolver::Njls => self.jacobi.njls(input, system, &mut self.effort, &mut self.trace),
            StrainSolver::SqpPgs => self.gauss_seidel.solve(input, system, &mut self.effort, &mut self.trace),
            StrainSolver::SqpPjls => self.jacobi.sqp(input, system, &mut self.effort, &mut self.trace),
        }
    }

    /// What the next step begins with.
    #[must_use]
    pub fn holding(&self, body: usize) -> &[[f64; 4]] {
        &self.bodies[body].holding
    }
}

impl Stretch {
    /// A stress `∂U/∂F` along the stretches.
    pub(super) fn along(&self, stress: &Mat3) -> [f64; 3] {
        std::array::from_fn(|i| self.now.col(i).dot(*stress * self.rest.col(i)))
    }

    /// The stress with these parts along the stretches.
    pub(super) fn with(&self, parts: [f64; 3]) -> Mat3 {
        self.now * Mat3::from_diagonal(Vec3::from_array(parts)) * self.rest.transpose()
    }
}

impl BodyLimits {
    fn append(&self, body: &SoftBody, problem: &mut SoftProblem, dt: f64, sign: f64) {
        for held in &self.held {
            let tet = held.tet as usize;
            held.append(&body.stretch[tet], &body.tet_slots[tet], problem, dt, sign);
        }
    }
}
