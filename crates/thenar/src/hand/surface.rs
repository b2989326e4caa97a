//! The surface side of a hand: skin, skeleton, contact vertices and pads from anatomy.

use super::build_skeleton::build_skeleton;
use super::contact_points::{PadPoint, contact_vertices, pad_points};
use super::rest_pose::rest_chains;
use super::shape::HandShape;
use super::skin::{SkinDetail, build_skin};
use super::{Anatomy, AnatomyError, Digit, Side, Skeleton, Skin};
use crate::math::Vec3;

/// Everything about a hand that does not need its tissue.
///
/// ```
/// use thenar::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};
/// let anatomy = Anatomy::preset(Preset::Adult, Side::Left);
/// let hand = HandSurface::build(&anatomy, SkinDetail::Coarse)?;
/// assert_eq!(hand.skin.mesh.euler_characteristic(), 2);
/// assert!(hand.distance(hand.skeleton.bone(thenar::hand::BoneId::PALM).com) < 0.0);
/// # Ok::<(), thenar::hand::AnatomyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HandSurface {
    /// Left or right.
    pub side: Side,
    /// The visible surface.
    pub skin: Skin,
    /// Bones and joints.
    pub skeleton: Skeleton,
    /// Skin vertices that take part in contact, ascending.
    pub contact_vertices: Vec<u32>,
    /// Area each contact vertex stands for, m²; sums to the area of the skin.
    pub contact_areas: Vec<f64>,
    /// Samples of the fingertip pads, by [`Digit::index`].
    pub pads: [Vec<PadPoint>; 5],
    /// For each skin vertex, whether it lies on a nail, or on the folds around it under which the plate continues.
    pub nail: Vec<bool>,
    /// For each skin vertex, whether it lies on the pad of a fingertip.
    pub pad: Vec<bool>,
    shape: HandShape,
}

impl HandSurface {
    /// Builds a hand. The same anatomy gives the same bits, and left and right are exact mirrors.
    ///
    /// # Errors
    /// If a measure is out of range, or the measures together give no proper surface.
    pub fn build(anatomy: &Anatomy, detail: SkinDetail) -> Result<HandSurface, AnatomyError> {
        anatomy.validate()?;
        let chains = rest_chains(anatomy);
        let shape = HandShape::new(anatomy, &chains);
        let marked = build_skin(&shape, &chains, detail)?;
        let skeleton = build_skeleton(anatomy, &chains, &|p| shape.value(p / shape.unit) * shape.unit);
        let (contact_vertices, contact_areas) = contact_vertices(&marked);
        let pads = Digit::ALL.map(|d| pad_points(&shape, &chains[d.index()], d));
        let right = HandSurface {
            side: Side::Right,
            skin: marked.skin,
            skeleton,
            contact_vertices,
            contact_areas,
            pads,
            nail: marked.nail,
            pad: marked.pad,
            shape,
        };
        Ok(match anatomy.side {
            Side::Right => right,
            Side::Left => right.mirrored(),
        })
    }

    /// Distance from a point of the hand frame to the skin, metres, negative inside: close to exact near the skin, a
    /// lower bound far outside, and a rough depth deep inside.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f64 {
        self.shape.value(self.to_shape(point)) * self.shape.unit
    }

    /// Gradient of [`HandSurface::distance`]: about the outward normal near the skin.
    #[must_use]
    pub fn distance_gradient(&self, point: Vec3) -> Vec3 {
        let gradient = self.shape.gradient(self.to_shape(point), 0.1);
        match self.side {
            Side::Right => gradient,
            Side::Left => Vec3::new(-gradient.x, gradient.y, gradient.z),
        }
    }

    fn to_shape(&self, point: Vec3) -> Vec3 {
        let x = match self.side {
            Side::Right => point.x,
            Side::Left => -point.x,
        };
        Vec3::new(x, point.y, point.z) / self.shape.unit
    }

    fn mirrored(self) -> HandSurface {
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        let side = match self.side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        };
        let pads = self.pads.map(|points| {
            points.into_iter().map(|p| PadPoint { local: flip(p.local), normal: flip(p.normal) }).collect()
        });
        HandSurface { side, skin: self.skin.mirrored(), skeleton: self.skeleton.mirrored(), pads, ..self }
    }
}

#[cfg(test)]
mod tests;
