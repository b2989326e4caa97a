//! A scene of surfaces, lines, points and labels, and how it becomes a picture.

use crate::camera::{Camera, NEAR, View};
use crate::canvas::{Canvas, Rgb, mix, srgb};
use crate::font::text_width;
use crate::light::Lighting;
use crate::marks::{draw_line, draw_point};
use crate::raster::Visibility;
use crate::resolve::Resolver;
use crate::surface::Surface;
use thenar::math::Vec3;

/// A straight stroke in space.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// One end, metres.
    pub a: Vec3,
    /// The other end, metres.
    pub b: Vec3,
    /// Linear RGB.
    pub colour: Rgb,
    /// Thickness in pixels.
    pub thickness: f32,
    /// Opacity where it is in front.
    pub opacity: f32,
    /// Opacity where a surface hides it; 0 hides it completely.
    pub hidden: f32,
}

/// A round dot in space.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Centre, metres.
    pub at: Vec3,
    /// Linear RGB.
    pub colour: Rgb,
    /// Radius in pixels.
    pub radius: f32,
    /// Opacity where a surface hides it.
    pub hidden: f32,
}

/// Text beside a point in space; always in front.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where it points, metres.
    pub at: Vec3,
    /// What it says.
    pub text: String,
    /// Linear RGB.
    pub colour: Rgb,
    /// Height of capitals in pixels.
    pub size: f32,
}

/// Colours of the backdrop from the top to the bottom of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// At the top.
    pub top: Rgb,
    /// At the bottom.
    pub bottom: Rgb,
}

impl Default for Backdrop {
    fn default() -> Self {
        Backdrop { top: srgb(0x00f3_f4f6), bottom: srgb(0x00e4_e6ea) }
    }
}

/// Everything in one picture.
#[derive(Clone, Debug)]
pub struct Scene3 {
    /// Surfaces.
    pub surfaces: Vec<Surface>,
    /// Lines.
    pub lines: Vec<Line>,
    /// Dots.
    pub points: Vec<Point>,
    /// Texts.
    pub labels: Vec<Label>,
    /// Height of an invisible ground that receives shadows, metres.
    pub ground: Option<f64>,
    /// What lies behind.
    pub backdrop: Backdrop,
    /// Lights; chosen from the camera when `None`.
    pub lighting: Option<Lighting>,
    /// How far ambient occlusion looks, metres; 0 turns it off.
    pub occlusion: f64,
    /// Samples per pixel and direction.
    pub samples: usize,
}

impl Default for Scene3 {
    fn default() -> Self {
        Scene3 {
            surfaces: Vec::new(),
            lines: Vec::new(),
            points: Vec::new(),
            labels: Vec::new(),
            ground: None,
            backdrop: Backdrop::default(),
            lighting: None,
            occlusion: 0.012,
            samples: 3,
        }
    }
}

impl Scene3 {
    /// An empty scene.
    #[must_use]
    pub fn new() -> Self {
        Scene3::default()
    }

    /// Adds a surface.
    pub fn add(&mut self, surface: Surface) -> &mut Self {
        self.surfaces.push(surface);
        self
    }

    /// Adds a line that surfaces hide.
    pub fn line(&mut self, a: Vec3, b: Vec3, thickness: f32, colour: Rgb) -> &mut Self {
        self.lines.push(Line { a, b, colour, thickness, opacity: 1.0, hidden: 0.0 });
        self
    }

    /// Adds a dot that surfaces hide.
    pub fn point(&mut self, at: Vec3, radius: f32, colour: Rgb) -> &mut Self {
        self.points.push(Point { at, colour, radius, hidden: 0.0 });
        self
    }

    /// Adds text at a point.
    pub fn label(&mut self, at: Vec3, text: impl Into<String>, colour: Rgb) -> &mut Self {
        self.labels.push(Label { at, text: text.into(), colour, size: 8.0 });
        self
    }

    /// Adds the axes of a frame: x red, y green, z blue.
    pub fn axes(&mut self, pose: thenar::math::Pose, length: f64) -> &mut Self {
        let colours = [srgb(0x00d6_3b3b), srgb(0x003a_a655), srgb(0x003b_6fd6)];
        for (axis, colour) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(colours) {
            let tip = pose.point(length * axis);
            self.lines.push(Line { a: pose.position, b: tip, colour, thickness: 2.0, opacity: 1.0, hidden: 0.35 });
        }
        self
    }

    /// Adds an arrow, for example a force: a solid shaft of `radius` metres with a cone.
    pub fn arrow(&mut self, from: Vec3, to: Vec3, radius: f64, colour: Rgb) -> &mut Self {
        if from.distance(to) > 1e-6 && from.is_finite() && to.is_finite() {
            let mut arrow = Surface::arrow(from, to, radius, colour);
            arrow.casts_shadow = false;
            self.add(arrow);
        }
        self
    }

    /// All positions of surfaces, for [`Camera::framing`].
    #[must_use]
    pub fn positions(&self) -> Vec<Vec3> {
        self.surfaces.iter().flat_map(|s| s.positions.iter().copied()).collect()
    }

