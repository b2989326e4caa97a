//! What the samples of a pad see: gaps and normals to rigid objects, soft objects, other fingers and other hands.

use super::PadModel;
use crate::body::{ObjectModel, SoftBody, SoftState, TouchSurface};
use crate::geometry::Aabb;
use crate::geometry::triangle_tree::closest_on_triangle;
use crate::math::{Pose, Vec3};
use std::sync::Arc;

/// Cosine between a soft surface's normal and the actuator's axis below which it is not looked at: far beyond what counts, since the
/// normals of coarse triangles are rough.
const AWAY: f64 = -0.2;

/// A sample after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleTouch {
    /// Where it is, metres, in the world.
    pub position: Vec3,
    /// To the nearest that it sees, metres: negative inside, infinite where nothing is within the band.
    pub gap: f64,
    /// Unit normal from there to the skin, in the world; zero where nothing is seen.
    pub normal: Vec3,
}

/// Where the touch surface of a soft body is, found when a pad first comes near.
#[derive(Clone, Debug, Default)]
pub struct SoftPlaces {
    /// Positions are those of this step.
    fresh: bool,
    positions: Vec<Vec3>,
    bounds: Vec<Aabb>,
    /// Triangles of group `g`: `starts[g]..starts[g + 1]`.
    starts: Vec<u32>,
    /// Normals at the points, found when first needed.
    normals: Vec<Option<Vec3>>,
    /// Triangles that the samples of the pad at hand may see.
    near: Vec<NearTriangle>,
}

/// A triangle near a pad, with a ball around it.
#[derive(Clone, Copy, Debug)]
struct NearTriangle {
    triangle: u32,
    corners: [Vec3; 3],
    /// Not of unit length.
    across: Vec3,
    centre: Vec3,
    radius: f64,
}

impl SoftPlaces {
    /// Room for a surface.
    #[must_use]
    pub fn new(surface: &TouchSurface) -> SoftPlaces {
        let group_of = |t: &[u32; 3]| {
            let patch = surface.points[t[0] as usize].patch;
            surface.groups.iter().position(|g| g.patch == patch).unwrap_or(0)
        };
        let mut starts = vec![0u32; surface.groups.len() + 1];
        for triangle in &surface.triangles {
            starts[group_of(triangle) + 1] += 1;
        }
        let most = starts.iter().max().copied().unwrap_or(0) as usize;
        for g in 1..starts.len() {
            starts[g] += starts[g - 1];
        }
        SoftPlaces {
            fresh: false,
            positions: vec![Vec3::ZERO; surface.points.len()],
            bounds: vec![Aabb::EMPTY; surface.groups.len()],
            starts,
            normals: vec![None; surface.points.len()],
            near: Vec::with_capacity(most),
        }
    }

    /// Forgets the last step's places.
    pub fn begin(&mut self) {
        self.fresh = false;
    }

    fn follow(&mut self, surface: &TouchSurface, nodes: &[Vec3]) {
        if self.fresh {
            return;
        }
        self.fresh = true;
        self.normals.fill(None);
        for (at, point) in self.positions.iter_mut().zip(&surface.points) {
            *at = point.interpolate(nodes);
        }
        for (bounds, group) in self.bounds.iter_mut().zip(&surface.groups) {
            let own = self.positions[group.points[0] as usize..group.points[1] as usize].iter();
            let borrowed = group.borrowed.iter().map(|&p| &self.positions[p as usize]);
            *bounds = Aabb::around(own.chain(borrowed).copied());
        }
    }

    fn corners(&self, surface: &TouchSurface, triangle: u32) -> [Vec3; 3] {
        surface.triangles[triangle as usize].map(|p| self.positions[p as usize])
    }

    /// Collects the triangles of a group within `band` of a box that do not look away from a pad that looks along `axis`.
    fn gather(&mut self, surface: &TouchSurface, group: usize, bounds: &Aabb, axis: Vec3, band: f64) {
        self.near.clear();
        let reach = bounds.grown(band);
        for triangle in self.starts[group]..self.starts[group + 1] {
            let corners = self.corners(surface, triangle);
            let [a, b, c] = corners;
            let own = Aabb { min: a.min(b).min(c), max: a.max(b).max(c) };
            let across = (b - a).cross(c - a);
            if !own.overlaps(&reach) || across.dot(axis) < AWAY * across.length() {
                continue;
            }
            let centre = (a + b + c) / 3.0;
            let radius = corners.iter().map(|p| p.distance_squared(centre)).fold(0.0, f64::max).sqrt();
            self.near.push(NearTriangle { triangle, corners, across, centre, radius });
        }
    }

    /// Outward normal at a point, averaged over the triangles around it by area.
    fn normal(&mut self, surface: &TouchSurface, point: u32) -> Vec3 {
        if let Some(normal) = self.normals[point as usize] {
            return normal;
        }
        let across = |t: &u32| {
            let [a, b, c] = self.corners(surface, *t);
            (b - a).cross(c - a)
        };
        let normal = surface.around(point).iter().map(across).sum::<Vec3>().normalize_or_zero();
        self.normals[point as usize] = Some(normal);
        normal
    }

