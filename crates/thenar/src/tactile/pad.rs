//! A fingertip's pad: samples carried by the tissue, seen in a frame that is fixed to the distal bone.

use crate::body::{SoftBody, SurfacePoint};
use crate::geometry::Aabb;
use crate::hand::{BoneId, Digit, HandModel, Patch};
use crate::math::{Mat3, Pose, Quat, Vec3};

/// What never changes about a pad.
#[derive(Clone, Debug)]
pub struct PadModel {
    /// The bone that carries it.
    pub bone: BoneId,
    /// The patch whose contacts it feels.
    pub patch: Patch,
    /// The pad's frame in the bone's: origin on the outermost point of the undeformed pad, y into the finger, z from the tip.
    pub frame: Pose,
    /// The samples, as points that the tissue carries; `area` is each one's share of the pad's.
    pub samples: Vec<SurfacePoint>,
    /// The samples at rest, in the pad's frame, metres.
    pub rest: Vec<Vec3>,
    /// Box around them.
    pub bounds: Aabb,
    /// Group of the hand's touch surface that the pad belongs to.
    pub group: Option<usize>,
    /// The point of the touch surface nearest to each sample.
    pub touch_points: Vec<u32>,
}

impl PadModel {
    /// The pad of a digit; without samples if the model has none.
    #[must_use]
    pub fn new(hand: &HandModel, body: &SoftBody, digit: Digit) -> PadModel {
        let bone = BoneId::of(digit, 2);
        let patch = Patch::of_bone(bone);
        let samples = &hand.pads[digit.index()];
        let frame = frame(samples.iter().map(|s| (s.local, s.normal)));
        let rest: Vec<Vec3> = samples.iter().map(|s| frame.local(s.local)).collect();
        let bounds = Aabb::around(rest.iter().copied());
        let area = area_of(&bounds) / samples.len().max(1) as f64;
        let at_rest = &hand.skeleton.bones[bone.index()].rest;
        let points: Vec<SurfacePoint> = samples
            .iter()
            .map(|s| {
                let nodes = body.tets[s.tet as usize];
                let normal = at_rest.rotation * s.normal;
                SurfacePoint {
                    nodes,
                    weights: s.weights,
                    tet: s.tet,
                    area,
                    vertex: 0,
                    patch: patch.0,
                    across: SurfacePoint::normal_at_rest(normal, nodes, &body.rest),
                }
            })
            .collect();
        let group = body.touch.groups.iter().position(|g| g.patch == patch.0);
        let nearest = |at: Vec3| {
            let range = group.map_or([0, 0], |g| body.touch.groups[g].points);
            let away = |p: &u32| body.touch.points[*p as usize].interpolate(&body.rest).distance_squared(at);
            (range[0]..range[1]).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
        };
        let touch_points = points.iter().map(|p| nearest(p.interpolate(&body.rest))).collect();
        PadModel { bone, patch, frame, samples: points, rest, bounds, group, touch_points }
    }
}

/// Area of the ellipse in a box of the pad's frame, m².
fn area_of(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let size = bounds.size();
    std::f64::consts::FRAC_PI_4 * size.x * size.z
}

/// y against the mean normal, z as near as can be to the bone's, origin on the outermost point.
fn frame(samples: impl Iterator<Item = (Vec3, Vec3)> + Clone) -> Pose {
    let count = samples.clone().count();
    if count == 0 {
        return Pose::IDENTITY;
    }
    let into = -samples.clone().map(|(_, normal)| normal).sum::<Vec3>().normalize_or(Vec3::NEG_Y);
    let z = (Vec3::Z - into * into.z).normalize_or(Vec3::Z);
    let rotation = Quat::from_mat3(&Mat3::from_cols(into.cross(z), into, z)).normalize();
    let middle = samples.clone().map(|(local, _)| local).sum::<Vec3>() / count as f64;
    let outermost = samples.map(|(local, _)| into.dot(local - middle)).fold(f64::INFINITY, f64::min);
    Pose::new(middle + into * outermost, rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_of_a_bowl_stands_on_its_bottom() {
        // a pad below a bone, turned a little to the side
        let turn = Quat::from_rotation_z(0.2);
        let samples = (0..50).map(|i| {
            let (r, t) = (5e-3 * (f64::from(i) / 50.0).sqrt(), 2.4 * f64::from(i));
            let out = Vec3::new(r * libm::cos(t), -(64e-6 - r * r).sqrt(), r * libm::sin(t));
            (turn * (out + Vec3::new(0.0, 0.0, -0.01)), turn * (out / 8e-3))
        });
        let frame = frame(samples.clone());
        assert!((frame.rotation * Vec3::Y - turn * Vec3::Y).length() < 0.05, "{:?}", frame.rotation * Vec3::Y);
        let lowest = samples.map(|(p, _)| frame.local(p).y).fold(f64::INFINITY, f64::min);
        assert!(lowest.abs() < 1e-12 && frame.rotation.is_normalized());
    }
}
