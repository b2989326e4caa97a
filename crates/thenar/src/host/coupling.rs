//! The two loops in step: engine, exchange, host.

use super::exchange::{Exchange, Wrench};
use super::{BodyMotion, CouplingParams, GraspError, Graspable, HostCopy, PhysicsHost};
use crate::geometry::distance::MassProperties;
use crate::math::{Mat3, Pose, Vec3};
use crate::world::{BodyError, ObjectDef, ObjectId, Snapshot, SnapshotError, StepError, World};

/// Host steps end a rounding error early rather than an engine step late.
const ON_TIME: f64 = 1.0 - 1e-9;

/// What happened in a step of the coupling.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct CouplingReport {
    /// Host steps taken.
    pub host_steps: u32,
    /// Bodies that are awake in the engine.
    pub awake: u32,
    /// A body could not wake because all slots are taken: hands pass through it.
    pub slots_exhausted: bool,
    /// Largest distance between the two copies of a body that is awake, metres.
    pub offset: f64,
}

/// A body as the coupling keeps it.
struct Coupled<B> {
    body: B,
    object: ObjectId,
    /// Whole, in metres.
    mass: MassProperties,
    /// Awake without a hand.
    kept: bool,
    rail: Option<Vec3>,
}

/// What a snapshot saves of the coupling itself.
#[derive(Clone, Debug, PartialEq, Default)]
struct CouplingState {
    /// How far the engine is ahead of the host, seconds.
    ahead: f64,
    exchanges: Vec<Exchange>,
}

/// A saved state of both sides; restoring it continues bit for bit.
#[derive(Clone, Debug)]
pub struct CouplingSnapshot<S> {
    world: Snapshot,
    coupling: CouplingState,
    host: S,
}

/// Couples a [`World`] to a host.
pub struct Coupling<H: PhysicsHost> {
    params: CouplingParams,
    bodies: Vec<Coupled<H::Body>>,
    state: CouplingState,
    report: CouplingReport,
}

impl<H: PhysicsHost> Coupling<H> {
    /// A coupling without bodies; sets room aside in the world.
    #[must_use]
    pub fn new(world: &mut World, params: CouplingParams) -> Self {
        world.reserve_hosted(params.slots);
        Coupling { params, bodies: Vec::new(), state: CouplingState::default(), report: CouplingReport::default() }
    }

    /// Lets hands grasp a body of the host. It becomes an object of the world, dormant until a hand comes near.
    ///
    /// # Errors
    /// If the host has no such body, or its shape, mass or friction cannot be used.
    pub fn add(
        &mut self,
        world: &mut World,
        host: &H,
        body: H::Body,
        graspable: Graspable,
    ) -> Result<ObjectId, GraspError> {
        let missing = || GraspError::NoBody { name: graspable.name.clone(), body: format!("{body:?}") };
        let units = host.units_per_metre();
        let mass = host.mass(body).filter(|m| m.mass > 0.0).map(|m| in_metres(&m, units)).ok_or_else(missing)?;
        let motion = host.motion(body).map(|m| motion_in_metres(&m, units)).ok_or_else(missing)?;
        let frame = Pose::new(motion.pose.point(-mass.com), motion.pose.rotation);
        let def = ObjectDef {
            friction: graspable.friction,
            velocity: motion.velocity,
            spin: motion.spin,
            ..ObjectDef::moving(&graspable.name, graspable.shape, mass.mass, frame)
        };
        let rail = graspable.rail.and_then(Vec3::try_normalize);
        let object = world.add_hosted(def, &mass, self.params.share, graspable.touches_fixed)?;
        self.bodies.push(Coupled { body, object, mass, kept: false, rail });
        self.state.exchanges.push(Exchange::first_seen(HostCopy::first_seen(motion)));
        Ok(object)
    }

