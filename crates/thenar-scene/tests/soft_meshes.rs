//! Soft objects whose tetrahedra come from a file, and objects with a contact method of their own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use thenar::hand::{HandModel, HandOptions};
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{self, Host, Outcome, RunError, Simulation, SoftThing};
use thenar_scene::scene::Scene;

/// A slab of cubes in millimetres, each cut into six tetrahedra about its diagonal.
fn slab(cubes: [usize; 3], edge: f64) -> (Vec<[f64; 3]>, Vec<[usize; 4]>) {
    let nodes = cubes.map(|n| n + 1);
    let number = |at: [usize; 3]| (at[2] * nodes[1] + at[1]) * nodes[0] + at[0];
    let mut positions = Vec::new();
    for k in 0..nodes[0] * nodes[1] * nodes[2] {
        let at = [k % nodes[0], k / nodes[0] % nodes[1], k / nodes[0] / nodes[1]];
        positions.push(std::array::from_fn(|axis| (at[axis] as f64 - 0.5 * cubes[axis] as f64) * edge));
    }
    let mut tets = Vec::new();
    for k in 0..cubes[0] * cubes[1] * cubes[2] {
        let origin = [k % cubes[0], k / cubes[0] % cubes[1], k / cubes[0] / cubes[1]];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = origin;
            let mut tet = [number(at); 4];
            for (corner, axis) in order.into_iter().enumerate() {
                at[axis] += 1;
                tet[corner + 1] = number(at);
            }
            tets.push(tet);
        }
    }
    (positions, tets)
}

fn vtk(positions: &[[f64; 3]], tets: &[[usize; 4]]) -> String {
    let mut text = "# vtk DataFile Version 3.0\nslab\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_owned();
    writeln!(text, "POINTS {} double", positions.len()).unwrap();
    positions.iter().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").unwrap());
    writeln!(text, "CELLS {} {}", tets.len(), 5 * tets.len()).unwrap();
    tets.iter().for_each(|[a, b, c, d]| writeln!(text, "4 {a} {b} {c} {d}").unwrap());
    writeln!(text, "CELL_TYPES {}", tets.len()).unwrap();
    tets.iter().for_each(|_| text.push_str("10\n"));
    text
}

fn msh(positions: &[[f64; 3]], tets: &[[usize; 4]]) -> String {
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n".to_owned();
    writeln!(text, "{}", positions.len()).unwrap();
    positions.iter().enumerate().for_each(|(k, [x, y, z])| writeln!(text, "{} {x} {y} {z}", k + 1).unwrap());
    writeln!(text, "$EndNodes\n$Elements\n{}", tets.len()).unwrap();
    for (k, [a, b, c, d]) in tets.iter().map(|tet| tet.map(|n| n + 1)).enumerate() {
        writeln!(text, "{} 4 2 0 1 {a} {b} {c} {d}", k + 1).unwrap();
    }
    text + "$EndElements\n"
}

const SCENE: &str = "name = 'slab'\nseconds = 0.6\n[world]\nstep = 0.004\n\
    [[object]]\nname = 'table'\nshape = 'plane'\nfixed = true\n\
    [[soft]]\nname = 'slab'\nmesh = 'slab.vtk'\nscale = 0.001\nposition = [0, 0.016, -0.06]\nyoung = 8e3\n\
    [[hand]]\nside = 'right'\n[[hand.key]]\nat = 0\npalm = { position = [0, 0.09, 0] }\ngrasp = 'flat'\n\
    [[hand.key]]\nat = 0.5\npalm = { position = [0, 0.015, 0] }\n\
    [[check]]\nname = 'pressed flat'\nobject = 'slab'\nmeasure = 'squash'\nover = 'max'\nmin = 0.001\n\
    [[check]]\nname = 'no recovery'\nmeasure = 'recoveries'\nmax = 0\n";

fn hand() -> Arc<HandModel> {
    static HAND: OnceLock<Arc<HandModel>> = OnceLock::new();
    Arc::clone(HAND.get_or_init(|| Arc::new(HandModel::build(&HandOptions::default()).unwrap())))
}

fn ran(scene: &str, file: &str, content: String) -> Result<(Outcome, Vec<String>), RunError> {
    let scene = Scene::read(scene).unwrap();
    let files = BTreeMap::from([(file.to_owned(), content.into_bytes())]);
    let mut assets = Assets::only(files, 1, &|_, _| {});
    let outcome = run::run(&scene, &|_| hand(), &mut assets, Host::default(), &mut |_| {})?;
    Ok((outcome, assets.used().unwrap().into_keys().collect()))
}

#[test]
fn a_hand_presses_on_the_tetrahedra_of_a_file() {
    let (positions, tets) = slab([8, 3, 6], 10.0);
    let (outcome, used) = ran(SCENE, "slab.vtk", vtk(&positions, &tets)).unwrap();
    assert!(outcome.passed, "{:#?}", outcome.checks);
    assert_eq!(used, ["slab.vtk"], "recordings of runs carry it");
    // The same elements from the other format move in the same way, bit by bit.
    let (other, _) = ran(&SCENE.replace("slab.vtk", "slab.msh"), "slab.msh", msh(&positions, &tets)).unwrap();
    assert_eq!(other.hash, outcome.hash);
}

