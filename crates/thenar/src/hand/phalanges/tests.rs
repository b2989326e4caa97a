//! Bars of a hand made of phalanges.

use super::*;
use crate::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail, TissueLayout};
use std::sync::LazyLock;

fn parts() -> &'static HandParts {
    static PARTS: LazyLock<HandParts> = LazyLock::new(|| {
        let anatomy = Anatomy::preset(Preset::Adult, Side::Right);
        HandSurface::build(&anatomy, SkinDetail::Coarse).unwrap().into()
    });
    &PARTS
}

fn hand(soft: Phalanges) -> HandModel {
    let options = TissueOptions { tets: 1513, refine: None, layout: TissueLayout::Phalanges(soft) };
    HandModel::from_parts(parts().clone(), &options).unwrap()
}

fn all_soft() -> &'static HandModel {
    static HAND: LazyLock<HandModel> = LazyLock::new(|| hand(Phalanges::ALL));
    &HAND
}

#[test]
fn fifteen_phalanges_of_good_elements() {
    let hand = all_soft();
    let report = hand.report();
    assert!((report.tets as f64 / 1513.0 - 1.0).abs() < 0.1, "{report:?}");
    assert!(report.min_dihedral_deg >= 15.0, "{report:?}");
    assert_eq!(report.euler, 2 * 15, "fifteen balls");
    assert_eq!(hand.tissue.kinds.iter().filter(|k| **k == TissueKind::Rigid).count(), 1, "one cage for the palm");
    // the same flesh and bones as in a hand of one piece
    let whole = HandModel::from_parts(parts().clone(), &TissueOptions::default()).unwrap().report();
    assert!((report.mass_g / whole.mass_g - 1.0).abs() < 0.08, "{} g against {} g", report.mass_g, whole.mass_g);
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
