//! `thenar bench`: how fast the engine is on this machine, beside what was published.

mod bar;
mod bars;
mod chart;
mod duel;
mod figure;
mod garre;
mod grasp;
mod haptics;
mod limits;
mod measure;
mod pad;
mod pad_time;
mod perez;
mod perez_oracle;
mod pressures;
mod scale;
mod sparse_skin;
mod squeeze;
mod table;
mod tactile;
mod talvas;

use crate::error::Error;
use std::path::PathBuf;

/// Measure how fast a hand is simulated
///
/// Times are wall time of whole steps, everything but drawing included. Close other programs first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  thenar bench clap                     a grasp, at three step lengths, beside the figures of CLAP
  thenar bench clap --plot pictures     set-up and solve over the grasp, as in its Fig. 9
  thenar bench scale --json             from 850 to 10000 tetrahedra, on one and two threads
  thenar bench talvas --plot pictures   contact by points and by aggregates, beside the figures of Talvas
  thenar bench perez --plot pictures    hard limits of stretches by four solvers, beside the figures of Perez
  thenar bench garre --plot pictures    a soft tool on a handle, stage by stage, beside Fig. 8 of Garre
  thenar bench squeeze                  the same squeeze with finer and finer tissue
  thenar bench limits                   tissue without limits, with an energy limit and with hard ones, in five scenes
  thenar bench pad                      an index pad on a plate: force, area and pressure beside those of people
  thenar bench bar                      a soft bar carries a box, under every method, beside other engines
  thenar bench tactile --plot pictures  discs on the fingertips, beside the figure of Perez
  thenar bench haptics --plot pictures  force feedback: what can be rendered, how true it is, how punctual the loop is")]
pub struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(clap::Subcommand)]
enum Bench {
    /// A hand of 850 tetrahedra grasps a ball, on one thread
    Clap(Output),
    /// The same grasp with finer and finer tissue
    Scale(Output),
    /// Objects held by contact at points and by aggregates, on one thread
    Talvas(Output),
    /// A fist with hard limits of stretches, by four solvers, on one thread
    Perez(Output),
    /// A soft hand on a handle slides over a log: stages of the step, and the linear model of the force
    Garre(Output),
    /// A fist with hard limits and finer and finer tissue, by the default solver and that of Perez
    Squeeze(Output),
    /// Scenes without limits of stretches, with an energy limit and with hard ones: cost and what becomes of tissue
    Limits(Output),
    /// An index pad pressed on a plate, without limits, with an energy limit and with hard ones; held down, and tapped
    Pad(Output),
    /// A soft bar carries a box on a slope, under every method, on one thread
    Bar(Output),
    /// Touch on the fingertips: what matching a disc to each costs, and how well it fits
    Tactile(Output),
    /// Force feedback: stiffness that can be rendered, fidelity of the force, times of the loop
    Haptics(haptics::Options),
}

/// Where the figures go.
#[derive(clap::Args)]
struct Output {
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,

    /// Draw them into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    match &arguments.bench {
        Bench::Clap(output) => grasp::run(output),
        Bench::Scale(output) => scale::run(output),
        Bench::Talvas(output) => talvas::run(output),
        Bench::Perez(output) => perez::run(output),
        Bench::Garre(output) => garre::run(output),
        Bench::Squeeze(output) => squeeze::run(output),
        Bench::Limits(output) => limits::run(output),
        Bench::Pad(output) => pad::run(output),
        Bench::Bar(output) => bar::run(output),
        Bench::Tactile(output) => tactile::run(output),
        Bench::Haptics(options) => haptics::run(options),
    }
}

impl Output {
    /// Refuses a folder that does not exist, before the long work.
    fn check(&self) -> Result<(), Error> {
        match &self.plot {
            Some(folder) if !folder.is_dir() => {
                Err(Error::Target { path: folder.clone(), reason: "the folder does not exist" })
            }
            _ => Ok(()),
        }
    }

    /// Writes a picture if one was asked for.
    fn draw(&self, name: &str, picture: impl FnOnce() -> Result<String, Error>) -> Result<(), Error> {
        let Some(folder) = &self.plot else { return Ok(()) };
        let path = folder.join(name);
        std::fs::write(&path, picture()?).map_err(Error::write(&path))
    }
}
