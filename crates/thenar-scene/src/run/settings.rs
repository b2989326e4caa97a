//! From the settings of a scene to the parameters of a world.

use thenar::contact::{ContactMethod, Pressure};
use thenar::math::{Kernels, Vec3};
use thenar::tracking::TrackingMode;
use thenar::world::{
    AttachmentMethod, ConfigError, EnergyLimit, Preset, Relaxation, SkeletonCoupling, SkeletonMethod, SolverParams,
    StrainSolver, StretchLimits, TissueStretch, WorldConfig,
};

use crate::scene::{SceneError, Tracking, WorldSpec};

/// Parameters that `[world] set` may change, each a number.
type Place = fn(&mut WorldConfig) -> &mut f64;

/// Name here, path in [`WorldConfig`], and place.
const NUMBERS: [(&str, &str, Place); 27] = [
    ("flesh-young", "tissue.flesh.young", |c| &mut c.tissue.flesh.young),
    ("flesh-poisson", "tissue.flesh.poisson", |c| &mut c.tissue.flesh.poisson),
    ("tissue-density", "tissue.density", |c| &mut c.tissue.density),
    ("tissue-damping", "tissue.damping", |c| &mut c.tissue.damping),
    ("relaxation-fast", "tissue.relaxation.shares[0]", |c| &mut relaxation(c).shares[0]),
    ("relaxation-slow", "tissue.relaxation.shares[1]", |c| &mut relaxation(c).shares[1]),
    ("attachment", "attachment", |c| &mut c.attachment),
    ("contact-normal", "contact.normal", |c| &mut c.contact.normal),
    ("contact-tangent", "contact.tangent", |c| &mut c.contact.tangent),
    ("soft-friction", "soft_friction", |c| &mut c.soft_friction),
    ("palm-linear", "tracking.palm.linear", |c| &mut c.tracking.palm.linear),
    ("palm-angular", "tracking.palm.angular", |c| &mut c.tracking.palm.angular),
    ("phalanx-linear", "tracking.phalanx.linear", |c| &mut c.tracking.phalanx.linear),
    ("phalanx-angular", "tracking.phalanx.angular", |c| &mut c.tracking.phalanx.angular),
    ("limit-density", "tissue.limit.density", |c| &mut limit(c).density),
    ("limit-stiffness", "tissue.limit.stiffness", |c| &mut limit(c).stiffness),
    ("flesh-least", "tissue.stretch.flesh.least", |c| &mut stretch(c).flesh.least),
    ("flesh-most", "tissue.stretch.flesh.most", |c| &mut stretch(c).flesh.most),
    ("flesh-volume", "tissue.stretch.flesh.volume", |c| &mut stretch(c).flesh.volume),
    ("bone-least", "tissue.stretch.bone.least", |c| &mut stretch(c).bone.least),
    ("bone-most", "tissue.stretch.bone.most", |c| &mut stretch(c).bone.most),
    ("bone-volume", "tissue.stretch.bone.volume", |c| &mut stretch(c).bone.volume),
    ("nail-least", "tissue.stretch.nail.least", |c| &mut stretch(c).nail.least),
    ("nail-most", "tissue.stretch.nail.most", |c| &mut stretch(c).nail.most),
    ("nail-volume", "tissue.stretch.nail.volume", |c| &mut stretch(c).nail.volume),
    ("strain-tolerance", "strain.tolerance", |c| &mut c.strain.tolerance),
    ("object-spacing", "object_spacing", |c| &mut c.object_spacing),
];

/// The energy limit of the tissue; who sets a value of it has it.
fn limit(config: &mut WorldConfig) -> &mut EnergyLimit {
    config.tissue.limit.get_or_insert(EnergyLimit::USUAL)
}

/// How the stress of the tissue relaxes; who sets a share has both.
fn relaxation(config: &mut WorldConfig) -> &mut Relaxation {
    config.tissue.relaxation.get_or_insert(Relaxation::FINGERTIP)
}

/// Hard limits of the tissue; who sets one has them all.
fn stretch(config: &mut WorldConfig) -> &mut TissueStretch {
    config.tissue.stretch.get_or_insert(TissueStretch::all(StretchLimits::USUAL))
}

/// Makes a choice.
type Setter = fn(&mut WorldConfig);

/// A parameter of `[world] set` that is one of a few words.
pub struct Choice {
    /// Its name, such as `contact`.
    pub name: &'static str,
    values: &'static [(&'static str, Setter)],
}

