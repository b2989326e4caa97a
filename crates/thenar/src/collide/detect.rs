//! Surface points against distance fields [CLAP §3.5], at the predicted end of the step.

use super::{Contact, ContactSet, ObjectModel, SoftSurface, Toucher};
use crate::geometry::Aabb;
use crate::math::{Pose, Vec3};

/// Finds the points of a soft body within `alarm` metres of any object.
///
/// `predicted` are the body's nodes and `poses` the objects' centres of mass at the predicted end of the step;
/// `positions` is scratch for the points.
pub fn soft_against_objects(
    body: u32,
    surface: &SoftSurface,
    predicted: &[Vec3],
    objects: &[ObjectModel],
    poses: &[Pose],
    alarm: f64,
    positions: &mut Vec<Vec3>,
    found: &mut ContactSet,
) {
    positions.clear();
    positions.extend(surface.points.iter().map(|p| p.interpolate(predicted)));
    for (index, (object, pose)) in objects.iter().zip(poses).enumerate().filter(|(_, (o, _))| !o.dormant()) {
        let reach = object.world_bounds(pose).grown(alarm);
        let inner = object.bounds.grown(alarm);
        let back = pose.inverse();
        for group in surface.starts.windows(2) {
            let range = group[0] as usize..group[1] as usize;
            let bounds = bounds_of(&positions[range.clone()]);
            if !bounds.overlaps(&reach) || !object.comes_near(&bounds.placed(&back), alarm) {
                continue;
            }
            for i in range {
                let local = back.rotation * (positions[i] - pose.position);
                if !inner.contains(local) {
                    continue;
                }
                if let Some(sample) = object.sample_within(local, alarm) {
                    found.push(Contact {
                        toucher: Toucher::Soft { body, point: i as u32 },
                        object: index as u32,
                        point: positions[i],
                        local,
                        gap: sample.distance,
                        normal: sample.normal,
                        area: surface.points[i].area,
                    });
                }
            }
        }
    }
}

/// Finds the samples of moving objects inside other objects. A pair of moving objects is tested both ways with half
/// the area each, so that its stiffness is the same as against a fixed one.
pub fn objects_against_objects(objects: &[ObjectModel], poses: &[Pose], alarm: f64, found: &mut ContactSet) {
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
            for (s, sample) in toucher.samples.iter().enumerate() {
                let centre = relative.point(sample.local);
                if !inner.grown(sample.radius).contains(centre) {
                    continue;
                }
                if let Some(field) = touched.sample_within(centre, alarm + sample.radius) {
                    let gap = field.distance - sample.radius;
                    let local = centre - field.normal * sample.radius;
                    found.push(Contact {
                        toucher: Toucher::Object { object: a as u32, sample: s as u32 },
                        object: b as u32,
                        point: poses[b].point(local),
                        local,
                        gap,
                        normal: field.normal,
                        area: sample.area * share,
                    });
                }
            }
        }
    }
}

fn bounds_of(points: &[Vec3]) -> Aabb {
    Aabb::around(points.iter().copied())
}
