//! Bars of a hand made of phalanges.

use super::*;
use crate::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail, TissueLayout};
use std::sync::LazyLock;

fn parts() -> &'static HandParts {
    static PARTS: LazyLock<HandParts> =
        LazyLock::new(|| parts_of(&Anatomy::preset(Preset::Adult, Side::Right), SkinDetail::Coarse));
    &PARTS
}

fn parts_of(anatomy: &Anatomy, detail: SkinDetail) -> HandParts {
    HandSurface::build(anatomy, detail).unwrap().into()
}

const TETS: usize = 1513;

fn build_of(parts: &HandParts, soft: Phalanges) -> Result<HandModel, HandError> {
    let options = TissueOptions { tets: TETS, refine: None, layout: TissueLayout::Phalanges(soft) };
    HandModel::from_parts(parts.clone(), &options)
}

fn hand(soft: Phalanges) -> HandModel {
    build_of(parts(), soft).unwrap()
}

fn all_soft() -> &'static HandModel {
    static HAND: LazyLock<HandModel> = LazyLock::new(|| hand(Phalanges::ALL));
    &HAND
}

#[test]
fn fifteen_phalanges_of_good_elements() {
    let hand = all_soft();
    assert_is_good("adult", hand, Phalanges::ALL);
    let report = hand.report();
    assert_eq!(hand.tissue.kinds.iter().filter(|k| **k == TissueKind::Rigid).count(), 1, "one cage for the palm");
    // the same flesh and bones as in a hand of one piece
    let whole = HandModel::from_parts(parts().clone(), &TissueOptions::default()).unwrap().report();
    assert!((report.mass_g / whole.mass_g - 1.0).abs() < 0.08, "{} g against {} g", report.mass_g, whole.mass_g);
}

/// As many good elements as asked for, in one ball per soft phalanx, on both sides, with all skin where it belongs.
fn assert_is_good(name: &str, hand: &HandModel, soft: Phalanges) {
    for hand in [hand, &hand.mirrored()] {
        let report = hand.report();
        let told = format!("{name}, {} soft: {report:?}", soft.count());
        let wanted = TETS as f64 * BoneId::all().filter(|b| soft.contains(*b)).map(share).sum::<f64>();
        // a piece of a hundred elements may go astray by a quarter, fifteen together by a tenth
        let astray = if soft == Phalanges::ALL { 0.1 } else { 1.0 / MOST_ASTRAY as f64 };
        assert!((report.tets as f64 - wanted).abs() <= astray * wanted, "{told}");
        assert!(report.min_dihedral_deg >= 15.0, "{told}");
        assert_eq!(report.euler, 2 * soft.count() as i64, "{told}");
        for (v, &p) in hand.skin.mesh.positions.iter().enumerate() {
            let corners = hand.tissue.mesh.corners(hand.embedding.tets[v] as usize);
            let at: Vec3 = (0..4).map(|k| corners[k] * hand.embedding.weights[v][k]).sum();
            assert!(at.distance(p) < 1e-9, "{told}: vertex {v} is carried to {at}, not {p}");
        }
    }
}

/// Once only adults had phalanges: rounding on the flat cuts of others passed for crossings.
#[test]
fn every_size_of_hand_has_phalanges() {
    let tips = Phalanges::of(Digit::ALL.map(|digit| BoneId::of(digit, 2)));
    for preset in Preset::ALL.into_iter().filter(|p| *p != Preset::Adult) {
        let parts = parts_of(&Anatomy::preset(preset, Side::Right), SkinDetail::Coarse);
        for soft in [Phalanges::ALL, tips] {
            let hand = build_of(&parts, soft).unwrap_or_else(|e| panic!("{}: {e}", preset.name()));
            assert_is_good(preset.name(), &hand, soft);
        }
    }
}

/// A hand whose mesher once ended with 81 instead of 91 elements in one piece, and refused all of it.
#[test]
fn a_piece_short_of_some_elements_is_no_reason_to_refuse_a_hand() {
    let anatomy =
        Anatomy::preset(Preset::Adult, Side::Right).scaled(0.9061988694299685, 1.1664995553548017, 1.140485185656085);
    let hand = build_of(&parts_of(&anatomy, SkinDetail::Coarse), Phalanges::ALL).unwrap();
    assert_is_good("short and broad", &hand, Phalanges::ALL);
}

