//! The names of the contact methods: an object may ask for one, though detection itself knows none of them.

/// How skin contact is resolved; contacts between rigid objects are always springs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMethod {
    /// Stiff springs [CLAP §3.5].
    Penalty,
    /// Signorini's and Coulomb's laws at every touching vertex [Talvas, Garre §3.2].
    Point,
    /// Few constraints per patch: volume, mean slip, spin [Talvas §3].
    Aggregate,
    /// What `World::set_method` was given; hard points where it was given nothing. A scene file cannot name it.
    Outside,
}

impl ContactMethod {
    /// All methods of the engine with their names.
    pub const ALL: [(&'static str, ContactMethod); 3] =
        [("penalty", ContactMethod::Penalty), ("point", ContactMethod::Point), ("aggregate", ContactMethod::Aggregate)];

    /// Its name, as in [`ContactMethod::ALL`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ContactMethod::Penalty => "penalty",
            ContactMethod::Point => "point",
            ContactMethod::Aggregate => "aggregate",
            ContactMethod::Outside => "outside",
        }
    }
}
