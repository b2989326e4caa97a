//! Deformable objects of a scene.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thenar::math::{Pose, Vec3};
use thenar::world::Material;

use super::object::placement;
use super::validate::{Outcome, fault, vector, within};
use super::{ClampSpec, HandleSpec, RegionSpec, Scene, ShapeSpec};

/// Something that can be squeezed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftSpec {
    /// Name, by which checks refer to it.
    pub name: String,
    /// Its solid at rest, to be filled with elements; not a `plane` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeSpec>,
    /// … or the elements themselves: tetrahedra of a VTK (`.vtk`) or Gmsh (`.msh`) file, relative to the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// With `mesh`: what of it touches and is seen, carried by the elements; triangles of an OBJ or STL file in the same units and axes.
    /// The boundary of the elements where it is missing. A shape brings its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Metres per unit of the mesh file; 1 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Where its origin is at the start, metres.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turns in degrees about x, then y, then z (axes of the world).
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Number of elements that a shape is filled with, about; 400 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tets: Option<usize>,
    /// Number of triangles, within 15 %, of the surface of a shape that touches and is seen, carried by the elements: coarser ones cost less and are
    /// less true, corners and edges are kept longest. As fine as the shape is described where it is missing: some thousands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<usize>,
    /// Young's modulus, Pa. Foam has 5e3 to 1e5, rubber 1e6.
    pub young: f64,
    /// Poisson's ratio.
    #[serde(default = "usual_poisson")]
    pub poisson: f64,
    /// kg/m³.
    #[serde(default = "usual_density")]
    pub density: f64,
    /// Damping in proportion to stiffness, seconds.
    #[serde(default = "usual_damping")]
    pub damping: f64,
    /// Coulomb's coefficient of its surface; `soft-friction` of `world.set` where it is missing, which is 0.6 unless set. Between two surfaces that
    /// have one, their geometric mean acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Least and greatest stretch of its material, such as `[0.5, 1.8]`; those of the world's flesh where it is missing and the world has
    /// hard limits. Where it has not, the material stiffens from half a strain on, if flesh has a limit of its energy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 2]>,
    /// Boxes, in its own frame, whose nodes never move.
    #[serde(default, rename = "clamp", skip_serializing_if = "Vec::is_empty")]
    pub clamps: Vec<ClampSpec>,
    /// Boxes, in its own frame, in which it is stiffer or softer; of two that overlap the last.
    #[serde(default, rename = "region", skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionSpec>,
    /// Rigid parts by which a script or a device moves it: with them it is a tool.
    #[serde(default, rename = "handle", skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<HandleSpec>,
    /// For pictures: `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// Elements of a shape that does not say how many.
pub const USUAL_TETS: usize = 400;
/// Elements that a soft object may have.
pub const MOST_SOFT_TETS: usize = 50_000;
/// Triangles that the surface of a shape may be asked to have.
const FEWEST_TRIANGLES: f64 = 50.0;
const MOST_TRIANGLES: f64 = 20_000.0;

fn usual_poisson() -> f64 {
    0.4
}

fn usual_density() -> f64 {
    200.0
}

fn usual_damping() -> f64 {
    5e-3
}

impl SoftSpec {
    /// Where it is at the start.
    #[must_use]
    pub fn pose(&self) -> Pose {
        placement(self.position, self.rotation)
    }

    /// What it is made of, where no region says otherwise.
    #[must_use]
    pub fn material(&self) -> Material {
        Material { young: self.young, poisson: self.poisson }
    }

    /// What it is made of at a place in its own frame.
    #[must_use]
    pub fn material_at(&self, place: Vec3) -> Material {
        let region = self.regions.iter().rev().find(|region| region.contains(place));
        Material { young: region.map_or(self.young, |region| region.young), ..self.material() }
    }
}

