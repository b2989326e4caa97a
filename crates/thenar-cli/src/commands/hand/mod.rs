//! `thenar hand`: builds a hand from measures, or imports one.

mod options;
mod summary;

use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use options::Options;
use std::fs;
use std::time::Instant;
use summary::Summary;
use thenar::hand::{Anatomy, HandModel, HandOptions, Preset, Side, SkinDetail};

/// Build a hand and look at it
///
/// Builds a hand from anatomical measures: skin, bones, joints and soft tissue as tetrahedra. Prints its figures.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  thenar hand --png hand.png                       draw the default hand
  thenar hand --side left --hand child --json      figures of a child's left hand
  thenar hand --tets 5000 --json                   a finer hand
  thenar hand --refine index-pad                   a fine index fingertip on a coarse hand")]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let options = &arguments.options;
    options.targets().try_for_each(output::check_target)?;
    let progress = Progress::start("building the hand");
    let start = Instant::now();
    let hand = build(options)?;
    let time = start.elapsed();
    if let Some(path) = &options.png {
        progress.next("drawing");
        let picture = thenar_draw::png(&thenar_draw::hand_sheet(&hand)).map_err(Error::write(path))?;
        fs::write(path, picture).map_err(Error::write(path))?;
    }
    let summary = Summary::new(&hand.report(), time);
    drop(progress);
    if options.json { output::print_json(&summary) } else { output::print_text(&summary.to_string()) }
}

/// The figures of the default hand, as text.
pub fn default_summary() -> Result<String, Error> {
    let _progress = Progress::start("building the hand");
    let start = Instant::now();
    let hand = HandModel::build(&HandOptions::default()).map_err(Error::input)?;
    let time = start.elapsed();
    Ok(Summary::new(&hand.report(), time).to_string())
}

fn build(options: &Options) -> Result<HandModel, Error> {
    let side = options.side.map_or(Side::Right, Side::from);
    let anatomy = Anatomy::preset(options.hand.unwrap_or(Preset::Adult), side);
    let built = HandOptions { anatomy, detail: SkinDetail::Default, tissue: options.tissue() };
    HandModel::build(&built).map_err(Error::input)
}
