//! Pictures of all scenes for the studio's list: `thenar studio --pictures crates/thenar-studio/pictures`. Those that are there
//! already stay: delete one to have it drawn again.

use crate::commands::run::film::Film;
use crate::commands::run::hands::Hands;
use crate::error::Error;
use crate::progress::Progress;
use std::fs;
use std::path::Path;
use thenar::hand::Preset;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::Simulation;

/// Pixels of a picture.
const SIZE: [usize; 2] = [320, 200];
/// Share of a scene's time at which it is drawn: most have their hands full then.
const MOMENT: f64 = 0.55;

/// Simulates every scene up to its moment and draws it.
pub fn draw(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::write(folder))?;
    let progress = Progress::start("drawing the scenes");
    let count = library::scenes().count();
    for (number, (name, _)) in library::scenes().enumerate() {
        progress.count(number, count);
        let path = folder.join(format!("{name}.png"));
        if path.exists() {
            continue;
        }
        let mut scene = library::scene(name).map_err(Error::input)?;
        let moment = MOMENT * scene.seconds;
        let hands = Hands::build(&scene, Preset::Adult, None, None)?;
        let quiet = |_: usize, _: usize| {};
        let mut assets = Assets::new(Path::new("."), 1, &quiet);
        let mut simulation = Simulation::new(&scene, &|side| hands.of(side), &mut assets).map_err(Error::input)?;
        let mut film = Film::still(moment);
        while simulation.time() < moment && simulation.advance().map_err(Error::input)?.is_some() {
            film.watch(&simulation);
        }
        // What the scene is called stands beside the picture.
        scene.story.clear();
        if let Some(picture) = film.picture_of(&scene, SIZE) {
            fs::write(&path, thenar_draw::png(&picture).map_err(Error::write(&path))?).map_err(Error::write(&path))?;
        }
    }
    Ok(())
}
