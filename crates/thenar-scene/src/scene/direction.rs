//! Directions by name.

use serde::{Deserialize, Deserializer, Serialize};
use thenar::math::Vec3;

/// A direction in the world: `"forward"` (-z, away from the person), `"down"`, … or a vector of any length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Direction(pub [f64; 3]);

pub(super) const NAMED: [(&str, [f64; 3]); 6] = [
    ("right", [1.0, 0.0, 0.0]),
    ("left", [-1.0, 0.0, 0.0]),
    ("up", [0.0, 1.0, 0.0]),
    ("down", [0.0, -1.0, 0.0]),
    ("back", [0.0, 0.0, 1.0]),
    ("forward", [0.0, 0.0, -1.0]),
];

impl Direction {
    /// As a vector, not normalised.
    #[must_use]
    pub fn vector(self) -> Vec3 {
        Vec3::from_array(self.0)
    }
}

impl<'de> Deserialize<'de> for Direction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Direction;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a vector of three numbers or one of")?;
                for (k, (name, _)) in NAMED.iter().enumerate() {
                    write!(f, "{} `{name}`", if k == 0 { "" } else { "," })?;
                }
                Ok(())
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Direction, E> {
                let found = NAMED.iter().find(|(name, _)| *name == text);
                found.map(|(_, vector)| Direction(*vector)).ok_or_else(|| {
                    let names: &'static [&'static str] = &["right", "left", "up", "down", "back", "forward"];
                    E::unknown_variant(text, names)
                })
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, sequence: A) -> Result<Direction, A::Error> {
                let vector = <[f64; 3]>::deserialize(serde::de::value::SeqAccessDeserializer::new(sequence))?;
                Ok(Direction(vector))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
