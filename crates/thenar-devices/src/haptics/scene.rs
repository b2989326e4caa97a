//! Scenes with a device in their hand: which handles it moves, what a simulated person wants of them, and each step's model.

use super::trial::TrialWorld;
use super::{HapticError, Motion};
use thenar::hand::BoneId;
use thenar::haptics::{DeviceCoupling, HandleBody, HandleCoupling, HandleId, HandleState, ProxyModel};
use thenar::math::Pose;
use thenar::world::{HandleError, World};
use thenar_scene::run::{RunError, Simulation};

/// What a device holds of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Grip {
    /// The first handle of the scene, or the palm of its first hand where it has none: for pens.
    #[default]
    Pen,
    /// Palm and phalanges of its first hand: for gloves, sixteen handles.
    Glove,
}

/// Why a scene has nothing for a device to hold.
#[derive(Debug, thiserror::Error)]
pub enum GripError {
    /// Neither hand nor handle.
    #[error("the scene has neither a handle nor a hand that a device could hold")]
    Nothing,
    /// The engine's.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// A step of the rehearsal.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Of the device.
    #[error(transparent)]
    Device(#[from] HapticError),
}

/// The handles of a simulation that a device moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// In the order of the device.
    pub handles: Vec<HandleId>,
    /// The hand of the scene whose palm is the first handle; `None` where that is of a soft tool.
    pub hand: Option<usize>,
    coupling: DeviceCoupling,
    /// How the scene's own handles followed it before.
    before: Vec<(HandleId, HandleCoupling)>,
}

impl Held {
    /// Takes hold, by couplings as firm as the device can render.
    ///
    /// # Errors
    /// If there is nothing to hold.
    pub fn grip(simulation: &mut Simulation, grip: Grip, coupling: DeviceCoupling) -> Result<Self, GripError> {
        let hand = simulation.hands().first().map(|hand| hand.id);
        let led = simulation.hands().iter().position(|hand| hand.palm == Some(HandleId(0)));
        let world = simulation.world_mut();
        let own = (0..world.handle_count() as u32).map(HandleId);
        let own = own.map(|handle| Ok((handle, world.handle_coupling(handle)?)));
        let own: Vec<(HandleId, HandleCoupling)> = own.collect::<Result<_, HandleError>>()?;
        let handles = match (grip, hand) {
            (Grip::Pen, _) if world.handle_count() > 0 => vec![HandleId(0)],
            (Grip::Pen, Some(hand)) => vec![world.add_handle(hand, BoneId::PALM, coupling.into())?],
            (Grip::Glove, Some(hand)) => {
                let handle = |bone| match world.add_handle(hand, bone, coupling.into()) {
                    // a palm that the scene leads
                    Err(HandleError::Taken { handle, .. }) => Ok(HandleId(handle)),
                    added => added,
                };
                BoneId::all().map(handle).collect::<Result<_, _>>()?
            }
            (_, None) => return Err(GripError::Nothing),
        };
        for handle in &handles {
            world.set_handle_coupling(*handle, coupling.into())?;
        }
        let before: Vec<_> = own.into_iter().filter(|(handle, _)| handles.contains(handle)).collect();
        let hand = if before.is_empty() { Some(0) } else { led };
        Ok(Self { handles, hand, coupling, before })
    }

    /// Lets go: what was made a handle for the device follows its tracker again, and the scene's own handles follow the scene as they did.
    pub fn release(self, simulation: &mut Simulation) {
        for handle in self.handles.into_iter().rev() {
            simulation.unlead(handle);
            let world = simulation.world_mut();
            // a handle of another simulation is not there, and nothing is to be done for it
            let _ = match self.before.iter().find(|(own, _)| *own == handle) {
                Some((_, coupling)) => world.set_handle_coupling(handle, *coupling),
                None => world.remove_handle(handle),
            };
        }
    }

    /// What the scene wants of each handle over its whole length: the intention of a simulated person. Runs `rehearsal`, a simulation of the same scene
    /// whose handles nobody leads.
    ///
    /// # Errors
    /// If a step is refused.
    pub fn rehearse(&self, mut rehearsal: Simulation) -> Result<Vec<Motion>, GripError> {
        let mut motions = vec![Motion::default(); self.handles.len()];
        loop {
            if rehearsal.advance().map_err(RunError::from)?.is_none() {
                return Ok(motions);
            }
            for (handle, motion) in self.handles.iter().zip(&mut motions) {
                if let Some(wish) = rehearsal.world().handle_wish(*handle)? {
                    motion.push(rehearsal.time(), wish.pose);
                }
            }
        }
    }

    /// Where the device is at the end of the step to come.
    pub fn lead(&self, simulation: &mut Simulation, devices: &[HandleState]) {
        for (handle, device) in self.handles.iter().zip(devices) {
            simulation.lead(*handle, *device);
        }
    }

    /// The model of the last step for ticks of `dt` seconds, the next one expected after `period`. False where it cannot be used.
    ///
    /// # Errors
    /// If no step was solved.
    pub fn model(&self, world: &mut World, dt: f64, period: f64, model: &mut ProxyModel) -> Result<bool, GripError> {
        Ok(world.proxy_model(&self.handles, dt, period, model)?)
    }
}

/// A scene in virtual time, for sessions.
pub struct SceneWorld {
    /// The scene.
    pub simulation: Simulation,
    held: Held,
    /// Of a tick, seconds.
    dt: f64,
    home: Pose,
}

impl SceneWorld {
    /// A scene whose first handle a device holds, found at `home`.
    #[must_use]
    pub fn new(simulation: Simulation, held: Held, home: Pose, dt: f64) -> Self {
        Self { simulation, held, dt, home }
    }
}

impl TrialWorld for SceneWorld {
    fn body(&self) -> HandleBody {
        let body = self.held.handles.first().and_then(|handle| self.simulation.world().handle_body(*handle).ok());
        body.unwrap_or(HandleBody { mass: 1.0, inertia: thenar::math::Mat3::IDENTITY })
    }

    fn coupling(&self) -> DeviceCoupling {
        self.held.coupling
    }

    fn handle(&self) -> HandleState {
        let state = self.held.handles.first().and_then(|handle| self.simulation.world().handle_state(*handle).ok());
        let placed = HandleState { pose: self.home, ..HandleState::default() };
        state.filter(|_| self.simulation.step_count() > 0).unwrap_or(placed)
    }

    fn step(&mut self, target: &HandleState, period: f64, model: &mut ProxyModel) -> bool {
        self.held.lead(&mut self.simulation, &[*target]);
        matches!(self.simulation.advance(), Ok(Some(_)))
            && self.held.model(self.simulation.world_mut(), self.dt, period, model).unwrap_or(false)
    }
}
