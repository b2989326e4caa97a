//! A step gives the same bits on any number of threads.

use std::sync::Arc;
use thenar::contact::ContactMethod;
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, HandModel, HandOptions, HandPose, SkinDetail};
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::{ObjectDef, World, WorldConfig};
use thenar_scene::executor::ThreadPool;

fn hand(tets: usize) -> HandModel {
    let mut options = HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() };
    options.tissue.tets = tets;
    HandModel::build(&options).unwrap()
}

/// Hashes of every step in which hands at these places close on a block.
fn hashes(model: &HandModel, method: ContactMethod, places: &[Vec3], threads: Option<usize>) -> Vec<u64> {
    let mut world = World::new(WorldConfig { method, ..WorldConfig::default() }).unwrap();
    if let Some(threads) = threads {
        world.set_executor(Arc::new(ThreadPool::new(threads)));
    }
    let hands: Vec<_> = places.iter().map(|_| world.add_hand(model).unwrap()).collect();
    for &place in places {
        let at = Pose::new(place + Vec3::new(0.0, -0.04, -0.08), Quat::IDENTITY);
        world.add_object(ObjectDef::moving("block", Shape::Box { half: Vec3::splat(0.025) }, 0.1, at)).unwrap();
    }
    let mut touched = 0;
    let hashes = (0..40)
        .map(|step| {
            let closed = f64::from(step) / 20.0;
            for (&id, &place) in hands.iter().zip(places) {
                let mut pose = HandPose::default();
                for digit in Digit::FINGERS {
                    *pose.digit_mut(digit) = [0.5 * closed, 0.0, 0.5 * closed, 0.3 * closed];
                }
                let bones = model.skeleton.pose(&pose, Pose::new(place, Quat::IDENTITY));
                world.track(id, &TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) }).unwrap();
            }
            let report = world.step(1.0 / 90.0).unwrap();
            touched = touched.max(report.skin_contacts);
            report.hash
        })
        .collect();
    assert!(touched > 0, "the hands touched something: {touched}");
    hashes
}

/// Several bodies are assembled and factored at the same time.
#[test]
fn two_hands_on_any_number_of_threads() {
    let model = hand(600);
    let places = [Vec3::ZERO, Vec3::new(0.4, 0.0, 0.0)];
    for (name, method) in ContactMethod::ALL {
        let alone = hashes(&model, method, &places, None);
        for threads in [1, 2, 3] {
            assert_eq!(hashes(&model, method, &places, Some(threads)), alone, "{name}, {threads} threads");
        }
    }
}

/// Elements and subtrees of one body are worked on at the same time.
#[test]
fn one_fine_hand_on_any_number_of_threads() {
    let model = hand(4600);
    for (name, method) in ContactMethod::ALL {
        let alone = hashes(&model, method, &[Vec3::ZERO], None);
        for threads in [2, 3] {
            assert_eq!(hashes(&model, method, &[Vec3::ZERO], Some(threads)), alone, "{name}, {threads} threads");
        }
    }
}
