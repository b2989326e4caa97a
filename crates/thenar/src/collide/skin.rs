//! Surface points of soft bodies against distance fields of objects [CLAP §3.5], at the predicted end of the step.
//!
//! A point that moves far in a step, or that has crossed the middle of a thin object, is met on the side on which it
//! went in; the field alone would send it out on the other side.

use super::contact::{BodyRef, Contact, ContactKey, Contacts, Feature, Met, Side};
use super::scene::{Entered, Remembered, Scene};
use crate::body::ObjectModel;
use crate::geometry::Aabb;
use crate::geometry::distance::Sample;
use crate::math::{Pose, Vec3, rotation_log};

/// Motion within a step from which on a point's way is traced, metres: half of the thinnest thing that a hand holds.
const FAR: f64 = 1e-3;

/// A traced point has arrived this close to a surface, metres.
const ARRIVED: f64 = 5e-5;

/// Steps along the way of a point at most; each goes as far as the field says that nothing is.
const TRACES: u32 = 24;

/// Cosine between the object's normal and the skin's, turned round, below which the point does not face the object: what
/// it would feel there is an edge, which the edges of the object see (`collide/edges.rs`).
const FACING: f64 = 0.2;

/// Finds the points of soft body `body` within `alarm` metres of any object. `positions` is scratch.
pub fn skin_against_objects(
    scene: &Scene<'_>,
    body: u32,
    alarm: f64,
    remembered: Remembered<'_>,
    positions: &mut Vec<Vec3>,
    found: &mut Contacts,
) {
    let (soft, state) = (&scene.softs[body as usize], &scene.soft_states[body as usize]);
    let (surface, predicted) = (&soft.surface, &scene.nodes[body as usize][..]);
    positions.clear();
    positions.extend(surface.points.iter().map(|p| p.interpolate(predicted)));
    let swept = soft_motion(&state.nodes, predicted);
    for (index, object) in scene.objects.iter().enumerate().filter(|(_, o)| !o.dormant()) {
        let (pose, before) = (&scene.poses[index], &scene.object_states[index].pose);
        // how far a point of the body may have come over the object in this step
        let way = if object.radius.is_finite() { swept + rigid_motion(pose, before, object.radius) } else { swept };
        let reach = alarm + if way > FAR { way } else { 0.0 };
        let (world, back, back_before) = (object.world_bounds(pose).grown(reach), pose.inverse(), before.inverse());
        let inner = object.bounds.grown(reach);
        for group in surface.starts.windows(2) {
            let range = group[0] as usize..group[1] as usize;
            let bounds = Aabb::around(positions[range.clone()].iter().copied());
            if !bounds.overlaps(&world) || !object.comes_near(&bounds.placed(&back), reach) {
                continue;
            }
            for i in range {
                let local = back.rotation * (positions[i] - pose.position);
                if !inner.contains(local) {
                    continue;
                }
                let end = object.sample_within(local, alarm);
                if end.is_none() && way <= FAR {
                    continue;
                }
                let point = &surface.points[i];
                let start = point.interpolate(&state.nodes);
                let came_from = back_before.rotation * (start - before.position);
                let (feature, other) = (Feature::Skin(i as u32), BodyRef::Object(index as u32));
                let key = ContactKey { owner: BodyRef::Soft(body), feature, other, part: 0 };
                // what a point would feel beside the way that it looks is an edge, which the edges of the object see
                let outward = back.rotation * point.outward(predicted);
                let faces = |normal: Vec3| normal.dot(outward) < -FACING;
                let Some(sample) = meet(object, came_from, local, end, faces, || remembered(&key)) else { continue };
                let normal = pose.rotation * sample.normal;
                let side = found.in_element(body, point.patch, point.tet, point.nodes, point.weights);
                found.push(Contact {
                    key,
                    sides: [side, Side::Rigid { object: index as u32, lever: scene.lever(index, start) }],
                    met: Met::Local(local),
                    point: positions[i],
                    normal,
                    gap: sample.distance,
                    area: point.area,
                });
            }
        }
    }
}

/// The surface that a point on its way from `from` to `to`, in the object's frame, meets: its gap at the end and normal.
/// `end` is what the field says there, if that is near.
///
/// Where the nearest surface is one that the point does not face, it has come through from another side: the one on which
/// it went in, in this step or an earlier one.
fn meet(
    object: &ObjectModel,
    from: Vec3,
    to: Vec3,
    end: Option<Sample>,
    faces: impl Fn(Vec3) -> bool,
    remembered: impl FnOnce() -> Option<Entered>,
) -> Option<Sample> {
    if end.is_some_and(|s| faces(s.normal)) {
        return end;
    }
    let behind = |entered: &Entered| through(entered, to).distance < 0.0 && faces(entered.normal);
    let length = from.distance(to);
    let went_in = (length >= FAR).then(|| trace(object, from, (to - from) / length, length)).flatten();
    // an earlier step knows of points that are inside, or came through to the far side; one that slid out beside the face by which it went in
    // has left
    let still = |end: Sample| remembered().filter(|entered| behind(entered) && !left_beside(&end, entered));
    let entered = went_in.filter(behind).or_else(|| end.and_then(still))?;
    Some(through(&entered, to))
}

/// A point is outside, and the surface next to it is neither the one by which it went in nor the one opposite: a flat punch that slides over a pad
/// leaves such points behind, which lie as deep under the plane of its face as those under the face itself.
fn left_beside(end: &Sample, entered: &Entered) -> bool {
    end.distance > 0.0 && end.normal.dot(entered.normal) > -FACING
}

/// Gap behind the plane by which a point went in.
fn through(entered: &Entered, to: Vec3) -> Sample {
    Sample { distance: entered.normal.dot(to - entered.surface), normal: entered.normal }
}

/// Where a straight way first meets the object, unless it starts inside.
fn trace(object: &ObjectModel, from: Vec3, direction: Vec3, length: f64) -> Option<Entered> {
    let mut along = 0.0;
    for _ in 0..TRACES {
        let at = from + direction * along;
        let sample = object.sample(at);
        if sample.distance < ARRIVED {
            return (along > 0.0 || sample.distance > -ARRIVED)
                .then(|| Entered { normal: sample.normal, surface: at - sample.normal * sample.distance });
        }
        along += sample.distance;
        if along > length {
            return None;
        }
    }
    None
}

/// Farthest that a node moves, metres.
fn soft_motion(from: &[Vec3], to: &[Vec3]) -> f64 {
    from.iter().zip(to).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt()
}

/// Farthest that a point within `radius` of the centre of mass moves, metres.
fn rigid_motion(to: &Pose, from: &Pose, radius: f64) -> f64 {
    let turned = rotation_log(to.rotation * from.rotation.inverse()).length();
    to.position.distance(from.position) + radius * turned
}
