//! The linear problem of one step, to which energies and contact methods append.
//!
//! Each soft body (a hand with its bones, or a soft object) has a sparse block of its own; the rigid objects form a
//! dense border behind them:
//! ```text
//! | A₁      B₁ | v₁ |   | r₁ |
//! |    A₂   B₂ | v₂ | = | r₂ |      A = M + h D + h² K,   r = M v − h ∂U/∂q
//! | B₁ᵀ B₂ᵀ C  | w  |   | c  |
//! ```
//! The patterns of the `Aᵢ` never change; a touched object fills six columns of `B`.

use super::Spring;
use crate::math::{Mat3, Vec3};
use crate::sparse::{BlockMatrix, BlockPattern, EliminationPath, LANES, Slot, Symbolic};
use std::sync::Arc;

/// The columns of `B` that couple one soft body to one rigid object, in elimination order.
#[derive(Clone, Debug)]
pub struct BorderColumns {
    /// Something was added in this step.
    pub touched: bool,
    /// Row `3 · position + axis`; the first six lanes are the object's linear and angular unknowns.
    pub rows: Vec<[f64; LANES]>,
    /// The fronts that a non-zero row passes through.
    pub path: EliminationPath,
}

/// One soft body's part of the problem.
#[derive(Clone, Debug)]
pub struct SoftProblem {
    /// The body takes part in this step.
    pub active: bool,
    /// Which blocks of `A` are coupled.
    pub pattern: Arc<BlockPattern>,
    /// Elimination order of the blocks.
    pub symbolic: Arc<Symbolic>,
    /// `A`.
    pub matrix: BlockMatrix,
    /// `r`, one vector per block.
    pub rhs: Vec<Vec3>,
    /// `B`, one group of columns per moving object.
    pub border: Vec<BorderColumns>,
    /// The solved velocities, one vector per block.
    pub solution: Vec<Vec3>,
}

/// A dense symmetric system over the rigid objects: six unknowns each, linear then angular.
#[derive(Clone, Debug, Default)]
pub struct BorderSystem {
    /// Number of scalar unknowns.
    pub size: usize,
    /// Row-major, kept symmetric.
    pub matrix: Vec<f64>,
    /// Right-hand side.
    pub rhs: Vec<f64>,
}

/// The rigid objects' part of the problem, stage by stage.
#[derive(Clone, Debug, Default)]
pub struct BorderProblem {
    /// `C` and `c`: written while assembling.
    pub assembled: BorderSystem,
    /// `S = C − Bᵀ A⁻¹ B` and `c − Bᵀ A⁻¹ r`, without terms that are judged anew: written by the forward solve.
    pub reduced: BorderSystem,
    /// The same with those terms, its matrix factored: written by every solve of the border.
    pub factored: BorderSystem,
    /// The solved velocities and spins.
    pub solution: Vec<f64>,
}

/// Terms between rigid objects alone, which a solver may append again after judging them by its own solution.
pub trait BorderTerms {
    /// Adds the terms as they are judged now.
    fn append(&self, border: &mut BorderSystem);
    /// Judges every term by the border's solution; true if any changed.
    fn reconsider(&mut self, border: &BorderProblem) -> bool;
}

impl SoftProblem {
    /// An empty problem over a pattern, with the elimination planned for it.
    #[must_use]
    pub fn new(pattern: Arc<BlockPattern>, symbolic: Arc<Symbolic>) -> Self {
        let n = pattern.block_count();
        SoftProblem {
            active: false,
            matrix: BlockMatrix::zero(&pattern),
            pattern,
            symbolic,
            rhs: vec![Vec3::ZERO; n],
            border: Vec::new(),
            solution: vec![Vec3::ZERO; n],
        }
    }

