//! Objects against objects: samples of one against the distance field of the other.

use super::contact::{BodyRef, Contact, ContactKey, Contacts, Feature, Met, Side};
use super::deciding::keep_deciding;
use super::scene::Scene;

/// Finds the samples of moving objects inside other objects. A pair of moving objects is tested both ways with half
/// the area each, so that its stiffness is the same as against a fixed one. `pressed` says which touched in the last step.
pub fn objects_against_objects(
    scene: &Scene<'_>,
    alarm: f64,
    pressed: impl Fn(&ContactKey) -> bool,
    found: &mut Contacts,
) {
    let (objects, poses) = (scene.objects, scene.poses);
    for (a, toucher) in objects.iter().enumerate() {
        if toucher.mass.is_none() || toucher.dormant() {
            continue;
        }
        let own = toucher.world_bounds(&poses[a]);
        for (b, touched) in objects.iter().enumerate() {
            if a == b || touched.hosted || (toucher.hosted && touched.mass.is_some()) {
                continue;
            }
            if !own.overlaps(&touched.world_bounds(&poses[b]).grown(alarm)) {
                continue;
            }
            let relative = poses[b].inverse() * poses[a];
            if !touched.comes_near(&toucher.bounds.placed(&relative), alarm) {
                continue;
            }
            let share = if touched.mass.is_some() { 0.5 } else { 1.0 };
            let inner = touched.bounds.grown(alarm);
            let from = found.all.len();
            for (s, sample) in toucher.samples.iter().enumerate() {
                let centre = relative.point(sample.local);
                if !inner.grown(sample.radius).contains(centre) {
                    continue;
                }
                let Some(field) = touched.sample_within(centre, alarm + sample.radius) else { continue };
                let local = centre - field.normal * sample.radius;
                let (point, normal) = (poses[b].point(local), poses[b].rotation * field.normal);
                // both at the start of the step, where the sample was: levers of one place
                let start = scene.object_states[a].pose.point(sample.local) - normal * sample.radius;
                let side = |object: usize| Side::Rigid { object: object as u32, lever: scene.lever(object, start) };
                found.push(Contact {
                    key: ContactKey {
                        owner: BodyRef::Object(a as u32),
                        feature: Feature::Sample(s as u32),
                        other: BodyRef::Object(b as u32),
                        part: 0,
                    },
                    sides: [side(a), side(b)],
                    met: if sample.radius > 0.0 { Met::Rolling } else { Met::Local(local) },
                    point,
                    normal,
                    gap: field.distance - sample.radius,
                    area: sample.area * share,
                });
            }
            keep_deciding(&mut found.all, from, &pressed);
        }
    }
}
