//! Soft surfaces against each other and against themselves, by local minima of their distance [Talvas §V].
//!
//! Every point looks for the nearest triangle that faces it on each part of another surface. The pair is a local
//! minimum of the distance if the line between the two is normal to both surfaces; others are dropped, so the rim of
//! a fold or of a region that is left out makes no contacts. Sign and normal come from the averaged normals of both
//! sides, which stay defined where the gap is zero.

use super::TouchPlaces;
use super::contact::{BodyRef, Contact, ContactKey, Contacts, Feature, Met, Side};
use super::scene::Scene;
use crate::body::TouchSurface;
use crate::geometry::tet_mesh::barycentric;
use crate::geometry::triangle_tree::closest_on_triangle;
use crate::math::Vec3;

/// A point deeper than this inside another surface is not found, metres: a third of a finger.
pub const DEEPEST: f64 = 6e-3;

/// How deep a point is looked for that did not press in the last step, metres: further than it can get in one.
const NEW_DEPTH: f64 = 3e-3;

/// Below this distance the direction to the nearest point says nothing, metres.
pub(super) const TOUCHING: f64 = 3e-4;

/// Cosine between that direction and the normal at a local minimum, with an allowance for coarse triangles.
const NORMAL_ENOUGH: f64 = 0.6;

/// Most groups of one part.
const GROUPS: usize = 32;

/// Largest weight with which an element may carry a place outside of it.
pub(super) const FARTHEST_WEIGHT: f64 = 4.0;

/// A group that a group's points may touch, and the plane they have to pass for that.
#[derive(Clone, Copy, Default)]
struct Candidate {
    group: usize,
    direction: Vec3,
    bound: f64,
}

/// Finds all contacts between soft bodies, and if `own` of bodies with themselves where their surfaces allow it. `places`
/// must have followed the predicted nodes; bodies that are not present are passed over. `pressed` tells which points of a
/// body pressed in the last step: they are looked for deeper inside.
pub fn soft_against_soft(
    scene: &Scene<'_>,
    pressed: impl Fn(u32, u32) -> bool,
    places: &mut [TouchPlaces],
    own: bool,
    alarm: f64,
    found: &mut Contacts,
) {
    for a in 0..places.len() {
        for b in 0..places.len() {
            if !(places[a].present && places[b].present) {
                continue;
            }
            let (from, to) = (&scene.softs[a].touch, &scene.softs[b].touch);
            let reach = alarm + to.rise;
            let near = places[a].bounds.grown(reach).overlaps(&places[b].bounds);
            if if a == b { own && from.touches_itself() } else { near } {
                body_against_body(Bodies { scene, from, to, a, b, alarm, reach }, &pressed, places, found);
            }
        }
    }
}

/// The points of body `a` against the triangles of body `b`.
#[derive(Clone, Copy)]
struct Bodies<'a> {
    scene: &'a Scene<'a>,
    from: &'a TouchSurface,
    to: &'a TouchSurface,
    a: usize,
    b: usize,
    alarm: f64,
    /// How far triangles are looked for: the surface stands higher than they do.
    reach: f64,
}

fn body_against_body(
    pair: Bodies<'_>,
    pressed: &impl Fn(u32, u32) -> bool,
    places: &mut [TouchPlaces],
    found: &mut Contacts,
) {
    let (from, to) = (pair.from, pair.to);
    for (g, group) in from.groups.iter().enumerate() {
        let reach = places[pair.a].groups[g].grown(pair.reach);
        let mut first = 0;
        while first < to.groups.len() {
            let part = to.groups[first].part;
            let end = first + to.groups[first..].iter().take_while(|h| h.part == part).count();
            let mut candidates = [Candidate::default(); GROUPS];
            let mut count = 0;
            for h in first..end {
                let joined = pair.a == pair.b && !from.groups_can_touch(g, h);
                if joined || count == GROUPS || !reach.overlaps(&places[pair.b].groups[h]) {
                    continue;
                }
                if let Some(candidate) = slab(pair, places, g, h) {
                    places[pair.b].fit(to, h);
                    candidates[count] = candidate;
                    count += 1;
                }
            }
            if count > 0 {
                for point in group.points[0]..group.points[1] {
                    let depth = if pressed(pair.a as u32, point) { DEEPEST } else { NEW_DEPTH };
                    if let Some(hit) = nearest(pair, places, point, depth, &candidates[..count]) {
                        let _ = measure(pair, places, hit, found);
                    }
                }
            }
            first = end;
        }
    }
}

