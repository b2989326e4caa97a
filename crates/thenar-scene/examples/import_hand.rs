//! Imports a skinned hand and writes it again, filled with tissue: `import_hand IN.glb OUT.glb`.

use thenar_scene::formats::{ImportOptions, import_hand, write_hand};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: import_hand IN.glb OUT.glb".into());
    };
    let hand = import_hand(&std::fs::read(&from)?, &from, &ImportOptions::default())?;
    println!("{:#?}", hand.report());
    std::fs::write(to, write_hand(&hand))?;
    Ok(())
}
