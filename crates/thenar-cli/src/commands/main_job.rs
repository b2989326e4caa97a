//! `thenar` without a command: builds the default hand, sums it up and says what to try next.

use super::hand;
use crate::error::Error;
use crate::output;

const NEXT: &str = "\
Try next:
  thenar hand --png hand.png           see it
  thenar hand --out hand.glb           open it in any glTF viewer
  thenar hand --hand child --tets 1500 another hand, finer
  thenar help hand                     everything else";

pub fn run() -> Result<(), Error> {
    let summary = hand::default_summary()?;
    output::print_text(&format!("{summary}\n\n{NEXT}"))
}
