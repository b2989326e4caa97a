//! Touch on the fingertips in the scenes that are about it: grip strength is felt, slip in time, and discs never jump.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use thenar::hand::{HandModel, HandOptions, Side};
use thenar::math::{Pose, Vec3};
use thenar::tactile::{DeviceModel, DiscPose};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{Host, Simulation, run};

fn model(_: Side) -> Arc<HandModel> {
    static RIGHT: OnceLock<Arc<HandModel>> = OnceLock::new();
    Arc::clone(RIGHT.get_or_init(|| Arc::new(HandModel::build(&HandOptions::default()).unwrap())))
}

/// Runs a scene of the library; `watch` sees every step.
fn watch(name: &str, method: &str, mut watch: impl FnMut(&Simulation)) {
    let mut scene = library::scene(name).unwrap();
    scene.world.set.insert("contact".to_owned(), method.into());
    scene.checks.clear();
    scene.controls.clear();
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    run(&scene, &model, &mut assets, Host::default(), &mut watch).unwrap();
}

/// Mean displacement of the discs of thumb, index and middle before the lift, metres.
fn pressed(name: &str, method: &str) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    watch(name, method, |simulation| {
        if (2.3..2.5).contains(&simulation.time()) {
            let fingers = &simulation.world().hand(simulation.hands()[0].id).tactile[..3];
            sum += fingers.iter().map(|finger| finger.disc.displacement).sum::<f64>();
            count += 3.0;
        }
    });
    sum / count
}

#[test]
fn the_strength_of_a_grip_is_felt() {
    for method in ["penalty", "point", "aggregate"] {
        let (weak, strong) = (pressed("lift-weak", method), pressed("lift-strong", method));
        println!("{method}: weak {:.2} mm, strong {:.2} mm", weak * 1e3, strong * 1e3);
        assert!(strong - weak >= 3e-4, "{method}: discs are pressed in by {weak} and {strong} m");
    }
}

/// How far the skin that touched the can when the lift began has slid over it.
#[derive(Default)]
struct Slid {
    before: Option<(Vec<usize>, Vec3)>,
    way: f64,
}

impl Slid {
    fn watch(&mut self, can: &Pose, samples: &[thenar::tactile::SampleTouch]) {
        let mean = |chosen: &[usize]| {
            chosen.iter().map(|&i| can.local(samples[i].position)).sum::<Vec3>() / chosen.len() as f64
        };
        match &self.before {
            None => {
                let touching: Vec<usize> = (0..samples.len()).filter(|&i| samples[i].gap < 1e-4).collect();
                if !touching.is_empty() {
                    let at = mean(&touching);
                    self.before = Some((touching, at));
                }
            }
            Some((chosen, at)) => self.way = mean(chosen).distance(*at),
        }
    }
}

#[test]
fn slip_is_reported_before_a_millimetre_of_sliding_and_never_while_a_grip_holds() {
    for method in ["penalty", "point", "aggregate"] {
        let mut slid: [Slid; 3] = Default::default();
        let (mut told, mut unseen) = (0, Vec::new());
        watch("lift-weak", method, |simulation| {
            if !(2.5..3.4).contains(&simulation.time()) {
                return;
            }
            let world = simulation.world();
            let can = world.object(simulation.objects()[1]).pose;
            for (k, slid) in slid.iter_mut().enumerate() {
                let finger = &world.hand(simulation.hands()[0].id).tactile[k];
                let before = slid.way;
                slid.watch(&can, &finger.samples);
                if finger.slip.event {
                    told += 1;
                }
                // past the first millimetre, a finger that still presses must have been told
                if before <= 1e-3 && slid.way > 1e-3 && finger.pressing > 0.1 && !finger.slip.slipping {
                    unseen.push((k, simulation.time(), finger.slip));
                }
            }
        });
        assert!(told >= 1 && unseen.is_empty(), "{method}: told {told} times, unseen {unseen:?}");
        let mut events = 0;
        watch("lift-strong", method, |simulation| {
            if simulation.time() > 3.6 {
                let fingers = &simulation.world().hand(simulation.hands()[0].id).tactile;
                events += fingers.iter().filter(|finger| finger.slip.event || finger.slip.slipping).count();
            }
        });
        assert_eq!(events, 0, "{method}: slip in the hold");
    }
}

#[test]
fn discs_never_jump_and_never_outrun_the_device() {
    for name in ["rotate", "lift-weak", "lift-strong"] {
        let device = DeviceModel::default();
        let mut last: Vec<Option<(DiscPose, Vec3)>> = vec![None; 5];
        let mut worst = [0.0f64; 3];
        watch(name, "penalty", |simulation| {
            let dt = simulation.step();
            for (finger, last) in simulation.world().hand(simulation.hands()[0].id).tactile.iter().zip(&mut last) {
                let (now, at) = (finger.disc, finger.frame.position);
                if let Some((before, was)) = last.replace((now, at)) {
                    let moved = (now.displacement - before.displacement).abs() / dt;
                    let turned = (now.pitch - before.pitch).hypot(now.roll - before.roll) / dt;
                    worst[0] = worst[0].max(moved / device.rate).max(turned / device.tilt_rate);
                    if at.distance(was) / dt < 0.02 {
                        // per 1/90 s: 0.1 mm and 1°
                        worst[1] = worst[1].max(moved / 90.0 / 1e-4);
                        worst[2] = worst[2].max(turned.to_degrees() / 90.0);
                    }
                }
            }
        });
        assert!(worst.iter().all(|share| *share <= 1.0 + 1e-9), "{name}: {worst:?}");
    }
}

#[test]
fn outputs_hold_touch() {
    use thenar_scene::recording::{Compression, OutputChannels, OutputTables};
    let mut scene = library::scene("lift-strong").unwrap();
    scene.seconds = 0.02;
    scene.checks.clear();
    scene.controls.clear();
    let folder = std::env::temp_dir().join(format!("thenar-tactile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    let mut simulation = Simulation::new(&scene, &model, &mut assets).unwrap();
    let mut tables = OutputTables::create(&folder, &simulation, Compression::None).unwrap();
    let mut file = OutputChannels::new(std::io::Cursor::new(Vec::new()), &simulation, Vec::new()).unwrap();
    while simulation.advance().unwrap().is_some() {
        tables.watch(&simulation).unwrap();
        file.watch(&simulation).unwrap();
    }
    tables.finish().unwrap();
    let packed = std::fs::read(folder.join("outputs.npz")).unwrap();
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    for array in ["hand0_discs.npy", "hand0_disc_targets.npy", "hand0_disc_legs.npy", "hand0_fingertips.npy"] {
        assert!(holds(&packed, array), "{array}");
    }
    assert!(holds(&packed, "'shape': (5,5,6,4,3,)"), "taxels of five steps");
    let bytes = file.finish().unwrap().into_inner();
    assert!(holds(&bytes, "/hand/0/tactile") && holds(&bytes, "\"slip_event\":false"));
    std::fs::remove_dir_all(&folder).unwrap();
}
