//! `thenar hand`: builds a hand from measures, or imports one.

mod options;
mod summary;

use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use clap::Subcommand;
use options::Options;
pub use options::{RegionName, preset_parser, side_parser, tets};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use summary::Summary;
use thenar::hand::{self, Anatomy, FitReport, HandModel, HandOptions, Preset, Side, SkinDetail};
use thenar_scene::formats::{self, FrameChoice, ImportOptions};

/// Build a hand and look at it
///
/// Builds a hand from anatomical measures: skin, bones, joints and soft tissue as tetrahedra. Prints its figures.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  thenar hand --png hand.png                       draw the default hand
  thenar hand --side left --hand child --json      figures of a child's left hand
  thenar hand --tets 5000 --out hand.glb           a finer hand for any glTF viewer
  thenar hand --preset talvas --png hand.png       soft phalanges on a rigid palm
  thenar hand --refine index-pad                   a fine index fingertip on a coarse hand
  thenar hand --fit frame.json --out mine.glb      a hand that fits a tracked frame
  thenar hand import right.glb --png right.png     a skinned glTF with WebXR or OpenXR joint names")]
pub struct Arguments {
    #[command(subcommand)]
    source: Option<Source>,
    #[command(flatten)]
    options: Options,
}

#[derive(Subcommand)]
enum Source {
    /// Take skin and skeleton from a skinned glTF whose joints carry WebXR or OpenXR names
    ///
    /// Fills the skin with tetrahedra and attaches them to the bones like those of a built hand. With --side, a hand of the
    /// other side is mirrored.
    Import {
        /// A .glb file, or a .gltf file that needs no others
        #[arg(value_name = "FILE.glb")]
        file: PathBuf,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let options = &arguments.options;
    options.targets().try_for_each(output::check_target)?;
    options.tissue()?;
    let progress = Progress::start("building the hand");
    let start = Instant::now();
    let (hand, fit) = match &arguments.source {
        None => build(options)?,
        Some(Source::Import { file }) => (import(file, options)?, None),
    };
    let time = start.elapsed();
    if let Some(path) = &options.png {
        progress.next("drawing");
        let picture = thenar_draw::png(&thenar_draw::hand_sheet(&hand)).map_err(Error::write(path))?;
        fs::write(path, picture).map_err(Error::write(path))?;
    }
    if let Some(path) = &options.out {
        progress.next("writing");
        fs::write(path, formats::write_hand(&hand)).map_err(Error::write(path))?;
    }
    let summary = Summary::new(&hand.report(), time, fit.as_ref());
    drop(progress);
    if options.json { output::print_json(&summary) } else { output::print_text(&summary.to_string()) }
}

fn build(options: &Options) -> Result<(HandModel, Option<FitReport>), Error> {
    let preset = options.hand.unwrap_or(Preset::Adult);
    let (anatomy, fit) = match &options.fit {
        None => (Anatomy::preset(preset, options.side.unwrap_or(Side::Right)), None),
        Some(path) => {
            let (anatomy, fit) = fit_frame(path, options.side, preset)?;
            (anatomy, Some(fit))
        }
    };
    let hand = HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Default, tissue: options.tissue()? });
    Ok((hand.map_err(Error::input)?, fit))
}

/// Measures that match a tracked frame of the given side, or of whichever hand the file holds.
fn fit_frame(path: &Path, side: Option<Side>, preset: Preset) -> Result<(Anatomy, FitReport), Error> {
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let choice = FrameChoice { side, ..FrameChoice::default() };
    let frame = formats::read_frame(&bytes, &path.to_string_lossy(), choice).map_err(Error::input)?;
    hand::fit(&frame.joints, frame.side, &Anatomy::preset(preset, frame.side)).map_err(Error::read(path))
}

fn import(path: &Path, options: &Options) -> Result<HandModel, Error> {
    for (option, is_given) in [("--hand", options.hand.is_some()), ("--fit", options.fit.is_some())] {
        if is_given {
            return Err(Error::Options(format!(
                "{option} chooses measures, but an imported hand brings its own: leave it out"
            )));
        }
    }
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let import = ImportOptions { side: options.side, tissue: options.tissue()? };
    formats::import_hand(&bytes, &path.to_string_lossy(), &import).map_err(Error::input)
}
