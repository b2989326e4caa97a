//! A world of a few springs: a rigid tool on a handle by a soft coupling, a wall at height zero, perhaps a soft body on it.
//!
//! Its step is backward Euler with contacts judged until they agree, as the engine's, small enough to be written down here; its linear model
//! is exact.

use super::TrialWorld;
use thenar::haptics::{DeviceCoupling, HandleBody, HandleState, ProxyModel};
use thenar::math::{Mat3, Pose, Vec3, rotation_exp, rotation_log};

/// Of the bench.
#[derive(Clone, Debug)]
pub struct BenchParams {
    /// The rigid handle.
    pub handle: HandleBody,
    /// What the handle moves.
    pub tool: HandleBody,
    /// Between the two, N/m, N·s/m; turns at a lever of 3 cm.
    pub flesh: (f64, f64),
    /// Of the wall and its contacts, N/m and N·s/m.
    pub wall: (f64, f64),
    /// Points of the tool that touch, in its axes.
    pub points: Vec<Vec3>,
    /// A soft body on which the points press instead of the wall: kg, N/m, N·s/m.
    pub soft: Option<(f64, f64, f64)>,
    /// Coupling of the handle to the device.
    pub coupling: DeviceCoupling,
}

impl Default for BenchParams {
    /// A finger's flesh on 100 g, against something harder than any device can be.
    fn default() -> Self {
        let turn = |mass: f64| Mat3::from_diagonal(Vec3::splat(mass * 0.02 * 0.02));
        Self {
            handle: HandleBody { mass: 0.05, inertia: turn(0.05) },
            tool: HandleBody { mass: 0.1, inertia: turn(0.1) },
            flesh: (8000.0, 20.0),
            wall: (50_000.0, 50.0),
            points: vec![Vec3::ZERO],
            soft: None,
            coupling: DeviceCoupling::default(),
        }
    }
}

/// Lever at which springs of turns are as stiff as those of ways, m.
const LEVER: f64 = 0.03;
/// Rounds in which contacts agree.
const ROUNDS: usize = 12;
/// A step so many times longer is one in which nothing has inertia.
const SLOW: f64 = 100.0;
/// Handle, tool, soft body.
const N: usize = 13;

/// Handle, tool and soft body, and what touches.
#[derive(Clone, Debug)]
pub struct Bench {
    params: BenchParams,
    handle: HandleState,
    tool: HandleState,
    /// Height of the soft body's top and its speed.
    top: (f64, f64),
    touching: Vec<bool>,
    time: f64,
}

impl Bench {
    /// At rest with the handle at `start`.
    #[must_use]
    pub fn new(params: BenchParams, start: Pose) -> Self {
        let state = HandleState { pose: start, ..HandleState::default() };
        let touching = vec![false; params.points.len()];
        Self { params, handle: state, tool: state, top: (0.0, 0.0), touching, time: 0.0 }
    }

    /// The handle.
    #[must_use]
    pub fn handle(&self) -> &HandleState {
        &self.handle
    }

    fn flesh(&self) -> ([f64; 6], [f64; 6]) {
        let (k, b) = self.params.flesh;
        let square = LEVER * LEVER;
        ([k, k, k, k * square, k * square, k * square], [b, b, b, b * square, b * square, b * square])
    }

    /// Row over tool and soft body of how fast a point leaves, and its gap now.
    fn row(&self, point: usize) -> ([f64; 7], f64) {
        let lever = self.tool.pose.rotation * self.params.points[point];
        let turn = lever.cross(Vec3::Y);
        let soft = self.params.soft.is_some();
        let gap = self.tool.pose.position.y + lever.y - if soft { self.top.0 } else { 0.0 };
        ([0.0, 1.0, 0.0, turn.x, turn.y, turn.z, if soft { -1.0 } else { 0.0 }], gap)
    }

