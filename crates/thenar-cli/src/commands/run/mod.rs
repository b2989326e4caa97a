//! `thenar run`: runs a scene and judges it.

mod beside;
mod cases;
mod chosen;
pub mod film;
pub mod hands;
mod haptics;
mod live;
mod obstacle;
mod recorded;
mod result;
mod tactile;
mod taps;
mod unjudged;

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use cases::CasesResult;
use chosen::Chosen;
use film::Film;
use hands::Hands;
use haptics::HapticOptions;
use live::{Live, LiveOptions};
use recorded::RecordedOptions;
pub use recorded::offset;
use result::RunResult;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tactile::TactileOptions;
use taps::{TapOptions, Taps};
use thenar::hand::{Preset as Measures, Side};
use thenar_devices::tactile::TactileLink;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::{self, Host, Simulation};
use thenar_scene::scene::Scene;

/// Run a scene and judge what came of it
///
/// A scene is one of the library (see `thenar scenes`) or a TOML file. Its checks decide whether it passes.
#[derive(clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  thenar run ball                                   grasp, lift and squeeze a baseball
  thenar run ball --film film.png                   the same as a film strip
  thenar run ball --friction 0                      watch its check fail
  thenar run finger --film finger.png --beside 'linear tissue collapses'
  thenar run rib --refine index-pad                 a fine fingertip on a rib
  thenar run press --strain none                    tissue without its limit
  thenar run bend --strain hard --preset perez      hard limits of stretches
  thenar run ball --preset talvas                   soft phalanges on a rigid palm
  thenar run hold --set object.can.mass=1 --json    figures for a script
  thenar run press --recording session.json         the hand moves as a tracker saw it
  thenar run press --listen udp:9870 --seconds 60   the hand moves as a tracker sends it (see thenar send)
  thenar run rotate --tactile-to serial:/dev/ttyUSB0  discs on the fingertips, on a serial line (docs/tactile.md)
  thenar run trajectory --haptics sim6               a simulated person feels it by a device (docs/haptics.md)
  thenar run ycb-set --case mug                     one case of a scene that has several
  thenar run ball --record ball.mcap --outputs out  a recording to replay, and arrays for NumPy

Exit code 1: the scene ran, and a check failed."
)]
pub struct Arguments {
    /// Name of a scene, or a scene file
    #[arg(value_name = "SCENE|FILE.toml")]
    scene: String,

    /// Set of methods and parameters: default, clap, talvas, perez or garre
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// Phalanges that are soft with preset talvas, such as thumb,index-distal or none; the others are rigid
    #[arg(long, value_name = "PHALANX,...", value_delimiter = ',')]
    soft: Option<Vec<String>>,

    /// How skin contact is resolved: penalty, point or aggregate
    #[arg(long, value_name = "METHOD")]
    contact: Option<String>,

    /// How aggregated contact spreads its pressure: springs, depth (Talvas eq. 11) or uniform
    #[arg(long, value_name = "LAW")]
    pressure: Option<String>,

    /// Whether aggregated contact resists spinning about its normal: on or off
    #[arg(long, value_name = "ON|OFF")]
    torsion: Option<String>,

    /// Strain limit of the tissue: none, energy or hard
    #[arg(long, value_name = "METHOD")]
    strain: Option<String>,

    /// What meets hard limits: newton, njls, sqp_pgs or sqp_pjls
    #[arg(long, value_name = "METHOD")]
    strain_solver: Option<String>,

    /// Whether the stress of flesh relaxes within a second, as that of fingertips: on or off
    #[arg(long, value_name = "WORD")]
    relaxation: Option<String>,

    /// What the unknowns of the skeleton are: bodies, or reduced for joint angles
    #[arg(long, value_name = "METHOD")]
    skeleton: Option<String>,

    /// Whether tissue pushes a reduced skeleton back: two-sided or one-sided
    #[arg(long, value_name = "MODE")]
    coupling: Option<String>,

    /// How bones follow the tracker: elastic or direct
    #[arg(long, value_name = "MODE")]
    tracking: Option<String>,

    /// Coulomb friction of every object
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    friction: Option<f64>,

    /// Any value of the scene by its path, such as object.ball.mass=0.2 or world.set.palm-linear=5000
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Measures of the hand
    #[arg(long, value_name = "PRESET", value_parser = super::hand::preset_parser())]
    hand: Option<Measures>,

    /// Turn every hand of the scene into this one
    #[arg(long, value_name = "SIDE", value_parser = super::hand::side_parser())]
    side: Option<Side>,

    /// Number of tetrahedra of a hand [default: the preset's, 850 or 1513]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = super::hand::tets)]
    tets: Option<usize>,

