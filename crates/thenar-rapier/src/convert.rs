//! Numbers of one engine in the types of the other.

use rapier3d::math as theirs;
use thenar::math::{Mat3, Pose, Quat, Vec3};

pub(crate) fn vector(v: Vec3) -> theirs::Vector {
    theirs::Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

pub(crate) fn from_vector(v: theirs::Vector) -> Vec3 {
    Vec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

pub(crate) fn pose(p: &Pose) -> theirs::Pose {
    let q = p.rotation.normalize();
    let rotation = theirs::Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
    theirs::Pose::from_parts(vector(p.position), rotation.normalize())
}

pub(crate) fn from_rotation(r: theirs::Rotation) -> Quat {
    Quat::from_xyzw(f64::from(r.x), f64::from(r.y), f64::from(r.z), f64::from(r.w)).normalize()
}

pub(crate) fn matrix(m: &Mat3) -> theirs::Matrix {
    theirs::Matrix::from_cols(vector(m.x_axis), vector(m.y_axis), vector(m.z_axis))
}

pub(crate) fn from_matrix(m: &theirs::Matrix) -> Mat3 {
    Mat3::from_cols(from_vector(m.x_axis), from_vector(m.y_axis), from_vector(m.z_axis))
}
