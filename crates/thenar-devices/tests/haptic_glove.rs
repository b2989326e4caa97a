//! A glove: palm and fifteen phalanges of a hand as handles, led by a program that speaks the local protocol, pressed on a table. In virtual time, over a real socket.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;
use thenar::geometry::distance::Shape;
use thenar::hand::{BoneId, Digit, HandModel, HandOptions, HandPose, SkinDetail};
use thenar::haptics::{DeviceCoupling, HandleId, HandleState, ProxyModel};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{HandId, ObjectDef, World, WorldConfig};
use thenar_devices::haptics::triple::triple;
use thenar_devices::haptics::udp::{PoseMessage, write_pose};
use thenar_devices::haptics::{GloveOutput, Motors, Renderer, RendererParams, UdpDevice};

const HANDLES: usize = 16;
/// Of the world, seconds: twenty ticks.
const STEP: f64 = 0.02;

/// What the program is told.
struct Answer {
    on: bool,
    /// Force and torque on each handle.
    wrenches: Vec<f64>,
    /// Where they were asked for.
    joints: Option<Vec<f64>>,
}

fn heard(line: &UdpSocket) -> Answer {
    let mut bytes = [0; 2000];
    let length = line.recv(&mut bytes).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[..4], word(8)), (&b"THw1"[..], 16));
    let numbers: Vec<f64> =
        bytes[16..length].chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect();
    let with_joints = word(12) & 2 != 0;
    assert_eq!(length, 16 + 48 * HANDLES + if with_joints { 160 } else { 0 });
    let (wrenches, joints) = numbers.split_at(6 * HANDLES);
    Answer { on: word(12) & 1 != 0, wrenches: wrenches.to_vec(), joints: with_joints.then(|| joints.to_vec()) }
}

fn model() -> Arc<HandModel> {
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = 600;
    Arc::new(HandModel::build(&options).unwrap())
}

/// How far the pads are to hang below the wrist, metres.
const LOW: f64 = -0.07;

/// Fingers bent so far that all four pads are at one height, the thumb out of the way.
fn bent(model: &HandModel) -> HandPose {
    let mut pose = HandPose { digits: [[0.0, 0.0, 0.4, 0.25]; 5] };
    pose.digits[Digit::Thumb.index()] = [-0.17, 0.17, 0.0, 0.0];
    for digit in Digit::FINGERS {
        let (mut high, mut low) = (0.0, 1.4);
        for _ in 0..30 {
            let middle = 0.5 * (high + low);
            pose.digits[digit.index()][0] = middle;
            let bones = model.skeleton.pose(&pose.clamped(&model.skeleton), Pose::IDENTITY);
            let tip = bones[BoneId::of(digit, 2).index()];
            let lowest =
                model.pads[digit.index()].iter().map(|pad| tip.point(pad.local).y).fold(f64::INFINITY, f64::min);
            *(if lowest > LOW { &mut high } else { &mut low }) = middle;
        }
    }
    pose
}

/// A hand half a centimetre above a table, all bones handles.
fn above_a_table(model: &Arc<HandModel>) -> (World, HandId, Vec<HandleId>) {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let hand = world.add_hand(model).unwrap();
    let top = Pose::new(Vec3::Y * (LOW - 5e-3), Quat::IDENTITY);
    world.add_object(ObjectDef::fixed("table", Shape::Plane, top)).unwrap();
    let handles = world.add_glove(hand, DeviceCoupling::default().into()).unwrap();
    assert_eq!(handles.len(), HANDLES);
    let skeleton = &model.skeleton;
    let bones = skeleton.pose(&bent(model).clamped(skeleton), Pose::IDENTITY);
    world.track(hand, &TrackerFrame { side: model.side, joints: skeleton.joint_set(&bones) }).unwrap();
    world.step(STEP).unwrap();
    (world, hand, handles)
}

#[test]
fn a_glove_over_udp_feels_what_its_phalanges_touch() {
    // at rest what is felt is what the step found, to what is left of its last motion
    press(false, 1e-3);
    // the controller counts each handle by itself, and holds back what handles pull each other with by their joints without having been moved against it
    press(true, 0.1);
}

