//! Which parameters a world can be made of.

use super::soft_def::{LEAST, LEAST_RANGE, MOST, MOST_RANGE, VOLUME, VOLUME_RANGE};
use super::{SolverParams, WorldConfig};
use crate::body::{AttachmentMethod, ContactMethod, SkeletonCoupling, SkeletonMethod, StretchLimits};
use crate::energy::tissue::{Material, Relaxation};
use crate::tactile::{DeviceError, TactileParams};

/// Why a world was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number is out of range.
    #[error("{field} is {value}, expected {expected}")]
    Number {
        /// Path of the field in [`WorldConfig`], such as `contact.normal`.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// Constraints without a factor to carry them through.
    #[error("method is `{}` and solver is `Pcg`: constraints are carried through a factor, which it does not make; choose `SolverParams::Direct` or `ContactMethod::Penalty`", .method.name())]
    RowsWithoutFactor {
        /// The method that needs rows.
        method: ContactMethod,
    },
    /// Hard limits of stretches without a factor.
    #[error(
        "tissue.stretch has hard limits and solver is `Pcg`: they are met through a factor, which it does not make; choose `SolverParams::Direct` or an energy limit (`tissue.limit`)"
    )]
    LimitsWithoutFactor,
    /// One-sided coupling of bones that are bodies.
    #[error(
        "skeleton.coupling is `OneSided` and skeleton.method is not `Reduced`: bones that are bodies always feel their tissue; choose `SkeletonMethod::Reduced` or `SkeletonCoupling::TwoSided`"
    )]
    OneSidedBodies,
    /// Blended attachment to bones that are functions of joint angles.
    #[error(
        "attach is `Blended` and skeleton.method is `Reduced`: blended springs hold nodes on bones that are bodies; choose `SkeletonMethod::Bodies` or `AttachmentMethod::Surface`"
    )]
    BlendedAngles,
    /// A device that cannot be.
    #[error("tactile: {0}")]
    Tactile(#[from] DeviceError),
}

/// Ranges that several fields share.
const POSITIVE: &str = "a positive finite number";
const NOT_NEGATIVE: &str = "a finite number that is not negative";
const CAP: &str = "a positive number; infinity for no cap";