    /// Moves both sides by `dt` seconds: the engine by one step, the host by as many as have become due.
    ///
    /// # Errors
    /// Those of [`World::step`].
    pub fn step(&mut self, world: &mut World, host: &mut H, dt: f64) -> Result<&CouplingReport, StepError> {
        let host_dt = host.time_step();
        self.report = CouplingReport::default();

        self.tether_all(world, host_dt.max(dt), dt);
        world.step(dt)?;
        self.book_all(world, dt);

        self.state.ahead += dt;
        while self.state.ahead >= host_dt * ON_TIME {
            self.state.ahead = (self.state.ahead - host_dt).max(0.0);
            self.push_all(host);
            host.step();
            self.report.host_steps += 1;
        }
        if self.report.host_steps > 0 {
            self.observe_all(world, host, f64::from(self.report.host_steps) * host_dt);
            self.wake_and_rest(world, host);
        }
        self.report.awake = self.state.exchanges.iter().filter(|e| e.awake).count() as u32;
        Ok(&self.report)
    }

    /// Keeps a body awake although no hand is near (from the next host step on), or no longer.
    pub fn keep_awake(&mut self, object: ObjectId, keep: bool) {
        self.bodies.iter_mut().filter(|b| b.object == object).for_each(|b| b.kept = keep);
    }

    /// Wakes a body at once, before the engine's next step, as it moves in the host now: for a hand that appears around it. It rests
    /// again as all do. False if the host has no such body or all slots are taken.
    pub fn wake(&mut self, world: &mut World, host: &mut H, object: ObjectId) -> bool {
        let Some(place) = self.bodies.iter().position(|b| b.object == object) else { return false };
        let (coupled, exchange) = (&self.bodies[place], &mut self.state.exchanges[place]);
        let Some(motion) = host.motion(coupled.body) else { return false };
        if exchange.awake {
            return true;
        }
        let motion = motion_in_metres(&motion, host.units_per_metre());
        exchange.copy = HostCopy::first_seen(motion);
        in_world(world.place_hosted(object, motion.pose, motion.velocity, motion.spin));
        wake(coupled, exchange, &self.params, world, host)
    }

    /// What happened in the last step.
    #[must_use]
    pub fn report(&self) -> &CouplingReport {
        &self.report
    }

    /// What the engine last saw of the host's copy of an object.
    #[must_use]
    pub fn host_copy(&self, object: ObjectId) -> Option<&HostCopy> {
        let place = self.bodies.iter().position(|b| b.object == object)?;
        Some(&self.state.exchanges[place].copy)
    }

    /// True while the object is simulated on both sides.
    #[must_use]
    pub fn is_awake(&self, object: ObjectId) -> bool {
        self.bodies.iter().zip(&self.state.exchanges).any(|(b, e)| b.object == object && e.awake)
    }

    /// Saves both sides.
    #[must_use]
    pub fn save(&self, world: &World, host: &H) -> CouplingSnapshot<H::Saved> {
        CouplingSnapshot { world: world.snapshot(), coupling: self.state.clone(), host: host.save() }
    }

    /// Continues from a saved state of the same world and host.
    ///
    /// # Errors
    /// Those of [`World::restore`]; then nothing changes on either side.
    pub fn restore(
        &mut self,
        world: &mut World,
        host: &mut H,
        saved: &CouplingSnapshot<H::Saved>,
    ) -> Result<(), SnapshotError> {
        world.restore(&saved.world)?;
        host.restore(&saved.host);
        self.state.clone_from(&saved.coupling);
        Ok(())
    }

    fn tether_all(&self, world: &mut World, interval: f64, dt: f64) {
        for (coupled, exchange) in self.bodies.iter().zip(&self.state.exchanges).filter(|(_, e)| e.awake) {
            let tether = exchange.tether(&coupled.mass, coupled.rail, &self.params, interval, self.state.ahead + dt);
            in_world(world.tether(coupled.object, tether));
        }
    }

    fn book_all(&mut self, world: &World, dt: f64) {
        for (coupled, exchange) in self.bodies.iter().zip(&mut self.state.exchanges).filter(|(_, e)| e.awake) {
            let pull = world.tether_pull(coupled.object);
            exchange.book(&pull, dt);
            self.report.offset = self.report.offset.max(pull.offset.length());
        }
    }

    /// Hands each body the impulse of the host step that begins, as a constant force.
    fn push_all(&mut self, host: &mut H) {
        let (units, host_dt, surplus) = (host.units_per_metre(), host.time_step(), self.state.ahead);
        for (coupled, exchange) in self.bodies.iter().zip(&mut self.state.exchanges) {
            let paid = exchange.pay(surplus).scaled(1.0 / host_dt);
            if exchange.awake || !paid.is_zero() {
                // kg·m/s² and kg·m²/s² in the host's units of length
                host.push(coupled.body, paid.linear * units, paid.angular * (units * units));
            }
        }
    }

