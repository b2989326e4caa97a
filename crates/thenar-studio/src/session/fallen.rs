//! Things that fall out of a scene come back by themselves.

use thenar::math::Vec3;

use super::stage::Stage;

/// How long a thing is lost before it comes back, simulated seconds.
const MOMENT: f64 = 1.0;
/// Nearer to where a thing starts than this, metres, a palm would be in its way.
const IN_THE_WAY: f64 = 0.12;

/// Since when each thing of a scene, rigid ones first, has been lost.
#[derive(Default)]
pub struct Fallen {
    since: Vec<Option<f64>>,
}

impl Fallen {
    /// Looks after a step, and brings back what has been lost for a moment. Names of what came back.
    pub fn look(&mut self, stage: &mut Stage) -> Vec<String> {
        let time = stage.simulation.time();
        let count = stage.scene.objects.len() + stage.scene.softs.len();
        self.since.resize(count, None);
        let mut back = Vec::new();
        for thing in 0..count {
            let Some(place) = stage.place_of(thing) else { continue };
            let lost = place.y < stage.depth || !place.is_finite();
            let since = self.since[thing].filter(|_| lost).or(lost.then_some(time));
            self.since[thing] = since;
            let waited = since.is_some_and(|since| time > since + MOMENT);
            if waited && !in_the_way(stage, stage.start_of(thing)) {
                stage.simulation.put_back(thing);
                self.since[thing] = None;
                back.push(stage.name_of(thing));
            }
        }
        back
    }
}

fn in_the_way(stage: &Stage, start: Vec3) -> bool {
    let world = stage.simulation.world();
    let mut palms = stage.simulation.hands().iter().map(|hand| world.hand(hand.id).bones[0].position);
    palms.any(|palm| palm.distance(start) < IN_THE_WAY)
}
