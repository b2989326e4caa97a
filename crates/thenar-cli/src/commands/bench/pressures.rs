//! Where the pressure of a patch goes, by law: the cube of `edge`, held by two of its edges by the fingers of preset `talvas`.

use super::table::Table;
use crate::commands::run::hands::Hands;
use crate::error::Error;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use thenar::contact::{Pair, Side};
use thenar::hand::Preset;
use thenar_scene::assets::Assets;
use thenar_scene::library;
use thenar_scene::run::Simulation;

const LAWS: [&str; 3] = ["springs", "depth", "uniform"];

/// The tips have closed around the edges, and the table still carries the cube, seconds.
const PINCHED: f64 = 2.1;

/// What came of one law.
#[derive(Serialize)]
pub struct Outcome {
    law: &'static str,
    contacts: usize,
    /// Largest and median share of the normal force of a finger's patch, in terms of an even one.
    largest: f64,
    median: f64,
    /// Side force of the two pinching patches over their normal force: how much of it friction has to hold.
    leaning: f64,
    height_mm: f64,
    lifted: bool,
}

/// All laws.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Pressures(Vec<Outcome>);

impl Pressures {
    pub fn measure() -> Result<Pressures, Error> {
        LAWS.into_iter().map(outcome).collect::<Result<_, _>>().map(Pressures)
    }
}

fn outcome(law: &'static str) -> Result<Outcome, Error> {
    let mut scene = library::scene("edge").map_err(Error::input)?;
    "talvas".clone_into(&mut scene.world.preset);
    scene.world.soft = Some(["thumb-distal", "index-distal"].map(str::to_owned).to_vec());
    scene.world.set.insert("pressure".to_owned(), law.into());
    let hands = Hands::build(&scene, Preset::Adult, None, None)?;
    let quiet = |_: usize, _: usize| {};
    let mut assets = Assets::new(Path::new("."), 1, &quiet);
    let mut simulation = Simulation::new(&scene, &|side| hands.of(side), &mut assets).map_err(Error::input)?;
    let (mut shares, mut leaning) = (Vec::new(), 0.0);
    while simulation.advance().map_err(Error::input)?.is_some() {
        if shares.is_empty() && simulation.time() >= PINCHED {
            (shares, leaning) = shares_of(simulation.world().contacts());
        }
    }
    shares.sort_unstable_by(f64::total_cmp);
    let cube = *simulation.objects().last().ok_or_else(|| Error::input("edge has no cube"))?;
    let height = simulation.world().object(cube).pose.position.y;
    Ok(Outcome {
        law,
        contacts: shares.len(),
        largest: shares.last().copied().unwrap_or(0.0),
        median: shares.get(shares.len() / 2).copied().unwrap_or(0.0),
        leaning,
        height_mm: 1e3 * height,
        // the scene asks for as much
        lifted: height > 0.11,
    })
}

/// Shares of the contacts in their patches, in terms of even ones by area, and side force over normal force.
fn shares_of(pairs: &[Pair]) -> (Vec<f64>, f64) {
    // edges of the cube against the skin, too
    let patch = |pair: &Pair| match pair.contact.sides {
        [Side::Soft { body: 0, patch, .. }, Side::Rigid { .. }] => Some(patch),
        _ => None,
    };
    let pressing: Vec<(u8, &Pair)> =
        pairs.iter().filter(|pair| pair.active).filter_map(|pair| Some((patch(pair)?, pair))).collect();
    let (mut across, mut along) = (0.0, 0.0);
    let mut shares = Vec::new();
    for (patch, pair) in &pressing {
        let of_patch = || pressing.iter().filter(|(other, _)| other == patch).map(|(_, pair)| pair);
        let force: f64 = of_patch().map(|p| p.pressing()).sum();
        let area: f64 = of_patch().map(|p| p.contact.area).sum();
        shares.push(pair.pressing() / force * area / pair.contact.area);
        across += (pair.force - pair.contact.normal * pair.pressing()).length();
        along += pair.pressing();
    }
    (shares, across / along.max(f64::MIN_POSITIVE))
}

impl fmt::Display for Pressures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Where the pressure goes: `edge` with two soft phalanges, weights of contacts in terms of even ones,\n"
        )?;
        let mut table =
            Table::new(&["law", "contacts", "largest", "median", "friction / normal", "height, mm", "lifted"]);
        for o in &self.0 {
            table.row(vec![
                match o.law {
                    "depth" => "depth (eq. 11)".to_owned(),
                    law => law.to_owned(),
                },
                o.contacts.to_string(),
                format!("{:.2}", o.largest),
                format!("{:.2}", o.median),
                format!("{:.2}", o.leaning),
                format!("{:.1}", o.height_mm),
                if o.lifted { "yes" } else { "no" }.to_owned(),
            ]);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "depth acts one step late and takes steps of 1 ms; springs are solved with the step; uniform goes by areas alone."
        )
    }
}
