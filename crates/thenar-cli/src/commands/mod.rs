//! One file per command.

mod hand;
mod main_job;

use crate::error::Error;
use clap::Subcommand;

/// The commands of `thenar`.
#[derive(Subcommand)]
pub enum Command {
    Hand(hand::Arguments),
}

/// Runs a command; without one, the main job.
pub fn run(command: Option<Command>) -> Result<(), Error> {
    match command {
        None => main_job::run(),
        Some(Command::Hand(arguments)) => hand::run(&arguments),
    }
}
