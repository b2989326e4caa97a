//! Draws the skin of a hand built from anatomy to `target/skin.png` (or the path given).

use thenar::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};
use thenar_draw::{HandView, png, skin_sheet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/skin.png".into());
    let hand = HandSurface::build(&Anatomy::preset(Preset::Adult, Side::Right), SkinDetail::Default)?;
    let views = [HandView::PALM, HandView::BACK, HandView::SIDE, HandView::THREE_QUARTER, HandView::LITTLE];
    let start = std::time::Instant::now();
    let canvas = skin_sheet(&hand.skin, hand.side, &views);
    eprintln!("{} triangles, {:.3} s per picture", hand.skin.mesh.triangles.len(), start.elapsed().as_secs_f64() / 5.0);
    std::fs::write(&path, png(&canvas)?)?;
    Ok(())
}