#[test]
#[ignore = "builds forty hands: minutes"]
fn hands_between_and_around_the_sizes_have_phalanges() {
    let right = |preset| Anatomy::preset(preset, Side::Right);
    let digit = |digit| (0..3).map(move |segment| BoneId::of(digit, segment));
    let pinch = Phalanges::of(digit(Digit::Thumb).chain(digit(Digit::Index)));
    let mut hands: Vec<(String, Anatomy, SkinDetail, Phalanges)> = Vec::new();
    for preset in Preset::ALL {
        for soft in [Phalanges::ALL, pinch, Phalanges::of([])] {
            hands.push((preset.name().to_owned(), right(preset), SkinDetail::Default, soft));
        }
    }
    for (preset, scale) in
        [(Preset::Child, 0.7), (Preset::Child, 0.9), (Preset::AdultLarge, 1.1), (Preset::AdultLarge, 1.3)]
    {
        let anatomy = right(preset).scaled(scale, scale, scale);
        hands.push((format!("{scale} {}", preset.name()), anatomy, SkinDetail::Coarse, Phalanges::ALL));
    }
    let mut state = 7_u64;
    let mut random = |spread: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0 + spread * (2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0)
    };
    for i in 0..24 {
        // from a small child to a giant, and from all digits alike to none like another
        let mut anatomy = right(Preset::Adult).scaled(0.91 * random(0.3), 0.92 * random(0.28), 0.92 * random(0.28));
        let own = [0.0, 0.15, 0.3][i % 3];
        for d in &mut anatomy.digits {
            let measures =
                [&mut d.proximal, &mut d.middle, &mut d.distal, &mut d.soft_tip, &mut d.breadth, &mut d.thickness];
            measures.into_iter().for_each(|measure| *measure *= random(own));
        }
        hands.push((format!("hand {i}"), anatomy, SkinDetail::Coarse, Phalanges::ALL));
    }
    for (name, anatomy, detail, soft) in hands {
        let hand = build_of(&parts_of(&anatomy, detail), soft).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_is_good(&name, &hand, soft);
    }
}

/// At rest every vertex is where the skin says, whatever carries it.
#[test]
fn pieces_carry_the_skin_where_it_is() {
    let tips = Phalanges::of([BoneId::of(Digit::Index, 2), BoneId::of(Digit::Thumb, 2)]);
    let others = [hand(tips), hand(Phalanges::of([]))];
    for (soft, hand) in [(Phalanges::ALL, all_soft()), (tips, &others[0]), (Phalanges::of([]), &others[1])] {
        let mesh = &hand.tissue.mesh;
        let at = |tet: u32, w: &[f64; 4]| (0..4).map(|k| mesh.corners(tet as usize)[k] * w[k]).sum::<Vec3>();
        for (v, &p) in hand.skin.mesh.positions.iter().enumerate() {
            assert!(at(hand.embedding.tets[v], &hand.embedding.weights[v]).distance(p) < 1e-9);
        }
        let mut blended = std::collections::BTreeMap::<u32, (f64, Vec3)>::new();
        for s in &hand.seams {
            let offset = hand.skeleton.bone(s.bone).rest.rotation * s.offset;
            assert!(offset.length() < 0.04, "vertex {} lies {} m from a piece", s.vertex, offset.length());
            let sum = blended.entry(s.vertex).or_default();
            sum.0 += s.share;
            sum.1 += (at(s.tet, &s.weights) + offset) * s.share;
        }
        for (v, (share, p)) in blended {
            assert!((share - 1.0).abs() < 1e-6);
            assert!(p.distance(hand.skin.mesh.positions[v as usize]) < 1e-6);
        }
        let soft_tets = hand.tissue.kinds.iter().filter(|k| **k != TissueKind::Rigid).count();
        assert!(soft_tets.abs_diff(101 * soft.count()) <= 45 * soft.count().min(3), "{soft_tets} for {soft:?}");
        assert_eq!(hand.tissue.kinds.len() - soft_tets, 16 - soft.count());
    }
}

#[test]
fn every_region_lies_on_one_piece() {
    let hand = all_soft();
    let mut owner = std::collections::BTreeMap::new();
    let piece: Vec<BoneId> = {
        let mut of_tet = vec![BoneId::PALM; hand.tissue.mesh.tets.len()];
        let of_node: std::collections::BTreeMap<u32, BoneId> =
            hand.node_springs.iter().map(|s| (s.node, s.bone)).collect();
        for (tet, nodes) in of_tet.iter_mut().zip(&hand.tissue.mesh.tets) {
            *tet = of_node[&nodes[0]];
        }
        of_tet
    };
    for (v, patch) in hand.skin.patches.iter().enumerate() {
        let bone = piece[hand.embedding.tets[v] as usize];
        assert_eq!(*owner.entry(*patch).or_insert(bone), bone, "{}", patch.name());
        assert_eq!(patch.bone(), bone);
    }
    for bone in BoneId::all().skip(1) {
        assert!(hand.skin.patches.iter().any(|p| p.bone() == bone), "{bone:?} has no skin");
    }
}

#[test]
fn left_hands_are_mirrors() {
    let (right, left) = (all_soft(), all_soft().mirrored());
    assert_eq!(left.report().tets, right.report().tets);
    assert!((left.report().min_dihedral_deg - right.report().min_dihedral_deg).abs() < 1e-9);
    assert!(left.tissue.mesh.quality().min_volume > 0.0);
}
