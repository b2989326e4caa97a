//! A hand that feels contact at fewer vertices.

use std::sync::Arc;
use thenar::hand::HandModel;

/// The hand with contact vertices that keep `spacing` metres from each other; each takes over the area around it.
pub fn sparser(hand: &HandModel, spacing: f64) -> Arc<HandModel> {
    let place = |v: u32| hand.skin.mesh.positions[v as usize];
    let patch = |v: u32| hand.skin.patches[v as usize];
    let mut chosen: Vec<u32> = Vec::new();
    for &v in &hand.contact_vertices {
        if chosen.iter().all(|&c| place(c).distance_squared(place(v)) >= spacing * spacing) {
            chosen.push(v);
        }
    }
    let mut areas = vec![0.0; chosen.len()];
    for (&v, area) in hand.contact_vertices.iter().zip(&hand.contact_areas) {
        // On the same phalanx if possible: no area jumps to the next finger.
        let distance = |c: u32| (patch(c) != patch(v), place(c).distance_squared(place(v)));
        let nearest = (0..chosen.len()).min_by(|&a, &b| {
            let (a, b) = (distance(chosen[a]), distance(chosen[b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        if let Some(nearest) = nearest {
            areas[nearest] += area;
        }
    }
    Arc::new(HandModel { contact_vertices: chosen, contact_areas: areas, ..hand.clone() })
}
