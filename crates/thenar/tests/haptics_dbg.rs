#![allow(clippy::disallowed_macros)]
mod tools;
use thenar::contact::ContactMethod;
use thenar::haptics::{HandleModel, Lead, Linearisation, ContactMatrix};
use tools::*;
#[test]
fn dbg() {
    for (on, dt) in [(Ground::Rigid, 0.004), (Ground::Rigid, 0.02), (Ground::Soft, 0.02)] {
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        let (mut world, handle) = prepared(method, on, Doing::Sliding, dt);
        let mut target = world.handle_wish(handle).unwrap().unwrap();
        for _ in 0..6 {
            world.set_handle_target(handle, target).unwrap();
            world.step(dt).unwrap();
            target.go_on(dt);
            let mut m = HandleModel::of(1);
            world.handle_model(&mut m).unwrap();
            let mut f = HandleModel::of(1);
            world.handle_model_by(Linearisation { lead: Lead::Free, contacts: ContactMatrix::Full }, &mut f).unwrap();
            let c = world.contacts();
            let n = c.iter().filter(|p| p.active).count();
            let s = c.iter().filter(|p| p.active && p.slipping).count();
            let b = c.iter().filter(|p| p.active && p.block.is_some()).count();
            println!("{on:?} {method:?} {dt}: active {n} slipping {s} rows {b} parts {} rounds {} F {:.2?} K {:.1?} D {:.2?} Free {:.1?}", world.report().parts, world.report().rounds, &m.force[..3], [m.stiffness[0], m.stiffness[7], m.stiffness[14], m.stiffness[1], m.stiffness[6]], [m.damping[0], m.damping[7]], [f.stiffness[0], f.stiffness[7], f.damping[7]]);
        }
    }}
}
