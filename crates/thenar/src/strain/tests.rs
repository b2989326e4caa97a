//! Limits of one element: derivatives by finite differences, and the short cut for elements that are well.

use super::newton::{Held, Multiplier, STIFFER, stress};
use super::search::product;
use super::stretch::{Stretch, is_within};
use crate::body::{StretchElement, StretchLimits};
use crate::math::{Mat3, Vec3, rotation_exp};

const LIMITS: StretchLimits = StretchLimits { least: 0.7, most: 1.4, volume: 0.0 };

fn element() -> (StretchElement, [Vec3; 4]) {
    let rest = [
        Vec3::new(0.001, 0.0, 0.0),
        Vec3::new(0.006, 0.001, 0.0005),
        Vec3::new(0.0, 0.005, -0.001),
        Vec3::new(0.001, 0.0015, 0.007),
    ];
    (StretchElement::new([0, 1, 2, 3], rest, LIMITS, 1e5), rest)
}

/// Deformations with known stretches, turned both ways: usual, squeezed, flat, inside out.
fn deformations() -> impl Iterator<Item = Mat3> {
    let stretches = [
        Vec3::new(1.3, 1.0, 0.8),
        Vec3::new(1.5, 1.1, 0.5),
        Vec3::new(1.2, 0.9, 0.02),
        Vec3::new(1.2, 0.9, -0.3),
        Vec3::new(2.0, 1.0, -0.9),
    ];
    stretches.into_iter().flat_map(|sigma| {
        (0..6).map(move |k| {
            let k = f64::from(k);
            let (p, q) = (Vec3::new(k, 0.3 * k, -0.7), Vec3::new(0.2, -k, 0.5 * k));
            let turn = |v: Vec3| Mat3::from_quat(rotation_exp(v));
            turn(p) * Mat3::from_diagonal(sigma) * turn(q).transpose()
        })
    })
}

#[test]
fn derivatives_of_stretches_match_finite_differences_also_inside_out() {
    let (element, rest) = element();
    for f in deformations() {
        let nodes = rest.map(|x| f * x);
        let stretch_of = |nodes: &[Vec3; 4]| Stretch::of(&element.deformation(|n| nodes[n as usize]));
        let stretch = stretch_of(&nodes);
        // nodes of millimetres, so that a step of 1e-8 m changes a stretch by 1e-6
        let step = 1e-8;
        for i in 0..3 {
            let exact = stretch.gradient(i, &element);
            for node in 0..4 {
                for axis in 0..3 {
                    let moved = |by: f64| {
                        let mut nodes = nodes;
                        nodes[node][axis] += by;
                        stretch_of(&nodes).sigma[i]
                    };
                    let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                    let off = (numeric - exact[node][axis]).abs();
                    assert!(off < 1e-3, "σ{i} by node {node}, axis {axis}: {} and {numeric}", exact[node][axis]);
                }
            }
            // what moves with the element stretches nothing
            assert!(exact.iter().sum::<Vec3>().length() < 1e-9);
        }
        for (node, exact) in stretch.volume_gradient(&element).into_iter().enumerate() {
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut nodes = nodes;
                    nodes[node][axis] += by;
                    stretch_of(&nodes).volume()
                };
                let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((numeric - exact[axis]).abs() < 1e-3, "volume by node {node}: {} and {numeric}", exact[axis]);
            }
        }
    }
}

/// What the matrix gets is the gradient of the energy of limits, and at the limits of a body that is pressed evenly its derivative, too.
#[test]
fn the_linear_model_of_a_volume_is_that_of_its_energy() {
    let limits = StretchLimits { volume: 0.9, ..LIMITS };
    let (_, rest) = element();
    let element = StretchElement::new([0, 1, 2, 3], rest, limits, 1e5);
    for f in deformations().chain([Mat3::from_diagonal(Vec3::splat(0.95))]) {
        let stretch = Stretch::of(&f);
        let multiplier = Multiplier::new(&stretch, [0.0, 0.0, 0.0, -0.2 * element.stiffness]);
        let exact = |f: &Mat3| stress(&element, &Stretch::of(f), &multiplier, STIFFER);
        let held = Held::new(0, &element, &f, &f, &stretch, multiplier.along(&stretch), STIFFER);
        let Some(held) = held else { continue };
        let size = product(&exact(&f), &exact(&f)).sqrt();
        let off = |at: &Mat3| {
            let apart = held.acting(at) - exact(at);
            product(&apart, &apart).sqrt()
        };
        assert!(off(&f) < 1e-9 * size, "{f}");
        if (f.determinant() - 0.857_375).abs() < 1e-9 {
            // a change of shape at the same volume: the model errs by the square
            let change = Mat3::from_diagonal(Vec3::new(1e-5, -1e-5, 0.0));
            let moved = exact(&(f + change)) - exact(&f);
            assert!(off(&(f + change)) < 1e-3 * product(&moved, &moved).sqrt(), "{}", off(&(f + change)));
        }
    }
}

#[test]
fn the_short_cut_agrees_with_singular_values() {
    let mut within = 0;
    let shapes = (0..4000).map(|k| {
        let wave = |a: f64, b: f64| 1.0 + 0.6 * libm::sin(a * f64::from(k) + b);
        let sigma = Vec3::new(wave(1.1, 0.0), wave(0.7, 1.0), wave(1.7, 2.0) * if k % 7 == 0 { -1.0 } else { 1.0 });
        let turn = Mat3::from_quat(rotation_exp(Vec3::new(f64::from(k), 1.0, 0.3)));
        turn * Mat3::from_diagonal(sigma)
    });
    for f in shapes.chain(deformations()).chain([Mat3::IDENTITY, Mat3::ZERO, -Mat3::IDENTITY]) {
        for limits in [LIMITS, StretchLimits { volume: 0.9, ..LIMITS }] {
            let beyond = Stretch::of(&f).beyond(&limits);
            if beyond.abs() > 1e-9 {
                assert_eq!(is_within(&f, &limits), beyond < 0.0, "{f}");
                within += u32::from(beyond < 0.0);
            }
        }
    }
    assert!(within > 100);
}
