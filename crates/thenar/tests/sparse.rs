//! The sparse solvers against one another and against an independent one.

mod bar;

use bar::{Random, bar, hand_sized, random_spd};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::amd;
use faer::sparse::{SparseColMat, SymbolicSparseColMatRef, Triplet};
use faer::{Col, Side};
use std::collections::BTreeSet;
use thenar::math::{Kernels, Vec3};
use thenar::sparse::{
    BlockMatrix, BlockPattern, Cholesky, EliminationPath, FactorPreconditioner, Jacobi, MatrixOperator, Pcg, PcgParams,
    RowSolver, Scalar, Slot, SparseRows, Symbolic,
};

fn residual(pattern: &BlockPattern, a: &BlockMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut y = vec![0.0; x.len()];
    a.mul(Kernels::portable(), pattern, x, &mut y);
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|e| e * e).sum::<f64>().sqrt();
    norm(&mut y.iter().zip(b).map(|(y, b)| y - b)) / norm(&mut b.iter().copied()).max(f64::MIN_POSITIVE)
}

fn check_solve<T: Scalar>(pattern: &BlockPattern, last: &[u32], kernels: Kernels, bound: f64) {
    let symbolic = Symbolic::new(pattern, last);
    let mut cholesky = Cholesky::<T>::new(&symbolic, kernels);
    for seed in 1..4 {
        let a = random_spd(pattern, seed);
        let b = Random::new(seed + 10).fill(3 * pattern.block_count());
        let mut x = b.clone();
        assert_eq!(cholesky.factor(&symbolic, &a), Ok(()));
        cholesky.solve(&symbolic, &mut x);
        let r = residual(pattern, &a, &x, &b);
        assert!(r < bound, "relative residual {r:e} with {} kernels", kernels.name());
    }
}

#[test]
fn solution_satisfies_the_system() {
    // Rounding of about 1e-16 (or 6e-8) grows with the condition number, here about a thousand.
    for kernels in [Kernels::portable(), Kernels::auto()] {
        for system in [bar([2, 1, 1]), bar([5, 2, 3]), hand_sized()] {
            check_solve::<f64>(&system.pattern, &system.bone_blocks(), kernels, 1e-12);
            check_solve::<f64>(&system.pattern, &[], kernels, 1e-12);
            check_solve::<f32>(&system.pattern, &[], kernels, 1e-3);
        }
    }
}

#[test]
fn small_and_disconnected_patterns_work() {
    for kernels in [Kernels::portable(), Kernels::auto()] {
        check_solve::<f64>(&BlockPattern::from_cliques(0, []), &[], kernels, 1e-12);
        check_solve::<f64>(&BlockPattern::from_cliques(1, []), &[], kernels, 1e-12);
        check_solve::<f64>(&BlockPattern::from_cliques(7, [&[0u32, 3][..], &[4, 5, 6]]), &[3], kernels, 1e-12);
    }
}

#[test]
fn bones_are_eliminated_last() {
    let system = hand_sized();
    let bones = system.bone_blocks();
    let symbolic = Symbolic::new(&system.pattern, &bones);
    let tissue = symbolic.block_count() - bones.len();
    for &b in &bones {
        assert!(symbolic.position(b) >= tissue);
    }
    for k in 0..symbolic.block_count() {
        assert_eq!(symbolic.position(symbolic.block_at(k)), k);
    }
}

#[test]
fn bad_matrices_are_refused() {
    let system = bar([3, 2, 2]);
    let symbolic = Symbolic::new(&system.pattern, &[]);
    let good = random_spd(&system.pattern, 1);
    for kernels in [Kernels::portable(), Kernels::auto()] {
        let mut cholesky = Cholesky::<f64>::new(&symbolic, kernels);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for edge in 0..system.pattern.edge_count() {
                let mut a = good.clone();
                a.off[edge].set(edge % 3, (edge / 3) % 3, bad);
                assert!(cholesky.factor(&symbolic, &a).is_err(), "{bad} at edge {edge} went unnoticed");
            }
            for block in 0..system.pattern.block_count() {
                let mut a = good.clone();
                a.diagonal[block].set(1, 1, bad);
                assert!(cholesky.factor(&symbolic, &a).is_err(), "{bad} at block {block} went unnoticed");
            }
        }
        let mut a = good.clone();
        a.add_outer(Slot::Diagonal(5), -1e4, Vec3::X, Vec3::X);
        assert!(cholesky.factor(&symbolic, &a).is_err());
        assert_eq!(cholesky.factor(&symbolic, &good), Ok(()), "a refusal must not spoil the next factorisation");
    }
}

