//! A fingertip after a step: what it feels and what its device shall do.

use super::pad::PadModel;
use super::{
    DeviceError, DeviceModel, DiscPose, Matching, SampleTouch, Slip, Surroundings, Taxels, follow,
    pressure_displacement, taxels,
};
use crate::math::{Pose, Vec3};
use std::sync::Arc;

/// Samples nearer than this touch, metres.
const TOUCHING: f64 = 1e-4;
/// Force at which half of the displacement is pressure's, N.
const FELT_FORCE: f64 = 0.05;

/// What the disc's displacement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Displacement {
    /// Where the virtual surface is [Perez §IV].
    #[default]
    Surface,
    /// How hard it presses: the depth at which a real pad presses back as hard.
    Pressure,
}

/// How touch is rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct TactileParams {
    /// The device on every finger.
    pub device: DeviceModel,
    /// The disc follows the surface; else it stays retracted, and only what is felt is reported.
    pub matching: bool,
    /// What its displacement says.
    pub displacement: Displacement,
    /// Taxels across and along each pad.
    pub taxels: [usize; 2],
}

impl Default for TactileParams {
    fn default() -> Self {
        TactileParams {
            device: DeviceModel::default(),
            matching: true,
            displacement: Displacement::Surface,
            taxels: [4, 6],
        }
    }
}

impl TactileParams {
    /// Says whether touch can be rendered like this.
    ///
    /// # Errors
    /// Names the field, its value and what is expected.
    pub fn check(&self) -> Result<(), DeviceError> {
        for (field, n) in [("taxels[0]", self.taxels[0]), ("taxels[1]", self.taxels[1])] {
            if !(1..=taxels::MOST_TAXELS).contains(&n) {
                return Err(DeviceError { field, value: n as f64, expected: "1 to 64" });
            }
        }
        self.device.check()
    }
}

/// What a fingertip keeps from step to step: part of the State, but not of its hash, since nothing that moves depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct FingerMemory {
    /// The disc; `None` before its first step.
    pub disc: Option<DiscPose>,
    /// Where the pad's frame was, metres.
    pub at: Vec3,
    /// Slip so far.
    pub slip: Slip,
}

/// One contact of a fingertip, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Felt {
    /// Where, metres.
    pub point: Vec3,
    /// On the skin, N.
    pub force: Vec3,
    /// Normal force, N.
    pub pressing: f64,
    /// Of the skin over what it touches, m/s, without its part along the normal.
    pub sliding: Vec3,
    /// It slides.
    pub slips: bool,
}

/// What came out for one fingertip.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FingerTouch {
    /// The pad's frame in the world.
    pub frame: Pose,
    /// The samples.
    pub samples: Vec<SampleTouch>,
    /// How many of them touch.
    pub touching: u32,
    /// Mean normal of the surface under those, from there to the skin, in the pad's frame; zero if none touches.
    pub surface_normal: Vec3,
    /// The pose that matches the surface best within the device's range.
    pub target: DiscPose,
    /// The pose that the device is told: the target, as fast as it may be approached.
    pub disc: DiscPose,
    /// Lengths of its legs, metres; zero for a device without.
    pub legs: [f64; 3],
    /// Root mean square distance between the surface and the target, weighted as in the matching, metres.
    pub residual: f64,
    /// Displacement of the virtual surface, metres.
    pub surface_displacement: f64,
    /// Displacement at which a real pad presses back as hard as the virtual one, metres.
    pub pressure_displacement: f64,
    /// Contact force on the fingertip, N, in the pad's frame: x and z are shear, y presses into the finger.
    pub force: Vec3,
    /// Sum of the normal forces, N.
    pub pressing: f64,
    /// Mean displacement of the touching skin beside the normal, metres, across and along the finger.
    pub stretch: [f64; 2],
    /// Slip.
    pub slip: Slip,
    /// Contact forces on a grid.
    pub taxels: Taxels,
    pad: Arc<PadModel>,
    sliding: Vec3,
}

/// Where the pad is, and how long the step was.
#[derive(Clone, Copy, Debug)]
pub struct PadState {
    /// Placement of the distal bone's frame.
    pub bone: Pose,
    /// The hand's soft body.
    pub body: usize,
    /// Seconds.
    pub dt: f64,
}

impl FingerTouch {
    /// A finger that touches nothing.
    #[must_use]
    pub fn new(pad: Arc<PadModel>, params: &TactileParams) -> FingerTouch {
        let free = params.device.free();
        FingerTouch {
            frame: pad.frame,
            samples: pad
                .rest
                .iter()
                .map(|p| SampleTouch { position: *p, gap: f64::INFINITY, normal: Vec3::ZERO })
                .collect(),
            touching: 0,
            surface_normal: Vec3::ZERO,
            target: free,
            disc: free,
            legs: params.device.lengths(&free),
            residual: 0.0,
            surface_displacement: free.displacement,
            pressure_displacement: 0.0,
            force: Vec3::ZERO,
            pressing: 0.0,
            stretch: [0.0; 2],
            slip: Slip::default(),
            taxels: Taxels::new(params.taxels, &pad.bounds),
            pad,
            sliding: Vec3::ZERO,
        }
    }

