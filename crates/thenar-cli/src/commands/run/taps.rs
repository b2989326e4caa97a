//! Files that are written while a scene runs: its recording and its outputs.

use super::super::replay::open_buffered;
use crate::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use thenar_scene::assets::Assets;
use thenar_scene::recording::{About, Compression, OutputChannels, OutputError, OutputTables, Recorder};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// What to write, as given on the command line.
#[derive(clap::Args)]
pub struct TapOptions {
    /// Record the run for `thenar replay` and MCAP viewers
    #[arg(long, value_name = "FILE.mcap", value_parser = mcap)]
    pub record: Option<PathBuf>,

    /// Write bones, objects, contacts, forces and pressures to outputs.mcap and outputs.npz in this folder
    #[arg(long, value_name = "DIR")]
    pub outputs: Option<PathBuf>,

    /// How often outputs are written; every step unless given
    #[arg(long, value_name = "HZ", requires = "outputs")]
    pub outputs_rate: Option<f64>,

    /// How outputs.npz is stored: none, or deflate for a smaller file that takes longer to write
    #[arg(long, value_name = "HOW", requires = "outputs", value_parser = ["none", "deflate"], default_value = "none")]
    pub outputs_compression: String,
}

/// Writes to the files that were asked for.
pub struct Taps {
    recorder: Option<(PathBuf, Recorder<BufWriter<File>>)>,
    channels: Option<(PathBuf, OutputChannels<BufWriter<File>>)>,
    tables: Option<OutputTables>,
    interval: f64,
    next: f64,
    error: Option<Error>,
}

impl TapOptions {
    /// Refuses targets that cannot be written, before long work.
    pub fn check(&self) -> Result<(), Error> {
        self.record.iter().try_for_each(|path| crate::output::check_target(path))?;
        if let Some(folder) = &self.outputs {
            if let Some(ending) = folder.extension().filter(|ending| *ending == "npz" || *ending == "mcap") {
                return Err(Error::input(format!(
                    "--outputs {}: it takes a folder and writes outputs.npz and outputs.mcap into it; leave out the .{}",
                    folder.display(),
                    ending.display()
                )));
            }
            fs::create_dir_all(folder).map_err(Error::write(folder))?;
            crate::output::check_target(&folder.join("outputs.npz"))?;
        }
        if let Some(rate) = self.outputs_rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(Error::input(format!("--outputs-rate {rate}: expected a number of writes per second above 0")));
        }
        Ok(())
    }
}

impl Taps {
    pub fn open(
        options: &TapOptions,
        scene: &Scene,
        simulation: &Simulation,
        assets: &Assets<'_>,
        measures: &str,
        tets: usize,
    ) -> Result<Taps, Error> {
        let recorder = match &options.record {
            None => None,
            Some(path) => {
                let files = assets.used().map_err(Error::input)?;
                let about = About { measures: measures.to_owned(), tets, files };
                let recorder = Recorder::new(open_buffered(path)?, scene, simulation, &about);
                Some((path.clone(), recorder.map_err(Error::write(path))?))
            }
        };
        let (mut channels, mut tables) = (None, None);
        if let Some(folder) = &options.outputs {
            let path = folder.join("outputs.mcap");
            let names = scene.objects.iter().map(|object| object.name.clone()).collect();
            let file = OutputChannels::new(open_buffered(&path)?, simulation, names).map_err(Error::write(&path))?;
            channels = Some((path, file));
            let compression = match options.outputs_compression.as_str() {
                "deflate" => Compression::Deflate,
                _ => Compression::None,
            };
            tables = Some(OutputTables::create(folder, simulation, compression).map_err(unwritten)?);
        }
        let interval = options.outputs_rate.map_or(0.0, f64::recip);
        Ok(Taps { recorder, channels, tables, interval, next: 0.0, error: None })
    }

    /// Writes one step; false after the first failure, which is kept for `finish`.
    pub fn watch(&mut self, simulation: &Simulation) -> bool {
        if self.error.is_none() {
            self.error = self.write(simulation).err();
        }
        self.error.is_none()
    }

    /// True if anything is written.
    pub fn any(&self) -> bool {
        self.recorder.is_some() || self.channels.is_some()
    }

    fn write(&mut self, simulation: &Simulation) -> Result<(), Error> {
        if let Some((path, recorder)) = &mut self.recorder {
            recorder.watch(simulation).map_err(Error::write(&*path))?;
        }
        // Half a step of tolerance against round-off of the times.
        if simulation.time() < self.next - 0.5 * simulation.step() {
            return Ok(());
        }
        self.next += self.interval;
        if let Some((path, channels)) = &mut self.channels {
            channels.watch(simulation).map_err(Error::write(&*path))?;
        }
        if let Some(tables) = &mut self.tables {
            tables.watch(simulation).map_err(unwritten)?;
        }
        Ok(())
    }

    /// Ends all files, also if one of them failed: the others are good. The first failure is told.
    pub fn finish(self) -> Result<(), Error> {
        let flush =
            |path: &Path, mut file: BufWriter<File>| std::io::Write::flush(&mut file).map_err(Error::write(path));
        let mut failed = self.error;
        let mut keep = |result: Result<(), Error>| failed = failed.take().or(result.err());
        if let Some((path, recorder)) = self.recorder {
            keep(recorder.finish().map_err(Error::write(&path)).and_then(|file| flush(&path, file)));
        }
        if let Some((path, channels)) = self.channels {
            keep(channels.finish().map_err(Error::write(&path)).and_then(|file| flush(&path, file)));
        }
        if let Some(tables) = self.tables {
            keep(tables.finish().map_err(unwritten));
        }
        failed.map_or(Ok(()), Err)
    }
}

fn mcap(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_mcap = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mcap"));
    // such as /dev/stdout
    let is_special = path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir());
    if is_mcap || is_special {
        Ok(path)
    } else {
        Err("what is recorded is an MCAP file: expected a name that ends in .mcap".to_owned())
    }
}

fn unwritten(failed: OutputError) -> Error {
    Error::write(failed.path)(failed.error)
}
