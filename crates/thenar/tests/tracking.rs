//! From tracked frames to bone targets: what a tracker gets wrong is absorbed, not passed on.

use std::sync::OnceLock;
use thenar::energy::inertia::{RigidMass, RigidState};
use thenar::hand::{Anatomy, BONE_COUNT, Digit, HandPose, HandSurface, Preset, Side, Skeleton, SkinDetail, XrJoint};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::{ElasticState, Targets, TrackerFrame, TrackingParams};
use thenar::world::WorldConfig;

fn skeleton() -> &'static Skeleton {
    static SKELETON: OnceLock<Skeleton> = OnceLock::new();
    SKELETON.get_or_init(|| {
        let anatomy = Anatomy::preset(Preset::Adult, Side::Right);
        HandSurface::build(&anatomy, SkinDetail::Coarse).unwrap().skeleton
    })
}

fn frame(bend: f64, wrist: Pose) -> TrackerFrame {
    let mut pose = HandPose::default();
    for digit in Digit::ALL {
        *pose.digit_mut(digit) = [bend, 0.0, bend, bend];
    }
    let bones = skeleton().pose(&pose, wrist);
    TrackerFrame { side: Side::Right, joints: skeleton().joint_set(&bones) }
}

fn close(a: &Pose, b: &Pose) -> bool {
    a.position.distance(b.position) < 1e-9 && a.rotation.angle_between(b.rotation) < 1e-6
}

#[test]
fn a_whole_frame_gives_the_poses_it_was_made_from() {
    let wrist = Pose::new(Vec3::new(0.1, 0.2, -0.3), Quat::from_rotation_y(0.7));
    let mut pose = HandPose::default();
    pose.digit_mut(Digit::Index)[0] = 0.5;
    let bones = skeleton().pose(&pose, wrist);
    let mut targets = Targets::new(skeleton());
    let seen = TrackerFrame { side: Side::Right, joints: skeleton().joint_set(&bones) };
    let verdict = targets.accept(&seen, Side::Right, skeleton());
    assert!(verdict.accepted && verdict.filled == 0);
    for (target, bone) in targets.bones.iter().zip(&bones) {
        assert!(close(target, bone), "{target:?} {bone:?}");
    }
}

#[test]
fn missing_and_broken_joints_keep_their_place_relative_to_the_palm() {
    let mut targets = Targets::new(skeleton());
    targets.accept(&frame(0.3, Pose::IDENTITY), Side::Right, skeleton());
    let before = targets.bones;
    let moved = Pose::new(Vec3::new(0.0, 0.3, 0.1), Quat::from_rotation_x(0.4));
    let mut seen = frame(0.3, moved);
    seen.joints[XrJoint::IndexProximal] = None;
    if let Some(joint) = &mut seen.joints[XrJoint::RingDistal] {
        joint.pose.position.x = f64::NAN;
    }
    if let Some(joint) = &mut seen.joints[XrJoint::LittleDistal] {
        joint.pose.position += Vec3::splat(3.0);
    }
    let verdict = targets.accept(&seen, Side::Right, skeleton());
    assert!(verdict.accepted);
    assert!(verdict.filled >= 3, "{verdict:?}");
    for (target, old) in targets.bones.iter().zip(&before) {
        assert!(target.is_finite());
        assert!(target.position.distance((moved * *old).position) < 1e-6, "every bone moves with the palm");
    }
}

#[test]
fn a_frame_without_a_palm_or_of_the_other_hand_changes_nothing() {
    let mut targets = Targets::new(skeleton());
    targets.accept(&frame(0.3, Pose::IDENTITY), Side::Right, skeleton());
    let before = targets.clone();
    let mut blind = frame(0.9, Pose::new(Vec3::ONE, Quat::IDENTITY));
    blind.joints.0.fill(None);
    assert!(!targets.accept(&blind, Side::Right, skeleton()).accepted);
    let mut swapped = frame(0.9, Pose::new(Vec3::ONE, Quat::IDENTITY));
    swapped.side = Side::Left;
    let verdict = targets.accept(&swapped, Side::Right, skeleton());
    assert!(verdict.wrong_side && !verdict.accepted);
    assert_eq!(targets, before);
}

fn masses() -> Vec<RigidMass> {
    skeleton().bones.iter().map(|b| RigidMass { mass: b.mass, inertia: b.inertia }).collect()
}

fn run(
    state: &mut ElasticState,
    params: &TrackingParams,
    tracked: &[Pose; BONE_COUNT],
    simulated: &[Pose],
    steps: u32,
) {
    for _ in 0..steps {
        state.advance(1.0 / params.rate, params, &masses(), tracked, simulated);
    }
}

#[test]
fn an_intermediate_palm_settles_half_way_between_tracked_and_simulated() {
    let params = WorldConfig::default().tracking;
    let rest = skeleton().rest_poses();
    let shift = Vec3::new(0.0, 0.002, 0.0);
    let tracked = rest.map(|p| Pose::new(p.position + shift, p.rotation));
    let mut state = ElasticState::seated(&rest);
    run(&mut state, &params, &tracked, &rest, 500);
    // two equal springs in series
    assert!((state.bones[0].pose.position - rest[0].position - shift * 0.5).length() < 1e-9);
    // phalanges are pulled by the tracked position alone
    assert!((state.bones[5].pose.position - tracked[5].position).length() < 1e-9);
}

#[test]
fn a_jump_of_the_tracker_pulls_the_palm_only_up_to_the_cap() {
    let params = WorldConfig::default().tracking;
    let (rest, mass) = (skeleton().rest_poses(), skeleton().bones[0].mass);
    let tracked = rest.map(|p| Pose::new(p.position + Vec3::X, p.rotation));
    let mut state = ElasticState::seated(&rest);
    let mut strongest = 0.0f64;
    for step in 0..250 {
        let before = state.bones[0].velocity;
        run(&mut state, &params, &tracked, &rest, 1);
        let RigidState { pose, velocity, .. } = state.bones[0];
        assert!(pose.is_finite() && velocity.is_finite());
        let force = (velocity - before).length() * mass * params.rate;
        // at first it lies on the simulated palm, and the tracked one pulls alone; later both do
        let springs = if step == 0 { 1.0 } else { 2.0 };
        assert!(force <= springs * params.palm.force_cap * (1.0 + 1e-12), "step {step}: {force} N");
        strongest = strongest.max(force);
    }
    // a spring without a cap would pull with kilonewtons; of this one, the spring to the simulated palm takes up all but a
    // fifth within the step
    assert!(strongest > 0.1 * params.palm.force_cap, "{strongest} N");
}

#[test]
fn intermediate_bones_run_at_their_own_rate() {
    let params = WorldConfig::default().tracking;
    let rest = skeleton().rest_poses();
    let tracked = rest.map(|p| Pose::new(p.position + Vec3::splat(0.01), p.rotation));
    let (mut coarse, mut fine) = (ElasticState::seated(&rest), ElasticState::seated(&rest));
    for _ in 0..10 {
        coarse.advance(0.02, &params, &masses(), &tracked, &rest);
    }
    for _ in 0..200 {
        fine.advance(0.001, &params, &masses(), &tracked, &rest);
    }
    // the same 0.2 s: 50 intermediate steps either way, but for one that rounding may leave in the accumulator
    assert!(coarse.bones[0].pose.position.distance(fine.bones[0].pose.position) < 1e-4);
}
