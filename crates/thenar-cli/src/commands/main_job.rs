//! `thenar` without a command: the main job. A soft hand grasps a ball; then it says what to try next.

use super::run::{self, Arguments};
use crate::error::Error;
use crate::output;

const SCENE: &str = "ball";

const NEXT: &str = "
Try next:
  thenar run ball --film film.png      see it as a film strip
  thenar scenes                        what else there is
  thenar hand --png hand.png           the hand itself
  thenar help                          everything else";

pub fn run() -> Result<bool, Error> {
    let passed = run::run(&Arguments::of(SCENE))?;
    output::print_text(NEXT)?;
    Ok(passed)
}
