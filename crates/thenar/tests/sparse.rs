//! The sparse solvers against one another and against an independent one.

mod bar;

use bar::{Random, bar, hand_sized, random_spd};
use thenar::math::{Kernels, Vec3};
use thenar::sparse::{BlockMatrix, BlockPattern, Cholesky, EliminationPath, Scalar, Slot, Symbolic};

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