/// Parameters that `[world] set` may change, each one of a few words: a new method is one line here.
pub const CHOICES: [Choice; 11] = [
    Choice {
        name: "contact",
        values: &[
            ("penalty", |c| c.method = ContactMethod::Penalty),
            ("point", |c| c.method = ContactMethod::Point),
            ("aggregate", |c| c.method = ContactMethod::Aggregate),
        ],
    },
    Choice {
        name: "pressure",
        values: &[
            ("springs", |c| c.aggregate.pressure = Pressure::Springs),
            ("depth", |c| c.aggregate.pressure = Pressure::Depth),
            ("uniform", |c| c.aggregate.pressure = Pressure::Uniform),
        ],
    },
    Choice {
        name: "torsion",
        values: &[("on", |c| c.aggregate.torsion = true), ("off", |c| c.aggregate.torsion = false)],
    },
    Choice { name: "self-contact", values: &[("on", |c| c.self_contact = true), ("off", |c| c.self_contact = false)] },
    Choice {
        name: "strain",
        values: &[
            ("none", |c| (c.tissue.limit, c.tissue.stretch) = (None, None)),
            ("energy", |c| {
                limit(c);
                c.tissue.stretch = None;
            }),
            ("hard", |c| {
                stretch(c);
                c.tissue.limit = None;
            }),
        ],
    },
    Choice {
        name: "relaxation",
        values: &[
            ("off", |c| c.tissue.relaxation = None),
            ("on", |c| {
                relaxation(c);
                c.tissue.damping = Relaxation::FINGERTIP_DAMPING;
            }),
        ],
    },
    Choice {
        name: "strain-solver",
        values: &[
            ("newton", |c| c.strain.solver = StrainSolver::Newton),
            ("njls", |c| c.strain.solver = StrainSolver::Njls),
            ("sqp_pgs", |c| c.strain.solver = StrainSolver::SqpPgs),
            ("sqp_pjls", |c| c.strain.solver = StrainSolver::SqpPjls),
        ],
    },
    Choice {
        name: "solver",
        values: &[
            ("direct", |c| c.solver = SolverParams::Direct),
            ("pcg", |c| c.solver = SolverParams::Pcg { tolerance: 1e-5, max_iterations: 1000 }),
        ],
    },
    Choice {
        name: "skeleton",
        values: &[
            ("bodies", |c| c.skeleton.method = SkeletonMethod::Bodies),
            ("reduced", |c| {
                // blended springs hold nodes on bones that are bodies
                (c.skeleton.method, c.attach) = (SkeletonMethod::Reduced, AttachmentMethod::Surface);
            }),
        ],
    },
    Choice {
        name: "coupling",
        values: &[
            ("two-sided", |c| c.skeleton.coupling = SkeletonCoupling::TwoSided),
            ("one-sided", |c| c.skeleton.coupling = SkeletonCoupling::OneSided),
        ],
    },
    Choice {
        name: "kernels",
        values: &[("auto", |c| c.kernels = Kernels::auto()), ("portable", |c| c.kernels = Kernels::portable())],
    },
];

impl Choice {
    /// The words.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.values.iter().map(|(word, _)| *word)
    }

    /// The word that these parameters agree with; `None` if they agree with none.
    #[must_use]
    pub fn of(&self, config: &WorldConfig) -> Option<&'static str> {
        let unchanged = |set: Setter| {
            let mut changed = config.clone();
            set(&mut changed);
            changed == *config
        };
        self.values.iter().find(|(_, set)| unchanged(*set)).map(|(word, _)| *word)
    }

    /// `a`, `b` or `c`.
    fn expected(&self) -> String {
        let words: Vec<String> = self.words().map(|word| format!("`{word}`")).collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.concat(),
        }
    }
}

/// The value of a number that `[world] set` may change.
#[must_use]
pub fn number_of(config: &WorldConfig, name: &str) -> Option<f64> {
    let (_, _, place) = NUMBERS.iter().find(|(known, _, _)| *known == name)?;
    Some(*place(&mut config.clone()))
}

pub(super) fn fault(field: String, what: String, nearest: Option<String>) -> SceneError {
    SceneError { line: 0, column: 0, field, what, nearest }
}

/// The preset of that name.
pub(super) fn preset_named(wanted: &str) -> Result<Preset, SceneError> {
    let found = Preset::ALL.iter().find(|(name, _)| *name == wanted);
    found.map(|(_, preset)| *preset).ok_or_else(|| {
        let what = format!("there is no preset `{wanted}`");
        SceneError::unknown("world.preset", what, wanted, Preset::ALL.iter().map(|(name, _)| *name))
    })
}

/// The parameters of the preset with the scene's changes.
///
/// # Errors
/// If a preset or parameter is unknown, or a value of the wrong kind.
pub fn world_config(spec: &WorldSpec) -> Result<WorldConfig, SceneError> {
    let mut config = preset_named(&spec.preset)?.config();
    config.gravity = Vec3::from_array(spec.gravity);
    config.tracking.mode = match spec.tracking {
        Tracking::Elastic => TrackingMode::Elastic,
        Tracking::Direct => TrackingMode::Direct,
    };
    for (name, value) in &spec.set {
        apply(&mut config, name, value)?;
    }
    config.check().map_err(refused_setting)?;
    Ok(config)
}

