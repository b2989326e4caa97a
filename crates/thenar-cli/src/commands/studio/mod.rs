//! `thenar studio`: opens the studio in the browser. Also what `thenar` does without a command.

mod kept;
mod pictures;

use super::hand::preset_parser;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::output;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use thenar::hand::Preset;
use thenar_studio::{Studio, StudioOptions, page_why_not};

/// Play with the soft hand in the browser
///
/// A web page on this machine: scenes to watch and to play in, with mouse and keyboard, recordings or a headset's hands.
/// Only this machine can connect, unless --lan is given.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  thenar studio                       http://localhost:4400/
  thenar studio --scene dumbbell      another scene to begin with
  thenar studio --lan --https         for a headset in the same network, with a pairing code")]
pub struct Arguments {
    /// The port, or the next that is free; 0 lets the system choose
    #[arg(long, value_name = "N", default_value_t = StudioOptions::default().port)]
    port: u16,

    /// Let devices of the local network connect, with a pairing code
    #[arg(long)]
    lan: bool,

    /// Offer encrypted connections too (port + 43), with a certificate made for this run; headsets need them
    #[arg(long)]
    https: bool,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// The scene to begin with
    #[arg(long, value_name = "NAME", default_value = "ball")]
    scene: String,

    /// Measures of the hand
    #[arg(long, value_name = "PRESET", value_parser = preset_parser(), default_value = "adult")]
    hand: Preset,

    /// Number of tetrahedra of a hand; that of the preset where it is missing
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = super::hand::tets)]
    tets: Option<usize>,

    /// Threads that the engine may use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Origin of another page that may connect, for work on the page
    #[arg(long, value_name = "URL", hide = true)]
    allow_origin: Option<String>,

    /// Draw the scenes whose pictures are missing into a folder instead, for the studio's list
    #[arg(long, value_name = "DIR", hide = true)]
    pictures: Option<PathBuf>,
}

/// The studio as it opens without options.
pub fn run_plain() -> Result<(), Error> {
    serve(&StudioOptions::default(), true)
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    if let Some(folder) = &arguments.pictures {
        return pictures::draw(folder);
    }
    let options = StudioOptions {
        port: arguments.port,
        lan: arguments.lan,
        https: arguments.https,
        scene: arguments.scene.clone(),
        measures: arguments.hand,
        tets: arguments.tets,
        threads: usize::from(arguments.threads),
        allow_origin: arguments.allow_origin.clone(),
    };
    serve(&options, !arguments.no_open)
}

fn serve(options: &StudioOptions, open: bool) -> Result<(), Error> {
    let interrupt = Interrupt::listen()?;
    interrupt.finish_first();
    let studio = Studio::start(options).map_err(Error::input)?;
    output::print_text(&format!("The studio is open at {}", studio.url()))?;
    if let Some(pairing) = studio.pairing() {
        output::print_text(&format!(
            "Other devices: {}\n           or: {} with the code {}",
            pairing.url, pairing.short_url, pairing.code
        ))?;
    }
    if options.lan && options.https {
        output::print_text(
            "Browsers warn of the certificate, which was made here for this run; go on past the warning.",
        )?;
    }
    output::print_text("Ctrl+C ends it.")?;
    if let Some(why) = page_why_not() {
        eprintln!("warning: the page was not built: {why}");
        eprintln!("Get Node.js 20 or newer (https://nodejs.org; on Debian: apt install nodejs npm), then build again.");
        eprintln!("Without it: thenar run ball --film film.png");
    } else if open {
        open_browser(studio.url());
    }
    while !interrupt.asked() && !studio.has_ended() {
        std::thread::sleep(Duration::from_millis(50));
    }
    // One that cannot be kept does not cost the others.
    let unkept = studio.end().iter().filter_map(|recording| kept::keep(recording).err()).next();
    unkept.map_or(Ok(()), Err)
}

/// Opens the address where there is a screen; if that fails, the printed address is enough.
fn open_browser(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/c", "start", ""]);
        command
    } else {
        let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        if !has_screen {
            return;
        }
        Command::new("xdg-open")
    };
    let started = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        tracing::info!("no browser was opened: {error}");
    }
}
