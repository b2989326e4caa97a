//! The HAPTIC section of frames: a device, its proxy, and what happened since the last frame.

use thenar::math::{Pose, Vec3};

use super::bytes::Bytes;
use super::ticks::{GROUP, Group, History};

/// A device at work, as pages draw it.
#[derive(Clone, Copy, Debug)]
pub struct HapticView {
    /// The hand whose palm it holds; `None` for a soft tool.
    pub hand: Option<usize>,
    /// Whether somebody holds it.
    pub present: bool,
    /// The loop has a real-time priority.
    pub realtime: bool,
    /// Where the person wants it.
    pub wish: Pose,
    /// Where it is.
    pub device: Pose,
    /// Where the simulated handle is at the rate of the device.
    pub proxy: Pose,
    /// On the user, N.
    pub force: Vec3,
    /// On the user, N·m.
    pub torque: Vec3,
    /// Ticks per second, lately.
    pub rate: f64,
    /// Share of ticks more than 0.3 ms late, lately.
    pub late: f64,
}

/// What a frame says of a device: how it is now, and the groups of ticks from a number on.
#[derive(Clone, Copy)]
pub struct HapticSection<'a> {
    /// Now.
    pub view: &'a HapticView,
    /// Everything that is kept.
    pub history: &'a History,
    /// The first group that the page has not seen.
    pub from: u64,
}

/// Index of the section where the device holds a soft tool.
const TOOL: usize = 0xffff;

impl HapticSection<'_> {
    /// Index of the section.
    pub(super) fn index(&self) -> usize {
        self.view.hand.unwrap_or(TOOL)
    }

    pub(super) fn write(&self, bytes: &mut Bytes) {
        let view = self.view;
        bytes.u32(u32::from(view.present) | u32::from(view.realtime) << 1);
        [view.device, view.proxy, view.wish].iter().for_each(|pose| bytes.pose(pose));
        bytes.vector(view.force);
        bytes.vector(view.torque);
        bytes.f32(view.rate);
        bytes.f32(view.late);
        bytes.f32(GROUP);
        let groups = self.history.since(self.from);
        bytes.u32(groups.len() as u32);
        for Group { index, extremes } in groups {
            bytes.u32(*index);
            extremes.as_flattened().iter().for_each(|number| bytes.f32(f64::from(*number)));
        }
    }
}
