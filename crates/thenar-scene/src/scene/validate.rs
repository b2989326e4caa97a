//! What a scene must satisfy beyond its grammar.

use thenar::geometry::distance::ShapeError;

use super::error::nearest;
use super::{FaultKind, HandSpec, JointSpec, Key, ObjectSpec, Scene, SceneError, ShapeSpec, Variation};
use crate::motion::joint_by_name;

/// Limits that keep a scene file from asking for the absurd.
const LONGEST_SECONDS: f64 = 3600.0;
const MOST_OBJECTS: usize = 256;
const MOST_HANDS: usize = 8;
const DEEPEST_PARTS: usize = 8;

pub(super) type Outcome = Result<(), SceneError>;

pub(super) fn fault(field: impl Into<String>, what: impl Into<String>) -> SceneError {
    SceneError { line: 0, column: 0, field: field.into(), what: what.into(), nearest: None }
}

pub(super) fn within(field: impl Into<String>, value: f64, low: f64, high: f64, unit: &str) -> Outcome {
    // Written so that NaN fails.
    if value >= low && value <= high {
        return Ok(());
    }
    // Hundreds of digits tell nothing.
    let value = if value.abs() < 1e9 { value.to_string() } else { format!("{value:e}") };
    Err(fault(field, format!("{value} is outside {low} to {high} {unit}").trim_end().to_owned()))
}

pub(super) fn vector(field: impl Into<String>, value: [f64; 3], largest: f64, unit: &str) -> Outcome {
    let field = field.into();
    for (axis, x) in value.iter().enumerate() {
        within(format!("{field}[{axis}]"), *x, -largest, largest, unit)?;
    }
    Ok(())
}

impl Scene {
    /// Refuses scenes that could not be simulated or checked.
    ///
    /// # Errors
    /// The first fault, with the path of its field.
    pub fn validate(&self) -> Result<(), SceneError> {
        within("seconds", self.seconds, 1e-3, LONGEST_SECONDS, "s")?;
        within("world.step", self.world.step, 1e-5, 0.05, "s")?;
        within("world.friction", self.world.friction, 0.0, 10.0, "")?;
        vector("world.gravity", self.world.gravity, 1000.0, "m/s²")?;
        if self.objects.len() > MOST_OBJECTS {
            return Err(fault("object", format!("{} objects; at most {MOST_OBJECTS}", self.objects.len())));
        }
        if self.hands.len() > MOST_HANDS {
            return Err(fault("hand", format!("{} hands; at most {MOST_HANDS}", self.hands.len())));
        }
        for (index, object) in self.objects.iter().enumerate() {
            let path = format!("object[{index}]");
            if let Some(first) = self.objects[..index].iter().position(|other| other.name == object.name) {
                let what = format!("`{}` is already the name of object {first}", object.name);
                return Err(fault(format!("{path}.name"), what));
            }
            check_object(&path, object)?;
        }
        self.check_softs()?;
        self.check_host()?;
        for (index, hand) in self.hands.iter().enumerate() {
            check_hand(&format!("hand[{index}]"), hand)?;
        }
        for (index, push) in self.pushes.iter().enumerate() {
            self.check_push(&format!("push[{index}]"), push)?;
        }
        if let Some(name) = &self.close_up {
            self.check_object_name("close-up", name)?;
        }
        self.check_tactile()?;
        self.check_closing()?;
        self.check_cases()?;
        for (index, check) in self.checks.iter().enumerate() {
            self.check_check(&format!("check[{index}]"), check)?;
        }
        for (index, control) in self.controls.iter().enumerate() {
            self.check_control(&format!("control[{index}]"), control)?;
        }
        Ok(())
    }

    fn check_host(&self) -> Outcome {
        if let Some(host) = &self.host {
            within("host.rate", host.rate, 10.0, 2000.0, "steps per second")?;
        }
        for (index, object) in self.objects.iter().enumerate() {
            if object.held.is_some() && self.host.is_some() {
                let what = "an object that lives in a host too cannot be held; give it a joint";
                return Err(fault(format!("object[{index}].held"), what));
            }
            if object.contact.is_some() && self.host.is_some() && !object.fixed {
                let what =
                    "an object that lives in a host too takes the world's method; set `world.set.contact` instead";
                return Err(fault(format!("object[{index}].contact"), what));
            }
            let Some(joint) = &object.joint else { continue };
            let path = format!("object[{index}].joint");
            if self.host.is_none() || object.fixed {
                return Err(fault(path, "a joint needs a `[host]` and an object that is not fixed"));
            }
            check_joint(&path, joint)?;
        }
        Ok(())
    }

    /// The object that a field names must exist.
    pub(super) fn check_object_name(&self, path: &str, name: &str) -> Outcome {
        if self.objects.iter().any(|object| object.name == name) {
            return Ok(());
        }
        let names = self.objects.iter().map(|object| object.name.as_str());
        Err(SceneError::unknown(path, format!("there is no object `{name}`"), name, names))
    }