    /// Matrix and right-hand side of the motion of tool and soft body where the handle is at rest, contacts included.
    fn tool_system(&self, dt: f64) -> ([[f64; 7]; 7], [f64; 7]) {
        let mut a = [[0.0; 7]; 7];
        let mut b = [0.0; 7];
        let turn = Mat3::from_quat(self.tool.pose.rotation);
        let inertia = turn * self.params.tool.inertia * turn.transpose();
        let spin = inertia * self.tool.spin;
        let (stiffness, damping) = self.flesh();
        for axis in 0..3 {
            a[axis][axis] = self.params.tool.mass;
            b[axis] = self.params.tool.mass * self.tool.velocity[axis];
            b[3 + axis] = spin[axis];
            for other in 0..3 {
                a[3 + axis][3 + other] = inertia.col(other)[axis];
            }
        }
        for axis in 0..6 {
            a[axis][axis] += dt * damping[axis] + dt * dt * stiffness[axis];
        }
        a[6][6] = 1.0;
        if let Some((mass, stiffness, damping)) = self.params.soft {
            a[6][6] = mass + dt * damping + dt * dt * stiffness;
            b[6] = mass * self.top.1 - dt * stiffness * self.top.0;
        }
        let (stiffness, damping) = self.params.wall;
        for point in (0..self.touching.len()).filter(|point| self.touching[*point]) {
            let (row, gap) = self.row(point);
            for i in 0..7 {
                b[i] -= dt * stiffness * gap * row[i];
                for j in 0..7 {
                    a[i][j] += (dt * damping + dt * dt * stiffness) * row[i] * row[j];
                }
            }
        }
        (a, b)
    }

    /// How far the tool is from the handle now: way and turn.
    fn apart(&self) -> [f64; 6] {
        let way = self.tool.pose.position - self.handle.pose.position;
        let turn = rotation_log(self.tool.pose.rotation * self.handle.pose.rotation.conjugate());
        [way.x, way.y, way.z, turn.x, turn.y, turn.z]
    }

    /// Velocities at the end of the step with the contacts as they are.
    fn solve(&self, target: &HandleState, dt: f64) -> [f64; N] {
        let mut a = [[0.0; N]; N];
        let mut b = [0.0; N];
        let (tool, right) = self.tool_system(dt);
        for i in 0..7 {
            b[6 + i] = right[i];
            a[6 + i][6..].copy_from_slice(&tool[i]);
        }
        let (stiffness, damping) = self.flesh();
        let apart = self.apart();
        let turn = Mat3::from_quat(self.handle.pose.rotation);
        let inertia = turn * self.params.handle.inertia * turn.transpose();
        let spin = inertia * self.handle.spin;
        let c = &self.params.coupling;
        let way = target.pose.position - self.handle.pose.position;
        let twist = rotation_log(target.pose.rotation * self.handle.pose.rotation.conjugate());
        for axis in 0..3 {
            a[axis][axis] = self.params.handle.mass + dt * c.damping + dt * dt * c.stiffness;
            a[3 + axis][3 + axis] = dt * c.turn_damping + dt * dt * c.turn_stiffness;
            for other in 0..3 {
                a[3 + axis][3 + other] += inertia.col(other)[axis];
            }
            let (mass, v) = (self.params.handle.mass, self.handle.velocity[axis]);
            b[axis] = mass * v + dt * (c.stiffness * way[axis] + c.damping * target.velocity[axis]);
            b[3 + axis] = spin[axis] + dt * (c.turn_stiffness * twist[axis] + c.turn_damping * target.spin[axis]);
        }
        for axis in 0..6 {
            let both = dt * damping[axis] + dt * dt * stiffness[axis];
            a[axis][axis] += both;
            a[axis][6 + axis] -= both;
            a[6 + axis][axis] -= both;
            b[axis] += dt * stiffness[axis] * apart[axis];
            b[6 + axis] -= dt * stiffness[axis] * apart[axis];
        }
        solve(&mut a, &mut b);
        b
    }

    /// Contacts that pull are let go, those that sink in are held; true if nothing changed.
    fn judge(&mut self, velocity: &[f64; N], dt: f64) -> bool {
        let (stiffness, damping) = self.params.wall;
        let mut agreed = true;
        for point in 0..self.touching.len() {
            let (row, gap) = self.row(point);
            let speed: f64 = row.iter().zip(&velocity[6..]).map(|(r, v)| r * v).sum();
            let push = -stiffness * (gap + dt * speed) - damping * speed;
            let holds = if self.touching[point] { push > 0.0 } else { gap + dt * speed < 0.0 };
            agreed &= holds == self.touching[point];
            self.touching[point] = holds;
        }
        agreed
    }

