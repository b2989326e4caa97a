//! From seen triangles to colours: each pixel shades every triangle it sees once, however many samples it covers.

use crate::camera::View;
use crate::canvas::Rgb;
use crate::light::{Lighting, shoulder};
use crate::occlusion::{Seen, Turns, blur, openness};
use crate::raster::{NOTHING, Visibility};
use crate::scene3::Scene3;
use crate::shadow::{DepthMap, disc_taps};
use crate::surface::Surface;
use thenar::math::Vec3;

/// How far above the ground things still darken it, metres.
const CONTACT_REACH: f64 = 0.03;

pub(crate) struct Resolver<'a> {
    scene: &'a Scene3,
    view: &'a View,
    lighting: &'a Lighting,
    seen: &'a Visibility,
    /// Samples per pixel and direction.
    samples: usize,
    /// First triangle number of each surface.
    first: Vec<u32>,
    shadow: DepthMap,
    /// The scene from below the ground.
    below: Option<DepthMap>,
    taps: [[f64; 2]; 20],
    turns: Turns,
}

/// A point on a triangle with what shading needs.
struct Fragment<'a> {
    surface: &'a Surface,
    point: Vec3,
    normal: Vec3,
    albedo: Rgb,
}

impl<'a> Resolver<'a> {
    pub fn new(
        scene: &'a Scene3,
        view: &'a View,
        lighting: &'a Lighting,
        seen: &'a Visibility,
        samples: usize,
    ) -> Self {
        let mut first = Vec::with_capacity(scene.surfaces.len());
        let mut count = 0;
        for surface in &scene.surfaces {
            first.push(count);
            count += surface.triangles.len() as u32;
        }
        Resolver {
            scene,
            view,
            lighting,
            seen,
            samples,
            first,
            shadow: DepthMap::new(&scene.surfaces, lighting.key.towards),
            below: scene.ground.map(|_| DepthMap::new(&scene.surfaces, Vec3::NEG_Y)),
            taps: disc_taps(),
            turns: Turns::new(),
        }
    }

    /// Colour of every sample.
    pub fn colours(&self) -> Vec<Rgb> {
        let (width, height) = (self.seen.width / self.samples, self.seen.height / self.samples);
        let middles = self.middles(width, height);
        let soft = SoftLight {
            open: if self.scene.occlusion > 0.0 {
                openness(&middles, width, height, self.view, self.samples as f64, self.scene.occlusion)
            } else {
                vec![1.0; width * height]
            },
            lit: self.key_light(&middles, width, height),
            ground: self.ground_light(&middles, width, height),
            middles,
            width,
            height,
        };
        let mut fine = vec![[0.0; 3]; self.seen.nearness.len()];
        let mut done: Vec<(u32, Rgb)> = Vec::new();
        for y in 0..height {
            let behind = self.scene.backdrop_at((y as f32 + 0.5) / height as f32);
            for x in 0..width {
                done.clear();
                for sy in 0..self.samples {
                    for sx in 0..self.samples {
                        let index = (y * self.samples + sy) * self.seen.width + x * self.samples + sx;
                        let triangle = self.seen.triangle[index];
                        if let Some(&(_, colour)) = done.iter().find(|d| d.0 == triangle) {
                            fine[index] = colour;
                            continue;
                        }
                        let colour = if triangle == NOTHING {
                            let [r, g, b] = behind;
                            let light = soft.ground[y * width + x];
                            [r * light, g * light, b * (0.06 + 0.94 * light)]
                        } else {
                            let depth = self.view.depth(f64::from(self.seen.nearness[index]));
                            let pixel = soft.nearest(x, y, depth);
                            let sample = [x * self.samples + sx, y * self.samples + sy];
                            self.surface_colour(triangle, sample, soft.lit[pixel], soft.open[pixel])
                        };
                        done.push((triangle, colour));
                        fine[index] = colour;
                    }
                }
            }
        }
        fine
    }

