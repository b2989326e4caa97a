//! Sliding of the skin under a fingertip.

use crate::math::Vec3;

/// Sliding at which the level is one half, m/s.
const HALF_SPEED: f64 = 0.01;
/// Sliding that is reported as slip, metres.
const SLID: f64 = 2.5e-4;
/// Sliding below which it has ended, metres.
const HELD: f64 = 1e-4;
/// Time in which sliding is forgotten, seconds.
const FORGETTING: f64 = 0.5;

/// What a fingertip knows about slip.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Slip {
    /// 0 (nothing slides) to 1, by the speed: what a vibrating glove plays.
    pub level: f64,
    /// Mean velocity of the skin over what it touches, by normal force, in the pad's frame, m/s. Contacts that stick count as zero.
    pub velocity: Vec3,
    /// Way slid lately, in the pad's frame, metres.
    pub way: Vec3,
    /// The skin slips.
    pub slipping: bool,
    /// Slip began in this step.
    pub event: bool,
}

impl Slip {
    /// Goes on for `dt` seconds with a new velocity; `touching` is false for a free finger, which forgets all.
    pub fn advance(&mut self, velocity: Vec3, touching: bool, dt: f64) {
        if !touching {
            *self = Slip::default();
            return;
        }
        let speed = velocity.length();
        self.velocity = velocity;
        self.level = speed / (speed + HALF_SPEED);
        self.way = self.way * (1.0 - (dt / FORGETTING).min(1.0)) + velocity * dt;
        let before = self.slipping;
        self.slipping = self.way.length() > if before { HELD } else { SLID };
        self.event = self.slipping && !before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slip_is_told_once_before_a_millimetre_and_ends() {
        let mut slip = Slip::default();
        let (mut slid, mut told) = (0.0, Vec::new());
        for _ in 0..100 {
            slip.advance(Vec3::X * 0.005, true, 4e-3);
            slid += 0.005 * 4e-3;
            if slip.event {
                told.push(slid);
            }
        }
        assert!(told.len() == 1 && told[0] < 0.5e-3, "{told:?}");
        assert!((slip.level - 1.0 / 3.0).abs() < 1e-12);
        for _ in 0..600 {
            slip.advance(Vec3::ZERO, true, 4e-3);
        }
        assert!(!slip.slipping && slip.level == 0.0);
    }

    #[test]
    fn trembling_is_no_slip() {
        let mut slip = Slip::default();
        for k in 0..1000 {
            slip.advance(Vec3::X * if k % 2 == 0 { 0.02 } else { -0.02 }, true, 4e-3);
            assert!(!slip.slipping);
        }
    }
}
