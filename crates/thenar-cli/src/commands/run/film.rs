//! A film strip of a run: the same camera at evenly spaced moments.

use std::sync::Arc;
use thenar::geometry::TriMesh;
use thenar::geometry::distance::Shape;
use thenar::hand::{Digit, HandModel};
use thenar::math::{Pose, Vec3};
use thenar::tactile::{DeviceModel, FingerTouch};
use thenar_draw::{Camera, Canvas, Material, Rgb, Scene3, Sheet, Surface, add_disc, pad_picture, srgb};
use thenar_scene::run::Simulation;
use thenar_scene::scene::Scene;

/// Pictures of a strip, and how many stand in a row.
const FRAMES: usize = 8;
const COLUMNS: usize = 4;
const TILE: [usize; 2] = [420, 400];
/// Width and height of a pad in the corner of a picture, pixels.
const PAD: usize = 104;

/// How far from the object of a close-up its picture shows what is there, metres: a finger's length.
const NEAR: f64 = 0.045;

/// From where films look, and close-ups: on one finger, from its side.
const FROM_AFAR: Vec3 = Vec3::new(0.75, -0.5, -0.65);
const FROM_NEAR: Vec3 = Vec3::new(0.9, -0.3, -0.3);

/// One hand at one moment.
struct HandFrame {
    model: Arc<HandModel>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// Everything at one moment.
struct Moment {
    time: f64,
    hands: Vec<HandFrame>,
    objects: Vec<Pose>,
    softs: Vec<Vec<Vec3>>,
    forces: Vec<(Vec3, Vec3)>,
    /// Fingertips that are near something, with the names of their digits, where touch is rendered.
    touch: Vec<(&'static str, FingerTouch)>,
}

/// Collects moments while a scene runs.
pub struct Film {
    due: Vec<f64>,
    moments: Vec<Moment>,
    shapes: Vec<Option<Surface>>,
    soft_triangles: Vec<Vec<[u32; 3]>>,
    device: Option<DeviceModel>,
}

impl Film {
    pub fn new(scene: &Scene) -> Film {
        let due = (0..FRAMES).map(|k| (k as f64 + 0.5) / FRAMES as f64 * scene.seconds).collect();
        Film::of_moments(due)
    }

    /// One moment only.
    pub fn still(time: f64) -> Film {
        Film::of_moments(vec![time])
    }

    /// These moments, in order of time.
    pub fn of_moments(due: Vec<f64>) -> Film {
        Film { due, moments: Vec::new(), shapes: Vec::new(), soft_triangles: Vec::new(), device: None }
    }

    /// Keeps the moment if its time has come.
    pub fn watch(&mut self, simulation: &Simulation) {
        let Some(due) = self.due.get(self.moments.len()) else { return };
        if simulation.time() < *due {
            return;
        }
        let world = simulation.world();
        let wide = |v: &[f32; 3]| Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        let mut forces = Vec::new();
        let mut hands = Vec::new();
        let mut touch = Vec::new();
        self.device = world.config().tactile.as_ref().map(|params| params.device.clone());
        for hand in simulation.hands() {
            let out = world.hand(hand.id);
            if out.present {
                hands.push(HandFrame {
                    model: Arc::clone(&hand.model),
                    positions: out.skin_positions.iter().map(wide).collect(),
                    normals: out.skin_normals.iter().map(wide).collect(),
                });
                let near = |finger: &FingerTouch| finger.samples.iter().any(|sample| sample.gap.is_finite());
                let fingers = Digit::ALL.into_iter().zip(&out.tactile).filter(|(_, finger)| near(finger));
                touch.extend(fingers.map(|(digit, finger)| (digit.name(), finger.clone())));
                forces.extend(out.contacts.iter().map(|c| (c.point, c.force)));
            }
        }
        let objects = simulation.objects().iter().map(|&o| world.object(o).pose).collect();
        if self.shapes.is_empty() {
            self.shapes = world.objects().iter().map(|o| surface(&o.shape)).collect();
        }
        if self.soft_triangles.is_empty() {
            self.soft_triangles = simulation
                .softs()
                .iter()
                .map(|soft| soft.surface(world).map_or_else(Vec::new, |s| s.triangles.clone()))
                .collect();
        }
        let softs = simulation.softs().iter().map(|soft| soft.vertices(world).collect()).collect();
        self.moments.push(Moment { time: simulation.time(), hands, objects, softs, forces, touch });
    }

    /// The strip.
    pub fn strip(&self, scene: &Scene) -> Canvas {
        let mut sheet = Sheet::new(COLUMNS, TILE[0], TILE[1]);
        sheet.title(format!("{}: {}", scene.name, scene.story));
        for (time, picture) in self.pictures(scene) {
            sheet.push(picture, format!("{time:.1} s"));
        }
        sheet.canvas()
    }

    /// The strip with another run of the scene below it, seen by the same camera.
    pub fn strip_beside(&self, scene: &Scene, other: &Film, varied: &Scene, name: &str) -> Canvas {
        let mut sheet = Sheet::new(COLUMNS, TILE[0], TILE[1]);
        sheet.title(format!("{}: {} Below: {name}.", scene.name, scene.story));
        let camera = self.camera(scene, &self.moments, TILE);
        for (film, scene, below) in [(self, scene, ""), (other, varied, ", below")] {
            for moment in &film.moments {
                sheet.push(film.picture(moment, scene, &camera, TILE), format!("{:.1} s{below}", moment.time));
            }
        }
        sheet.canvas()
    }

