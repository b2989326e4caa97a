//! Contact between soft surfaces, under every method: compliant constraints at points with Signorini's law and
//! Coulomb's cone. The nodes of two surfaces are not coupled in the fixed pattern of the matrix, so even springs enter
//! through the factor, as rows with a compliance `1/k`.
//!
//! Both sides of a row carry the same place, so forces are equal and opposite there and neither push nor turn the two
//! together. A sticking point keeps its anchor, a material point of the touched tissue, and so does not creep.

use super::penalty::PenaltyParams;
use super::rows::{ConstraintSet, Law, RowEntry};
use super::soft_anchors::{SoftAnchor, SoftAnchors};
use crate::collide::{SoftContact, SoftContactSet, SoftSide, TouchSurface};
use crate::energy::problem::SoftProblem;
use crate::math::{Mat3, Vec3};

/// Points further apart than this after the free motion are left alone even if they pressed before, metres.
const MARGIN: f64 = 2e-4;

/// Pairs that press at once; more are left out, and flagged.
pub const PAIR_CAPACITY: usize = 160;

/// What pairs need to know of the soft bodies.
pub trait TouchingBodies {
    /// The surface with which a body feels others.
    fn touch(&self, body: u32) -> &TouchSurface;
    /// Node positions at the start of the step.
    fn nodes(&self, body: u32) -> &[Vec3];
    /// Node velocities at the start of the step.
    fn velocities(&self, body: u32) -> &[Vec3];
    /// Anchors of its touch points.
    fn touch_anchors(&self, body: u32) -> &SoftAnchors;
}

/// What two soft surfaces did to each other at a point.
#[derive(Clone, Copy, Debug)]
pub struct SoftPair {
    /// What detection found.
    pub contact: SoftContact,
    /// Force on the toucher at the end of the step, N; the touched side feels the opposite.
    pub force: Vec3,
    /// Gap at the end of the step, metres.
    pub gap: f64,
    /// The point slid over the surface in this step.
    pub slipping: bool,
    block: u32,
    /// Normal and two tangents in world axes, as columns.
    axes: Mat3,
    /// Compliance along the normal and the tangents, m/N.
    compliance: [f64; 2],
}

/// The pairs of a step.
#[derive(Clone, Debug, Default)]
pub struct SoftPairs {
    /// Those that could press; those with a force did.
    pub pairs: Vec<SoftPair>,
}

impl SoftPairs {
    /// Room for the pairs of a step.
    #[must_use]
    pub fn new() -> Self {
        SoftPairs { pairs: Vec::with_capacity(PAIR_CAPACITY) }
    }

    /// Three rows for every contact that could press after the free motion, which the problems hold.
    pub fn append(
        &mut self,
        contacts: &SoftContactSet,
        params: &PenaltyParams,
        friction: f64,
        dt: f64,
        bodies: &impl TouchingBodies,
        problems: &[SoftProblem],
        set: &mut ConstraintSet,
    ) {
        self.pairs.clear();
        for contact in &contacts.contacts {
            let (own, other) = (contact.toucher, contact.touched);
            let before =
                own.interpolate(bodies.velocities(own.body)) - other.interpolate(bodies.velocities(other.body));
            let solved = own.interpolate(&problems[own.body as usize].solution)
                - other.interpolate(&problems[other.body as usize].solution);
            let gap = contact.gap + dt * contact.normal.dot(solved - before);
            let anchor = bodies.touch_anchors(own.body).get(contact.point, other.body, contact.part);
            // The free motion, in which nothing holds, pushes in far more points than will press: only those that did or
            // that are inside at the predicted end are taken.
            let out = if anchor.is_some() { gap > MARGIN } else { gap > 0.0 || contact.gap > 0.0 };
            if out {
                continue;
            }
            if self.pairs.len() == PAIR_CAPACITY {
                set.overflow = true;
                break;
            }
            let Some(block) = set.begin(Law::Coulomb { friction }) else { break };
            let moved = anchor.map_or(solved * dt, |a| {
                let nodes = Reached { bodies, problems, dt };
                nodes.point(own.body, contact.point) - nodes.side(&a.place)
            });
            let held = anchor.map_or(Vec3::ZERO, |a| a.force);
            let normal = contact.normal;
            let tangent = normal.any_orthonormal_vector();
            let axes = Mat3::from_cols(normal, tangent, normal.cross(tangent));
            let compliance = [1.0 / (params.normal * contact.area), 1.0 / (params.tangent * contact.area)];
            let rows = [
                (axes.x_axis, gap, compliance[0]),
                (axes.y_axis, axes.y_axis.dot(moved), compliance[1]),
                (axes.z_axis, axes.z_axis.dot(moved), compliance[1]),
            ];
            for (axis, free, compliance) in rows {
                set.row(entries(contact, axis), None, compliance, free, axis.dot(held));
            }
            self.pairs.push(SoftPair {
                contact: *contact,
                force: Vec3::ZERO,
                gap,
                slipping: false,
                block,
                axes,
                compliance,
            });
        }
    }

