//! Mass, centre of mass and inertia of solids.

use core::f64::consts::PI;

use super::{Part, Shape};
use crate::geometry::TriMesh;
use crate::math::{Mat3, Vec3};

/// How a rigid solid resists acceleration, in the solid's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: f64,
    /// Centre of mass, metres.
    pub com: Vec3,
    /// Inertia tensor about the centre of mass, kg m².
    pub inertia: Mat3,
}

/// Why a solid has no mass properties.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// The plane has no end.
    #[error("a plane is infinite and has no mass; make the object fixed")]
    Infinite,
    /// Density or mass that is not positive and finite.
    #[error("{what} is {value}; it must be positive and finite")]
    NotPositive {
        /// Density (kg/m³), mass (kg) or volume (m³).
        what: &'static str,
        /// The value.
        value: f64,
    },
}

impl MassProperties {
    /// Of a shape filled with a density in kg/m³. Exact for primitives; overlapping parts of a compound count twice.
    ///
    /// # Errors
    /// For planes, and densities or volumes that are not positive.
    pub fn of_shape(shape: &Shape, density: f64) -> Result<MassProperties, MassError> {
        positive("density", density)?;
        match shape {
            Shape::Sphere { radius: r } => {
                let mass = density * 4.0 / 3.0 * PI * r * r * r;
                Ok(centred(mass, Vec3::splat(0.4 * mass * r * r)))
            }
            Shape::Box { half } => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let squared = *half * *half;
                let sums = Vec3::new(squared.y + squared.z, squared.z + squared.x, squared.x + squared.y);
                Ok(centred(mass, sums * (mass / 3.0)))
            }
            Shape::Cylinder { half_height: h, radius: r } => {
                let mass = density * 2.0 * PI * r * r * h;
                let across = mass * (r * r / 4.0 + h * h / 3.0);
                Ok(centred(mass, Vec3::new(across, mass * r * r / 2.0, across)))
            }
            Shape::Capsule { half_height: h, radius: r } => {
                let middle = density * 2.0 * PI * r * r * h;
                let ends = density * 4.0 / 3.0 * PI * r * r * r;
                let along = middle * r * r / 2.0 + ends * 0.4 * r * r;
                // Two half balls, each shifted by the distance of its own centre of mass (3r/8) plus h.
                let across = middle * (r * r / 4.0 + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
                Ok(centred(middle + ends, Vec3::new(across, along, across)))
            }
            Shape::Plane => Err(MassError::Infinite),
            Shape::Grid(grid) => {
                let unit = grid.unit_mass();
                unit.with_mass(unit.mass * density)
            }
            Shape::Compound(parts) => of_parts(parts, density),
        }
    }

    /// Of the solid inside a closed mesh filled with a density in kg/m³: signed sums over tetrahedra from one point.
    ///
    /// # Errors
    /// If the enclosed volume or the density is not positive (the surface is open or inside out).
    pub fn of_mesh(mesh: &TriMesh, density: f64) -> Result<MassProperties, MassError> {
        positive("density", density)?;
        // Any apex gives the same sums; one near the solid keeps cancellation small.
        let apex = mesh.positions.first().copied().unwrap_or(Vec3::ZERO);
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|i| mesh.positions[i as usize] - apex);
            let six_volumes = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += six_volumes / 6.0;
            first += sum * (six_volumes / 24.0);
            // ∫ x xᵀ over the tetrahedron (0, a, b, c).
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six_volumes / 120.0);
        }
        positive("volume", volume)?;
        let centre = first / volume;
        let covariance = second - outer(centre) * volume;
        let inertia = Mat3::from_diagonal(Vec3::splat(trace(&covariance))) - covariance;
        Ok(MassProperties { mass: density * volume, com: apex + centre, inertia: inertia * density })
    }

    /// The same solid with another mass, evenly distributed.
    ///
    /// # Errors
    /// If the mass is not positive and finite.
    pub fn with_mass(&self, mass: f64) -> Result<MassProperties, MassError> {
        positive("mass", mass)?;
        Ok(MassProperties { mass, com: self.com, inertia: self.inertia * (mass / self.mass) })
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), MassError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(MassError::NotPositive { what, value }) }
}

fn centred(mass: f64, moments: Vec3) -> MassProperties {
    MassProperties { mass, com: Vec3::ZERO, inertia: Mat3::from_diagonal(moments) }
}

fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