/// Eight right-hand sides touching the nodes of one tetrahedron, in elimination order, and the blocks they touch.
fn local_right_hand_sides(symbolic: &Symbolic, touched: &[u32]) -> Vec<[f64; 8]> {
    let mut random = Random::new(5);
    let mut x = vec![[0.0; 8]; 3 * symbolic.block_count()];
    for &b in touched {
        for k in 0..3 {
            x[3 * symbolic.position(b) + k] = std::array::from_fn(|_| random.next());
        }
    }
    x
}

#[test]
fn eight_lanes_along_the_path_equal_single_solves() {
    let system = hand_sized();
    let symbolic = Symbolic::new(&system.pattern, &system.bone_blocks());
    let a = random_spd(&system.pattern, 3);
    let n = 3 * symbolic.block_count();
    for kernels in [Kernels::portable(), Kernels::auto()] {
        let mut cholesky = Cholesky::<f64>::new(&symbolic, kernels);
        assert_eq!(cholesky.factor(&symbolic, &a), Ok(()));
        let touched = system.mesh.tets[100];
        let start = local_right_hand_sides(&symbolic, &touched);
        let mut path = EliminationPath::new(&symbolic);
        for &b in &touched {
            path.touch(&symbolic, b);
        }
        assert!(path.front_count() < symbolic.front_count() / 2, "the path must skip most of the tree");
        let mut lanes = start.clone();
        cholesky.forward_lanes(&symbolic, &path, &mut lanes);
        let mut gram = [[0.0; 8]; 8];
        cholesky.gram_lanes(&symbolic, &path, &lanes, &lanes, &mut gram);
        let mut whole = lanes.clone();
        cholesky.backward_lanes(&symbolic, &EliminationPath::all(&symbolic), &mut whole);
        let mut on_path = lanes.clone();
        cholesky.backward_lanes(&symbolic, &path, &mut on_path);
        for lane in 0..8 {
            let mut x: Vec<f64> = start.iter().map(|r| r[lane]).collect();
            cholesky.forward(&symbolic, &mut x);
            let forward = x.clone();
            for i in 0..n {
                assert!((lanes[i][lane] - x[i]).abs() < 1e-12, "forward, row {i}");
            }
            cholesky.backward(&symbolic, &mut x);
            for i in 0..n {
                assert!((whole[i][lane] - x[i]).abs() < 1e-12, "backward, row {i}");
            }
            for &b in &touched {
                let i = 3 * symbolic.position(b);
                assert!((on_path[i][lane] - x[i]).abs() < 1e-12, "backward along the path, block {b}");
            }
            for other in 0..8 {
                let dot: f64 = forward.iter().zip(&lanes).map(|(f, l)| f * l[other]).sum();
                assert!((gram[lane][other] - dot).abs() < 1e-12, "product of lanes {lane} and {other}");
            }
        }
    }
}

/// The matrix in the form of the independent solver: lower triangle, by columns.
fn to_faer(pattern: &BlockPattern, a: &BlockMatrix) -> SparseColMat<usize, f64> {
    let mut triplets = Vec::new();
    let mut add = |i: usize, j: usize, value: f64| {
        if i >= j {
            triplets.push(Triplet::new(i, j, value));
        }
    };
    for (b, block) in a.diagonal.iter().enumerate() {
        for r in 0..3 {
            for c in 0..3 {
                add(3 * b + r, 3 * b + c, block.get(r, c));
            }
        }
    }
    for (block, (i, j)) in a.off.iter().zip(pattern.edges()) {
        for r in 0..3 {
            for c in 0..3 {
                add(3 * j as usize + c, 3 * i as usize + r, block.get(r, c));
            }
        }
    }
    let n = 3 * pattern.block_count();
    SparseColMat::try_new_from_triplets(n, n, &triplets).expect("entries inside the matrix")
}

