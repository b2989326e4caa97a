//! Tissue whose stress relaxes, in a world: what lies on it sinks in at first as the stiffer tissue lets it, and in the end as the elastic one does.

mod touching;

use thenar::contact::ContactMethod;
use thenar::math::Vec3;
use thenar::world::{ObjectId, Relaxation, SoftDef, World, WorldConfig};
use touching::{DENSITY, FRICTION, METHODS, RUBBER, block, free_box, plane, run, slope};

const BLOCK: Vec3 = Vec3::new(0.03, 0.03, 0.03);

/// A box of half a kilogram on a soft block whose surface it covers.
fn pressed(method: ContactMethod, relaxation: Option<Relaxation>) -> (World, ObjectId) {
    let mut world = World::new(touching::config(method, slope(0.0))).unwrap();
    plane(&mut world, FRICTION);
    let mesh = block([3, 3, 3], BLOCK, Vec3::Y * 0.015);
    let def = SoftDef { friction: FRICTION, relaxation, ..SoftDef::new("block", mesh, RUBBER, DENSITY) };
    world.add_soft(def).unwrap();
    let lid = free_box(&mut world, Vec3::new(0.02, 0.01, 0.02), 0.5, Vec3::Y * 0.04);
    (world, lid)
}

/// How deep the box is after so many seconds, metres.
fn sunk(method: ContactMethod, relaxation: Option<Relaxation>, seconds: f64) -> f64 {
    let (mut world, lid) = pressed(method, relaxation);
    run(&mut world, seconds, 1.0 / 250.0, |_| ());
    0.04 - world.object(lid).pose.position.y
}

/// A spring beside a Maxwell element of share `g` and time `τ` under a load gives way as `1 − g/(1 + g) e^(−t/(τ (1 + g)))` of what the spring alone does:
/// strains are a few percent, and springs of contact are a thousand times as stiff.
#[test]
fn tissue_under_a_load_creeps_as_a_standard_linear_solid() {
    for method in METHODS {
        let elastic = sunk(method, None, 1.0);
        let slow = |share: f64, time: f64| Relaxation { shares: [0.0, share], times: [0.1, time] };
        for (share, time) in [(1.0, 10.0), (0.5, 2.0), (1.0, 0.2)] {
            let expected = elastic * (1.0 - share / (1.0 + share) * libm::exp(-1.0 / (time * (1.0 + share))));
            let found = sunk(method, Some(slow(share, time)), 1.0);
            assert!(
                (found - expected).abs() < 0.02 * elastic,
                "{method:?}, share {share}, {time} s: {:.4} mm instead of {:.4}",
                1e3 * found,
                1e3 * expected
            );
        }
    }
}

#[test]
fn snapshots_hold_what_has_relaxed() {
    let relaxation = Some(Relaxation::FINGERTIP);
    let (mut world, _) = pressed(ContactMethod::Penalty, relaxation);
    run(&mut world, 0.1, 0.004, |_| ());
    let snapshot = world.snapshot();
    run(&mut world, 0.1, 0.004, |_| ());
    let hash = world.state().hash();
    world.restore(&snapshot).unwrap();
    run(&mut world, 0.1, 0.004, |_| ());
    assert_eq!(world.state().hash(), hash);
    // tissue that does not relax goes on from there, too, and back
    let (mut elastic, _) = pressed(ContactMethod::Penalty, None);
    elastic.restore(&snapshot).unwrap();
    run(&mut elastic, 0.1, 0.004, |w| assert!(!w.report().flags.rolled_back));
    world.restore(&elastic.snapshot()).unwrap();
    run(&mut world, 0.1, 0.004, |w| assert!(!w.report().flags.rolled_back));
}

#[test]
fn relaxation_out_of_range_is_refused() {
    let mut config = WorldConfig::default();
    config.tissue.relaxation = Some(Relaxation { shares: [-1.0, 0.0], times: [0.1, 1.0] });
    let error = World::new(config).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("relaxation") && error.contains("-1"), "{error}");
}
