//! Light and how surfaces answer it.

use crate::camera::View;
use crate::canvas::{Rgb, mix};
use crate::surface::Material;
use thenar::math::Vec3;

/// A light far away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Unit direction from the scene to the light.
    pub towards: Vec3,
    /// Linear RGB intensity.
    pub colour: Rgb,
}

/// The lights of a scene: a key that throws shadows, a fill, a rim from behind, and the sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lighting {
    /// Main light; throws shadows.
    pub key: Light,
    /// Weaker light from the other side, without shadows.
    pub fill: Light,
    /// Light from behind that draws the outline.
    pub rim: Light,
    /// Where the sky is, a unit vector.
    pub zenith: Vec3,
    /// Light from above.
    pub sky: Rgb,
    /// Light from below.
    pub floor: Rgb,
    /// Opening of the key light, radians: soft shadow edges.
    pub softness: f64,
}

impl Lighting {
    /// A photographer's set-up that turns with the camera: key from the upper left, fill from the right.
    pub(crate) fn studio(view: &View) -> Self {
        let from = |x: f64, y: f64, z: f64| (x * view.right + y * view.up - z * view.forward).normalize();
        Lighting {
            key: Light { towards: from(-0.8, 0.85, 0.8), colour: [1.02, 0.99, 0.94] },
            fill: Light { towards: from(0.9, -0.1, 0.5), colour: [0.14, 0.155, 0.18] },
            rim: Light { towards: from(0.6, 0.5, -0.8), colour: [0.6, 0.63, 0.7] },
            zenith: view.up,
            sky: [0.27, 0.275, 0.29],
            floor: [0.13, 0.115, 0.105],
            softness: 0.22,
        }
    }

    /// Lights fixed in the world, for scenes with a ground: key from above, over the left shoulder of the viewer.
    pub(crate) fn room(view: &View) -> Self {
        let level = Vec3::new(view.forward.x, 0.0, view.forward.z).normalize_or(Vec3::NEG_Z);
        let side = level.cross(Vec3::Y);
        let from = |x: f64, y: f64, z: f64| (x * side + y * Vec3::Y - z * level).normalize();
        Lighting {
            key: Light { towards: from(-0.55, 1.25, 0.45), colour: [1.02, 0.99, 0.94] },
            fill: Light { towards: from(0.9, 0.25, 0.6), colour: [0.14, 0.155, 0.18] },
            rim: Light { towards: from(0.4, 0.5, -0.9), colour: [0.6, 0.63, 0.7] },
            zenith: Vec3::Y,
            ..Lighting::studio(view)
        }
    }

    /// Colour of a surface point.
    ///
    /// `lit` is the part of the key light that arrives, `open` the part of the sky that is not occluded.
    pub(crate) fn shade(&self, material: Material, albedo: Rgb, n: Vec3, to_eye: Vec3, lit: f32, open: f32) -> Rgb {
        if material == Material::Unlit {
            return albedo;
        }
        // Light wraps around soft matter; red travels furthest in skin, which reddens the edge of the shadow.
        let wrap: Rgb = if material == Material::Skin { [0.42, 0.22, 0.16] } else { [0.08; 3] };
        let lambert = |light: &Light| {
            let cosine = n.dot(light.towards) as f32;
            wrap.map(|w| ((cosine + w) / (1.0 + w)).max(0.0))
        };
        let key = lambert(&self.key);
        let fill = lambert(&self.fill);
        let up = 0.5 + 0.5 * n.dot(self.zenith) as f32;
        let ambient = mix(self.floor, self.sky, up);
        // Occluded skin is lit by skin: its ambient light turns red instead of grey.
        let open3: Rgb = if material == Material::Skin { [open.sqrt(), open, open] } else { [open; 3] };
        let shadow: Rgb = if material == Material::Skin {
            [lit * (1.35 - 0.35 * lit), lit, lit * (0.92 + 0.08 * lit)]
        } else {
            [lit; 3]
        };

        let facing = n.dot(to_eye).max(0.0) as f32;
        let grazing = (1.0 - facing) * (1.0 - facing);
        let behind = (n.dot(self.rim.towards) as f32 + 0.25).max(0.0) * grazing * grazing * open;

        let (gloss, sharpness) = match material {
            Material::Skin => (0.055, 22.0),
            Material::Gloss => (0.35, 70.0),
            Material::Matte | Material::Unlit => (0.0, 1.0),
        };
        let mut highlight = 0.0;
        if gloss > 0.0 {
            let half = (self.key.towards + to_eye).normalize_or(n);
            let cosine = n.dot(half).max(0.0) as f32;
            highlight = gloss * libm::powf(cosine, sharpness) * lit * (0.4 + 3.0 * grazing).min(1.6);
        }
        std::array::from_fn(|c| {
            let diffuse = key[c] * self.key.colour[c] * shadow[c]
                + fill[c] * self.fill.colour[c] * open3[c]
                + ambient[c] * open3[c];
            albedo[c] * diffuse + behind * self.rim.colour[c] * (0.2 + 0.5 * albedo[c]) + highlight
        })
    }
}

/// Keeps highlights from clipping hard: linear up to 0.7, then an asymptote at 1.
pub(crate) fn shoulder(colour: Rgb) -> Rgb {
    colour.map(|v| if v <= 0.7 { v } else { 1.0 - 0.3 * 0.3 / (v - 0.7 + 0.3) })
}