    fn check_control(&self, path: &str, control: &Variation) -> Outcome {
        if control.fails.is_empty() {
            return Err(fault(path, format!("control `{}` needs `fails`: which checks must fail?", control.name)));
        }
        for (index, name) in control.fails.iter().enumerate() {
            if !self.checks.iter().any(|check| check.name == *name) {
                let near = nearest(name, self.checks.iter().map(|check| check.name.as_str()));
                let what = format!("there is no check `{name}`");
                return Err(SceneError { nearest: near, ..fault(format!("{path}.fails[{index}]"), what) });
            }
        }
        Ok(())
    }
}

fn check_joint(path: &str, joint: &JointSpec) -> Outcome {
    let ((Some(axis), None) | (None, Some(axis))) = (joint.slide, joint.hinge) else {
        return Err(fault(path, "a joint needs either `slide` or `hinge`"));
    };
    if axis.vector().length() < 1e-9 {
        return Err(fault(path, "a direction cannot be zero"));
    }
    if let Some(anchor) = joint.anchor {
        vector(format!("{path}.anchor"), anchor, 1000.0, "m")?;
    }
    within(format!("{path}.limits[0]"), joint.limits[0], -1000.0, joint.limits[1], "(the greatest)")?;
    within(format!("{path}.limits[1]"), joint.limits[1], joint.limits[0], 1000.0, "")?;
    let Some(spring) = &joint.spring else { return Ok(()) };
    within(format!("{path}.spring.stiffness"), spring.stiffness, 0.0, 1e6, "N/m or N m/rad")?;
    within(format!("{path}.spring.damping"), spring.damping, 0.0, 1e4, "N s/m or N m s/rad")?;
    within(format!("{path}.spring.rest"), spring.rest, -1000.0, 1000.0, "")
}

fn check_object(path: &str, object: &ObjectSpec) -> Outcome {
    check_name(path, &object.name)?;
    check_shape(&format!("{path}.shape"), &object.shape, DEEPEST_PARTS)?;
    vector(format!("{path}.position"), object.position, 1000.0, "m")?;
    vector(format!("{path}.rotation"), object.rotation, 36000.0, "degrees")?;
    vector(format!("{path}.velocity"), object.velocity, 1000.0, "m/s")?;
    vector(format!("{path}.spin"), object.spin, 360_000.0, "degrees/s")?;
    if let Some(mass) = object.mass {
        within(format!("{path}.mass"), mass, 1e-5, 1e4, "kg")?;
        if object.density.is_some() {
            return Err(fault(format!("{path}.density"), "give `mass` or `density`, not both"));
        }
    }
    if let Some(density) = object.density {
        within(format!("{path}.density"), density, 0.1, 1e5, "kg/m³")?;
    }
    if let Some(friction) = object.friction {
        within(format!("{path}.friction"), friction, 0.0, 10.0, "")?;
    }
    if let Some(held) = object.held {
        within(format!("{path}.held"), held, 0.0, LONGEST_SECONDS, "s")?;
        if object.fixed {
            return Err(fault(format!("{path}.held"), "what is fixed is held anyway; leave out one"));
        }
    }
    if object.shape == ShapeSpec::Plane && !object.fixed {
        return Err(fault(format!("{path}.shape"), "a plane has no end and must be `fixed = true`"));
    }
    check_colour(path, object.colour.as_deref())
}

pub(super) fn check_name(path: &str, name: &str) -> Outcome {
    if !name.is_empty() && !name.contains(['.', '[', ']']) {
        return Ok(());
    }
    let what = format!("`{name}` is no name: it must not be empty nor contain dots or brackets");
    Err(fault(format!("{path}.name"), what))
}

pub(super) fn check_colour(path: &str, colour: Option<&str>) -> Outcome {
    let Some(colour) = colour else { return Ok(()) };
    let digits = colour.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(fault(format!("{path}.colour"), format!("`{colour}` is no colour; expected `#rrggbb`")))
}

pub(super) fn check_shape(path: &str, shape: &ShapeSpec, depth: usize) -> Outcome {
    match shape {
        ShapeSpec::Parts(parts) => {
            if depth == 0 {
                return Err(fault(path, format!("parts within parts, more than {DEEPEST_PARTS} deep")));
            }
            if parts.is_empty() {
                return Err(fault(path, ShapeError::NoParts.to_string()));
            }
            for (index, part) in parts.iter().enumerate() {
                let inner = format!("{path}.parts[{index}]");
                check_shape(&format!("{inner}.shape"), &part.shape, depth - 1)?;
                vector(format!("{inner}.position"), part.position, 1000.0, "m")?;
                vector(format!("{inner}.rotation"), part.rotation, 36000.0, "degrees")?;
            }
            return Ok(());
        }
        ShapeSpec::Mesh(source) => {
            if source.file.is_empty() == source.model.is_none() {
                return Err(fault(format!("{path}.mesh"), "a mesh needs either `file` or `model`"));
            }
            within(format!("{path}.mesh.scale"), source.scale, 1e-6, 1e6, "metres per unit")?;
            return within(format!("{path}.mesh.resolution"), source.resolution as f64, 24.0, 256.0, "nodes");
        }
        ShapeSpec::Capsule { radius, length } if *length <= 2.0 * radius => {
            let what = format!("its length {length} m must exceed twice its radius {radius} m; else use a sphere");
            return Err(fault(format!("{path}.capsule.length"), what));
        }
        _ => {}
    }
    // Whether the file of a mesh is usable shows when it is read.
    match shape.build(&mut |_| Err(())) {
        Ok(built) => built.validate().map_err(|error| fault(path, error.to_string())),
        Err(()) => Ok(()),
    }
}

