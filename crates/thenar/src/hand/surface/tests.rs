//! What a hand must be, whoever's it is.

use super::*;
use crate::hand::{BoneId, Patch, Preset, XrJoint};
use crate::math::Pose;

fn adult(side: Side, detail: SkinDetail) -> HandSurface {
    HandSurface::build(&Anatomy::preset(Preset::Adult, side), detail).unwrap()
}

/// Distance along a ray from inside to the skin, metres.
fn to_skin(hand: &HandSurface, from: Vec3, direction: Vec3) -> f64 {
    (0..2000).map(|i| f64::from(i) * 5e-5).find(|&d| hand.distance(from + d * direction) > 0.0).unwrap_or(f64::NAN)
}

fn joint(hand: &HandSurface, joint: XrJoint) -> Vec3 {
    hand.skeleton.xr_rest[joint].unwrap().pose.position
}

fn breadth(hand: &HandSurface) -> f64 {
    let (index, little) = (joint(hand, XrJoint::IndexProximal), joint(hand, XrJoint::LittleProximal));
    let across = (little - index).normalize();
    index.distance(little) + to_skin(hand, index, -across) + to_skin(hand, little, across)
}

#[test]
fn the_skin_bounds_a_solid_without_handles_at_every_level() {
    for (detail, triangles) in
        [(SkinDetail::Coarse, 6_000.0), (SkinDetail::Default, 24_000.0), (SkinDetail::Fine, 85_000.0)]
    {
        let mesh = adult(Side::Right, detail).skin.mesh;
        assert_eq!(mesh.check_solid(), Ok(()));
        assert_eq!(mesh.euler_characteristic(), 2);
        assert!((mesh.triangles.len() as f64 / triangles - 1.0).abs() < 0.1, "{} triangles", mesh.triangles.len());
    }
}

#[test]
fn left_and_right_are_exact_mirrors() {
    let (left, right) = (adult(Side::Left, SkinDetail::Coarse), adult(Side::Right, SkinDetail::Coarse));
    assert_eq!(left.skin.mesh, right.skin.mesh.mirrored());
    assert_eq!(left.skin.mesh.check_solid(), Ok(()));
    assert_eq!(left.skeleton, right.skeleton.mirrored());
    assert_eq!(left.contact_areas, right.contact_areas);
    let point = Vec3::new(0.011, 0.004, -0.07);
    assert_eq!(left.distance(point), right.distance(point * Vec3::new(-1.0, 1.0, 1.0)));
    assert!(joint(&right, XrJoint::ThumbTip).x < joint(&right, XrJoint::LittleTip).x, "a right thumb lies on -X");
}

#[test]
fn sizes_are_those_of_the_literature() {
    // REFERENCE: breadth of men 84 ± 4 mm and of women 75 ± 4 mm; index tip 15 to 17 mm.
    let hand = adult(Side::Right, SkinDetail::Coarse);
    assert!((breadth(&hand) - 0.084).abs() < 0.004, "{}", breadth(&hand));
    let small = HandSurface::build(&Anatomy::preset(Preset::AdultSmall, Side::Right), SkinDetail::Coarse).unwrap();
    assert!((breadth(&small) - 0.075).abs() < 0.004, "{}", breadth(&small));
    let distal = hand.skeleton.bone(BoneId::of(Digit::Index, 2));
    let across = distal.rest.rotation * Vec3::X;
    let at = distal.rest.point(Vec3::new(0.0, 0.0, -0.6 * distal.length));
    let tip_breadth = to_skin(&hand, at, across) + to_skin(&hand, at, -across);
    assert!((0.015..=0.017).contains(&tip_breadth), "{tip_breadth}");
    // Whole hand 0.6 % of body mass [REFERENCE]: 0.3 to 0.6 kg for 50 to 100 kg, at about 1100 kg/m³, stub included.
    let mass = 1100.0 * hand.skin.mesh.volume();
    assert!((0.3..0.6).contains(&mass), "{mass}");
}

