//! A scene that is loaded: its simulation, and what pages need to draw it.

use std::sync::Arc;

use axum::body::Bytes;
use thenar::geometry::distance::Shape;
use thenar::hand::Side;
use thenar::math::Vec3;
use thenar::tactile::TactileParams;
use thenar_scene::assets::Assets;
use thenar_scene::motion::{Script, size};
use thenar_scene::run::{Continuation, Host, Probe, RunError, Simulation};
use thenar_scene::scene::{Scene, ShapeSpec};

use super::ground;
use super::hands::Pair;
use crate::wire::{Check, HandEntry, ObjectEntry, Options, Renderer, ServerMessage, SkinView, Support, scene_meshes};

/// A scene in motion.
pub struct Stage {
    /// Counts the scenes that were loaded.
    pub id: u32,
    /// As it is played.
    pub scene: Scene,
    pub simulation: Simulation,
    /// Number of elements of a hand that was asked for.
    pub tets: usize,
    /// Which of the scene's cases it is, of which.
    pub case: Option<String>,
    pub cases: Vec<String>,
    /// It goes on from another one.
    pub continues: bool,
    /// Height below which things are lost, metres.
    pub depth: f64,
    supports: Vec<Support>,
    limits: [[f64; 3]; 2],
    whole: Vec<Arc<SkinView>>,
    coarse: Vec<Arc<SkinView>>,
    probe: Option<Probe>,
}

impl Stage {
    /// Sets a scene up with the hands of a person.
    pub fn new(id: u32, scene: Scene, pair: &Pair, assets: &mut Assets<'_>, host: Host) -> Result<Stage, RunError> {
        let mut simulation = Simulation::new(&scene, &|side| Arc::clone(&pair.of(side).model), assets)?;
        // every hand of the studio shows what a device on its fingertips would do; scenes may choose another device
        if simulation.world().config().tactile.is_none() {
            // the usual device is never refused
            simulation.world_mut().set_tactile(Some(TactileParams::default())).unwrap_or(());
        }
        host.lend(simulation.world_mut());
        let probe = (!scene.checks.is_empty()).then(|| Probe::new(&scene, &simulation));
        let sides = || scene.hands.iter().map(|hand| Side::from(hand.side));
        let whole = sides().map(|side| Arc::clone(&pair.of(side).whole)).collect();
        let coarse = sides().map(|side| Arc::clone(&pair.of(side).coarse)).collect();
        let supports = ground::supports(&simulation);
        Ok(Stage {
            id,
            tets: 0,
            case: None,
            cases: Vec::new(),
            continues: false,
            depth: ground::depth(&scene, &supports),
            limits: ground::limits(&scene, &simulation),
            supports,
            scene,
            simulation,
            whole,
            coarse,
            probe,
        })
    }

    /// Goes on where another stage is, with the settings of this one.
    pub fn continue_from(&mut self, before: Stage) -> Continuation {
        // What the host simulates has its own masses, friction and gravity.
        let hosted = self.scene.host.is_some();
        let same_rest = self.scene.objects == before.scene.objects
            && self.scene.world.gravity == before.scene.world.gravity
            && self.scene.world.friction == before.scene.world.friction;
        if self.scene.name != before.scene.name {
            return Continuation::Anew;
        }
        let (id, probe) = (before.id, before.probe);
        let continuation = self.simulation.continue_from(before.simulation, same_rest || !hosted);
        if continuation == Continuation::Whole {
            self.id = id;
        }
        if continuation != Continuation::Anew {
            self.continues = true;
            self.probe = probe.or(self.probe.take());
        }
        continuation
    }

    /// Where a thing is: rigid ones by their number, deformable ones after them. `None` for what does not move freely.
    pub fn place_of(&self, thing: usize) -> Option<Vec3> {
        let world = self.simulation.world();
        match self.scene.objects.get(thing) {
            Some(spec) if spec.fixed || spec.joint.is_some() => None,
            Some(_) => self.simulation.objects().get(thing).map(|id| world.object(*id).pose.position),
            None => {
                let soft = self.simulation.softs().get(thing - self.scene.objects.len())?;
                Some(soft.motion(world).0)
            }
        }
    }

    /// Where a thing starts.
    pub fn start_of(&self, thing: usize) -> Vec3 {
        let rigid = self.scene.objects.get(thing).map(|spec| spec.position);
        let soft = || self.scene.softs.get(thing.checked_sub(self.scene.objects.len())?).map(|spec| spec.position);
        rigid.or_else(soft).map_or(Vec3::ZERO, Vec3::from_array)
    }

    /// Its name.
    pub fn name_of(&self, thing: usize) -> String {
        let rigid = self.scene.objects.get(thing).map(|spec| spec.name.clone());
        let soft = || self.scene.softs.get(thing.checked_sub(self.scene.objects.len())?).map(|spec| spec.name.clone());
        rigid.or_else(soft).unwrap_or_default()
    }

