//! Adding deformable objects to a world.

use super::soft_surface::{boundary_points, carried_points};
use crate::body::{CarriedSurface, HandleNodes, SoftBody, SoftParts, StretchLimits, TouchSurface};
use crate::energy::tissue::{Element, EnergyLimit, Material, Relaxation, TissueError};
use crate::geometry::mesher::surface_volume;
use crate::geometry::{TetMesh, TriMesh};
use crate::hand::BONE_COUNT;
use crate::haptics::HandleDef;
use crate::math::{Kernels, Vec3};

/// A deformable object as a user describes it.
#[derive(Clone, Debug)]
pub struct SoftDef {
    /// Name for messages and outputs.
    pub name: String,
    /// Elements, in world coordinates at rest.
    pub mesh: TetMesh,
    /// What touches and is seen, carried by the elements as skin is; in world coordinates at rest. The boundary of the elements where it is
    /// missing.
    pub surface: Option<TriMesh>,
    /// Elastic constants.
    pub material: Material,
    /// Those of each element, where they differ; `material` everywhere if it is empty.
    pub materials: Vec<Material>,
    /// Energy limit [CLAP eqs. 8–10], if any.
    pub limit: Option<EnergyLimit>,
    /// Hard limits of its stretches [Perez §II-A], if any.
    pub stretch: Option<StretchLimits>,
    /// kg/m³.
    pub density: f64,
    /// Stiffness-proportional (Rayleigh) damping, seconds.
    pub damping: f64,
    /// How its stress relaxes; `None` if it stays.
    pub relaxation: Option<Relaxation>,
    /// Coulomb's coefficient of its surface. Between two surfaces that have one, their geometric mean acts; skin has none
    /// of its own.
    pub friction: f64,
    /// Rigid parts by which a device moves it.
    pub handles: Vec<HandleDef>,
    /// Nodes that never move.
    pub clamped: Vec<u32>,
}

impl SoftDef {
    /// A soft object with friction 0.5 and a damping of 5 ms.
    #[must_use]
    pub fn new(name: &str, mesh: TetMesh, material: Material, density: f64) -> Self {
        SoftDef {
            name: name.into(),
            mesh,
            surface: None,
            material,
            materials: Vec::new(),
            limit: None,
            stretch: None,
            density,
            damping: 5e-3,
            relaxation: None,
            friction: 0.5,
            handles: Vec::new(),
            clamped: Vec::new(),
        }
    }
}

/// Why a deformable object was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SoftError {
    /// A number is out of range.
    #[error("soft object '{name}': {field} is {value}, expected {expected}")]
    Field {
        /// Name of the object.
        name: String,
        /// Name of the field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// Hard limits of stretches without a factor.
    #[error(
        "soft object '{name}': stretch has hard limits and the world's solver is `Pcg`: they are met through a factor, which it does not make; choose `SolverParams::Direct`, or no limits"
    )]
    LimitsWithoutFactor {
        /// Name of the object.
        name: String,
    },
    /// The elements or their material.
    #[error("soft object '{name}': {source}")]
    Tissue {
        /// Name of the object.
        name: String,
        /// What is wrong with them.
        source: TissueError,
    },
}

impl SoftDef {
    pub(super) fn build(self, kernels: Kernels) -> Result<SoftBody, SoftError> {
        self.check()?;
        let handles = self.handle_nodes()?;
        let element = |material: Material| Element { material, fill: 1.0, limit: self.limit };
        let materials = if self.materials.is_empty() {
            vec![element(self.material); self.mesh.tets.len()]
        } else {
            self.materials.iter().map(|material| element(*material)).collect()
        };
        let is_boundary = self.surface.is_none();
        let (shown, points, even) = match self.surface {
            Some(surface) => {
                let shown = CarriedSurface::embedded(surface, &self.mesh);
                let [curved, even] = [true, false].map(|curved| carried_points(&shown, &self.mesh, curved));
                (shown, curved, even)
            }
            None => {
                let points = boundary_points(&self.mesh);
                (CarriedSurface::boundary(&self.mesh), points.clone(), points)
            }
        };
        // elements cover a closed surface and a little more: together they weigh what is inside
        let density = if is_boundary || shown.mesh.check_solid().is_err() {
            self.density
        } else {
            self.density * surface_volume(&shown.mesh) / self.mesh.volume()
        };
        let parts = SoftParts {
            mesh: &self.mesh,
            materials,
            stretch: self.stretch.map_or_else(Vec::new, |limits| vec![limits; self.mesh.tets.len()]),
            density,
            bones: Vec::new(),
            attachments: Vec::new(),
            blended: Vec::new(),
            joints: Vec::new(),
            // one point for each element: a coarser surface would not know where the points are with which the body meets objects
            touch: TouchSurface::new(&shown.mesh, &even, 0.0, |_| 0, &self.mesh.positions),
            points,
            shown,
            falls: true,
            damping: self.damping,
            relaxation: self.relaxation,
            handles,
            attachment_damping: self.damping,
            clamped: self.clamped,
            friction: Some(self.friction),
            reduced: None,
        };
        SoftBody::new(parts, kernels).map_err(|source| SoftError::Tissue { name: self.name, source })
    }