    /// All moments and their times, seen by the same camera.
    pub fn pictures(&self, scene: &Scene) -> Vec<(f64, Canvas)> {
        let camera = self.camera(scene, &self.moments, TILE);
        let draw = |moment: &Moment| (moment.time, self.picture(moment, scene, &camera, TILE));
        self.moments.iter().map(draw).collect()
    }

    /// The first moment alone, if it has come.
    pub fn picture_of(&self, scene: &Scene, size: [usize; 2]) -> Option<Canvas> {
        let camera = self.camera(scene, &self.moments, size);
        self.moments.first().map(|moment| self.picture(moment, scene, &camera, size))
    }

    /// One picture: late in the run, framed for itself.
    pub fn late_picture(&self, scene: &Scene) -> Canvas {
        let late = self.moments.get(FRAMES - 2).or(self.moments.last());
        late.map_or_else(
            || Canvas::new(TILE[0], TILE[1], srgb(0xff_ffff)),
            |moment| self.picture(moment, scene, &self.camera(scene, std::slice::from_ref(moment), TILE), TILE),
        )
    }

    /// Frames the hands and the moving objects over the whole run, from the front, a little to the side and above; or what is near the
    /// object of a close-up.
    fn camera(&self, scene: &Scene, moments: &[Moment], size: [usize; 2]) -> Camera {
        let aspect = size[0] as f64 / size[1] as f64;
        let mut points = Vec::new();
        if let Some(name) = &scene.close_up {
            for moment in moments {
                let index = scene.objects.iter().position(|spec| spec.name == *name);
                let Some((at, shape)) = index.and_then(|k| moment.objects.get(k).zip(self.shapes.get(k))) else {
                    continue;
                };
                let skin = moment.hands.iter().flat_map(|hand| hand.positions.iter().copied());
                let outline = shape.iter().flat_map(|surface| &surface.positions).map(|p| at.point(*p));
                points.extend(skin.chain(outline).filter(|p| p.distance(at.position) < NEAR));
            }
            if !points.is_empty() {
                return Camera::framing(&points, FROM_NEAR, Vec3::Y, aspect, 0.06);
            }
        }
        for moment in moments {
            for hand in &moment.hands {
                points.extend(hand.positions.iter().step_by(37));
            }
            points.extend(moment.softs.iter().flatten());
            for ((spec, pose), shape) in scene.objects.iter().zip(&moment.objects).zip(&self.shapes) {
                if !spec.fixed && pose.position.length() < 2.0 {
                    let outline = shape.iter().flat_map(|surface| &surface.positions);
                    points.extend(outline.map(|p| pose.point(*p)));
                }
            }
        }
        Camera::framing(&points, FROM_AFAR, Vec3::Y, aspect, 0.06)
    }

    fn picture(&self, moment: &Moment, scene: &Scene, camera: &Camera, size: [usize; 2]) -> Canvas {
        let mut picture = Scene3::new();
        for ((spec, pose), shape) in scene.objects.iter().zip(&moment.objects).zip(&self.shapes) {
            let colour = spec.colour.as_deref().map_or(srgb(0x8f_a3b3), colour);
            match shape {
                Some(surface) => {
                    let mut surface = surface.clone().at(*pose);
                    surface.colours.fill(colour);
                    picture.add(surface);
                }
                None => {
                    let light = colour.map(|c| (c * 1.15).min(1.0));
                    picture.add(Surface::plane(0.4, 0.4, 0.05, [colour, light]).at(*pose));
                }
            }
        }
        for ((spec, nodes), triangles) in scene.softs.iter().zip(&moment.softs).zip(&self.soft_triangles) {
            let colour = spec.colour.as_deref().map_or(srgb(0xd0_8f5f), colour);
            let mesh = TriMesh { positions: nodes.clone(), triangles: triangles.clone() };
            picture.add(Surface::smooth(&mesh, colour));
        }
        for hand in &moment.hands {
            let skin = &hand.model.skin;
            let surface = Surface::deformed_skin(skin, hand.positions.clone(), hand.normals.clone());
            picture.add(surface.with_material(Material::Skin));
        }
        for (point, force) in &moment.forces {
            if force.length() > 0.05 {
                picture.line(*point, *point - *force * 0.006, 1.2, srgb(0xc0_3030));
            }
        }
        let Some(device) = &self.device else { return picture.render(camera, size[0], size[1]) };
        moment.touch.iter().for_each(|(_, finger)| add_disc(&mut picture, finger, device, 0.7));
        let mut canvas = picture.render(camera, size[0], size[1]);
        // the pads side by side below, as in Fig. 4 of Perez et al.
        for (k, (digit, finger)) in moment.touch.iter().take(size[0] / PAD).enumerate() {
            let pad = pad_picture(finger, device, [PAD - 4, PAD - 4], digit);
            canvas.place(&pad, 2 + k * PAD, size[1] - PAD + 2);
        }
        canvas
    }
}

/// A sheet for one picture per case.
pub fn case_sheet(scene: &Scene) -> Sheet {
    let mut sheet = Sheet::new(COLUMNS, TILE[0], TILE[1]);
    sheet.title(format!("{}: {}", scene.name, scene.story));
    sheet
}

/// The shape's surface: smooth where the shape is, with sharp edges otherwise. `None` for a plane.
fn surface(shape: &Shape) -> Option<Surface> {
    let mesh = shape.tessellate(0.004)?;
    let white = srgb(0xff_ffff);
    Some(match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Grid(_) => Surface::smooth(&mesh, white),
        _ => Surface::faceted(&mesh, white),
    })
}

/// `#rrggbb`, as the scene reader has checked it.
fn colour(text: &str) -> Rgb {
    u32::from_str_radix(text.trim_start_matches('#'), 16).map_or(srgb(0x8f_a3b3), srgb)
}
