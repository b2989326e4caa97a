//! Times of the numerical kernels on a bar of 864 tetrahedra with 16 bones: `cargo bench -p thenar`.

#[path = "../tests/bar/mod.rs"]
mod bar;

use bar::{Bar, Random, hand_sized, random_spd};
use divan::{Bencher, black_box};
use thenar::energy::tissue::{Element, EnergyLimit, Material, TissueEnergy, TissueRotations};
use thenar::math::{Kernels, Vec3};
use thenar::sparse::{BlockMatrix, Cholesky, EliminationPath, RowSolver, Scalar, SparseRows, Symbolic, minimum_degree};

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

/// The bar bent, and its tissue with three materials; `limited` elements exceed their energy limit in part.
fn bent_tissue(system: &Bar, limited: bool, kernels: Kernels) -> (TissueEnergy, Vec<Vec3>) {
    let limit = limited.then_some(EnergyLimit { density: 500.0, stiffness: 1000.0 });
    let element = |t: usize| {
        let material = Material { young: [1e5, 1e5, 5e5][t % 3], poisson: [0.33, 0.33, 0.4][t % 3] };
        Element { material, fill: 1.0, limit }
    };
    let elements: Vec<Element> = (0..system.mesh.tets.len()).map(element).collect();
    let tissue = TissueEnergy::new(&system.mesh, &elements, &system.pattern, kernels).expect("a good mesh");
    let mut random = Random::new(9);
    let bend = |p: &Vec3| {
        let angle = 0.5 * p.x / 0.08;
        Vec3::new(p.x * libm::cos(angle) - p.y * libm::sin(angle), p.x * libm::sin(angle) + p.y * libm::cos(angle), p.z)
            + 2e-4 * random.vec3()
    };
    let positions = system.mesh.positions.iter().map(bend).collect();
    (tissue, positions)
}

fn evaluate(bencher: Bencher<'_, '_>, kernels: Kernels) {
    let (tissue, x) = bent_tissue(&hand_sized(), false, kernels);
    let mut rotations = TissueRotations::identity(&tissue);
    rotations.reset(&tissue, &x);
    let mut work = tissue.work();
    let mut forces = vec![Vec3::ZERO; x.len()];
    bencher.bench_local(|| tissue.evaluate(black_box(&x), &mut rotations, 2, &mut work, &mut forces));
}

#[divan::bench]
fn tissue_evaluate(bencher: Bencher<'_, '_>) {
    evaluate(bencher, Kernels::auto());
}

#[divan::bench]
fn tissue_evaluate_portable(bencher: Bencher<'_, '_>) {
    evaluate(bencher, Kernels::portable());
}

#[divan::bench(args = [false, true])]
fn tissue_assemble(bencher: Bencher<'_, '_>, limited: bool) {
    let system = hand_sized();
    let (tissue, x) = bent_tissue(&system, limited, Kernels::auto());
    let mut rotations = TissueRotations::identity(&tissue);
    rotations.reset(&tissue, &x);
    let mut work = tissue.work();
    tissue.evaluate(&x, &mut rotations, 2, &mut work, &mut vec![Vec3::ZERO; x.len()]);
    let mut matrix = BlockMatrix::zero(&system.pattern);
    bencher.bench_local(|| tissue.assemble(black_box(&work), 1e-4, &mut matrix));
}

/// `diag(J A⁻¹ Jᵀ)` of 335 strain constraints, and the whole compliance matrix.
fn constraint_rows(system: &Bar) -> (Symbolic, Cholesky<f64>, SparseRows, RowSolver) {
    let (symbolic, cholesky) = factored(system);
    let mut random = Random::new(3);
    let mut rows = SparseRows::with_capacity(335, 4);
    for k in 0..335 {
        let tet = system.mesh.tets[k * 7919 % system.mesh.tets.len()];
        rows.push(tet.map(|b| (b, random.vec3())));
    }
    let solver = RowSolver::new(&symbolic, rows.len());
    (symbolic, cholesky, rows, solver)
}

#[divan::bench]
fn rows_diagonal_335(bencher: Bencher<'_, '_>) {
    let (symbolic, mut cholesky, rows, mut solver) = constraint_rows(&hand_sized());
    let mut diagonal = vec![0.0; rows.len()];
    bencher.bench_local(|| {
        solver.solve(&symbolic, &mut cholesky, black_box(&rows));
        solver.diagonal(&symbolic, &mut diagonal);
    });
}

#[divan::bench]
fn rows_compliance_335(bencher: Bencher<'_, '_>) {
    let (symbolic, mut cholesky, rows, mut solver) = constraint_rows(&hand_sized());
    let mut compliance = vec![0.0; rows.len() * rows.len()];
    bencher.bench_local(|| {
        solver.solve(&symbolic, &mut cholesky, black_box(&rows));
        solver.compliance(&symbolic, &cholesky, &mut compliance);
    });
}
