//! How true the force of a multirate loop is: against a simulation of everything at 1 kHz, along a motion that nothing can change.

use super::trial::{Rendering, Sample, Session, SessionParams};
use super::{Grip, GripError, Held, Motion, RecordedDevice, SceneWorld};
use thenar::haptics::{DeviceCoupling, HandleState};
use thenar_scene::run::{RunError, Simulation};

/// What is left out after each impact, seconds: two frames at 50 Hz.
pub const IMPACT: f64 = 0.04;
/// Seconds at the start in which the device is engaged and the hand appears.
const START: f64 = 0.4;

/// One way to make a force.
#[derive(Clone, Debug, PartialEq)]
pub struct Fidelity {
    /// Its name.
    pub way: &'static str,
    /// Steps of the world per second.
    pub visual_rate: f64,
    /// Root of the mean square of the difference over that of the reference.
    pub error: f64,
    /// The same with impacts.
    pub with_impacts: f64,
    /// Root of the mean square of the reference, N.
    pub force: f64,
    /// Share of the time that counts.
    pub counted: f64,
}

/// Compares ways to make a force, each with its steps of the world per second, with the reference: a plain coupling to a world that steps in every
/// tick. `make` sets the scene up with a step.
///
/// # Errors
/// If the scene cannot be set up, or has nothing to hold.
pub fn fidelity(
    make: &mut dyn FnMut(f64) -> Result<Simulation, RunError>,
    ways: &[(Rendering, f64)],
    coupling: DeviceCoupling,
) -> Result<Vec<Fidelity>, GripError> {
    let mut rehearsal = make(4e-3)?;
    let held = Held::grip(&mut rehearsal, Grip::Pen, coupling)?;
    let motion = held.rehearse(rehearsal)?.into_iter().next().ok_or(GripError::Nothing)?;
    let (reference, impacts) = course(make, Rendering::Plain, 1000.0, &motion, coupling)?;
    let mut rows = Vec::new();
    for &(rendering, visual_rate) in ways {
        let (samples, _) = course(make, rendering, visual_rate, &motion, coupling)?;
        rows.push(compare(rendering.name(), visual_rate, &reference, &samples, &impacts));
    }
    Ok(rows)
}

/// All ticks of the motion, and when something touched that had touched nothing.
fn course(
    make: &mut dyn FnMut(f64) -> Result<Simulation, RunError>,
    rendering: Rendering,
    visual_rate: f64,
    motion: &Motion,
    coupling: DeviceCoupling,
) -> Result<(Vec<Sample>, Vec<f64>), GripError> {
    let mut params = SessionParams::at(rendering, visual_rate);
    // a step takes less than a millisecond; under 1 kHz its force is there in the tick that it belongs to
    params.compute = if visual_rate >= 1000.0 { 0.0 } else { 2e-3 };
    let mut simulation = make(1.0 / visual_rate)?;
    let held = Held::grip(&mut simulation, Grip::Pen, coupling)?;
    let mut motion = motion.clone();
    let home = motion.at(0.0).pose;
    held.lead(&mut simulation, &[HandleState { pose: home, ..HandleState::default() }]);
    let world = SceneWorld::new(simulation, held, home, params.renderer.dt);
    let ticks = (motion.end() * 1e3) as usize;
    let mut session = Session::new(world, Box::new(RecordedDevice::new(motion)), params)?;
    let (mut samples, mut impacts, mut touched) = (Vec::new(), Vec::new(), f64::NEG_INFINITY);
    for _ in 0..ticks {
        let sample = session.tick();
        if session.world.simulation.world().contacts().iter().any(|pair| pair.active) {
            if sample.time - touched > IMPACT {
                impacts.push(sample.time);
            }
            touched = sample.time;
        }
        samples.push(sample);
    }
    Ok((samples, impacts))
}

fn compare(way: &'static str, visual_rate: f64, reference: &[Sample], samples: &[Sample], impacts: &[f64]) -> Fidelity {
    let (mut sums, mut all, mut counted) = ([0.0; 2], [0.0; 2], 0);
    let mut ticks = 0;
    for (truth, felt) in reference.iter().zip(samples).filter(|(truth, _)| truth.time > START) {
        let square = |of: &dyn Fn(usize) -> f64| (0..3).map(|axis| of(axis).powi(2)).sum::<f64>();
        let off = square(&|axis| felt.wrench[axis] - truth.wrench[axis]);
        let size = square(&|axis| truth.wrench[axis]);
        (all[0], all[1], ticks) = (all[0] + off, all[1] + size, ticks + 1);
        if !impacts.iter().any(|impact| (*impact..*impact + IMPACT).contains(&truth.time)) {
            (sums[0], sums[1], counted) = (sums[0] + off, sums[1] + size, counted + 1);
        }
    }
    let ratio = |[off, size]: [f64; 2]| if size > 0.0 { (off / size).sqrt() } else { 0.0 };
    Fidelity {
        way,
        visual_rate,
        error: ratio(sums),
        with_impacts: ratio(all),
        force: (sums[1] / f64::from(counted.max(1))).sqrt(),
        counted: f64::from(counted) / f64::from(ticks.max(1)),
    }
}
