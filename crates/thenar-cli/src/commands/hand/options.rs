//! The options of `thenar hand`.

use crate::error::Error;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use thenar::hand::{Digit, Preset, Side, TissueOptions};
use thenar_scene::run::tissue_options;
use thenar_scene::scene::WorldSpec;

/// Options shared by built and imported hands.
#[derive(clap::Args)]
pub struct Options {
    /// Which hand: right unless an imported file says otherwise
    #[arg(long, global = true, value_name = "SIDE", value_parser = side_parser())]
    pub side: Option<Side>,

    /// Measures to build it from [default: adult]
    #[arg(long, global = true, value_name = "PRESET", value_parser = preset_parser())]
    pub hand: Option<Preset>,

    /// Kind of tissue: one piece, or soft phalanges for talvas
    #[arg(long, global = true, value_name = "PRESET", default_value = "default")]
    pub preset: String,

    /// Phalanges that are soft with preset talvas, such as thumb,index-distal or none; the others are rigid
    #[arg(long, global = true, value_name = "PHALANX,...", value_delimiter = ',')]
    pub soft: Option<Vec<String>>,

    /// Number of tetrahedra to aim at [default: the preset's, 850 or 1513]
    #[arg(long, global = true, value_name = "N", allow_hyphen_values = true, value_parser = tets)]
    pub tets: Option<usize>,

    /// Grade the tetrahedra finer towards one region
    #[arg(long, global = true, value_enum, value_name = "REGION")]
    pub refine: Option<RegionName>,

    /// Fit the measures to one tracked frame of 25 or 26 joints; what it does not tell keeps the preset's proportions
    #[arg(long, global = true, value_name = "FRAME.json")]
    pub fit: Option<PathBuf>,

    /// Write a glTF file: skin, skeleton, weights, and the tetrahedra as lines in a second scene
    #[arg(long, global = true, value_name = "HAND.glb", value_parser = glb)]
    pub out: Option<PathBuf>,

    /// Draw palm, back, side, bones and tetrahedra
    #[arg(long, global = true, value_name = "PICTURE.png")]
    pub png: Option<PathBuf>,

    /// Print the figures as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

impl Options {
    /// The files that will be written.
    pub fn targets(&self) -> impl Iterator<Item = &Path> {
        [&self.out, &self.png].into_iter().flatten().map(PathBuf::as_path)
    }

    /// How fine the tissue shall be.
    pub fn tissue(&self) -> Result<TissueOptions, Error> {
        let refine = self.refine.map(RegionName::digit);
        let spec = WorldSpec { preset: self.preset.clone(), soft: self.soft.clone(), ..WorldSpec::default() };
        Ok(TissueOptions { refine, ..tissue_options(&spec, self.tets).map_err(Error::input)? })
    }
}

/// Names of the regions that can be refined.
#[derive(Clone, Copy, ValueEnum)]
pub enum RegionName {
    /// The pad of the index fingertip, at least 1500 tetrahedra of its own
    IndexPad,
}

impl RegionName {
    /// Whose pad it is.
    pub fn digit(self) -> Digit {
        match self {
            RegionName::IndexPad => Digit::Index,
        }
    }
}

/// Numbers of tetrahedra that the engine makes hands of.
const TETS: RangeInclusive<usize> = 50..=2_000_000;

/// A number of tetrahedra, refused before anything is built.
pub fn tets(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| TETS.contains(number));
    number.ok_or_else(|| format!("expected a whole number from {} to {}", TETS.start(), TETS.end()))
}

/// The name of a glTF file in one piece.
fn glb(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_glb = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("glb"));
    if is_glb { Ok(path) } else { Err("what is written is binary glTF: expected a name that ends in .glb".to_owned()) }
}

/// The sides by their names.
pub fn side_parser() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(Side::ALL.map(Side::name))
        .try_map(|name| Side::of_name(&name).ok_or_else(|| format!("no side {name}")))
}

/// The engine's presets by their names, so that clap can list them and suggest the nearest.
pub fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    PossibleValuesParser::new(Preset::ALL.map(Preset::name)).try_map(|name| {
        Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| format!("no preset {name}"))
    })
}