#[test]
fn direct_iterative_and_independent_solutions_agree() {
    let system = hand_sized();
    let pattern = &system.pattern;
    let a = random_spd(pattern, 7);
    let b = Random::new(8).fill(3 * pattern.block_count());

    let symbolic = Symbolic::new(pattern, &system.bone_blocks());
    let mut cholesky = Cholesky::<f64>::new(&symbolic, Kernels::auto());
    assert_eq!(cholesky.factor(&symbolic, &a), Ok(()));
    let mut direct = b.clone();
    cholesky.solve(&symbolic, &mut direct);

    let factor = to_faer(pattern, &a).sp_cholesky(Side::Lower).expect("positive definite");
    let independent = factor.solve(Col::from_fn(b.len(), |i| b[i]));

    let operator = MatrixOperator { pattern, matrix: &a, kernels: Kernels::auto() };
    let mut jacobi = Jacobi::new(pattern.block_count());
    jacobi.set(&a);
    let mut pcg = Pcg::new(b.len());
    let params = PcgParams { tolerance: 1e-10, max_iterations: 2000 };
    let mut iterative = vec![0.0; b.len()];
    let info = pcg.solve(&operator, &mut jacobi, &b, &mut iterative, &params);
    assert!(info.converged, "{info:?}");

    let mut single = Cholesky::<f32>::new(&symbolic, Kernels::auto());
    assert_eq!(single.factor(&symbolic, &a), Ok(()));
    let mut refined = vec![0.0; b.len()];
    let mut preconditioner = FactorPreconditioner { symbolic: &symbolic, cholesky: &mut single };
    let info = pcg.solve(&operator, &mut preconditioner, &b, &mut refined, &params);
    assert!(info.converged && info.iterations <= 4, "refinement of single precision: {info:?}");

    let size = direct.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for i in 0..b.len() {
        for (name, value) in [("faer", independent[i]), ("PCG", iterative[i]), ("refined f32", refined[i])] {
            assert!((direct[i] - value).abs() < 1e-6 * size, "{name}: {value} instead of {} at {i}", direct[i]);
        }
    }

    // A warm start at the solution needs no iteration.
    let info = pcg.solve(&operator, &mut jacobi, &b, &mut direct, &params);
    assert_eq!(info.iterations, 0);
}

#[test]
fn conjugate_gradients_always_end() {
    let system = bar([2, 1, 1]);
    let pattern = &system.pattern;
    let good = random_spd(pattern, 1);
    let n = pattern.block_count();
    let b = vec![1.0; 3 * n];
    let mut pcg = Pcg::new(3 * n);
    for bad in [f64::NAN, f64::INFINITY, -1e9] {
        let mut a = good.clone();
        a.diagonal[3].set(0, 0, bad);
        let mut jacobi = Jacobi::new(n);
        jacobi.set(&a);
        let operator = MatrixOperator { pattern, matrix: &a, kernels: Kernels::auto() };
        let info = pcg.solve(&operator, &mut jacobi, &b, &mut vec![0.0; 3 * n], &PcgParams::default());
        assert!(!info.converged, "{bad}: {info:?}");
    }
}

#[test]
fn own_ordering_fills_no_more_than_an_established_one() {
    for system in [hand_sized(), bar([24, 5, 4])] {
        let neighbours = system.pattern.neighbours();
        let ours = Symbolic::new(&system.pattern, &[]).work();
        let theirs = work_of_order(&neighbours, &faer_amd(&neighbours));
        assert!(ours < 1.05 * theirs, "{ours} block products against {theirs}");
    }
}