    fn observe_all(&mut self, world: &mut World, host: &H, elapsed: f64) {
        let units = host.units_per_metre();
        for (coupled, exchange) in self.bodies.iter().zip(&mut self.state.exchanges) {
            let Some(motion) = host.motion(coupled.body) else {
                in_world(world.rest_hosted(coupled.object));
                *exchange = Exchange::first_seen(exchange.copy);
                continue;
            };
            let motion = motion_in_metres(&motion, units);
            exchange.copy.observe(motion, elapsed);
            if exchange.awake {
                exchange.feed(self.params.feed);
            } else {
                in_world(world.place_hosted(coupled.object, motion.pose, motion.velocity, motion.spin));
            }
        }
    }

    /// Bodies wake when a hand comes near and rest when it has left.
    fn wake_and_rest(&mut self, world: &mut World, host: &mut H) {
        let hurry = fastest_palm(world);
        for (coupled, exchange) in self.bodies.iter().zip(&mut self.state.exchanges) {
            let kept = coupled.kept && world.has_object(coupled.object);
            let speed = hurry + exchange.copy.motion.velocity.length();
            let (near, travel) = (self.params.near, 2.0 * host.time_step() * speed);
            if !exchange.awake {
                if host.motion(coupled.body).is_some() && (kept || world.is_near(coupled.object, near + travel)) {
                    self.report.slots_exhausted |= !wake(coupled, exchange, &self.params, world, host);
                }
            } else if !kept && !world.is_near(coupled.object, 2.0 * near + travel) {
                exchange.rest(momentum_ahead(world, coupled.object, &exchange.copy.motion));
                in_world(world.rest_hosted(coupled.object));
                host.set_share(coupled.body, 1.0);
                let motion = exchange.copy.motion;
                in_world(world.place_hosted(coupled.object, motion.pose, motion.velocity, motion.spin));
            }
        }
    }
}

/// Lets a body take part in the engine from now on; false if all slots are taken.
fn wake<H: PhysicsHost>(
    coupled: &Coupled<H::Body>,
    exchange: &mut Exchange,
    params: &CouplingParams,
    world: &mut World,
    host: &mut H,
) -> bool {
    let wakes = world.wake_hosted(coupled.object) == Ok(true);
    if wakes {
        host.set_share(coupled.body, 1.0 - params.share);
        exchange.wake(&coupled.mass, params.share, world.config().gravity);
    }
    wakes
}

/// An object that was removed from the world is the host's alone, and there is nothing to do for it.
fn in_world(_done: Result<(), BodyError>) {}

/// Momentum that the engine's copy has over what it would have with the host's velocity.
fn momentum_ahead(world: &World, object: ObjectId, host: &BodyMotion) -> Wrench {
    let i = object.0 as usize;
    let (Some(model), Some(state)) = (world.objects().get(i), world.state().objects.get(i)) else {
        return Wrench::default();
    };
    let Some(mass) = &model.mass else { return Wrench::default() };
    Wrench {
        linear: (state.velocity - host.velocity) * mass.mass,
        angular: state.momentum - mass.world_inertia(state.pose.rotation) * host.spin,
    }
}

fn fastest_palm(world: &World) -> f64 {
    let palms = world.state().softs.iter().filter(|s| s.active).filter_map(|s| s.bones.first());
    palms.map(|palm| palm.velocity.length()).fold(0.0, f64::max)
}

fn in_metres(mass: &MassProperties, units: f64) -> MassProperties {
    let inertia: Mat3 = mass.inertia * (1.0 / (units * units));
    MassProperties { mass: mass.mass, com: mass.com / units, inertia }
}

fn motion_in_metres(motion: &BodyMotion, units: f64) -> BodyMotion {
    let position: Vec3 = motion.pose.position / units;
    BodyMotion { pose: Pose::new(position, motion.pose.rotation), velocity: motion.velocity / units, spin: motion.spin }
}