    /// Grade the tetrahedra finer towards one region; recordings know no such hands
    #[arg(long, value_enum, value_name = "REGION", conflicts_with = "record")]
    refine: Option<super::hand::RegionName>,

    /// Simulated length; checks that look beyond it are not judged
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Time step
    #[arg(long, value_name = "S")]
    dt: Option<f64>,

    /// Machine kernels: auto, or portable for the same bits everywhere
    #[arg(long, value_name = "WHICH")]
    kernels: Option<String>,

    /// Threads that the engine may use; results do not depend on them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Only this case, of a scene that has several
    #[arg(long, value_name = "NAME")]
    case: Option<String>,

    #[command(flatten)]
    recorded: RecordedOptions,

    #[command(flatten)]
    live: LiveOptions,

    #[command(flatten)]
    tactile: TactileOptions,

    #[command(flatten)]
    haptics: HapticOptions,

    #[command(flatten)]
    taps: TapOptions,

    /// Draw a film strip of the run
    #[arg(long, value_name = "FILM.png", value_parser = png)]
    film: Option<PathBuf>,

    /// Draw one of the scene's variants or controls below it in the film strip, by its name
    #[arg(long, value_name = "NAME", requires = "film")]
    beside: Option<String>,

    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the scene; true if it passed.
pub fn run(arguments: &Arguments) -> Result<bool, Error> {
    let (scene, folder) = load(&arguments.scene)?;
    let runs = arguments.chosen(&scene)?;
    if runs.len() > 1
        && (arguments.taps.record.is_some()
            || arguments.taps.outputs.is_some()
            || arguments.live.listen.is_some()
            || arguments.beside.is_some()
            || arguments.haptics.haptics.is_some())
    {
        let what = format!("`{}` has {} cases; choose one with --case", scene.name, runs.len());
        return Err(Error::input(what));
    }
    // What is wrong with words and files is said before anything is built.
    runs.iter().try_for_each(|chosen| check_files(arguments, &folder, chosen))?;
    arguments.film.iter().map(PathBuf::as_path).try_for_each(output::check_target)?;
    arguments.haptics.check(&runs, arguments.taps.record.is_some())?;
    let beside = match runs.as_slice() {
        [chosen] => beside::chosen(arguments.beside.as_deref(), chosen)?,
        _ => None,
    };
    beside.iter().try_for_each(|varied| check_files(arguments, &folder, varied))?;
    arguments.taps.check()?;
    let mut lines = Lines { live: arguments.live.open()?, link: arguments.tactile.find()? };
    let interrupt = Interrupt::listen()?;
    let hands = arguments.hands(&runs)?;
    interrupt.finish_first();
    if let [chosen] = runs.as_slice() {
        let (result, film) = arguments.run_one(chosen, &hands, &folder, &mut lines, &interrupt)?;
        if let (Some(film), Some(path)) = (film, &arguments.film) {
            let picture = match &beside {
                Some(varied) => {
                    let (_, other) = arguments.run_one(varied, &hands, &folder, &mut lines, &interrupt)?;
                    let other = other.ok_or_else(|| Error::input("--beside needs --film"))?;
                    film.strip_beside(&chosen.scene, &other, &varied.scene, &varied.name)
                }
                None => film.strip(&chosen.scene),
            };
            write_picture(path, &picture)?;
        }
        print(&result, arguments.json)?;
        return Ok(result.passed());
    }
    let mut table = CasesResult::new(&scene.name);
    let mut sheet = film::case_sheet(&scene);
    let mut all = true;
    for chosen in runs {
        let (result, film) = arguments.run_one(&chosen, &hands, &folder, &mut lines, &interrupt)?;
        if let Some(film) = film {
            sheet.push(film.late_picture(&chosen.scene), chosen.name.clone());
        }
        all &= result.passed();
        table.push(chosen.name, result);
    }
    if let Some(path) = &arguments.film {
        write_picture(path, &sheet.canvas())?;
    }
    print(&table, arguments.json)?;
    Ok(all)
}

/// What is wrong with the methods of a scene, or with a file that it needs.
fn check_files(arguments: &Arguments, folder: &Path, chosen: &Chosen) -> Result<(), Error> {
    run::world_config(&chosen.scene.world).map_err(Error::input)?;
    let files = arguments.tactile.files()?;
    Assets::new(folder, 1, &|_, _| {}).with_files(files).check(&chosen.scene).map_err(Error::input)
}

/// Lines to the outside, which are opened before anything is built and go to the first run.
struct Lines {
    live: Option<Live>,
    link: Option<TactileLink>,
}

fn print<T: serde::Serialize + std::fmt::Display>(result: &T, json: bool) -> Result<(), Error> {
    if json { output::print_json(result) } else { output::print_text(&result.to_string()) }
}

fn write_picture(path: &Path, canvas: &thenar_draw::Canvas) -> Result<(), Error> {
    let picture = thenar_draw::png(canvas).map_err(Error::write(path))?;
    fs::write(path, picture).map_err(Error::write(path))
}

/// The scene, and the folder in which its files are looked for.
fn load(name: &str) -> Result<(Scene, PathBuf), Error> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "toml") || name.contains(std::path::MAIN_SEPARATOR) {
        let text = fs::read_to_string(path).map_err(Error::read(path))?;
        let scene = Scene::read(&text).map_err(Error::read(path))?;
        run::world_config(&scene.world).map_err(Error::read(path))?;
        return Ok((scene, path.parent().unwrap_or(Path::new(".")).to_path_buf()));
    }
    if let Some(ending) = path.extension().and_then(|ending| ending.to_str()) {
        return Err(Error::input(format!(
            "`{name}` ends in .{ending}: a scene file ends in .toml, and a scene of the library has no ending (see `thenar scenes`)"
        )));
    }
    Ok((library::scene(name).map_err(Error::input)?, PathBuf::from(".")))
}

