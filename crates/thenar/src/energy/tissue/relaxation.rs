//! Stress that relaxes: Maxwell elements beside the springs of the tissue.
//!
//! Beside its elastic stress `σ(e)` an element has, for each branch with share `g` and time `τ`, the stress of a spring of that share in series
//! with a dashpot, which has given way by the strain `α`:
//! ```text
//! σ_v = g σ₀(e − α),     τ dα/dt = e − α,     σ₀ the linear stress of the material, without its energy limit
//! ```
//! Implicit Euler puts `α' = α + h/(τ + h) (e' − α)` at the end of the step, and with it
//! ```text
//! σ_v' = g τ/(τ + h) σ₀(e' − α)
//! ```
//! so the matrix of the step holds the element's stiffness `s + Σ g τ/(τ + h)` times, and the right-hand side knows what has relaxed. Springs and dashpots
//! dissipate whatever the step. A rigid motion changes no `α`: strains are those of the element's own frame.
//!
//! `thenar bench pad` pushes a fine index pad down by 1.3 mm in 50 ms, and holds or taps it. People's force relaxes with 4 ms, 70 ms and 1.4 s, and they lose 60 to 85 %
//! of the work of a tap [Pawluk & Howe 1999]:
//!
//! | relaxation | N | left after 4 ms | 70 ms | 1.4 s | 2.8 s | lost in a tap |
//! |---|---|---|---|---|---|---|
//! | off | 0.73 | 1.00 | 1.03 | 1.03 | 1.03 | 0.68 |
//! | on | 1.29 | 0.99 | 0.89 | 0.68 | 0.62 | 0.79 |
//!
//! It costs a tenth of a step (`thenar run hold --relaxation on`). It is off by default: grips of a hand that is led to one place would fall by a third, and force against
//! depth, to which flesh is fitted, is that of slow presses.

use super::elements::LANES;
use super::{TissueEnergy, TissueRotations};
use crate::math::{Mat3, Vec3};

/// Branches: those of a fingertip that are slower than the damping of tissue (`TissueParams::damping`).
pub const BRANCHES: usize = 2;

/// Independent components of a strain: three along the axes, and twice the shears xy, xz, yz.
pub(super) const STRAINS: usize = 6;

/// How the stress of tissue relaxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// What each branch adds to the stiffness that stays, as a share of it.
    pub shares: [f64; BRANCHES],
    /// Times within which they give way, seconds.
    pub times: [f64; BRANCHES],
}

impl Relaxation {
    /// Times of a fingertip [Pawluk & Howe 1999: 4 ms, 70 ms and 1.4 s], with equal shares of our own: what we have of the paper prints none. The first is
    /// [`FINGERTIP_DAMPING`](Self::FINGERTIP_DAMPING). `thenar bench pad` says what they make of a held pad and of a tap.
    pub const FINGERTIP: Relaxation = Relaxation { shares: [0.5, 0.5], times: [0.07, 1.4] };

    /// Damping of tissue that goes with it, seconds: the shortest of the three times.
    pub const FINGERTIP_DAMPING: f64 = 4e-3;

    /// What each branch adds to the stiffness in a step of `dt` seconds.
    pub(super) fn added(&self, dt: f64) -> [f64; BRANCHES] {
        std::array::from_fn(|b| self.shares[b] * self.times[b] / (self.times[b] + dt))
    }

    /// The part of what is left that each branch gives way by in `dt` seconds.
    pub(super) fn given(&self, dt: f64) -> [f64; BRANCHES] {
        std::array::from_fn(|b| dt / (self.times[b] + dt))
    }

    /// The first number that is out of range: its name, its value, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let share = self.shares.into_iter().find(|share| !(0.0..=100.0).contains(share));
        let time = self.times.into_iter().find(|time| !(1e-4..=1e4).contains(time));
        let share = share.map(|share| ("share", share, "0 to 100 times the stiffness that stays"));
        share.or(time.map(|time| ("time", time, "0.0001 to 10000 s")))
    }
}

