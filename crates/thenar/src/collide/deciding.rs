//! Of many points with which one rigid body touches another, those that decide how it can move.
//!
//! A rigid motion changes the gaps `g` of points with one normal by a linear function of their places `x` in the plane across it:
//! `g′ = g + a + b·x`. Whatever `a` and `b` are, the point that is deepest then is a corner of the lower convex hull of
//! `(x, g)`. The others can be left out: what their springs would do, those of the nearest corners do.

use super::contact::{Contact, ContactKey};
use crate::math::Vec3;

/// Points have one normal if the cosine between theirs is more than this.
const ALIKE: f64 = 0.985;

/// Ways to tilt in which corners of the hull are looked for.
const TILTS: usize = 8;

/// How far a body tilts in a step, radians.
const TILT: f64 = 0.02;

/// A point that pressed is left for another, and one more is taken, only if that is deeper by this, metres.
const KEPT: f64 = 3e-6;

/// Leaves of the contacts of one pair of bodies, those from `from` on, the ones that decide. The area of every other is shared among
/// them, most by the nearest. `pressed` says who touched in the last step: their anchors are kept where others would do as well.
pub fn keep_deciding(contacts: &mut Vec<Contact>, from: usize, pressed: impl Fn(&ContactKey) -> bool) {
    let (mut start, mut end) = (from, from);
    while start < contacts.len() {
        let alike = gather_alike(&mut contacts[start..]);
        let kept = choose(&mut contacts[start..start + alike], &pressed);
        contacts.copy_within(start..start + kept, end);
        end += kept;
        start += alike;
    }
    contacts.truncate(end);
}

/// Brings those with the normal of the first to the front; returns how many they are.
fn gather_alike(contacts: &mut [Contact]) -> usize {
    let normal = contacts[0].normal;
    let mut alike = 1;
    for i in 1..contacts.len() {
        if contacts[i].normal.dot(normal) > ALIKE {
            contacts.swap(alike, i);
            alike += 1;
        }
    }
    alike
}

