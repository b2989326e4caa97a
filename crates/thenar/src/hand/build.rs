//! From anatomy, or from a skin and a skeleton, to a hand that can be simulated.

use super::attach::Carrier;
use super::tissue::{fill_tissue, mesh_tissue};
use super::{
    Anatomy, AnatomyError, BoneId, Digit, HandModel, HandSurface, PadPoint, Preset, Side, Skeleton, Skin, SkinDetail,
    TissueLayout, TissueOptions,
};
use crate::geometry::mesher::{MesherError, surface_volume};
use crate::math::Vec3;

/// Which hand to build and how fine.
#[derive(Clone, Debug, PartialEq)]
pub struct HandOptions {
    /// The person's measures.
    pub anatomy: Anatomy,
    /// Fineness of the skin.
    pub detail: SkinDetail,
    /// Fineness of the tissue.
    pub tissue: TissueOptions,
}

impl Default for HandOptions {
    fn default() -> Self {
        HandOptions {
            anatomy: Anatomy::preset(Preset::Adult, Side::Right),
            detail: SkinDetail::default(),
            tissue: TissueOptions::default(),
        }
    }
}

/// Why a hand cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HandError {
    /// A measure out of range.
    #[error(transparent)]
    Anatomy(#[from] AnatomyError),
    /// A skin that cannot be filled with tissue.
    #[error("no tissue: {0}")]
    Tissue(#[from] MesherError),
    /// Lists that should have one entry per skin vertex.
    #[error("skin.{field} has {found} entries, but the skin has {vertices} vertices")]
    SkinLength {
        /// The list.
        field: &'static str,
        /// Its length.
        found: usize,
        /// Number of skin vertices.
        vertices: usize,
    },
    /// A skeleton without its sixteen bones, or a bone without shape.
    #[error("skeleton.bones[{bone}] is missing or has no capsule: a hand needs sixteen bones with a shape")]
    Bone {
        /// Index of the bone.
        bone: usize,
    },
    /// Far more flesh than belongs on the bones.
    #[error(
        "the skin encloses {:.2} litres, but a hand whose palm is {:.0} mm long, with its forearm, at most {:.2}: \
         do skin and skeleton belong together?",
        1e3 * volume, 1e3 * palm, 1e3 * most
    )]
    Bulky {
        /// Volume of the skin, m³.
        volume: f64,
        /// Length of the palm's bone, metres.
        palm: f64,
        /// Greatest volume such a hand may have, m³.
        most: f64,
    },
    /// A bone that sticks out of the skin.
    #[error("bone {bone} has no part of its surface inside the tissue: does the skeleton fit the skin?")]
    LooseBone {
        /// Index of the bone.
        bone: usize,
    },
}

/// Skin and skeleton of a hand, made from anatomy or imported: all that tissue is built from.
#[derive(Clone, Debug)]
pub struct HandParts {
    /// Left or right.
    pub side: Side,
    /// The visible surface, closed.
    pub skin: Skin,
    /// Bones and joints.
    pub skeleton: Skeleton,
    /// Skin vertices that take part in contact.
    pub contact_vertices: Vec<u32>,
    /// Area each contact vertex stands for, m².
    pub contact_areas: Vec<f64>,
    /// Samples of the fingertip pads, by [`Digit::index`].
    pub pads: [Vec<PadPoint>; Digit::ALL.len()],
    /// For each skin vertex, whether it lies on a nail; may be empty if nails are not known.
    pub nail: Vec<bool>,
}

impl From<HandSurface> for HandParts {
    fn from(surface: HandSurface) -> Self {
        HandParts {
            side: surface.side,
            skin: surface.skin,
            skeleton: surface.skeleton,
            contact_vertices: surface.contact_vertices,
            contact_areas: surface.contact_areas,
            pads: surface.pads,
            nail: surface.nail,
        }
    }
}

impl HandModel {
    /// Builds a hand from anatomy. Left hands are exact mirrors of right ones.
    ///
    /// ```no_run
    /// use thenar::hand::{HandModel, HandOptions};
    /// let hand = HandModel::build(&HandOptions::default())?;
    /// assert!(hand.report().min_dihedral_deg > 10.0);
    /// # Ok::<(), thenar::hand::HandError>(())
    /// ```
    ///
    /// # Errors
    /// If a measure is out of range or the number of elements is.
    pub fn build(options: &HandOptions) -> Result<HandModel, HandError> {
        let anatomy = Anatomy { side: Side::Right, ..options.anatomy.clone() };
        let surface = HandSurface::build(&anatomy, options.detail)?;
        let right = HandModel::from_parts(surface.into(), &options.tissue)?;
        Ok(match options.anatomy.side {
            Side::Right => right,
            Side::Left => right.mirrored(),
        })
    }

