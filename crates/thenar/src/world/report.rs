//! What a step says about itself.

use crate::solve::SolveError;

/// Nanoseconds from an arbitrary start. The engine has no clock of its own: a caller who wants stage times injects one.
pub type Clock = fn() -> u64;

/// Stages of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Tracked frame to intermediate bones.
    Track,
    /// Prediction and detection.
    Collide,
    /// Energies and contact into the matrix.
    Assemble,
    /// Factorisation.
    Factor,
    /// Triangular solves, border, commit.
    Solve,
    /// Skin, forces, events, hash.
    Outputs,
}

impl Stage {
    /// All stages with their names.
    pub const ALL: [(Stage, &'static str); 6] = [
        (Stage::Track, "track"),
        (Stage::Collide, "collide"),
        (Stage::Assemble, "assemble"),
        (Stage::Factor, "factor"),
        (Stage::Solve, "solve"),
        (Stage::Outputs, "outputs"),
    ];
}

/// Things that went wrong, or out of the ordinary, in a step. None of them is an error of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Flags {
    /// The step could not be solved or would have exploded: positions were kept, velocities dropped.
    pub rolled_back: bool,
    /// A hand was put on its target at once, because it was free of contact and far away, or just appeared.
    pub reseated: bool,
    /// More contacts than there was room for; some were left out.
    pub contact_overflow: bool,
    /// Constraints contradicted each other: skin touched by springs in this step.
    pub yielded: bool,
    /// A tracked frame of the other hand was ignored.
    pub wrong_side: bool,
    /// Tracked joints were missing or broken and were filled in.
    pub joints_filled: bool,
    /// Stretches are beyond their hard limits by more than the tolerance: no motion was found that meets all, perhaps because there
    /// is none, such as between bones that are where a tracker puts them. [`StepReport::overstretch`] says how far.
    pub overstretched: bool,
}

/// One step's figures.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time at its end, seconds.
    pub time: f64,
    /// Nanoseconds per stage, in the order of [`Stage::ALL`]; zero without a clock.
    pub stage_ns: [u64; Stage::ALL.len()],
    /// Nanoseconds of [`Stage::Solve`] in which constraints were gathered, solved and their response added.
    pub constrain_ns: u64,
    /// Nanoseconds of [`Stage::Outputs`] in which touch on the fingertips was rendered.
    pub tactile_ns: u64,
    /// Skin vertices in contact.
    pub skin_contacts: u32,
    /// Contacts between objects.
    pub object_contacts: u32,
    /// Contacts between soft surfaces.
    pub soft_contacts: u32,
    /// Rows of contact constraints.
    pub constraints: u32,
    /// How deep the deepest skin vertex is inside an object at the end of the step, metres.
    pub depth: f64,
    /// Mean depth of what presses, by area, metres; negative outside.
    pub mean_depth: f64,
    /// Iterations of the linear solver, or sweeps over the constraints; 0 for a direct solve without any.
    pub iterations: u32,
    /// Relative residual of an iterative linear solve; 0 for a direct one.
    pub residual: f64,
    /// How far the last sweep over the constraints still moved any of them, metres.
    pub unmet: f64,
    /// The strongest pull of any contact that the rounds of the step did not cure, N; 0 if all agree with their laws.
    pub pull: f64,
    /// Parts in which the step was taken: more than one where soft bodies fly at each other.
    pub parts: u32,
    /// How often the step was solved until all contacts agreed with their laws.
    pub rounds: u32,
    /// How often it was factored anew for that.
    pub refactored: u32,
    /// How far the worst stretch of all elements with hard limits is beyond its limit at the end of the step; 0 without any.
    pub overstretch: f64,
    /// Hard limits that hold something back.
    pub limits: u32,
    /// Linearisations that hard limits took.
    pub limit_iterations: u32,
    /// Nanoseconds of [`Stage::Solve`] in which they were judged and met, factorisations included.
    pub limit_ns: u64,
    /// Smallest determinant of the deformation gradient of all elements.
    pub min_det: f64,
    /// Why the step could not be solved, if it could not.
    pub failure: Option<SolveError>,
    /// What was out of the ordinary.
    pub flags: Flags,
    /// Hash of the state at the end of the step.
    pub hash: u64,
}

impl StepReport {
    /// Takes in an earlier part of the same step: costs add up, and what is worst or most of both stays.
    pub(super) fn join(&mut self, earlier: &StepReport) {
        for (ns, before) in self.stage_ns.iter_mut().zip(earlier.stage_ns) {
            *ns += before;
        }
        self.constrain_ns += earlier.constrain_ns;
        self.tactile_ns += earlier.tactile_ns;
        self.skin_contacts = self.skin_contacts.max(earlier.skin_contacts);
        self.object_contacts = self.object_contacts.max(earlier.object_contacts);
        self.soft_contacts = self.soft_contacts.max(earlier.soft_contacts);
        self.constraints = self.constraints.max(earlier.constraints);
        self.depth = self.depth.max(earlier.depth);
        self.mean_depth = self.mean_depth.max(earlier.mean_depth);
        self.iterations += earlier.iterations;
        self.residual = self.residual.max(earlier.residual);
        self.unmet = self.unmet.max(earlier.unmet);
        self.pull = self.pull.max(earlier.pull);
        self.rounds += earlier.rounds;
        self.refactored += earlier.refactored;
        self.overstretch = self.overstretch.max(earlier.overstretch);
        self.limits = self.limits.max(earlier.limits);
        self.limit_iterations += earlier.limit_iterations;
        self.limit_ns += earlier.limit_ns;
        self.min_det = self.min_det.min(earlier.min_det);
        self.failure = self.failure.or(earlier.failure);
        let (flags, before) = (&mut self.flags, &earlier.flags);
        flags.rolled_back |= before.rolled_back;
        flags.reseated |= before.reseated;
        flags.contact_overflow |= before.contact_overflow;
        flags.yielded |= before.yielded;
        flags.wrong_side |= before.wrong_side;
        flags.joints_filled |= before.joints_filled;
        flags.overstretched |= before.overstretched;
    }
}
