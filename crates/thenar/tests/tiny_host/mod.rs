//! A host as small as one can be: boxes over a floor, explicit Euler, impulses at their corners. It counts in units of
//! its own, so that tests can choose them.

use thenar::geometry::distance::{MassProperties, Shape};
use thenar::host::{BodyMotion, PhysicsHost};
use thenar::math::{Mat3, Pose, Vec3, rotation_exp};

#[derive(Clone)]
pub struct TinyBody {
    pub half: Vec3,
    pub mass: MassProperties,
    pub share: f64,
    pub motion: BodyMotion,
    push: (Vec3, Vec3),
}

#[derive(Clone)]
pub struct TinyHost {
    pub bodies: Vec<TinyBody>,
    pub gravity: Vec3,
    pub rate: f64,
    pub units: f64,
    pub floor: bool,
}

impl TinyHost {
    pub fn new(rate: f64, units: f64, gravity: f64, floor: bool) -> Self {
        TinyHost { bodies: Vec::new(), gravity: Vec3::new(0.0, -gravity * units, 0.0), rate, units, floor }
    }

    /// Adds a box; everything in metres.
    pub fn add(&mut self, half: Vec3, mass: f64, pose: Pose) -> usize {
        let u = self.units;
        let mut whole = MassProperties::of_shape(&Shape::Box { half }, 1.0).unwrap().with_mass(mass).unwrap();
        whole.inertia *= u * u;
        let motion = BodyMotion::at_rest(Pose::new(pose.position * u, pose.rotation));
        self.bodies.push(TinyBody { half: half * u, mass: whole, share: 1.0, motion, push: Default::default() });
        self.bodies.len() - 1
    }
}

impl PhysicsHost for TinyHost {
    type Body = usize;
    type Saved = TinyHost;

    fn units_per_metre(&self) -> f64 {
        self.units
    }
    fn time_step(&self) -> f64 {
        1.0 / self.rate
    }
    fn mass(&self, body: usize) -> Option<MassProperties> {
        self.bodies.get(body).map(|b| b.mass)
    }
    fn motion(&self, body: usize) -> Option<BodyMotion> {
        self.bodies.get(body).map(|b| b.motion)
    }
    fn set_share(&mut self, body: usize, share: f64) {
        self.bodies[body].share = share;
    }
    fn push(&mut self, body: usize, force: Vec3, torque: Vec3) {
        self.bodies[body].push = (force, torque);
    }
    fn step(&mut self) {
        let (dt, gravity, floor) = (1.0 / self.rate, self.gravity, self.floor);
        self.bodies.iter_mut().for_each(|b| b.step(dt, gravity, floor));
    }
    fn save(&self) -> TinyHost {
        self.clone()
    }
    fn restore(&mut self, saved: &TinyHost) {
        self.clone_from(saved);
    }
}

impl TinyBody {
    fn step(&mut self, dt: f64, gravity: Vec3, floor: bool) {
        let (force, torque) = std::mem::take(&mut self.push);
        let mass = self.mass.mass * self.share;
        let m = &mut self.motion;
        let r = Mat3::from_quat(m.pose.rotation);
        let inertia = r * (self.mass.inertia * self.share) * r.transpose();
        let inverse = inertia.inverse();
        m.velocity += (force / mass + gravity) * dt;
        m.spin += inverse * (torque - m.spin.cross(inertia * m.spin)) * dt;
        for _ in 0..if floor { 20 } else { 0 } {
            for corner in 0..8 {
                let sign = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
                let lever = m.pose.rotation * (self.half * Vec3::new(sign(1), sign(2), sign(4)));
                let gap = m.pose.position.y + lever.y;
                let v = m.velocity + m.spin.cross(lever);
                // reaches the floor in this step; what is inside comes out slowly
                let short = v.y * dt + gap.max(0.2 * gap);
                if short < 0.0 {
                    let weight = |n: Vec3| 1.0 / (1.0 / mass + (inverse * lever.cross(n)).cross(lever).dot(n));
                    let mut impulse = Vec3::Y * (-short / dt * weight(Vec3::Y) * 0.5);
                    let slide = Vec3::new(v.x, 0.0, v.z);
                    if slide.length() > 0.0 {
                        let along = slide / slide.length();
                        impulse -= along * (0.5 * slide.length() * weight(along)).min(0.5 * impulse.y);
                    }
                    m.velocity += impulse / mass;
                    m.spin += inverse * lever.cross(impulse);
                }
            }
        }
        m.pose.position += m.velocity * dt;
        m.pose.rotation = (rotation_exp(m.spin * dt) * m.pose.rotation).normalize();
    }
}