impl WorldConfig {
    /// Says whether a world can be made of these parameters; [`super::World::new`] asks.
    ///
    /// # Errors
    /// Names the field or the combination, and what to choose instead.
    pub fn check(&self) -> Result<(), ConfigError> {
        let within = |field, value: f64, good: bool, expected| {
            if good { Ok(()) } else { Err(ConfigError::Number { field, value, expected }) }
        };
        let positive = |field, value: f64| within(field, value, value > 0.0 && value.is_finite(), POSITIVE);
        let not_negative = |field, value: f64| within(field, value, value >= 0.0 && value.is_finite(), NOT_NEGATIVE);
        let ranged = |field, value: f64, range: std::ops::RangeInclusive<f64>, expected| {
            within(field, value, range.contains(&value), expected)
        };
        let gravity = self.gravity;
        within("gravity", gravity.length(), gravity.is_finite() && gravity.length() <= 1000.0, "at most 1000 m/s²")?;

        let tissue = &self.tissue;
        let material = |young, poisson, material: &Material| {
            positive(young, material.young)?;
            within(poisson, material.poisson, material.poisson > -1.0 && material.poisson < 0.5, "between -1 and 0.5")
        };
        material("tissue.flesh.young", "tissue.flesh.poisson", &tissue.flesh)?;
        material("tissue.bone.young", "tissue.bone.poisson", &tissue.bone)?;
        material("tissue.nail.young", "tissue.nail.poisson", &tissue.nail)?;
        ranged("tissue.density", tissue.density, 1.0..=30_000.0, "1 to 30000 kg/m³")?;
        ranged("tissue.damping", tissue.damping, 0.0..=1.0, "0 to 1 s")?;
        if let Some(limit) = &tissue.limit {
            positive("tissue.limit.density", limit.density)?;
            not_negative("tissue.limit.stiffness", limit.stiffness)?;
        }

        if let Some((what, value, expected)) = tissue.relaxation.as_ref().and_then(Relaxation::fault) {
            let field = if what == "share" { "tissue.relaxation.shares" } else { "tissue.relaxation.times" };
            return within(field, value, false, expected);
        }
        if let Some(stretch) = &tissue.stretch {
            let limits = |[least, most, volume]: [&'static str; 3], limits: &StretchLimits| {
                ranged(least, limits.least, LEAST, LEAST_RANGE)?;
                ranged(most, limits.most, MOST, MOST_RANGE)?;
                ranged(volume, limits.volume, VOLUME, VOLUME_RANGE)
            };
            let fields = ["tissue.stretch.flesh.least", "tissue.stretch.flesh.most", "tissue.stretch.flesh.volume"];
            limits(fields, &stretch.flesh)?;
            let fields = ["tissue.stretch.bone.least", "tissue.stretch.bone.most", "tissue.stretch.bone.volume"];
            limits(fields, &stretch.bone)?;
            let fields = ["tissue.stretch.nail.least", "tissue.stretch.nail.most", "tissue.stretch.nail.volume"];
            limits(fields, &stretch.nail)?;
        }
        ranged("strain.tolerance", self.strain.tolerance, 1e-6..=0.1, "1e-6 to 0.1")?;
        ranged("strain.iterations", f64::from(self.strain.iterations), 1.0..=1e4, "1 to 10000")?;

        positive("attachment", self.attachment)?;
        not_negative("joints.centre", self.joints.centre)?;
        not_negative("joints.axis", self.joints.axis)?;
        not_negative("joints.limit", self.joints.limit)?;
        positive("contact.normal", self.contact.normal)?;
        not_negative("contact.tangent", self.contact.tangent)?;

        let (palm, phalanx) = (&self.tracking.palm, &self.tracking.phalanx);
        not_negative("tracking.palm.linear", palm.linear)?;
        not_negative("tracking.palm.angular", palm.angular)?;
        not_negative("tracking.phalanx.linear", phalanx.linear)?;
        not_negative("tracking.phalanx.angular", phalanx.angular)?;
        within("tracking.palm.force_cap", palm.force_cap, palm.force_cap > 0.0, CAP)?;
        within("tracking.palm.torque_cap", palm.torque_cap, palm.torque_cap > 0.0, CAP)?;
        within("tracking.phalanx.force_cap", phalanx.force_cap, phalanx.force_cap > 0.0, CAP)?;
        within("tracking.phalanx.torque_cap", phalanx.torque_cap, phalanx.torque_cap > 0.0, CAP)?;
        positive("tracking.rate", self.tracking.rate)?;
        let reseat = self.tracking.reseat_distance;
        within("tracking.reseat_distance", reseat, reseat > 0.0, "a positive number; infinity for never")?;

        ranged("object_spacing", self.object_spacing, 1e-4..=1.0, "0.0001 to 1 m")?;
        ranged("contact_capacity", self.contact_capacity as f64, 1.0..=1e7, "1 to 10 million contacts")?;
        ranged("soft_friction", self.soft_friction, 0.0..=10.0, "a number from 0 to 10")?;
        if let SolverParams::Pcg { tolerance, max_iterations } = self.solver {
            ranged("solver.tolerance", tolerance, 1e-15..=0.1, "1e-15 to 0.1")?;
            ranged("solver.max_iterations", f64::from(max_iterations), 1.0..=1e6, "1 to a million")?;
            if needs_factor(self.method) {
                return Err(ConfigError::RowsWithoutFactor { method: self.method });
            }
            if tissue.stretch.is_some() {
                return Err(ConfigError::LimitsWithoutFactor);
            }
        }
        if self.skeleton.method != SkeletonMethod::Reduced && self.skeleton.coupling == SkeletonCoupling::OneSided {
            return Err(ConfigError::OneSidedBodies);
        }
        if self.skeleton.method == SkeletonMethod::Reduced && self.attach == AttachmentMethod::Blended {
            return Err(ConfigError::BlendedAngles);
        }
        self.tactile.iter().try_for_each(TactileParams::check)?;
        Ok(())
    }

    /// Whether contact of that method can be resolved: constraints need a factor.
    pub(super) fn can_resolve(&self, method: ContactMethod) -> bool {
        !(needs_factor(method) && matches!(self.solver, SolverParams::Pcg { .. }))
    }
}

