//! A contact as methods see it: two sides, what they remember, and a spring between them.
//!
//! Everything is measured by one vector, the displacement `w` of the touching side over the touched one at the end of the
//! step: its part along the normal is the gap, its tangential part the way from the anchor. It is linear in the
//! velocities, `w = w* + h (v − v*)`, where the star is the predicted end `q* = q + h v*` at which detection looked.
//!
//! The spring's law [CLAP §3.5]: `N = max(0, λ − k w_n)`, where `λ` is the part of the force that needs no depth; friction
//! `−k_t w_t` where that is within Coulomb's cone, else on the cone against `w_t`.
//!
//! A hard point obeys the same law with the multiplier `λ`, a vector, in place of the depth: `f = λ − K w`, brought back into
//! the cone, and between two solves `λ ← f` until `w` vanishes (the method of multipliers). `K` decides how fast, not where
//! that ends.

use super::hold::Hold;
use super::memory::{Anchor, Memory};
use crate::body::ContactMethod;
use crate::collide::{Contact, Met};
use crate::constraint::InMatrix;
use crate::math::{Mat3, Pose, Vec3};

/// Depth that no force explains is pushed out at this speed at most, m/s: what appears inside an object, or is handed from
/// one method to another, leaves it gently.
pub const LEAVING_SPEED: f64 = 0.1;

/// Share of the normal force by which the matrix may misjudge the friction of a sliding contact.
const CLOSE: f64 = 1e-3;

/// The same, and metres that hard points may miss, where contacts are held.
pub(super) const EXACT: f64 = 1e-10;

/// Cosine of the angle by which friction may turn within a step and still be corrected; beyond, the law itself is needed.
const SAME_WAY: f64 = 0.9;

/// Share by which friction of a sticking model may exceed Coulomb's cone.
const SLACK: f64 = 1e-3;

/// Stiffness of a hard point in terms of its nodes': each round of multipliers leaves less than one part in as many.
pub(super) const HARDNESS: f64 = 100.0;

/// How the matrix sees a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not at all.
    Open,
    /// As a spring along the normal, and one to its anchor.
    Stick,
    /// As a spring along the normal, with friction as a given force.
    Slide,
}

/// One contact.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// What detection found.
    pub contact: Contact,
    /// How it is answered.
    pub method: ContactMethod,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Relative velocity at the start of the step, m/s.
    pub velocity: Vec3,
    /// Displacement at the predicted end of the step, metres: gap along the normal, way from the anchor beside it.
    pub predicted: Vec3,
    /// By how much the gap at the motion found is larger than that of the tangent plane, metres: part of `predicted`.
    pub bend: f64,
    /// N/m.
    pub normal_stiffness: f64,
    /// N/m.
    pub tangent_stiffness: f64,
    /// The part of the normal force that needs no depth, N.
    pub kept: f64,
    /// The part of friction that needs no way from the anchor, N: the multiplier of a hard point.
    pub drag: Vec3,
    /// What its patch presses it with, N: no part of what the matrix holds for it.
    pub share: f64,
    /// What the last step knew.
    pub memory: Option<Memory>,
    /// Its law is met by rows in this step, although the pattern has room.
    pub by_rows: bool,
    /// How often the law has contradicted its model in this step.
    pub flips: u32,
    /// How often its model was off by no more than a correction mends.
    pub misjudged: u32,
    /// The pattern has no room for it, and nothing carries rows: the solver takes it as a spring of its own.
    pub loose: bool,
    /// How the matrix sees it.
    pub verdict: Verdict,
    /// Force that the matrix holds for it, beside its stiffness, N, in world axes.
    pub constant: Vec3,
    /// Stiffness that the matrix holds for it, N/m.
    pub stiffness: Mat3,
    /// Its rows, if it has any: number of the block.
    pub block: Option<u32>,
    /// The row that holds its spring in a patch where the matrix has no room for it: number of the block.
    pub spring: Option<u32>,
    /// Force on the touching side at the end of the step, N.
    pub force: Vec3,
    /// Gap at the end of the step, metres.
    pub gap: f64,
    /// How much it pulled instead of pressing, N: zero unless the rounds of the step came to no end.
    pub pull: f64,
    /// It presses.
    pub active: bool,
    /// It slid over the surface in this step.
    pub slipping: bool,
    /// It is held as it was in another step.
    pub hold: Option<Hold>,
}

fn is_hard(method: ContactMethod) -> bool {
    matches!(method, ContactMethod::Point | ContactMethod::Outside)
}

