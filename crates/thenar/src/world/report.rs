//! What a step says about itself.

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
pub struct Flags {
    /// The step could not be solved or would have exploded: positions were kept, velocities dropped.
    pub rolled_back: bool,
    /// A hand was put on its target at once, because it was free of contact and far away, or just appeared.
    pub reseated: bool,
    /// More contacts than there was room for; some were left out.
    pub contact_overflow: bool,
    /// A tracked frame of the other hand was ignored.
    pub wrong_side: bool,
    /// Tracked joints were missing or broken and were filled in.
    pub joints_filled: bool,
}

/// One step's figures.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time at its end, seconds.
    pub time: f64,
    /// Nanoseconds per stage, in the order of [`Stage::ALL`]; zero without a clock.
    pub stage_ns: [u64; Stage::ALL.len()],
    /// Nanoseconds of [`Stage::Solve`] in which constraints were gathered, solved and their response added.
    pub constrain_ns: u64,
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
    /// Mean depth of the skin inside objects, weighted by the normal forces, metres; negative outside.
    pub mean_depth: f64,
    /// Iterations of the linear solver, or sweeps over the constraints; 0 for a direct solve without any.
    pub iterations: u32,
    /// Relative residual of the linear solve.
    pub residual: f64,
    /// Smallest determinant of the deformation gradient of all elements.
    pub min_det: f64,
    /// What was out of the ordinary.
    pub flags: Flags,
    /// Hash of the state at the end of the step.
    pub hash: u64,
}
