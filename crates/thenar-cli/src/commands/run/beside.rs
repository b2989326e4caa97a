//! What is drawn beside a scene.

use super::chosen::Chosen;
use crate::error::Error;

/// The variant or control of that name.
pub fn chosen(name: Option<&str>, chosen: &Chosen) -> Result<Option<Chosen>, Error> {
    let Some(name) = name else { return Ok(None) };
    let scene = &chosen.scene;
    let known = || scene.variants.iter().chain(&scene.controls);
    let Some(variation) = known().find(|variation| variation.name == name) else {
        let names: Vec<&str> = known().map(|variation| variation.name.as_str()).collect();
        let what = match names.is_empty() {
            true => "there is nothing to draw beside it: it has no variants or controls, or --seconds cut them off"
                .to_owned(),
            false => format!("expected one of: {}", names.join("; ")),
        };
        return Err(Error::input(format!("--beside {name}: {what}")));
    };
    let varied = scene.with(variation).map_err(Error::input)?;
    let (recorded, not_judged) = (chosen.recorded.clone(), Vec::new());
    Ok(Some(Chosen { name: name.to_owned(), scene: varied, recorded, not_judged }))
}
