//! Tracker recordings drive hands over tables for their whole length.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thenar::contact::ContactMethod;
use thenar::hand::{Anatomy, HandModel, HandOptions, Preset, Side, SkinDetail, TissueOptions};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{self, Host};
use thenar_scene::scene::{Scene, Tracking};
use thenar_scene::trackers::{
    Damage, Quality, TrackRecording, TrialOptions, fitted_anatomy, gentleness_of_recording, gentleness_of_scene,
    over_table, read_recording, synthetic,
};

fn built(anatomy: Anatomy) -> HandModel {
    let tissue = TissueOptions { tets: 600, ..TissueOptions::default() };
    HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Coarse, tissue }).unwrap()
}

fn adult() -> Arc<HandModel> {
    static MODEL: OnceLock<Arc<HandModel>> = OnceLock::new();
    Arc::clone(MODEL.get_or_init(|| Arc::new(built(Anatomy::preset(Preset::Adult, Side::Right)))))
}

/// Runs the recording and returns the figures by hand.
fn tried(recording: TrackRecording, right: Arc<HandModel>) -> Vec<(Side, Quality)> {
    let left = Arc::new(right.mirrored());
    let models = |side: Side| if side == Side::Left { Arc::clone(&left) } else { Arc::clone(&right) };
    over_table(&Arc::new(recording), TrialOptions::default(), &models, &mut |_| {}).unwrap().hands
}

/// At least a fifth of all tracked frames touch, and no step is rolled back.
fn holds(name: &str, hands: &[(Side, Quality)]) {
    let (mut tracked, mut touching) = (0, 0);
    for (side, q) in hands {
        println!(
            "{name} {side:?}: {} frames, {:.0} % touch, {} recoveries, joint error {:.1} mm fed {:.1} mm simulated {:.1} mm in the air, \
             jitter {:.2} mm recorded {:.2} mm simulated, at most {:.0} N ({:.0} N when seated)",
            q.tracked,
            100.0 * q.touching_share(),
            q.recoveries,
            1e3 * q.error_before,
            1e3 * q.error_after,
            1e3 * q.error_free.unwrap_or(f64::NAN),
            1e3 * q.jitter_before,
            1e3 * q.jitter_after,
            q.peak_force,
            q.seating_force
        );
        // Known gap: a tracker that takes one hand for the other puts both into the same place; hands that are inside each other
        // may come apart so fast that a step is taken back.
        let most = if name == "swapped" { 6 } else { 0 };
        assert!(q.recoveries <= most, "{name} {side:?}: {} recoveries", q.recoveries);
        tracked += q.tracked;
        touching += q.touching;
    }
    assert!(5 * touching >= tracked, "{name}: {touching} of {tracked} frames touch");
}

#[test]
fn recordings_with_the_faults_of_real_ones_drive_the_hand() {
    let model = adult();
    for (name, damage) in [
        ("clean", Damage::default()),
        ("dropouts", Damage { dropouts: true, quantum: 1e-3, ..Damage::default() }),
        ("positions only", Damage { positions_only: true, noise: 5e-4, ..Damage::default() }),
        ("swapped", Damage { swapped: true, noise: 1e-3, ..Damage::default() }),
    ] {
        let hands = tried(synthetic(&model.skeleton, 3.0, damage), Arc::clone(&model));
        holds(name, &hands);
        let (_, right) = hands.iter().find(|(side, _)| *side == Side::Right).unwrap();
        if name == "clean" {
            // The hand's own joints are fed as they are, and free of contact it lags by a frame or two of a slow motion.
            assert!(right.error_before < 1e-6 && right.error_free.is_some_and(|free| free < 0.005), "{right:?}");
        }
        if damage.noise > 0.0 {
            assert!(right.jitter_after < 0.8 * right.jitter_before, "{name}: springs calm noise, {right:?}");
        }
    }
}

/// Springs that pull, or that act where nothing touches, once made 6562 N of what hard points call 83 N.
#[test]
fn a_noisy_recording_presses_alike_under_every_method() {
    let model = adult();
    let damage = Damage { noise: 1e-3, quantum: 1e-3, dropouts: true, ..Damage::default() };
    let recording = Arc::new(synthetic(&model.skeleton, 2.0, damage));
    for step in [0.004, 0.001] {
        let forces = ContactMethod::ALL.map(|(name, contact)| {
            let options = TrialOptions { step, contact, ..TrialOptions::default() };
            let trial = over_table(&recording, options, &|_| Arc::clone(&model), &mut |_| {}).unwrap();
            let force = trial.hands.iter().map(|(_, q)| q.peak_mean_force).fold(0.0, f64::max);
            println!("{name} at {step} s: {force:.1} N over 10 ms");
            force
        });
        let (least, most) = forces.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &f| (a.min(f), b.max(f)));
        assert!(least > 5.0 && most < 2.0 * least, "{forces:?} at {step} s");
    }
}

