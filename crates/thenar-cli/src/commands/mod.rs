//! One file per command.

mod bench;
mod hand;
mod recording;
mod replay;
mod run;
mod scenes;
mod send;
mod strip;
mod studio;

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
    Send(send::Arguments),
    Studio(studio::Arguments),
}

/// Runs a command; without one, the studio. False if it ran, but what it judged has failed.
pub fn run(command: Option<Command>) -> Result<bool, Error> {
    match command {
        None => studio::run_plain().map(|()| true),
        Some(Command::Bench(arguments)) => bench::run(&arguments).map(|()| true),
        Some(Command::Hand(arguments)) => hand::run(&arguments).map(|()| true),
        Some(Command::Recording(arguments)) => recording::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Scenes(arguments)) => scenes::run(&arguments).map(|()| true),
        Some(Command::Send(arguments)) => send::run(&arguments).map(|()| true),
        Some(Command::Studio(arguments)) => studio::run(&arguments).map(|()| true),
    }
}
