//! Exact signed distances of the primitives, with a unit normal at every point.
//!
//! Where the nearest surface point is not unique (centres, axes, medial planes) one of the nearest is chosen by a fixed
//! rule, so that the normal is always a unit vector and the same on every run.

use super::Sample;
use crate::math::Vec3;

/// A sphere around the origin.
pub(super) fn sphere(radius: f64, p: Vec3) -> Sample {
    let (length, normal) = length_and_direction(p, Vec3::Y);
    Sample { distance: length - radius, normal }
}

/// The points within `radius` of a segment of length `2 half_height` along Y.
pub(super) fn capsule(half_height: f64, radius: f64, p: Vec3) -> Sample {
    let on_axis = Vec3::new(0.0, p.y.clamp(-half_height, half_height), 0.0);
    // On the axis between the ends the nearest surface is sideways.
    let (length, normal) = length_and_direction(p - on_axis, Vec3::X);
    Sample { distance: length - radius, normal }
}

/// A box around the origin.
pub(super) fn cuboid(half: Vec3, p: Vec3) -> Sample {
    let beyond = p.abs() - half;
    let outside = beyond.max(Vec3::ZERO);
    let squared = outside.length_squared();
    if squared > 0.0 {
        let distance = squared.sqrt();
        if distance > 0.0 {
            return Sample { distance, normal: with_sign_of(outside / distance, p).normalize() };
        }
    }
    let (distance, normal) = if beyond.x >= beyond.y && beyond.x >= beyond.z {
        (beyond.x, Vec3::X)
    } else if beyond.y >= beyond.z {
        (beyond.y, Vec3::Y)
    } else {
        (beyond.z, Vec3::Z)
    };
    Sample { distance, normal: with_sign_of(normal, p) }
}

/// A cylinder along Y around the origin: a rectangle in the plane of radius and height.
pub(super) fn cylinder(half_height: f64, radius: f64, p: Vec3) -> Sample {
    let (from_axis, radial) = length_and_direction(Vec3::new(p.x, 0.0, p.z), Vec3::X);
    let axial = Vec3::new(0.0, if p.y < 0.0 { -1.0 } else { 1.0 }, 0.0);
    let (side, cap) = (from_axis - radius, p.y.abs() - half_height);
    let (out_side, out_cap) = (side.max(0.0), cap.max(0.0));
    let distance = (out_side * out_side + out_cap * out_cap).sqrt();
    if distance > 0.0 {
        let normal = (radial * (out_side / distance) + axial * (out_cap / distance)).normalize();
        return Sample { distance, normal };
    }
    if side >= cap { Sample { distance: side, normal: radial } } else { Sample { distance: cap, normal: axial } }
}

/// The half-space below y = 0.
pub(super) fn plane(p: Vec3) -> Sample {
    Sample { distance: p.y, normal: Vec3::Y }
}

/// Length and unit direction; `fallback` where the vector is too short to have one.
fn length_and_direction(v: Vec3, fallback: Vec3) -> (f64, Vec3) {
    let length = v.length();
    // Below this the square of a component underflows and the quotient is no longer a unit vector.
    if length > 1e-150 { (length, v / length) } else { (length, fallback) }
}

