//! Points spread over the surface of a solid, by which rigid objects feel tables and one another.

use core::f64::consts::{PI, TAU};

use super::tessellate::{box_lattice, segments};
use super::{Part, Shape, mesh_surface_points};
use crate::math::Vec3;

/// One of the points that stand for a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// On the surface, in the solid's frame, metres.
    pub position: Vec3,
    /// Unit outward normal; at an edge or corner the mean of the sides.
    pub normal: Vec3,
    /// Area the point stands for, m²; the areas sum to that of the surface.
    pub area: f64,
}

/// More points than this are never made; the spacing is widened instead.
pub const MOST_SURFACE_POINTS: usize = 20_000;

/// Points about `spacing` metres apart over a shape. Corners and edges of boxes and the rims of cylinders are among
/// them, so that an object rests on its true outline. A plane has none; parts of a compound lose the points that lie
/// inside another part.
#[must_use]
pub fn surface_points(shape: &Shape, spacing: f64) -> Vec<SurfacePoint> {
    let size = shape.bounds().size();
    if !size.is_finite() {
        return Vec::new();
    }
    let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    let spacing = widened(spacing, area);
    match shape {
        Shape::Sphere { radius } => spiral(*radius, -1.0, 1.0, spacing).collect(),
        Shape::Box { half } => on_box(*half, spacing),
        Shape::Capsule { half_height, radius } => on_capsule(*half_height, *radius, spacing),
        Shape::Cylinder { half_height, radius } => on_cylinder(*half_height, *radius, spacing),
        Shape::Plane => Vec::new(),
        Shape::Grid(grid) => mesh_surface_points(grid.mesh(), spacing),
        Shape::Compound(parts) => on_compound(parts, spacing),
    }
}

pub(super) fn widened(spacing: f64, area: f64) -> f64 {
    let least = (area / MOST_SURFACE_POINTS as f64).sqrt();
    if spacing.is_finite() { spacing.max(least) } else { least }
}

/// A golden-angle spiral on a sphere between two heights (fractions of the radius): equal areas, even spread.
fn spiral(radius: f64, low: f64, high: f64, spacing: f64) -> impl Iterator<Item = SurfacePoint> {
    let area = TAU * radius * radius * (high - low);
    let count = ((area / (spacing * spacing)).ceil() as usize).max(6);
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |k| {
        let y = low + (high - low) * (k as f64 + 0.5) / count as f64;
        let (sine, cosine) = libm::sincos(golden_angle * k as f64);
        let around = (1.0 - y * y).max(0.0).sqrt();
        let normal = Vec3::new(around * cosine, y, around * sine);
        SurfacePoint { position: normal * radius, normal, area: area / count as f64 }
    })
}

fn on_box(half: Vec3, spacing: f64) -> Vec<SurfacePoint> {
    let lattice = box_lattice(half, spacing);
    let mut points: Vec<SurfacePoint> =
        lattice.positions.iter().map(|p| SurfacePoint { position: *p, normal: Vec3::ZERO, area: 0.0 }).collect();
    for quad in &lattice.quads {
        let [a, b, _, d] = quad.map(|i| lattice.positions[i as usize]);
        let normal = (b - a).cross(d - a);
        let area = normal.length();
        for corner in quad {
            let point = &mut points[*corner as usize];
            point.area += area / 4.0;
            point.normal += normal / area;
        }
    }
    for point in &mut points {
        point.normal = point.normal.normalize_or(Vec3::Y);
    }
    points
}

/// A ring of points around Y; `shift` turns it by a fraction of the step between points.
fn ring(radius: f64, height: f64, count: usize, shift: f64) -> impl Iterator<Item = (Vec3, Vec3)> {
    (0..count).map(move |k| {
        let (sine, cosine) = libm::sincos(TAU * (k as f64 + shift) / count as f64);
        let radial = Vec3::new(cosine, 0.0, sine);
        (radial * radius + Vec3::Y * height, radial)
    })
}