/// Strains of eight elements.
pub(super) type Strains = [[f64; LANES]; STRAINS];

/// What has relaxed in every element: part of the state. Empty for tissue that does not relax.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TissueMemory {
    /// Strains by which the dashpots of the branches have given way.
    pub(super) groups: Vec<[Strains; BRANCHES]>,
    /// Time that has passed since they were brought up to date, seconds.
    pub(super) passed: f64,
}

impl TissueMemory {
    /// Of tissue that has been at rest for ever.
    #[must_use]
    pub fn new(tissue: &TissueEnergy) -> TissueMemory {
        let groups = if tissue.relaxation.is_some() { tissue.groups.len() } else { 0 };
        TissueMemory { groups: vec![[[[0.0; LANES]; STRAINS]; BRANCHES]; groups], passed: 0.0 }
    }

    /// It is of tissue that relaxes as this does.
    #[must_use]
    pub fn fits(&self, tissue: &TissueEnergy) -> bool {
        self.groups.len() == if tissue.relaxation.is_some() { tissue.groups.len() } else { 0 }
    }

    /// The body has moved for `dt` seconds. The next evaluation takes it in.
    pub fn pass(&mut self, dt: f64) {
        self.passed += dt;
    }

    /// The tissue has been as it is now for ever.
    ///
    /// # Panics
    /// If a slice is not of this tissue's size.
    pub fn settle(&mut self, tissue: &TissueEnergy, rotations: &TissueRotations, positions: &[Vec3]) {
        self.passed = 0.0;
        if self.groups.is_empty() {
            return;
        }
        for tet in 0..tissue.element_count() {
            let turned_back = Mat3::from_quat(rotations.get(tet)).transpose();
            let stretch = turned_back * tissue.deformation_gradient(tet, positions);
            let along = |k: usize| stretch.col(k)[k] - 1.0;
            let shear = |i: usize, j: usize| stretch.col(i)[j] + stretch.col(j)[i];
            let strain = [along(0), along(1), along(2), shear(0, 1), shear(0, 2), shear(1, 2)];
            for branch in &mut self.groups[tet / LANES] {
                branch.iter_mut().zip(strain).for_each(|(lanes, e)| lanes[tet % LANES] = e);
            }
        }
    }

    /// All components, for hashing.
    pub fn components(&self) -> impl Iterator<Item = f64> + '_ {
        let passed = (!self.groups.is_empty()).then_some(self.passed);
        self.groups.iter().flatten().flatten().flatten().copied().chain(passed)
    }
}

