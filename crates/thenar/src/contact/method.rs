//! A contact method from outside of the engine: it says how a contact is answered, and the engine writes the rows.

use super::pair::Pair;
use crate::constraint::AnyLaw;

/// How a contact is answered: a law over the displacement of its touching side, measured along the normal and along two
/// tangents ([`Pair::axes`]) from the surface and from its anchor.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Over one row (the normal), or three.
    pub law: AnyLaw,
    /// How much each row yields, m/N; zero is hard.
    pub compliance: [f64; 3],
}

/// Answers the contacts of objects, or of a world, whose method is [`crate::body::ContactMethod::Outside`]
/// (`World::set_method`). It is asked once for each contact that presses, whenever a step writes its rows; the same contact
/// must get the same answer.
pub trait Method: Send + Sync + std::fmt::Debug {
    /// How this contact is answered.
    fn answer(&self, pair: &Pair) -> Answer;
}