    /// Takes the picture.
    #[must_use]
    pub fn render(&self, camera: &Camera, width: usize, height: usize) -> Canvas {
        let samples = self.samples.clamp(1, 8);
        let (fine_width, fine_height) = (width * samples, height * samples);
        let view = View::new(camera, fine_width, fine_height);
        let lighting = self
            .lighting
            .unwrap_or_else(|| if self.ground.is_some() { Lighting::room(&view) } else { Lighting::studio(&view) });
        let seen = Visibility::of(&view, &self.surfaces, fine_width, fine_height, samples);
        let mut fine = Resolver::new(self, &view, &lighting, &seen, samples).colours();
        self.draw_marks(&view, &seen, &mut fine, samples as f64);
        let mut canvas = average(&fine, width, height, samples);
        self.draw_labels(&view, &mut canvas, samples as f64);
        canvas
    }

    /// Background colour at a height in the picture, 0 top to 1 bottom.
    pub(crate) fn backdrop_at(&self, t: f32) -> Rgb {
        mix(self.backdrop.top, self.backdrop.bottom, t)
    }

    fn draw_marks(&self, view: &View, seen: &Visibility, fine: &mut [Rgb], samples: f64) {
        for line in &self.lines {
            draw_line(line, view, seen, fine, samples);
        }
        for point in &self.points {
            draw_point(point, view, seen, fine, samples);
        }
    }

    fn draw_labels(&self, view: &View, canvas: &mut Canvas, samples: f64) {
        for label in &self.labels {
            let c = view.camera_axes(label.at);
            if !(c.is_finite() && c.z > NEAR) {
                continue;
            }
            let [x, y, _] = view.project(c);
            let x = (x / samples) as f32 - 0.5 * text_width(&label.text, label.size);
            canvas.text(x, (y / samples) as f32 - 0.5 * label.size, label.size, label.colour, &label.text);
        }
    }
}

fn average(fine: &[Rgb], width: usize, height: usize, samples: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height, [0.0; 3]);
    let share = 1.0 / (samples * samples) as f32;
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0; 3];
            for sy in 0..samples {
                let row = (y * samples + sy) * width * samples + x * samples;
                for colour in &fine[row..row + samples] {
                    for c in 0..3 {
                        sum[c] += colour[c];
                    }
                }
            }
            canvas.pixels[y * width + x] = sum.map(|v| v * share);
        }
    }
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Material;
    use thenar::math::{Pose, Quat};

    fn ball_on_ground() -> (Scene3, Camera) {
        let mut scene = Scene3::new();
        let pose = Pose::new(Vec3::new(0.0, 0.03, 0.0), Quat::IDENTITY);
        scene.add(Surface::sphere(0.03, [0.8, 0.1, 0.1]).with_material(Material::Skin).at(pose));
        scene.ground = Some(0.0);
        (scene, Camera::look_at(Vec3::new(0.0, 0.25, 0.3), Vec3::ZERO))
    }

    #[test]
    fn the_same_scene_gives_the_same_picture() {
        let (scene, camera) = ball_on_ground();
        assert_eq!(scene.render(&camera, 60, 40), scene.render(&camera, 60, 40));
    }

    #[test]
    fn a_ball_is_seen_where_it_is_and_throws_a_shadow_on_the_ground() {
        let (scene, camera) = ball_on_ground();
        let picture = scene.render(&camera, 90, 60);
        let mut bare = scene.clone();
        bare.surfaces.clear();
        let empty = bare.render(&camera, 90, 60);
        let middle = 22 * 90 + 45;
        assert!(picture.pixels[middle][0] > 2.0 * picture.pixels[middle][2], "the ball is red");
        assert_eq!(picture.pixels[0], empty.pixels[0], "far away the backdrop stays as it was");
        let is_red = |p: &Rgb| p[0] > 1.3 * p[2];
        let darkened =
            picture.pixels.iter().zip(&empty.pixels).filter(|(p, e)| !is_red(p) && p[1] < 0.8 * e[1]).count();
        assert!(darkened > 40, "only {darkened} pixels of ground are in the shadow");
    }

    #[test]
    fn surfaces_hide_lines_unless_asked_otherwise() {
        let (mut scene, camera) = ball_on_ground();
        let plain = scene.render(&camera, 60, 40);
        let behind = Vec3::new(0.0, 0.0, -0.02);
        scene.line(behind, behind + Vec3::new(0.0, 0.01, 0.0), 3.0, [0.0, 1.0, 0.0]);
        assert_eq!(plain, scene.render(&camera, 60, 40), "the line is inside the ball");
        scene.lines[0].hidden = 0.5;
        assert_ne!(plain, scene.render(&camera, 60, 40), "now it shines through");
    }

    #[test]
    fn degenerate_input_is_drawn_as_nothing() {
        let mut scene = Scene3::new();
        scene.add(Surface::new(vec![Vec3::NAN; 3], vec![Vec3::NAN; 3], vec![[0, 1, 2]], [1.0; 3]));
        scene.add(Surface::new(vec![Vec3::ZERO; 3], vec![Vec3::ZERO; 3], vec![[0, 1, 2]], [1.0; 3]));
        scene.line(Vec3::NAN, Vec3::ZERO, 1.0, [0.0; 3]);
        scene.point(Vec3::INFINITY, 1.0, [0.0; 3]);
        scene.label(Vec3::NAN, "nowhere", [0.0; 3]);
        scene.ground = Some(0.0);
        let picture = scene.render(&Camera::framing(&[], Vec3::ZERO, Vec3::ZERO, 1.0, 0.0), 8, 8);
        assert!(picture.pixels.iter().flatten().all(|v| v.is_finite()));
    }
}
