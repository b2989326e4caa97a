//! Deformable objects of a simulation.

use std::sync::Arc;

use thenar::geometry::distance::{DistanceGrid, Shape};
use thenar::geometry::mesher::{MeshRequest, mesh_surface};
use thenar::geometry::{TetMesh, TriMesh, coarse_surface, isosurface};
use thenar::math::{Mat3, Pose, Vec3, polar_rotation};
use thenar::world::{EnergyLimit, SoftDef, SoftError, SoftId, StretchLimits, World};

use super::handle::{self, DrivenHandle};
use super::regrasp::whole_motion;
use super::simulation::RunError;
use crate::assets::Assets;
use crate::motion::Solid;
use crate::scene::{MOST_SOFT_TETS, ShapeSpec, SoftSpec, USUAL_TETS};

/// A deformable object of a scene in the world.
#[derive(Clone)]
pub struct SoftThing {
    /// In the world.
    pub id: SoftId,
    /// Its nodes at rest in world coordinates, metres.
    pub rest: Vec<Vec3>,
    /// Its handles, in the order of the scene.
    pub handles: Vec<DrivenHandle>,
    /// As fingers find it at the start, if they can close around it.
    solid: Option<Arc<Solid>>,
}

/// Cells along the longest side of the solid by which fingers find a mesh: a finger is a few of them thick.
const CELLS: usize = 32;

/// A soft object as fingers find it at the start; `None` for a tool, which no finger takes, and for a mesh without an inside.
pub(super) fn solid(spec: &SoftSpec, assets: &mut Assets<'_>) -> Result<Option<Arc<Solid>>, RunError> {
    if !spec.handles.is_empty() {
        return Ok(None);
    }
    let shape = match (&spec.shape, &spec.mesh) {
        (Some(shape), _) => Some(shape.build(&mut |source| assets.grid(source))?),
        (None, Some(file)) => {
            let mut boundary = assets.tets(file)?.boundary();
            boundary.positions.iter_mut().for_each(|p| *p *= spec.scale.unwrap_or(1.0));
            DistanceGrid::build(&boundary, CELLS).ok().map(|grid| Shape::Grid(Arc::new(grid)))
        }
        (None, None) => None,
    };
    let fixed = !spec.clamps.is_empty();
    Ok(shape.map(|shape| Arc::new(Solid { shape, pose: spec.pose(), fixed })))
}

/// Strain from which on foam is dense, and no longer soft (Gibson & Ashby, Cellular Solids, §5: half, for the densities of toys).
const DENSE: f64 = 0.5;