/// The approximate-minimum-degree order of the independent solver.
fn faer_amd(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let n = neighbours.len();
    let mut starts = vec![0];
    let mut rows = Vec::new();
    for (j, list) in neighbours.iter().enumerate() {
        let mut column: Vec<usize> = list.iter().map(|&i| i as usize).chain([j]).collect();
        column.sort_unstable();
        rows.extend(column);
        starts.push(rows.len());
    }
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let (mut order, mut inverse) = (vec![0usize; n], vec![0usize; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    amd::order(&mut order, &mut inverse, pattern, amd::Control::default(), MemStack::new(&mut memory))
        .expect("a small pattern");
    order.into_iter().map(|i| i as u32).collect()
}

/// Block products of the factorisation in an order, by eliminating on the graph itself.
fn work_of_order(neighbours: &[Vec<u32>], order: &[u32]) -> f64 {
    let mut graph: Vec<BTreeSet<u32>> = neighbours.iter().map(|list| list.iter().copied().collect()).collect();
    let mut work = 0.0;
    for &pivot in order {
        let later = std::mem::take(&mut graph[pivot as usize]);
        for &i in &later {
            graph[i as usize].remove(&pivot);
            graph[i as usize].extend(later.iter().filter(|&&j| j != i));
        }
        let rows = later.len() as f64;
        work += (rows + 1.0) * (rows + 2.0) / 2.0;
    }
    work
}

#[test]
fn constraint_rows_through_the_factor_equal_full_solves() {
    let system = hand_sized();
    let bones = system.bone_blocks();
    let symbolic = Symbolic::new(&system.pattern, &bones);
    let mut cholesky = Cholesky::<f64>::new(&symbolic, Kernels::auto());
    assert_eq!(cholesky.factor(&symbolic, &random_spd(&system.pattern, 4)), Ok(()));
    let mut random = Random::new(6);
    let mut rows = SparseRows::with_capacity(21, 6);
    let mut solver = RowSolver::new(&symbolic, 21);
    // The second round must not see the first; some rows also pull at a bone, one names a block twice.
    for round in 0..2usize {
        rows.clear();
        for k in 0..21 - 4 * round {
            let mut blocks = system.mesh.tets[(k * 37 + round * 11) % system.mesh.tets.len()].to_vec();
            if k % 3 == 0 {
                blocks.extend(&bones[2 * (k % 5)..2 * (k % 5) + 2]);
            }
            if k == 5 {
                blocks.push(blocks[0]);
            }
            rows.push(blocks.into_iter().map(|b| (b, random.vec3())));
        }
        solver.solve(&symbolic, &mut cholesky, &rows);
        let n = rows.len();
        let dense: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut row = vec![0.0; 3 * symbolic.block_count()];
                for &(b, v) in rows.row(i) {
                    for k in 0..3 {
                        row[3 * b as usize + k] += v[k];
                    }
                }
                row
            })
            .collect();
        let solved: Vec<Vec<f64>> = dense
            .iter()
            .map(|row| {
                let mut x = row.clone();
                cholesky.solve(&symbolic, &mut x);
                x
            })
            .collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut diagonal, mut compliance) = (vec![0.0; n], vec![f64::NAN; n * n]);
        solver.diagonal(&symbolic, &mut diagonal);
        solver.compliance(&symbolic, &cholesky, &mut compliance);
        for i in 0..n {
            assert!((diagonal[i] - product(&dense[i], &solved[i])).abs() < 1e-12);
            for j in 0..n {
                assert!((compliance[i * n + j] - product(&dense[i], &solved[j])).abs() < 1e-12, "entry {i}, {j}");
            }
        }
        let multipliers = random.fill(n);
        let mut x = vec![1.0; 3 * symbolic.block_count()];
        solver.add_response(&symbolic, &mut cholesky, &multipliers, &mut x);
        for k in 0..x.len() {
            let expected: f64 = 1.0 + (0..n).map(|i| multipliers[i] * solved[i][k]).sum::<f64>();
            assert!((x[k] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn vector_and_portable_factors_differ_by_rounding_only() {
    // The condition number is about a thousand, rounding 1e-16, and a number is the result of a few hundred operations.
    let system = hand_sized();
    let symbolic = Symbolic::new(&system.pattern, &[]);
    let a = random_spd(&system.pattern, 12);
    let b = Random::new(13).fill(3 * symbolic.block_count());
    let solve = |kernels: Kernels| {
        let mut cholesky = Cholesky::<f64>::new(&symbolic, kernels);
        assert_eq!(cholesky.factor(&symbolic, &a), Ok(()));
        let mut x = b.clone();
        cholesky.solve(&symbolic, &mut x);
        x
    };
    let (portable, fast) = (solve(Kernels::portable()), solve(Kernels::auto()));
    let size = portable.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (p, f) in portable.iter().zip(&fast) {
        assert!((p - f).abs() < 1e-12 * size, "{p} and {f}");
    }
    assert_eq!(portable, solve(Kernels::portable()), "the same input must give the same bits");
}
