//! What the reader must accept, refuse and explain.

use super::{ContactSpec, Scene, ShapeSpec, Variation};
use crate::mutation::mutations;

const GOOD: &str = r##"name = "ball"
story = "A hand closes around a ball."
seconds = 4

[world]
step = 0.001
tracking = "direct"

[[object]]
name = "table"
shape = { box = [0.6, 0.04, 0.4] }
position = [0, -0.02, 0]
fixed = true

[[object]]
name = "ball"
shape = { sphere = 0.0365 }
mass = 0.145
position = [0, 0.0365, 0]
colour = "#f0eee0"

[[object]]
name = "hammer"
shape = { parts = [
    { shape = { cylinder = { radius = 0.012, length = 0.2 } } },
    { shape = { box = [0.1, 0.03, 0.03] }, position = [0, 0.1, 0] },
] }
position = [0.2, 0.1, 0]

[[object]]
name = "ground"
shape = "plane"
fixed = true
position = [0, -0.7, 0]

[[hand]]
side = "right"
tracker = { rate = 72 }

[[hand.key]]
at = 0.0
palm = { position = [0, 0.12, 0.03], fingers = "forward", facing = "down" }
grasp = "open"

[[hand.key]]
at = 1.0
grasp = "cylinder"
amount = 0.8

[[hand.fault]]
from = 2.0
to = 2.5
what = { jump = [1, 0, 0] }

[[hand.fault]]
from = 3.0
to = 3.5
what = "dropout"
joints = ["index-tip"]

[[check]]
name = "lifted"
object = "ball"
measure = "height"
at = 4.0
min = 0.08

[[control]]
name = "ice"
set = { "object.ball.friction" = 0.0 }
fails = ["lifted"]
"##;

fn message(text: &str) -> String {
    Scene::read(text).expect_err("a mistake").to_string()
}

fn with(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    GOOD.replacen(old, new, 1)
}

#[test]
fn a_good_scene_is_read_whole() {
    let scene = Scene::read(GOOD).unwrap();
    assert_eq!((scene.objects.len(), scene.hands.len(), scene.checks.len(), scene.controls.len()), (4, 1, 1, 1));
    assert_eq!(scene.objects[1].shape, ShapeSpec::Sphere(0.0365));
    assert_eq!(scene.objects[3].shape, ShapeSpec::Plane);
    assert_eq!(scene.hands[0].keys[1].amount, Some(0.8));
    assert_eq!(scene.world.gravity, [0.0, -9.81, 0.0]);
}

#[test]
fn writing_and_reading_again_gives_the_same_scene() {
    let scene = Scene::read(GOOD).unwrap();
    let text = toml::to_string(&scene).unwrap();
    assert_eq!(Scene::read(&text).unwrap(), scene, "{text}");
}

#[test]
fn misspelt_names_get_the_nearest_one() {
    let error = message(&with("mass = 0.145", "mas = 0.145"));
    assert!(error.starts_with("line 18, `object[1].mas`: unknown field `mas`, expected one of"), "{error}");
    assert!(error.ends_with("did you mean `mass`?"), "{error}");
    let error = message(&with("\"cylinder\"", "\"cilinder\""));
    assert!(error.starts_with("line 47, `hand[0].key[1].grasp`: unknown variant `cilinder`"), "{error}");
    assert!(error.ends_with("did you mean `cylinder`?"), "{error}");
    let error = message(&with("object = \"ball\"", "object = \"bal\""));
    assert_eq!(error, "line 63, `check[0].object`: there is no object `bal`; did you mean `ball`?");
    let error = message(&with("object = \"ball\"", "object = \"unlike\""));
    assert!(error.contains("there is no object `unlike`; expected one of table, ball, "), "{error}");
    let error = message(&with("\"index-tip\"", "\"index-tipp\""));
    assert!(error.starts_with("line 59, `hand[0].fault[1].joints[0]`: `index-tipp` is no joint"), "{error}");
    let error = message(&with("\"forward\"", "\"foreward\""));
    assert!(error.contains("line 42") && error.ends_with("did you mean `forward`?"), "{error}");
    let error = message(&with("fails = [\"lifted\"]", "fails = [\"lift\"]"));
    assert!(error.starts_with("line 71, `control[0].fails[0]`: there is no check `lift`"), "{error}");
}