    /// Gap and normal to the nearest of the gathered triangles that face a sample.
    fn nearest(
        &mut self,
        surface: &TouchSurface,
        p: Vec3,
        outward: Vec3,
        band: f64,
        joined: impl Fn(u32) -> bool,
    ) -> Option<(f64, Vec3)> {
        let (mut best, mut least) = (None, band);
        for near in &self.near {
            let farthest = least + near.radius;
            if p.distance_squared(near.centre) >= farthest * farthest
                || near.across.dot(outward) >= 0.0
                || joined(near.triangle)
            {
                continue;
            }
            let (closest, weights) = closest_on_triangle(p, near.corners);
            let distance = closest.distance(p);
            if distance < least {
                least = distance;
                best = Some((near.triangle, near.corners, closest, weights));
            }
        }
        let (triangle, corners, closest, weights) = best?;
        let normals = surface.triangles[triangle as usize].map(|q| self.normal(surface, q));
        let [out, bulge] = surface.finer(triangle, closest, corners, normals, weights);
        let normal = out.try_normalize()?;
        let gap = (p - closest - bulge).dot(normal);
        (gap < band).then_some((gap, normal))
    }
}

/// Everything that pads may touch.
pub struct Surroundings<'a> {
    /// Rigid objects.
    pub objects: &'a [ObjectModel],
    /// Placement of each one's centre of mass.
    pub poses: &'a dyn Fn(usize) -> Pose,
    /// Soft bodies.
    pub softs: &'a [Arc<SoftBody>],
    /// Their states.
    pub states: &'a [SoftState],
    /// Their touch surfaces.
    pub places: &'a mut [SoftPlaces],
    /// Parts of a hand feel each other.
    pub itself: bool,
}

impl Surroundings<'_> {
    /// Lets the samples of a pad of soft body `own`, into which `axis` points, look around; `seen` hears of everything within `band` metres of a
    /// sample: where the sample is, the gap, and the normal.
    pub fn look(
        &mut self,
        pad: &PadModel,
        own: usize,
        axis: Vec3,
        band: f64,
        samples: &mut [SampleTouch],
        mut seen: impl FnMut(Vec3, f64, Vec3),
    ) {
        let mut bounds = Aabb::EMPTY;
        let nodes = &self.states[own].nodes;
        for (sample, point) in samples.iter_mut().zip(&pad.samples) {
            *sample = SampleTouch { position: point.interpolate(nodes), gap: f64::INFINITY, normal: Vec3::ZERO };
            bounds.add(sample.position);
        }
        let mut tell = |samples: &mut [SampleTouch], i: usize, gap: f64, normal: Vec3| {
            if gap < samples[i].gap {
                samples[i] = SampleTouch { gap, normal, ..samples[i] };
            }
            seen(samples[i].position, gap, normal);
        };
        for (index, object) in self.objects.iter().enumerate().filter(|(_, o)| !o.dormant()) {
            let pose = (self.poses)(index);
            if !object.world_bounds(&pose).grown(band).overlaps(&bounds) {
                continue;
            }
            let back = pose.inverse();
            if !object.comes_near(&bounds.placed(&back), band) {
                continue;
            }
            let inner = object.bounds.grown(band);
            for i in 0..samples.len() {
                let local = back.point(samples[i].position);
                if !inner.contains(local) {
                    continue;
                }
                if let Some(s) = object.sample_within(local, band) {
                    tell(samples, i, s.distance, pose.rotation * s.normal);
                }
            }
        }
        for (index, body) in self.softs.iter().enumerate() {
            if !self.states[index].active || (index == own && !(self.itself && body.touch.touches_itself())) {
                continue;
            }
            let nodes = &self.states[index].nodes;
            // a first, coarse look: nodes enclose the surface
            if index != own && !Aabb::around(nodes.iter().copied()).grown(band).overlaps(&bounds) {
                continue;
            }
            let places = &mut self.places[index];
            places.follow(&body.touch, nodes);
            for group in 0..body.touch.groups.len() {
                let joined = index == own && pad.group.is_none_or(|g| !body.touch.groups_can_touch(g, group));
                if joined || !places.bounds[group].grown(band).overlaps(&bounds) {
                    continue;
                }
                places.gather(&body.touch, group, &bounds, axis, band);
                if places.near.is_empty() {
                    continue;
                }
                for i in 0..samples.len() {
                    let outward = pad.samples[i].outward(&self.states[own].nodes);
                    let joined = |t: u32| index == own && body.touch.is_near(pad.touch_points[i], t);
                    if let Some((gap, normal)) = places.nearest(&body.touch, samples[i].position, outward, band, joined)
                    {
                        tell(samples, i, gap, normal);
                    }
                }
            }
        }
    }
}
