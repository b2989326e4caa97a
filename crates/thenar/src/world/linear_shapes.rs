//! What the shapes weigh in which a tool follows its handles: inertia and damping, for the linear model of the force on them.

use super::World;
use super::linear::LinearScratch;
use crate::constraint::Shapes;
use crate::energy::attachments::bone_block;
use crate::math::{Vec3, skew};
use crate::sparse::{LANES, add_gram};

/// Eight shapes side by side, for one scalar row.
type Row = [f64; LANES];

impl World {
    /// Inertia and damping of the shapes, without the handles' own: `Uᵀ M U` and `Uᵀ D U`; and the loads `(M + h D) U`.
    pub(super) fn weigh_shapes(&self, dt: f64, scratch: &mut LinearScratch) {
        let m = 6 * self.handles.len();
        let portions = m.div_ceil(LANES);
        let LinearScratch { shapes: Shapes { bodies: shapes, objects, .. }, inertia, damping, loads, momenta, .. } =
            scratch;
        let whole = shapes.len() / portions.max(1);
        let loads = &mut loads.bodies;
        loads.clear();
        loads.resize(shapes.len(), [0.0; LANES]);
        for matrix in [&mut *inertia, &mut *damping] {
            matrix.clear();
            matrix.resize(m * m, 0.0);
        }
        let mut first = 0;
        for (b, (body, state)) in self.softs.iter().zip(&self.state.softs).enumerate() {
            let size = 3 * body.pattern.block_count();
            let range = first..first + size;
            first = range.end;
            if !state.active {
                continue;
            }
            let of = |portion: usize| portion * whole + range.start..portion * whole + range.end;
            for portion in 0..portions {
                let load = &mut loads[of(portion)];
                let u = &shapes[of(portion)];
                body.tissue.add_product(&self.work.tissue[b], body.damping, u, load);
                if body.reduced.is_none() {
                    self.damp_springs(b, u, load);
                }
                for other in 0..portions {
                    add_gram_to(damping, m, [other, portion], &shapes[of(other)], load, self);
                }
                momenta.clear();
                momenta.resize(size, [0.0; LANES]);
                self.add_momenta(b, u, momenta);
                for other in 0..portions {
                    add_gram_to(inertia, m, [other, portion], &shapes[of(other)], momenta, self);
                }
                for (load, momentum) in load.iter_mut().zip(momenta.iter()) {
                    (0..LANES).for_each(|l| load[l] = dt * load[l] + momentum[l]);
                }
                // what handles are made of is no part of their tool
                for handle in self.handles.iter().filter(|handle| handle.soft == b) {
                    let at = 3 * bone_block(body.node_count(), handle.bone) as usize;
                    load[at..at + 6].fill([0.0; LANES]);
                }
            }
        }
        self.weigh_objects(objects, inertia);
    }

    /// The same of the moving objects.
    fn weigh_objects(&self, motions: &[f64], inertia: &mut [f64]) {
        let m = 6 * self.handles.len();
        let size = motions.len() / m;
        for (object, state) in self.objects.iter().zip(&self.state.objects) {
            let (Some(mass), Some(index)) = (&object.mass, object.border) else { continue };
            let at = 6 * index as usize;
            let turned = mass.world_inertia(state.pose.rotation);
            for j in 0..m {
                let own = &motions[j * size + at..j * size + at + 6];
                let spin = turned * Vec3::new(own[3], own[4], own[5]);
                for i in 0..m {
                    let other = &motions[i * size + at..i * size + at + 6];
                    let linear: f64 = (0..3).map(|k| own[k] * other[k]).sum();
                    let angular: f64 = (0..3).map(|k| spin[k] * other[3 + k]).sum();
                    inertia[i * m + j] += mass.mass * linear + angular;
                }
            }
        }
    }

    /// Adds what the springs between tissue and bones damp, spring by spring: `J = (… w_n …, −1, [a])` over nodes, bone and its turn.
    fn damp_springs(&self, soft: usize, u: &[Row], damped: &mut [Row]) {
        let (body, state) = (&self.softs[soft], &self.state.softs[soft]);
        let nodes = body.node_count();
        for spring in body.attachments.springs() {
            let arm = skew(state.bones[spring.bone as usize].pose.rotation * spring.local);
            let bone = 3 * bone_block(nodes, spring.bone) as usize;
            let factor = body.attachment_damping * spring.stiffness;
            let carriers = || spring.nodes.iter().zip(spring.weights).filter(|(_, w)| *w != 0.0);
            let mut force = [[0.0; LANES]; 3];
            for (k, force) in force.iter_mut().enumerate() {
                (0..LANES).for_each(|l| force[l] = -u[bone + k][l]);
                for (&node, weight) in carriers() {
                    (0..LANES).for_each(|l| force[l] += weight * u[3 * node as usize + k][l]);
                }
                for c in 0..3 {
                    let lever = arm.col(c)[k];
                    (0..LANES).for_each(|l| force[l] += lever * u[bone + 3 + c][l]);
                }
                (0..LANES).for_each(|l| force[l] *= factor);
            }
            for (k, force) in force.iter().enumerate() {
                for (&node, weight) in carriers() {
                    (0..LANES).for_each(|l| damped[3 * node as usize + k][l] += weight * force[l]);
                }
                (0..LANES).for_each(|l| damped[bone + k][l] -= force[l]);
                for c in 0..3 {
                    let lever = arm.col(c)[k];
                    (0..LANES).for_each(|l| damped[bone + 3 + c][l] += lever * force[l]);
                }
            }
        }
    }

    /// `M u` of a soft body, without its handles.
    fn add_momenta(&self, soft: usize, u: &[Row], momenta: &mut [Row]) {
        let (body, state) = (&self.softs[soft], &self.state.softs[soft]);
        let n = body.node_count();
        let (nodes, places) = (momenta.as_chunks_mut::<3>().0, u.as_chunks::<3>().0);
        for ((momentum, u), mass) in nodes.iter_mut().zip(places).zip(&body.node_mass) {
            for k in 0..3 {
                (0..LANES).for_each(|l| momentum[k][l] = mass * u[k][l]);
            }
        }
        if body.reduced.is_some() {
            return;
        }
        for (b, (mass, bone)) in body.bones.iter().zip(&state.bones).enumerate() {
            if self.handles.iter().any(|h| h.soft == soft && h.bone == b as u32) {
                continue;
            }
            let at = 3 * bone_block(n, b as u32) as usize;
            let inertia = mass.world_inertia(bone.pose.rotation);
            for l in 0..LANES {
                let spin = inertia * Vec3::new(u[at + 3][l], u[at + 4][l], u[at + 5][l]);
                for k in 0..3 {
                    momenta[at + k][l] = mass.mass * u[at + k][l];
                    momenta[at + 3 + k][l] = spin[k];
                }
            }
        }
    }
}

/// Adds `xᵀ y` of two portions of eight to a matrix of `m` rows.
fn add_gram_to(matrix: &mut [f64], m: usize, [row, column]: [usize; 2], x: &[Row], y: &[Row], world: &World) {
    let mut gram = [[0.0; LANES]; LANES];
    add_gram(world.config.kernels, x, y, &mut gram);
    let (row, column) = (LANES * row, LANES * column);
    for (i, products) in gram[..LANES.min(m - row)].iter().enumerate() {
        let to = &mut matrix[(row + i) * m + column..(row + i + 1) * m];
        to.iter_mut().zip(products).for_each(|(to, product)| *to += product);
    }
}
