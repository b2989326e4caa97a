//! The rotation nearest to a deformation gradient.

use super::vector::Vector;
use super::{Mat3, signed_svd};

/// The rotation `R` (`det R = 1`) that maximises `tr(Rᵀ F)`: the rotational factor of the polar decomposition, continued
/// to flat and inverted `F`. Converged to rounding, never NaN; slower than the warm-started kernel of the tissue.
#[must_use]
pub fn polar_rotation(f: &Mat3) -> Mat3 {
    let svd = signed_svd(f);
    svd.u * svd.v.transpose()
}

/// A 3x3 matrix of vectors, `[row][column]`: one matrix per lane.
pub(crate) type MatrixLanes<V> = [[V; 3]; 3];

/// `Aᵀ B`.
#[inline(always)]
pub(crate) fn transpose_mul<V: Vector>(a: &MatrixLanes<V>, b: &MatrixLanes<V>) -> MatrixLanes<V> {
    let mut product = *b;
    for i in 0..3 {
        for j in 0..3 {
            product[i][j] = a[0][i].times_plus(b[0][j], a[1][i].times_plus(b[1][j], a[2][i] * b[2][j]));
        }
    }
    product
}

/// `A v`.
#[inline(always)]
pub(crate) fn mul_vector<V: Vector>(a: &MatrixLanes<V>, v: [V; 3]) -> [V; 3] {
    let mut product = v;
    for i in 0..3 {
        product[i] = a[i][0].times_plus(v[0], a[i][1].times_plus(v[1], a[i][2] * v[2]));
    }
    product
}

/// The matrix of a unit quaternion `(x, y, z, w)`.
#[inline(always)]
pub(crate) fn quaternion_matrix<V: Vector>([x, y, z, w]: [V; 4]) -> MatrixLanes<V> {
    let one = V::splat(<V::Scalar as super::Real>::ONE);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [[one - yy - zz, xy - wz, xz + wy], [xy + wz, one - xx - zz, yz - wx], [xz - wy, yz + wx, one - xx - yy]]
}

/// The Hamilton product.
#[inline(always)]
fn quaternion_product<V: Vector>([ax, ay, az, aw]: [V; 4], [bx, by, bz, bw]: [V; 4]) -> [V; 4] {
    [
        aw.times_plus(bx, ax.times_plus(bw, (ay * bz).minus_product(az, by))),
        aw.times_plus(by, ay.times_plus(bw, (az * bx).minus_product(ax, bz))),
        aw.times_plus(bz, az.times_plus(bw, (ax * by).minus_product(ay, bx))),
        (aw * bw).minus_product(ax, bx).minus_product(ay, by).minus_product(az, bz),
    ]
}

