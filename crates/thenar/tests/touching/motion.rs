//! Where things are, how they move and what energy they hold, from the public state alone.

use super::{DENSITY, RUBBER, Soft};
use thenar::math::{Mat3, Vec3, polar_rotation};
use thenar::world::{ObjectId, World};

/// Momenta of a world: linear, and angular about the origin.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    pub linear: Vec3,
    pub angular: Vec3,
}

fn edges(p: [Vec3; 4]) -> Mat3 {
    Mat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0])
}

impl Soft {
    /// Node positions now.
    pub fn nodes<'a>(&self, world: &'a World) -> &'a [Vec3] {
        &world.state().softs[self.id.0 as usize].nodes
    }

    /// Node velocities now.
    pub fn velocities<'a>(&self, world: &'a World) -> &'a [Vec3] {
        &world.state().softs[self.id.0 as usize].velocities
    }

    fn volumes(&self) -> impl Iterator<Item = f64> {
        self.mesh.tets.iter().map(|tet| edges(tet.map(|i| self.mesh.positions[i as usize])).determinant() / 6.0)
    }

    /// A quarter of each element around a node, kg.
    pub fn masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.mesh.positions.len()];
        for (tet, volume) in self.mesh.tets.iter().zip(self.volumes()) {
            tet.iter().for_each(|&i| masses[i as usize] += 0.25 * DENSITY * volume);
        }
        masses
    }

    fn mean(&self, field: &[Vec3]) -> Vec3 {
        let masses = self.masses();
        field.iter().zip(&masses).map(|(x, m)| *x * *m).sum::<Vec3>() / masses.iter().sum::<f64>()
    }

    /// Centre of mass.
    pub fn centre(&self, world: &World) -> Vec3 {
        self.mean(self.nodes(world))
    }

    /// Velocity of the centre of mass.
    pub fn velocity(&self, world: &World) -> Vec3 {
        self.mean(self.velocities(world))
    }

    /// Corotational: `W = μ e:e + λ/2 tr(e)²` with `e = sym(Rᵀ F) − I` [CLAP §3.3], J.
    pub fn elastic_energy(&self, world: &World) -> f64 {
        let now = self.nodes(world);
        let mut energy = 0.0;
        for (tet, volume) in self.mesh.tets.iter().zip(self.volumes()) {
            let rest = edges(tet.map(|i| self.mesh.positions[i as usize]));
            let f = edges(tet.map(|i| now[i as usize])) * rest.inverse();
            let stretch = polar_rotation(&f).transpose() * f;
            let e = (stretch + stretch.transpose()) * 0.5 - Mat3::IDENTITY;
            let trace = e.x_axis.x + e.y_axis.y + e.z_axis.z;
            let squares = e.to_cols_array().iter().map(|x| x * x).sum::<f64>();
            energy += volume * (RUBBER.mu() * squares + 0.5 * RUBBER.lambda() * trace * trace);
        }
        energy
    }

    /// J.
    pub fn kinetic_energy(&self, world: &World) -> f64 {
        let masses = self.masses();
        self.velocities(world).iter().zip(&masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum()
    }
}

/// Kinetic and elastic energy of bodies and moving objects, J.
pub fn energy(world: &World, softs: &[Soft], objects: &[ObjectId]) -> f64 {
    let soft: f64 = softs.iter().map(|s| s.elastic_energy(world) + s.kinetic_energy(world)).sum();
    let rigid: f64 = objects
        .iter()
        .map(|id| {
            let (model, state) = (&world.objects()[id.0 as usize], &world.state().objects[id.0 as usize]);
            model.mass.as_ref().map_or(0.0, |mass| state.kinetic_energy(mass))
        })
        .sum();
    soft + rigid
}

/// Energy of weight of bodies and moving objects, J: none at the origin.
pub fn weight(world: &World, softs: &[Soft], objects: &[ObjectId]) -> f64 {
    let gravity = world.config().gravity;
    let soft = softs.iter().map(|s| s.centre(world) * s.masses().iter().sum::<f64>());
    let rigid = objects.iter().filter_map(|id| {
        let (model, state) = (&world.objects()[id.0 as usize], &world.state().objects[id.0 as usize]);
        model.mass.as_ref().map(|mass| state.pose.position * mass.mass)
    });
    -gravity.dot(soft.chain(rigid).sum())
}

/// Momenta of bodies and moving objects.
pub fn momentum(world: &World, softs: &[Soft], objects: &[ObjectId]) -> Momentum {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for soft in softs {
        for ((mass, x), v) in soft.masses().iter().zip(soft.nodes(world)).zip(soft.velocities(world)) {
            linear += *v * *mass;
            angular += x.cross(*v) * *mass;
        }
    }
    for id in objects {
        let (model, state) = (&world.objects()[id.0 as usize], &world.state().objects[id.0 as usize]);
        if let Some(mass) = &model.mass {
            let p = state.velocity * mass.mass;
            linear += p;
            angular += state.momentum + state.pose.position.cross(p);
        }
    }
    Momentum { linear, angular }
}
