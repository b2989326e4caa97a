//! A generalised cylinder along bones: what fingers and muscles are made of.
//!
//! The centreline is straight bones joined by circular arcs, so that the nearest point is exact and arc length varies
//! smoothly; a sampled curve would leave facets on the inside of every bend.

use super::blend::Bound;
use super::section::{Profile, Section};
use crate::math::Vec3;

/// A straight or circular piece of the centreline.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Arc length at which it starts, and its length.
    start: f64,
    length: f64,
    /// Lateral directions at its two ends.
    lateral: [Vec3; 2],
    curve: Curve,
}

#[derive(Clone, Copy, Debug)]
enum Curve {
    Line {
        origin: Vec3,
        direction: Vec3,
    },
    /// From `centre + radius * outward`, where the tangent is `forward`, to where it is `end`.
    Arc {
        centre: Vec3,
        outward: Vec3,
        forward: Vec3,
        end: Vec3,
        radius: f64,
    },
}

/// Coordinates of a point relative to a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub struct Along {
    /// Arc length of the nearest point of the centreline, extended straight beyond its ends.
    pub s: f64,
    /// Lateral offset.
    pub x: f64,
    /// Dorsal offset.
    pub y: f64,
    /// Distance beyond the far end (positive) or before the start (negative), else 0.
    pub z: f64,
    /// Half width there.
    pub width: f64,
    /// Estimate of the distance to the surface of the sweep, negative inside.
    pub distance: f64,
}

/// What a sweep is made from.
pub struct SweepPlan<'a> {
    /// Corners of the centreline.
    pub corners: &'a [Vec3],
    /// Lateral direction of each straight piece.
    pub lateral: &'a [Vec3],
    /// How far before and after a corner its arc begins and ends.
    pub fillet: f64,
    /// Stations of the sections as (piece, fraction of the piece).
    pub stations: &'a [(usize, f64)],
    /// Sections: half width, dorsal, palmar.
    pub sections: &'a [[f64; 3]],
    /// Lengths of the rounded ends before the start and beyond the end.
    pub caps: [f64; 2],
    /// Squareness of the sections.
    pub squareness: f64,
    /// How far the rounded far end rises dorsally.
    pub lift: f64,
}

/// A generalised cylinder with ellipsoidal ends.
#[derive(Clone, Debug)]
pub struct Sweep {
    pieces: Vec<Piece>,
    /// Arc lengths of the corners.
    pub corners: Vec<f64>,
    profile: Profile<3>,
    caps: [f64; 2],
    squareness: f64,
    lift: f64,
    bound: Bound,
}

impl Sweep {
    /// Builds the centreline and the profile along it.
    pub fn new(plan: &SweepPlan<'_>) -> Sweep {
        let (pieces, corners) = centreline(plan);
        let keys =
            plan.stations.iter().map(|&(i, t)| corners[i] + t * (corners[(i + 1).min(corners.len() - 1)] - corners[i]));
        let profile = Profile::new(keys.collect(), plan.sections.to_vec());
        // A squircle of our squareness reaches at most a tenth beyond its greater semi-axis.
        let widest = (0..3).map(|c| profile.greatest(c)).fold(0.0, f64::max) * 1.1;
        let reach = widest.max(plan.caps[0]).max(plan.caps[1]) + plan.lift;
        let ends = [plan.corners[0], plan.corners[plan.corners.len() - 1]];
        let bound = Bound::around(ends[0], ends[1], plan.corners.iter().map(|&c| (c, reach)));
        Sweep { pieces, corners, profile, caps: plan.caps, squareness: plan.squareness, lift: plan.lift, bound }
    }

    /// Arc length at the very tip of the far end.
    pub fn tip(&self) -> f64 {
        self.corners[self.corners.len() - 1] + self.caps[1]
    }

    /// A number no greater than the distance to the sweep.
    pub fn bound(&self, q: Vec3) -> f64 {
        self.bound.distance(q)
    }

    /// The section at an arc length: half width, dorsal, palmar.
    pub fn section(&self, s: f64) -> [f64; 3] {
        self.profile.at(s)
    }

    /// Coordinates and distance of a point.
    pub fn locate(&self, q: Vec3) -> Along {
        let mut along = self.nearest(q);
        let [width, dorsal, palmar] = self.profile.at(along.s);
        let cap = if along.z > 0.0 { self.caps[1] } else { self.caps[0] };
        // The tip rises towards the nail, and the pad rounds off below it.
        let rise = (along.z / cap).clamp(0.0, 1.0);
        along.y -= self.lift * rise * rise;
        let height = if along.y > 0.0 { dorsal } else { palmar };
        let section = Section { half: [width, height, cap], squareness: self.squareness };
        along.distance = section.distance(along.x, along.y, along.z);
        along.s += along.z;
        along.width = width;
        along
    }

