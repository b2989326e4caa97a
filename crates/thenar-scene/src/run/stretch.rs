//! How far tissue is stretched, squeezed and emptied: measures that no setting of the world changes.

use thenar::hand::HandModel;
use thenar::math::Vec3;
use thenar::world::{Stretch, World};

/// Least and greatest principal stretch of all elements of all soft bodies; the least is negative where one is inside out.
#[must_use]
pub fn extremes(world: &World) -> [f64; 2] {
    let mut extremes = [f64::INFINITY, f64::NEG_INFINITY];
    for (body, state) in world.soft_bodies().iter().zip(&world.state().softs).filter(|(_, state)| state.active) {
        for tet in 0..body.tets.len() {
            let sigma = Stretch::of(&body.tissue.deformation_gradient(tet, &state.nodes)).sigma;
            extremes = [extremes[0].min(sigma[2]), extremes[1].max(sigma[0])];
        }
    }
    extremes
}

/// The tissue around the joints of a hand.
pub struct JointRegion {
    /// Elements, each with what it counts for: its volume at rest.
    elements: Vec<(u32, f64)>,
}

impl JointRegion {
    /// Elements whose middle lies, at rest, within one finger's radius of a joint's centre: the radius is the way from the centre to the
    /// nearest skin.
    #[must_use]
    pub fn of(model: &HandModel) -> JointRegion {
        let mesh = &model.tissue.mesh;
        let joints: Vec<(Vec3, f64)> = (model.skeleton.articulations.iter())
            .map(|joint| {
                let away = model.skin.mesh.positions.iter().map(|p| p.distance(joint.centre));
                (joint.centre, away.fold(f64::INFINITY, f64::min))
            })
            .collect();
        let near = |tet: usize| {
            let middle = mesh.corners(tet).iter().sum::<Vec3>() / 4.0;
            joints.iter().any(|(centre, radius)| middle.distance(*centre) <= *radius)
        };
        let volume = |tet: usize| volume(mesh.corners(tet)) * model.tissue.fill[tet];
        let elements = (0..mesh.tets.len()).filter(|tet| near(*tet)).map(|tet| (tet as u32, volume(tet)));
        JointRegion { elements: elements.collect() }
    }

    /// Its volume by the places of the nodes, over that at rest.
    #[must_use]
    pub fn volume(&self, model: &HandModel, nodes: &[Vec3]) -> f64 {
        let mesh = &model.tissue.mesh;
        let (mut now, mut rest) = (0.0, 0.0);
        for &(tet, own) in &self.elements {
            let corners = mesh.tets[tet as usize].map(|node| nodes[node as usize]);
            now += volume(corners) / volume(mesh.corners(tet as usize)) * own;
            rest += own;
        }
        now / rest
    }

    /// Number of its elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True if no element is near a joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

fn volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}