    /// What is seen in the middle of each pixel.
    fn middles(&self, width: usize, height: usize) -> Vec<Option<Seen>> {
        let mut out = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let (sx, sy) = (x * self.samples + self.samples / 2, y * self.samples + self.samples / 2);
                let index = sy * self.seen.width + sx;
                let triangle = self.seen.triangle[index];
                out.push((triangle != NOTHING).then(|| {
                    let fragment = self.fragment(triangle, [sx, sy]);
                    let depth = self.view.depth(f64::from(self.seen.nearness[index]));
                    Seen { point: fragment.point, normal: fragment.normal, depth }
                }));
            }
        }
        out
    }

    /// The point of a triangle under a sample: the ray is cut with the triangle's plane.
    fn fragment(&self, triangle: u32, sample: [usize; 2]) -> Fragment<'a> {
        let owner = self.first.partition_point(|&f| f <= triangle) - 1;
        let surface = &self.scene.surfaces[owner];
        let corners = surface.triangles[(triangle - self.first[owner]) as usize].map(|v| v as usize);
        let [a, b, c] = corners.map(|v| surface.positions[v]);
        let (origin, direction) = self.view.ray(sample[0] as f64 + 0.5, sample[1] as f64 + 0.5);
        let (e1, e2) = (b - a, c - a);
        let plane = e1.cross(e2);
        let q = direction.cross(e2);
        let determinant = e1.dot(q);
        let mut weights = [1.0 / 3.0; 3];
        if determinant.abs() > 1e-18 {
            let from = origin - a;
            let wb = from.dot(q) / determinant;
            let wc = direction.dot(from.cross(e1)) / determinant;
            // Grazing triangles give wild weights; clamping keeps the colour that of the triangle.
            let (wb, wc) = (wb.clamp(0.0, 1.0), wc.clamp(0.0, 1.0));
            let excess = (wb + wc).max(1.0);
            weights = [1.0 - (wb + wc) / excess, wb / excess, wc / excess];
        }
        let blend = |values: &[Vec3]| (0..3).map(|k| weights[k] * values[corners[k]]).sum::<Vec3>();
        let facing = plane.normalize_or(-self.view.forward);
        let mut normal = blend(&surface.normals).normalize_or(facing);
        if facing.dot(direction) > 0.0 {
            normal = -normal;
        }
        let albedo =
            std::array::from_fn(|c| (0..3).map(|k| weights[k] as f32 * surface.colours[corners[k]][c]).sum::<f32>());
        Fragment { surface, point: blend(&surface.positions), normal, albedo }
    }

    fn surface_colour(&self, triangle: u32, sample: [usize; 2], lit: f32, open: f32) -> Rgb {
        let fragment = self.fragment(triangle, sample);
        let to_eye = -self.view.ray(sample[0] as f64, sample[1] as f64).1;
        let material = fragment.surface.material;
        shoulder(self.lighting.shade(material, fragment.albedo, fragment.normal, to_eye, lit, open))
    }

    /// The part of the key light that reaches the middle of each pixel, 0 to 1.
    fn key_light(&self, middles: &[Option<Seen>], width: usize, height: usize) -> Vec<f32> {
        let towards = self.lighting.key.towards;
        let mut lit = vec![0.0; middles.len()];
        for (i, seen) in middles.iter().enumerate() {
            // Where the surface turns away the light model is dark already; the shadow map would only add noise there.
            let Some(seen) = seen.filter(|s| s.normal.dot(towards) > -0.35) else { continue };
            let lifted = seen.point + 0.0012 * seen.normal;
            let turn = self.turns.at(i % width, i / width);
            lit[i] = self.shadow.light(lifted, 0.0012, self.lighting.softness, &self.taps, turn);
        }
        blur(&lit, middles, width, height, 0.006)
    }

    /// What shadows leave of the backdrop where the ground lies, 0 to 1 per pixel.
    fn ground_light(&self, middles: &[Option<Seen>], width: usize, height: usize) -> Vec<f32> {
        let mut light = vec![1.0; middles.len()];
        let (Some(level), Some(below)) = (self.scene.ground, &self.below) else { return light };
        let mut ground: Vec<Option<Seen>> = vec![None; middles.len()];
        for i in 0..middles.len() {
            let middle = |v: usize| (v as f64 + 0.5) * self.samples as f64;
            let (origin, direction) = self.view.ray(middle(i % width), middle(i / width));
            if direction.y > -1e-3 || origin.y <= level {
                continue;
            }
            let depth = (level - origin.y) / direction.y;
            let point = origin + depth * direction;
            let turn = self.turns.at(i % width, i / width);
            let lit = self.shadow.light(point, 0.0004, self.lighting.softness, &self.taps, turn);
            let contact = below.contact(point, CONTACT_REACH, &self.taps, turn);
            light[i] = (1.0 - 0.38 * (1.0 - lit)) * (1.0 - 0.55 * contact);
            ground[i] = Some(Seen { point, normal: Vec3::Y, depth });
        }
        blur(&light, &ground, width, height, f64::INFINITY)
    }
}

/// Light that changes slowly over the picture, per pixel.
struct SoftLight {
    middles: Vec<Option<Seen>>,
    open: Vec<f32>,
    lit: Vec<f32>,
    ground: Vec<f32>,
    width: usize,
    height: usize,
}

impl SoftLight {
    /// The pixel itself, or its neighbour whose depth fits best where an edge runs through it.
    fn nearest(&self, x: usize, y: usize, depth: f64) -> usize {
        let mismatch = |i: usize| self.middles[i].map_or(f64::INFINITY, |s| (s.depth - depth).abs());
        let here = y * self.width + x;
        let mut best = (mismatch(here), here);
        if best.0 < 0.002 {
            return here;
        }
        for ny in y.saturating_sub(1)..(y + 2).min(self.height) {
            for nx in x.saturating_sub(1)..(x + 2).min(self.width) {
                let i = ny * self.width + nx;
                if mismatch(i) < best.0 {
                    best = (mismatch(i), i);
                }
            }
        }
        best.1
    }
}
