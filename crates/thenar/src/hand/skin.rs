//! The skin of a right hand: the zero surface of its shape as triangles, with everything each vertex carries.

use super::Skin;
use super::rest_pose::DigitChain;
use super::shape::HandShape;
use super::skin_site::SkinSite;
use crate::geometry::{SurfaceError, TriMesh, isosurface};
use crate::math::Vec3;

/// How fine the triangles of the skin are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SkinDetail {
    /// About 6 000 triangles.
    Coarse,
    /// About 24 000 triangles: enough for contact.
    #[default]
    Default,
    /// About 85 000 triangles, for close-ups.
    Fine,
}

impl SkinDetail {
    /// Grid cell in units of the shape.
    const fn cell(self) -> f64 {
        match self {
            SkinDetail::Coarse => 4.5,
            SkinDetail::Default => 2.28,
            SkinDetail::Fine => 1.215,
        }
    }

    /// Rounds of evening out.
    const fn relaxation(self) -> usize {
        match self {
            SkinDetail::Coarse => 10,
            SkinDetail::Default => 9,
            SkinDetail::Fine => 6,
        }
    }

    /// Reach of the stencil for normals: about half an edge keeps relief finer than a cell from beading.
    const fn normal_reach(self) -> f64 {
        match self {
            SkinDetail::Coarse => 1.0,
            SkinDetail::Default => 0.52,
            SkinDetail::Fine => 0.25,
        }
    }
}

/// The skin of a right hand, and which of its vertices lie on nails and on fingertip pads.
pub(super) struct MarkedSkin {
    pub skin: Skin,
    pub nail: Vec<bool>,
    pub pad: Vec<bool>,
}

/// Extracts the skin and fills what each vertex carries.
pub(super) fn build_skin(
    shape: &HandShape,
    chains: &[DigitChain; 5],
    detail: SkinDetail,
) -> Result<MarkedSkin, SurfaceError> {
    let mut mesh = sound_surface(shape, chains, detail)?;
    let mut skin = Skin::default();
    let (mut nail, mut pad) = (Vec::new(), Vec::new());
    for &q in &mesh.positions {
        let normal = shape.gradient(q, detail.normal_reach()).normalize_or(Vec3::Y);
        let site = SkinSite::new(shape, q, normal);
        skin.normals.push(normal);
        skin.colours.push(site.colour());
        skin.nails.push(site.nail_place());
        skin.patches.push(site.patch());
        skin.weights.push(site.weights());
        nail.push(site.is_nail());
        pad.push(site.is_pad());
    }
    mesh.positions.iter_mut().for_each(|p| *p *= shape.unit);
    skin.areas = mesh.vertex_areas();
    skin.mesh = mesh;
    Ok(MarkedSkin { skin, nail, pad })
}

/// The surface in units of the shape. A grid that happens to graze a narrow gap can pinch the surface there; then
/// another offset of the grid is tried.
fn sound_surface(shape: &HandShape, chains: &[DigitChain; 5], detail: SkinDetail) -> Result<TriMesh, SurfaceError> {
    let [low, high] = shape.bounds(chains);
    let mut defect = SurfaceError::Empty;
    for attempt in 0..4 {
        let shift = Vec3::new(0.37, 0.61, 0.83) * (0.4 * f64::from(attempt) * detail.cell());
        let mut surface = isosurface(&|q| shape.value(q), [low - shift, high], detail.cell());
        surface.relax(detail.relaxation(), |q| shape.value(q), |q| shape.project(q));
        let mesh = surface.triangulate();
        match mesh.check_solid() {
            Ok(()) => return Ok(mesh),
            Err(found) => defect = found,
        }
    }
    Err(defect)
}

impl Skin {
    /// The mirror image across x = 0.
    #[must_use]
    pub fn mirrored(&self) -> Skin {
        let mut mirrored = self.clone();
        mirrored.mesh = self.mesh.mirrored();
        mirrored.normals.iter_mut().for_each(|n| n.x = -n.x);
        mirrored
    }
}