/// Nanoseconds since the first call.
pub fn nanoseconds() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

impl Arguments {
    /// The hands that the runs need, built once: cases of a scene have the same.
    fn hands(&self, runs: &[Chosen]) -> Result<Hands, Error> {
        let _progress = Progress::start("building the hand");
        let first = runs.first().map(|chosen| &chosen.scene);
        let scene = first.ok_or_else(|| Error::input("there is nothing to run"))?;
        Hands::build(scene, self.measures(), self.tets, self.refine.map(super::hand::RegionName::digit))
    }

    fn measures(&self) -> Measures {
        self.hand.unwrap_or(Measures::Adult)
    }

    fn run_one(
        &self,
        chosen: &Chosen,
        hands: &Hands,
        folder: &Path,
        lines: &mut Lines,
        interrupt: &Interrupt,
    ) -> Result<(RunResult, Option<Film>), Error> {
        let scene = &chosen.scene;
        let progress = Progress::start("simulating");
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let rows = |done: usize, total: usize| progress.count(done, total);
        let mut assets = Assets::new(folder, threads, &rows).with_files(self.tactile.files()?);
        let mut film = self.film.as_ref().map(|_| Film::new(scene));
        let mut result = RunResult::new(scene, hands, &chosen.not_judged);
        let host = Host { clock: Some(nanoseconds), threads: usize::from(self.threads) };
        let mut simulation = Simulation::new(scene, &|side| hands.of(side), &mut assets).map_err(Error::input)?;
        recorded::drive(&mut simulation, scene, chosen.recorded.clone());
        let mut live = lines.live.take();
        if let Some(live) = &mut live {
            live.drive(&mut simulation, scene);
        }
        let mut touch = self.tactile.open(&simulation, lines.link.take())?;
        let rehearsal = || Simulation::new(scene, &|side| hands.of(side), &mut assets).map_err(Error::input);
        let mut haptics = self.haptics.open(&mut simulation, rehearsal)?;
        let mut taps = Taps::open(&self.taps, scene, &simulation, &assets, self.measures().name(), hands.tets)?;
        let files = if taps.any() { "; its files hold everything up to there" } else { "" };
        let mut stopped = None;
        let outcome = run::run_to_end(scene, simulation, host, &mut |simulation| {
            result.watch(simulation);
            if simulation.step_count().is_multiple_of(100) {
                progress.count(simulation.step_count() as usize, simulation.steps() as usize);
            }
            if !taps.watch(simulation) {
                return ControlFlow::Break(());
            }
            if let Some(film) = &mut film {
                film.watch(simulation);
            }
            if let Some(touch) = &mut touch {
                touch.watch(simulation);
            }
            if let Some(haptics) = &mut haptics {
                haptics.watch(simulation);
            }
            if let Some(live) = &live {
                live.pace(simulation);
            }
            let (done, steps) = (simulation.step_count(), simulation.steps());
            if interrupt.asked() && done < steps {
                stopped = Some(Error::Stopped { done, steps, seconds: simulation.time(), files });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        // Whatever became of the run, what was written is kept.
        let finished = taps.finish();
        let outcome = outcome.map_err(Error::input)?;
        finished?;
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        if let Some(live) = live {
            let counts = live.counts();
            eprintln!(
                "messages: {} used, {} refused, {} late, {} too many",
                counts.accepted, counts.refused, counts.old, counts.excess
            );
        }
        result.finish(&outcome);
        result.touch = touch.map(tactile::Touch::finish);
        result.haptics = haptics.map(haptics::Haptics::finish);
        Ok((result, film))
    }
}

fn png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    if is_png { Ok(path) } else { Err("what is drawn is a PNG picture: expected a name that ends in .png".to_owned()) }
}
