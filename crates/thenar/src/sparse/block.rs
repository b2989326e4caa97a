//! One 3x3 block of a sparse matrix.

use crate::math::{Mat3, Vec3};

/// A 3x3 block by columns, each padded to four numbers so that a column is one vector register. The padding is zero: kernels
/// that write blocks side by side rely on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Block(pub(crate) [[f64; 4]; 3]);

impl Block {
    /// The zero block.
    pub const ZERO: Block = Block([[0.0; 4]; 3]);

    /// `value` times the identity.
    #[must_use]
    pub const fn diagonal(value: f64) -> Block {
        Block([[value, 0.0, 0.0, 0.0], [0.0, value, 0.0, 0.0], [0.0, 0.0, value, 0.0]])
    }

    /// One entry.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.0[column][..3][row]
    }

    /// Sets one entry.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.0[column][..3][row] = value;
    }

    /// The transposed block.
    #[must_use]
    #[inline(always)]
    pub fn transpose(&self) -> Block {
        let [a, b, c] = &self.0;
        Block([[a[0], b[0], c[0], 0.0], [a[1], b[1], c[1], 0.0], [a[2], b[2], c[2], 0.0]])
    }

    /// Mean of the three diagonal entries.
    #[must_use]
    pub fn mean(&self) -> f64 {
        (self.0[0][0] + self.0[1][1] + self.0[2][2]) / 3.0
    }

    /// Adds `value` to the three diagonal entries.
    #[inline(always)]
    pub fn add_diagonal(&mut self, value: f64) {
        for k in 0..3 {
            self.0[k][k] += value;
        }
    }

    /// Adds a matrix.
    #[inline(always)]
    pub fn add(&mut self, m: &Mat3) {
        for (column, v) in self.0.iter_mut().zip([m.x_axis, m.y_axis, m.z_axis]) {
            column[0] += v.x;
            column[1] += v.y;
            column[2] += v.z;
        }
    }

    /// Adds the transpose of a matrix.
    #[inline(always)]
    pub fn add_transposed(&mut self, m: &Mat3) {
        self.add(&m.transpose());
    }

    /// Adds `scale * v wᵀ`.
    #[inline(always)]
    pub fn add_outer(&mut self, scale: f64, v: Vec3, w: Vec3) {
        let v = v * scale;
        for (column, w) in self.0.iter_mut().zip([w.x, w.y, w.z]) {
            column[0] += v.x * w;
            column[1] += v.y * w;
            column[2] += v.z * w;
        }
    }

    /// The block as a plain matrix.
    #[must_use]
    pub fn to_mat3(&self) -> Mat3 {
        let column = |c: &[f64; 4]| Vec3::new(c[0], c[1], c[2]);
        Mat3::from_cols(column(&self.0[0]), column(&self.0[1]), column(&self.0[2]))
    }
}

impl Default for Block {
    fn default() -> Self {
        Block::ZERO
    }
}

impl From<Mat3> for Block {
    fn from(m: Mat3) -> Self {
        let mut block = Block::ZERO;
        block.add(&m);
        block
    }
}
