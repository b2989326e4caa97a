//! From the settings of a scene to the tissue of its hands.

use thenar::hand::{BoneId, Patch, Phalanges, TissueLayout, TissueOptions};

use super::settings::{fault, preset_named};
use crate::scene::{SceneError, WorldSpec, nearest};

/// Name of a phalanx, such as `index-distal` or `thumb-metacarpal`.
#[must_use]
pub fn phalanx_name(bone: BoneId) -> String {
    Patch::of_bone(bone).name().replace(' ', "-")
}

/// The phalanges of a list of names; the name of a digit stands for its three, `none` for no phalanx at all.
///
/// # Errors
/// Names the first word that is no phalanx, with the nearest that is.
pub fn phalanges_named(names: &[String]) -> Result<Phalanges, SceneError> {
    let bones: Vec<(String, BoneId)> = BoneId::all().skip(1).map(|bone| (phalanx_name(bone), bone)).collect();
    let mut chosen = Vec::new();
    for (i, name) in names.iter().enumerate() {
        if name == "none" {
            continue;
        }
        let before = chosen.len();
        let of_digit = |bone: BoneId| bone.digit().is_some_and(|digit| digit.name() == name);
        chosen.extend(bones.iter().filter(|(known, bone)| known == name || of_digit(*bone)).map(|(_, bone)| *bone));
        if chosen.len() == before {
            let near = nearest(name, bones.iter().map(|(known, _)| known.as_str()));
            return Err(fault(format!("world.soft[{i}]"), format!("there is no phalanx `{name}`"), near));
        }
    }
    Ok(Phalanges::of(chosen))
}

/// The tissue that goes with the preset of a scene, with its choice of soft phalanges; `tets` overrides the preset's
/// number of elements.
///
/// # Errors
/// If the preset is unknown, or phalanges are chosen for a hand of one piece.
pub fn tissue_options(spec: &WorldSpec, tets: Option<usize>) -> Result<TissueOptions, SceneError> {
    let mut options = preset_named(&spec.preset)?.tissue();
    options.tets = tets.unwrap_or(options.tets);
    if let Some(names) = &spec.soft {
        if options.layout == TissueLayout::Whole {
            let what = "this preset's hand is soft as a whole; choose preset = \"talvas\" for soft phalanges";
            return Err(fault("world.soft".to_owned(), what.to_owned(), None));
        }
        options.layout = TissueLayout::Phalanges(phalanges_named(names)?);
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<TissueOptions, String> {
        tissue_options(&toml::from_str(text).unwrap(), None).map_err(|e| e.to_string())
    }

    #[test]
    fn presets_and_names_choose_the_soft_phalanges() {
        assert_eq!(options("").unwrap(), TissueOptions::default());
        assert_eq!(options("preset = 'talvas'").unwrap().layout, TissueLayout::Phalanges(Phalanges::ALL));
        let tips = options("preset = 'talvas'\nsoft = ['thumb', 'index-distal']").unwrap();
        let TissueLayout::Phalanges(soft) = tips.layout else { panic!("pieces") };
        assert_eq!(soft.count(), 4);
        assert!(soft.contains(BoneId(1)) && soft.contains(BoneId(6)) && !soft.contains(BoneId(5)));
        let rigid = options("preset = 'talvas'\nsoft = ['none']").unwrap();
        assert_eq!(rigid.layout, TissueLayout::Phalanges(Phalanges::of([])));
        let wrong = options("preset = 'talvas'\nsoft = ['thumb', 'index-distant']").unwrap_err();
        assert_eq!(wrong, "`world.soft[1]`: there is no phalanx `index-distant`; did you mean `index-distal`?");
        assert!(options("soft = ['thumb']").unwrap_err().contains("preset = \"talvas\""));
    }
}