#[test]
fn meshes_that_cannot_be_used_say_why_and_what_to_do() {
    let (positions, tets) = slab([2, 2, 2], 10.0);
    let good = vtk(&positions, &tets);
    let refused = |scene: &str, file: &str, content: String| ran(scene, file, content).unwrap_err().to_string();
    let message = refused(&SCENE.replace("scale = 0.001\n", ""), "slab.vtk", good.clone());
    assert!(message.contains("'slab'") && message.contains("20 m long") && message.contains("0.001"), "{message}");
    let message = refused(SCENE, "slab.vtk", good.replace("POINTS 27", "POINTS x"));
    assert!(message.starts_with("`slab.vtk`: line 5"), "{message}");
    let message = refused(SCENE, "other.vtk", good);
    assert!(message.contains("`slab.vtk`"), "{message}");
    let (positions, tets) = slab([30, 30, 10], 1.0);
    let message = refused(SCENE, "slab.vtk", vtk(&positions, &tets));
    assert!(message.contains("54000 tetrahedra") && message.contains("coarser"), "{message}");
}

#[test]
fn what_is_wrong_with_a_soft_object_names_it_once() {
    let (positions, tets) = slab([2, 2, 2], 10.0);
    let scene = SCENE.replace("young = ", "handle = [{ seed = [0, 0, 0], radius = 1e-3 }]\nyoung = ");
    let message = ran(&scene, "slab.vtk", vtk(&positions, &tets)).unwrap_err().to_string();
    assert!(message.starts_with("soft object 'slab': handle.radius is 0.001, expected"), "{message}");
}

#[test]
fn the_method_of_an_object_acts_as_that_of_the_world() {
    let scene = |world: &str, object: &str| {
        let text = format!(
            "name = 'tap'\nseconds = 0.4\n[world]\nstep = 0.004\n{world}\n\
             [[object]]\nname = 'ground'\nshape = 'plane'\nfixed = true\n{object}\n\
             [[hand]]\nside = 'right'\n[[hand.key]]\nat = 0\npalm = {{ position = [0, 0.05, 0] }}\ngrasp = 'flat'\n\
             [[hand.key]]\nat = 0.3\npalm = {{ position = [0, 0.01, 0] }}\n"
        );
        let scene = Scene::read(&text).unwrap();
        let mut simulation =
            Simulation::new(&scene, &|_| hand(), &mut Assets::new(Path::new("."), 1, &|_, _| {})).unwrap();
        while simulation.advance().unwrap().is_some() {}
        simulation.world().state().hash()
    };
    let mut seen = Vec::new();
    for method in ["penalty", "point", "aggregate"] {
        let own = scene("set = { contact = 'penalty' }", &format!("contact = '{method}'"));
        assert_eq!(own, scene(&format!("set = {{ contact = '{method}' }}"), ""), "{method}");
        assert!(!seen.contains(&own), "{method} makes a difference");
        seen.push(own);
    }
}

/// Tetrahedra and triangles of the soft objects of a scene.
fn sizes(scene: &Scene) -> Result<Vec<[usize; 2]>, RunError> {
    let mut assets = Assets::new(Path::new("."), 1, &|_, _| {});
    let simulation = Simulation::new(scene, &|_| hand(), &mut assets)?;
    let world = simulation.world();
    let of = |thing: &SoftThing| {
        let (body, surface) = (&world.soft_bodies()[thing.id.0 as usize], thing.surface(world).unwrap());
        assert_eq!(surface.check_solid(), Ok(()));
        [body.tissue.element_count(), surface.triangles.len()]
    };
    Ok(simulation.softs().iter().map(of).collect())
}

/// Garre and Otaduy 2010, §6: letters of about 175 triangles and 65 tetrahedra, a toy of about 4000 and 271.
#[test]
fn letters_and_toy_are_as_fine_as_those_of_the_paper() {
    for (name, tets, triangles) in [("letters", 65usize, 175usize), ("toy", 271, 4000)] {
        let found = sizes(&library::scene(name).unwrap()).unwrap();
        assert!(!found.is_empty());
        for [t, s] in found {
            // what the mesher and the coarser surface promise
            assert!(t.abs_diff(tets) * 100 <= 10 * tets, "{name}: {t} tetrahedra");
            assert!(s.abs_diff(triangles) * 100 <= 15 * triangles, "{name}: {s} triangles");
        }
    }
}

#[test]
fn a_shape_may_say_how_fine_its_surface_is() {
    let text = |shape: &str, triangles: &str| {
        format!("name = 'x'\nseconds = 1\n[[soft]]\nname = 'x'\n{shape}\nyoung = 1e4\ntets = 100\n{triangles}\n")
    };
    let bar = "shape = { box = [0.03, 0.03, 0.05] }";
    let of = |triangles: &str| sizes(&Scene::read(&text(bar, triangles)).unwrap()).unwrap()[0];
    let [tets, usual] = of("");
    let [same, coarse] = of("triangles = 200");
    assert_eq!(tets, same, "elements fill the shape, whatever they carry");
    assert!((170..=230).contains(&coarse) && usual > 1000, "{coarse} and {usual} triangles");
    let [_, fine] = of("triangles = 5000");
    assert!((4250..=5750).contains(&fine), "{fine} triangles, more than there are where nobody asks");
    let refused = |text: &str| Scene::read(text).unwrap_err().to_string();
    let message = refused(&text(bar, "triangles = 4"));
    assert!(message.contains("`soft[0].triangles`: 4 is outside 50 to 20000 triangles"), "{message}");
    let message = refused(&text("mesh = 'x.vtk'", "triangles = 200").replace("tets = 100\n", ""));
    assert!(message.contains("`soft[0].triangles`: `triangles` goes with `shape`"), "{message}");
}
