//! What the samples of a pad see: gaps and normals to rigid objects, soft objects, other fingers and other hands.

use super::PadModel;
use crate::body::{ObjectModel, SoftBody, SoftState, TouchSurface};
use crate::geometry::Aabb;
use crate::geometry::triangle_tree::closest_on_triangle;
use crate::math::{Pose, Vec3};
use std::sync::Arc;

/// Share of the curved triangle in the surface that a flat one stands for.
const PHONG_SHARE: f64 = 0.75;

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
    /// The step in which positions were last moved along.
    fresh: bool,
    positions: Vec<Vec3>,
    bounds: Vec<Aabb>,
    boxes: Vec<Vec<Aabb>>,
    fitted: Vec<bool>,
}

impl SoftPlaces {
    /// Room for a surface.
    #[must_use]
    pub fn new(surface: &TouchSurface) -> SoftPlaces {
        SoftPlaces {
            fresh: false,
            positions: vec![Vec3::ZERO; surface.points.len()],
            bounds: vec![Aabb::EMPTY; surface.groups.len()],
            boxes: surface.groups.iter().map(|g| vec![Aabb::EMPTY; g.tree.len()]).collect(),
            fitted: vec![false; surface.groups.len()],
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
        self.fitted.fill(false);
        for (at, point) in self.positions.iter_mut().zip(&surface.points) {
            *at = point.interpolate(nodes);
        }
        for (bounds, group) in self.bounds.iter_mut().zip(&surface.groups) {
            let own = self.positions[group.points[0] as usize..group.points[1] as usize].iter();
            let borrowed = group.borrowed.iter().map(|&p| &self.positions[p as usize]);
            *bounds = Aabb::around(own.chain(borrowed).copied());
        }
    }

    fn fit(&mut self, surface: &TouchSurface, group: usize) {
        if !self.fitted[group] {
            self.fitted[group] = true;
            surface.groups[group].tree.refit(&surface.triangles, &self.positions, &mut self.boxes[group]);
        }
    }

    fn corners(&self, surface: &TouchSurface, triangle: u32) -> [Vec3; 3] {
        surface.triangles[triangle as usize].map(|p| self.positions[p as usize])
    }

    /// Outward normal at a point, averaged over the triangles around it by area.
    fn normal(&self, surface: &TouchSurface, point: u32) -> Vec3 {
        let across = |t: &u32| {
            let [a, b, c] = self.corners(surface, *t);
            (b - a).cross(c - a)
        };
        surface.around(point).iter().map(across).sum::<Vec3>().normalize_or_zero()
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
    /// Lets the samples of a pad of soft body `own` look around; `seen` hears of everything within `band` metres of a
    /// sample: where the sample is, the gap, and the normal.
    pub fn look(
        &mut self,
        pad: &PadModel,
        own: usize,
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
                places.fit(&body.touch, group);
                let look = SoftLook { surface: &body.touch, places, group, band };
                for i in 0..samples.len() {
                    let outward = pad.samples[i].outward(&self.states[own].nodes);
                    let near = |t: u32| index == own && body.touch.is_near(pad.touch_points[i], t);
                    if let Some((gap, normal)) = look.nearest(samples[i].position, outward, near) {
                        tell(samples, i, gap, normal);
                    }
                }
            }
        }
    }
}

/// One group of a soft surface.
struct SoftLook<'a> {
    surface: &'a TouchSurface,
    places: &'a SoftPlaces,
    group: usize,
    band: f64,
}

impl SoftLook<'_> {
    /// Gap and normal to the nearest triangle that faces a point.
    fn nearest(&self, p: Vec3, outward: Vec3, near: impl Fn(u32) -> bool) -> Option<(f64, Vec3)> {
        if !self.places.bounds[self.group].grown(self.band).contains(p) {
            return None;
        }
        let mut best = None;
        let tree = &self.surface.groups[self.group].tree;
        tree.search(&self.places.boxes[self.group], p, self.band * self.band, |triangle, reach| {
            let corners = self.places.corners(self.surface, triangle);
            let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            if across.dot(outward) >= 0.0 || near(triangle) {
                return reach;
            }
            let (closest, weights) = closest_on_triangle(p, corners);
            let distance = closest.distance_squared(p);
            if distance >= reach {
                return reach;
            }
            best = Some((triangle, corners, closest, weights));
            distance
        });
        let (triangle, corners, closest, weights) = best?;
        let normals = self.surface.triangles[triangle as usize].map(|q| self.places.normal(self.surface, q));
        let normal = (normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2]).try_normalize()?;
        // the round surface that the flat triangle stands for, by the planes of its corners
        let mut bulge = 0.0;
        for k in 0..3 {
            bulge += normals[k].dot(normal) * normals[k].dot(corners[k] - closest) * weights[k];
        }
        let gap = (p - closest).dot(normal) - bulge * PHONG_SHARE;
        (gap < self.band).then_some((gap, normal))
    }
}
