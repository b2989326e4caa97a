//! What detection found, without any opinion on how to respond: one kind of contact for every pair of bodies.

use crate::body::{SurfacePoint, TouchSurface};
use crate::math::Vec3;

/// A body of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyRef {
    /// A soft body: of a hand, or a soft object.
    Soft(u32),
    /// A rigid object.
    Object(u32),
}

/// What of the touching body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A point of a soft body's surface.
    Skin(u32),
    /// A point of the coarse surface with which soft bodies feel each other.
    Touch(u32),
    /// A sample of an object's surface.
    Sample(u32),
    /// A place on a sharp edge of an object, which meets a soft surface between its points.
    Edge(u32),
}

/// Who touches whom: the same contact in the next step has the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Whose feature it is.
    pub owner: BodyRef,
    /// The feature.
    pub feature: Feature,
    /// Whom it touches.
    pub other: BodyRef,
    /// Which part of a soft body that is: a finger, the palm.
    pub part: u8,
}

/// A node that carries a place, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// The node.
    pub node: u32,
    /// Weights of a place sum to 1.
    pub weight: f64,
}

/// One side of a contact: what moves there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A place in the tissue of a soft body.
    Soft {
        /// The soft body.
        body: u32,
        /// The patch of its surface.
        patch: u8,
        /// The element that carries it, if a single one does: then the pattern of the matrix has room for a spring.
        tet: Option<u32>,
        /// Its carriers, as a range of [`Contacts::carriers`].
        carriers: [u32; 2],
    },
    /// A point of a rigid object.
    Rigid {
        /// The object.
        object: u32,
        /// From its centre of mass at the start of the step, metres, in world axes.
        lever: Vec3,
    },
}

impl Side {
    /// The body it belongs to.
    #[must_use]
    pub fn body(&self) -> BodyRef {
        match *self {
            Side::Soft { body, .. } => BodyRef::Soft(body),
            Side::Rigid { object, .. } => BodyRef::Object(object),
        }
    }
}

/// Where the touched body is met, for whoever wants to find the place again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Met {
    /// A place in the frame of a rigid object, metres.
    Local(Vec3),
    /// A ball of a rigid object, which touches with another point in every step.
    Rolling,
    /// A place on a triangle of a soft body's touch surface.
    Triangle(u32, [f64; 3]),
}

/// Two sides that touch, or may touch, at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Who touches whom.
    pub key: ContactKey,
    /// The touching and the touched side. Both are carried at the same place, so that equal and opposite forces there
    /// cannot turn the two together.
    pub sides: [Side; 2],
    /// Which place of the other body is met.
    pub met: Met,
    /// The place at the predicted end of the step, metres.
    pub point: Vec3,
    /// Unit normal in world axes, from the touched to the touching side.
    pub normal: Vec3,
    /// Gap at the predicted end of the step, metres; negative inside.
    pub gap: f64,
    /// Area the contact stands for, m².
    pub area: f64,
}

/// All contacts of a step, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// The contacts.
    pub all: Vec<Contact>,
    /// Nodes with weights, which sides refer to.
    pub carriers: Vec<Carrier>,
    /// More were found than there was room for; the rest was left out.
    pub overflow: bool,
}

impl Contacts {
    /// An empty set with room for `capacity` contacts.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let carriers = Vec::with_capacity(16 * capacity);
        Contacts { all: Vec::with_capacity(capacity), carriers, overflow: false }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.all.clear();
        self.carriers.clear();
        self.overflow = false;
    }

    /// Adds a contact if there is room.
    pub fn push(&mut self, contact: Contact) {
        if self.all.len() < self.all.capacity() {
            self.all.push(contact);
        } else {
            self.overflow = true;
        }
    }

    /// The carriers of a soft side; none for a rigid one.
    #[must_use]
    pub fn carriers(&self, side: &Side) -> &[Carrier] {
        match *side {
            Side::Soft { carriers: [from, to], .. } => &self.carriers[from as usize..to as usize],
            Side::Rigid { .. } => &[],
        }
    }

    /// A side carried by one element.
    pub fn in_element(&mut self, body: u32, patch: u8, tet: u32, nodes: [u32; 4], weights: [f64; 4]) -> Side {
        let from = self.carriers.len() as u32;
        for (node, weight) in nodes.into_iter().zip(weights) {
            self.carriers.push(Carrier { node, weight });
        }
        Side::Soft { body, patch, tet: Some(tet), carriers: [from, self.carriers.len() as u32] }
    }

    /// A side on a triangle of a touch surface, carried by all that carries its corners: it moves continuously from one
    /// triangle to the next.
    pub fn on_triangle(&mut self, body: u32, surface: &TouchSurface, triangle: u32, share: [f64; 3]) -> Side {
        let corners = surface.triangles[triangle as usize];
        let patch = surface.points[corners[0] as usize].patch;
        let from = self.carriers.len();
        for (corner, share) in corners.into_iter().zip(share) {
            let SurfacePoint { nodes, weights, .. } = surface.points[corner as usize];
            for (node, weight) in nodes.into_iter().zip(weights).filter(|(_, w)| *w != 0.0) {
                match self.carriers[from..].iter_mut().find(|c| c.node == node) {
                    Some(known) => known.weight += weight * share,
                    None => self.carriers.push(Carrier { node, weight: weight * share }),
                }
            }
        }
        Side::Soft { body, patch, tet: None, carriers: [from as u32, self.carriers.len() as u32] }
    }

    /// Interpolates nodal fields, one per soft body, or rigid motions, one velocity and spin per object, at a side.
    #[inline]
    #[must_use]
    pub fn motion<'a>(
        &self,
        side: &Side,
        nodes: impl FnOnce(usize) -> &'a [Vec3],
        objects: impl FnOnce(usize) -> (Vec3, Vec3),
    ) -> Vec3 {
        match side {
            Side::Soft { body, .. } => {
                let field = nodes(*body as usize);
                let mut sum = Vec3::ZERO;
                for c in self.carriers(side) {
                    sum += field[c.node as usize] * c.weight;
                }
                sum
            }
            Side::Rigid { object, lever } => {
                let (velocity, spin) = objects(*object as usize);
                velocity + spin.cross(*lever)
            }
        }
    }
}
