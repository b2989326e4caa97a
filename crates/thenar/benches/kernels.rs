//! Times of the numerical kernels on a bar of 864 tetrahedra with 16 bones: `cargo bench -p thenar`.

#[path = "../tests/bar/mod.rs"]
mod bar;

use bar::{Bar, Random, hand_sized, random_spd};
use divan::{Bencher, black_box};
use thenar::math::Kernels;
use thenar::sparse::{Cholesky, EliminationPath, Scalar, Symbolic, minimum_degree};

fn main() {
    divan::main();
}

/// The sizes measured: cells of the bar.
const HAND: [usize; 3] = [16, 3, 3];
const LARGE: [usize; 3] = [46, 6, 6];

#[divan::bench(args = [HAND, LARGE], sample_count = 10, sample_size = 1)]
fn order(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    let system = bar::bar(cells);
    bencher.bench(|| minimum_degree(black_box(&system.pattern), &[], 0));
}

#[divan::bench(args = [HAND, LARGE], sample_count = 10, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    let system = bar::bar(cells);
    bencher.bench(|| Symbolic::new(black_box(&system.pattern), &[]));
}

fn factor<T: Scalar>(bencher: Bencher<'_, '_>, system: &Bar, last: &[u32], kernels: Kernels) {
    let symbolic = Symbolic::new(&system.pattern, last);
    let matrix = random_spd(&system.pattern, 1);
    let mut cholesky = Cholesky::<T>::new(&symbolic, kernels);
    bencher.bench_local(|| cholesky.factor(&symbolic, black_box(&matrix)));
}

#[divan::bench(args = [HAND, LARGE])]
fn factor_f64(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    factor::<f64>(bencher, &bar::bar(cells), &[], Kernels::auto());
}

#[divan::bench(args = [HAND, LARGE])]
fn factor_f64_bones_last(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    let system = bar::bar(cells);
    factor::<f64>(bencher, &system, &system.bone_blocks(), Kernels::auto());
}

#[divan::bench(args = [HAND, LARGE])]
fn factor_f32(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    factor::<f32>(bencher, &bar::bar(cells), &[], Kernels::auto());
}

#[divan::bench(args = [HAND])]
fn factor_f64_portable(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    factor::<f64>(bencher, &bar::bar(cells), &[], Kernels::portable());
}

fn factored(system: &Bar) -> (Symbolic, Cholesky<f64>) {
    let symbolic = Symbolic::new(&system.pattern, &[]);
    let mut cholesky = Cholesky::new(&symbolic, Kernels::auto());
    assert_eq!(cholesky.factor(&symbolic, &random_spd(&system.pattern, 1)), Ok(()));
    (symbolic, cholesky)
}

#[divan::bench(args = [HAND, LARGE])]
fn solve(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    let system = bar::bar(cells);
    let (symbolic, mut cholesky) = factored(&system);
    let mut x = Random::new(2).fill(3 * symbolic.block_count());
    bencher.bench_local(|| {
        cholesky.solve(&symbolic, &mut x);
        // Keep the numbers in range.
        for v in &mut x {
            *v = v.clamp(0.5, 1.0);
        }
    });
}

#[divan::bench]
fn forward_lanes_all(bencher: Bencher<'_, '_>) {
    let (symbolic, mut cholesky) = factored(&hand_sized());
    let path = EliminationPath::all(&symbolic);
    let mut x = vec![[1.0; 8]; 3 * symbolic.block_count()];
    bencher.bench_local(|| {
        cholesky.forward_lanes(&symbolic, &path, &mut x);
        x.fill([1.0; 8]);
    });
}

#[divan::bench]
fn forward_lanes_one_tet(bencher: Bencher<'_, '_>) {
    let system = hand_sized();
    let (symbolic, mut cholesky) = factored(&system);
    let mut path = EliminationPath::new(&symbolic);
    for &b in &system.mesh.tets[400] {
        path.touch(&symbolic, b);
    }
    let mut x = vec![[0.0; 8]; 3 * symbolic.block_count()];
    bencher.bench_local(|| {
        for &b in &system.mesh.tets[400] {
            x[3 * symbolic.position(b)] = [1.0; 8];
        }
        cholesky.forward_lanes(&symbolic, &path, &mut x);
        for range in path.positions(&symbolic) {
            x[3 * range.start..3 * range.end].fill([0.0; 8]);
        }
    });
}

#[divan::bench(args = [HAND, LARGE])]
fn multiply(bencher: Bencher<'_, '_>, cells: [usize; 3]) {
    let system = bar::bar(cells);
    let matrix = random_spd(&system.pattern, 1);
    let x = Random::new(2).fill(3 * system.pattern.block_count());
    let mut y = x.clone();
    bencher.bench_local(|| matrix.mul(Kernels::auto(), &system.pattern, black_box(&x), &mut y));
}
