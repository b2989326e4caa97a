//! What detection found between soft surfaces, without any opinion on how to respond.

use super::{SurfacePoint, TouchSurface};
use crate::math::Vec3;

/// Nodes that carry a point of a triangle at most: four for each corner.
const CARRIERS: usize = 12;

/// One side of a contact between soft bodies: a place as the side's tissue carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftSide {
    /// Index of the soft body.
    pub body: u32,
    /// The patch.
    pub patch: u8,
    count: u8,
    nodes: [u32; CARRIERS],
    weights: [f64; CARRIERS],
}

impl SoftSide {
    /// A place carried by one element; weights outside the range 0 to 1 say that it lies outside of the element.
    #[must_use]
    pub fn in_element(body: u32, patch: u8, nodes: [u32; 4], weights: [f64; 4]) -> Self {
        let mut side = SoftSide { body, patch, count: 0, nodes: [0; CARRIERS], weights: [0.0; CARRIERS] };
        side.add(nodes, weights, 1.0);
        side
    }

    /// A place on a triangle of a touch surface, carried by all that carries its corners: it moves continuously from
    /// one triangle to the next.
    #[must_use]
    pub fn on_triangle(body: u32, surface: &TouchSurface, triangle: u32, share: [f64; 3]) -> Self {
        let corners = surface.triangles[triangle as usize];
        let patch = surface.points[corners[0] as usize].patch;
        let mut side = SoftSide { body, patch, count: 0, nodes: [0; CARRIERS], weights: [0.0; CARRIERS] };
        for (corner, share) in corners.into_iter().zip(share) {
            let SurfacePoint { nodes, weights, .. } = surface.points[corner as usize];
            side.add(nodes, weights, share);
        }
        side
    }

    fn add(&mut self, nodes: [u32; 4], weights: [f64; 4], share: f64) {
        for (node, weight) in nodes.into_iter().zip(weights).filter(|(_, w)| *w != 0.0) {
            let count = self.count as usize;
            let known = self.nodes[..count].iter().position(|&n| n == node);
            let at = known.unwrap_or(count);
            if known.is_none() {
                self.count += 1;
                self.nodes[at] = node;
            }
            self.weights[at] += weight * share;
        }
    }

    /// The nodes that carry the place, with their weights, which sum to 1.
    pub fn carriers(&self) -> impl Iterator<Item = (u32, f64)> + use<> {
        let SoftSide { nodes, weights, count, .. } = *self;
        (0..count as usize).map(move |k| (nodes[k], weights[k]))
    }

    /// Interpolates a nodal field of the body at the place.
    #[inline]
    #[must_use]
    pub fn interpolate(&self, field: &[Vec3]) -> Vec3 {
        self.carriers().map(|(node, weight)| field[node as usize] * weight).sum()
    }
}

/// A point of one soft surface near another one, or near another part of the same, at the predicted end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftContact {
    /// Whose point it is.
    pub toucher: SoftSide,
    /// Whose surface it is near. Both sides carry the same place, so that equal and opposite forces there cannot turn
    /// anything.
    pub touched: SoftSide,
    /// The point, as an index into the touch surface of its body.
    pub point: u32,
    /// The triangle it is near, as an index into the touch surface of the touched body.
    pub triangle: u32,
    /// The part of the touched body: a point touches each part once.
    pub part: u8,
    /// Where they touch: the place on the triangle that is nearest to the point, metres.
    pub place: Vec3,
    /// Unit normal from the touched to the touching side.
    pub normal: Vec3,
    /// Gap, metres; negative inside.
    pub gap: f64,
    /// Area the contact stands for, m²: half of the point's, since the other side's points are looked at too.
    pub area: f64,
}

/// All contacts between soft surfaces of a step, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct SoftContactSet {
    /// The contacts.
    pub contacts: Vec<SoftContact>,
    /// More were found than there was room for; the rest was left out.
    pub overflow: bool,
}

impl SoftContactSet {
    /// An empty set with room for `capacity` contacts.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        SoftContactSet { contacts: Vec::with_capacity(capacity), overflow: false }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.overflow = false;
    }

    /// Adds a contact if there is room.
    pub fn push(&mut self, contact: SoftContact) {
        if self.contacts.len() < self.contacts.capacity() {
            self.contacts.push(contact);
        } else {
            self.overflow = true;
        }
    }
}
