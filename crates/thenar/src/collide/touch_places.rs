//! Where a touch surface is in a step: positions, boxes and normals, each computed when first needed.

use crate::body::TouchSurface;
use crate::geometry::Aabb;
use crate::math::Vec3;

/// Scratch of one body.
#[derive(Clone, Debug)]
pub struct TouchPlaces {
    /// The body takes part in this step.
    pub present: bool,
    /// Positions of the points, metres.
    pub positions: Vec<Vec3>,
    /// Box around all.
    pub bounds: Aabb,
    /// Box around each group with the points it borrows.
    pub groups: Vec<Aabb>,
    /// Mean of the points of each group.
    pub middles: Vec<Vec3>,
    boxes: Vec<Vec<Aabb>>,
    fitted: Vec<bool>,
    normals: Vec<Option<Vec3>>,
}

impl TouchPlaces {
    /// Room for a surface.
    #[must_use]
    pub fn new(surface: &TouchSurface) -> Self {
        TouchPlaces {
            present: false,
            positions: vec![Vec3::ZERO; surface.points.len()],
            bounds: Aabb::EMPTY,
            groups: vec![Aabb::EMPTY; surface.groups.len()],
            middles: vec![Vec3::ZERO; surface.groups.len()],
            boxes: surface.groups.iter().map(|g| vec![Aabb::EMPTY; g.tree.len()]).collect(),
            fitted: vec![false; surface.groups.len()],
            normals: vec![None; surface.points.len()],
        }
    }

    /// Moves the surface along with the nodes of its body.
    pub fn follow(&mut self, surface: &TouchSurface, nodes: &[Vec3]) {
        for (at, point) in self.positions.iter_mut().zip(&surface.points) {
            *at = point.interpolate(nodes);
        }
        self.fitted.fill(false);
        self.normals.fill(None);
        self.bounds = Aabb::EMPTY;
        for ((bounds, middle), group) in self.groups.iter_mut().zip(&mut self.middles).zip(&surface.groups) {
            let own = &self.positions[group.points[0] as usize..group.points[1] as usize];
            let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            let mut sum = Vec3::ZERO;
            for &p in own {
                sum += p;
                min = min.min(p);
                max = max.max(p);
            }
            for &p in &group.borrowed {
                min = min.min(self.positions[p as usize]);
                max = max.max(self.positions[p as usize]);
            }
            *middle = sum / own.len() as f64;
            *bounds = Aabb { min, max };
            self.bounds = self.bounds.union(bounds);
        }
    }

    /// Fits the boxes of a group, once per step.
    pub(super) fn fit(&mut self, surface: &TouchSurface, group: usize) {
        if !self.fitted[group] {
            self.fitted[group] = true;
            surface.groups[group].tree.refit(&surface.triangles, &self.positions, &mut self.boxes[group]);
        }
    }

    /// Boxes of a group that was fitted in this step.
    pub(super) fn boxes(&self, group: usize) -> &[Aabb] {
        &self.boxes[group]
    }

    /// Unit outward normal at a point, averaged over the triangles around it by area.
    pub(super) fn normal(&mut self, surface: &TouchSurface, point: u32) -> Vec3 {
        if let Some(normal) = self.normals[point as usize] {
            return normal;
        }
        let sum: Vec3 = surface.around(point).iter().map(|&t| self.across(surface, t)).sum();
        let normal = sum.normalize_or_zero();
        self.normals[point as usize] = Some(normal);
        normal
    }

    /// Outward normal of a triangle, twice its area long.
    pub(super) fn across(&self, surface: &TouchSurface, triangle: u32) -> Vec3 {
        let [a, b, c] = self.corners(surface, triangle);
        (b - a).cross(c - a)
    }

    /// Corners of a triangle.
    #[inline]
    pub(super) fn corners(&self, surface: &TouchSurface, triangle: u32) -> [Vec3; 3] {
        let [a, b, c] = surface.triangles[triangle as usize];
        [self.positions[a as usize], self.positions[b as usize], self.positions[c as usize]]
    }
}
