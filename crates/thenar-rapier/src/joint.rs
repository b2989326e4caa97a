//! Joints in the words of drawers, doors and buttons.

use crate::convert;
use rapier3d::dynamics::{GenericJoint, MotorModel, PrismaticJointBuilder, RevoluteJointBuilder};
use thenar::math::{Pose, Vec3};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Sliding along its axis, metres.
    Slide,
    /// Turning about its axis, radians.
    Hinge,
}

/// A spring with damping that drives a joint to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSpring {
    /// Where it wants to be, m or rad.
    pub rest: f64,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
}

/// A joint between a body and the world, or another body; its value is zero where the bodies are when it is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// What is free.
    pub kind: JointKind,
    /// Direction of the slide or the hinge's axis, in the world.
    pub axis: Vec3,
    /// A point of the axis in the world, metres.
    pub anchor: Vec3,
    /// Least and largest value, m or rad.
    pub limits: [f64; 2],
    /// `None` for a joint that nothing drives.
    pub spring: Option<JointSpring>,
}

impl Joint {
    /// As Rapier has it, between two bodies at these placements of their frames.
    pub(crate) fn build(&self, first: &Pose, second: &Pose) -> GenericJoint {
        let local = |body: &Pose| {
            let anchor = body.rotation.inverse() * (self.anchor - body.position);
            let axis = body.rotation.inverse() * self.axis.normalize();
            (convert::vector(anchor), convert::vector(axis))
        };
        let ((anchor1, axis1), (anchor2, axis2)) = (local(first), local(second));
        let limits = self.limits.map(|l| l as f32);
        let mut joint: GenericJoint = match self.kind {
            JointKind::Slide => PrismaticJointBuilder::new(axis1)
                .local_axis2(axis2)
                .local_anchor1(anchor1)
                .local_anchor2(anchor2)
                .limits(limits)
                .build()
                .into(),
            JointKind::Hinge => RevoluteJointBuilder::new(axis1)
                .local_anchor1(anchor1)
                .local_anchor2(anchor2)
                .limits(limits)
                .build()
                .into(),
        };
        // both frames coincide in the world where the joint is added, whatever the orientations of the bodies
        let turned = first.rotation.inverse() * second.rotation;
        let rotation1 = convert::from_rotation(joint.local_frame1.rotation);
        joint.local_frame2.rotation = convert::pose(&Pose::new(Vec3::ZERO, turned.inverse() * rotation1)).rotation;
        joint.contacts_enabled = false;
        if let Some(spring) = &self.spring {
            let axis = match self.kind {
                JointKind::Slide => rapier3d::dynamics::JointAxis::LinX,
                JointKind::Hinge => rapier3d::dynamics::JointAxis::AngX,
            };
            joint.set_motor_model(axis, MotorModel::ForceBased);
            joint.set_motor_position(axis, spring.rest as f32, spring.stiffness as f32, spring.damping as f32);
        }
        joint
    }
}