#[test]
fn fingers_are_separate_down_to_the_webs() {
    let hand = adult(Side::Right, SkinDetail::Coarse);
    for pair in Digit::FINGERS.windows(2) {
        let [a, b] = [0, 1].map(|i| hand.skeleton.bone(BoneId::of(pair[i], 0)));
        let between = |u: f64| {
            0.5 * (a.rest.point(Vec3::new(0.0, 0.0, -u * a.length)) + b.rest.point(Vec3::new(0.0, 0.0, -u * b.length)))
        };
        let flesh = |u: f64| (-64..40).any(|y| hand.distance(between(u) + Vec3::Y * f64::from(y) * 2.5e-4) < 0.0);
        let web = (20..90).map(|i| f64::from(i) * 0.01).filter(|&u| flesh(u)).fold(0.0, f64::max);
        assert!((0.3..0.5).contains(&web), "web of {pair:?} at {web} of the proximal phalanx");
    }
}

#[test]
fn places_on_nails_agree_with_the_marked_nails() {
    for side in [Side::Right, Side::Left] {
        let hand = adult(side, SkinDetail::Default);
        assert_eq!(hand.skin.nails.len(), hand.skin.mesh.positions.len());
        let mut on_plates = [0; 5];
        for (v, place) in hand.skin.nails.iter().enumerate() {
            assert!(place.iter().all(|p| p.abs() <= 2.0));
            if place.iter().all(|p| p.abs() < 0.7) {
                assert!(hand.nail[v] && !hand.pad[v], "vertex {v} at {place:?} of a nail");
                let digit = Digit::ALL.into_iter().find(|d| hand.skin.patches[v] == Patch::of_bone(BoneId::of(*d, 2)));
                on_plates[digit.expect("nails are at the ends of digits").index()] += 1;
            }
        }
        assert!(on_plates.into_iter().all(|count| count >= 5), "{on_plates:?} vertices on the five plates");
    }
}

#[test]
fn every_vertex_carries_consistent_data() {
    let hand = adult(Side::Right, SkinDetail::Default);
    let skin = &hand.skin;
    let n = skin.mesh.positions.len();
    assert!(
        [skin.normals.len(), skin.colours.len(), skin.areas.len(), skin.patches.len(), skin.weights.len()] == [n; 5]
    );
    assert!((skin.areas.iter().sum::<f64>() - skin.mesh.area()).abs() < 1e-12);
    for (v, weights) in skin.weights.iter().enumerate() {
        assert!((weights.iter().map(|w| w.1).sum::<f32>() - 1.0).abs() < 1e-5 && weights.iter().all(|w| w.1 >= 0.0));
        assert!((skin.normals[v].length() - 1.0).abs() < 1e-9);
        assert!(hand.distance(skin.mesh.positions[v]).abs() < 5e-5, "vertex {v} is off the surface");
    }
    let flat = skin.mesh.vertex_normals();
    assert!(skin.normals.iter().zip(&flat).all(|(a, b)| a.dot(*b) > 0.5), "normals face outwards");
    for number in 1..Patch::COUNT as u8 {
        let count = skin.patches.iter().filter(|p| p.0 == number).count();
        assert!(count >= 100, "{} has only {count} vertices", Patch(number).name());
    }
}

#[test]
fn weights_change_gently_over_the_skin() {
    let hand = adult(Side::Right, SkinDetail::Default);
    let skin = &hand.skin;
    let share =
        |v: u32, bone: BoneId| -> f32 { skin.weights[v as usize].iter().filter(|w| w.0 == bone).map(|w| w.1).sum() };
    for [a, b] in skin.mesh.edges() {
        for bone in BoneId::all() {
            let jump = (share(a, bone) - share(b, bone)).abs();
            // Edges are about 2.3 mm and up to 3.2 mm, the narrowest blend about 11 mm.
            assert!(jump < 0.5, "weight of {bone:?} jumps by {jump} between vertices {a} and {b}");
        }
    }
}