#[test]
fn wrong_kinds_of_values_say_what_was_expected() {
    let error = message(&with("mass = 0.145", "mass = \"heavy\""));
    assert_eq!(error, "line 18, `object[1].mass`: invalid type: string \"heavy\", expected a number");
    let error = message(&with("seconds = 4\n", ""));
    assert_eq!(error, "line 1: missing field `seconds`");
    let error = message(&with("{ sphere = 0.0365 }", "{ mesh = 'ball.stl' }"));
    assert!(error.ends_with("expected a table such as { file = \"thing.stl\", scale = 0.001 }"), "{error}");
    let error = message(&with("position = [0, -0.02, 0]", "position = [0, -0.02]"));
    assert!(error.starts_with("line 12, `object[0].position`: invalid length 2"), "{error}");
    let error = message(&with("sphere = 0.0365", "sphere = 0.0365, box = [1, 1, 1]"));
    assert!(error.starts_with("line 17, `object[1].shape"), "{error}");
    let error = message(&with("seconds = 4", "seconds = "));
    assert!(error.starts_with("line 3"), "{error}");
    let error = message(&with("at = 0.0\n", ""));
    assert!(error.contains("missing field `at`"), "{error}");
}

#[test]
fn values_that_make_no_sense_are_refused_with_their_line() {
    for (old, new, expected) in [
        ("mass = 0.145", "mass = -1.0", "line 18, `object[1].mass`: -1 is outside 0.00001 to 10000 kg"),
        ("mass = 0.145", "mass = nan", "line 18, `object[1].mass`: NaN is outside 0.00001 to 10000 kg"),
        ("seconds = 4", "seconds = inf", "line 3, `seconds`: inf is outside 0.001 to 3600 s"),
        ("sphere = 0.0365", "sphere = 0.0", "line 17, `object[1].shape`: sphere radius is 0 m"),
        ("box = [0.6, 0.04, 0.4]", "box = [0.6, -0.04, 0.4]", "line 11, `object[0].shape`: box half y is -0.02 m"),
        ("at = 1.0\n", "at = 0.0\n", "line 46, `hand[0].key[1].at`: keys must come in order of time"),
        ("to = 2.5", "to = 1.5", "line 52, `hand[0].fault[0].to`: 1.5 is outside 2 to 3600 s"),
        ("name = \"ball\"\nshape", "name = \"table\"\nshape", "line 16, `object[1].name`: `table` is already the name"),
        ("min = 0.08", "", "line 61, `check[0]`: check `lifted` needs `min`, `max` or both"),
        ("at = 4.0", "at = 9.0", "line 65, `check[0].at`: 9 is outside 0 to 4 s (the length of the scene)"),
        ("colour = \"#f0eee0\"", "colour = \"white\"", "line 20, `object[1].colour`: `white` is no colour"),
        ("shape = \"plane\"\nfixed = true", "shape = \"plane\"", "line 32, `object[3].shape`: a plane has no end"),
        ("length = 0.2 } }", "length = 0.0 } }", "line 25, `object[2].shape.parts[0].shape`: cylinder half height"),
    ] {
        let error = message(&with(old, new));
        assert!(error.starts_with(expected), "{error}\ninstead of\n{expected}");
    }
}

#[test]
fn variations_replace_values_by_path() {
    let scene = Scene::read(GOOD).unwrap();
    let slippery = scene.with(&scene.controls[0]).unwrap();
    assert_eq!(slippery.objects[1].friction, Some(0.0));
    let vary = |text: &str| Variation {
        name: String::new(),
        set: toml::from_str(text).unwrap(),
        cases: Vec::new(),
        fails: Vec::new(),
    };
    let changed = scene.with(&vary("world.tracking = 'elastic'\nhand.0.key.1.amount = 1.0\nseconds = 5")).unwrap();
    assert_eq!((changed.hands[0].keys[1].amount, changed.seconds), (Some(1.0), 5.0));
    let error = scene.with(&vary("object.bal.mass = 1.0")).unwrap_err().to_string();
    assert_eq!(error, "`object.bal.mass`: there is no `bal`; did you mean `ball`?");
    let error = scene.with(&vary("object.ball.mass = 'x'")).unwrap_err().to_string();
    assert_eq!(error, "`object[1].mass`: invalid type: string \"x\", expected a number");
    assert!(scene.with(&vary("object.ball.mass = -3.0")).is_err());
    assert!(scene.with(&vary("object.ball.weight = 3.0")).is_err());
}

