//! Touch on the fingertips in the scenes that are about it: grip strength is felt, slip in time, and discs never jump.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use thenar::hand::{BoneId, Digit, HandModel, HandOptions, Side};
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

/// What is felt of a grip that lifts the can of a scene, or fails to.
#[derive(Default)]
struct Felt {
    /// Sum of the displacements of three discs before the lift, metres, and their number.
    pressed: (f64, f64),
    slid: [Slid; 3],
    /// Slip events while the hand goes up.
    told: usize,
    /// Fingers that slid for a millimetre while nobody was told.
    unseen: Vec<(usize, f64)>,
    /// Slip in the hold.
    in_the_hold: usize,
}

impl Felt {
    fn of(name: &str, method: &str) -> Felt {
        let mut felt = Felt::default();
        watch(name, method, |simulation| felt.read(simulation));
        felt
    }

    fn read(&mut self, simulation: &Simulation) {
        let (world, time) = (simulation.world(), simulation.time());
        let fingers = &world.hand(simulation.hands()[0].id).tactile;
        let can = world.object(simulation.objects()[1]).pose;
        if (2.3..2.5).contains(&time) {
            self.pressed.0 += fingers[..3].iter().map(|finger| finger.disc.displacement).sum::<f64>();
            self.pressed.1 += 3.0;
        }
        if (2.5..3.4).contains(&time) {
            for (k, (slid, finger)) in self.slid.iter_mut().zip(fingers).enumerate() {
                let before = slid.way;
                slid.watch(&can, &finger.samples);
                self.told += usize::from(finger.slip.event);
                // past the first millimetre, a finger that still presses must have been told
                if before <= 1e-3 && slid.way > 1e-3 && finger.pressing > 0.1 && !finger.slip.slipping {
                    self.unseen.push((k, time));
                }
            }
        }
        if time > 3.6 {
            self.in_the_hold += fingers.iter().filter(|finger| finger.slip.event || finger.slip.slipping).count();
        }
    }
}

/// Grip strength is felt by how far discs press; slip is told before a millimetre of sliding, and never while a grip holds.
fn judge(method: &str) {
    let (weak, strong) = (Felt::of("lift-weak", method), Felt::of("lift-strong", method));
    let [a, b] = [&weak, &strong].map(|felt| felt.pressed.0 / felt.pressed.1);
    println!("{method}: discs at {:.2} mm in a weak grip, at {:.2} mm in a strong one", a * 1e3, b * 1e3);
    assert!(b - a >= 3e-4, "{method}: {a} and {b} m");
    assert!(weak.told >= 1 && weak.unseen.is_empty(), "{method}: told {} times, unseen {:?}", weak.told, weak.unseen);
    assert_eq!(strong.in_the_hold, 0, "{method}: slip in the hold");
}

#[test]
fn grip_and_slip_are_felt() {
    judge("penalty");
}

#[test]
fn grip_and_slip_are_felt_under_the_other_methods() {
    judge("point");
    judge("aggregate");
}

/// In a grasp, where skin touches a thing and other fingers: what a robot's grid of taxels shows is what the finger bears.
#[test]
fn taxels_sum_to_the_force_on_every_fingertip_of_a_grasp() {
    for method in ["penalty", "point", "aggregate"] {
        let (mut pressed, mut strongest) = (0, 0.0f64);
        watch("lift-strong", method, |simulation| {
            let out = simulation.world().hand(simulation.hands()[0].id);
            for digit in Digit::ALL {
                let finger = &out.tactile[digit.index()];
                let felt = finger.frame.rotation * finger.taxels.sum();
                let whole = out.bone_wrenches[BoneId::of(digit, 2).index()].force;
                let title = format!("{method}, {digit:?}, {:.3} s", simulation.time());
                assert!(felt.distance(whole) <= 1e-2 * whole.length() + 1e-9, "{title}: {felt} of {whole} N");
                pressed += usize::from(whole.length() > 1.0);
                strongest = strongest.max(whole.length());
            }
        });
        assert!(pressed > 500 && strongest > 5.0, "{method}: {pressed} times, {strongest} N");
    }
}

#[test]
fn discs_never_jump_and_never_outrun_the_device() {
    for name in ["rotate", "lift-strong"] {
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