#[test]
fn contact_vertices_are_many_and_stand_for_the_whole_skin() {
    let hand = adult(Side::Right, SkinDetail::Default);
    assert!(hand.contact_vertices.len() >= 3000);
    assert!(hand.contact_vertices.windows(2).all(|w| w[0] < w[1]));
    assert!((hand.contact_areas.iter().sum::<f64>() / hand.skin.mesh.area() - 1.0).abs() < 1e-9);
    assert!(hand.contact_areas.iter().all(|&a| a > 0.0));
    for digit in Digit::ALL {
        let on_pad = |&&v: &&u32| hand.pad[v as usize] && hand.skin.patches[v as usize].digit() == Some(digit);
        let count = hand.contact_vertices.iter().filter(on_pad).count();
        assert!(count >= 60, "{} pad has {count}", digit.name());
    }
}

#[test]
fn pad_points_lie_on_the_pads() {
    for side in [Side::Left, Side::Right] {
        let hand = adult(side, SkinDetail::Coarse);
        for digit in Digit::ALL {
            let bone: Pose = hand.skeleton.bone(BoneId::of(digit, 2)).rest;
            assert_eq!(hand.pads[digit.index()].len(), 100);
            for point in &hand.pads[digit.index()] {
                assert!(hand.distance(bone.point(point.local)).abs() < 1e-6);
                assert!(point.local.y < 0.0 && point.normal.y < -0.1, "pads look away from nails: {point:?}");
            }
        }
    }
}

#[test]
fn bones_lie_well_inside_the_flesh() {
    for preset in Preset::ALL {
        let hand = HandSurface::build(&Anatomy::preset(preset, Side::Right), SkinDetail::Coarse).unwrap();
        for bone in &hand.skeleton.bones {
            for capsule in &bone.capsules {
                for i in 0..=10 {
                    let at = bone.rest.point(capsule.a.lerp(capsule.b, f64::from(i) * 0.1));
                    for direction in [Vec3::X, Vec3::Y, Vec3::Z] {
                        for sign in [-1.0, 1.0] {
                            let out = bone.rest.rotation * direction * sign * (capsule.radius + 0.0005);
                            assert!(hand.distance(at + out) < 0.0, "{} {:?}", preset.name(), bone.id);
                        }
                    }
                }
            }
            assert!(bone.mass > 1e-4 && bone.inertia.determinant() > 0.0);
        }
    }
}

#[test]
fn people_within_a_standard_deviation_have_sound_hands() {
    // Bones vary by about 7 % (one standard deviation), breadth and thickness independently by 10 %.
    let mut state = 7u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    for person in 0..8 {
        let mut anatomy = Anatomy::preset(Preset::ALL[person % 4], Side::Right);
        for digit in &mut anatomy.digits {
            for bone in [&mut digit.metacarpal, &mut digit.proximal, &mut digit.middle, &mut digit.distal] {
                *bone *= 1.0 + 0.07 * uniform();
            }
        }
        let anatomy = anatomy.scaled(1.0, 1.0 + 0.1 * uniform(), 1.0 + 0.1 * uniform());
        let hand = HandSurface::build(&anatomy, SkinDetail::Coarse).unwrap();
        assert_eq!(hand.skin.mesh.euler_characteristic(), 2, "person {person}");
    }
}

#[test]
fn every_preset_builds_at_the_default_level() {
    for preset in Preset::ALL {
        let hand = HandSurface::build(&Anatomy::preset(preset, Side::Left), SkinDetail::Default).unwrap();
        assert_eq!(hand.skin.mesh.euler_characteristic(), 2);
        assert!((20_000..28_000).contains(&hand.skin.mesh.triangles.len()), "{}", preset.name());
    }
}