#[test]
fn elastic_tracking_is_gentler_than_direct_tracking() {
    let model = adult();
    for name in ["press", "noisy recording"] {
        let [elastic, direct] = [Tracking::Elastic, Tracking::Direct].map(|tracking| {
            let found = match name {
                "press" => gentleness_of_scene(&library::scene(name).unwrap(), tracking, &model),
                _ => gentleness_of_recording(tracking, &model),
            };
            found.unwrap()
        });
        println!("{name}: {elastic:?} {direct:?}");
        assert!(elastic.peak_force < 0.8 * direct.peak_force, "{name}: {elastic:?} {direct:?}");
        if name == "noisy recording" {
            assert!(elastic.jitter < 0.5 * direct.jitter, "{elastic:?} {direct:?}");
            assert!(elastic.kinetic_energy < 0.5 * direct.kinetic_energy, "{elastic:?} {direct:?}");
        }
    }
}

#[test]
fn a_scene_names_the_recording_that_moves_its_hand() {
    let text = "name = 'gloved'\nseconds = 1.0\n[world]\nstep = 0.004\n[[object]]\nname = 'table'\n\
                shape = { box = [0.6, 0.04, 0.6] }\nposition = [0, -0.02, 0]\nfixed = true\n\
                [[hand]]\nside = 'right'\nrecording = 'glove.csv'\nrecording-offset = [0, -0.99, 0]\n\
                [[check]]\nname = 'on the table'\nmeasure = 'contacts'\nat = 0.9\nmin = 5\n\
                [[check]]\nname = 'closed'\nmeasure = 'bend'\nat = 0.9\nmin = 60\n\
                [[check]]\nname = 'no recovery'\nmeasure = 'recoveries'\nmax = 0\n";
    let mut glove = "time,thumb,index,middle,ring,little,x,y,z\n".to_owned();
    for k in 0..=60 {
        let (time, bend) = (f64::from(k) / 60.0, 0.5 * f64::from(k.min(40)) / 40.0);
        glove += &format!("{time},{bend},{bend},{bend},{bend},{bend},0,{},0\n", 1.05 - 0.035 * time);
    }
    let scene = Scene::read(text).unwrap();
    let run = |name: &str, content: &str| {
        let files = BTreeMap::from([(name.to_owned(), content.as_bytes().to_vec())]);
        let mut assets = Assets::new(Path::new("."), 1, &|_, _| {}).with_files(files);
        let outcome = run::run(&scene, &|_| adult(), &mut assets, Host::default(), &mut |_| {});
        outcome.map(|outcome| (outcome, assets.used().unwrap()))
    };
    let (outcome, used) = run("glove.csv", &glove).unwrap();
    assert!(outcome.passed, "{:#?}", outcome.checks);
    assert_eq!(used.keys().collect::<Vec<_>>(), ["glove.csv"], "recordings of runs carry it");
    assert_eq!(run("glove.csv", &glove).unwrap().0.hash, outcome.hash);
    let still = glove.lines().take(2).collect::<Vec<_>>().join("\n");
    assert!(!run("glove.csv", &still).unwrap().0.passed, "a glove that does not move closes nothing");
    assert!(run("other.csv", &glove).is_err_and(|error| error.to_string().contains("glove.csv")));
    let left = "{\"format\": \"glove-5\", \"side\": \"left\", \"frames\": [[0, [0, 0, 0, 0, 0]]]}";
    assert!(run("glove.csv", left).is_err_and(|error| error.to_string().contains("no frame of a Right hand")));
}

/// `THENAR_RECORDINGS`, or the folder `shared/recordings` beside the repository.
fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        std::env::var_os("THENAR_RECORDINGS").map(PathBuf::from),
        Some(root.join("../shared/recordings")),
        Some(root.join("../../shared/recordings")),
    ];
    let list = |folder: PathBuf| -> Option<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder).ok()?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        Some(files)
    };
    folders.into_iter().flatten().find_map(list).unwrap_or_default()
}

#[test]
fn real_recordings_drive_the_hand_for_their_whole_length() {
    let files = recordings();
    if files.is_empty() {
        println!("skipped: no recordings folder beside the repository (or set THENAR_RECORDINGS)");
    }
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let recording = read_recording(&std::fs::read(&path).unwrap(), &name).unwrap();
        let side = recording.sides().into_iter().max_by_key(|side| recording.tracked(*side)).unwrap();
        let mut anatomy = fitted_anatomy(&recording, side).unwrap();
        anatomy.side = Side::Right;
        holds(&name, &tried(recording, Arc::new(built(anatomy))));
    }
}
