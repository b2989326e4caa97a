//! Rotations as vectors: exponential and logarithm, and the matrix of a cross product.

use super::{Mat3, Quat, Vec3};

/// The rotation by `|v|` radians about `v`.
#[must_use]
pub fn rotation_exp(v: Vec3) -> Quat {
    let half_squared = 0.25 * v.length_squared();
    // sin(a)/a for the half angle a; its Taylor series is exact to round-off below 1e-3
    let (sinc, cosine) = if half_squared < 1e-6 {
        (1.0 - half_squared / 6.0, 1.0 - half_squared / 2.0 + half_squared * half_squared / 24.0)
    } else {
        let a = half_squared.sqrt();
        (libm::sin(a) / a, libm::cos(a))
    };
    let xyz = v * (0.5 * sinc);
    Quat::from_xyzw(xyz.x, xyz.y, xyz.z, cosine)
}

/// The rotation vector of a unit quaternion, of length at most π.
#[must_use]
pub fn rotation_log(q: Quat) -> Vec3 {
    let (xyz, w) = if q.w < 0.0 { (Vec3::new(-q.x, -q.y, -q.z), -q.w) } else { (Vec3::new(q.x, q.y, q.z), q.w) };
    let s = xyz.length();
    // 2 atan2(s, w) / s tends to 2 (1 - s²/3 w² ...) / w
    if s < 1e-6 { xyz * (2.0 / w) } else { xyz * (2.0 * libm::atan2(s, w) / s) }
}

/// The matrix of the cross product: `skew(a) * b == a × b`.
#[must_use]
pub fn skew(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_undoes_the_exponential_at_every_size() {
        for length in [0.0, 1e-12, 1e-7, 1e-4, 1e-3, 0.5, 3.0] {
            let v = Vec3::new(0.3, -0.5, 0.8).normalize() * length;
            assert!((rotation_log(rotation_exp(v)) - v).length() <= 1e-14 + 1e-14 * length, "length {length}");
        }
    }

    #[test]
    fn skew_is_the_cross_product() {
        let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-0.5, 4.0, 0.25));
        assert_eq!(skew(a) * b, a.cross(b));
    }
}
