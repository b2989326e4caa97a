//! The linear system over the reduced coordinates of one hand.
//!
//! What acts on bones is mapped by their Jacobians [Talvas §4]: a stiffness or inertia `K` of a bone becomes `Jᵀ K J`,
//! a force `Jᵀ f`. Springs on joint angles and on the base act on the coordinates themselves.

use super::spring::Spring;
use crate::hand::{BoneId, BoneJacobian, Digit, REDUCED_BLOCKS};
use crate::math::{Mat3, Vec3};

/// What acts on one bone: a symmetric matrix over its velocity and spin, and what stands on the right of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoneLoad {
    /// Velocity by velocity.
    pub linear: Mat3,
    /// Velocity by spin.
    pub cross: Mat3,
    /// Spin by spin.
    pub angular: Mat3,
    /// Right-hand side of the velocity.
    pub force: Vec3,
    /// Right-hand side of the spin.
    pub torque: Vec3,
}

impl BoneLoad {
    /// Nothing.
    pub const ZERO: BoneLoad =
        BoneLoad { linear: Mat3::ZERO, cross: Mat3::ZERO, angular: Mat3::ZERO, force: Vec3::ZERO, torque: Vec3::ZERO };
}

/// Matrix and right-hand side over the coordinates of one hand, in blocks of three. Only pairs `(a, b)` with `a <= b`
/// are kept, and only those that share a bone: different digits meet in the base alone.
#[derive(Clone, Debug)]
pub struct ReducedSystem {
    matrix: [[Mat3; REDUCED_BLOCKS]; REDUCED_BLOCKS],
    /// Right-hand side.
    pub rhs: [Vec3; REDUCED_BLOCKS],
}

impl ReducedSystem {
    /// The empty system. Places that stand for no angle are held by a unit diagonal.
    #[must_use]
    pub fn empty() -> ReducedSystem {
        let mut matrix = [[Mat3::ZERO; REDUCED_BLOCKS]; REDUCED_BLOCKS];
        for digit in 0..Digit::ALL.len() {
            matrix[3 + 2 * digit][3 + 2 * digit] = Mat3::from_diagonal(Vec3::new(0.0, 1.0, 1.0));
        }
        ReducedSystem { matrix, rhs: [Vec3::ZERO; REDUCED_BLOCKS] }
    }

    /// The pairs of blocks that may be coupled, `a <= b`.
    pub fn pairs() -> impl Iterator<Item = (usize, usize)> {
        let of_digit = |digit: usize| [2 + 2 * digit, 3 + 2 * digit];
        let base = [(0, 0), (0, 1), (1, 1)].into_iter();
        base.chain((0..Digit::ALL.len()).flat_map(move |digit| {
            let [a, b] = of_digit(digit);
            [(0, a), (0, b), (1, a), (1, b), (a, a), (a, b), (b, b)]
        }))
    }

    /// Block `(a, b)`, `a <= b`.
    #[must_use]
    pub fn block(&self, a: usize, b: usize) -> &Mat3 {
        &self.matrix[a][b]
    }

    /// Adds what acts on a bone.
    pub fn add_bone(&mut self, bone: BoneId, jacobian: &BoneJacobian, load: &BoneLoad) {
        let blocks = BoneJacobian::blocks(bone);
        for (j, &b) in blocks.iter().enumerate() {
            let (linear, angular) = (&jacobian.linear[j], &jacobian.angular[j]);
            let force = load.linear * *linear + load.cross * *angular;
            let torque = load.cross.transpose() * *linear + load.angular * *angular;
            for (i, &a) in blocks[..=j].iter().enumerate() {
                self.matrix[a][b] += jacobian.linear[i].transpose() * force + jacobian.angular[i].transpose() * torque;
            }
            self.rhs[b] += linear.transpose() * load.force + angular.transpose() * load.torque;
        }
    }

    /// Adds a spring on the base's position (`block` 0) or orientation (1): `h² K` and `−h gradient`.
    pub fn add_base_spring(&mut self, block: usize, spring: &Spring<1>, h: f64) {
        self.matrix[block][block] += spring.hessian(0, 0) * (h * h);
        self.rhs[block] -= spring.gradient(0) * h;
    }

    /// Adds a spring on one angle of a digit, `½ k r²`: residual in radians, stiffness in N m/rad.
    pub fn add_angle_spring(&mut self, digit: Digit, angle: usize, residual: f64, stiffness: f64, h: f64) {
        let (block, place) = angle_place(digit, angle);
        self.matrix[block][block].col_mut(place)[place] += h * h * stiffness;
        self.rhs[block][place] -= h * stiffness * residual;
    }

    /// Holds every coordinate at a rate with a mass so large that nothing else counts: `mass` for the base's velocity,
    /// `inertia` for its spin and the angles.
    pub fn hold(&mut self, rates: &[Vec3; REDUCED_BLOCKS], mass: f64, inertia: f64) {
        for (block, rate) in rates.iter().enumerate() {
            let held = if block == 0 { mass } else { inertia };
            self.matrix[block][block] += Mat3::from_diagonal(Vec3::splat(held));
            self.rhs[block] += *rate * held;
        }
    }

    /// The whole symmetric matrix, row by row.
    pub fn write_dense(&self, dense: &mut [f64; 9 * REDUCED_BLOCKS * REDUCED_BLOCKS]) {
        const N: usize = 3 * REDUCED_BLOCKS;
        dense.fill(0.0);
        for (a, b) in ReducedSystem::pairs() {
            for i in 0..3 {
                for j in 0..3 {
                    let value = self.matrix[a][b].col(j)[i];
                    dense[(3 * a + i) * N + 3 * b + j] = value;
                    dense[(3 * b + j) * N + 3 * a + i] = value;
                }
            }
        }
    }
}

/// Block and place of an angle, 0 to 3, of a digit.
#[must_use]
pub fn angle_place(digit: Digit, angle: usize) -> (usize, usize) {
    (2 + 2 * digit.index() + angle / 3, angle % 3)
}

/// One-sided limit of an angle: how far it is beyond its range, radians; `None` inside.
#[must_use]
pub fn beyond(angle: f64, [low, high]: [f64; 2]) -> Option<f64> {
    if angle > high {
        Some(angle - high)
    } else if angle < low {
        Some(angle - low)
    } else {
        None
    }
}
