//! Singular values of a 3x3 matrix, with proper rotations on both sides.

use super::{Mat3, Vec3};

/// `F = U diag(σ) Vᵀ` with `det U = det V = 1` and `σ1 >= σ2 >= |σ3|`; `σ3` is negative where `F` is inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedSvd {
    /// Left rotation.
    pub u: Mat3,
    /// Signed singular values.
    pub sigma: Vec3,
    /// Right rotation.
    pub v: Mat3,
}

/// Enough for convergence to rounding: the off-diagonal shrinks quadratically once small.
const MAX_SWEEPS: usize = 24;

/// The signed singular value decomposition, by one-sided Jacobi rotations [Hestenes 1958].
///
/// Accurate also for flat, collapsed and inverted matrices. For a matrix that is not finite, `u` and `v` are the identity.
#[must_use]
pub fn signed_svd(f: &Mat3) -> SignedSvd {
    if !f.is_finite() {
        return SignedSvd { u: Mat3::IDENTITY, sigma: f.diagonal(), v: Mat3::IDENTITY };
    }
    // Scaling keeps the squares below from over- and underflowing.
    let size = f.to_cols_array().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if size < f64::MIN_POSITIVE {
        return SignedSvd { u: Mat3::IDENTITY, sigma: Vec3::ZERO, v: Mat3::IDENTITY };
    }
    let mut b = [f.x_axis / size, f.y_axis / size, f.z_axis / size];
    let mut v = [Vec3::X, Vec3::Y, Vec3::Z];
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            turned |= orthogonalise(&mut b, &mut v, i, j);
        }
        if !turned {
            break;
        }
    }
    sort_descending(&mut b, &mut v);
    let u0 = b[0].normalize_or(Vec3::X);
    // A column that has vanished against the first leaves its direction free.
    let beside = b[1] - u0 * u0.dot(b[1]);
    let u1 = if beside.length() > 1e-14 * b[0].length() {
        (beside.normalize() - u0 * u0.dot(beside.normalize())).normalize()
    } else {
        u0.any_orthonormal_vector()
    };
    let u2 = u0.cross(u1);
    let sigma = size * Vec3::new(u0.dot(b[0]), u1.dot(b[1]), u2.dot(b[2]));
    SignedSvd { u: Mat3::from_cols(u0, u1, u2), sigma, v: Mat3::from_cols(v[0], v[1], v[2]) }
}

/// Turns columns `i` and `j` so that they become orthogonal; false if they are already.
fn orthogonalise(b: &mut [Vec3; 3], v: &mut [Vec3; 3], i: usize, j: usize) -> bool {
    let (alpha, beta, gamma) = (b[i].length_squared(), b[j].length_squared(), b[i].dot(b[j]));
    if gamma.abs() <= 1e-15 * (alpha * beta).sqrt() || gamma.abs() < 1e-290 {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for m in [b, v] {
        (m[i], m[j]) = (c * m[i] - s * m[j], s * m[i] + c * m[j]);
    }
    true
}

/// Orders the columns by length; the exchanges are quarter turns, so that `V` stays a rotation.
fn sort_descending(b: &mut [Vec3; 3], v: &mut [Vec3; 3]) {
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if b[i].length_squared() < b[j].length_squared() {
            for m in [&mut *b, &mut *v] {
                (m[i], m[j]) = (m[j], -m[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, rotation_exp};

    fn check(f: &Mat3) {
        let SignedSvd { u, sigma, v } = signed_svd(f);
        let scale = f.to_cols_array().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let back = u * Mat3::from_diagonal(sigma) * v.transpose();
        assert!((back - *f).abs_diff_eq(Mat3::ZERO, 1e-13 * scale), "{f} became {back}");
        for r in [u, v] {
            assert!((r.transpose() * r).abs_diff_eq(Mat3::IDENTITY, 1e-14));
            assert!((r.determinant() - 1.0).abs() < 1e-14);
        }
        assert!(sigma.x >= sigma.y - 1e-14 * scale && sigma.y >= sigma.z.abs() - 1e-14 * scale, "{sigma}");
    }

    fn turned(sigma: Vec3, k: usize) -> Mat3 {
        let k = k as f64;
        let u: Quat = rotation_exp(Vec3::new(k, 0.3 * k, -0.7));
        let v: Quat = rotation_exp(Vec3::new(0.2, -k, 0.5 * k));
        Mat3::from_quat(u) * Mat3::from_diagonal(sigma) * Mat3::from_quat(v).transpose()
    }

    #[test]
    fn product_restores_the_matrix_for_regular_flat_and_inverted_ones() {
        let shapes = [
            [1.0, 1.0, 1.0],
            [3.0, 2.0, 1.0],
            [1.0, 1.0, -1.0],
            [1.0, 1e-9, 1e-9],
            [1.0, 1.0, 0.0],
            [1.0, 0.0, 0.0],
            [1e150, 1e-150, 0.0],
            [1e-160, 1e-170, 0.0],
            [2.0, 1.0, -1e-12],
        ];
        for [a, b, c] in shapes {
            for k in 0..12 {
                check(&turned(Vec3::new(a, b, c), k));
            }
            check(&Mat3::from_diagonal(Vec3::new(a, b, c)));
            check(&Mat3::from_diagonal(Vec3::new(-c, -b, -a)));
        }
        check(&Mat3::ZERO);
    }

    #[test]
    fn values_are_found_and_carry_the_sign_of_the_determinant() {
        for k in 0..12 {
            let svd = signed_svd(&turned(Vec3::new(3.0, 2.0, -0.5), k));
            assert!((svd.sigma - Vec3::new(3.0, 2.0, -0.5)).length() < 1e-14 * 10.0);
        }
    }

    #[test]
    fn bad_numbers_leave_rotations_alone() {
        let mut f = Mat3::IDENTITY;
        f.x_axis.y = f64::NAN;
        assert_eq!(signed_svd(&f).u, Mat3::IDENTITY);
    }
}
