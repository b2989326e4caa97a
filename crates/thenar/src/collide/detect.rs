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
        let reach = grown(object.world_bounds(pose), alarm);
        let inner = grown(object.bounds, alarm);
        for group in surface.starts.windows(2) {
            let range = group[0] as usize..group[1] as usize;
            if !overlaps(&bounds_of(&positions[range.clone()]), &reach) {
                continue;
            }
            let back = pose.rotation.inverse();
            for i in range {
                let local = back * (positions[i] - pose.position);
                if !holds(&inner, local) {
                    continue;
                }
                let sample = object.sample(local);
                if sample.distance < alarm {
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
            let reach = grown(touched.world_bounds(&poses[b]), alarm);
            if !overlaps(&own, &reach) {
                continue;
            }
            let share = if touched.mass.is_some() { 0.5 } else { 1.0 };
            let inner = grown(touched.bounds, alarm);
            let relative = poses[b].inverse() * poses[a];
            for (s, sample) in toucher.samples.iter().enumerate() {
                let centre = relative.point(sample.local);
                if !holds(&grown(inner, sample.radius), centre) {
                    continue;
                }
                let field = touched.sample(centre);
                let gap = field.distance - sample.radius;
                if gap < alarm {
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
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &p in points {
        min = min.min(p);
        max = max.max(p);
    }
    Aabb { min, max }
}

fn grown(bounds: Aabb, by: f64) -> Aabb {
    Aabb { min: bounds.min - by, max: bounds.max + by }
}

fn overlaps(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}

fn holds(bounds: &Aabb, p: Vec3) -> bool {
    p.cmpge(bounds.min).all() && p.cmple(bounds.max).all()
}