    /// The body is so large that its own parts are worth sharing among threads.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.symbolic.part_count() > 1
    }

    /// Makes room for as many moving objects.
    pub fn reserve_objects(&mut self, objects: usize) {
        let rows = 3 * self.rhs.len();
        self.border.resize_with(objects, || BorderColumns {
            touched: false,
            rows: vec![[0.0; LANES]; rows],
            path: EliminationPath::new(&self.symbolic),
        });
    }

    /// Empties what the last step left in the border.
    pub fn clear_border(&mut self) {
        for columns in self.border.iter_mut().filter(|c| c.touched) {
            columns.touched = false;
            for rows in columns.path.rows(&self.symbolic) {
                columns.rows[rows].fill([0.0; LANES]);
            }
            columns.path.clear();
        }
    }

    /// Adds a spring over `N` blocks: `h² Hessian` to the matrix, `−h gradient` to the right-hand side. `slots` are
    /// those of the pairs `(a, b)` with `a <= b`, row by row.
    pub fn add_spring<const N: usize>(&mut self, blocks: &[u32; N], slots: &[Slot], spring: &Spring<N>, h: f64) {
        let mut slot = slots.iter();
        let pulled = spring.stiffness * spring.residual;
        for a in 0..N {
            self.rhs[blocks[a] as usize] -= spring.jacobian[a].transpose() * pulled * h;
            for b in a..N {
                if let Some(&s) = slot.next() {
                    self.matrix.add(s, &(spring.hessian(a, b) * (h * h)));
                }
            }
        }
    }
}

impl BorderColumns {
    /// Says that rows of a block (in original numbering) will be added; returns where they lie.
    pub fn touch(&mut self, symbolic: &Symbolic, block: u32) -> usize {
        self.touched = true;
        self.path.touch(symbolic, block);
        3 * symbolic.position(block)
    }

    /// Adds `m` to the three rows from `row` on, in the linear (`first_lane` 0) or angular (3) columns.
    pub fn add(&mut self, row: usize, first_lane: usize, m: &Mat3) {
        let columns = [m.x_axis, m.y_axis, m.z_axis];
        for i in 0..3 {
            let target = &mut self.rows[row + i];
            for (k, column) in columns.iter().enumerate() {
                target[first_lane + k] += column[i];
            }
        }
    }
}

impl BorderSystem {
    fn resize(&mut self, size: usize) {
        self.size = size;
        self.matrix.resize(size * size, 0.0);
        self.rhs.resize(size, 0.0);
    }

    /// Takes over another system of the same size.
    pub fn copy_from(&mut self, other: &BorderSystem) {
        self.matrix.copy_from_slice(&other.matrix);
        self.rhs.copy_from_slice(&other.rhs);
    }

    /// Empties matrix and right-hand side.
    pub fn clear(&mut self) {
        self.matrix.fill(0.0);
        self.rhs.fill(0.0);
    }

    /// Adds `m` to block `(row, column)` (blocks of three: `2 · object` linear, `2 · object + 1` angular). The caller
    /// adds both of a symmetric pair.
    pub fn add(&mut self, row: usize, column: usize, m: &Mat3) {
        let columns = [m.x_axis, m.y_axis, m.z_axis];
        for i in 0..3 {
            for (j, c) in columns.iter().enumerate() {
                self.matrix[(3 * row + i) * self.size + 3 * column + j] += c[i];
            }
        }
    }

    /// Adds `v` to the right-hand side of a block.
    pub fn add_rhs(&mut self, block: usize, v: Vec3) {
        for i in 0..3 {
            self.rhs[3 * block + i] += v[i];
        }
    }
}

impl BorderProblem {
    /// Sets the number of rigid objects.
    pub fn resize(&mut self, objects: usize) {
        for system in [&mut self.assembled, &mut self.reduced, &mut self.factored] {
            system.resize(6 * objects);
        }
        self.solution.resize(6 * objects, 0.0);
    }

    /// Number of scalar unknowns, six per object.
    #[must_use]
    pub fn size(&self) -> usize {
        self.assembled.size
    }

    /// Sets an object's velocity and spin from which an iterative solver starts.
    pub fn start(&mut self, object: usize, velocity: Vec3, spin: Vec3) {
        self.solution[6 * object..6 * object + 3].copy_from_slice(&velocity.to_array());
        self.solution[6 * object + 3..6 * object + 6].copy_from_slice(&spin.to_array());
    }

    /// Solved velocity and spin of an object.
    #[must_use]
    pub fn motion(&self, object: usize) -> (Vec3, Vec3) {
        let x = &self.solution[6 * object..6 * object + 6];
        (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]))
    }
}