/// What the engine refuses, in the words of a scene.
pub(super) fn refused_setting(error: ConfigError) -> SceneError {
    let fault = |name: &str, what: String| fault(format!("world.set.{name}"), what, None);
    match error {
        ConfigError::RowsWithoutFactor { .. } => {
            let what = "constraints are carried through a factor, and the solver is `pcg`; \
                        set solver = \"direct\" or contact = \"penalty\"";
            fault("contact", what.to_owned())
        }
        ConfigError::LimitsWithoutFactor => {
            let what = "hard limits are met through a factor, and the solver is `pcg` (as preset `clap` has it); \
                        set solver = \"direct\" or strain = \"energy\"";
            fault("strain", what.to_owned())
        }
        ConfigError::OneSidedBodies => {
            let what =
                "bones that are bodies always feel their tissue; set skeleton = \"reduced\" for one-sided coupling";
            fault("coupling", what.to_owned())
        }
        ConfigError::Number { field, value, expected } => {
            let what = format!("{value} does not fit; expected {expected}");
            match NUMBERS.iter().find(|(_, path, _)| *path == field) {
                Some((name, _, _)) => fault(name, what),
                None => super::settings::fault(format!("world.{field}"), what, None),
            }
        }
        // what this version of the engine refuses besides
        _ => super::settings::fault("world".to_owned(), error.to_string(), None),
    }
}

fn apply(config: &mut WorldConfig, name: &str, value: &toml::Value) -> Result<(), SceneError> {
    let field = || format!("world.set.{name}");
    let wrong = |expected: &str| fault(field(), format!("{value} does not fit; expected {expected}"), None);
    if let Some(choice) = CHOICES.iter().find(|choice| choice.name == name) {
        let known = choice.values.iter().find(|(known, _)| value.as_str() == Some(known));
        let (_, set) = known.ok_or_else(|| wrong(&choice.expected()))?;
        set(config);
        return Ok(());
    }
    let Some((_, _, place)) = NUMBERS.iter().find(|(known, _, _)| *known == name) else {
        let names = NUMBERS.iter().map(|(known, _, _)| *known).chain(CHOICES.iter().map(|choice| choice.name));
        return Err(SceneError::unknown(field(), format!("there is no parameter `{name}`"), name, names));
    };
    match value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64)) {
        Some(number) if number.is_finite() && number >= 0.0 => *place(config) = number,
        _ => return Err(wrong("a number that is not negative")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> WorldSpec {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn settings_reach_their_parameters() {
        let config = world_config(&spec(
            "preset = 'clap'\ntracking = 'direct'\ngravity = [0, 0, -1]\n\
             set = { strain = 'none', solver = 'direct', palm-linear = 7 }",
        ))
        .unwrap();
        assert_eq!(config.gravity, Vec3::NEG_Z);
        assert_eq!(config.tracking.mode, TrackingMode::Direct);
        assert_eq!(config.tracking.palm.linear, 7.0);
        assert_eq!((config.tissue.limit, config.solver), (None, SolverParams::Direct));
        let reduced = world_config(&spec("set = { skeleton = 'reduced', coupling = 'one-sided' }")).unwrap().skeleton;
        assert_eq!((reduced.method, reduced.coupling), (SkeletonMethod::Reduced, SkeletonCoupling::OneSided));
        let mut config = WorldConfig::default();
        for (k, (name, _, place)) in NUMBERS.iter().enumerate() {
            apply(&mut config, name, &toml::Value::Integer(k as i64)).unwrap();
            assert_eq!(*place(&mut config), k as f64);
        }
    }

    #[test]
    fn a_choice_tells_what_it_was_set_to() {
        for choice in &CHOICES {
            for word in choice.words() {
                let mut config = WorldConfig::default();
                apply(&mut config, choice.name, &word.into()).unwrap();
                // Where the machine has no kernels of its own, `auto` is `portable`.
                let same = choice.name == "kernels" && Kernels::auto() == Kernels::portable();
                assert!(same || choice.of(&config) == Some(word), "{} {word}", choice.name);
            }
        }
        assert_eq!(number_of(&WorldConfig::default(), "palm-linear"), Some(1.2e4));
        assert_eq!(number_of(&WorldConfig::default(), "palm"), None);
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let message = |text: &str| world_config(&spec(text)).unwrap_err().to_string();
        assert_eq!(message("preset = 'clop'"), "`world.preset`: there is no preset `clop`; did you mean `clap`?");
        assert_eq!(
            message("set = { palm-liner = 3 }"),
            "`world.set.palm-liner`: there is no parameter `palm-liner`; did you mean `palm-linear`?"
        );
        assert_eq!(
            message("set = { contact-normal = 0 }"),
            "`world.set.contact-normal`: 0 does not fit; expected a positive finite number"
        );
        assert!(message("gravity = [0, 1e9, 0]").starts_with("`world.gravity`"));
        assert!(message("set = { palm-linear = nan }").contains("expected a number"));
        assert!(message("set = { contact = 'point', solver = 'pcg' }").contains("set solver = \"direct\""));
        assert!(message("set = { coupling = 'one-sided' }").contains("set skeleton = \"reduced\""));
        assert!(message("set = { skeleton = 'loose' }").contains("expected `bodies` or `reduced`"));
        assert!(message("set = { strain = 3 }").contains("expected `none`, `energy` or `hard`"));
        assert!(message("preset = 'clap'\nset = { strain = 'hard' }").contains("set solver = \"direct\""));
    }
}
