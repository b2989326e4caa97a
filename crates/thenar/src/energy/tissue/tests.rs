//! The tissue kernels against the formulas, and the formulas against physics.

use super::reference::ReferenceElement;
use super::*;
use crate::math::rotation_exp;
use crate::sparse::{Block, Slot};

/// Enough for convergence to rounding from any start.
pub(super) const CONVERGED: u32 = 60;

/// A block of 2 x 2 x 2 cells of 1 cm, six tetrahedra each; node 13 is in the middle.
pub(super) fn block() -> TetMesh {
    let node = |c: [u32; 3]| c[0] + 3 * (c[1] + 3 * c[2]);
    let mut mesh = TetMesh::default();
    for k in 0..27 {
        mesh.positions.push(Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) * 0.01);
    }
    for cell in 0..8u32 {
        let corner = [cell % 2, cell / 2 % 2, cell / 4];
        for (axes, even) in [
            ([0, 1, 2], true),
            ([0, 2, 1], false),
            ([1, 0, 2], false),
            ([1, 2, 0], true),
            ([2, 0, 1], true),
            ([2, 1, 0], false),
        ] {
            let mut at = corner;
            let mut tet = [node(at); 4];
            for step in 0..3 {
                at[axes[step]] += 1;
                tet[step + 1] = node(at);
            }
            if !even {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    mesh
}

pub(super) const SOFT: Material = Material { young: 1e5, poisson: 0.33 };

fn elements(mesh: &TetMesh, limit: Option<EnergyLimit>) -> Vec<Element> {
    // Varied materials, so that no sum may assume a uniform one.
    let material = |t: usize| Material { young: 1e5 * (1.0 + (t % 3) as f64), poisson: [0.33, 0.1, 0.45][t % 3] };
    (0..mesh.tets.len()).map(|t| Element { material: material(t), fill: 1.0 - 0.1 * (t % 4) as f64, limit }).collect()
}

/// Such that the shaken block exceeds it in some elements.
const LIMIT: EnergyLimit = EnergyLimit { density: 2500.0, stiffness: 3000.0 };

pub(super) fn pattern(mesh: &TetMesh) -> BlockPattern {
    // Two blocks more than nodes, and an edge that is not the tissue's.
    let mut cliques: Vec<&[u32]> = mesh.tets.iter().map(|t| &t[..]).collect();
    cliques.push(&[0, 27, 28]);
    BlockPattern::from_cliques(29, cliques)
}

fn tissue(mesh: &TetMesh, limit: Option<EnergyLimit>, kernels: Kernels) -> TissueEnergy {
    TissueEnergy::new(mesh, &elements(mesh, limit), &pattern(mesh), kernels).expect("a good mesh")
}

/// Positions turned, stretched and shaken.
pub(super) fn deformed(mesh: &TetMesh, shake: f64) -> Vec<Vec3> {
    let turn = rotation_exp(Vec3::new(0.4, -0.7, 0.2));
    let noise = |i: usize, k: usize| libm::sin(12.9 * i as f64 + 78.2 * k as f64) * shake;
    let shaken = |(i, p): (usize, &Vec3)| {
        turn * (Vec3::new(1.1, 0.95, 1.0) * *p + Vec3::new(noise(i, 0), noise(i, 1), noise(i, 2)))
    };
    mesh.positions.iter().enumerate().map(shaken).collect()
}

struct Evaluation {
    energy: f64,
    forces: Vec<Vec3>,
    rotations: TissueRotations,
    work: TissueWork,
}

fn evaluate(tissue: &TissueEnergy, x: &[Vec3], iterations: u32) -> Evaluation {
    let mut rotations = TissueRotations::identity(tissue);
    let mut work = tissue.work();
    let mut forces = vec![Vec3::ZERO; x.len()];
    let energy = tissue.evaluate(x, &mut rotations, iterations, &mut work, &mut forces);
    Evaluation { energy, forces, rotations, work }
}

fn reference(mesh: &TetMesh, x: &[Vec3], limit: Option<EnergyLimit>) -> Vec<ReferenceElement> {
    let elements = elements(mesh, limit);
    let at = |p: &[Vec3], t: &[u32; 4]| t.map(|i| p[i as usize]);
    mesh.tets.iter().zip(elements).map(|(t, e)| ReferenceElement::new(at(&mesh.positions, t), at(x, t), e)).collect()
}

pub(super) fn all_kernels() -> [Kernels; 2] {
    [Kernels::portable(), Kernels::auto()]
}

pub(super) fn largest(v: &[Vec3]) -> f64 {
    v.iter().map(|f| f.length()).fold(0.0, f64::max)
}

#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    let mesh = block();
    for limit in [None, Some(LIMIT)] {
        for kernels in all_kernels() {
            let tissue = tissue(&mesh, limit, kernels);
            let x = deformed(&mesh, 0.0005);
            let at_x = evaluate(&tissue, &x, CONVERGED);
            // Central differences: error about h² f''' plus 1e-16 U / h, with h = 1e-6 m below 1e-6 of the force.
            let h = 1e-6;
            for i in 0..x.len() {
                for k in 0..3 {
                    let shifted = |by: f64| {
                        let mut x = x.clone();
                        x[i][k] += by;
                        evaluate(&tissue, &x, CONVERGED).energy
                    };
                    let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
                    let error = (at_x.forces[i][k] + slope).abs();
                    assert!(error < 1e-6 * largest(&at_x.forces), "node {i} axis {k}: off by {error}");
                }
            }
        }
    }
}

#[test]
fn kernel_equals_the_reference() {
    let mesh = block();
    for limit in [None, Some(LIMIT)] {
        for kernels in all_kernels() {
            let tissue = tissue(&mesh, limit, kernels);
            let x = deformed(&mesh, 0.001);
            let found = evaluate(&tissue, &x, CONVERGED);
            let reference = reference(&mesh, &x, limit);
            if limit.is_some() {
                let stiffened = reference.iter().filter(|r| r.stiffening() > 1.0).count();
                assert!(stiffened > 10 && stiffened < 48, "the limit must bite in some elements: {stiffened}");
            }
            let mut forces = vec![Vec3::ZERO; x.len()];
            for (t, r) in reference.iter().enumerate() {
                for (&node, g) in mesh.tets[t].iter().zip(r.gradient()) {
                    forces[node as usize] -= g;
                }
                assert!((found.work.density(t) - r.density()).abs() < 1e-12 * r.density().max(1.0));
                assert!((found.work.stiffening(t) - r.stiffening()).abs() < 1e-12 * r.stiffening());
                assert!((found.work.determinant(t) - tissue.deformation_gradient(t, &x).determinant()).abs() < 1e-14);
            }
            for (f, r) in found.forces.iter().zip(&forces) {
                assert!((*f - *r).length() < 1e-12 * largest(&forces), "{f} instead of {r}");
            }
            let energy: f64 = reference.iter().map(ReferenceElement::energy).sum();
            assert!((found.energy - energy).abs() < 1e-13 * energy);
        }
    }
}

#[test]
fn assembled_matrix_equals_the_reference_and_nothing_else() {
    let mesh = block();
    let pattern = pattern(&mesh);
    for limit in [None, Some(LIMIT)] {
        for kernels in all_kernels() {
            let tissue = tissue(&mesh, limit, kernels);
            let x = deformed(&mesh, 0.001);
            let found = evaluate(&tissue, &x, CONVERGED);
            let scale = 1e-4;
            let mut expected = BlockMatrix::zero(&pattern);
            for (r, tet) in reference(&mesh, &x, limit).iter().zip(&mesh.tets) {
                for a in 0..4 {
                    for b in 0..4 {
                        // Add each off-diagonal block once only.
                        if tet[a] <= tet[b] {
                            let slot = pattern.edge(tet[a], tet[b]).expect("an edge of the mesh");
                            expected.add(slot, &(r.hessian(a, b) * scale));
                        }
                    }
                }
            }
            // Leftovers of another step must vanish.
            let mut matrix = BlockMatrix::zero(&pattern);
            for block in matrix.off.iter_mut().chain(&mut matrix.diagonal) {
                *block = Block::diagonal(7.0);
            }
            tissue.assemble(&found.work, scale, &mut matrix);
            let size = expected.diagonal.iter().map(|d| d.get(0, 0)).fold(0.0, f64::max);
            let pairs = matrix.diagonal.iter().zip(&expected.diagonal).chain(matrix.off.iter().zip(&expected.off));
            for (m, e) in pairs {
                assert!(m.to_mat3().abs_diff_eq(e.to_mat3(), 1e-12 * size), "{m:?} instead of {e:?}");
            }
        }
    }
}

#[test]
fn hessian_is_symmetric_and_positive_semidefinite() {
    let mesh = block();
    let pattern = pattern(&mesh);
    for limit in [None, Some(LIMIT)] {
        let tissue = tissue(&mesh, limit, Kernels::auto());
        let found = evaluate(&tissue, &deformed(&mesh, 0.002), 2);
        let mut matrix = BlockMatrix::zero(&pattern);
        tissue.assemble(&found.work, 1.0, &mut matrix);
        let size = matrix.diagonal.iter().map(|d| d.get(0, 0)).fold(0.0, f64::max);
        for d in &mut matrix.diagonal {
            let m = d.to_mat3();
            assert!(m.abs_diff_eq(m.transpose(), 1e-12 * size));
            // Rigid motion costs nothing: the smallest eigenvalues are zero, up to rounding.
            d.add_diagonal(1e-9 * size);
        }
        let symbolic = crate::sparse::Symbolic::new(&pattern, &[]);
        let mut cholesky = crate::sparse::Cholesky::<f64>::new(&symbolic, Kernels::auto());
        assert_eq!(cholesky.factor(&symbolic, &matrix), Ok(()));
    }
}

#[test]
fn rigid_motion_costs_nothing() {
    let mesh = block();
    for kernels in all_kernels() {
        let tissue = tissue(&mesh, Some(LIMIT), kernels);
        for k in 0..10 {
            let turn = rotation_exp(Vec3::new(0.3, -0.2, 0.25) * f64::from(k));
            let x: Vec<Vec3> = mesh.positions.iter().map(|&p| turn * p + Vec3::new(1.0, -2.0, 0.5)).collect();
            let mut rotations = TissueRotations::identity(&tissue);
            rotations.reset(&tissue, &x);
            let (mut work, mut forces) = (tissue.work(), vec![Vec3::ZERO; x.len()]);
            let energy = tissue.evaluate(&x, &mut rotations, 2, &mut work, &mut forces);
            // Rounding of positions of 1 m over edges of 1 cm: a strain of 1e-14, times 1e5 Pa and 1e-4 m².
            assert!(largest(&forces) < 1e-11 && energy < 1e-20, "{} N, {energy} J", largest(&forces));
            assert!((rotations.get(5).dot(turn).abs() - 1.0).abs() < 1e-13);
        }
    }
}

#[test]
fn forces_balance() {
    let mesh = block();
    let tissue = tissue(&mesh, Some(LIMIT), Kernels::auto());
    let x = deformed(&mesh, 0.001);
    let found = evaluate(&tissue, &x, CONVERGED);
    let force: Vec3 = found.forces.iter().sum();
    let torque: Vec3 = found.forces.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum();
    assert!(force.length() < 1e-12 * largest(&found.forces));
    assert!(torque.length() < 1e-12 * largest(&found.forces), "torque {torque} N m");
}

#[test]
fn uniform_strain_leaves_inner_nodes_at_rest() {
    // The patch test: a uniform material in uniform strain has no force inside.
    let mesh = block();
    let element = Element { material: SOFT, fill: 1.0, limit: None };
    let tissue =
        TissueEnergy::new(&mesh, &vec![element; mesh.tets.len()], &pattern(&mesh), Kernels::auto()).expect("good");
    let map = Mat3::from_cols(Vec3::new(1.2, 0.1, 0.0), Vec3::new(-0.05, 0.9, 0.2), Vec3::new(0.1, 0.0, 1.1));
    let x: Vec<Vec3> = mesh.positions.iter().map(|&p| map * p).collect();
    let found = evaluate(&tissue, &x, CONVERGED);
    assert!(found.forces[13].length() < 1e-13 * largest(&found.forces));
    assert!(largest(&found.forces) > 0.1);
}

#[test]
fn uniaxial_stretch_pulls_with_young_times_area() {
    // With ν = 0 the force on an end face is E A0 (s - 1) exactly.
    let mesh = block();
    let element = Element { material: Material { young: 1e5, poisson: 0.0 }, fill: 1.0, limit: None };
    for stretch in [0.7, 1.0, 1.3] {
        let tissue =
            TissueEnergy::new(&mesh, &vec![element; mesh.tets.len()], &pattern(&mesh), Kernels::auto()).expect("good");
        let x: Vec<Vec3> = mesh.positions.iter().map(|&p| Vec3::new(stretch, 1.0, 1.0) * p).collect();
        let found = evaluate(&tissue, &x, CONVERGED);
        let face = (0..27).filter(|i| i % 3 == 2).map(|i| found.forces[i].x).sum::<f64>();
        let expected = -1e5 * 4e-4 * (stretch - 1.0);
        assert!((face - expected).abs() < 1e-12, "{face} N instead of {expected}");
    }
}

#[test]
fn inverted_flat_and_collapsed_elements_stay_finite() {
    let mesh = block();
    let squeeze = [
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(1.0, 1.0, -1.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::ZERO,
        Vec3::new(-1.0, -1.0, -1.0),
    ];
    for kernels in all_kernels() {
        let tissue = tissue(&mesh, Some(LIMIT), kernels);
        for s in squeeze {
            let x: Vec<Vec3> = mesh.positions.iter().map(|&p| s * p).collect();
            for iterations in [2, CONVERGED] {
                let found = evaluate(&tissue, &x, iterations);
                assert!(found.energy.is_finite() && found.forces.iter().all(|f| f.is_finite()), "squeezed by {s}");
                assert!(found.rotations.components().all(f64::is_finite));
                let mut matrix = BlockMatrix::zero(&pattern(&mesh));
                tissue.assemble(&found.work, 1.0, &mut matrix);
                assert!(matrix.diagonal.iter().all(|d| d.to_mat3().is_finite()));
            }
            let mut rotations = TissueRotations::identity(&tissue);
            rotations.reset(&tissue, &x);
            assert!(rotations.components().all(f64::is_finite));
        }
    }
}

#[test]
fn an_inverted_element_is_pushed_back() {
    // A tetrahedron mirrored through its base must be drawn back to its own side.
    let mesh = TetMesh {
        positions: vec![Vec3::ZERO, Vec3::X * 0.01, Vec3::Y * 0.01, Vec3::Z * 0.01],
        tets: vec![[0, 1, 2, 3]],
    };
    let pattern = BlockPattern::from_cliques(4, [&[0u32, 1, 2, 3][..]]);
    let element = Element { material: SOFT, fill: 1.0, limit: None };
    let tissue = TissueEnergy::new(&mesh, &[element], &pattern, Kernels::auto()).expect("a good mesh");
    let mut x = mesh.positions.clone();
    x[3].z = -0.003;
    let found = evaluate(&tissue, &x, CONVERGED);
    assert!(found.work.determinant(0) < 0.0);
    assert!(found.forces[3].z > 0.0, "{}", found.forces[3]);
}

#[test]
fn two_iterations_follow_a_moving_body_closely() {
    // A hand turning at 10 rad/s, seen at 90 Hz: after two iterations per step the forces are those of the converged
    // rotations to 1e-5.
    let mesh = block();
    let tissue = tissue(&mesh, None, Kernels::auto());
    let mut rotations = TissueRotations::identity(&tissue);
    rotations.reset(&tissue, &deformed(&mesh, 0.0005));
    for step in 1..10 {
        let turn = rotation_exp(Vec3::new(0.3, 0.9, -0.3) * (10.0 / 90.0 * f64::from(step)));
        let x: Vec<Vec3> = deformed(&mesh, 0.0005).iter().map(|&p| turn * p).collect();
        let (mut work, mut forces) = (tissue.work(), vec![Vec3::ZERO; x.len()]);
        tissue.evaluate(&x, &mut rotations, 2, &mut work, &mut forces);
        let mut exact_rotations = rotations.clone();
        let mut exact = vec![Vec3::ZERO; x.len()];
        tissue.evaluate(&x, &mut exact_rotations, CONVERGED, &mut work, &mut exact);
        for (f, e) in forces.iter().zip(&exact) {
            assert!((*f - *e).length() < 1e-5 * largest(&exact), "step {step}: {f} instead of {e}");
        }
    }
}

#[test]
fn vector_and_portable_kernels_differ_by_rounding_only() {
    // Each number is the result of fewer than a thousand roundings of terms of the size of the largest force.
    let mesh = block();
    let x = deformed(&mesh, 0.001);
    let [portable, fast] = all_kernels().map(|kernels| {
        let tissue = tissue(&mesh, Some(LIMIT), kernels);
        let found = evaluate(&tissue, &x, 4);
        let mut matrix = BlockMatrix::zero(&pattern(&mesh));
        tissue.assemble(&found.work, 1.0, &mut matrix);
        (found, matrix)
    });
    let bound = 1e-12;
    for (a, b) in portable.0.forces.iter().zip(&fast.0.forces) {
        assert!((*a - *b).length() < bound * largest(&portable.0.forces));
    }
    let size = portable.1.diagonal.iter().map(|d| d.get(0, 0)).fold(0.0, f64::max);
    for (a, b) in portable.1.off.iter().zip(&fast.1.off) {
        assert!(a.to_mat3().abs_diff_eq(b.to_mat3(), bound * size));
    }
}

#[test]
fn bad_tissue_is_refused_with_the_reason() {
    let mesh = block();
    let good = elements(&mesh, Some(LIMIT));
    let refused = |mesh: &TetMesh, elements: &[Element], pattern: &BlockPattern| {
        TissueEnergy::new(mesh, elements, pattern, Kernels::auto()).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(refused(&mesh, &good[1..], &pattern(&mesh)).contains("47 element properties"));
    let mut bad = good.clone();
    bad[3].material.poisson = 0.5;
    assert!(refused(&mesh, &bad, &pattern(&mesh)).contains("Poisson's ratio of tetrahedron 3 is 0.5"));
    bad[3] = good[3];
    bad[4].fill = f64::NAN;
    assert!(refused(&mesh, &bad, &pattern(&mesh)).contains("fill of tetrahedron 4"));
    let mut flipped = mesh.clone();
    flipped.tets[7].swap(0, 1);
    assert!(refused(&flipped, &good, &pattern(&mesh)).contains("tetrahedron 7 has rest volume"));
    let mut lost = mesh.clone();
    lost.tets[2][1] = 99;
    assert!(refused(&lost, &good, &pattern(&mesh)).contains("tetrahedron 2 refers to node 99"));
    assert!(refused(&mesh, &good, &BlockPattern::from_cliques(27, [])).contains("lacks the edge"));
    assert!(pattern(&mesh).edge(0, 28) != Some(Slot::Diagonal(0)));
}

/// The product without a matrix against the one with it: eight displacements, limited elements among them.
#[test]
fn the_product_is_that_of_the_matrix() {
    use crate::sparse::LANES;
    let mesh = block();
    let pattern = pattern(&mesh);
    for limit in [None, Some(LIMIT)] {
        for kernels in all_kernels() {
            let tissue = tissue(&mesh, limit, kernels);
            let at = evaluate(&tissue, &deformed(&mesh, 0.0005), CONVERGED);
            let mut matrix = BlockMatrix::zero(&pattern);
            tissue.assemble(&at.work, 0.7, &mut matrix);
            let rows = 3 * pattern.block_count();
            let u = |row: usize, lane: usize| libm::sin((3.7 + lane as f64) * row as f64 + lane as f64);
            let x: Vec<[f64; LANES]> = (0..rows).map(|row| std::array::from_fn(|lane| u(row, lane))).collect();
            let (mut shuffled, mut product) = (x.clone(), vec![[1.0; LANES]; rows]);
            let places: Vec<u32> = (0..pattern.block_count() as u32).map(|block| 11 * block % 29).collect();
            let rows_of = |block: usize| 3 * places[block] as usize..3 * places[block] as usize + 3;
            x.as_chunks::<3>().0.iter().enumerate().for_each(|(b, x)| shuffled[rows_of(b)].copy_from_slice(x));
            tissue.add_product(&at.work, 0.7, &places, &shuffled, &mut product);
            let y: Vec<_> = (0..pattern.block_count()).flat_map(|block| product[rows_of(block)].to_vec()).collect();
            for lane in 0..LANES {
                let mut expected = vec![0.0; rows];
                let column: Vec<f64> = x.iter().map(|row| row[lane]).collect();
                matrix.mul(kernels, &pattern, &column, &mut expected);
                let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
                for (row, expected) in expected.iter().enumerate() {
                    // what was there stays, and blocks that are no nodes are left alone
                    assert!((y[row][lane] - 1.0 - expected).abs() < 1e-12 * size, "row {row}, lane {lane}");
                }
            }
        }
    }
}
