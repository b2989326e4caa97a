//! Deformable objects of a simulation.

use thenar::geometry::mesher::{MeshRequest, mesh_surface};
use thenar::geometry::{TetMesh, TriMesh};
use thenar::math::Vec3;
use thenar::world::{SoftDef, SoftId, World};

use super::simulation::RunError;
use crate::assets::Assets;
use crate::scene::{MOST_SOFT_TETS, ShapeSpec, SoftSpec, USUAL_TETS};

/// A deformable object of a scene in the world.
pub struct SoftThing {
    /// In the world.
    pub id: SoftId,
    /// Its surface at rest in world coordinates; the vertices are the nodes of the body, inner ones included.
    pub surface: TriMesh,
}

impl SoftThing {
    /// Brings its elements and adds it.
    pub(super) fn add(world: &mut World, spec: &SoftSpec, assets: &mut Assets<'_>) -> Result<SoftThing, RunError> {
        let refused = |what: String| RunError::Soft { name: spec.name.clone(), what };
        let mut mesh = match (&spec.shape, &spec.mesh) {
            (Some(shape), _) => filled(shape, spec.tets.unwrap_or(USUAL_TETS), assets, &refused)?,
            (None, Some(file)) => {
                let mesh = assets.tets(file)?;
                scaled(&mesh, spec.scale.unwrap_or(1.0)).map_err(refused)?
            }
            (None, None) => return Err(refused("it has neither `shape` nor `mesh`".to_owned())),
        };
        let pose = spec.pose();
        mesh.positions.iter_mut().for_each(|p| *p = pose.point(*p));
        let surface = mesh.boundary();
        let def =
            SoftDef { name: spec.name.clone(), mesh, material: spec.material(), limit: None, density: spec.density };
        let id = world.add_soft(def).map_err(|error| refused(error.to_string()))?;
        Ok(SoftThing { id, surface })
    }

    /// Where its nodes are now.
    #[must_use]
    pub fn nodes<'a>(&self, world: &'a World) -> &'a [Vec3] {
        world.state().softs.get(self.id.0 as usize).map_or(&[], |state| &state.nodes)
    }

    /// Mean place and velocity of its nodes.
    #[must_use]
    pub fn motion(&self, world: &World) -> (Vec3, Vec3) {
        let Some(state) = world.state().softs.get(self.id.0 as usize) else { return (Vec3::NAN, Vec3::NAN) };
        let mean = |vectors: &[Vec3]| vectors.iter().sum::<Vec3>() / vectors.len() as f64;
        (mean(&state.nodes), mean(&state.velocities))
    }

    /// How much less it measures along the axis of the world in which it lost most, metres.
    #[must_use]
    pub fn squash(&self, world: &World) -> f64 {
        (extent(&self.surface.positions) - extent(self.nodes(world))).max_element()
    }
}

/// Lengths of the box around points, metres.
fn extent(points: &[Vec3]) -> Vec3 {
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p)) - low
}

/// About `tets` elements inside a solid.
fn filled(
    shape: &ShapeSpec,
    tets: usize,
    assets: &mut Assets<'_>,
    refused: &dyn Fn(String) -> RunError,
) -> Result<TetMesh, RunError> {
    let shape = shape.build(&mut |source| assets.grid(source))?;
    let size = shape.bounds().size().max_element();
    let Some(surface) = shape.tessellate(size / 24.0) else {
        return Err(refused("its shape has no end".to_owned()));
    };
    mesh_surface(&surface, &MeshRequest::uniform(tets)).map_err(|e| refused(e.to_string()))
}

/// The elements of a file in metres, if a hand could touch them and the machine simulate them.
fn scaled(mesh: &TetMesh, scale: f64) -> Result<TetMesh, String> {
    if mesh.tets.len() > MOST_SOFT_TETS {
        let count = mesh.tets.len();
        return Err(format!(
            "its mesh has {count} tetrahedra, at most {MOST_SOFT_TETS} are simulated; mesh it coarser"
        ));
    }
    let mut mesh = mesh.clone();
    mesh.positions.iter_mut().for_each(|p| *p *= scale);
    let length = extent(&mesh.positions).max_element();
    if !(1e-3..=10.0).contains(&length) {
        let remedy = "files have no units: `scale` says how many metres one is, 0.001 for millimetres";
        return Err(format!("its mesh is {length} m long, not between 1 mm and 10 m; {remedy}"));
    }
    Ok(mesh)
}
