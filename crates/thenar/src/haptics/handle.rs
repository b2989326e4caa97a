//! Handles: rigid parts of a tool that a device moves [Garre §3.1].

use crate::math::Vec3;

/// A handle of a world. Ids count from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandleId(pub u32);

/// The spring and damper by which a handle follows its target; the target feels nothing of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandleCoupling {
    /// N/m.
    pub linear: f64,
    /// N·s/m.
    pub linear_damping: f64,
    /// N·m/rad.
    pub angular: f64,
    /// N·m·s/rad.
    pub angular_damping: f64,
    /// Largest force of the spring, N.
    pub force_cap: f64,
    /// Largest torque of the spring, N·m.
    pub torque_cap: f64,
}

impl Default for HandleCoupling {
    /// As firm as the palm follows its tracker, and damped as a hand of 0.4 kg must be not to swing.
    fn default() -> Self {
        HandleCoupling {
            linear: 1.2e4,
            linear_damping: 60.0,
            angular: 60.0,
            angular_damping: 0.3,
            force_cap: 80.0,
            torque_cap: 6.0,
        }
    }
}

/// A handle of a soft object: the nodes inside a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandleDef {
    /// Middle of the sphere, metres, where the mesh is at rest.
    pub seed: Vec3,
    /// Radius of the sphere, metres.
    pub radius: f64,
    /// Stiffness of all springs between handle and nodes together, N/m.
    pub stiffness: f64,
    /// How it follows its target.
    pub coupling: HandleCoupling,
}

impl HandleDef {
    /// A handle with springs as stiff as those of a bone, and the usual coupling.
    #[must_use]
    pub fn new(seed: Vec3, radius: f64) -> Self {
        HandleDef { seed, radius, stiffness: 3.0e4, coupling: HandleCoupling::default() }
    }

    /// The nodes inside.
    #[must_use]
    pub fn nodes(&self, positions: &[Vec3]) -> Vec<u32> {
        let inside = |x: &Vec3| x.distance_squared(self.seed) <= self.radius * self.radius;
        positions.iter().enumerate().filter(|(_, x)| inside(x)).map(|(i, _)| i as u32).collect()
    }
}