/// `magnitude` with the signs of `p`; zero counts as positive.
fn with_sign_of(magnitude: Vec3, p: Vec3) -> Vec3 {
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    Vec3::new(magnitude.x * sign(p.x), magnitude.y * sign(p.y), magnitude.z * sign(p.z))
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    fn shapes() -> Vec<(&'static str, Shape)> {
        vec![
            ("sphere", Shape::Sphere { radius: 0.03 }),
            ("box", Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) }),
            ("cube", Shape::Box { half: Vec3::splat(0.03) }),
            ("capsule", Shape::Capsule { half_height: 0.04, radius: 0.01 }),
            ("cylinder", Shape::Cylinder { half_height: 0.04, radius: 0.02 }),
            ("flat cylinder", Shape::Cylinder { half_height: 0.005, radius: 0.03 }),
            ("plane", Shape::Plane),
        ]
    }

    /// A fixed sequence of points in a cube of half width 0.1.
    fn points(count: usize) -> impl Iterator<Item = Vec3> {
        (1..=count).map(|i| {
            let fraction = |step: f64| (i as f64 * step).fract() - 0.5;
            0.2 * Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779))
        })
    }

    #[test]
    fn normals_are_the_gradient_of_the_distance() {
        let h = 1e-7;
        for (name, shape) in shapes() {
            let mut smooth = 0;
            for p in points(4000) {
                let sample = shape.sample(p);
                assert!((sample.normal.length() - 1.0).abs() < 1e-14, "{name} at {p}");
                let slope = |e: Vec3| (shape.distance(p + e * h) - shape.distance(p - e * h)) / (2.0 * h);
                let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                // On the medial axis, where two sides are equally near, the distance has a kink and no gradient.
                if (gradient.length() - 1.0).abs() < 1e-6 {
                    smooth += 1;
                    assert!((gradient - sample.normal).length() < 1e-5, "{name} at {p}: {gradient} {}", sample.normal);
                }
            }
            assert!(smooth > 3980, "{name}: only {smooth} of 4000 points are smooth");
        }
    }

    #[test]
    fn stepping_along_the_normal_lands_on_the_surface() {
        // Exactness: the point that far along the normal is at distance zero, from inside as from outside.
        for (name, shape) in shapes() {
            for p in points(4000) {
                let sample = shape.sample(p);
                let landed = shape.distance(p - sample.normal * sample.distance);
                assert!(landed.abs() < 1e-15, "{name} at {p}: {landed}");
            }
        }
    }

    #[test]
    fn distance_is_never_longer_than_to_any_surface_point() {
        // Surface points come from projection; none of them may be nearer than the distance claims.
        for (name, shape) in shapes() {
            let surface: Vec<Vec3> = points(600)
                .map(|p| {
                    let s = shape.sample(p);
                    p - s.normal * s.distance
                })
                .collect();
            for p in points(300) {
                let claimed = shape.distance(p).abs();
                let nearest = surface.iter().map(|q| q.distance(p)).fold(f64::INFINITY, f64::min);
                assert!(nearest >= claimed - 1e-14, "{name} at {p}: claims {claimed}, {nearest} found");
            }
        }
    }

    #[test]
    fn centres_axes_edges_and_corners_have_unit_normals() {
        let values = [0.0, -0.0, 5e-324, -1e-200, 1e-160, 0.005, 0.02, -0.03, 0.04, 0.05, 1.0, 1e6];
        for (name, shape) in shapes() {
            for x in values {
                for y in values {
                    for z in values {
                        let sample = shape.sample(Vec3::new(x, y, z));
                        assert!(sample.distance.is_finite(), "{name} at {x} {y} {z}");
                        assert!((sample.normal.length() - 1.0).abs() < 1e-12, "{name} at {x} {y} {z}: {sample:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn known_distances() {
        let cube = Shape::Box { half: Vec3::splat(1.0) };
        assert_eq!(cube.distance(Vec3::splat(2.0)), 3.0_f64.sqrt());
        assert_eq!(cube.distance(Vec3::new(0.0, 0.75, 0.1)), -0.25);
        let can = Shape::Cylinder { half_height: 1.0, radius: 1.0 };
        assert_eq!(can.distance(Vec3::new(0.0, 2.0, 4.0)), 10.0_f64.sqrt());
        assert_eq!(can.distance(Vec3::ZERO), -1.0);
        let pill = Shape::Capsule { half_height: 1.0, radius: 0.5 };
        assert_eq!(pill.sample(Vec3::new(0.0, 3.0, 0.0)), Sample { distance: 1.5, normal: Vec3::Y });
    }
}
