use thenar::geometry::distance::Shape;
use thenar::hand::*;
use thenar::math::{Pose, Quat, Vec3};
use thenar::tracking::TrackerFrame;
use thenar::world::*;
fn now() -> u64 { use std::sync::OnceLock; static T: OnceLock<std::time::Instant> = OnceLock::new(); T.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64 }
#[test]
fn free() {
    let t = std::time::Instant::now();
    let model = HandModel::build(&HandOptions::default()).unwrap();
    println!("build {:?} tets {} nodes {} skin {} attach {} springs {} contact {}", t.elapsed(), model.tissue.mesh.tets.len(), model.tissue.mesh.positions.len(), model.skin.mesh.positions.len(), model.attachments.len(), model.node_springs.len(), model.contact_vertices.len());
    for b in &model.skeleton.bones { println!("{:?} m {:.4} len {:.3} caps {}", b.id, b.mass, b.length, b.capsules.len()); }
    let mut world = World::new(WorldConfig::default());
    world.set_clock(now);
    let hand = world.add_hand(&model).unwrap();
    let _table = world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::new(Vec3::new(0.0,-0.2,0.0), Quat::IDENTITY))).unwrap();
    let mut pose = HandPose::default();
    let mut ns = [0u64; 6]; let steps=600;
    for i in 0..steps {
        let t = i as f64 / 250.0;
        for d in Digit::FINGERS { let a = pose.digit_mut(d); let c = 0.5-0.5*libm::cos(t*3.0); a[0]=c*1.0; a[2]=c*1.2; a[3]=c*0.8; }
        let bones = model.skeleton.pose(&pose, Pose::new(Vec3::new(0.05*libm::sin(5.0*t),0.0,0.0), Quat::IDENTITY));
        let frame = TrackerFrame { side: model.side, joints: model.skeleton.joint_set(&bones) };
        world.track(hand, &frame);
        let r = *world.step(1.0/250.0).unwrap();
        for k in 0..6 { ns[k]+=r.stage_ns[k]; }
        if i<5||i % 50 == 0 { let o=world.hand(hand); println!("{i} det {:.3} drift {:.5} palm err {:.5} force {:.2} flags {:?}", r.min_det, o.joint_drift, o.bones[0].position.distance(o.tracked[0].position), o.tracking_force.length(), r.flags); 
          for b in [3,6,9] { let e=o.bones[b].rotation.angle_between(o.tracked[b].rotation); print!(" bone {b} ang err {:.3}", e); } println!(); }
    }
    println!("us/step {:?}", ns.map(|n| n/1000/steps));
}