    /// The pad that feels.
    #[must_use]
    pub fn pad(&self) -> &Arc<PadModel> {
        &self.pad
    }

    /// Angle between the disc and the mean surface under the touching samples, radians; `None` if none touches.
    #[must_use]
    pub fn tilt_error(&self) -> Option<f64> {
        let normal = self.surface_normal.try_normalize()?;
        Some(libm::acos(normal.dot(self.disc.normal()).clamp(-1.0, 1.0)))
    }

    /// Before the contacts of a part of a step; sums begin anew with its first.
    pub fn begin(&mut self, bone: &Pose, anew: bool) {
        self.frame = *bone * self.pad.frame;
        if anew {
            self.taxels.clear();
            (self.force, self.pressing, self.sliding) = (Vec3::ZERO, 0.0, Vec3::ZERO);
        }
    }

    /// Takes in a contact of a part of the step, which is `share` of it.
    pub fn feel(&mut self, felt: &Felt, share: f64) {
        let turn = self.frame.rotation.inverse();
        let force = turn * felt.force * share;
        self.taxels.add(self.frame.local(felt.point), force);
        self.force += force;
        self.pressing += felt.pressing * share;
        if felt.slips {
            self.sliding += turn * felt.sliding * (felt.pressing * share);
        }
    }

    /// After the contacts of a step: lets the samples look around, matches the surface and moves the disc.
    pub fn render(
        &mut self,
        params: &TactileParams,
        around: &mut Surroundings<'_>,
        state: &PadState,
        memory: &mut FingerMemory,
    ) {
        self.frame = state.bone * self.pad.frame;
        let (device, band, back) = (&params.device, params.device.band(), self.frame.inverse());
        // the pose is found with the samples, which are lent out meanwhile
        let mut samples = std::mem::take(&mut self.samples);
        let mut matching = Matching::default();
        let axis = self.frame.rotation * Vec3::Y;
        around.look(&self.pad, state.body, axis, band, &mut samples, |position, gap, normal| {
            matching.add(back.point(position), gap, back.rotation * normal, band);
        });
        self.samples = samples;
        self.summarise(&back);
        let matched = matching.solve(device);
        self.residual = matching.residual(&matched);
        self.surface_displacement = matched.displacement;
        self.pressure_displacement = pressure_displacement(self.force.y);
        self.target = self.wanted(params, matched);

        let speed = self.frame.position.distance(memory.at) / state.dt;
        let before = memory.disc.unwrap_or_else(|| device.free());
        self.disc = follow(device, &before, &self.target, if memory.disc.is_some() { speed } else { 0.0 }, state.dt);
        self.legs = device.lengths(&self.disc);
        let sliding = if self.pressing > 0.0 { self.sliding / self.pressing } else { Vec3::ZERO };
        memory.slip.advance(sliding, self.pressing > 0.0, state.dt);
        self.slip = memory.slip;
        (memory.disc, memory.at) = (Some(self.disc), self.frame.position);
    }

    /// A finger that is not in the world: its disc retracts.
    pub fn leave(&mut self, params: &TactileParams, memory: &mut FingerMemory, dt: f64) {
        let free = params.device.free();
        let before = memory.disc.unwrap_or(free);
        for sample in &mut self.samples {
            (sample.gap, sample.normal) = (f64::INFINITY, Vec3::ZERO);
        }
        (self.touching, self.surface_normal, self.target) = (0, Vec3::ZERO, free);
        (self.residual, self.surface_displacement, self.pressure_displacement) = (0.0, free.displacement, 0.0);
        self.stretch = [0.0; 2];
        self.taxels.clear();
        (self.force, self.pressing) = (Vec3::ZERO, 0.0);
        self.disc = follow(&params.device, &before, &free, 0.0, dt);
        self.legs = params.device.lengths(&self.disc);
        self.slip = Slip::default();
        (memory.disc, memory.slip) = (Some(self.disc), Slip::default());
    }

    fn wanted(&self, params: &TactileParams, matched: DiscPose) -> DiscPose {
        if !params.matching {
            return params.device.free();
        }
        let pressed = match params.displacement {
            Displacement::Surface => return matched,
            Displacement::Pressure => self.pressure_displacement,
        };
        let force = self.force.y.max(0.0);
        let share = force / (force + FELT_FORCE);
        let [low, high] = params.device.displacement;
        let displacement = (matched.displacement + (pressed - matched.displacement) * share).clamp(low, high);
        params.device.reachable(DiscPose { displacement, ..matched })
    }

    /// Number, mean normal and mean stretch of the samples that touch.
    fn summarise(&mut self, back: &Pose) {
        let (mut normal, mut stretch, mut count) = (Vec3::ZERO, Vec3::ZERO, 0u32);
        for (sample, rest) in self.samples.iter().zip(&self.pad.rest) {
            if sample.gap <= TOUCHING {
                count += 1;
                normal += sample.normal;
                stretch += back.point(sample.position) - *rest;
            }
        }
        self.touching = count;
        self.surface_normal = back.rotation * normal.normalize_or_zero();
        let mean = stretch / f64::from(count.max(1));
        self.stretch = [mean.x, mean.z];
    }
}