fn trace(m: &Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn of_parts(parts: &[Part], density: f64) -> Result<MassProperties, MassError> {
    let mut placed = Vec::with_capacity(parts.len());
    for part in parts {
        let own = MassProperties::of_shape(&part.shape, density)?;
        let turn = Mat3::from_quat(part.pose.rotation);
        placed.push((own.mass, part.pose.point(own.com), turn * own.inertia * turn.transpose()));
    }
    let mass: f64 = placed.iter().map(|p| p.0).sum();
    positive("mass", mass)?;
    let com = placed.iter().map(|p| p.1 * p.0).sum::<Vec3>() / mass;
    let mut inertia = Mat3::ZERO;
    for (part_mass, part_com, part_inertia) in placed {
        let arm = part_com - com; // parallel axes
        inertia += part_inertia + (Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer(arm)) * part_mass;
    }
    Ok(MassProperties { mass, com, inertia })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Quat};

    fn largest_difference(a: &Mat3, b: &Mat3) -> f64 {
        (0..3).map(|i| (a.col(i) - b.col(i)).abs().max_element()).fold(0.0, f64::max)
    }

    fn solids() -> [Shape; 4] {
        [
            Shape::Sphere { radius: 0.03 },
            Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) },
            Shape::Capsule { half_height: 0.04, radius: 0.01 },
            Shape::Cylinder { half_height: 0.04, radius: 0.02 },
        ]
    }

    #[test]
    fn closed_forms_agree_with_a_fine_mesh_of_the_same_shape() {
        for shape in solids() {
            let exact = MassProperties::of_shape(&shape, 1000.0).unwrap();
            let mesh = shape.tessellate(0.0005).unwrap();
            let meshed = MassProperties::of_mesh(&mesh, 1000.0).unwrap();
            // A facet of 0.5 mm on a radius of 10 mm cuts (0.5/10)²/24 of the area and twice that of the inertia.
            assert!((meshed.mass / exact.mass - 1.0).abs() < 1e-3, "{shape:?}");
            assert!(meshed.com.length() < 1e-12, "{shape:?}: {}", meshed.com);
            let scale = trace(&exact.inertia);
            assert!(largest_difference(&meshed.inertia, &exact.inertia) < 2e-3 * scale, "{shape:?}");
        }
    }

    #[test]
    fn a_mesh_weighs_the_same_wherever_it_is() {
        let shape = Shape::Box { half: Vec3::new(0.02, 0.05, 0.03) };
        let exact = MassProperties::of_shape(&shape, 800.0).unwrap();
        let mut mesh = shape.tessellate(0.01).unwrap();
        let pose = Pose::new(Vec3::new(3.0, -2.0, 5.0), Quat::from_rotation_y(0.7) * Quat::from_rotation_x(0.3));
        for p in &mut mesh.positions {
            *p = pose.point(*p);
        }
        let moved = MassProperties::of_mesh(&mesh, 800.0).unwrap();
        let turn = Mat3::from_quat(pose.rotation);
        let expected = turn * exact.inertia * turn.transpose();
        assert!((moved.mass - exact.mass).abs() < 1e-12);
        assert!((moved.com - pose.position).length() < 1e-12);
        assert!(largest_difference(&moved.inertia, &expected) < 1e-12 * trace(&expected).max(1.0));
    }

    #[test]
    fn two_half_boxes_make_a_box() {
        let whole = MassProperties::of_shape(&Shape::Box { half: Vec3::new(0.04, 0.02, 0.01) }, 500.0).unwrap();
        let half = Shape::Box { half: Vec3::new(0.01, 0.02, 0.02) };
        let turned = Quat::from_rotation_y(core::f64::consts::FRAC_PI_2);
        let part = |x| Part { pose: Pose::new(Vec3::new(x, 0.0, 0.0), turned), shape: half.clone() };
        let joined = MassProperties::of_shape(&Shape::Compound([part(-0.02), part(0.02)].into()), 500.0).unwrap();
        assert!((joined.mass - whole.mass).abs() < 1e-15);
        assert!(largest_difference(&joined.inertia, &whole.inertia) < 1e-15);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(MassProperties::of_shape(&Shape::Plane, 1.0), Err(MassError::Infinite));
        assert!(MassProperties::of_shape(&Shape::Sphere { radius: 1.0 }, f64::NAN).is_err());
        assert!(MassProperties::of_mesh(&TriMesh::default(), 1.0).is_err());
        let ball = MassProperties::of_shape(&Shape::Sphere { radius: 1.0 }, 1.0).unwrap();
        assert!(ball.with_mass(-1.0).is_err());
        assert_eq!(ball.with_mass(2.0).unwrap().mass, 2.0);
    }
}