    /// Skins for a way of drawing.
    pub fn views(&self, renderer: Renderer) -> &[Arc<SkinView>] {
        match renderer {
            Renderer::Hardware => &self.whole,
            Renderer::Software => &self.coarse,
        }
    }

    /// Steps once; false when the scene is over.
    pub fn advance(&mut self) -> Result<bool, RunError> {
        let going = self.simulation.advance()?.is_some();
        if let (true, Some(probe)) = (going, &mut self.probe) {
            probe.read(&self.simulation);
        }
        Ok(going)
    }

    /// What came of the scene.
    pub fn checks(&self) -> Option<Vec<Check>> {
        let outcomes = self.probe.as_ref()?.outcomes(self.simulation.step());
        let check = |outcome: thenar_scene::run::CheckOutcome| Check {
            label: outcome.name,
            value: Some(outcome.value).filter(|value| value.is_finite()),
            unit: outcome.unit,
            min: outcome.min,
            max: outcome.max,
            ok: outcome.ok,
        };
        Some(outcomes.into_iter().map(check).collect())
    }

    /// The scene in words.
    pub fn describe(&self, renderer: Renderer, options: Options) -> ServerMessage {
        let hands = self.simulation.hands().iter().zip(&self.scene.hands).zip(self.views(renderer));
        let hands = hands.enumerate().map(|(index, ((hand, spec), view))| {
            let palm = hand.tracker().map_or_else(|| Script::new(spec).at(0.0), |tracker| tracker.stance(0.0)).palm;
            let (p, q) = (palm.position, palm.rotation);
            HandEntry {
                index,
                side: hand.model.side.name(),
                vertices: view.vertices.len(),
                triangles: view.triangles.len(),
                tets: hand.model.tissue.mesh.tets.len(),
                palm: [p.x, p.y, p.z, q.x, q.y, q.z, q.w],
                size: size(&hand.model.skeleton),
            }
        });
        let world = self.simulation.world();
        let objects = self.scene.objects.iter().zip(self.simulation.masses()).enumerate();
        let objects = objects.map(|(index, (spec, mass))| ObjectEntry {
            index,
            name: spec.name.clone(),
            kind: "rigid",
            shape: shape_name(&spec.shape),
            fixed: spec.fixed,
            mass: mass.unwrap_or(0.0),
            color: spec.colour.as_deref().map_or([0.56, 0.64, 0.70], colour),
            smooth: world.objects().get(index).is_some_and(|object| is_smooth(&object.shape)),
        });
        let first_soft = self.scene.objects.len();
        let softs = self.scene.softs.iter().enumerate().map(|(index, spec)| ObjectEntry {
            index: first_soft + index,
            name: spec.name.clone(),
            kind: "soft",
            shape: spec.shape.as_ref().map_or("mesh", shape_name),
            fixed: false,
            mass: 0.0,
            color: spec.colour.as_deref().map_or([0.56, 0.64, 0.70], colour),
            smooth: true,
        });
        ServerMessage::Scene {
            id: self.id,
            name: self.scene.name.clone(),
            case: self.case.clone(),
            cases: self.cases.clone(),
            continues: self.continues,
            story: self.scene.story.clone(),
            step: self.simulation.step(),
            seconds: self.scene.seconds,
            hands: hands.collect(),
            objects: objects.chain(softs).collect(),
            supports: self.supports.clone(),
            limits: self.limits,
            switches: options.switches,
            sliders: options.sliders,
        }
    }

    /// The scene's meshes as messages.
    pub fn meshes(&self, renderer: Renderer) -> Vec<Bytes> {
        scene_meshes(&self.simulation, self.views(renderer)).into_iter().map(Bytes::from).collect()
    }
}

fn shape_name(shape: &ShapeSpec) -> &'static str {
    match shape {
        ShapeSpec::Sphere(_) => "sphere",
        ShapeSpec::Box(_) => "box",
        ShapeSpec::Capsule { .. } => "capsule",
        ShapeSpec::Cylinder { .. } => "cylinder",
        ShapeSpec::Plane => "plane",
        ShapeSpec::Mesh(_) => "mesh",
        ShapeSpec::Parts(_) => "parts",
    }
}

fn is_smooth(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Grid(_))
}

/// `#rrggbb`, as the scene reader has checked it, as sRGB from 0 to 1.
fn colour(text: &str) -> [f32; 3] {
    let bits = u32::from_str_radix(text.trim_start_matches('#'), 16).unwrap_or(0x8f_a3b3);
    [16, 8, 0].map(|shift| f32::from((bits >> shift) as u8) / 255.0)
}