/// What is wrong, for who writes scenes and has read the object's name already.
fn told(error: SoftError) -> String {
    match error {
        SoftError::Field { field, value, expected, .. } => {
            format!("{} is {value}, expected {expected}", field.replace("handles.", "handle."))
        }
        SoftError::LimitsWithoutFactor { .. } => {
            "its hard limits of `stretch` are met through a factor, which conjugate gradients do not make; set `solver = \"direct\"` in `[world.set]`, or leave `stretch` out".to_owned()
        }
        SoftError::Tissue { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

impl SoftThing {
    /// Brings its elements and adds it.
    pub(super) fn add(
        world: &mut World,
        spec: &SoftSpec,
        solid: Option<Arc<Solid>>,
        assets: &mut Assets<'_>,
    ) -> Result<SoftThing, RunError> {
        let refused = |what: String| RunError::Soft { name: spec.name.clone(), what };
        let (mut mesh, mut surface) = match (&spec.shape, &spec.mesh) {
            (Some(shape), _) => {
                let (mesh, surface) = filled(shape, spec, assets, &refused)?;
                (mesh, Some(surface))
            }
            (None, Some(file)) => {
                let (mesh, scale) = (assets.tets(file)?, spec.scale.unwrap_or(1.0));
                let surface = spec.surface.as_ref().map(|file| assets.surface(file, scale)).transpose()?;
                (scaled(&mesh, scale).map_err(refused)?, surface)
            }
            (None, None) => return Err(refused("it has neither `shape` nor `mesh`".to_owned())),
        };
        let pose = spec.pose();
        let held = |p: &Vec3| spec.clamps.iter().any(|clamp| clamp.contains(*p));
        let clamped: Vec<u32> =
            mesh.positions.iter().enumerate().filter(|(_, p)| held(p)).map(|(node, _)| node as u32).collect();
        for clamp in &spec.clamps {
            if !mesh.positions.iter().any(|p| clamp.contains(*p)) {
                return Err(refused(format!("the clamp at {:?} has no node in it; make it larger", clamp.centre)));
            }
        }
        let middles =
            || mesh.tets.iter().map(|tet| tet.iter().map(|&n| mesh.positions[n as usize]).sum::<Vec3>() * 0.25);
        if let Some(empty) = spec.regions.iter().find(|region| !middles().any(|middle| region.contains(middle))) {
            return Err(refused(format!("the region at {:?} has no element in it; make it larger", empty.centre)));
        }
        let regions = if spec.regions.is_empty() { 0 } else { mesh.tets.len() };
        let materials = middles().take(regions).map(|middle| spec.material_at(middle)).collect();
        let shown = surface.iter_mut().flat_map(|surface| &mut surface.positions);
        mesh.positions.iter_mut().chain(shown).for_each(|p| *p = pose.point(*p));
        let rest = mesh.positions.clone();
        let usual = SoftDef::new(&spec.name, mesh, spec.material(), spec.density);
        let friction = spec.friction.unwrap_or(world.config().soft_friction);
        let stretch = match spec.stretch {
            Some([least, most]) => Some(StretchLimits { least, most, volume: 0.0 }),
            // flesh keeps its volume, foam does not
            None => world.config().tissue.stretch.map(|tissue| StretchLimits { volume: 0.0, ..tissue.flesh }),
        };
        // where flesh has a limit of its energy, soft things stiffen, too: from the strain on from which foam is dense, and as steeply
        let onset = 0.5 * DENSE * DENSE * usual.material.young;
        let steep = |of: EnergyLimit| EnergyLimit { density: onset, stiffness: onset * of.stiffness / of.density };
        let limit = world.config().tissue.limit.filter(|_| stretch.is_none()).map(steep);
        let handles = handle::definitions(spec);
        let def =
            SoftDef { surface, materials, damping: spec.damping, friction, limit, stretch, handles, clamped, ..usual };
        let id = world.add_soft(def).map_err(|error| refused(told(error)))?;
        let ids = world.handles_of(id).zip(&spec.handles);
        let handles = ids.map(|(id, spec)| DrivenHandle::new(world, id, spec)).collect();
        Ok(SoftThing { id, rest, handles, solid })
    }

    /// Its shape at rest where it is now on the whole, for fingers that look for it.
    pub(super) fn solid<'a>(&'a self, world: &World) -> Option<(&'a Shape, Pose)> {
        let solid = self.solid.as_ref()?;
        Some((&solid.shape, whole_motion(&self.rest, self.nodes(world)) * solid.pose))
    }

    /// Where its nodes are now.
    #[must_use]
    pub fn nodes<'a>(&self, world: &'a World) -> &'a [Vec3] {
        world.state().softs.get(self.id.0 as usize).map_or(&[], |state| &state.nodes)
    }

    /// What is seen of it: triangles, and places at rest.
    #[must_use]
    pub fn surface<'a>(&self, world: &'a World) -> Option<&'a TriMesh> {
        world.soft_surface(self.id).map(|surface| &surface.mesh)
    }

    /// Where the vertices of what is seen are now.
    pub fn vertices<'a>(&self, world: &'a World) -> impl Iterator<Item = Vec3> + Clone + use<'a> {
        world.soft_vertices(self.id).into_iter().flatten()
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
        (extent(&self.rest) - extent(self.nodes(world))).max_element()
    }

    /// Force and torque of it on its first handle, N and N·m; not a number without a handle.
    #[must_use]
    pub fn wrench(&self, world: &World) -> [Vec3; 2] {
        let on = |handle: &DrivenHandle| world.handle_wrench(handle.id).ok();
        self.handles.first().and_then(on).unwrap_or([Vec3::NAN; 2])
    }

    /// How far its first handle is from where its keys want it, metres; not a number without keys.
    #[must_use]
    pub fn handle_error(&self, world: &World, time: f64) -> f64 {
        let Some(handle) = self.handles.first() else { return f64::NAN };
        match (handle.wanted(time), world.handle_state(handle.id)) {
            (Some(wanted), Ok(state)) => wanted.pose.position.distance(state.pose.position),
            _ => f64::NAN,
        }
    }

    /// Root mean square distance of its nodes from its shape at rest, laid over them as well as it fits, metres.
    #[must_use]
    pub fn deformation(&self, world: &World) -> f64 {
        misfit(&self.rest, self.nodes(world))
    }
}

/// Root mean square distance between points and others that are moved and turned onto them as well as possible.
fn misfit(rest: &[Vec3], now: &[Vec3]) -> f64 {
    let mean = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (centre, moved) = (mean(rest), mean(now));
    let pairs = || rest.iter().zip(now).map(|(r, p)| (*r - centre, *p - moved));
    let outer = |(r, p): (Vec3, Vec3)| Mat3::from_cols(p * r.x, p * r.y, p * r.z);
    let turn = polar_rotation(&pairs().map(outer).fold(Mat3::ZERO, |sum, product| sum + product));
    let squares: f64 = pairs().map(|(r, p)| p.distance_squared(turn * r)).sum();
    (squares / now.len() as f64).sqrt()
}

/// Pieces of the longest side of a shape that a triangle of its surface is long, where nobody asks for more.
const PIECES: f64 = 24.0;