    /// Builds the tissue of any hand whose skin is closed and whose skeleton lies inside it.
    ///
    /// # Errors
    /// If the skin is open, crosses itself or encloses nothing, if lists do not match, or if a bone lies outside.
    pub fn from_parts(parts: HandParts, options: &TissueOptions) -> Result<HandModel, HandError> {
        check_parts(&parts)?;
        if let TissueLayout::Phalanges(soft) = options.layout {
            return super::phalanges::build(parts, options, soft);
        }
        let mesh = mesh_tissue(&parts, options)?;
        let carrier = Carrier::new(&mesh, &parts);
        let embedding = carrier.embed_skin(&parts);
        let attachments = carrier.attachments(&parts);
        if let Some(bone) = parts.skeleton.bones.iter().find(|b| attachments.iter().all(|a| a.bone != b.id)) {
            return Err(HandError::LooseBone { bone: bone.id.index() });
        }
        let node_springs = carrier.node_springs(&parts, &embedding);
        let pads = carrier.pads(&parts);
        let tissue = fill_tissue(&parts, mesh.clone(), &embedding);
        Ok(HandModel {
            side: parts.side,
            skin: parts.skin,
            skeleton: parts.skeleton,
            tissue,
            embedding,
            seams: Vec::new(),
            attachments,
            node_springs,
            pads,
            contact_vertices: parts.contact_vertices,
            contact_areas: parts.contact_areas,
        })
    }

    /// The hand of the other side.
    #[must_use]
    pub fn mirrored(&self) -> HandModel {
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        // A mirrored element swaps its last two nodes to stay positive, and weights follow.
        let swap = |[a, b, c, d]: [f64; 4]| [a, b, d, c];
        let mut model = self.clone();
        model.side = match self.side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        };
        model.skin = self.skin.mirrored();
        model.skeleton = self.skeleton.mirrored();
        model.tissue.mesh = self.tissue.mesh.mirrored_x();
        model.embedding.weights.iter_mut().for_each(|w| *w = swap(*w));
        for s in &mut model.seams {
            (s.weights, s.offset) = (swap(s.weights), flip(s.offset));
        }
        for a in &mut model.attachments {
            (a.weights, a.local) = (swap(a.weights), flip(a.local));
        }
        model.node_springs.iter_mut().for_each(|s| s.local = flip(s.local));
        for p in model.pads.iter_mut().flatten() {
            (p.weights, p.local, p.normal) = (swap(p.weights), flip(p.local), flip(p.normal));
        }
        model
    }
}

/// Greatest volume of a hand in cubes of its palm's length: an adult's hand fills half of one, with the whole forearm
/// three. Elements are as fine as the fingers ask for, so that a body of flesh around them would take for ever to fill.
const BULKIEST: f64 = 6.0;

fn check_parts(parts: &HandParts) -> Result<(), HandError> {
    let vertices = parts.skin.mesh.positions.len();
    let lengths = [
        ("normals", parts.skin.normals.len()),
        ("areas", parts.skin.areas.len()),
        ("patches", parts.skin.patches.len()),
        ("weights", parts.skin.weights.len()),
    ];
    if let Some(&(field, found)) = lengths.iter().find(|(_, found)| *found != vertices) {
        return Err(HandError::SkinLength { field, found, vertices });
    }
    for bone in 0..super::BONE_COUNT {
        if parts.skeleton.bones.get(bone).is_none_or(|b| b.capsules.is_empty()) {
            return Err(HandError::Bone { bone });
        }
    }
    let mesh = &parts.skin.mesh;
    let palm = parts.skeleton.bone(BoneId::PALM).length;
    let most = BULKIEST * palm.powi(3);
    let indices_exist = mesh.triangles.iter().flatten().all(|&v| (v as usize) < vertices);
    let volume = if indices_exist { surface_volume(mesh) } else { 0.0 };
    if volume > most {
        return Err(HandError::Bulky { volume, palm, most });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
