//! Every spring energy of the hand, run through the conformance suite.

use super::attachment::attachment;
use super::blended::{Carrying, blended};
use super::conformance::{Claims, Stencil, check};
use super::coupling;
use super::held::held;
use super::joint::{AngleGauge, aligned, limit, perpendicular, spherical};
use super::spring::Spring;
use crate::math::{Mat3, Pose, Vec3, rotation_exp};

const INVARIANT: Claims = Claims { invariant: true, rest: true };

fn two_bodies() -> Stencil {
    let turn = rotation_exp(Vec3::new(0.2, 0.4, -0.1));
    Stencil {
        points: vec![],
        bodies: vec![
            Pose::new(Vec3::new(0.01, 0.02, 0.0), turn),
            Pose::new(Vec3::new(0.01, 0.02, 0.0) + turn * Vec3::new(0.0, 0.0, -0.05), turn),
        ],
    }
}

#[test]
fn spherical_joint_conforms() {
    let (ra, rb) = (Vec3::new(0.0, 0.0, -0.02), Vec3::new(0.0, 0.0, 0.03));
    check("spherical joint", &two_bodies(), 0.01, INVARIANT, |s| {
        Some(spherical(&s.bodies[0], ra, &s.bodies[1], rb, 2e5))
    });
}

#[test]
fn hinge_conforms() {
    check("hinge", &two_bodies(), 0.01, INVARIANT, |s| {
        Some(aligned(&s.bodies[0], Vec3::X, &s.bodies[1], Vec3::X, 20.0))
    });
}

#[test]
fn universal_joint_conforms() {
    check("universal joint", &two_bodies(), 0.01, INVARIANT, |s| {
        Some(perpendicular(&s.bodies[0], Vec3::X, &s.bodies[1], Vec3::Y, 20.0).to_spring())
    });
}

#[test]
fn joint_limit_conforms() {
    let gauge = AngleGauge { axis: Vec3::X, from: Vec3::NEG_Z, to: Vec3::NEG_Z };
    check("joint limit", &two_bodies(), 0.02, INVARIANT, |s| {
        limit(&s.bodies[0], &s.bodies[1], &gauge, [-0.01, 0.01], 5.0).map(|s| s.to_spring())
    });
}

#[test]
fn joint_angle_is_right_handed_about_its_axis() {
    let gauge = AngleGauge { axis: Vec3::X, from: Vec3::NEG_Z, to: Vec3::NEG_Z };
    let parent = Pose::new(Vec3::ZERO, rotation_exp(Vec3::new(0.3, 0.2, 0.9)));
    for angle in [-2.5, -0.4, 0.0, 1.2, 3.0] {
        let child = Pose::new(Vec3::ZERO, parent.rotation * rotation_exp(Vec3::X * angle));
        assert!((gauge.measure(&parent, &child).0 - angle).abs() < 1e-12);
    }
}

#[test]
fn attachment_conforms() {
    let bone = Pose::new(Vec3::new(0.0, 0.01, 0.0), rotation_exp(Vec3::new(0.1, -0.7, 0.3)));
    let local = Vec3::new(0.002, -0.004, 0.01);
    let weights = [0.4, 0.3, 0.2, 0.1];
    let at = bone.point(local);
    let corners = [Vec3::X, Vec3::Y, Vec3::Z].map(|d| at + d * 0.004);
    // the fourth corner places the weighted mean on the bone's point
    let last = (at - corners[0] * 0.4 - corners[1] * 0.3 - corners[2] * 0.2) / 0.1;
    let rest = Stencil { points: vec![corners[0], corners[1], corners[2], last], bodies: vec![bone] };
    check("attachment", &rest, 0.003, INVARIANT, |s| {
        let nodes = [s.points[0], s.points[1], s.points[2], s.points[3]];
        Some(attachment(&nodes, &weights, &s.bodies[0], local, 4e3))
    });
}

#[test]
fn coupling_to_a_fixed_pose_conforms() {
    let target = Pose::new(Vec3::new(0.3, 0.1, -0.2), rotation_exp(Vec3::new(-0.4, 0.2, 0.6)));
    let rest = Stencil { points: vec![], bodies: vec![target] };
    // the target is not part of the stencil, so the energy is not invariant
    let claims = Claims { invariant: false, rest: true };
    check("coupling", &rest, 0.02, claims, |s| {
        let (l, a) = (
            coupling::linear(&s.bodies[0], target.position, 500.0),
            coupling::angular(&s.bodies[0], target.rotation, 5.0),
        );
        // both halves at once, to check that they do not mix: the linear one here, the angular one below
        assert_eq!(a.jacobian[0], Mat3::IDENTITY);
        Some(Spring { residual: l.residual, stiffness: l.stiffness, jacobian: [l.jacobian[0], Mat3::ZERO] })
    });
}

#[test]
fn angular_coupling_has_the_exact_gradient() {
    let target = rotation_exp(Vec3::new(-0.4, 0.2, 0.6));
    for angle in [Vec3::new(0.01, 0.0, 0.02), Vec3::new(1.0, -0.5, 0.3), Vec3::new(0.0, 2.9, 0.0)] {
        let body = Pose::new(Vec3::ZERO, rotation_exp(angle) * target);
        let spring = coupling::angular(&body, target, 3.0);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let value = |d: f64| {
                let moved = Pose::new(Vec3::ZERO, rotation_exp(axis * d) * body.rotation);
                coupling::angular(&moved, target, 3.0).value()
            };
            let numeric = (value(1e-6) - value(-1e-6)) / 2e-6;
            assert!((numeric - spring.gradient(0).dot(axis)).abs() < 1e-7, "{numeric} {:?}", spring.gradient(0));
        }
    }
}

#[test]
fn held_node_conforms() {
    let rest = Stencil { points: vec![Vec3::new(0.01, -0.02, 0.03)], bodies: vec![] };
    let place = rest.points[0];
    let claims = Claims { invariant: false, rest: true };
    check("held node", &rest, 0.02, claims, |s| Some(held(s.points[0], place, 700.0)));
}

fn carried() -> (Stencil, [Carrying; 2]) {
    let mut stencil = two_bodies();
    let node = Vec3::new(0.03, -0.01, 0.02);
    stencil.points.push(node);
    let carrying = [(0, 0.3), (1, 0.7)].map(|(bone, weight)| {
        let local = stencil.bodies[bone as usize].inverse().point(node);
        Carrying { bone, weight, local }
    });
    (stencil, carrying)
}

#[test]
fn blended_attachment_conforms() {
    let (stencil, carrying) = carried();
    check("blended attachment", &stencil, 0.01, INVARIANT, |s| {
        Some(blended::<5>(s.points[0], &carrying, &s.bodies, 300.0))
    });
}

#[test]
fn a_blended_attachment_does_not_unbend_a_joint() {
    // with the node where the blend puts it there is no force on the bones, however far they are bent apart
    let (stencil, carrying) = carried();
    let mut bones = stencil.bodies.clone();
    bones[1].rotation = rotation_exp(Vec3::new(1.2, 0.0, 0.0)) * bones[1].rotation;
    let place: Vec3 = carrying.iter().map(|c| bones[c.bone as usize].point(c.local) * c.weight).sum();
    let spring = blended::<5>(place, &carrying, &bones, 300.0);
    assert!((0..5).all(|block| spring.gradient(block).length() < 1e-12));
    let by_bone = |c: &Carrying| place.distance(bones[c.bone as usize].point(c.local));
    assert!(carrying.iter().all(|c| by_bone(c) > 1e-3), "springs to each bone would be stretched");
}