/// One closed surface around a solid, also where it is joined from parts, with triangles `1 / pieces` as long as its longest side; `None` if it
/// has no end.
fn closed_surface(shape: &Shape, pieces: f64) -> Option<TriMesh> {
    let bounds = shape.bounds();
    let size = bounds.size().max_element();
    if !matches!(shape, Shape::Compound(_)) {
        return shape.tessellate(size / pieces);
    }
    if !size.is_finite() {
        return None;
    }
    // a field rounds edges by its cells
    let cell = 0.5 * size / pieces;
    let field = |p: Vec3| shape.distance(p);
    let slope = |p: Vec3, axis: Vec3| field(p + axis * (0.01 * cell)) - field(p - axis * (0.01 * cell));
    let normal = |p: Vec3| Vec3::new(slope(p, Vec3::X), slope(p, Vec3::Y), slope(p, Vec3::Z)).normalize_or(Vec3::Y);
    let margin = Vec3::splat(2.0 * cell);
    let mut surface = isosurface(&field, [bounds.min - margin, bounds.max + margin], cell);
    surface.relax(2, field, |p| (p - normal(p) * field(p), normal(p)));
    Some(surface.triangulate())
}

/// Triangles of the surface that a coarser one is chosen from, for each of that: vertices have a choice of places, and regions around them are
/// whole.
const CHOICE: f64 = 6.0;

/// A surface of about so many triangles, chosen from that of a solid (`usual`), or from a finer one where it has too few to choose from; `None` if none
/// of them keeps its shape.
fn surface_of(shape: &Shape, usual: &TriMesh, triangles: usize) -> Option<TriMesh> {
    let finer = CHOICE * triangles as f64 / usual.triangles.len().max(1) as f64;
    if finer > 1.0 {
        coarse_surface(&closed_surface(shape, PIECES * finer.sqrt())?, triangles)
    } else {
        coarse_surface(usual, triangles)
    }
}

/// Lengths of the box around points, metres.
fn extent(points: &[Vec3]) -> Vec3 {
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p)) - low
}

/// About as many elements inside a solid as are asked for, and its surface.
fn filled(
    shape: &ShapeSpec,
    spec: &SoftSpec,
    assets: &mut Assets<'_>,
    refused: &dyn Fn(String) -> RunError,
) -> Result<(TetMesh, TriMesh), RunError> {
    let shape = shape.build(&mut |source| assets.grid(source))?;
    let Some(usual) = closed_surface(&shape, PIECES) else {
        return Err(refused("its shape has no end".to_owned()));
    };
    // elements are the same whatever surface they carry
    let request = MeshRequest::uniform(spec.tets.unwrap_or(USUAL_TETS));
    let mesh = mesh_surface(&usual, &request).map_err(|e| refused(e.to_string()))?;
    let Some(count) = spec.triangles else { return Ok((mesh, usual)) };
    let surface = surface_of(&shape, &usual, count).ok_or_else(|| {
        refused(format!("no closed surface of about {count} triangles keeps its shape; set `triangles` higher"))
    })?;
    Ok((mesh, surface))
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

#[cfg(test)]
mod tests {
    use thenar::geometry::distance::Part;
    use thenar::math::{Pose, Quat};

    use super::*;

    #[test]
    fn parts_become_one_solid() {
        let bar = |half: Vec3, at: Vec3| Part { pose: Pose::new(at, Quat::IDENTITY), shape: Shape::Box { half } };
        let stem = bar(Vec3::new(0.01, 0.05, 0.01), Vec3::ZERO);
        let top = bar(Vec3::new(0.04, 0.01, 0.01), Vec3::Y * 0.05);
        let surface = closed_surface(&Shape::Compound(vec![stem, top].into()), PIECES).unwrap();
        assert_eq!(surface.check_solid(), Ok(()));
        assert_eq!(surface.euler_characteristic(), 2);
        // stem and top without what they share; edges are rounded by the cells
        let volume = 0.02 * 0.02 * (0.1 + 0.08 - 0.01);
        let found = thenar::geometry::mesher::surface_volume(&surface);
        assert!((found / volume - 1.0).abs() < 0.05, "{found} {volume}");
        let endless = Shape::Compound(vec![Part { pose: Pose::IDENTITY, shape: Shape::Plane }].into());
        assert!(closed_surface(&endless, PIECES).is_none());
    }

    #[test]
    fn moving_and_turning_deforms_nothing() {
        let rest: Vec<Vec3> = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 0.0]]
            .map(Vec3::from)
            .to_vec();
        let pose = Pose::new(Vec3::new(4.0, 5.0, 6.0), Quat::from_rotation_x(2.0) * Quat::from_rotation_z(-1.0));
        let moved: Vec<Vec3> = rest.iter().map(|p| pose.point(*p)).collect();
        assert!(misfit(&rest, &moved) < 1e-9);
        let longer: Vec<Vec3> = rest.iter().map(|p| pose.point(*p * Vec3::new(1.0, 1.0, 1.1))).collect();
        let stretched = misfit(&rest, &longer);
        assert!(stretched > 0.05 && stretched < 0.3, "{stretched}");
    }
}
