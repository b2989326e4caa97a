//! Sharp edges of objects against soft surfaces: what lies between the points of a skin is felt there.

use super::TouchPlaces;
use super::contact::{BodyRef, Contact, ContactKey, Contacts, Feature, Met, Side};
use super::scene::Scene;
use super::soft_pairs::{DEEPEST, FARTHEST_WEIGHT, TOUCHING};
use crate::body::EDGE_SPACING;
use crate::geometry::tet_mesh::barycentric;
use crate::geometry::triangle_tree::closest_on_triangle;
use crate::math::Vec3;

/// Cosine between the normals of a triangle and of its corner up to which the surface is smooth there.
const SMOOTH: f64 = 0.985;

/// Finds the edges of objects within `alarm` metres of the touch surface of soft body `body`, whose places have followed
/// the predicted nodes.
pub fn edges_against_skin(scene: &Scene<'_>, body: u32, places: &mut TouchPlaces, alarm: f64, found: &mut Contacts) {
    let soft = &scene.softs[body as usize];
    let surface = &soft.touch;
    if soft.surface.spacing < EDGE_SPACING {
        return;
    }
    for (index, object) in scene.objects.iter().enumerate().filter(|(_, o)| !o.dormant() && !o.features.is_empty()) {
        let pose = &scene.poses[index];
        if !object.world_bounds(pose).grown(alarm).overlaps(&places.bounds) {
            continue;
        }
        for (f, feature) in object.features.iter().enumerate() {
            let at = pose.point(feature.local);
            if !places.bounds.grown(alarm).contains(at) {
                continue;
            }
            let outward = pose.rotation * feature.normal;
            let mut best: Option<(f64, u32, Vec3, [f64; 3])> = None;
            for g in 0..surface.groups.len() {
                if !places.groups[g].grown(alarm).contains(at) {
                    continue;
                }
                places.fit(surface, g);
                let limit = best.map_or(DEEPEST * DEEPEST, |b| b.0);
                let group = &surface.groups[g];
                group.tree.search(places.boxes(g), at, limit, |triangle, reach| {
                    let corners = places.corners(surface, triangle);
                    let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    if across.dot(outward) >= 0.0 {
                        return reach;
                    }
                    let (closest, weights) = closest_on_triangle(at, corners);
                    let distance = closest.distance_squared(at);
                    if distance >= reach {
                        return reach;
                    }
                    best = Some((distance, triangle, closest, weights));
                    distance
                });
            }
            let Some((distance, triangle, closest, weights)) = best else { continue };
            let corners = surface.triangles[triangle as usize];
            let face = places.across(surface, triangle).normalize_or_zero();
            // across a sharp edge of the soft body itself, a corner's normal says nothing of the triangle
            let normals = corners.map(|q| {
                let normal = places.normal(surface, q);
                if normal.dot(face) < SMOOTH { face } else { normal }
            });
            let Some(skin) =
                (normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2]).try_normalize()
            else {
                continue;
            };
            let gap = (at - closest).dot(skin);
            // beside the surface, not above or below it
            if gap > alarm || gap * gap < BESIDE * distance && distance > TOUCHING * TOUCHING {
                continue;
            }
            // carried by the element below the nearest corner, which the matrix has room for
            let nearest = (0..3).max_by(|&i, &j| weights[i].total_cmp(&weights[j])).unwrap_or(0);
            let own = &surface.points[corners[nearest] as usize];
            let nodes = &scene.nodes[body as usize];
            let carried = barycentric(own.nodes.map(|n| nodes[n as usize]), closest)
                .filter(|w| w.iter().all(|w| w.abs() <= FARTHEST_WEIGHT))
                .unwrap_or(own.weights);
            let side = found.in_element(body, own.patch, own.tet, own.nodes, carried);
            let state = &scene.soft_states[body as usize].nodes;
            let start = own.nodes.iter().zip(carried).map(|(&n, w)| state[n as usize] * w).sum();
            found.push(Contact {
                key: ContactKey {
                    owner: BodyRef::Object(index as u32),
                    feature: Feature::Edge(f as u32),
                    other: BodyRef::Soft(body),
                    part: 0,
                },
                sides: [side, Side::Rigid { object: index as u32, lever: scene.lever(index, start) }],
                met: Met::Triangle(triangle, weights),
                point: closest,
                normal: -skin,
                gap,
                area: feature.area,
            });
        }
    }
}

/// Squared cosine between the skin and the way to it, below which an edge lies beside a triangle.
const BESIDE: f64 = 0.36;