    /// The nodes of each handle. Three that are not in a line are the least that is rigid.
    fn handle_nodes(&self) -> Result<Vec<HandleNodes>, SoftError> {
        let field = |field, value, expected| SoftError::Field { name: self.name.clone(), field, value, expected };
        if self.handles.len() > BONE_COUNT {
            return Err(field("handles", self.handles.len() as f64, "at most 16"));
        }
        let of = |def: &HandleDef| {
            if !(def.stiffness > 0.0 && def.stiffness.is_finite()) {
                return Err(field("handles.stiffness", def.stiffness, "a positive finite number, N/m"));
            }
            let nodes = def.nodes(&self.mesh.positions);
            let places: Vec<Vec3> = nodes.iter().map(|&n| self.mesh.positions[n as usize]).collect();
            let wide = |b: &Vec3| places.iter().any(|c| (*b - places[0]).cross(*c - places[0]).length() > 1e-9);
            if !places.iter().any(wide) {
                let expected =
                    "a sphere with at least three nodes that are not in a line: move its seed, or make it larger";
                return Err(field("handles.radius", def.radius, expected));
            }
            Ok(HandleNodes { nodes, bone: None, stiffness: def.stiffness })
        };
        self.handles.iter().map(of).collect()
    }

    fn check(&self) -> Result<(), SoftError> {
        let inside = |field, value: f64, range: std::ops::RangeInclusive<f64>, expected| {
            if range.contains(&value) {
                Ok(())
            } else {
                Err(SoftError::Field { name: self.name.clone(), field, value, expected })
            }
        };
        inside("density", self.density, 1.0..=30_000.0, "1 to 30000 kg/m³")?;
        inside("damping", self.damping, 0.0..=1.0, "0 to 1 s")?;
        inside("friction", self.friction, 0.0..=10.0, "0 to 10")?;
        if let Some(StretchLimits { least, most, volume }) = self.stretch {
            inside("stretch.least", least, LEAST, LEAST_RANGE)?;
            inside("stretch.most", most, MOST, MOST_RANGE)?;
            inside("stretch.volume", volume, VOLUME, VOLUME_RANGE)?;
        }
        let tets = self.mesh.tets.len();
        inside("tets", tets as f64, 1.0..=2e6, "1 to 2 million elements")?;
        let given = if self.materials.is_empty() { tets } else { self.materials.len() };
        inside("materials", given as f64, tets as f64..=tets as f64, "none, or one for each element")?;
        let nodes = self.mesh.positions.len();
        let highest = self.mesh.tets.iter().flatten().max().map_or(0, |&n| n as usize);
        inside("node index", highest as f64, 0.0..=nodes as f64 - 1.0, "below the number of nodes")?;
        let highest = self.clamped.iter().max().map_or(0, |&n| n as usize);
        inside("clamped", highest as f64, 0.0..=nodes as f64 - 1.0, "below the number of nodes")?;
        let Some(surface) = &self.surface else { return Ok(()) };
        inside("surface triangles", surface.triangles.len() as f64, 1.0..=2e6, "1 to 2 million triangles")?;
        let highest = surface.triangles.iter().flatten().max().map_or(0, |&v| v as usize);
        let vertices = surface.positions.len() as f64;
        inside("surface vertex index", highest as f64, 0.0..=vertices - 1.0, "below the number of its vertices")?;
        let wrong = surface.positions.iter().flat_map(Vec3::to_array).find(|x| !x.is_finite());
        wrong.map_or(Ok(()), |value| inside("surface vertex", value, -1e6..=1e6, "a finite place"))
    }
}

/// Limits of stretches that a body may have; between them and 1 is room for the elasticity.
pub(super) const LEAST: std::ops::RangeInclusive<f64> = 0.05..=0.99;
pub(super) const LEAST_RANGE: &str = "0.05 to 0.99";
pub(super) const MOST: std::ops::RangeInclusive<f64> = 1.01..=20.0;
pub(super) const MOST_RANGE: &str = "1.01 to 20";
pub(super) const VOLUME: std::ops::RangeInclusive<f64> = 0.0..=0.99;
pub(super) const VOLUME_RANGE: &str = "0 (no limit) to 0.99";