/// Looks whether two groups are apart along the line between their middles. The boxes of neighbouring fingers nearly
/// always overlap; the fingers themselves rarely do.
fn slab(pair: Bodies<'_>, places: &[TouchPlaces], g: usize, h: usize) -> Option<Candidate> {
    let (own, other) = (&places[pair.a], &places[pair.b]);
    let group = &pair.from.groups[g];
    let target = &pair.to.groups[h];
    let direction = (other.middles[h] - own.middles[g]).normalize_or_zero();
    let range = |[from, to]: [u32; 2]| from as usize..to as usize;
    let mut nearest = f64::INFINITY;
    for p in &other.positions[range(target.points)] {
        nearest = nearest.min(p.dot(direction));
    }
    for &p in &target.borrowed {
        nearest = nearest.min(other.positions[p as usize].dot(direction));
    }
    let bound = nearest - pair.reach;
    let mut farthest = f64::NEG_INFINITY;
    for p in &own.positions[range(group.points)] {
        farthest = farthest.max(p.dot(direction));
    }
    (farthest > bound).then_some(Candidate { group: h, direction, bound })
}

/// The nearest triangle of the candidates that faces a point, if the two are a local minimum within the alarm distance.
fn nearest(
    pair: Bodies<'_>,
    places: &mut [TouchPlaces],
    point: u32,
    depth: f64,
    candidates: &[Candidate],
) -> Option<Hit> {
    let (from, to) = (pair.from, pair.to);
    let p = places[pair.a].positions[point as usize];
    let near =
        |c: &&Candidate| p.dot(c.direction) > c.bound && places[pair.b].groups[c.group].grown(pair.reach).contains(p);
    candidates.iter().find(near)?;
    let outward = places[pair.a].normal(from, point);
    let (mut best, mut limit) = (None, depth.max(pair.reach).powi(2));
    for candidate in candidates {
        let other = &places[pair.b];
        if p.dot(candidate.direction) <= candidate.bound || !other.groups[candidate.group].grown(pair.reach).contains(p)
        {
            continue;
        }
        let tree = &to.groups[candidate.group].tree;
        tree.search(other.boxes(candidate.group), p, limit, |triangle, reach| {
            let corners = other.corners(to, triangle);
            let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            if across.dot(outward) >= 0.0 {
                return reach;
            }
            // the distance to the plane is the least that the triangle can have
            let height = (p - corners[0]).dot(across);
            let most = if height > 0.0 { reach.min(pair.reach * pair.reach) } else { reach };
            if height * height > most * across.length_squared() || (pair.a == pair.b && to.is_near(point, triangle)) {
                return reach;
            }
            let (closest, weights) = closest_on_triangle(p, corners);
            let distance = closest.distance_squared(p);
            if distance >= most {
                return reach;
            }
            limit = distance;
            best = Some(Hit { point, outward, group: candidate.group, triangle, closest, weights });
            distance
        });
    }
    best
}

/// A point and its nearest place on a triangle.
#[derive(Clone, Copy)]
struct Hit {
    point: u32,
    outward: Vec3,
    group: usize,
    triangle: u32,
    closest: Vec3,
    weights: [f64; 3],
}

/// Measures the gap, if the pair is a local minimum of the distance.
fn measure(pair: Bodies<'_>, places: &mut [TouchPlaces], hit: Hit, found: &mut Contacts) -> Option<()> {
    let Hit { point, outward, group, triangle, closest, weights } = hit;
    let (from, to) = (pair.from, pair.to);
    let facing = to.triangles[triangle as usize];
    let p = places[pair.a].positions[point as usize];
    let normals = facing.map(|q| places[pair.b].normal(to, q));
    let corners = places[pair.b].corners(to, triangle);
    let [surface_normal, bulge] = to.finer(triangle, closest, corners, normals, weights);
    let normal = (surface_normal - outward).try_normalize()?;
    let away = p - closest;
    let (apart, distance) = (away.dot(normal), away.length());
    if distance > TOUCHING && apart.abs() < NORMAL_ENOUGH * distance {
        return None;
    }
    let gap = apart - bulge.dot(normal);
    if gap > pair.alarm || gap < -DEEPEST {
        return None;
    }
    let touched = found.on_triangle(pair.b as u32, to, triangle, weights);
    let touching = carried(pair, point, &touched, found);
    found.push(Contact {
        key: ContactKey {
            owner: BodyRef::Soft(pair.a as u32),
            feature: Feature::Touch(point),
            other: BodyRef::Soft(pair.b as u32),
            part: to.groups[group].part,
        },
        sides: [touching, touched],
        met: Met::Triangle(triangle, weights),
        point: closest,
        normal,
        gap,
        area: 0.5 * from.points[point as usize].area,
    });
    Some(())
}

/// The touched place as the element carries it that carries the touching point, both at the start of the step, when equal
/// and opposite forces there change no momentum. Where the element is too flat to say, the point itself.
fn carried(pair: Bodies<'_>, point: u32, touched: &Side, found: &mut Contacts) -> Side {
    let states = pair.scene.soft_states;
    let place = found.motion(touched, |body| &states[body].nodes, |_| (Vec3::ZERO, Vec3::ZERO));
    let own = &pair.from.points[point as usize];
    let corners = own.nodes.map(|n| states[pair.a].nodes[n as usize]);
    let weights = barycentric(corners, place).filter(|w| w.iter().all(|w| w.abs() <= FARTHEST_WEIGHT));
    found.in_element(pair.a as u32, own.patch, own.tet, own.nodes, weights.unwrap_or(own.weights))
}