#[test]
fn a_path_replaces_all_that_is_there() {
    let scene = Scene::read(GOOD).unwrap();
    let set = toml::from_str("'object.ball.shape' = { box = [0.1, 0.1, 0.1] }").unwrap();
    let changed = scene.with(&Variation { name: String::new(), set, cases: Vec::new(), fails: Vec::new() }).unwrap();
    assert_eq!(changed.objects[1].shape, ShapeSpec::Box([0.1; 3]));
}

#[test]
fn cases_are_run_in_place_of_the_scene() {
    let cases = "[[case]]\nname = 'light'\nset = { 'object.ball.mass' = 0.05 }\n\
                 [[case]]\nname = 'heavy'\nset = { 'object.ball.mass' = 0.5 }\n";
    let scene = Scene::read(&format!("{GOOD}{cases}")).unwrap();
    let runs = scene.runs().unwrap();
    assert_eq!(runs.iter().map(|(name, _)| name.as_deref()).collect::<Vec<_>>(), [Some("light"), Some("heavy")]);
    assert_eq!(runs[1].1.objects[1].mass, Some(0.5));
    assert_eq!(Scene::read(GOOD).unwrap().runs().unwrap(), [(None, Scene::read(GOOD).unwrap())]);
    let wrong = format!("{GOOD}{}", cases.replace("heavy", "light"));
    assert!(message(&wrong).contains("`light` is already the name of case 0"));
    let wrong = format!("{GOOD}{}", cases.replace("ball.mass", "bal.mass"));
    let error = Scene::read(&wrong).unwrap().runs().unwrap_err().to_string();
    assert!(error.contains("case light: object.bal.mass") && error.contains("there is no `bal`"), "{error}");
}

#[test]
fn pushes_recordings_and_closing_fingers_must_make_sense() {
    let push = "[[push]]\nobject = 'ball'\nfrom = 1\nto = 2\nforce = [1, 0, 0]\n";
    let scene = Scene::read(&format!("{GOOD}{push}")).unwrap();
    assert_eq!(scene.pushes[0].force, Some([1.0, 0.0, 0.0]));
    for (old, new, expected) in [
        ("'ball'", "'bal'", "`push[0].object`: there is no object `bal`; did you mean `ball`?"),
        ("'ball'", "'table'", "`push[0].object`: `table` is fixed and cannot be pushed"),
        ("to = 2", "to = 9", "`push[0].to`: 9 is outside 1 to 4 s"),
        ("force = [1, 0, 0]", "", "`push[0]`: a push needs either `force` or `acceleration`"),
        ("force = [1, 0, 0]", "force = [nan, 0, 0]", "`push[0].force[0]`: NaN is outside"),
    ] {
        let error = message(&format!("{GOOD}{}", push.replace(old, new)));
        assert!(error.contains(expected), "{error}\ninstead of\n{expected}");
    }
    for (old, new, expected) in [
        ("amount = ", "around = \"bal\"\namount = ", "there is no object `bal`"),
        ("amount = ", "squeeze = 3\namount = ", "`squeeze` goes with `around`"),
        ("side = \"right\"", "side = \"right\"\nrecording = \"x.json\"", "in place of its keys"),
        ("side = \"right\"", "side = \"right\"\nrecording-offset = [0, 0, 0]", "there is none"),
        ("mass = 0.145", "mass = 0.145\nheld = -1", "`object[1].held`: -1 is outside"),
    ] {
        let error = message(&with(old, new));
        assert!(error.contains(expected), "{error}\ninstead of\n{expected}");
    }
    let soft = "[[soft]]\nname = 'foam'\nshape = { sphere = 0.03 }\nyoung = 2e4\n";
    assert_eq!(Scene::read(&format!("{GOOD}{soft}")).unwrap().softs[0].tets, None);
    for (old, new, expected) in [
        ("'foam'", "'ball'", "`soft[0].name`: `ball` is already the name"),
        ("{ sphere = 0.03 }", "'plane'", "needs an end"),
        ("young = 2e4", "young = -1", "`soft[0].young`: -1 is outside"),
        ("young = 2e4", "young = 2e4\ndamping = 2", "`soft[0].damping`: 2 is outside 0 to 1 s"),
        ("young = 2e4", "young = 2e4\nfriction = -0.1", "`soft[0].friction`: -0.1 is outside 0 to 10"),
        ("shape = { sphere = 0.03 }", "", "`soft[0]`: a soft object needs either `shape` or `mesh`"),
        ("young = 2e4", "young = 2e4\nmesh = 'a.vtk'", "`soft[0]`: a soft object needs either `shape` or `mesh`"),
        ("young = 2e4", "young = 2e4\nscale = 2", "`soft[0].scale`: `scale` goes with `mesh`"),
        ("young = 2e4", "young = 2e4\ntets = 3", "`soft[0].tets`: 3 is outside 50 to 50000 elements"),
        ("shape = { sphere = 0.03 }", "mesh = 'a.stl'", "`soft[0].mesh`: `a.stl` does not end in .vtk or .msh"),
        ("shape = { sphere = 0.03 }", "mesh = 'a.msh'\ntets = 90", "`soft[0].tets`: a mesh file brings its own"),
        ("shape = { sphere = 0.03 }", "mesh = 'a.msh'\nscale = 0", "`soft[0].scale`: 0 is outside"),
    ] {
        let error = message(&format!("{GOOD}{}", soft.replace(old, new)));
        assert!(error.contains(expected), "{error}\ninstead of\n{expected}");
    }
}