fn on_cylinder(half_height: f64, radius: f64, spacing: f64) -> Vec<SurfacePoint> {
    let around = segments(TAU * radius, spacing, 12);
    let rows = segments(2.0 * half_height, spacing, 1);
    let rings = segments(radius, spacing, 1);
    let (row_height, ring_width) = (2.0 * half_height / rows as f64, radius / rings as f64);
    let mut points = Vec::new();
    for row in 1..rows {
        let area = TAU * radius * row_height / around as f64;
        // Rows are staggered, so that a rolling cylinder meets a new line of points every half step.
        let shift = 0.5 * (row % 2) as f64;
        let height = row as f64 * row_height - half_height;
        points.extend(ring(radius, height, around, shift).map(|(position, normal)| SurfacePoint {
            position,
            normal,
            area,
        }));
    }
    for side in [-1.0, 1.0] {
        let height = side * half_height;
        let (inner, up) = (radius - 0.5 * ring_width, Vec3::Y * side);
        let area = (TAU * radius * 0.5 * row_height + PI * (radius * radius - inner * inner)) / around as f64;
        points.extend(ring(radius, height, around, 0.0).map(|(position, radial)| SurfacePoint {
            position,
            normal: (radial + up).normalize(),
            area,
        }));
        for k in 1..rings {
            let at = k as f64 * ring_width;
            let count = segments(TAU * at, spacing, 6);
            let area = TAU * at * ring_width / count as f64;
            points.extend(ring(at, height, count, 0.5).map(|(position, _)| SurfacePoint {
                position,
                normal: up,
                area,
            }));
        }
        let area = PI * 0.25 * ring_width * ring_width;
        points.push(SurfacePoint { position: up * half_height, normal: up, area });
    }
    points
}

fn on_capsule(half_height: f64, radius: f64, spacing: f64) -> Vec<SurfacePoint> {
    let around = segments(TAU * radius, spacing, 12);
    let rows = segments(2.0 * half_height, spacing, 1);
    let row_height = 2.0 * half_height / rows as f64;
    let area = TAU * radius * row_height / around as f64;
    let mut points = Vec::new();
    for row in 0..rows {
        let height = (row as f64 + 0.5) * row_height - half_height;
        let shift = 0.5 * (row % 2) as f64;
        points.extend(ring(radius, height, around, shift).map(|(position, normal)| SurfacePoint {
            position,
            normal,
            area,
        }));
    }
    for side in [-1.0, 1.0] {
        let (low, high) = if side < 0.0 { (-1.0, 0.0) } else { (0.0, 1.0) };
        points.extend(
            spiral(radius, low, high, spacing)
                .map(|p| SurfacePoint { position: p.position + Vec3::Y * (side * half_height), ..p }),
        );
    }
    points
}