/// `v vᵀ`.
fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// What a step's law says of a displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Open, sticking or sliding.
    pub verdict: Verdict,
    /// Force on the touching side, N.
    pub force: Vec3,
}

impl Pair {
    /// A contact with what it remembers. `springs` are its stiffnesses along and across the normal, N/m; `shift` is by how
    /// much its patch has shed its depth, metres; `pose` is where the touched object will be; `to_anchor` is the way from the
    /// anchor at the predicted end, if that is on a soft body.
    #[must_use]
    pub fn new(
        contact: &Contact,
        method: ContactMethod,
        friction: f64,
        springs: [f64; 2],
        velocity: Vec3,
        memory: Option<Memory>,
        shift: f64,
        pose: Option<&Pose>,
        to_anchor: Option<Vec3>,
        dt: f64,
    ) -> Pair {
        let normal = contact.normal;
        let [normal_stiffness, tangent_stiffness] = springs;
        let across = |v: Vec3| v - normal * normal.dot(v);
        let way = match (memory.map(|m| m.anchor), contact.met, pose) {
            (Some(Anchor::Local(anchor)), Met::Local(local), Some(pose)) => pose.rotation * (local - anchor),
            (Some(Anchor::Rolling(offset)), Met::Rolling, Some(pose)) => pose.rotation * offset + velocity * dt,
            (Some(Anchor::Triangle(..)), ..) => to_anchor.unwrap_or(velocity * dt),
            // a new contact sticks where it was at the start of the step
            _ => velocity * dt,
        };
        let hard = is_hard(method);
        let (mut way, mut kept) = (across(way), shift * normal_stiffness);
        if let Some(m) = memory
            && m.method != method
        {
            // another method answered it: its forces go on from where they are
            let stretch = across(m.force) / tangent_stiffness;
            let moved = across(velocity) * dt;
            way = if hard { moved } else { moved - stretch };
            kept = (m.pressing + normal_stiffness * m.gap.min(0.0)).max(0.0);
        }
        let mut drag = Vec3::ZERO;
        if hard {
            kept = memory.map_or(0.0, |m| m.pressing);
            drag = memory.map_or(Vec3::ZERO, |m| across(m.force));
        }
        // depth at the start of the step that the last force does not explain
        let start = contact.gap - dt * normal.dot(velocity);
        let explained = match memory {
            Some(m) if !hard => ((m.pressing - kept) / normal_stiffness).max(0.0),
            _ => 0.0,
        };
        let excess = (-start - explained - dt * LEAVING_SPEED).max(0.0);
        let gap = contact.gap + excess;
        let mut pair = Pair {
            contact: *contact,
            method,
            friction,
            velocity,
            predicted: normal * gap + way,
            bend: 0.0,
            normal_stiffness,
            tangent_stiffness,
            kept,
            drag,
            share: 0.0,
            memory,
            by_rows: false,
            flips: 0,
            misjudged: 0,
            loose: false,
            verdict: Verdict::Open,
            constant: Vec3::ZERO,
            stiffness: Mat3::ZERO,
            block: None,
            spring: None,
            force: Vec3::ZERO,
            gap,
            pull: 0.0,
            active: false,
            slipping: false,
            hold: None,
        };
        pair.verdict = match memory {
            Some(m) if m.pressing > 0.0 || method == ContactMethod::Outside => {
                pair.by_rows = m.slipping && pair.hardly_slips(across(velocity).length() * dt, m.pressing);
                if m.slipping { Verdict::Slide } else { Verdict::Stick }
            }
            _ if gap < 0.0 => Verdict::Stick,
            _ => Verdict::Open,
        };
        pair
    }

    /// Displacement at the end of the step for a relative velocity.
    #[inline]
    #[must_use]
    pub fn displacement(&self, dt: f64, velocity: Vec3) -> Vec3 {
        self.predicted + (velocity - self.velocity) * dt
    }

    /// Displacement if nothing moved in the step.
    #[must_use]
    pub fn base(&self, dt: f64) -> Vec3 {
        self.predicted - self.velocity * dt
    }

