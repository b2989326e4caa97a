//! Touch on the fingertips as arrays and as messages.

use serde::Serialize;
use thenar::hand::Digit;
use thenar::math::Vec3;
use thenar::tactile::{DiscPose, FingerTouch, TactileParams};

use super::column::Column;
use super::tables::OutputError;

const FINGERS: usize = Digit::ALL.len();

/// Arrays of one hand.
pub(super) struct TactileColumns {
    discs: Column,
    targets: Column,
    legs: Column,
    fingertips: Column,
    taxels: Column,
}

fn pose(pose: &DiscPose) -> [f64; 3] {
    [pose.displacement, pose.pitch, pose.roll]
}

impl TactileColumns {
    pub fn create(
        column: &impl Fn(&str, &[usize]) -> Result<Column, OutputError>,
        params: &TactileParams,
    ) -> Result<TactileColumns, OutputError> {
        let [across, along] = params.taxels;
        Ok(TactileColumns {
            discs: column("discs", &[FINGERS, 3])?,
            targets: column("disc_targets", &[FINGERS, 3])?,
            legs: column("disc_legs", &[FINGERS, 3])?,
            fingertips: column("fingertips", &[FINGERS, 12])?,
            taxels: column("taxels", &[FINGERS, along, across, 3])?,
        })
    }

    pub fn push(&mut self, fingers: &[FingerTouch]) -> Result<(), OutputError> {
        self.discs.push(fingers.iter().flat_map(|finger| pose(&finger.disc)))?;
        self.targets.push(fingers.iter().flat_map(|finger| pose(&finger.target)))?;
        self.legs.push(fingers.iter().flat_map(|finger| finger.legs))?;
        self.fingertips.push(fingers.iter().flat_map(|f| {
            let flag = |yes: bool| f64::from(u8::from(yes));
            let [x, y, z] = f.force.to_array();
            let [across, along] = f.stretch;
            let felt = [f64::from(f.touching), f.residual, x, y, z, f.pressing, f.pressure_displacement];
            let slip = [f.slip.level, flag(f.slip.slipping), flag(f.slip.event)];
            felt.into_iter().chain([across, along]).chain(slip)
        }))?;
        self.taxels.push(fingers.iter().flat_map(|f| f.taxels.forces.iter().flat_map(Vec3::to_array)))
    }

    pub fn all(&mut self) -> [&mut Column; 5] {
        let TactileColumns { discs, targets, legs, fingertips, taxels } = self;
        [discs, targets, legs, fingertips, taxels]
    }
}

/// One message of topic `/hand/N/tactile`.
#[derive(Serialize)]
pub(super) struct TactileMessage {
    step: u64,
    time: f64,
    fingers: Vec<FingerMessage>,
}

#[derive(Serialize)]
struct FingerMessage {
    digit: &'static str,
    displacement: f64,
    pitch: f64,
    roll: f64,
    target: [f64; 3],
    legs: [f64; 3],
    touching: u32,
    residual: f64,
    force: [f64; 3],
    pressing: f64,
    pressure_displacement: f64,
    stretch: [f64; 2],
    slip: f64,
    slipping: bool,
    slip_event: bool,
    taxels: [usize; 2],
    taxel_forces: Vec<[f64; 3]>,
}

impl TactileMessage {
    pub fn new(step: u64, time: f64, fingers: &[FingerTouch]) -> TactileMessage {
        let finger = |(digit, f): (Digit, &FingerTouch)| FingerMessage {
            digit: digit.name(),
            displacement: f.disc.displacement,
            pitch: f.disc.pitch,
            roll: f.disc.roll,
            target: pose(&f.target),
            legs: f.legs,
            touching: f.touching,
            residual: f.residual,
            force: f.force.to_array(),
            pressing: f.pressing,
            pressure_displacement: f.pressure_displacement,
            stretch: f.stretch,
            slip: f.slip.level,
            slipping: f.slip.slipping,
            slip_event: f.slip.event,
            taxels: f.taxels.size,
            taxel_forces: f.taxels.forces.iter().map(Vec3::to_array).collect(),
        };
        TactileMessage { step, time, fingers: Digit::ALL.into_iter().zip(fingers).map(finger).collect() }
    }
}