fn on_compound(parts: &[Part], spacing: f64) -> Vec<SurfacePoint> {
    let mut points = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for point in surface_points(&part.shape, spacing) {
            let position = part.pose.point(point.position);
            let buried = parts
                .iter()
                .enumerate()
                .any(|(other, cover)| other != index && cover.shape.distance(cover.pose.local(position)) < -1e-9);
            if !buried {
                points.push(SurfacePoint { position, normal: part.pose.rotation * point.normal, ..point });
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;

    fn total(points: &[SurfacePoint]) -> f64 {
        points.iter().map(|p| p.area).sum()
    }

    fn check(shape: &Shape, points: &[SurfacePoint], spacing: f64, expected_area: f64, tolerance: f64) {
        assert!((total(points) / expected_area - 1.0).abs() < tolerance, "{shape:?}: {}", total(points));
        for p in points {
            assert!(shape.distance(p.position).abs() < 1e-12, "{shape:?}: {p:?}");
            assert!((p.normal.length() - 1.0).abs() < 1e-12 && p.area >= 0.0);
            assert!(shape.distance(p.position + p.normal * 1e-4) > 0.5e-4, "{shape:?}: {p:?} points inwards");
        }
        // No hole: every place on the surface has a point within one spacing.
        for i in 0..2000 {
            let fraction = |step: f64| (f64::from(i) * step).fract() - 0.5;
            let random = 0.2 * Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779));
            let sample = shape.sample(random);
            let place = random - sample.normal * sample.distance;
            let nearest = points.iter().map(|p| p.position.distance(place)).fold(f64::INFINITY, f64::min);
            assert!(nearest < spacing, "{shape:?}: hole of {nearest} at {place}");
        }
    }

    fn solids() -> [(Shape, f64); 4] {
        let (r, h) = (0.02, 0.04);
        [
            (Shape::Sphere { radius: r }, 4.0 * PI * r * r),
            (Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) }, 8.0 * (0.02 * 0.05 + 0.05 * 0.03 + 0.03 * 0.02)),
            (Shape::Capsule { half_height: h, radius: r }, 4.0 * PI * r * r + 4.0 * PI * r * h),
            (Shape::Cylinder { half_height: h, radius: r }, 4.0 * PI * r * h + 2.0 * PI * r * r),
        ]
    }

    #[test]
    fn primitives_are_covered_evenly_and_their_area_is_complete() {
        for (shape, area) in solids() {
            let points = surface_points(&shape, 0.004);
            check(&shape, &points, 0.004, area, 1e-12);
            let expected = area / (0.004 * 0.004);
            assert!((points.len() as f64) < 2.0 * expected, "{shape:?}: {} points", points.len());
        }
        assert!(surface_points(&Shape::Plane, 0.01).is_empty());
    }

    #[test]
    fn meshes_are_covered_evenly_and_their_area_is_complete() {
        let shape = Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) };
        // Long triangles: the spread must not depend on the mesh's own vertices.
        let mesh = shape.tessellate(1.0).unwrap();
        let points = mesh_surface_points(&mesh, 0.004);
        check(&shape, &points, 0.004, solids()[1].1, 1e-12);
        assert!(points.len() < 2500, "{} points", points.len());
    }

    #[test]
    fn corners_and_rims_carry_points() {
        let half = Vec3::new(0.02, 0.05, 0.03);
        let shape = Shape::Box { half };
        let meshed = mesh_surface_points(&shape.tessellate(0.007).unwrap(), 0.006);
        for points in [surface_points(&shape, 0.006), meshed] {
            for corner in 0..8 {
                let sign = |bit: i32| if corner & bit == 0 { 1.0 } else { -1.0 };
                let at = half * Vec3::new(sign(1), sign(2), sign(4));
                let found = points.iter().find(|p| p.position.distance(at) < 1e-12).expect("a point at the corner");
                assert!(found.area > 0.0);
            }
        }
        let can = surface_points(&Shape::Cylinder { half_height: 0.05, radius: 0.03 }, 0.006);
        let rim = can
            .iter()
            .filter(|p| p.position.y == 0.05 && (libm::hypot(p.position.x, p.position.z) - 0.03).abs() < 1e-12);
        assert!(rim.count() >= 31);
    }

    #[test]
    fn joined_parts_lose_what_is_buried() {
        let cube = Shape::Box { half: Vec3::splat(0.02) };
        let part =
            |x| Part { pose: Pose::new(Vec3::new(x, 0.0, 0.0), crate::math::Quat::IDENTITY), shape: cube.clone() };
        let bar = Shape::Compound([part(-0.015), part(0.015)].into());
        let points = surface_points(&bar, 0.004);
        assert!(points.iter().all(|p| bar.distance(p.position) > -1e-9));
    }

    #[test]
    fn absurd_spacings_are_bounded() {
        for spacing in [0.0, 1e-12, f64::NAN, f64::INFINITY, -1.0] {
            for (shape, _) in solids() {
                let points = surface_points(&shape, spacing);
                assert!(!points.is_empty() && points.len() < 4 * MOST_SURFACE_POINTS);
            }
        }
    }
}
