//! A fingertip's pad and the disc on it, as in Fig. 4 of Perez et al. 2016: samples that touch in red, free ones in blue.

use crate::camera::Camera;
use crate::canvas::{Canvas, Rgb, srgb};
use crate::scene3::{Point, Scene3};
use crate::surface::Surface;
use thenar::math::Vec3;
use thenar::tactile::{DeviceModel, FingerTouch};

/// Gap up to which a sample is drawn as touching, metres.
const TOUCHING: f64 = 1e-4;

fn red() -> Rgb {
    srgb(0x00d0_3a2f)
}

fn blue() -> Rgb {
    srgb(0x002f_6fd0)
}

fn pink() -> Rgb {
    srgb(0x00e0_7fb0)
}

/// Draws disc, legs and samples into a picture, in the world.
pub fn add_disc(picture: &mut Scene3, finger: &FingerTouch, device: &DeviceModel, dot: f32) {
    place(picture, finger, device, dot, |in_pad| finger.frame.point(in_pad));
}

/// The pad alone, seen from the side of the tip and a little from below, in its own frame.
#[must_use]
pub fn pad_picture(finger: &FingerTouch, device: &DeviceModel, size: [usize; 2], title: &str) -> Canvas {
    let mut picture = Scene3::new();
    picture.occlusion = 0.0;
    place(&mut picture, finger, device, 1.6, |in_pad| in_pad);
    // the same view whatever the disc does
    let reach = 1.9 * device.radius;
    let frame: Vec<Vec3> = [-1.0, 1.0]
        .iter()
        .flat_map(|s| [Vec3::X, Vec3::Z].map(|a| a * (s * reach)))
        .chain([Vec3::Y * 7e-3, Vec3::Y * -4e-3])
        .collect();
    let camera = Camera::framing(&frame, Vec3::new(0.35, 0.45, 0.85), Vec3::Y, size[0] as f64 / size[1] as f64, 0.04);
    let mut canvas = picture.render(&camera, size[0], size[1]);
    let ink = srgb(0x0033_3a44);
    canvas.text(4.0, 4.0, 9.0, ink, title);
    let disc = &finger.disc;
    let degrees = format!("{:+.0}\u{b0} {:+.0}\u{b0}", disc.pitch.to_degrees(), disc.roll.to_degrees());
    canvas.text(4.0, size[1] as f32 - 25.0, 8.0, ink, &format!("{:+.1} mm", disc.displacement * 1e3));
    canvas.text(4.0, size[1] as f32 - 13.0, 8.0, ink, &degrees);
    canvas
}

fn place(picture: &mut Scene3, finger: &FingerTouch, device: &DeviceModel, dot: f32, to: impl Fn(Vec3) -> Vec3) {
    let disc = &finger.disc;
    let half = disc.normal() * 3e-4;
    let centre = disc.point(Vec3::ZERO) - half;
    picture.add(Surface::cylinder(to(centre - half), to(centre + half), device.radius, pink()).with_opacity(0.55));
    if let Some(legs) = &device.legs {
        for (base, end) in legs.base.iter().zip(&legs.platform) {
            picture.line(to(*base), to(disc.point(*end)), 1.4, srgb(0x006b_7280));
        }
    }
    for sample in &finger.samples {
        let touching = sample.gap <= TOUCHING;
        picture.points.push(Point {
            at: to(finger.frame.local(sample.position)),
            colour: if touching { red() } else { blue() },
            radius: if touching { 1.25 * dot } else { dot },
            hidden: 0.6,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use thenar::hand::{Digit, HandModel, HandOptions, SkinDetail};
    use thenar::tactile::TactileParams;
    use thenar::world::{World, WorldConfig};

    #[test]
    fn a_touching_sample_makes_the_picture_redder() {
        let model = HandModel::build(&HandOptions { detail: SkinDetail::Coarse, ..HandOptions::default() }).unwrap();
        let tactile = Some(TactileParams::default());
        let mut world = World::new(WorldConfig { tactile, ..WorldConfig::default() }).unwrap();
        let hand = world.add_hand(&model).unwrap();
        let mut finger = world.hand(hand).tactile[Digit::Index.index()].clone();
        assert!(Arc::strong_count(finger.pad()) > 1 && finger.samples.len() > 50);
        let redness = |finger: &FingerTouch| -> f64 {
            let canvas = pad_picture(finger, &DeviceModel::default(), [120, 120], "index");
            canvas.to_srgb8().chunks(3).map(|p| f64::from(p[0]) - f64::from(p[2])).sum()
        };
        // at rest, samples stand in the bone's frame as it is; here the pad's own
        finger.frame = thenar::math::Pose::IDENTITY;
        let free = redness(&finger);
        finger.samples.iter_mut().for_each(|sample| sample.gap = 0.0);
        assert!(redness(&finger) > free + 1000.0);
    }
}
