//! What the mesher promises for shapes of any kind.

use super::*;
use crate::geometry::TetLocator;
use std::f64::consts::TAU;

/// A torus around the z axis, `major` to the middle of the tube.
fn torus(major: f64, minor: f64, around: u32, along: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..around {
        for j in 0..along {
            let (s, c) = libm::sincos(TAU * f64::from(i) / f64::from(around));
            let (t, r) = libm::sincos(TAU * f64::from(j) / f64::from(along));
            let reach = major + minor * r;
            mesh.positions.push(Vec3::new(reach * c, reach * s, minor * t));
            let at = |i: u32, j: u32| (i % around) * along + j % along;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A ball: a torus grid would pinch, so rings of latitude between two poles.
fn ball(radius: f64, rings: u32, segments: u32) -> TriMesh {
    let mut mesh = TriMesh { positions: vec![Vec3::Z * radius, Vec3::NEG_Z * radius], triangles: Vec::new() };
    let at = |ring: u32, s: u32| 2 + ring * segments + s % segments;
    for ring in 0..rings {
        let (sin, cos) = libm::sincos(TAU / 2.0 * f64::from(ring + 1) / f64::from(rings + 1));
        for s in 0..segments {
            let (y, x) = libm::sincos(TAU * f64::from(s) / f64::from(segments));
            mesh.positions.push(Vec3::new(sin * x, sin * y, cos) * radius);
            if ring == 0 {
                mesh.triangles.push([0, at(0, s), at(0, s + 1)]);
            } else {
                let [a, b, c, d] = [at(ring - 1, s), at(ring, s), at(ring, s + 1), at(ring - 1, s + 1)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
            if ring + 1 == rings {
                mesh.triangles.push([1, at(ring, s + 1), at(ring, s)]);
            }
        }
    }
    mesh
}

/// The letter L as a prism, 60 mm tall, with sharp and re-entrant edges.
fn letter() -> TriMesh {
    let outline = [(0.0, 0.0), (0.04, 0.0), (0.04, 0.015), (0.015, 0.015), (0.015, 0.06), (0.0, 0.06)];
    let mut mesh = TriMesh::default();
    for z in [0.0, 0.015] {
        mesh.positions.extend(outline.iter().map(|&(x, y)| Vec3::new(x, y, z)));
    }
    for i in 0..6u32 {
        let j = (i + 1) % 6;
        mesh.triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        mesh.triangles.push([a + 6, b + 6, c + 6]);
        mesh.triangles.push([a, c, b]);
    }
    mesh
}

fn expect_good(surface: &TriMesh, tets: usize, euler: i64) -> TetMesh {
    let mesh = mesh_surface(surface, &MeshRequest::uniform(tets)).unwrap();
    let quality = mesh.quality();
    let count = mesh.tets.len();
    assert!((0.9..=1.1).contains(&(count as f64 / tets as f64)), "{count} instead of {tets} tets");
    assert!(quality.min_dihedral_deg >= 10.0 && quality.min_volume > 0.0, "{quality:?}");
    assert_eq!(mesh.boundary_euler(), euler);
    let embedding = TetLocator::new(&mesh).embed(&surface.positions);
    // All but one in five hundred, and of few vertices all but one: a sharp corner may stick out a little.
    let inside = (embedding.fraction_within(1e-6) * surface.positions.len() as f64).round();
    assert!(inside >= (0.998 * surface.positions.len() as f64).floor(), "{inside}");
    assert!(embedding.fraction_within(0.05) >= 1.0);
    mesh
}

#[test]
fn balls_tori_and_letters_are_covered_by_good_elements() {
    for tets in [100, 850] {
        expect_good(&ball(0.03, 15, 32), tets, 2);
        expect_good(&torus(0.03, 0.01, 48, 20), tets.max(300), 0);
        expect_good(&letter(), tets, 2);
    }
}

#[test]
fn the_mesh_fits_a_fine_ball_tightly() {
    let surface = ball(0.03, 31, 64);
    let mesh = expect_good(&surface, 3000, 2);
    let ratio = mesh.volume() / surface_volume(&surface);
    assert!((1.0..1.12).contains(&ratio), "{ratio}");
}

#[test]
fn the_same_request_gives_the_same_bits() {
    let surface = torus(0.03, 0.01, 48, 20);
    let once = mesh_surface(&surface, &MeshRequest::uniform(500)).unwrap();
    let again = mesh_surface(&surface, &MeshRequest::uniform(500)).unwrap();
    assert_eq!(once, again);
}

#[test]
fn refinement_puts_elements_where_they_are_asked_for() {
    let spot = Refinement { centre: Vec3::new(0.03, 0.0, 0.0), radius: 0.008, tets: 400 };
    let request = MeshRequest { refine: &[spot], ..MeshRequest::uniform(300) };
    let mesh = mesh_surface(&ball(0.03, 15, 32), &request).unwrap();
    let inside = (0..mesh.tets.len())
        .filter(|&t| (mesh.corners(t).iter().sum::<Vec3>() / 4.0).distance(spot.centre) < spot.radius)
        .count();
    assert!(inside >= spot.tets, "{inside} of {}", mesh.tets.len());
    assert!(mesh.quality().min_dihedral_deg >= 10.0);
}

#[test]
fn bad_requests_are_refused_with_their_reason() {
    let good = ball(0.03, 7, 12);
    let refused = |surface: &TriMesh, tets: usize| mesh_surface(surface, &MeshRequest::uniform(tets)).unwrap_err();
    assert_eq!(refused(&good, 10), MesherError::Count { asked: 10 });
    assert_eq!(refused(&good, 10_000_000), MesherError::Count { asked: 10_000_000 });
    assert_eq!(refused(&TriMesh::default(), 100), MesherError::Empty);

    let mut open = good.clone();
    open.triangles.pop();
    assert!(matches!(refused(&open, 100), MesherError::Open { .. }));

    let mut doubled = good.clone();
    doubled.triangles.push(doubled.triangles[0]);
    assert!(matches!(refused(&doubled, 100), MesherError::NonManifold { .. }));

    let mut crossing = good.clone();
    let count = crossing.positions.len() as u32;
    crossing.positions.extend(good.positions.iter().map(|p| *p + Vec3::X * 0.03));
    crossing.triangles.extend(good.triangles.iter().map(|t| t.map(|v| v + count)));
    assert!(matches!(refused(&crossing, 100), MesherError::SelfIntersecting { .. }));

    let mut flat = good.clone();
    flat.positions.iter_mut().for_each(|p| p.z = 0.0);
    assert!(matches!(refused(&flat, 100), MesherError::NoVolume { .. } | MesherError::SelfIntersecting { .. }));

    let mut inside_out = good.clone();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(matches!(refused(&inside_out, 100), MesherError::NoVolume { .. }));

    let mut broken = good.clone();
    broken.positions[3].y = f64::NAN;
    assert_eq!(refused(&broken, 100), MesherError::NotFinite { vertex: 3 });

    // A second ball too small for any lattice: refused before the lattice has millions of elements.
    let mut specks = good.clone();
    specks.positions.extend(good.positions.iter().map(|p| *p * 1e-4 + Vec3::X * 0.04));
    specks.triangles.extend(good.triangles.iter().map(|t| t.map(|v| v + count)));
    assert!(matches!(refused(&specks, 100), MesherError::TooDetailed { .. }));

    let mut dangling = good;
    dangling.triangles[0][1] = 9999;
    assert!(matches!(refused(&dangling, 100), MesherError::Index { vertex: 9999, .. }));
}
