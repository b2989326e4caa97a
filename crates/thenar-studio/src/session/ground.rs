//! What things and hands stand on and how far hands may go, as the scene has it.

use thenar::geometry::distance::Shape;
use thenar::math::{Pose, Vec3};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

use crate::wire::Support;

/// Half the side of the square that stands for a plane, metres.
const PLANE: f64 = 2.0;
/// How far hands may go beyond everything that there is, metres: about an arm's way.
const BEYOND: f64 = 0.35;
/// How far below everything that stands on something a thing has fallen, metres.
const FALLEN: f64 = 0.25;

/// The tops of what is fixed, part by part: boxes whose faces are level are given as they are, others by the box around them.
pub fn supports(simulation: &Simulation) -> Vec<Support> {
    let mut supports = Vec::new();
    let world = simulation.world();
    for (id, model) in simulation.objects().iter().zip(world.objects()) {
        if model.mass.is_none() {
            add_supports(&model.shape, world.object(*id).pose, &mut supports);
        }
    }
    supports
}

fn add_supports(shape: &Shape, pose: Pose, supports: &mut Vec<Support>) {
    match shape {
        Shape::Compound(parts) => {
            parts.iter().for_each(|part| add_supports(&part.shape, pose * part.pose, supports));
        }
        Shape::Plane => {
            let at = pose.position;
            supports.push(Support { x: [-PLANE, PLANE], z: [-PLANE, PLANE], top: at.y, bottom: at.y });
        }
        _ => {
            let bounds = shape.bounds().placed(&pose);
            let (min, max) = (bounds.min, bounds.max);
            supports.push(Support { x: [min.x, max.x], z: [min.z, max.z], top: max.y, bottom: min.y });
        }
    }
}

/// The box in which palms may be asked to be: all that hands and things of the scene reach, and some more.
pub fn limits(scene: &Scene, simulation: &Simulation) -> [[f64; 3]; 2] {
    let mut places: Vec<Vec3> = Vec::new();
    for hand in &scene.hands {
        let palms = hand.keys.iter().filter_map(|key| key.palm.as_ref()?.position);
        places.extend(palms.map(Vec3::from_array));
    }
    let world = simulation.world();
    for (model, spec) in world.objects().iter().zip(&scene.objects) {
        let bounds = model.shape.bounds().placed(&spec.pose());
        if bounds.size().max_element() < PLANE {
            places.extend([bounds.min, bounds.max]);
        }
    }
    places.extend(simulation.softs().iter().flat_map(|soft| soft.rest.iter().copied()));
    if places.is_empty() {
        places.push(Vec3::ZERO);
    }
    let low = places.iter().fold(Vec3::INFINITY, |low, p| low.min(*p)) - Vec3::splat(BEYOND);
    let high = places.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p)) + Vec3::splat(BEYOND);
    [low.to_array(), high.to_array()]
}

/// Below this height a thing is lost: well below the lowest top, or below where things start in a scene without any.
pub fn depth(scene: &Scene, supports: &[Support]) -> f64 {
    let tops = supports.iter().map(|support| support.top);
    let starts = scene.objects.iter().filter(|object| !object.fixed).map(|object| object.position[1]);
    let lowest = tops.chain(starts).fold(f64::INFINITY, f64::min);
    if lowest.is_finite() { lowest - FALLEN } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, OnceLock};
    use thenar::hand::{HandModel, HandOptions, Side, SkinDetail, TissueOptions};
    use thenar_scene::assets::Assets;
    use thenar_scene::library;

    fn simulation(scene: &Scene) -> Simulation {
        static RIGHT: OnceLock<Arc<HandModel>> = OnceLock::new();
        let tissue = TissueOptions { tets: 400, ..TissueOptions::default() };
        let options = HandOptions { detail: SkinDetail::Coarse, tissue, ..HandOptions::default() };
        let right = RIGHT.get_or_init(|| Arc::new(HandModel::build(&options).unwrap()));
        let model = |side| if side == Side::Right { Arc::clone(right) } else { Arc::new(right.mirrored()) };
        Simulation::new(scene, &model, &mut Assets::only(Default::default(), 1, &|_, _| {})).unwrap()
    }

    /// The widest support is what the page takes for the table.
    fn table(scene: &str) -> Option<Support> {
        let scene = library::scene(scene).unwrap();
        let area = |s: &Support| (s.x[1] - s.x[0]) * (s.z[1] - s.z[0]);
        supports(&simulation(&scene)).into_iter().max_by(|a, b| area(a).total_cmp(&area(b)))
    }

    #[test]
    fn a_box_with_a_partition_stands_on_its_bottom() {
        assert_eq!(table("blocks").map(|table| (table.top, table.bottom)), Some((0.0, -0.02)));
        assert_eq!(table("ball").map(|table| (table.top, table.bottom)), Some((0.0, -0.04)));
    }

    #[test]
    fn scenes_without_anything_fixed_have_no_floor() {
        for scene in ["ycb-set", "drawer", "door"] {
            assert_eq!(table(scene), None, "{scene}");
        }
    }

    #[test]
    fn every_hand_starts_within_its_limits_and_no_thing_starts_as_lost() {
        for (name, _) in library::scenes() {
            let scene = library::scene(name).unwrap();
            let simulation = simulation(&scene);
            let [low, high] = limits(&scene, &simulation);
            for hand in &scene.hands {
                for palm in hand.keys.iter().filter_map(|key| key.palm.as_ref()?.position) {
                    let inside = (0..3).all(|k| palm[k] > low[k] && palm[k] < high[k]);
                    assert!(inside, "{name}: {palm:?} in {low:?} {high:?}");
                }
            }
            let depth = depth(&scene, &supports(&simulation));
            for object in scene.objects.iter().filter(|object| !object.fixed) {
                assert!(object.position[1] > depth, "{name}: {}", object.name);
            }
        }
    }
}
