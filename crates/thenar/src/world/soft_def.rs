//! Adding deformable objects to a world.

use crate::body::{SoftBody, SoftParts, StretchLimits, SurfacePoint, TouchSurface};
use crate::energy::tissue::{Element, EnergyLimit, Material, TissueError};
use crate::geometry::TetMesh;
use crate::math::{Kernels, Vec3};

/// A deformable object as a user describes it. Its boundary nodes are what touches.
#[derive(Clone, Debug)]
pub struct SoftDef {
    /// Name for messages and outputs.
    pub name: String,
    /// Elements, in world coordinates at rest.
    pub mesh: TetMesh,
    /// Elastic constants.
    pub material: Material,
    /// Energy limit [CLAP eqs. 8–10], if any.
    pub limit: Option<EnergyLimit>,
    /// Hard limits of its stretches [Perez §II-A], if any.
    pub stretch: Option<StretchLimits>,
    /// kg/m³.
    pub density: f64,
    /// Stiffness-proportional (Rayleigh) damping, seconds.
    pub damping: f64,
    /// Coulomb's coefficient of its surface. Between two surfaces that have one, their geometric mean acts; skin has none
    /// of its own.
    pub friction: f64,
}

impl SoftDef {
    /// A soft object with friction 0.5 and a damping of 5 ms.
    #[must_use]
    pub fn new(name: &str, mesh: TetMesh, material: Material, density: f64) -> Self {
        SoftDef { name: name.into(), mesh, material, limit: None, stretch: None, density, damping: 5e-3, friction: 0.5 }
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
        let element = Element { material: self.material, fill: 1.0, limit: self.limit };
        let points = boundary_points(&self.mesh);
        let parts = SoftParts {
            mesh: &self.mesh,
            materials: vec![element; self.mesh.tets.len()],
            stretch: self.stretch.map_or_else(Vec::new, |limits| vec![limits; self.mesh.tets.len()]),
            density: self.density,
            bones: Vec::new(),
            attachments: Vec::new(),
            blended: Vec::new(),
            joints: Vec::new(),
            touch: TouchSurface::new(&self.mesh.boundary(), &points, |_| 0, &self.mesh.positions),
            points,
            falls: true,
            damping: self.damping,
            friction: Some(self.friction),
            reduced: None,
        };
        SoftBody::new(parts, kernels).map_err(|source| SoftError::Tissue { name: self.name, source })
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
        if let Some(StretchLimits { least, most }) = self.stretch {
            inside("stretch.least", least, LEAST, LEAST_RANGE)?;
            inside("stretch.most", most, MOST, MOST_RANGE)?;
        }
        inside("tets", self.mesh.tets.len() as f64, 1.0..=2e6, "1 to 2 million elements")?;
        let nodes = self.mesh.positions.len();
        let highest = self.mesh.tets.iter().flatten().max().map_or(0, |&n| n as usize);
        inside("node index", highest as f64, 0.0..=nodes as f64 - 1.0, "below the number of nodes")
    }
}

/// Limits of stretches that a body may have; between them and 1 is room for the elasticity.
pub(super) const LEAST: std::ops::RangeInclusive<f64> = 0.05..=0.99;
pub(super) const LEAST_RANGE: &str = "0.05 to 0.99";
pub(super) const MOST: std::ops::RangeInclusive<f64> = 1.01..=20.0;
pub(super) const MOST_RANGE: &str = "1.01 to 20";

/// One contact point per boundary node, with a third of the area of its boundary triangles.
fn boundary_points(mesh: &TetMesh) -> Vec<SurfacePoint> {
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut faces: Vec<([u32; 3], u32)> = Vec::new();
    for (t, tet) in mesh.tets.iter().enumerate() {
        for f in FACES {
            let mut key = f.map(|k| tet[k]);
            key.sort_unstable();
            faces.push((key, t as u32));
        }
    }
    faces.sort_unstable();
    let mut area = vec![0.0; mesh.positions.len()];
    let mut normal = vec![Vec3::ZERO; mesh.positions.len()];
    let mut carrier = vec![None; mesh.positions.len()];
    let mut i = 0;
    while i < faces.len() {
        if i + 1 < faces.len() && faces[i].0 == faces[i + 1].0 {
            i += 2;
            continue;
        }
        let (nodes, tet) = faces[i];
        let p = nodes.map(|n| mesh.positions[n as usize]);
        let across = (p[1] - p[0]).cross(p[2] - p[0]);
        let share = across.length() / 6.0;
        // outwards is away from the node of the element that is not on the face
        let inner = mesh.tets[tet as usize].into_iter().find(|n| !nodes.contains(n)).unwrap_or(nodes[0]);
        let outward = if across.dot(p[0] - mesh.positions[inner as usize]) > 0.0 { across } else { -across };
        for n in nodes {
            area[n as usize] += share;
            normal[n as usize] += outward;
            carrier[n as usize] = Some(tet);
        }
        i += 1;
    }
    carrier
        .iter()
        .enumerate()
        .filter_map(|(node, tet)| {
            let tet = (*tet)?;
            let nodes = mesh.tets[tet as usize];
            Some(SurfacePoint {
                nodes,
                weights: nodes.map(|n| f64::from(u8::from(n as usize == node))),
                tet,
                area: area[node],
                vertex: node as u32,
                patch: 0,
                across: SurfacePoint::normal_at_rest(normal[node].normalize_or_zero(), nodes, &mesh.positions),
            })
        })
        .collect()
}
