//! The force of a tool on its handles, linear in the handles' motion: what a haptic loop knows between two steps.

use crate::math::{Pose, Quat, Vec3, rotation_exp, rotation_log};

/// Where a handle is and how it moves, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HandleState {
    /// Of the handle's centre of mass and its axes, metres.
    pub pose: Pose,
    /// Of the centre of mass, metres per second.
    pub velocity: Vec3,
    /// Angular velocity, radians per second.
    pub spin: Vec3,
}

impl HandleState {
    /// Moves on as it moves now, for so many seconds.
    pub fn go_on(&mut self, seconds: f64) {
        self.pose.position += self.velocity * seconds;
        self.pose.rotation = (rotation_exp(self.spin * seconds) * self.pose.rotation).normalize();
    }
}

/// `F(x, v) = F₀ + ∂F/∂x (x − x₀) + ∂F/∂v (v − v₀)` for all handles at once [Garre eq. 5].
///
/// `F` holds for each handle the force (N) and the torque about its centre of mass (N·m) that the tool puts on it at the end of the
/// step; `x − x₀` the translation (m) and the rotation vector (rad); all in world axes, six numbers a handle. Matrices are dense,
/// row by row, with cross terms between handles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandleModel {
    /// Of the simulation, at the end of the step the model stands for, seconds.
    pub time: f64,
    /// The states around which the force is linear.
    pub at: Vec<HandleState>,
    /// `F₀`, N and N·m: 6 per handle.
    pub force: Vec<f64>,
    /// `∂F/∂x`: (6k)², row by row.
    pub stiffness: Vec<f64>,
    /// `∂F/∂v`: (6k)², row by row.
    pub damping: Vec<f64>,
}

impl HandleModel {
    /// A model of `handles` handles that feel nothing; all memory it will need.
    pub fn of(handles: usize) -> Self {
        let n = 6 * handles;
        Self {
            time: 0.0,
            at: vec![HandleState::default(); handles],
            force: vec![0.0; n],
            stiffness: vec![0.0; n * n],
            damping: vec![0.0; n * n],
        }
    }

    /// The wrenches for those states, into `wrench` (6 per handle).
    pub fn predict(&self, states: &[HandleState], wrench: &mut [f64]) {
        let n = self.force.len();
        wrench[..n].copy_from_slice(&self.force);
        for (handle, (now, at)) in states.iter().zip(&self.at).enumerate() {
            let moved = difference(now, at);
            for (column, (x, v)) in moved.iter().enumerate() {
                let column = 6 * handle + column;
                for (row, wrench) in wrench[..n].iter_mut().enumerate() {
                    *wrench += self.stiffness[row * n + column] * x + self.damping[row * n + column] * v;
                }
            }
        }
    }
}

/// Six pairs: how far a state is from another, and how much faster.
fn difference(now: &HandleState, at: &HandleState) -> [(f64, f64); 6] {
    let way = now.pose.position - at.pose.position;
    let turn = rotation_log(turn_between(at.pose.rotation, now.pose.rotation));
    let (faster, spin) = (now.velocity - at.velocity, now.spin - at.spin);
    [(way.x, faster.x), (way.y, faster.y), (way.z, faster.z), (turn.x, spin.x), (turn.y, spin.y), (turn.z, spin.z)]
}

/// In world axes, the short way round.
fn turn_between(from: Quat, to: Quat) -> Quat {
    let turn = to * from.conjugate();
    if turn.w < 0.0 { -turn } else { turn }
}