    /// What the spring's law says of a displacement.
    #[must_use]
    pub fn judge(&self, w: Vec3) -> Judged {
        let normal = self.contact.normal;
        let depth = -normal.dot(w);
        let pressing = self.kept + self.share + self.normal_stiffness * depth;
        if let Some(hold) = &self.hold {
            let friction = match hold.verdict {
                Verdict::Open => return Judged { verdict: Verdict::Open, force: Vec3::ZERO },
                Verdict::Stick => self.held(w),
                Verdict::Slide => hold.friction * (self.friction * pressing),
            };
            return Judged { verdict: hold.verdict, force: normal * pressing + friction };
        }
        if pressing <= 0.0 {
            return Judged { verdict: Verdict::Open, force: Vec3::ZERO };
        }
        let held = self.held(w);
        let (pull, limit) = (held.length(), self.friction * pressing);
        if pull <= limit || self.method == ContactMethod::Aggregate {
            return Judged { verdict: Verdict::Stick, force: normal * pressing + held };
        }
        Judged { verdict: Verdict::Slide, force: normal * pressing + held * (limit / pull) }
    }

    /// Friction that would hold it, were it not for Coulomb's cone.
    fn held(&self, w: Vec3) -> Vec3 {
        let normal = self.contact.normal;
        self.drag - (w - normal * normal.dot(w)) * self.tangent_stiffness
    }

    /// The force that the law finds at `w` becomes the multiplier: with it a hard point needs less of `w` for the same.
    pub fn tighten(&mut self, judged: &Judged) {
        let normal = self.contact.normal;
        self.kept = normal.dot(judged.force);
        self.drag = judged.force - normal * self.kept;
    }

    /// Where the spring of a hard point that has sunk in to `w` will have brought it, against what its nodes resist with.
    #[must_use]
    pub fn brought_back(&self, w: Vec3) -> Vec3 {
        let normal = self.contact.normal;
        let depth = (-normal.dot(w)).max(0.0);
        w + normal * (depth * HARDNESS / (1.0 + HARDNESS))
    }

    /// How far a hard point is from where it must end, metres: off the surface, or off its anchor.
    #[must_use]
    pub fn unmet(&self, w: Vec3) -> f64 {
        match self.verdict {
            Verdict::Open => 0.0,
            Verdict::Stick => w.length(),
            Verdict::Slide => self.contact.normal.dot(w).abs(),
        }
    }

    /// Lets the matrix see the contact as `judged` at the displacement `w`: a stiffness and a given force that agree with
    /// the law there.
    pub fn model(&mut self, w: Vec3, judged: Judged) {
        let n = self.contact.normal;
        self.verdict = judged.verdict;
        if self.verdict == Verdict::Slide {
            self.by_rows = self.hold.is_none() && self.hardly_slips((w - n * n.dot(w)).length(), n.dot(judged.force));
            if self.is_hard() || self.hold.is_some() {
                return self.model_sliding_on(w, judged);
            }
        }
        let along = outer(n);
        self.stiffness = match judged.verdict {
            Verdict::Open => Mat3::ZERO,
            Verdict::Stick => {
                let across = Mat3::IDENTITY - along;
                along * self.normal_stiffness + across * self.tangent_stiffness
            }
            // the secant through the law: a slip that turns round within the step is braked, not driven back
            Verdict::Slide => along * self.normal_stiffness + (Mat3::IDENTITY - along) * self.secant(w, &judged),
        };
        self.constant = judged.force + self.stiffness * w - n * self.share;
    }

    /// The same for a contact that slides and goes on: friction turns with the slip, and does not grow with it. This is the
    /// tangent of the law, with which rounds converge where the secant's crawl. But it is Newton's method: far from the
    /// solution tangents chase each other, and secants find the way.
    pub fn model_sliding_on(&mut self, w: Vec3, judged: Judged) {
        let n = self.contact.normal;
        self.verdict = judged.verdict;
        let friction = (judged.force - n * n.dot(judged.force)).normalize_or_zero();
        let beside = Mat3::IDENTITY - outer(n) - outer(friction);
        let turning = if self.hold.is_some() { 0.0 } else { self.secant(w, &judged) };
        self.stiffness = outer(n) * self.normal_stiffness + beside * turning;
        self.constant = judged.force + self.stiffness * w - n * self.share;
    }

    /// Friction per way from the anchor, N/m.
    fn secant(&self, w: Vec3, judged: &Judged) -> f64 {
        let n = self.contact.normal;
        let across = |v: Vec3| v - n * n.dot(v);
        let secant = across(judged.force).length() / across(w).length().max(f64::MIN_POSITIVE);
        secant.min(self.tangent_stiffness)
    }

    /// A hard point that slips by less than what friction bends its nodes by: no linear force stands for it, the law has to
    /// be met by rows.
    fn hardly_slips(&self, way: f64, pressing: f64) -> bool {
        self.is_hard() && way * self.tangent_stiffness < HARDNESS * self.friction * pressing
    }

