//! Soft phalanges on a rigid palm, in a world: the preset of Talvas' hand.

mod hands;

use hands::ball::{bent, hand_and_ball, press_on_ball, rise_from_ball};
use hands::{DT, tracked};
use std::sync::OnceLock;
use thenar::hand::{
    BoneId, Digit, HandModel, HandOptions, Phalanges, SkinDetail, TissueKind, TissueLayout, TissueOptions,
};
use thenar::math::{Pose, Vec3};
use thenar::world::{HandId, Preset, SkeletonMethod, SkeletonParams, World, WorldConfig};

fn build(soft: Phalanges) -> HandModel {
    let tissue = TissueOptions { layout: TissueLayout::Phalanges(soft), ..Preset::Talvas.tissue() };
    HandModel::build(&HandOptions { detail: SkinDetail::Coarse, tissue, ..HandOptions::default() }).unwrap()
}

fn all_soft() -> &'static HandModel {
    static MODEL: OnceLock<HandModel> = OnceLock::new();
    MODEL.get_or_init(|| build(Phalanges::ALL))
}

/// The skin is one piece whatever carries it: nowhere does a fist stretch an edge of it beyond what skinning does.
#[test]
fn a_fist_tears_no_skin() {
    let model = all_soft();
    let mut world = World::new(Preset::Talvas.config()).unwrap();
    let hand = world.add_hand(model).unwrap();
    for i in 0..150 {
        let close = (f64::from(i) / 100.0).min(1.0);
        let mut fist = bent(close);
        *fist.digit_mut(Digit::Thumb) = [0.4 * close, 0.0, 0.2 * close, 0.3 * close];
        world.track(hand, &tracked(model, &fist, Pose::IDENTITY)).unwrap();
        assert!(!world.step(DT).unwrap().flags.rolled_back);
    }
    let out = world.hand(hand);
    assert_eq!(out.joint_drift, 0.0);
    let at = |v: u32| Vec3::from_array(out.skin_positions[v as usize].map(f64::from));
    let motion: Vec<Pose> =
        out.bones.iter().zip(&model.skeleton.bones).map(|(now, bone)| *now * bone.rest.inverse()).collect();
    let skinned = |v: u32| -> Vec3 {
        let rest = model.skin.mesh.positions[v as usize];
        model.skin.weights[v as usize].iter().map(|(b, w)| motion[b.index()].point(rest) * f64::from(*w)).sum()
    };
    let mut off: f64 = 0.0;
    for [a, b] in model.skin.mesh.edges() {
        let rest = model.skin.mesh.positions[a as usize].distance(model.skin.mesh.positions[b as usize]);
        let (now, plain) = (at(a).distance(at(b)), skinned(a).distance(skinned(b)));
        // flesh trembles a little behind its bones; half a millimetre is far less than an edge of 4 mm
        assert!(now < 1.2 * plain.max(rest) + 5e-4, "edge of {rest} m is {now} m long, {plain} by skinning");
        off = off.max(at(a).distance(skinned(a)));
    }
    assert!(off < 2e-3, "skin is {off} m from where its bones carry it");
    assert!(out.skin_normals.iter().all(|n| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3));
}

#[test]
fn every_method_touches_with_phalanges_and_palm() {
    let model = all_soft();
    let bodies = SkeletonParams { method: SkeletonMethod::Bodies, ..WorldConfig::default().skeleton };
    let talvas = Preset::Talvas.config();
    let configs = [
        talvas.clone(),
        WorldConfig { skeleton: bodies, ..talvas.clone() },
        WorldConfig { method: WorldConfig::default().method, ..talvas },
    ];
    for config in configs {
        let (mut world, hand, ball) = hand_and_ball(model, config.clone());
        press_on_ball(&mut world, hand, model, 250);
        let out = world.hand(hand);
        let said = format!("{:?} {:?}", config.method, config.skeleton);
        assert!(out.contacts.iter().any(|c| c.patch.digit().is_none()), "{said}: the palm touches");
        assert!(out.contacts.iter().any(|c| c.patch.digit().is_some()), "{said}: fingers touch");
        let ball = world.object(ball);
        assert!(ball.velocity.length() < 0.05 && ball.pose.position.y < -0.06, "{said}: the ball rests: {ball:?}");
    }
}

#[test]
fn some_phalanges_soft_the_others_rigid() {
    let tip = BoneId::of(Digit::Index, 2);
    let model = build(Phalanges::of([tip]));
    let (mut world, hand, _) = hand_and_ball(&model, Preset::Talvas.config());
    press_on_ball(&mut world, hand, &model, 200);
    // a cage keeps its shape: corners stay where their bones hold them, to a tenth of a millimetre
    let (state, body) = (&world.state().softs[0], &world.soft_bodies()[0]);
    for (tet, kind) in body.tets.iter().zip(&model.tissue.kinds) {
        if *kind == TissueKind::Rigid {
            for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let of = |at: &[Vec3]| at[tet[a] as usize].distance(at[tet[b] as usize]);
                assert!((of(&state.nodes) - of(&body.rest)).abs() < 1e-4);
            }
        }
    }
    assert!(world.report().skin_contacts > 3);
}

#[test]
fn a_snapshot_continues_bit_for_bit() {
    let model = all_soft();
    let (mut world, hand, _) = hand_and_ball(model, Preset::Talvas.config());
    press_on_ball(&mut world, hand, model, 120);
    let snapshot = world.snapshot();
    let go_on = |world: &mut World, hand: HandId| rise_from_ball(world, hand, model, 30);
    let first = go_on(&mut world, hand);
    let (mut other, hand, _) = hand_and_ball(model, Preset::Talvas.config());
    other.restore(&snapshot).unwrap();
    assert_eq!(go_on(&mut other, hand), first);
}
