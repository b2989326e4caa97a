//! The bars every hand must clear.

use super::*;
use crate::geometry::tet_mesh::tet_volume;
use crate::geometry::{SurfaceDistance, TetLocator};
use crate::hand::{BoneId, TissueKind};
use crate::math::Vec3;
use std::sync::LazyLock;

/// An adult's skin and skeleton, built once for all tests.
fn parts() -> &'static HandParts {
    static PARTS: LazyLock<HandParts> = LazyLock::new(|| {
        let anatomy = Anatomy::preset(Preset::Adult, Side::Right);
        HandSurface::build(&anatomy, SkinDetail::Default).unwrap().into()
    });
    &PARTS
}

fn model(parts: &HandParts, tets: usize) -> HandModel {
    HandModel::from_parts(parts.clone(), &TissueOptions { tets, ..TissueOptions::default() }).unwrap()
}

/// Greatest overshoot of the tissue's volume over the skin's.
fn volume_bar(tets: usize) -> f64 {
    match tets {
        ..850 => 0.30,
        850..1500 => 0.20,
        _ => 0.12,
    }
}

fn expect_good(hand: &HandModel, tets: usize) {
    let report = hand.report();
    assert!((report.tets as f64 / tets as f64 - 1.0).abs() <= 0.1, "{report:?}");
    assert!(report.min_dihedral_deg >= 10.0, "{report:?}");
    assert!(hand.tissue.mesh.quality().min_volume > 0.0);
    assert_eq!(report.euler, 2);
    assert!(report.embedded_fraction >= 0.998, "{report:?}");
    assert!(hand.embedding.fraction_within(0.05) >= 1.0);
    assert!((report.volume_ratio - 1.0).abs() <= volume_bar(tets), "{report:?}");
    // Coarse elements span the crotch between fingers, but by less than one of their edges (about 10 mm at 850).
    let skin = SurfaceDistance::new(&hand.skin.mesh);
    let skin_webs = hand.webs(|p| skin.distance(p) < 0.0);
    for (tissue, skin) in report.web_mm.iter().zip(skin_webs) {
        assert!(tissue - skin * 1e3 < 6.0, "{report:?} against {skin_webs:?}");
    }
    expect_the_mass_of_the_skin(hand);
    expect_fingers_apart(hand);
    expect_every_bone_held(hand);
}

fn expect_the_mass_of_the_skin(hand: &HandModel) {
    let mesh = &hand.tissue.mesh;
    let filled: f64 = (0..mesh.tets.len()).map(|t| hand.tissue.fill[t] * tet_volume(mesh.corners(t))).sum();
    assert!((filled / hand.skin.mesh.volume() - 1.0).abs() < 0.02);
    assert!(hand.tissue.fill.iter().all(|f| *f > 0.0 && *f <= 1.0));
    let nails = hand.tissue.kinds.iter().filter(|k| **k == TissueKind::Nail).count();
    assert!(nails >= 5, "{nails} elements under five nails");
}

/// No node lies inside an element it does not belong to, and springs never cross from digit to digit beyond the webs.
fn expect_fingers_apart(hand: &HandModel) {
    let mesh = &hand.tissue.mesh;
    let locator = TetLocator::new(mesh);
    for (n, &p) in mesh.positions.iter().enumerate() {
        locator.for_each_containing(p, |t, w| {
            let deep = w.iter().all(|x| *x > 1e-6);
            assert!(!deep || mesh.tets[t as usize].contains(&(n as u32)), "node {n} lies inside element {t}");
        });
    }
    let mut digits = vec![None; mesh.tets.len()];
    for a in hand.attachments.iter().filter(|a| a.bone.segment() > 0) {
        let known = digits[a.tet as usize].get_or_insert(a.bone.digit());
        assert_eq!(*known, a.bone.digit(), "element {} hangs on two digits", a.tet);
    }
}

fn expect_every_bone_held(hand: &HandModel) {
    for bone in BoneId::all() {
        let share: f64 = hand.attachments.iter().filter(|a| a.bone == bone).map(|a| a.share).sum();
        assert!(share > 0.97, "bone {bone:?}: {share}");
    }
    for a in &hand.attachments {
        let corners = hand.tissue.mesh.corners(a.tet as usize);
        let at: Vec3 = (0..4).map(|k| corners[k] * a.weights[k]).sum();
        assert!(at.distance(hand.skeleton.bone(a.bone).rest.point(a.local)) < 1e-9);
    }
    let mut held = vec![0.0; hand.tissue.mesh.positions.len()];
    for s in &hand.node_springs {
        held[s.node as usize] += s.weight;
    }
    assert!(held.iter().all(|w| (w - 1.0).abs() < 1e-9), "weights of a node sum to 1");
    assert!(hand.pads.iter().all(|p| p.len() >= 90));
}

#[test]
fn hands_of_600_to_1500_elements_clear_the_bars() {
    for tets in [600, 850, 1500] {
        expect_good(&model(parts(), tets), tets);
    }
}

