//! What a grid made from a mesh must get right, on solids whose distance is known.

use core::f64::consts::TAU;

use super::tessellate::revolve;
use super::{DistanceGrid, GridBuilder, MeshError, Part, Sample, Shape};
use crate::geometry::TriMesh;
use crate::math::{Pose, Quat, Vec3};

/// A fixed sequence of points in the box of the grid, grown by a margin.
fn points(grid: &DistanceGrid, margin: f64, count: u32) -> impl Iterator<Item = Vec3> {
    let bounds = grid.bounds().grown(margin);
    (1..=count).map(move |i| {
        let fraction = |step: f64| (f64::from(i) * step).fract();
        let at = Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779));
        bounds.min + at * bounds.size()
    })
}

fn torus_mesh(major: f64, minor: f64) -> TriMesh {
    let (around, across) = (96, 32);
    let mut mesh = TriMesh::default();
    for i in 0..around {
        let (s, c) = libm::sincos(TAU * f64::from(i) / f64::from(around));
        for j in 0..across {
            let (sj, cj) = libm::sincos(TAU * f64::from(j) / f64::from(across));
            let from_axis = major + minor * cj;
            mesh.positions.push(Vec3::new(from_axis * c, minor * sj, from_axis * s));
        }
    }
    let at = |i: i32, j: i32| ((i % around) * across + j % across) as u32;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

fn torus_distance(major: f64, minor: f64, p: Vec3) -> f64 {
    let from_ring = libm::hypot(p.x, p.z) - major;
    libm::hypot(from_ring, p.y) - minor
}

/// Outline of half a cup: outer radius 4 cm, height 9 cm, walls and bottom 6 mm.
const CUP: [[f64; 2]; 6] = [[0.0, 0.0], [0.04, 0.0], [0.04, 0.09], [0.034, 0.09], [0.034, 0.006], [0.0, 0.006]];

fn cup_distance(p: Vec3) -> f64 {
    let (r, y) = (libm::hypot(p.x, p.z), p.y);
    let mut nearest = f64::INFINITY;
    for pair in CUP.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let (ex, ey) = (b[0] - a[0], b[1] - a[1]);
        let t = (((r - a[0]) * ex + (y - a[1]) * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
        nearest = nearest.min(libm::hypot(r - a[0] - t * ex, y - a[1] - t * ey));
    }
    let solid = (0.0..=0.09).contains(&y) && r <= 0.04 && !(r < 0.034 && y > 0.006);
    if solid { -nearest } else { nearest }
}

/// The letter E from four bars that overlap: the mesh has surfaces inside the solid.
fn letter() -> Shape {
    let bar = |x: f64, y: f64, half: Vec3| Part {
        pose: Pose::new(Vec3::new(x, y, 0.0), Quat::IDENTITY),
        shape: Shape::Box { half },
    };
    let arm = Vec3::new(0.02, 0.006, 0.01);
    Shape::Compound(
        [
            bar(-0.02, 0.0, Vec3::new(0.007, 0.041, 0.0101)),
            bar(0.0, 0.035, arm),
            bar(0.0, 0.0, arm),
            bar(0.0, -0.035, arm),
        ]
        .into(),
    )
}

fn check_signs(name: &str, grid: &DistanceGrid, truth: impl Fn(Vec3) -> f64) {
    let mut seen = [0, 0];
    for p in points(grid, 0.01, 8000) {
        let exact = truth(p);
        // Nearer than half a voxel to an edge the rounding of the spline may decide.
        if exact.abs() > 0.5 * grid.voxel() {
            seen[usize::from(exact < 0.0)] += 1;
            let found = grid.sample(p).distance;
            assert!(found * exact > 0.0, "{name}: {found} instead of {exact} at {p}");
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 200, "{name}: {seen:?} points outside and inside");
}

#[test]
fn concave_solids_know_inside_from_outside() {
    let torus = DistanceGrid::build(&torus_mesh(0.04, 0.012), 64).unwrap();
    check_signs("torus", &torus, |p| torus_distance(0.04, 0.012, p));
    let cup = DistanceGrid::build(&revolve(&CUP, 0.004), 64).unwrap();
    check_signs("cup", &cup, cup_distance);
    let letter = letter();
    let grid = DistanceGrid::build(&letter.tessellate(1.0).unwrap(), 64).unwrap();
    let mut inside = 0;
    for p in points(&grid, 0.01, 8000) {
        let exact = letter.distance(p);
        if exact > 0.5 * grid.voxel() {
            assert!(grid.sample(p).distance > 0.0, "outside the letter at {p}");
        } else if exact < -0.5 * grid.voxel() {
            inside += 1;
            assert!(grid.sample(p).distance < 0.0, "inside the letter at {p}");
        }
    }
    assert!(inside > 300);
}

#[test]
fn smooth_surfaces_are_found_within_a_twentieth_of_a_voxel() {
    let (major, minor) = (0.04, 0.012);
    let grid = DistanceGrid::build(&torus_mesh(major, minor), 64).unwrap();
    // The facets themselves lie up to r (1 - cos(π/n)) inside the true torus.
    let sagitta = minor * (1.0 - libm::cos(TAU / 64.0)) + (major + minor) * (1.0 - libm::cos(TAU / 192.0));
    let mut worst: f64 = 0.0;
    for p in points(&grid, 0.0, 6000) {
        let exact = torus_distance(major, minor, p);
        if exact.abs() < 2.0 * grid.voxel() {
            worst = worst.max((grid.sample(p).distance - exact).abs());
        }
    }
    assert!(worst < 0.05 * grid.voxel() + sagitta, "{worst} with voxels of {}", grid.voxel());
}

#[test]
fn flat_faces_are_exact_and_edges_rounded_by_less_than_half_a_voxel() {
    let half = Vec3::new(0.03, 0.02, 0.025);
    // Turned, so that no face is aligned with the grid.
    let turn = Quat::from_rotation_y(0.4) * Quat::from_rotation_x(0.7);
    let mut mesh = Shape::Box { half }.tessellate(0.01).unwrap();
    for p in &mut mesh.positions {
        *p = turn * *p;
    }
    let grid = DistanceGrid::build(&mesh, 64).unwrap();
    let shape = Shape::Box { half };
    let (mut worst_flat, mut worst_edge): (f64, f64) = (0.0, 0.0);
    for p in points(&grid, 0.0, 20000) {
        let local = turn.inverse() * p;
        let exact = shape.sample(local);
        if exact.distance.abs() > 2.0 * grid.voxel() {
            continue;
        }
        let sample = grid.sample(p);
        let error = (sample.distance - exact.distance).abs();
        let on_surface = local - exact.normal * exact.distance;
        // Second largest closeness to a face: how far the nearest edge is.
        let mut to_faces = (half - on_surface.abs()).to_array();
        to_faces.sort_by(f64::total_cmp);
        if to_faces[1] > 5.0 * grid.voxel() {
            worst_flat = worst_flat.max(error);
            assert!((sample.normal - turn * exact.normal).length() < 1e-5, "normal at {p}");
        } else {
            worst_edge = worst_edge.max(error);
        }
    }
    assert!(worst_flat < 1e-8, "{worst_flat}: f32 distances of up to 5 cm carry 4e-9");
    assert!(worst_edge < 0.5 * grid.voxel(), "{worst_edge} with voxels of {}", grid.voxel());
}

#[test]
fn normals_are_the_gradient_and_turn_continuously() {
    let grid = DistanceGrid::build(&torus_mesh(0.04, 0.012), 64).unwrap();
    // Steps large enough for f32 arithmetic: 1e-9 m of noise over 1e-4 m.
    let h = 5e-5;
    for p in points(&grid, 0.005, 3000) {
        if torus_distance(0.04, 0.012, p).abs() > 0.006 {
            continue;
        }
        let slope = |e: Vec3| (grid.sample(p + e * h).distance - grid.sample(p - e * h).distance) / (2.0 * h);
        let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        let Sample { normal, .. } = grid.sample(p);
        assert!((gradient.normalize() - normal).length() < 5e-4, "{p}: {gradient} {normal}");
        assert!((gradient.length() - 1.0).abs() < 0.1, "{p}: slope {}", gradient.length());
        // No jump: the normal turns by at most the inverse of the smallest radius of curvature per metre, with a margin.
        let neighbour = grid.sample(p + Vec3::new(3e-5, -4e-5, 1.2e-4)).normal;
        assert!(neighbour.distance(normal) < 1.3e-4 / 0.006 * 2.0, "{p}");
    }
}

#[test]
fn far_away_the_distance_is_a_continuous_lower_bound() {
    let (major, minor) = (0.04, 0.012);
    let grid = DistanceGrid::build(&torus_mesh(major, minor), 64).unwrap();
    for p in points(&grid, 0.5, 5000) {
        let (sample, exact) = (grid.sample(p), torus_distance(major, minor, p));
        assert!(sample.distance <= exact + 0.1 * grid.voxel(), "{p}: {} of {exact}", sample.distance);
        assert!(exact <= 0.05 || sample.distance > 0.6 * exact, "{p}: {} of {exact}", sample.distance);
        assert!((sample.normal.length() - 1.0).abs() < 1e-12);
    }
    // Along rays outwards nothing jumps where the grid ends.
    for k in 0..200 {
        let (s, c) = libm::sincos(f64::from(k));
        let direction = Vec3::new(c, libm::sin(0.37 * f64::from(k)), s).normalize();
        let mut before = grid.sample(direction * 0.02);
        for i in 1..3000 {
            let here = grid.sample(direction * (0.02 + 5e-5 * f64::from(i)));
            assert!((here.distance - before.distance).abs() < 6e-5, "{direction} step {i}");
            before = here;
        }
    }
}

#[test]
fn the_quick_look_misses_nothing() {
    let grid = DistanceGrid::build(&torus_mesh(0.04, 0.012), 64).unwrap();
    for reach in [0.002, 0.0, -0.003, 0.03] {
        for p in points(&grid, 0.02, 5000) {
            let sample = grid.sample(p);
            let expected = (sample.distance <= reach).then_some(sample);
            assert_eq!(grid.sample_within(p, reach), expected, "{p} reach {reach}");
        }
    }
}

#[test]
fn rows_in_any_order_give_the_same_grid() {
    let mesh = torus_mesh(0.04, 0.012);
    let builder = GridBuilder::new(&mesh, 32).unwrap();
    let mut values = vec![0.0; builder.row_count() * builder.row_length()];
    for index in (0..builder.row_count()).rev() {
        let length = builder.row_length();
        builder.fill_row(index, &mut values[index * length..(index + 1) * length]);
    }
    assert_eq!(builder.finish(values), DistanceGrid::build(&mesh, 32).unwrap());
}

#[test]
fn thin_and_flat_solids_fit_their_grid() {
    for half in [Vec3::new(0.1, 0.004, 0.05), Vec3::new(0.003, 0.2, 0.003)] {
        let shape = Shape::Box { half };
        let grid = DistanceGrid::build(&shape.tessellate(0.02).unwrap(), 64).unwrap();
        assert!(grid.counts().iter().all(|n| *n <= 64 && *n >= 17), "{:?}", grid.counts());
        assert!(grid.domain_margin() > 6.0 * grid.voxel());
    }
    assert!(matches!(DistanceGrid::build(&torus_mesh(0.04, 0.01), 8), Err(MeshError::Resolution { resolution: 8 })));
}
