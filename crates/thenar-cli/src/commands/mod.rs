//! One file per command.

mod bench;
mod hand;
mod main_job;
mod recording;
mod replay;
mod run;
mod scenes;

use crate::error::Error;
use clap::Subcommand;

/// The commands of `thenar`.
#[derive(Subcommand)]
pub enum Command {
    Bench(bench::Arguments),
    Hand(hand::Arguments),
    Recording(recording::Arguments),
    Replay(replay::Arguments),
    Run(Box<run::Arguments>),
    Scenes(scenes::Arguments),
}

/// Runs a command; without one, the main job. False if it ran, but what it judged has failed.
pub fn run(command: Option<Command>) -> Result<bool, Error> {
    match command {
        None => main_job::run(),
        Some(Command::Bench(arguments)) => bench::run(&arguments).map(|()| true),
        Some(Command::Hand(arguments)) => hand::run(&arguments).map(|()| true),
        Some(Command::Recording(arguments)) => recording::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Scenes(arguments)) => scenes::run(&arguments).map(|()| true),
    }
}