    /// The first model of a step: of what it did in the last one.
    pub fn model_first(&mut self) {
        let mut w = self.predicted;
        let n = self.contact.normal;
        let judged = match self.verdict {
            Verdict::Open => Judged { verdict: Verdict::Open, force: Vec3::ZERO },
            Verdict::Stick => {
                let pressing = self.kept - self.normal_stiffness * n.dot(w);
                Judged { verdict: Verdict::Stick, force: n * pressing + self.held(w) }
            }
            Verdict::Slide => {
                // the predicted gap lacks the contact's own response: the force of the last step is the better guess
                let pressing = self.memory.map_or(0.0, |m| m.pressing);
                let way = w - n * n.dot(w);
                w = way - n * ((pressing - self.kept) / self.normal_stiffness);
                let along = self.hold.map_or(way.normalize_or_zero(), |hold| -hold.friction);
                let friction = along * (self.friction * pressing);
                Judged { verdict: Verdict::Slide, force: n * pressing - friction }
            }
        };
        if self.verdict == Verdict::Slide && !self.between_objects() {
            self.model_sliding_on(w, judged);
        } else {
            self.model(w, judged);
        }
    }

    /// Force of the model at a displacement, N.
    #[must_use]
    pub fn modelled(&self, w: Vec3) -> Vec3 {
        self.constant - self.stiffness * w
    }

    /// True if the law contradicts the model at `w` beyond what a correction of its force mends.
    #[must_use]
    pub fn is_contradicted(&self, w: Vec3, judged: &Judged) -> bool {
        if self.hold.is_some() {
            return false;
        }
        match (self.verdict, judged.verdict) {
            (Verdict::Open, Verdict::Open) | (Verdict::Stick, Verdict::Stick) => false,
            (Verdict::Slide, Verdict::Slide) => {
                let n = self.contact.normal;
                let across = |f: Vec3| f - n * n.dot(f);
                let (model, law) = (across(self.modelled(w)), across(judged.force));
                model.dot(law) < SAME_WAY * model.length() * law.length()
            }
            (Verdict::Stick, Verdict::Slide) => {
                let limit = self.friction * self.contact.normal.dot(judged.force);
                self.held(w).length() > (1.0 + SLACK) * limit
            }
            _ => true,
        }
    }

    /// True if the force of the model is near enough to the law's, by its own normal force or a `usual` one, N.
    #[must_use]
    pub fn is_close(&self, w: Vec3, judged: &Judged, usual: f64) -> bool {
        let pressing = judged.force.dot(self.contact.normal);
        let close = if self.hold.is_some() { EXACT } else { CLOSE };
        (judged.force - self.modelled(w)).length() <= close * pressing.max(usual)
    }

    /// True if the force of the model is off by more than the contact, or a usual one, presses with, N: a model that sticks to what slides.
    #[must_use]
    pub fn is_far(&self, w: Vec3, judged: &Judged, usual: f64) -> bool {
        let pressing = judged.force.dot(self.contact.normal);
        // what a patch presses with is no part of the model
        let own = judged.force - self.contact.normal * self.share.min(pressing);
        (own - self.modelled(w)).length() > pressing.max(usual)
    }

    /// How far the law's force without depth shifts the gap, metres.
    #[must_use]
    pub fn shift(&self) -> f64 {
        if self.is_hard() { 0.0 } else { (self.kept + self.share) / self.normal_stiffness }
    }

    /// What the matrix holds for it, in the axes of rows whose gap is shifted by [`Pair::shift`].
    #[must_use]
    pub fn in_matrix(&self, axes: &Mat3) -> InMatrix {
        let turned = axes.transpose() * self.stiffness * *axes;
        let constant = axes.transpose() * self.constant - turned.x_axis * self.shift();
        InMatrix {
            first: 0,
            stiffness: std::array::from_fn(|i| std::array::from_fn(|j| turned.col(j)[i])),
            constant: constant.to_array(),
        }
    }

    /// No spring stands behind it: points, and what a method from outside answers.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        is_hard(self.method)
    }

    /// Normal and two tangents in world axes, as columns.
    #[must_use]
    pub fn axes(&self) -> Mat3 {
        let normal = self.contact.normal;
        let tangent = normal.any_orthonormal_vector();
        Mat3::from_cols(normal, tangent, normal.cross(tangent))
    }

    /// Normal force at the end of the step, N.
    #[must_use]
    pub fn pressing(&self) -> f64 {
        self.force.dot(self.contact.normal)
    }
}