    fn nearest(&self, q: Vec3) -> Along {
        let mut best = f64::INFINITY;
        let mut along = Along::default();
        let last = self.pieces.len() - 1;
        for (i, piece) in self.pieces.iter().enumerate() {
            let Some((u, offset, tangent)) = piece.nearest(q) else { continue };
            let d = offset.length_squared();
            if d < best - 1e-12 {
                best = d;
                let lateral = piece.lateral[0].lerp(piece.lateral[1], u / piece.length);
                let lateral = (lateral - lateral.dot(tangent) * tangent).normalize();
                let beyond = offset.dot(tangent);
                let past_end = (i == 0 && beyond < 0.0) || (i == last && beyond > 0.0);
                along.s = piece.start + u;
                along.x = offset.dot(lateral);
                along.y = offset.dot(lateral.cross(tangent));
                along.z = if past_end { beyond } else { 0.0 };
            }
        }
        along
    }
}

impl Piece {
    /// Arc length along the piece, offset from its nearest point, and tangent there. `None` beside an arc, where the
    /// line next to it is as near.
    fn nearest(&self, q: Vec3) -> Option<(f64, Vec3, Vec3)> {
        match self.curve {
            Curve::Line { origin, direction } => {
                let r = q - origin;
                let u = r.dot(direction).clamp(0.0, self.length);
                Some((u, r - u * direction, direction))
            }
            Curve::Arc { centre, outward, forward, end, radius } => {
                let r = q - centre;
                if r.dot(forward) <= 0.0 || r.dot(end) >= 0.0 {
                    return None;
                }
                let turn = libm::atan2(r.dot(forward), r.dot(outward));
                let (sin, cos) = libm::sincos(turn);
                let (radial, tangent) = (cos * outward + sin * forward, cos * forward - sin * outward);
                Some((radius * turn, r - radius * radial, tangent))
            }
        }
    }
}

fn centreline(plan: &SweepPlan<'_>) -> (Vec<Piece>, Vec<f64>) {
    let corners = plan.corners;
    let direction = |i: usize| (corners[i + 1] - corners[i]).normalize();
    let mut pieces = Vec::new();
    let mut arc_lengths = vec![0.0];
    let (mut s, mut at) = (0.0, corners[0]);
    for i in 1..corners.len() {
        let into = direction(i - 1);
        let out = if i + 1 < corners.len() { direction(i) } else { into };
        let angle = libm::acos(into.dot(out).clamp(-1.0, 1.0));
        let cut = if angle > 1e-4 { plan.fillet } else { 0.0 };
        let lateral = plan.lateral[i - 1];
        let end = corners[i] - into * cut;
        let length = at.distance(end);
        let curve = Curve::Line { origin: at, direction: into };
        pieces.push(Piece { start: s, length, lateral: [lateral; 2], curve });
        s += length;
        at = end;
        if cut > 0.0 {
            let radius = cut / libm::tan(0.5 * angle);
            let outward = -(out - into * into.dot(out)).normalize();
            let curve = Curve::Arc { centre: at - outward * radius, outward, forward: into, end: out, radius };
            let length = radius * angle;
            pieces.push(Piece { start: s, length, lateral: [lateral, plan.lateral[i]], curve });
            arc_lengths.push(s + 0.5 * length);
            s += length;
            at = corners[i] + out * cut;
        } else {
            arc_lengths.push(s);
        }
    }
    (pieces, arc_lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent(squareness: f64) -> Sweep {
        Sweep::new(&SweepPlan {
            corners: &[Vec3::ZERO, Vec3::new(0.0, 0.0, -40.0), Vec3::new(0.0, -15.0, -70.0)],
            lateral: &[Vec3::X, Vec3::X],
            fillet: 6.0,
            stations: &[(0, 0.0), (1, 0.0), (2, 0.0)],
            sections: &[[8.0; 3]; 3],
            caps: [8.0, 8.0],
            squareness,
            lift: 0.0,
        })
    }

    #[test]
    fn distance_of_a_round_tube_is_exact() {
        let sweep = bent(0.0);
        assert!((sweep.locate(Vec3::new(3.0, 4.0, -20.0)).distance + 3.0).abs() < 1e-9);
        assert!((sweep.locate(Vec3::new(0.0, 12.0, -20.0)).distance - 4.0).abs() < 1e-9);
        assert!((sweep.locate(Vec3::new(0.0, 0.0, 10.0)).distance - 2.0).abs() < 1e-9);
    }

    #[test]
    fn dorsal_and_lateral_have_the_right_sign() {
        let along = bent(0.2).locate(Vec3::new(2.0, 3.0, -10.0));
        assert!((along.x - 2.0).abs() < 1e-12 && (along.y - 3.0).abs() < 1e-12 && (along.s - 10.0).abs() < 1e-12);
    }

    #[test]
    fn the_bound_never_exceeds_the_distance() {
        let sweep = bent(0.2);
        for i in 0..400 {
            let q = Vec3::new(
                f64::from(i % 7) * 12.0 - 36.0,
                f64::from(i % 11) * 9.0 - 45.0,
                f64::from(i % 13) * -10.0 + 20.0,
            );
            assert!(sweep.bound(q) <= sweep.locate(q).distance + 1e-9);
        }
    }
}
