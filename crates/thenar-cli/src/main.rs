//! The command line of Thenar.
//!
//! A command is one file in `commands/`: its arguments, and a `run` that returns what to print. Results go to standard
//! output, everything else to standard error.

mod commands;
mod error;
mod interrupt;
mod output;
mod progress;

use clap::Parser;
use commands::Command;
use std::process::ExitCode;

/// A soft human hand for virtual worlds.
#[derive(Parser)]
#[command(name = "thenar", version, disable_help_subcommand = false)]
#[command(after_help = "\
Examples:
  thenar                                          opens the studio in the browser
  thenar run ball                                 a soft hand grasps a ball, without a browser
  thenar hand --side left --png hand.png          a picture of a left hand
  thenar hand --hand child --tets 1500 --json     figures of a child's hand for a script

Exit codes: 0 done, 1 a check failed, 2 bad input (the message names it), 101 a bug in Thenar,
130 stopped by Ctrl+C or SIGTERM with all files finished (the second Ctrl+C kills).")]
struct Arguments {
    /// Say more on standard error (-vv: everything)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    report_panics();
    let arguments = Arguments::parse();
    start_log(arguments.verbose);
    match commands::run(arguments.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {}", error.chain());
            ExitCode::from(error.exit_code())
        }
    }
}

/// A panic is our bug, whatever the input was: say so, and ask for a report. The exit code is Rust's usual 101.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let words: Vec<String> = std::env::args().collect();
        eprintln!("internal error: {panic}");
        eprintln!("This is a bug in Thenar {}. Please report it:", env!("CARGO_PKG_VERSION"));
        eprintln!("  {}/issues", env!("CARGO_PKG_REPOSITORY"));
        eprintln!("  command: {}", words.join(" "));
    }));
}

fn start_log(verbose: u8) {
    let level = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
}