fn check_hand(path: &str, hand: &HandSpec) -> Outcome {
    within(format!("{path}.tracker.rate"), hand.tracker.rate, 1.0, 10_000.0, "frames per second")?;
    within(format!("{path}.tracker.noise"), hand.tracker.noise, 0.0, 0.1, "m")?;
    match (&hand.recording, hand.keys.is_empty()) {
        (None, true) => return Err(fault(path, "a hand needs at least one `[[hand.key]]`, or a `recording`")),
        (Some(_), false) => {
            return Err(fault(
                format!("{path}.recording"),
                "a recording moves the hand in place of its keys; leave out one",
            ));
        }
        _ => {}
    }
    if let Some(offset) = hand.recording_offset {
        vector(format!("{path}.recording-offset"), offset, 1000.0, "m")?;
        if hand.recording.is_none() {
            return Err(fault(format!("{path}.recording-offset"), "it moves a `recording`, and there is none"));
        }
    }
    if hand.recording.is_some() && !hand.faults.is_empty() {
        return Err(fault(format!("{path}.fault"), "faults spoil what keys describe; a recording has its own"));
    }
    let mut before = f64::NEG_INFINITY;
    for (index, key) in hand.keys.iter().enumerate() {
        let inner = format!("{path}.key[{index}]");
        within(format!("{inner}.at"), key.at, 0.0, LONGEST_SECONDS, "s")?;
        if key.at <= before {
            let what = format!("keys must come in order of time, but {} s follows {before} s", key.at);
            return Err(fault(format!("{inner}.at"), what));
        }
        before = key.at;
        check_key(&inner, key)?;
    }
    for (index, event) in hand.faults.iter().enumerate() {
        let inner = format!("{path}.fault[{index}]");
        within(format!("{inner}.from"), event.from, 0.0, LONGEST_SECONDS, "s")?;
        within(format!("{inner}.to"), event.to, event.from, LONGEST_SECONDS, "s (not before `from`)")?;
        match event.what {
            FaultKind::Jump(by) => vector(format!("{inner}.what.jump"), by, 1000.0, "m")?,
            FaultKind::Jitter(size) => within(format!("{inner}.what.jitter"), size, 0.0, 1.0, "m")?,
            FaultKind::Nan | FaultKind::Dropout | FaultKind::Swap | FaultKind::Freeze => {}
        }
        for (k, name) in event.joints.iter().enumerate() {
            if let Err(near) = joint_by_name(name) {
                let what = format!("`{name}` is no joint; expected an OpenXR name such as `index-tip`");
                return Err(SceneError { nearest: near, ..fault(format!("{inner}.joints[{k}]"), what) });
            }
        }
    }
    Ok(())
}

fn check_key(path: &str, key: &Key) -> Outcome {
    if let Some(palm) = &key.palm {
        if let Some(position) = palm.position {
            vector(format!("{path}.palm.position"), position, 1000.0, "m")?;
        }
        for (field, direction) in [("fingers", palm.fingers), ("facing", palm.facing)] {
            let Some(direction) = direction else { continue };
            vector(format!("{path}.palm.{field}"), direction.0, 1e6, "")?;
            if direction.vector().length() < 1e-9 {
                return Err(fault(format!("{path}.palm.{field}"), "a direction cannot be zero"));
            }
        }
    }
    if let Some(amount) = key.amount {
        within(format!("{path}.amount"), amount, -1.0, 2.0, "")?;
        if key.grasp.is_none() {
            return Err(fault(format!("{path}.amount"), "an amount goes with a `grasp` in the same key"));
        }
    }
    let Some(fingers) = &key.fingers else { return Ok(()) };
    let names = ["thumb", "index", "middle", "ring", "little"];
    for (name, angles) in names.iter().zip(fingers.digits()) {
        let Some(angles) = angles else { continue };
        vector(format!("{path}.fingers.{name}.flex"), angles.flex, 180.0, "degrees")?;
        within(format!("{path}.fingers.{name}.spread"), angles.spread, -90.0, 90.0, "degrees")?;
    }
    Ok(())
}
