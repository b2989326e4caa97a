//! A closed surface with fewer triangles.

use super::contraction::{contracted, nearest_seeds};
use super::{TriMesh, spread};

/// Halvings of the range of distances between vertices, on a logarithmic scale: from all of them to a few, told apart by a millionth.
const HALVINGS: usize = 24;
/// How far the number of triangles may be from what was asked for.
const TOLERANCE: f64 = 0.15;

/// A closed surface of about `triangles` triangles through vertices of a finer one: evenly spread, corners and edges first, each joined to
/// those whose regions on the fine surface touch its own (the dual of their Voronoi cells). The fine surface should have several times as
/// many.
///
/// The surface itself if it has no more than that; `None` if no surface within 15 % of that number is closed, of the same topology and free of
/// crossings.
///
/// ```
/// use thenar::geometry::coarse_surface;
/// use thenar::geometry::distance::Shape;
/// use thenar::math::Vec3;
///
/// let fine = Shape::Box { half: Vec3::splat(0.01) }.tessellate(0.0005).unwrap();
/// let coarse = coarse_surface(&fine, 300).unwrap();
/// assert!(coarse.check_solid().is_ok());
/// assert!((255..=345).contains(&coarse.triangles.len()));
/// ```
#[must_use]
pub fn coarse_surface(fine: &TriMesh, triangles: usize) -> Option<TriMesh> {
    if fine.triangles.len() <= triangles {
        return Some(fine.clone());
    }
    let euler = fine.euler_characteristic();
    // Euler: V − E + F = χ, with 3 F = 2 E on a closed surface of triangles
    let wanted = triangles as f64 / 2.0 + euler as f64;
    let (normals, areas) = (fine.vertex_normals(), fine.vertex_areas());
    let [low, high] = fine.bounds();
    let mut range = [1e-6 * low.distance(high), low.distance(high)];
    let mut tries: Vec<Vec<u32>> = Vec::with_capacity(HALVINGS);
    for _ in 0..HALVINGS {
        let apart = (range[0] * range[1]).sqrt();
        let seeds = spread(fine, &normals, &areas, &vec![apart; normals.len()], apart);
        range[usize::from(seeds.len() as f64 <= wanted)] = apart;
        tries.push(seeds);
    }
    // where the nearest number folds a thin part over, the next one seldom does
    let off = |seeds: &Vec<u32>| (seeds.len() as f64 - wanted).abs();
    tries.sort_by(|a, b| off(a).total_cmp(&off(b)));
    tries.dedup();
    let joined = |seeds: Vec<u32>| TriMesh {
        triangles: contracted(fine, &nearest_seeds(fine, &seeds)),
        positions: seeds.iter().map(|&v| fine.positions[v as usize]).collect(),
    };
    let is_near = |seeds: &Vec<u32>| off(seeds) <= TOLERANCE * triangles as f64 / 2.0;
    let is_good = |mesh: &TriMesh| mesh.check_solid().is_ok() && mesh.euler_characteristic() == euler;
    tries.into_iter().filter(is_near).map(joined).find(is_good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::SurfaceDistance;
    use crate::geometry::distance::Shape;
    use crate::math::Vec3;

    #[test]
    fn coarser_surfaces_stay_closed_and_near_the_finer_one() {
        let shapes = [
            Shape::Sphere { radius: 0.02 },
            Shape::Capsule { half_height: 0.03, radius: 0.01 },
            Shape::Cylinder { half_height: 0.02, radius: 0.015 },
            Shape::Box { half: Vec3::new(0.007, 0.025, 0.007) },
        ];
        for shape in shapes {
            let fine = shape.tessellate(0.001).unwrap();
            for triangles in [175, 500] {
                let coarse = coarse_surface(&fine, triangles).unwrap();
                let found = coarse.triangles.len();
                assert_eq!(coarse.check_solid(), Ok(()), "{shape:?}");
                assert!(found.abs_diff(triangles) * 100 <= 15 * triangles, "{shape:?}: {found} of {triangles}");
                // even triangles with edges e lie e²/16 below a surface for each of its curvatures, with e² in proportion to 1/n: 6 % of the
                // sphere and 11 % of the capsule for 175; a third more for triangles that are not even
                let lost = 1.0 - coarse.volume() / fine.volume();
                let most = 0.15 * 175.0 / triangles as f64;
                assert!(lost > -1e-9 && lost < most, "{shape:?}, {triangles} triangles: lost {lost} of its volume");
                let distance = SurfaceDistance::new(&fine);
                let off = coarse.positions.iter().map(|p| distance.distance(*p).abs()).fold(0.0, f64::max);
                assert!(off < 1e-9, "{shape:?}: {off} m beside the fine surface");
            }
        }
    }

    #[test]
    fn corners_of_a_box_are_kept() {
        let half = Vec3::new(0.007, 0.025, 0.007);
        let coarse = coarse_surface(&Shape::Box { half }.tessellate(0.001).unwrap(), 175).unwrap();
        let corners = coarse.positions.iter().filter(|p| (p.abs() - half).length() < 1e-9).count();
        assert_eq!(corners, 8);
    }

    #[test]
    fn what_is_coarse_enough_stays_as_it_is_and_what_cannot_be_made_is_not() {
        let fine = Shape::Sphere { radius: 0.02 }.tessellate(0.004).unwrap();
        assert_eq!(coarse_surface(&fine, fine.triangles.len()), Some(fine.clone()));
        assert_eq!(coarse_surface(&fine, 2), None);
    }
}
