//! `thenar scenes`: lists the scene library.

use crate::error::Error;
use crate::output;
use std::path::PathBuf;
use thenar_scene::library;
use thenar_scene::scene::{self, Scene};

/// List the scenes that come with Thenar
#[derive(clap::Args)]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print the JSON schema of scene files instead
    #[arg(long, conflicts_with = "json")]
    schema: bool,

    /// Draw a film strip of four of them instead
    #[arg(long, value_name = "FILE.png", conflicts_with_all = ["json", "schema"])]
    strip: Option<PathBuf>,
}

#[derive(serde::Serialize)]
struct Listing {
    scenes: Vec<Entry>,
}

#[derive(serde::Serialize)]
struct Entry {
    name: String,
    story: String,
    seconds: f64,
    checks: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    if arguments.schema {
        let schema = serde_json::to_string_pretty(&scene::schema()).map_err(|error| Error::Print(error.into()))?;
        return output::print_text(&schema);
    }
    if let Some(path) = &arguments.strip {
        return super::strip::draw(path);
    }
    let mut scenes = Vec::new();
    for (_, text) in library::scenes() {
        let scene = Scene::read(text).map_err(Error::input)?;
        let (seconds, checks) = (scene.seconds, scene.checks.len());
        scenes.push(Entry { name: scene.name, story: scene.story, seconds, checks });
    }
    if arguments.json {
        return output::print_json(&Listing { scenes });
    }
    let width = scenes.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let lines: Vec<String> = scenes.iter().map(|s| format!("{:width$}  {}", s.name, s.story)).collect();
    output::print_text(&format!("{}\n\nRun one with: thenar run NAME", lines.join("\n")))
}