    /// After the solve: forces and gaps, and `keep` receives the anchor of each pressing point for the next step.
    pub fn settle(
        &mut self,
        set: &ConstraintSet,
        dt: f64,
        bodies: &impl TouchingBodies,
        problems: &[SoftProblem],
        mut keep: impl FnMut(u32, u32, SoftAnchor),
    ) {
        let nodes = Reached { bodies, problems, dt };
        for pair in &mut self.pairs {
            let Law::Coulomb { friction } = set.blocks[pair.block as usize].law else { continue };
            let (force, reached) = (set.force(pair.block), set.reached(pair.block));
            pair.force = pair.axes * Vec3::from_slice(force);
            pair.gap = reached[0] - pair.compliance[0] * force[0];
            pair.slipping = (force[1] * force[1] + force[2] * force[2]).sqrt() >= friction * force[0] * (1.0 - 1e-9);
            if force[0] <= 0.0 {
                continue;
            }
            let (own, other) = (pair.contact.toucher, pair.contact.touched);
            let held = bodies.touch_anchors(own.body).get(pair.contact.point, other.body, pair.contact.part);
            let place = match held {
                Some(anchor) if !pair.slipping => anchor.place,
                _ => {
                    // the spring between point and anchor is stretched as far as its force says
                    let stretch = pair.axes.y_axis * force[1] + pair.axes.z_axis * force[2];
                    let target = nodes.point(own.body, pair.contact.point) + stretch * pair.compliance[1];
                    nodes.on_triangle(other.body, pair.contact.triangle, target)
                }
            };
            keep(own.body, pair.contact.point, SoftAnchor { place, part: pair.contact.part, force: pair.force });
        }
    }
}

/// Where things are at the end of the step, by the velocities that the problems hold.
struct Reached<'a, B> {
    bodies: &'a B,
    problems: &'a [SoftProblem],
    dt: f64,
}

impl<B: TouchingBodies> Reached<'_, B> {
    fn side(&self, side: &SoftSide) -> Vec3 {
        let solution = &self.problems[side.body as usize].solution;
        side.interpolate(self.bodies.nodes(side.body)) + side.interpolate(solution) * self.dt
    }

    fn point(&self, body: u32, point: u32) -> Vec3 {
        let point = &self.bodies.touch(body).points[point as usize];
        point.interpolate(self.bodies.nodes(body)) + point.interpolate(&self.problems[body as usize].solution) * self.dt
    }

    /// The material point of a triangle's plane below `target`; it may lie beside the triangle.
    fn on_triangle(&self, body: u32, triangle: u32, target: Vec3) -> SoftSide {
        let surface = self.bodies.touch(body);
        let [a, b, c] = surface.triangles[triangle as usize].map(|p| self.point(body, p));
        let across = (b - a).cross(c - a);
        let size = across.length_squared().max(f64::MIN_POSITIVE);
        let second = (target - a).cross(c - a).dot(across) / size;
        let third = (b - a).cross(target - a).dot(across) / size;
        SoftSide::on_triangle(body, surface, triangle, [1.0 - second - third, second, third])
    }
}

/// The nodes of a row that measures the motion of the toucher over the touched surface along `axis`.
fn entries(contact: &SoftContact, axis: Vec3) -> impl Iterator<Item = RowEntry> + use<> {
    let (own, other) = (contact.toucher, contact.touched);
    let entry = move |body: u32, node: u32, weight: f64| RowEntry { body, block: node, value: axis * weight };
    let touching = own.carriers().map(move |(node, weight)| entry(own.body, node, weight));
    touching.chain(other.carriers().map(move |(node, weight)| entry(other.body, node, -weight)))
}
