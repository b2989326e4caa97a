//! What the shapes weigh in which a tool follows its handles: inertia and damping, for the linear model of the force on them.

use super::World;
use super::linear::LinearScratch;
use crate::constraint::Shapes;
use crate::energy::attachments::bone_block;
use crate::energy::problem::SoftProblem;
use crate::math::{Kernels, Vec3, skew};
use crate::sparse::{LANES, add_gram};

/// Eight shapes side by side, for one scalar row.
type Row = [f64; LANES];

impl World {
    /// Inertia and damping of `m` shapes, without the handles' own: `Uᵀ M U` and `Uᵀ D U`; and the loads `p = (M + h D) U`.
    pub(super) fn weigh_shapes(&self, m: usize, dt: f64, problems: &[SoftProblem], scratch: &mut LinearScratch) {
        let portions = m.div_ceil(LANES);
        let LinearScratch { shapes: Shapes { bodies: shapes, objects, .. }, inertia, damping, loads, .. } = scratch;
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
            let range = first..first + 3 * body.pattern.block_count();
            first = range.end;
            if !state.active {
                continue;
            }
            let places = problems[b].symbolic.positions();
            let of = |portion: usize| portion * whole + range.start..portion * whole + range.end;
            for portion in 0..portions {
                let (u, load) = (&shapes[of(portion)], &mut loads[of(portion)]);
                body.tissue.add_product(&self.work.tissue[b], body.damping, places, u, load);
                if body.reduced.is_none() {
                    self.damp_springs(b, places, u, load);
                }
                for other in 0..portions {
                    add_products(self.config.kernels, damping, [other, portion], &shapes[of(other)], load);
                }
                self.complete_loads(b, dt, places, u, load);
                for other in 0..portions {
                    add_products(self.config.kernels, inertia, [other, portion], &shapes[of(other)], load);
                }
            }
        }
        // so far Uᵀ p, where handles have no part
        for (inertia, damping) in inertia.iter_mut().zip(damping.iter()) {
            *inertia -= dt * damping;
        }
        self.weigh_objects(m, objects, inertia);
        self.clear_handles(problems, whole, loads);
    }

    /// The same of the moving objects.
    fn weigh_objects(&self, m: usize, motions: &[f64], inertia: &mut [f64]) {
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
    fn damp_springs(&self, soft: usize, places: &[u32], u: &[Row], damped: &mut [Row]) {
        let (body, state) = (&self.softs[soft], &self.state.softs[soft]);
        let (u, damped) = (u.as_chunks::<3>().0, damped.as_chunks_mut::<3>().0);
        for spring in body.attachments.springs() {
            let lever = skew(state.bones[spring.bone as usize].pose.rotation * spring.local);
            let half = bone_block(body.node_count(), spring.bone) as usize;
            let [linear, angular] = [places[half] as usize, places[half + 1] as usize];
            let carriers = || spring.nodes.iter().zip(spring.weights).filter(|(_, w)| *w != 0.0);
            let mut force = u[linear].map(|row| row.map(|x| -x));
            for (&node, weight) in carriers() {
                for (force, u) in force.iter_mut().zip(&u[places[node as usize] as usize]) {
                    (0..LANES).for_each(|l| force[l] += weight * u[l]);
                }
            }
            let factor = body.attachment_damping * spring.stiffness;
            for (k, force) in force.iter_mut().enumerate() {
                for (c, turn) in u[angular].iter().enumerate().filter(|(c, _)| *c != k) {
                    let arm = lever.col(c)[k];
                    (0..LANES).for_each(|l| force[l] += arm * turn[l]);
                }
                (0..LANES).for_each(|l| force[l] *= factor);
            }
            for (&node, weight) in carriers() {
                for (damped, force) in damped[places[node as usize] as usize].iter_mut().zip(&force) {
                    (0..LANES).for_each(|l| damped[l] += weight * force[l]);
                }
            }
            for (k, force) in force.iter().enumerate() {
                (0..LANES).for_each(|l| damped[linear][k][l] -= force[l]);
                for (c, damped) in damped[angular].iter_mut().enumerate().filter(|(c, _)| *c != k) {
                    let arm = lever.col(c)[k];
                    (0..LANES).for_each(|l| damped[l] += arm * force[l]);
                }
            }
        }
    }

    /// From `D u` of a soft body to `(M + h D) u`, without what its handles weigh.
    fn complete_loads(&self, soft: usize, dt: f64, places: &[u32], u: &[Row], load: &mut [Row]) {
        let (body, state) = (&self.softs[soft], &self.state.softs[soft]);
        let n = body.node_count();
        let (blocks, loads) = (u.as_chunks::<3>().0, load.as_chunks_mut::<3>().0);
        for (&place, mass) in places.iter().zip(&body.node_mass) {
            for (load, u) in loads[place as usize].iter_mut().zip(&blocks[place as usize]) {
                (0..LANES).for_each(|l| load[l] = dt * load[l] + mass * u[l]);
            }
        }
        for &place in &places[n..] {
            loads[place as usize].as_flattened_mut().iter_mut().for_each(|load| *load *= dt);
        }
        if body.reduced.is_some() {
            return;
        }
        for (b, (mass, bone)) in body.bones.iter().zip(&state.bones).enumerate() {
            if self.handles.iter().any(|h| h.soft == soft && h.bone == b as u32) {
                continue;
            }
            let half = bone_block(n, b as u32) as usize;
            let [linear, angular] = [places[half] as usize, places[half + 1] as usize];
            let inertia = mass.world_inertia(bone.pose.rotation);
            for l in 0..LANES {
                let spin = inertia * Vec3::from_array(blocks[angular].map(|u| u[l]));
                for k in 0..3 {
                    loads[linear][k][l] += mass.mass * blocks[linear][k][l];
                    loads[angular][k][l] += spin[k];
                }
            }
        }
    }

    /// What acts on handles is no load of their tool.
    fn clear_handles(&self, problems: &[SoftProblem], whole: usize, loads: &mut [Row]) {
        for portion in loads.chunks_exact_mut(whole.max(1)) {
            for handle in &self.handles {
                let first: usize = problems[..handle.soft].iter().map(|p| 3 * p.solution.len()).sum();
                let block = bone_block(self.softs[handle.soft].node_count(), handle.bone);
                for half in [block, block + 1] {
                    let at = first + 3 * problems[handle.soft].symbolic.position(half);
                    portion[at..at + 3].fill([0.0; LANES]);
                }
            }
        }
    }
}

/// Adds `xᵀ y` of two portions of eight to a square matrix.
fn add_products(kernels: Kernels, matrix: &mut [f64], [row, column]: [usize; 2], x: &[Row], y: &[Row]) {
    let m = matrix.len().isqrt();
    let mut gram = [[0.0; LANES]; LANES];
    add_gram(kernels, x, y, &mut gram);
    let (row, column) = (LANES * row, LANES * column);
    for (i, products) in gram[..LANES.min(m - row)].iter().enumerate() {
        let to = &mut matrix[(row + i) * m + column..(row + i + 1) * m];
        to.iter_mut().zip(products).for_each(|(to, product)| *to += product);
    }
}