/// For an evaluation: what has relaxed, and the step for which the tissue is wanted.
pub struct Relaxing<'a> {
    /// Brought up to date.
    pub memory: &'a mut TissueMemory,
    /// Length of the coming step, seconds.
    pub dt: f64,
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CONVERGED, SOFT, all_kernels, block, deformed, largest, pattern};
    use super::super::{Element, EnergyLimit};
    use super::*;
    use crate::geometry::TetMesh;
    use crate::math::{Kernels, Serial, rotation_exp};
    use crate::sparse::BlockMatrix;

    const USUAL: Relaxation = Relaxation { shares: [0.8, 0.3], times: [0.05, 1.0] };

    fn tissue(mesh: &TetMesh, limit: Option<EnergyLimit>, kernels: Kernels) -> TissueEnergy {
        let elements = vec![Element { material: SOFT, fill: 1.0, limit }; mesh.tets.len()];
        TissueEnergy::new(mesh, &elements, &pattern(mesh), kernels).unwrap().relaxing(Some(USUAL)).unwrap()
    }

    /// Energy and forces for a step of `dt`, and what an assembly needs.
    fn evaluate(
        tissue: &TissueEnergy,
        x: &[Vec3],
        memory: &mut TissueMemory,
        dt: f64,
    ) -> (f64, Vec<Vec3>, super::super::TissueWork) {
        let mut rotations = TissueRotations::identity(tissue);
        let (mut work, mut forces) = (tissue.work(), vec![Vec3::ZERO; x.len()]);
        let relaxing = Some(Relaxing { memory, dt });
        let energy = tissue.evaluate_with(&Serial, x, &mut rotations, CONVERGED, relaxing, &mut work, &mut forces);
        (energy, forces, work)
    }

    /// Somewhere between rest and where the tissue is.
    fn half_relaxed(tissue: &TissueEnergy, x: &[Vec3]) -> TissueMemory {
        let mut memory = TissueMemory::new(tissue);
        evaluate(tissue, x, &mut memory, 0.01);
        memory.pass(0.08);
        evaluate(tissue, x, &mut memory, 0.01);
        memory
    }

    #[test]
    fn forces_of_tissue_that_relaxes_are_minus_the_gradient_of_the_energy_of_the_step() {
        let mesh = block();
        for limit in [None, Some(EnergyLimit { density: 2500.0, stiffness: 3000.0 })] {
            for kernels in all_kernels() {
                let tissue = tissue(&mesh, limit, kernels);
                let x = deformed(&mesh, 0.0005);
                let memory = half_relaxed(&tissue, &deformed(&mesh, 0.001));
                let forces = evaluate(&tissue, &x, &mut memory.clone(), 0.01).1;
                // as in the test of tissue that does not relax
                let h = 1e-6;
                for (i, k) in (0..x.len()).flat_map(|i| (0..3).map(move |k| (i, k))) {
                    let shifted = |by: f64| {
                        let mut x = x.clone();
                        x[i][k] += by;
                        evaluate(&tissue, &x, &mut memory.clone(), 0.01).0
                    };
                    let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
                    let error = (forces[i][k] + slope).abs();
                    assert!(error < 1e-6 * largest(&forces), "node {i} axis {k}: off by {error}");
                }
            }
        }
    }

    #[test]
    fn stress_that_relaxes_turns_nothing() {
        let mesh = block();
        let tissue = tissue(&mesh, None, Kernels::auto());
        let x = deformed(&mesh, 0.0005);
        let mut memory = half_relaxed(&tissue, &deformed(&mesh, 0.001));
        let forces = evaluate(&tissue, &x, &mut memory, 0.01).1;
        let arm = largest(&x) * largest(&forces);
        let torque: Vec3 = x.iter().zip(&forces).map(|(x, f)| x.cross(*f)).sum();
        assert!(torque.length() < 1e-12 * arm, "{torque} of {arm}");
        assert!(forces.iter().sum::<Vec3>().length() < 1e-12 * largest(&forces));
    }

    /// Without a limit all of the matrix is the elastic one, times what the branches add in a step of this length.
    #[test]
    fn branches_stiffen_the_matrix_by_what_they_add() {
        let mesh = block();
        for kernels in all_kernels() {
            let tissue = tissue(&mesh, None, kernels);
            let x = deformed(&mesh, 0.001);
            let assembled = |work: &super::super::TissueWork| {
                let mut matrix = BlockMatrix::zero(&pattern(&mesh));
                tissue.assemble(work, 1.0, &mut matrix);
                matrix
            };
            let mut memory = half_relaxed(&tissue, &x);
            let with = assembled(&evaluate(&tissue, &x, &mut memory, 0.02).2);
            let (mut rotations, mut work) = (TissueRotations::identity(&tissue), tissue.work());
            tissue.evaluate(&x, &mut rotations, CONVERGED, &mut work, &mut vec![Vec3::ZERO; x.len()]);
            let without = assembled(&work);
            let factor = 1.0 + 0.8 * 0.05 / 0.07 + 0.3 * 1.0 / 1.02;
            let size = without.diagonal[0].get(0, 0);
            for (a, b) in with.diagonal.iter().chain(&with.off).zip(without.diagonal.iter().chain(&without.off)) {
                assert!(a.to_mat3().abs_diff_eq(b.to_mat3() * factor, 1e-12 * size));
            }
        }
    }

    /// A shape that is held: what a branch holds decays by `τ/(τ + h)` in a step, and what stays is elastic.
    #[test]
    fn stress_of_a_held_shape_decays_to_the_elastic_one() {
        let mesh = block();
        let tissue = tissue(&mesh, None, Kernels::auto());
        let x = deformed(&mesh, 0.0005);
        let mut memory = TissueMemory::new(&tissue);
        let h = 0.01;
        let (mut rotations, mut work) = (TissueRotations::identity(&tissue), tissue.work());
        let mut elastic = vec![Vec3::ZERO; x.len()];
        tissue.evaluate(&x, &mut rotations, CONVERGED, &mut work, &mut elastic);
        for step in 1..400 {
            let forces = evaluate(&tissue, &x, &mut memory, h).1;
            let left = |g: f64, tau: f64| g * libm::pow(tau / (tau + h), f64::from(step));
            let factor = 1.0 + left(0.8, 0.05) + left(0.3, 1.0);
            for (f, e) in forces.iter().zip(&elastic) {
                assert!((*f - *e * factor).length() < 1e-10 * largest(&elastic), "step {step}");
            }
            memory.pass(h);
        }
    }

    #[test]
    fn what_has_relaxed_turns_with_the_body() {
        let mesh = block();
        let tissue = tissue(&mesh, None, Kernels::auto());
        let x = deformed(&mesh, 0.0005);
        let memory = half_relaxed(&tissue, &deformed(&mesh, 0.0002));
        let forces = evaluate(&tissue, &x, &mut memory.clone(), 0.01).1;
        let turn = rotation_exp(Vec3::new(-0.5, 0.9, 1.1));
        let turned: Vec<Vec3> = x.iter().map(|p| turn * *p).collect();
        let after = evaluate(&tissue, &turned, &mut memory.clone(), 0.01).1;
        for (a, f) in after.iter().zip(&forces) {
            assert!((*a - turn * *f).length() < 1e-11 * largest(&forces));
        }
    }

    #[test]
    fn tissue_that_has_settled_has_its_elastic_stress_alone() {
        let mesh = block();
        let tissue = tissue(&mesh, None, Kernels::auto());
        let x = deformed(&mesh, 0.0005);
        let mut rotations = TissueRotations::identity(&tissue);
        rotations.reset(&tissue, &x);
        let mut memory = half_relaxed(&tissue, &x);
        memory.settle(&tissue, &rotations, &x);
        let forces = evaluate(&tissue, &x, &mut memory, 0.01).1;
        let (mut rotations, mut work) = (TissueRotations::identity(&tissue), tissue.work());
        let mut elastic = vec![Vec3::ZERO; x.len()];
        tissue.evaluate(&x, &mut rotations, CONVERGED, &mut work, &mut elastic);
        for (f, e) in forces.iter().zip(&elastic) {
            assert!((*f - *e).length() < 1e-11 * largest(&elastic));
        }
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let mesh = block();
        let wrong = |relaxation| {
            let elements = vec![Element { material: SOFT, fill: 1.0, limit: None }; mesh.tets.len()];
            let tissue = TissueEnergy::new(&mesh, &elements, &pattern(&mesh), Kernels::auto()).unwrap();
            tissue.relaxing(Some(relaxation)).unwrap_err().to_string()
        };
        let share = wrong(Relaxation { shares: [-0.1, 0.3], ..USUAL });
        assert!(share.contains("share is -0.1"), "{share}");
        let time = wrong(Relaxation { times: [0.05, f64::NAN], ..USUAL });
        assert!(time.contains("time is NaN"), "{time}");
    }
}