/// Improves the quaternions `q` towards the rotations nearest to `f` by Newton's method on `-tr(Rᵀ F)` with Cayley steps
/// [Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", analytic polar decomposition].
///
/// Where the Hessian is not positive definite a gradient step is taken, so that flat and inverted elements stay finite
/// and saddles are left. Returns unit quaternions.
#[inline(always)]
pub(crate) fn refine_rotation<V: Vector<Scalar = f64>>(f: &MatrixLanes<V>, mut q: [V; 4], iterations: u32) -> [V; 4] {
    let (zero, one, half) = (V::splat(0.0), V::splat(1.0), V::splat(0.5));
    let tiny = V::splat(1e-9);
    for _ in 0..iterations {
        let b = transpose_mul(&quaternion_matrix(q), f);
        // Gradient and Hessian of the energy in a rotation vector applied on the right.
        let g = [b[1][2] - b[2][1], b[2][0] - b[0][2], b[0][1] - b[1][0]];
        let (h00, h11, h22) = (b[1][1] + b[2][2], b[0][0] + b[2][2], b[0][0] + b[1][1]);
        let h01 = -((b[0][1] + b[1][0]) * half);
        let h02 = -((b[0][2] + b[2][0]) * half);
        let h12 = -((b[1][2] + b[2][1]) * half);
        let c00 = (h11 * h22).minus_product(h12, h12);
        let c01 = (h02 * h12).minus_product(h01, h22);
        let c02 = (h01 * h12).minus_product(h02, h11);
        let c11 = (h00 * h22).minus_product(h02, h02);
        let c12 = (h01 * h02).minus_product(h00, h12);
        let c22 = (h00 * h11).minus_product(h01, h01);
        let det = h00.times_plus(c00, h01.times_plus(c01, h02 * c02));
        // The Cayley vector is tan(θ/4), a quarter of the rotation vector for small steps.
        let quarter = V::splat(-0.25);
        let step = quarter / det.abs().max(tiny);
        let mut w = [
            step * c00.times_plus(g[0], c01.times_plus(g[1], c02 * g[2])),
            step * c01.times_plus(g[0], c11.times_plus(g[1], c12 * g[2])),
            step * c02.times_plus(g[0], c12.times_plus(g[1], c22 * g[2])),
        ];
        // Newton's step is taken where the Hessian is positive definite and the step below about one radian; elsewhere a
        // gradient step no longer than the curvature allows.
        let length = w[0].times_plus(w[0], w[1].times_plus(w[1], w[2] * w[2]));
        let trusted = (det - tiny).min(h00).min(c22).min(V::splat(0.0625) - length);
        let size = tiny + h00.abs() + h11.abs() + h22.abs() + (h01.abs() + h02.abs() + h12.abs());
        let descent = quarter / size;
        for k in 0..3 {
            w[k] = trusted.select_below(zero, descent * g[k], w[k]);
        }
        let square = w[0].times_plus(w[0], w[1].times_plus(w[1], w[2] * w[2]));
        let scale = one / (one + square);
        let twice = scale + scale;
        q = quaternion_product(q, [w[0] * twice, w[1] * twice, w[2] * twice, (one - square) * scale]);
    }
    let length = q[0].times_plus(q[0], q[1].times_plus(q[1], q[2].times_plus(q[2], q[3] * q[3])));
    let scale = one / length.sqrt();
    [q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vector::{Array, Quad};
    use crate::math::{Quat, Vec3, rotation_exp};

    type Lanes = Array<f64, 4>;

    fn refine(f: &Mat3, start: Quat, iterations: u32) -> Mat3 {
        let splat = |v: f64| Lanes::from_array([v; 4]);
        let rows = f.transpose().to_cols_array_2d().map(|r| r.map(splat));
        let q = refine_rotation(&rows, start.to_array().map(splat), iterations);
        let mut out = [[0.0; 4]; 4];
        for k in 0..4 {
            // SAFETY: four numbers fit.
            unsafe { q[k].store(out[k].as_mut_ptr()) };
        }
        Mat3::from_quat(Quat::from_xyzw(out[0][0], out[1][0], out[2][0], out[3][0]))
    }

    fn sample(sigma: Vec3, k: usize) -> (Mat3, Mat3) {
        let a = k as f64;
        let u = Mat3::from_quat(rotation_exp(Vec3::new(0.9 * a, -0.4, 0.31 * a)));
        let v = Mat3::from_quat(rotation_exp(Vec3::new(-0.2 * a, 0.7 * a, 1.1)));
        (u * Mat3::from_diagonal(sigma) * v.transpose(), u * v.transpose())
    }

    #[test]
    fn scalar_version_gives_the_polar_rotation() {
        for sigma in [Vec3::ONE, Vec3::new(3.0, 1.0, 0.2), Vec3::new(1.5, 1.0, -0.3)] {
            for k in 0..20 {
                let (f, r) = sample(sigma, k);
                assert!(polar_rotation(&f).abs_diff_eq(r, 1e-13));
            }
        }
        for f in [Mat3::ZERO, Mat3::from_diagonal(Vec3::new(1.0, 0.0, 0.0)), Mat3::IDENTITY * -1.0] {
            assert!((polar_rotation(&f).determinant() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn two_warm_iterations_follow_a_turning_element() {
        // A step of 0.05 rad and 2 % strain: 6 m/s of a finger's edge at 1/90 s.
        for k in 0..20 {
            let (f, r) = sample(Vec3::new(1.02, 1.0, 0.97), k);
            let start = Quat::from_mat3(&r) * rotation_exp(Vec3::new(0.03, -0.03, 0.02));
            let error = refine(&f, start, 2) - r;
            assert!(error.abs_diff_eq(Mat3::ZERO, 1e-9), "{error}");
        }
    }

    #[test]
    fn iterations_converge_from_far_and_for_inverted_elements() {
        for sigma in [Vec3::new(1.2, 1.0, 0.8), Vec3::new(1.3, 1.0, 0.0), Vec3::new(1.3, 1.0, -0.4)] {
            for k in 0..20 {
                let (f, r) = sample(sigma, k);
                let start = Quat::from_mat3(&r) * rotation_exp(Vec3::new(1.0, -1.2, 0.9));
                let found = refine(&f, start, 60);
                assert!(found.abs_diff_eq(r, 1e-9), "{sigma} {k}: {found} against {r}");
            }
        }
    }

    #[test]
    fn collapsed_elements_stay_finite() {
        for f in
            [Mat3::ZERO, Mat3::from_diagonal(Vec3::new(1.0, 0.0, 0.0)), Mat3::IDENTITY * -1.0, Mat3::IDENTITY * 1e6]
        {
            for k in 0..5 {
                let r = refine(&f, rotation_exp(Vec3::new(k as f64, 0.4, -0.3)), 2);
                assert!(r.is_finite() && (r.determinant() - 1.0).abs() < 1e-12, "{f}");
            }
        }
    }
}
