//! Choices in words: one sentence each, where it comes from, and why one has no effect now. Pages take their text from here.

use thenar::contact::ContactMethod;
use thenar::world::{SkeletonMethod, WorldConfig};

const CLAP: &str = "Verschoor, Lobo, Otaduy 2018, Soft Hand Simulation for Smooth and Robust Natural Interaction";
const TALVAS: &str =
    "Talvas, Marchal, Duriez, Otaduy 2015, Aggregate Constraints for Virtual Manipulation with Soft Fingers";
const PEREZ: &str = "Perez et al. 2016, Efficient Nonlinear Skin Simulation for Multi-Finger Tactile Rendering";
const GARRE: &str = "Garre, Otaduy 2010, Haptic Rendering of Objects with Rigid and Deformable Parts";
const COULOMB: &str = "Signorini 1933 and Coulomb 1785";
const CONTENSOU: &str = "Contensou 1963";
const PAWLUK: &str = "Pawluk, Howe 1999, Dynamic Lumped Element Response of the Human Fingerpad";
const HESTENES: &str = "Hestenes, Stiefel 1952, Methods of Conjugate Gradients for Solving Linear Systems";

/// Key, word, sentence, paper.
type Entry = (&'static str, &'static str, &'static str, Option<&'static str>);

const WORDS: [Entry; 40] = [
    ("preset", "default", "The best we know how to make: one soft hand on bones that are bodies.", None),
    ("preset", "clap", "The numbers that CLAP prints, with its solver.", Some(CLAP)),
    (
        "preset",
        "talvas",
        "Soft phalanges on a rigid palm, a skeleton of joint angles, contact by patches.",
        Some(TALVAS),
    ),
    (
        "preset",
        "perez",
        "Soft flesh with hard limits, each node held between its bones, contact by springs.",
        Some(PEREZ),
    ),
    (
        "preset",
        "garre",
        "Soft all through, without a skeleton, on one rigid handle in the palm; contact at points.",
        Some(GARRE),
    ),
    ("contact", "penalty", "Springs at skin points: smooth and quick, a fraction of a millimetre deep.", Some(CLAP)),
    ("contact", "point", "Hard constraints at skin points: nothing sinks in.", Some(COULOMB)),
    ("contact", "aggregate", "One constraint per patch of skin, with friction against turning.", Some(TALVAS)),
    ("pressure", "springs", "The pressure in a patch as springs at all its points spread it.", None),
    ("pressure", "depth", "The pressure in proportion to how deep each point would sink in.", Some(TALVAS)),
    ("pressure", "uniform", "The same pressure everywhere in a patch.", Some(TALVAS)),
    ("torsion", "on", "A patch resists turning on the spot.", Some(CONTENSOU)),
    ("torsion", "off", "A patch turns on the spot without friction.", None),
    ("self-contact", "on", "Thumb, fingers and palm feel each other.", None),
    ("self-contact", "off", "Parts of the hand pass through each other, as in the papers.", Some(CLAP)),
    ("strain", "none", "Flesh stretches in proportion to its load, however far.", None),
    ("strain", "energy", "Flesh stiffens before it is crushed.", Some(CLAP)),
    ("strain", "hard", "Flesh is soft up to limits of its stretches, which it never passes.", Some(PEREZ)),
    ("strain-solver", "newton", "Limits join the matrix where they are active: a few factorisations.", None),
    ("strain-solver", "njls", "One Jacobi step with a line search between two linearisations.", Some(PEREZ)),
    ("strain-solver", "sqp_pgs", "Linearised limits by Gauss–Seidel, again and again.", Some(PEREZ)),
    ("strain-solver", "sqp_pjls", "Linearised limits by Jacobi steps, again and again.", Some(PEREZ)),
    ("relaxation", "off", "Flesh that is held pushes back for ever.", None),
    ("relaxation", "on", "Flesh that is held gives way within a second, as that of fingertips.", Some(PAWLUK)),
    ("solver", "direct", "Exact: the matrix is factored in every step.", None),
    ("solver", "pcg", "Iterative: cheap steps, and contact by springs only.", Some(HESTENES)),
    ("skeleton", "bodies", "Bones are rigid bodies that joints hold together.", Some(CLAP)),
    ("skeleton", "reduced", "Bones move by joint angles alone and cannot come apart.", Some(TALVAS)),
    ("coupling", "two-sided", "Bones feel the flesh that pulls at them.", Some(CLAP)),
    ("coupling", "one-sided", "Flesh follows the bones, and bones do not feel it.", Some(TALVAS)),
    ("tracking", "elastic", "Tracked bones pull the simulated ones with forces that a hand has.", Some(CLAP)),
    ("tracking", "direct", "Bones go where they are tracked, whatever force that takes.", Some(PEREZ)),
    ("haptics", "off", "The hand follows its tracker, and nobody feels what it touches.", None),
    (
        "haptics",
        "mouse",
        "The mouse is a device with three motors, held by a hand as soft as yours: drag, and see the force on it hold it back.",
        Some(GARRE),
    ),
    (
        "haptics",
        "sim3",
        "A simulated person holds a device with three motors and wants what script or mouse want of the hand.",
        Some(GARRE),
    ),
    ("haptics", "sim6", "The same person with six motors, which resist turning, too.", Some(GARRE)),
    ("hand", "adult", "A hand of average measures.", None),
    ("hand", "adult-small", "A small adult's hand.", None),
    ("hand", "adult-large", "A large adult's hand.", None),
    ("hand", "child", "A child's hand.", None),
];

