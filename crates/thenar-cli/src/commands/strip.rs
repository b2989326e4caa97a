//! The film strip of four scenes that the README shows.

use super::run::film::Film;
use super::run::hands::Hands;
use crate::error::Error;
use crate::progress::Progress;
use std::fs;
use std::path::Path;
use thenar::hand::Preset;
use thenar_draw::Sheet;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::Simulation;

/// Which scenes, and the moments of each, seconds.
const SCENES: [(&str, [f64; 4]); 4] = [
    ("toy", [1.0, 1.9, 4.6, 5.9]),
    ("dumbbell", [0.5, 1.8, 3.0, 4.5]),
    ("letters", [0.5, 1.6, 2.8, 4.3]),
    ("rotate", [0.5, 2.0, 3.2, 5.5]),
];

/// Simulates the scenes and draws each in a row.
pub fn draw(path: &Path) -> Result<(), Error> {
    crate::output::check_target(path)?;
    let progress = Progress::start("simulating");
    let mut sheet = Sheet::new(4, 420, 400);
    for (number, (name, moments)) in SCENES.iter().enumerate() {
        progress.count(number, SCENES.len());
        let scene = library::scene(name).map_err(Error::input)?;
        let hands = Hands::build(&scene, Preset::Adult, None, None)?;
        let quiet = |_: usize, _: usize| {};
        let mut assets = Assets::new(Path::new("."), 1, &quiet);
        let mut simulation = Simulation::new(&scene, &|side| hands.of(side), &mut assets).map_err(Error::input)?;
        let mut film = Film::of_moments(moments.to_vec());
        while simulation.advance().map_err(Error::input)?.is_some() {
            film.watch(&simulation);
        }
        for (time, picture) in film.pictures(&scene) {
            sheet.push(picture, format!("{name}, {time:.1} s"));
        }
    }
    let picture = thenar_draw::png(&sheet.canvas()).map_err(Error::write(path))?;
    fs::write(path, picture).map_err(Error::write(path))
}
