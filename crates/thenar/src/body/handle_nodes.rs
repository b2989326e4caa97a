//! Handles of soft bodies: a rigid part made of the nodes in a sphere, which springs hold on them [Garre §4].

use crate::energy::attachments::AttachmentSpring;
use crate::energy::inertia::RigidMass;
use crate::math::{Mat3, Vec3, skew};

/// Share of a node's mass that its handle takes over: both have to have some, and together they weigh what they did. (The paper gives the
/// handle as much as the nodes keep, so that the tool grows heavier.)
const TAKEN: f64 = 0.5;

/// The nodes that a handle holds.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleNodes {
    /// Which.
    pub nodes: Vec<u32>,
    /// The bone that it takes the place of; `None` for one of its own.
    pub bone: Option<u32>,
    /// Stiffness of all springs together, N/m; each has its part by the mass of its node.
    pub stiffness: f64,
}

/// The rigid part.
pub(super) struct Grip {
    pub centre: Vec3,
    pub mass: RigidMass,
    total: f64,
}

/// Nodes of the handle of a hand [Garre §6], or half of those there are.
const HAND_NODES: usize = 100;

impl HandleNodes {
    /// The nodes nearest to the middle of a hand's palm: a sphere around it.
    pub(super) fn of_palm(positions: &[Vec3], middle: Vec3, stiffness: f64) -> HandleNodes {
        let mut nodes: Vec<u32> = (0..positions.len() as u32).collect();
        let away = |n: &u32| positions[*n as usize].distance_squared(middle);
        nodes.sort_by(|a, b| away(a).total_cmp(&away(b)).then(a.cmp(b)));
        nodes.truncate(HAND_NODES.min(positions.len() / 2));
        nodes.sort_unstable();
        HandleNodes { nodes, bone: Some(0), stiffness }
    }

    /// Mass, inertia and centre of mass from the lumped masses of the nodes.
    pub(super) fn grip(&self, positions: &[Vec3], node_mass: &[f64]) -> Grip {
        let each = || self.nodes.iter().map(|&n| (positions[n as usize], node_mass[n as usize]));
        let total: f64 = each().map(|(_, m)| m).sum();
        let centre = each().map(|(x, m)| x * m).sum::<Vec3>() / total;
        let inertia = each().fold(Mat3::ZERO, |sum, (x, m)| {
            let arm = skew(x - centre);
            sum + arm.transpose() * arm * (TAKEN * m)
        });
        Grip { centre, mass: RigidMass { mass: TAKEN * total, inertia }, total }
    }
}

impl Grip {
    /// One spring of no length for each node.
    pub fn springs(
        &self,
        handle: &HandleNodes,
        positions: &[Vec3],
        node_mass: &[f64],
        bone: u32,
    ) -> Vec<AttachmentSpring> {
        let spring = |&node: &u32| AttachmentSpring {
            nodes: [node; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            bone,
            local: positions[node as usize] - self.centre,
            stiffness: handle.stiffness * node_mass[node as usize] / self.total,
        };
        handle.nodes.iter().map(spring).collect()
    }

    /// Takes its mass from the nodes.
    pub fn share_mass(&self, handle: &HandleNodes, node_mass: &mut [f64]) {
        handle.nodes.iter().for_each(|&n| node_mass[n as usize] *= 1.0 - TAKEN);
    }
}
