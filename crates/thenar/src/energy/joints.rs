//! The joints of a skeleton as lists of springs between its bones.

use super::joint::{AngleGauge, aligned, limit, perpendicular, spherical};
use super::spring::Spring;
use crate::hand::{ArticulationKind, Skeleton};
use crate::math::{Pose, Vec3};

/// Stiffnesses of the joints of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointParams {
    /// Holds joint centres together, N/m [CLAP §5.1: 2e5].
    pub centre: f64,
    /// Holds axes aligned or perpendicular, N m.
    pub axis: f64,
    /// Stops a joint at its limits, N m/rad.
    pub limit: f64,
}

#[derive(Clone, Copy, Debug)]
enum Axes {
    Hinge(Vec3, Vec3),
    Universal(Vec3, Vec3),
    Free,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    gauge: AngleGauge,
    /// The gauge's first body is the child.
    child_first: bool,
    range: [f64; 2],
}

/// One joint in the frames of its two bodies (centre of mass at the origin).
#[derive(Clone, Debug)]
pub struct JointTerm {
    /// Index of the bone nearer to the wrist.
    pub parent: u32,
    /// Index of the bone that moves.
    pub child: u32,
    parent_arm: Vec3,
    child_arm: Vec3,
    axes: Axes,
    limits: [Option<Limit>; 3],
}

impl JointTerm {
    /// The joints of a skeleton.
    #[must_use]
    pub fn all(skeleton: &Skeleton) -> Vec<JointTerm> {
        skeleton
            .articulations
            .iter()
            .map(|joint| {
                let (a, b) = (skeleton.bone(joint.parent), skeleton.bone(joint.child));
                let into = |bone: &crate::hand::Bone, v: Vec3| bone.rest.rotation.inverse() * v;
                let arm = |bone: &crate::hand::Bone| bone.rest.local(joint.centre) - bone.com;
                let along = b.rest.rotation * Vec3::NEG_Z;
                let gauge = |axis: Vec3, from: Vec3, to: Vec3, child_first: bool, range: [f64; 2]| {
                    let (first, second) = if child_first { (b, a) } else { (a, b) };
                    Some(Limit {
                        gauge: AngleGauge { axis: into(first, axis), from: into(first, from), to: into(second, to) },
                        child_first,
                        range,
                    })
                };
                let flat = |v: Vec3, axis: Vec3| (v - axis * axis.dot(v)).normalize_or(axis.any_orthonormal_vector());
                let (axes, limits) = match joint.kind {
                    ArticulationKind::Hinge { flex, flex_range } => {
                        let zero = flat(along, flex);
                        (
                            Axes::Hinge(into(a, flex), into(b, flex)),
                            [gauge(flex, zero, zero, false, flex_range), None, None],
                        )
                    }
                    ArticulationKind::Universal { flex, abduct, flex_range, abduct_range } => (
                        Axes::Universal(into(a, flex), into(b, abduct)),
                        [
                            gauge(flex, abduct, abduct, false, flex_range),
                            // measured from the child's side, so the angle has the other sign
                            gauge(abduct, flex, flex, true, [-abduct_range[1], -abduct_range[0]]),
                            None,
                        ],
                    ),
                    ArticulationKind::Spherical { flex, abduct, flex_range, abduct_range, twist } => (
                        Axes::Free,
                        [
                            gauge(flex, flat(along, flex), along, false, flex_range),
                            gauge(abduct, flat(along, abduct), along, false, abduct_range),
                            gauge(along, flat(flex, along), flat(flex, along), false, [-twist, twist]),
                        ],
                    ),
                };
                JointTerm {
                    parent: joint.parent.index() as u32,
                    child: joint.child.index() as u32,
                    parent_arm: arm(a),
                    child_arm: arm(b),
                    axes,
                    limits,
                }
            })
            .collect()
    }

    /// How far the two halves of the joint are apart, metres.
    #[must_use]
    pub fn drift(&self, parent: &Pose, child: &Pose) -> f64 {
        parent.point(self.parent_arm).distance(child.point(self.child_arm))
    }

    /// Calls `each` with every spring of the joint over the blocks (parent centre, parent rotation, child centre,
    /// child rotation). `parent` and `child` are placements of the centres of mass.
    pub fn springs(&self, parent: &Pose, child: &Pose, params: &JointParams, mut each: impl FnMut(&Spring<4>)) {
        each(&spherical(parent, self.parent_arm, child, self.child_arm, params.centre));
        match self.axes {
            Axes::Hinge(u, v) => each(&aligned(parent, u, child, v, params.axis)),
            Axes::Universal(u, v) => each(&perpendicular(parent, u, child, v, params.axis).to_spring()),
            Axes::Free => {}
        }
        for stop in self.limits.iter().flatten() {
            if stop.child_first {
                if let Some(mut s) = limit(child, parent, &stop.gauge, stop.range, params.limit) {
                    s.jacobian.swap(0, 2);
                    s.jacobian.swap(1, 3);
                    each(&s.to_spring());
                }
            } else if let Some(s) = limit(parent, child, &stop.gauge, stop.range, params.limit) {
                each(&s.to_spring());
            }
        }
    }

    /// Angle of one limit gauge, radians; for tests and read-outs.
    #[must_use]
    pub fn angle(&self, index: usize, parent: &Pose, child: &Pose) -> Option<f64> {
        let stop = self.limits.get(index)?.as_ref()?;
        Some(if stop.child_first { -stop.gauge.measure(child, parent).0 } else { stop.gauge.measure(parent, child).0 })
    }
}