#[test]
fn what_cannot_be_measured_is_said_in_the_words_of_scene_files() {
    let soft = "[[soft]]\nname = 'foam'\nshape = { sphere = 0.03 }\nyoung = 2e4\n";
    for (what, expected) in [
        ("'handle-force'", "the soft object with a `[[soft.handle]]` whose handle-force is measured"),
        ("'handle-force'", "palm-force"),
        (
            "'handle-error'\nobject = 'palm'",
            "there is no object `palm`; of a hand whose palm is led, measure palm-force",
        ),
        ("'handle-torque'\nobject = 'ball'", "`ball` is rigid, and handle-torque is measured on soft objects"),
        ("'handle-torque'\nobject = 'foam'", "the soft object `foam` has none"),
        (
            "'force-over-weight'\nobject = 'foam'",
            "force-over-weight cannot be measured on the soft object `foam`; choose",
        ),
        ("'lift'\nobject = 'foam'", "lift cannot be measured"),
        ("'deformation'\nobject = 'ball'", "`ball` is rigid"),
    ] {
        let error = message(&format!("{GOOD}{soft}[[check]]\nname = 'felt'\nmax = 1\nmeasure = {what}\n"));
        assert!(error.contains(expected), "{error}\ninstead of\n{expected}");
    }
    let error = message(&format!("{}{soft}", with("amount = ", "around = \"foam\"\namount = ")));
    assert!(error.contains("`foam` is soft") && error.contains("rigid objects only"), "{error}");
}

#[test]
fn an_object_may_have_its_own_contact_method() {
    let scene = Scene::read(&with("mass = 0.145", "mass = 0.145\ncontact = \"point\"")).unwrap();
    assert_eq!(
        scene.objects.iter().map(|o| o.contact).collect::<Vec<_>>(),
        [None, Some(ContactSpec::Point), None, None]
    );
    let error = message(&with("mass = 0.145", "mass = 0.145\ncontact = \"points\""));
    assert!(error.starts_with("line 19, `object[1].contact`"), "{error}");
    assert!(error.contains("unknown variant `points`") && error.contains("did you mean `point`?"), "{error}");
    let hosted = with("mass = 0.145", "mass = 0.145\ncontact = \"point\"") + "[host]\nengine = \"rapier\"\n";
    let error = message(&hosted);
    assert!(error.contains("`object[1].contact`") && error.contains("world.set.contact"), "{error}");
}

#[test]
fn damaged_scenes_are_read_or_refused_but_never_panic() {
    let mut refused = 0;
    for bytes in mutations(GOOD.as_bytes(), 3000) {
        if let Err(error) = Scene::read(&String::from_utf8_lossy(&bytes)) {
            refused += 1;
            assert!(!error.to_string().is_empty());
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn deep_nesting_is_refused() {
    let mut shape = "{ sphere = 0.1 }".to_owned();
    for _ in 0..40 {
        shape = format!("{{ parts = [{{ shape = {shape} }}] }}");
    }
    let text = with("{ sphere = 0.0365 }", &shape);
    assert!(Scene::read(&text).is_err());
}