/// Slow; `cargo xtask test --full` runs it, or `cargo test --release -p thenar -- --ignored hands_of`.
#[test]
#[ignore = "slow: run with --full"]
fn hands_of_5000_and_10000_elements_clear_the_bars() {
    for tets in [5000, 10_000] {
        expect_good(&model(parts(), tets), tets);
    }
}

/// Slow; `cargo xtask test --full` runs it.
#[test]
#[ignore = "slow: run with --full"]
fn hands_of_every_preset_clear_the_bars() {
    for preset in Preset::ALL {
        let surface = HandSurface::build(&Anatomy::preset(preset, Side::Right), SkinDetail::Default).unwrap();
        expect_good(&model(&surface.into(), 850), 850);
    }
}

#[test]
fn a_refined_pad_gets_its_elements() {
    let parts = parts();
    let options = TissueOptions { refine: Some(Digit::Index), ..TissueOptions::default() };
    let hand = HandModel::from_parts(parts.clone(), &options).unwrap();
    let ball = crate::hand::tissue::pad_ball(parts, Digit::Index).unwrap();
    let mesh = &hand.tissue.mesh;
    let inside = (0..mesh.tets.len())
        .filter(|&t| (mesh.corners(t).iter().sum::<Vec3>() / 4.0).distance(ball.centre) < ball.radius)
        .count();
    assert!(inside >= crate::hand::PAD_TETS, "{inside} of {}", mesh.tets.len());
    let report = hand.report();
    assert!(report.min_dihedral_deg >= 10.0 && report.euler == 2 && report.embedded_fraction >= 0.998, "{report:?}");
}

#[test]
fn the_same_options_give_the_same_bits_and_left_mirrors_right() {
    let options = HandOptions {
        detail: SkinDetail::Coarse,
        tissue: TissueOptions { tets: 600, ..TissueOptions::default() },
        ..HandOptions::default()
    };
    let right = HandModel::build(&options).unwrap();
    let again = HandModel::build(&options).unwrap();
    assert_eq!(right.tissue.mesh, again.tissue.mesh);
    assert_eq!(right.embedding, again.embedding);
    assert_eq!(right.attachments, again.attachments);
    assert_eq!(right.node_springs, again.node_springs);

    let anatomy = Anatomy::preset(Preset::Adult, Side::Left);
    let left = HandModel::build(&HandOptions { anatomy, ..options }).unwrap();
    assert_eq!(left.side, Side::Left);
    let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
    for (l, r) in left.tissue.mesh.positions.iter().zip(&right.tissue.mesh.positions) {
        assert_eq!(*l, flip(*r));
    }
    assert!(left.tissue.mesh.quality().min_volume > 0.0);
    for i in (0..left.embedding.tets.len()).step_by(50) {
        let at = left.embedding.point(&left.tissue.mesh, &left.tissue.mesh.positions, i);
        assert!(at.distance(left.skin.mesh.positions[i]) < 1e-9);
    }
    for s in &left.node_springs {
        let node = left.tissue.mesh.positions[s.node as usize];
        assert!(left.skeleton.bone(s.bone).rest.point(s.local).distance(node) < 1e-9);
    }
    for (digit, pad) in Digit::ALL.iter().zip(&left.pads) {
        for sample in pad {
            let corners = left.tissue.mesh.corners(sample.tet as usize);
            let at: Vec3 = (0..4).map(|k| corners[k] * sample.weights[k]).sum();
            assert!(at.distance(left.skeleton.bone(BoneId::of(*digit, 2)).rest.point(sample.local)) < 1e-9);
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let surface = HandSurface::build(&Anatomy::preset(Preset::Adult, Side::Right), SkinDetail::Coarse).unwrap();
    let parts: HandParts = surface.into();
    let refused = |parts: HandParts, tets| {
        HandModel::from_parts(parts, &TissueOptions { tets, ..TissueOptions::default() }).unwrap_err()
    };
    for tets in [10, 10_000_000] {
        let error = refused(parts.clone(), tets);
        assert!(error.to_string().contains(&tets.to_string()), "{error}");
    }
    let mut open = parts.clone();
    open.skin.mesh.triangles.pop();
    assert!(matches!(refused(open, 850), HandError::Tissue(MesherError::Open { .. })));

    let mut short = parts.clone();
    short.skin.weights.pop();
    assert!(refused(short, 850).to_string().contains("skin.weights"));

    let mut boneless = parts.clone();
    boneless.skeleton.bones[4].capsules.clear();
    assert_eq!(refused(boneless, 850), HandError::Bone { bone: 4 });

    // A body of flesh with the bones of a hand in it would take minutes to fill.
    let mut bulky = parts.clone();
    bulky.skin.mesh.positions.iter_mut().for_each(|p| *p *= 3.0);
    let error = refused(bulky, 850);
    assert!(matches!(error, HandError::Bulky { .. }), "{error}");
    assert!(error.to_string().contains("litres"), "{error}");

    let mut loose = parts;
    loose.skeleton.bones[7].rest.position.y += 1.0;
    assert_eq!(refused(loose, 600), HandError::LooseBone { bone: 7 });
}