/// Brings the corners of the hull to the front, with the areas of all; returns how many they are.
fn choose(contacts: &mut [Contact], pressed: &impl Fn(&ContactKey) -> bool) -> usize {
    if contacts.len() <= TILTS + 1 {
        return contacts.len();
    }
    let (normal, origin) = (contacts[0].normal, contacts[0].point);
    let across = normal.any_orthonormal_vector();
    let along = normal.cross(across);
    // while it is chosen, a point that pressed counts as deeper
    for c in contacts.iter_mut().filter(|c| pressed(&c.key)) {
        c.gap -= KEPT;
    }
    let mut kept = 0;
    for tilt in 0..=TILTS {
        let slope = match tilt {
            TILTS => Vec3::ZERO,
            _ => {
                // off the axes, along which the samples of boxes would tie
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * (tilt as f64 + 0.31) / TILTS as f64);
                (across * cos + along * sin) * TILT
            }
        };
        let height = |c: &Contact| c.gap + slope.dot(c.point - origin);
        let lower = |i: &usize, j: &usize| height(&contacts[*i]).total_cmp(&height(&contacts[*j]));
        let (chosen, deepest) = ((0..kept).min_by(lower), (kept..contacts.len()).min_by(lower));
        // a face is as deep everywhere, but for rounding: no point of it is worth more than those it has
        let deeper = |i: &usize| chosen.is_none_or(|c| height(&contacts[*i]) < height(&contacts[c]) - KEPT);
        if let Some(deepest) = deepest.filter(deeper) {
            contacts.swap(kept, deepest);
            kept += 1;
        }
    }
    let (corners, others) = contacts.split_at_mut(kept);
    for c in corners.iter_mut().filter(|c| pressed(&c.key)) {
        c.gap += KEPT;
    }
    corners.sort_unstable_by_key(|c| c.key);
    // by the inverse square of the distance: what is as far from two of them would fall to either by rounding
    for other in others {
        let near = |c: &Contact| 1.0 / c.point.distance_squared(other.point).max(f64::MIN_POSITIVE);
        let all: f64 = corners.iter().map(near).sum();
        for corner in corners.iter_mut() {
            corner.area += other.area * near(corner) / all;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::{BodyRef, Feature, Met, Side};

    /// A contact of sample `i` at a place across the normal Y, with a gap.
    fn contact(i: usize, x: f64, z: f64, gap: f64, normal: Vec3) -> Contact {
        let (owner, other) = (BodyRef::Object(0), BodyRef::Object(1));
        let side = |object| Side::Rigid { object, lever: Vec3::ZERO };
        Contact {
            key: ContactKey { owner, feature: Feature::Sample(i as u32), other, part: 0 },
            sides: [side(0), side(1)],
            met: Met::Rolling,
            point: Vec3::new(x, 0.0, z),
            normal,
            gap,
            area: 1e-6 * (1 + i) as f64,
        }
    }

    /// 20 × 20 samples of a face of 60 × 40 mm.
    fn face(gap: impl Fn(f64, f64) -> f64, normal: Vec3) -> Vec<Contact> {
        let place = |i: usize| ((i % 20) as f64 / 19.0 * 0.06, (i / 20) as f64 / 19.0 * 0.04);
        (0..400).map(|i| (i, place(i))).map(|(i, (x, z))| contact(i, x, z, gap(x, z), normal)).collect()
    }

    fn area(contacts: &[Contact]) -> f64 {
        contacts.iter().map(|c| c.area).sum()
    }

    #[test]
    fn a_flat_face_is_decided_by_its_corners() {
        for slope in [0.0, 3e-3] {
            let all = face(|x, z| slope * (x - z) - 1e-5, Vec3::Y);
            let mut kept = all.clone();
            keep_deciding(&mut kept, 0, |_| false);
            let mut corners: Vec<Feature> = kept.iter().map(|c| c.key.feature).collect();
            corners.sort();
            assert_eq!(corners, [0, 19, 380, 399].map(Feature::Sample));
            assert!((area(&kept) / area(&all) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn whichever_way_a_round_face_tilts_its_deepest_point_is_there() {
        // a bowl of 0.3 m on a plate, deepest off its middle
        let bowl = |x: f64, z: f64| ((x - 0.02).powi(2) + (z - 0.025).powi(2)) / 0.6 - 2e-5;
        let all = face(bowl, Vec3::Y);
        let mut kept = all.clone();
        keep_deciding(&mut kept, 0, |_| false);
        assert!(kept.len() <= TILTS + 1, "{}", kept.len());
        for direction in 0..64 {
            let (sin, cos) = libm::sincos(f64::from(direction) * 0.1);
            for tilt in [0.0, TILT] {
                let deepest = |contacts: &[Contact]| {
                    let gap = |c: &Contact| c.gap + tilt * (cos * c.point.x + sin * c.point.z);
                    contacts.iter().map(gap).fold(f64::INFINITY, f64::min)
                };
                let missed = deepest(&kept) - deepest(&all);
                assert!(missed < 2e-5, "{missed} m at {direction}, {tilt}");
            }
        }
    }

    #[test]
    fn faces_of_other_directions_and_other_pairs_stay() {
        let before = face(|_, _| 0.0, Vec3::Y);
        let mut all = before.clone();
        all.extend(face(|_, _| 0.0, Vec3::Y).into_iter().chain(face(|_, _| 0.0, Vec3::X)));
        keep_deciding(&mut all, before.len(), |_| false);
        assert_eq!(&all[..before.len()], &before[..]);
        let towards = |normal: Vec3| all[before.len()..].iter().filter(|c| c.normal == normal).count();
        assert_eq!((towards(Vec3::Y), towards(Vec3::X)), (4, 2), "the face of X is seen from its edge");
    }

    #[test]
    fn points_that_pressed_are_not_left_for_those_as_deep() {
        // a disc of 60 samples on its rim and as many within, at rest but for rounding
        let disc = |noise: f64| -> Vec<Contact> {
            let place = |i: usize| libm::sincos(f64::from(i as u32 % 60) / 60.0 * std::f64::consts::TAU);
            let of = |i: usize| {
                let (radius, (sin, cos)) = (if i < 60 { 0.03 } else { 0.015 }, place(i));
                contact(i, radius * cos, radius * sin, noise * ((i * 7919) % 101) as f64, Vec3::Y)
            };
            (0..120).map(of).collect()
        };
        let keys = |contacts: &[Contact]| contacts.iter().map(|c| c.key).collect::<Vec<_>>();
        let mut first = disc(0.0);
        keep_deciding(&mut first, 0, |_| false);
        let pressed = keys(&first);
        assert!(pressed.len() <= TILTS, "the middle is no deeper than the rim: {}", pressed.len());
        for noise in [1e-12, -3e-11, 1e-9] {
            let mut next = disc(noise);
            keep_deciding(&mut next, 0, |key| pressed.contains(key));
            assert_eq!(keys(&next), pressed);
        }
    }
}
