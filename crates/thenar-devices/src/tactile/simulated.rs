//! A device that is not there: it says what a real one would do.

use super::TactileCommand;
use thenar::hand::Digit;
use thenar::tactile::{DeviceModel, DiscPose};

/// What the device did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// Commands that it got.
    pub commands: u64,
    /// How far a disc was behind its command at most, metres.
    pub displacement_lag: f64,
    /// The same of its tilt, radians.
    pub tilt_lag: f64,
    /// Fastest motion of a disc, m/s.
    pub rate: f64,
    /// Fastest tilt, rad/s.
    pub tilt_rate: f64,
    /// Deepest that a disc was pressed in, metres.
    pub deepest: f64,
    /// Slip events.
    pub slips: u64,
}

/// Discs on the fingers of one hand, moved by motors that follow with a lag of first order and no faster than they can.
#[derive(Clone, Debug)]
pub struct SimulatedDevice {
    model: DeviceModel,
    discs: [DiscPose; Digit::ALL.len()],
    time: Option<f64>,
    report: DeviceReport,
}

impl SimulatedDevice {
    /// A device at rest.
    #[must_use]
    pub fn new(model: DeviceModel) -> SimulatedDevice {
        let discs = [model.free(); Digit::ALL.len()];
        let report = DeviceReport { deepest: model.free().displacement, ..DeviceReport::default() };
        SimulatedDevice { model, discs, time: None, report }
    }

    /// Takes a command and moves on to its time.
    pub fn send(&mut self, command: &TactileCommand) {
        let dt = self.time.map_or(0.0, |before| (command.time - before).max(0.0));
        self.time = Some(command.time);
        self.report.commands += 1;
        let share = if self.model.lag > 0.0 { 1.0 - (-dt / self.model.lag).exp() } else { 1.0 };
        for (disc, finger) in self.discs.iter_mut().zip(&command.fingers) {
            let wanted = finger.disc;
            let bounded = |way: f64, rate: f64| way.clamp(-rate * dt, rate * dt);
            let step = DiscPose {
                displacement: bounded((wanted.displacement - disc.displacement) * share, self.model.rate),
                pitch: bounded((wanted.pitch - disc.pitch) * share, self.model.tilt_rate),
                roll: bounded((wanted.roll - disc.roll) * share, self.model.tilt_rate),
            };
            disc.displacement += step.displacement;
            disc.pitch += step.pitch;
            disc.roll += step.roll;
            let report = &mut self.report;
            let tilt = (wanted.pitch - disc.pitch).hypot(wanted.roll - disc.roll);
            report.displacement_lag = report.displacement_lag.max((wanted.displacement - disc.displacement).abs());
            report.tilt_lag = report.tilt_lag.max(tilt);
            report.deepest = report.deepest.max(disc.displacement);
            report.slips += u64::from(finger.slip_event);
            if dt > 0.0 {
                report.rate = report.rate.max(step.displacement.abs() / dt);
                report.tilt_rate = report.tilt_rate.max(step.pitch.hypot(step.roll) / dt);
            }
        }
    }

    /// Where the discs are.
    #[must_use]
    pub fn discs(&self) -> &[DiscPose; Digit::ALL.len()] {
        &self.discs
    }

    /// What it did so far.
    #[must_use]
    pub fn report(&self) -> &DeviceReport {
        &self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motors_lag_behind_and_arrive() {
        let model = DeviceModel::default();
        let mut device = SimulatedDevice::new(model.clone());
        let mut command = TactileCommand::default();
        for finger in &mut command.fingers {
            finger.disc = DiscPose { displacement: 1e-3, pitch: 0.2, roll: -0.1 };
        }
        for k in 0..100 {
            command.time = f64::from(k) * 4e-3;
            device.send(&command);
            if k == 5 {
                // one time constant: still on its way
                let d = device.discs()[1].displacement;
                assert!(d > model.free().displacement + 5e-4 && d < 0.5e-3, "{d}");
            }
        }
        assert!((device.discs()[1].displacement - 1e-3).abs() < 1e-6);
        assert!(device.report().rate <= model.rate + 1e-9 && device.report().displacement_lag >= 4e-3 - 1e-9);
    }
}
