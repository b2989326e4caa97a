//! The figures by which a hand is judged.

use super::web::WebProbe;
use super::{Capsule, HandModel, Side};
use crate::geometry::TetLocator;
use crate::geometry::mesher::surface_volume;
use crate::geometry::tet_mesh::tet_volume;
use crate::math::Vec3;
use std::f64::consts::PI;

/// Density of soft tissue, kg/m³ (skin, fat and muscle as one).
pub const FLESH_DENSITY: f64 = 1060.0;

/// Figures of a hand; units are in the names.
#[derive(Clone, Debug, PartialEq)]
pub struct HandReport {
    /// Left or right.
    pub side: Side,
    /// Triangles of the skin.
    pub skin_triangles: usize,
    /// Elements of the tissue.
    pub tets: usize,
    /// Nodes of the tissue.
    pub nodes: usize,
    /// Rigid bones.
    pub bones: usize,
    /// Least dihedral angle of an element, degrees.
    pub min_dihedral_deg: f64,
    /// Greatest dihedral angle of an element, degrees.
    pub max_dihedral_deg: f64,
    /// Greatest longest-edge-to-height ratio, 1 for a regular element.
    pub worst_aspect: f64,
    /// Volume inside the skin, cm³.
    pub volume_cm3: f64,
    /// Volume of all elements over that inside the skin.
    pub volume_ratio: f64,
    /// Fraction of the skin vertices inside an element.
    pub embedded_fraction: f64,
    /// Euler characteristic of the boundary of the tissue; 2 is right.
    pub euler: i64,
    /// How far the tissue between neighbouring digits reaches beyond the knuckle line, mm: thumb–index, index–middle,
    /// middle–ring, ring–little.
    pub web_mm: [f64; 4],
    /// Skin vertices that take part in contact.
    pub contact_vertices: usize,
    /// Mass of flesh and bones, g.
    pub mass_g: f64,
}

/// Volume of a capsule, m³.
pub(super) fn capsule_volume(c: &Capsule) -> f64 {
    PI * c.radius * c.radius * (c.a.distance(c.b) + 4.0 / 3.0 * c.radius)
}

impl HandModel {
    /// Measures the hand.
    #[must_use]
    pub fn report(&self) -> HandReport {
        let soft = self.tissue.soft_mesh();
        let quality = soft.quality();
        let volume = surface_volume(&self.skin.mesh);
        let locator = TetLocator::new(&soft);
        HandReport {
            side: self.side,
            skin_triangles: self.skin.mesh.triangles.len(),
            tets: soft.tets.len(),
            nodes: self.tissue.mesh.positions.len(),
            bones: self.skeleton.bones.len(),
            min_dihedral_deg: quality.min_dihedral_deg,
            max_dihedral_deg: quality.max_dihedral_deg,
            worst_aspect: quality.worst_aspect,
            volume_cm3: volume * 1e6,
            volume_ratio: soft.volume() / volume,
            embedded_fraction: self.embedding.fraction_within(1e-6),
            euler: soft.boundary_euler(),
            web_mm: self.webs(|p| locator.locate(p).is_some()).map(|w| w * 1e3),
            contact_vertices: self.contact_vertices.len(),
            mass_g: self.mass() * 1e3,
        }
    }

    /// Flesh fills the elements except where bones are, kg.
    fn mass(&self) -> f64 {
        let bones: f64 = self.skeleton.bones.iter().map(|b| b.mass).sum();
        let (mesh, fill) = (&self.tissue.mesh, &self.tissue.fill);
        let filled: f64 = fill.iter().enumerate().map(|(t, f)| f * tet_volume(mesh.corners(t))).sum();
        bones + FLESH_DENSITY * filled * self.flesh_share()
    }

    /// The part of the skin's volume that is not bone: bones carry their own mass.
    #[must_use]
    pub fn flesh_share(&self) -> f64 {
        let capsules = self.skeleton.bones.iter().flat_map(|b| &b.capsules);
        let bone: f64 = capsules.map(capsule_volume).sum();
        let whole = self.skin.mesh.volume();
        if whole > 0.0 { (1.0 - bone / whole).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// How far beyond the knuckle line neighbouring digits are joined, metres, in a body given by `inside`: thumb–index,
    /// index–middle, middle–ring, ring–little.
    pub fn webs(&self, inside: impl Fn(Vec3) -> bool) -> [f64; 4] {
        WebProbe::all(&self.skeleton).map(|probe| probe.reach(&inside))
    }
}