/// A word in one sentence, with its paper; empty for words that nobody has explained.
pub fn about(key: &str, word: &str) -> String {
    let known = WORDS.iter().find(|(k, w, ..)| (*k, *w) == (key, word));
    match (known, word) {
        (Some((.., sentence, Some(paper))), _) => format!("{sentence} [{paper}]"),
        (Some((.., sentence, None)), _) => (*sentence).to_owned(),
        (None, super::hands::OWN) => "Your own hand, as the headset saw it.".to_owned(),
        (None, _) => String::new(),
    }
}

/// Why a choice makes no difference under the other ones.
pub fn idle(key: &str, config: &WorldConfig) -> Option<&'static str> {
    let aggregate = config.method == ContactMethod::Aggregate;
    match key {
        "pressure" if !aggregate => Some("Only aggregate contact has patches over which pressure is spread."),
        "torsion" if !aggregate => Some("Only aggregate contact has patches that can turn."),
        "strain-solver" if config.tissue.stretch.is_none() => {
            Some("Only hard limits of strain need a solver of their own.")
        }
        "coupling" if config.skeleton.method != SkeletonMethod::Reduced => {
            Some("Bones that are bodies always feel their flesh; choose the reduced skeleton.")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::feedback::Choice;
    use thenar::hand::Preset as HandPreset;
    use thenar::world::Preset;
    use thenar_scene::run::CHOICES;

    #[test]
    fn every_word_that_pages_offer_is_explained_and_no_other() {
        let mut offered: Vec<(&str, &str)> = Preset::ALL.iter().map(|(name, _)| ("preset", *name)).collect();
        offered.extend([("tracking", "elastic"), ("tracking", "direct")]);
        offered.extend(Choice::ALL.iter().map(|choice| ("haptics", choice.word())));
        offered.extend(HandPreset::ALL.iter().map(|preset| ("hand", preset.name())));
        for choice in CHOICES.iter().filter(|choice| choice.name != "kernels") {
            offered.extend(choice.words().map(|word| (choice.name, word)));
        }
        for (key, word) in &offered {
            assert!(about(key, word).len() > 10, "{key} {word}");
        }
        for (key, word, ..) in WORDS {
            assert!(offered.contains(&(key, word)), "{key} {word}");
        }
    }

    /// Who reads a tooltip can look the method up: authors and year of each that is not our own.
    #[test]
    fn methods_name_the_paper_that_they_are_from() {
        for (key, word, authors, year) in [
            ("preset", "clap", "Verschoor", "2018"),
            ("preset", "talvas", "Talvas", "2015"),
            ("preset", "perez", "Perez", "2016"),
            ("preset", "garre", "Garre", "2010"),
            ("contact", "penalty", "Verschoor", "2018"),
            ("contact", "point", "Signorini", "1933"),
            ("contact", "aggregate", "Talvas", "2015"),
            ("strain", "hard", "Perez", "2016"),
            ("skeleton", "reduced", "Talvas", "2015"),
            ("solver", "pcg", "Hestenes", "1952"),
            ("haptics", "mouse", "Garre", "2010"),
        ] {
            let text = about(key, word);
            let (sentence, paper) = text.rsplit_once(" [").unwrap_or_default();
            assert!(sentence.ends_with('.') && paper.contains(authors) && paper.contains(year), "{key} {word}: {text}");
        }
    }
}