impl Scene {
    pub(super) fn check_softs(&self) -> Outcome {
        for (index, soft) in self.softs.iter().enumerate() {
            let path = format!("soft[{index}]");
            let others =
                self.objects.iter().map(|object| &object.name).chain(self.softs[..index].iter().map(|s| &s.name));
            if others.into_iter().any(|other| *other == soft.name) {
                let what = format!("`{}` is already the name of something else", soft.name);
                return Err(fault(format!("{path}.name"), what));
            }
            check_soft(&path, soft)?;
        }
        Ok(())
    }
}

fn check_soft(path: &str, soft: &SoftSpec) -> Outcome {
    super::validate::check_name(path, &soft.name)?;
    match (&soft.shape, &soft.mesh) {
        (Some(shape), None) => check_solid(path, soft, shape)?,
        (None, Some(file)) => check_mesh(path, soft, file)?,
        _ => return Err(fault(path, "a soft object needs either `shape` or `mesh`")),
    }
    vector(format!("{path}.position"), soft.position, 1000.0, "m")?;
    vector(format!("{path}.rotation"), soft.rotation, 36000.0, "degrees")?;
    within(format!("{path}.young"), soft.young, 100.0, 1e9, "Pa")?;
    within(format!("{path}.poisson"), soft.poisson, 0.0, 0.49, "")?;
    within(format!("{path}.density"), soft.density, 1.0, 30_000.0, "kg/m³")?;
    within(format!("{path}.damping"), soft.damping, 0.0, 1.0, "s")?;
    within(format!("{path}.friction"), soft.friction.unwrap_or(0.0), 0.0, 10.0, "")?;
    if let Some([least, most]) = soft.stretch {
        within(format!("{path}.stretch[0]"), least, 0.05, 0.99, "")?;
        within(format!("{path}.stretch[1]"), most, 1.01, 20.0, "")?;
    }
    for (k, clamp) in soft.clamps.iter().enumerate() {
        clamp.check(&format!("{path}.clamp[{k}]"))?;
    }
    for (k, region) in soft.regions.iter().enumerate() {
        region.check(&format!("{path}.region[{k}]"))?;
    }
    for (k, handle) in soft.handles.iter().enumerate() {
        handle.check(&format!("{path}.handle[{k}]"))?;
    }
    super::validate::check_colour(path, soft.colour.as_deref())
}

fn check_solid(path: &str, soft: &SoftSpec, shape: &ShapeSpec) -> Outcome {
    if *shape == ShapeSpec::Plane {
        return Err(fault(format!("{path}.shape"), "a soft object needs an end on every side: no `plane`"));
    }
    if soft.scale.is_some() {
        return Err(fault(format!("{path}.scale"), "`scale` goes with `mesh`; a shape is written in metres"));
    }
    if soft.surface.is_some() {
        return Err(fault(format!("{path}.surface"), "`surface` goes with `mesh`; a shape brings its own"));
    }
    super::validate::check_shape(&format!("{path}.shape"), shape, 1)?;
    if let Some(triangles) = soft.triangles {
        within(format!("{path}.triangles"), triangles as f64, FEWEST_TRIANGLES, MOST_TRIANGLES, "triangles")?;
    }
    within(format!("{path}.tets"), soft.tets.unwrap_or(USUAL_TETS) as f64, 50.0, MOST_SOFT_TETS as f64, "elements")
}

fn check_mesh(path: &str, soft: &SoftSpec, file: &str) -> Outcome {
    let ending = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if !["vtk", "msh"].contains(&ending.as_str()) {
        let what = format!("`{file}` does not end in .vtk or .msh; a surface goes into `shape = {{ mesh = … }}`");
        return Err(fault(format!("{path}.mesh"), what));
    }
    if soft.tets.is_some() {
        return Err(fault(format!("{path}.tets"), "a mesh file brings its own elements; remove `tets`"));
    }
    if soft.triangles.is_some() {
        let what = "`triangles` goes with `shape`; a mesh file has its boundary, or what its `surface` names";
        return Err(fault(format!("{path}.triangles"), what));
    }
    within(format!("{path}.scale"), soft.scale.unwrap_or(1.0), 1e-6, 1e6, "metres per unit")
}