/// Presses, and compares the sum of what is felt with what the table exerts, to that share.
fn press(control: bool, tolerance: f64) {
    let model = model();
    let (mut world, hand, handles) = above_a_table(&model);
    let homes: Vec<Pose> = handles.iter().map(|handle| world.handle_state(*handle).unwrap().pose).collect();
    let device = UdpDevice::bind("127.0.0.1:0", HANDLES).unwrap();
    let line = UdpSocket::bind("127.0.0.1:0").unwrap();
    line.connect(device.address().unwrap()).unwrap();
    line.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut params = RendererParams::default();
    params.passivity = params.passivity.through(&DeviceCoupling::default());
    params.passivity.control = control;
    let mut renderer = Renderer::new(Box::new(device), &homes, params).unwrap().gloved(&model.skeleton);
    let (mut models, mut reader) = triple(|| ProxyModel::of(HANDLES));
    // the program has axes of its own
    let elsewhere = Vec3::new(0.3, 0.1, -0.2);
    let mut last = None;
    let mut number = 0;
    for tick in 0..1800u32 {
        let time = 1e-3 * f64::from(tick);
        if tick % 20 == 0 {
            for (handle, state) in handles.iter().zip(renderer.states()) {
                world.set_handle_target(*handle, *state).unwrap();
            }
            world.step(STEP).unwrap();
            assert!(!world.report().flags.rolled_back, "at {time} s: {:?}", world.report().failure);
            if world.proxy_model(&handles, 1e-3, STEP, models.slot()).unwrap() {
                number += 1;
                (models.slot().number, models.slot().led_at) = (number, time - 1e-3);
                models.publish();
            }
        }
        // down for a second, then still
        let down = 0.007 * ((time - 0.2) / 0.8).clamp(0.0, 1.0);
        let states: Vec<HandleState> = homes
            .iter()
            .map(|home| HandleState {
                pose: Pose { position: home.position + elsewhere - Vec3::Y * down, ..*home },
                ..HandleState::default()
            })
            .collect();
        // joints are asked for in the second half
        let message = PoseMessage { sequence: tick, motors: Motors::six(40.0, 2.0), joints: tick >= 900, states };
        line.send(&write_pose(&message)).unwrap();
        renderer.tick(time, &mut reader);
        let answer = heard(&line);
        assert_eq!(answer.joints.is_some(), tick >= 900, "asked for or not");
        last = Some(answer);
    }
    let answer = last.unwrap();
    assert!(answer.on && renderer.statistics().lost == 0);
    let force = |bone: BoneId| Vec3::from_slice(&answer.wrenches[6 * bone.index()..6 * bone.index() + 3]);

    let on_table: Vec3 = world.contacts().iter().filter(|p| p.active && !p.is_between_soft()).map(|p| p.force).sum();
    let sum: Vec3 = BoneId::all().map(force).sum();
    println!("the table pushes with {on_table}, the glove with {sum}");
    assert!(on_table.y > 2.0 && (sum - on_table).length() < tolerance * on_table.length(), "{sum} and {on_table}");

    let mut touching = 0;
    for digit in Digit::ALL {
        let tip = BoneId::of(digit, 2);
        let contacts = world.hand(hand).contacts.iter().filter(|contact| contact.patch.bone() == tip);
        let pushed: Vec3 = contacts.map(|contact| contact.force).sum();
        let of_digit: Vec3 = (0..3).map(|segment| force(BoneId::of(digit, segment))).sum();
        println!(
            "{digit:?}: the table pushes its tip with {pushed}, the glove that with {}, all of it {of_digit}",
            force(tip)
        );
        if pushed.y > 0.2 {
            touching += 1;
            assert!(force(tip).y > 0.0 && of_digit.y > 0.0, "{digit:?} is pushed away from the table");
        }
    }
    assert!(touching >= 3, "{touching} fingertips touch");

    let expected = GloveOutput::of(&model.skeleton, renderer.states(), renderer.wrench()).unwrap();
    let joints = answer.joints.unwrap();
    assert_eq!(joints, expected.joints.as_flattened(), "the torques of the protocol are those of the wrenches");
    let most = joints.iter().fold(0.0, |most: f64, torque| most.max(torque.abs()));
    assert!(most > 1e-3 && renderer.statistics().joint_torque_most >= most, "{most} N·m");
}