    /// Force, its derivative by the handle's place at rest, and what is left of that by its acceleration.
    fn write_model(&self, before: &HandleState, dt: f64, prepared: &mut ProxyModel) {
        let (stiffness, damping) = self.flesh();
        let apart = self.apart();
        let model = &mut prepared.model;
        model.time = self.time;
        model.at[0] = self.handle;
        let slower = [self.tool.velocity - self.handle.velocity, self.tool.spin - self.handle.spin];
        let faster = [(self.handle.velocity - before.velocity) / dt, (self.handle.spin - before.spin) / dt];
        for axis in 0..6 {
            model.force[axis] = stiffness[axis] * apart[axis] + damping[axis] * slower[axis / 3][axis % 3];
            prepared.acceleration[axis] = faster[axis / 3][axis % 3];
        }
        self.resistance(dt, &mut prepared.inertia);
        self.resistance(SLOW * dt, &mut model.stiffness);
        for (inertia, stiffness) in prepared.inertia.iter_mut().zip(&model.stiffness) {
            *inertia = (stiffness - *inertia) * dt * dt;
        }
    }

    /// How much the force changes with the handle's place at the end of a step of `dt`, the handle moving there within the step.
    fn resistance(&self, dt: f64, matrix: &mut [f64]) {
        let (stiffness, damping) = self.flesh();
        let (a, _) = self.tool_system(dt);
        for column in 0..6 {
            let spring = stiffness[column] + damping[column] / dt;
            let (mut a, mut right) = (a, [0.0; 7]);
            right[column] = dt * spring;
            solve(&mut a, &mut right);
            for row in 0..6 {
                let own = if row == column { -spring } else { 0.0 };
                matrix[row * 6 + column] = own + (dt * stiffness[row] + damping[row]) * right[row];
            }
        }
    }
}

impl TrialWorld for Bench {
    fn body(&self) -> HandleBody {
        self.params.handle
    }

    fn coupling(&self) -> DeviceCoupling {
        self.params.coupling
    }

    fn handle(&self) -> HandleState {
        self.handle
    }

    fn step(&mut self, target: &HandleState, dt: f64, model: &mut ProxyModel) -> bool {
        let before = self.handle;
        let mut velocity = self.solve(target, dt);
        for _ in 0..ROUNDS {
            if self.judge(&velocity, dt) {
                break;
            }
            velocity = self.solve(target, dt);
        }
        for (state, v) in [&mut self.handle, &mut self.tool].into_iter().zip(velocity.chunks_exact(6)) {
            (state.velocity, state.spin) = (Vec3::from_slice(&v[..3]), Vec3::from_slice(&v[3..]));
            state.pose.position += dt * state.velocity;
            state.pose.rotation = (rotation_exp(dt * state.spin) * state.pose.rotation).normalize();
        }
        if self.params.soft.is_some() {
            self.top = (self.top.0 + dt * velocity[12], velocity[12]);
        }
        self.time += dt;
        self.write_model(&before, dt, model);
        true
    }
}

/// Gaussian elimination with pivots.
fn solve<const M: usize>(a: &mut [[f64; M]; M], b: &mut [f64; M]) {
    for k in 0..M {
        let pivot = (k..M).fold(k, |best, row| if a[row][k].abs() > a[best][k].abs() { row } else { best });
        a.swap(k, pivot);
        b.swap(k, pivot);
        for row in k + 1..M {
            let factor = a[row][k] / a[k][k];
            if factor != 0.0 {
                for column in k..M {
                    a[row][column] -= factor * a[k][column];
                }
                b[row] -= factor * b[k];
            }
        }
    }
    for k in (0..M).rev() {
        let sum: f64 = (k + 1..M).map(|column| a[k][column] * b[column]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
}
