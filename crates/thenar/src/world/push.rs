//! Forces on objects from outside of the simulation: wind, a motor, the tests that try to push an object out of a grasp.

use super::{BodyError, ObjectId, World};
use crate::math::Vec3;

/// Force (N) and torque (N m) per object for the next step. Input of a step, like tracked frames, and no state.
#[derive(Clone, Default)]
pub(super) struct Pushes(Vec<(Vec3, Vec3)>);

impl Pushes {
    pub(super) fn add_object(&mut self) {
        self.0.push((Vec3::ZERO, Vec3::ZERO));
    }

    /// After the step: pushes act during one only.
    pub(super) fn clear(&mut self) {
        self.0.fill((Vec3::ZERO, Vec3::ZERO));
    }

    pub(super) fn forget(&mut self, object: usize) {
        self.0[object] = (Vec3::ZERO, Vec3::ZERO);
    }
}

impl World {
    /// Pushes an object with a force (N) at its centre of mass and a torque (N m) during the next step only; several
    /// pushes add up.
    ///
    /// # Errors
    /// If there is no such object, it cannot move or a number is not finite; then nothing happens.
    pub fn push(&mut self, object: ObjectId, force: Vec3, torque: Vec3) -> Result<(), BodyError> {
        let i = self.object_index(object)?;
        if self.objects[i].mass.is_none() {
            return Err(BodyError::Fixed { id: object.0 });
        }
        for (field, pushed) in [("force", force), ("torque", torque)] {
            if !pushed.is_finite() {
                let (kind, value, expected) = ("object", pushed.length(), "finite numbers");
                return Err(BodyError::Field { kind, id: object.0, field, value, expected });
            }
        }
        let push = &mut self.pushes.0[i];
        *push = (push.0 + force, push.1 + torque);
        Ok(())
    }

    /// Into the border.
    pub(super) fn add_pushes(&mut self, dt: f64) {
        for (object, push) in self.objects.iter().zip(&self.pushes.0) {
            let (force, torque) = *push;
            if let (Some(_), Some(index)) = (&object.mass, object.border) {
                let linear = 2 * index as usize;
                self.work.equations.border.assembled.add_rhs(linear, force * dt);
                self.work.equations.border.assembled.add_rhs(linear + 1, torque * dt);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::geometry::distance::Shape;
    use crate::math::{Pose, Vec3};
    use crate::world::{BodyError, ObjectDef, ObjectId, World, WorldConfig};

    fn ball(mass: Option<f64>) -> ObjectDef {
        let shape = Shape::Sphere { radius: 0.05 };
        match mass {
            Some(mass) => ObjectDef::moving("ball", shape, mass, Pose::IDENTITY),
            None => ObjectDef::fixed("ball", shape, Pose::IDENTITY),
        }
    }

    #[test]
    fn a_push_is_an_impulse_of_one_step() {
        let mut world = World::new(WorldConfig { gravity: Vec3::ZERO, ..WorldConfig::default() }).unwrap();
        let id = world.add_object(ball(Some(0.5))).unwrap();
        world.push(id, Vec3::X * 2.0, Vec3::ZERO).unwrap();
        world.push(id, Vec3::X, Vec3::Y * 0.1).unwrap();
        world.step(0.01).unwrap();
        // v = F dt / m and w = T dt / (2/5 m r²)
        assert!((world.object(id).velocity - Vec3::X * 0.06).length() < 1e-12);
        assert!((world.object(id).spin - Vec3::Y * 2.0).length() < 1e-6, "{}", world.object(id).spin);
        world.step(0.01).unwrap();
        assert!((world.object(id).velocity - Vec3::X * 0.06).length() < 1e-12, "the push is over");
    }

    #[test]
    fn what_cannot_be_pushed_says_so() {
        let mut world = World::new(WorldConfig::default()).unwrap();
        let fixed = world.add_object(ball(None)).unwrap();
        let moving = world.add_object(ball(Some(1.0))).unwrap();
        assert_eq!(world.push(fixed, Vec3::X, Vec3::ZERO), Err(BodyError::Fixed { id: fixed.0 }));
        assert!(matches!(world.push(moving, Vec3::NAN, Vec3::ZERO), Err(BodyError::Field { field: "force", .. })));
        let unknown = world.push(ObjectId(7), Vec3::X, Vec3::ZERO);
        assert_eq!(unknown, Err(BodyError::Unknown { kind: "object", id: 7 }));
    }
}
