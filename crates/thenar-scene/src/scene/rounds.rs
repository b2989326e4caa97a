//! A motion that is repeated from place to place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::validate::{Outcome, fault, vector, within};
use super::{HandSpec, Key, Scene};

/// Most keys that rounds may become.
const MOST_KEYS: usize = 10_000;

/// Repeats the keys of a hand, once per round. Keys that name a `place` count their palm's position from that place of
/// the round, so that one pick and one drop are written once for many things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// How long a round takes, seconds.
    pub seconds: f64,
    /// The places of each round, metres: `[[0.1, 0, 0], [-0.1, 0, 0]]` from here to there.
    pub places: Vec<Vec<[f64; 3]>>,
}

impl Scene {
    /// Writes rounds out as keys; the rest of the program knows keys only.
    pub(super) fn unroll(&mut self) -> Outcome {
        for (index, hand) in self.hands.iter_mut().enumerate() {
            let path = format!("hand[{index}]");
            match hand.rounds.take() {
                Some(rounds) => unroll(&path, hand, &rounds)?,
                None => {
                    if let Some(k) = hand.keys.iter().position(|key| key.place.is_some()) {
                        return Err(fault(format!("{path}.key[{k}].place"), "a place belongs to `rounds` of the hand"));
                    }
                }
            }
        }
        Ok(())
    }
}

fn unroll(path: &str, hand: &mut HandSpec, rounds: &Rounds) -> Outcome {
    within(format!("{path}.rounds.seconds"), rounds.seconds, 0.01, 3600.0, "s")?;
    let most = MOST_KEYS / hand.keys.len().max(1);
    if rounds.places.is_empty() || rounds.places.len() > most {
        let what = format!("there are {} rounds; from 1 to {most} are possible", rounds.places.len());
        return Err(fault(format!("{path}.rounds.places"), what));
    }
    if let Some(k) = hand.keys.iter().position(|key| key.at >= rounds.seconds) {
        let what = format!("{} s is not within a round of {} s", hand.keys[k].at, rounds.seconds);
        return Err(fault(format!("{path}.key[{k}].at"), what));
    }
    let mut keys = Vec::new();
    for (round, places) in rounds.places.iter().enumerate() {
        for (k, place) in places.iter().enumerate() {
            vector(format!("{path}.rounds.places[{round}][{k}]"), *place, 1000.0, "m")?;
        }
        for (k, key) in hand.keys.iter().enumerate() {
            let mut moved = Key { at: key.at + rounds.seconds * round as f64, place: None, ..key.clone() };
            if let Some(place) = key.place {
                let Some(origin) = places.get(place) else {
                    let what = format!("there is no place {place} in round {round}, which has {}", places.len());
                    return Err(fault(format!("{path}.key[{k}].place"), what));
                };
                let Some(position) = moved.palm.as_mut().and_then(|palm| palm.position.as_mut()) else {
                    return Err(fault(format!("{path}.key[{k}].place"), "a place goes with `palm.position`"));
                };
                position.iter_mut().zip(origin).for_each(|(x, from)| *x += from);
            }
            keys.push(moved);
        }
    }
    hand.keys = keys;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(rounds: &str, place: &str) -> String {
        format!(
            "name = \"carry\"\nseconds = 4\n[[hand]]\nside = \"right\"\nrounds = {rounds}\n\
             [[hand.key]]\nat = 0.0\nplace = 0\npalm = {{ position = [0, 0.1, 0] }}\n\
             [[hand.key]]\nat = 0.5\n{place}\npalm = {{ position = [0, 0.2, 0] }}\ngrasp = \"fist\"\n"
        )
    }

    #[test]
    fn keys_are_repeated_from_place_to_place() {
        let text = scene("{ seconds = 2, places = [[[1, 0, 0], [2, 0, 0]], [[3, 0, 0], [4, 0, 1]]] }", "place = 1");
        let hand = &Scene::read(&text).unwrap().hands[0];
        let times: Vec<f64> = hand.keys.iter().map(|key| key.at).collect();
        assert_eq!(times, [0.0, 0.5, 2.0, 2.5]);
        let position = |k: usize| hand.keys[k].palm.as_ref().unwrap().position.unwrap();
        assert_eq!((position(0), position(3)), ([1.0, 0.1, 0.0], [4.0, 0.2, 1.0]));
        assert!(hand.keys[1].grasp.is_some() && hand.keys[3].grasp.is_some());
    }

    #[test]
    fn mistakes_are_named() {
        for (rounds, place, expected) in [
            ("{ seconds = 2, places = [[[1, 0, 0]]] }", "place = 1", "there is no place 1 in round 0, which has 1"),
            ("{ seconds = 0.4, places = [[[1, 0, 0]]] }", "", "0.5 s is not within a round of 0.4 s"),
            ("{ seconds = 2, places = [] }", "", "there are 0 rounds"),
        ] {
            let error = Scene::read(&scene(rounds, place)).unwrap_err();
            assert!(error.to_string().contains(expected) && error.line > 0, "{error}");
        }
        let alone = scene("{ seconds = 2, places = [[[1, 0, 0]]] }", "").replace("rounds = ", "#");
        assert!(Scene::read(&alone).unwrap_err().to_string().contains("`rounds`"));
    }
}