fn needs_factor(method: ContactMethod) -> bool {
    method != ContactMethod::Penalty
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TetMesh;
    use crate::geometry::distance::Shape;
    use crate::math::{Pose, Vec3};
    use crate::world::{ObjectDef, ObjectError, Preset, SoftDef, SoftError, TissueStretch, World};

    const PCG: SolverParams = SolverParams::Pcg { tolerance: 1e-5, max_iterations: 100 };

    #[test]
    fn every_preset_makes_a_world() {
        for (name, preset) in Preset::ALL {
            assert_eq!(preset.config().check(), Ok(()), "{name}");
        }
    }

    #[test]
    fn constraints_without_a_factor_are_refused_for_worlds_and_objects() {
        for method in [ContactMethod::Point, ContactMethod::Aggregate] {
            let config = WorldConfig { method, solver: PCG, ..WorldConfig::default() };
            let refused = World::new(config).err().unwrap();
            assert_eq!(refused, ConfigError::RowsWithoutFactor { method });
            assert!(refused.to_string().contains("SolverParams::Direct"), "{refused}");

            let mut world = World::new(WorldConfig { solver: PCG, ..WorldConfig::default() }).unwrap();
            let ball = ObjectDef::moving("ball", Shape::Sphere { radius: 0.03 }, 0.1, Pose::IDENTITY);
            let refused = world.add_object(ObjectDef { method: Some(method), ..ball.clone() }).unwrap_err();
            assert_eq!(refused, ObjectError::Method { name: "ball".into(), method });
            world.add_object(ObjectDef { method: Some(ContactMethod::Penalty), ..ball }).unwrap();
        }
    }

    #[test]
    fn hard_limits_without_a_factor_are_refused_for_hands_and_soft_objects() {
        let mut config = Preset::Clap.config();
        config.tissue.stretch = Some(TissueStretch::all(StretchLimits::USUAL));
        let refused = World::new(config).err().unwrap();
        assert_eq!(refused, ConfigError::LimitsWithoutFactor);
        assert!(refused.to_string().contains("SolverParams::Direct"), "{refused}");

        let mut world = World::new(Preset::Clap.config()).unwrap();
        let corners = [Vec3::ZERO, Vec3::X * 0.01, Vec3::Y * 0.01, Vec3::Z * 0.01];
        let mesh = TetMesh { positions: corners.to_vec(), tets: vec![[0, 1, 2, 3]] };
        let mut def = SoftDef::new("foam", mesh, Material { young: 1e4, poisson: 0.3 }, 100.0);
        def.stretch = Some(StretchLimits::USUAL);
        assert_eq!(world.add_soft(def).unwrap_err(), SoftError::LimitsWithoutFactor { name: "foam".into() });
    }

    #[test]
    fn numbers_that_no_world_can_have_are_named() {
        let refused = |change: fn(&mut WorldConfig)| {
            let mut config = WorldConfig::default();
            change(&mut config);
            match World::new(config).err() {
                Some(ConfigError::Number { field, .. }) => field,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(|c| c.gravity = Vec3::NAN), "gravity");
        assert_eq!(refused(|c| c.contact.normal = 0.0), "contact.normal");
        assert_eq!(refused(|c| c.contact.tangent = -1.0), "contact.tangent");
        assert_eq!(refused(|c| c.attachment = f64::INFINITY), "attachment");
        assert_eq!(refused(|c| c.tissue.flesh.poisson = 0.5), "tissue.flesh.poisson");
        assert_eq!(refused(|c| c.tissue.nail.young = -1.0), "tissue.nail.young");
        assert_eq!(refused(|c| c.tracking.phalanx.torque_cap = 0.0), "tracking.phalanx.torque_cap");
        assert_eq!(refused(|c| c.contact_capacity = 0), "contact_capacity");
        assert_eq!(refused(|c| c.object_spacing = 0.0), "object_spacing");
        assert_eq!(refused(|c| c.soft_friction = f64::NAN), "soft_friction");
        assert_eq!(refused(|c| c.solver = SolverParams::Pcg { tolerance: 1.0, max_iterations: 9 }), "solver.tolerance");
        assert_eq!(
            refused(|c| c.solver = SolverParams::Pcg { tolerance: 1e-5, max_iterations: 0 }),
            "solver.max_iterations"
        );
    }

    #[test]
    fn bones_that_are_bodies_cannot_ignore_their_tissue() {
        let mut config = WorldConfig::default();
        config.skeleton.coupling = SkeletonCoupling::OneSided;
        assert_eq!(World::new(config).err(), Some(ConfigError::OneSidedBodies));
    }
}
