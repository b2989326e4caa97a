//! Numbers out of JSON values, with errors that say where.

use serde_json::Value;
use thenar::hand::{JointSample, JointSet, Side, XrJoint};
use thenar::math::{Pose, Quat, Vec3};

use super::error::TrackProblem;

/// Positions beyond this are no hand in a room, metres.
const FAR: f64 = 1000.0;

pub(super) fn bad(field: &str, found: &Value, expected: &'static str) -> TrackProblem {
    let text = found.to_string();
    let shown = if text.chars().count() > 40 { text.chars().take(37).chain("...".chars()).collect() } else { text };
    TrackProblem::Field { field: field.to_owned(), found: shown, expected }
}

pub(super) fn list<'a>(value: &'a Value, field: &str) -> Result<&'a Vec<Value>, TrackProblem> {
    value.as_array().ok_or_else(|| bad(field, value, "a list"))
}

/// `[x, y, z]` or `{"x": …, "y": …, "z": …}`, metres after multiplying by `scale`.
pub(super) fn position(value: &Value, field: &str, scale: f64) -> Result<Vec3, TrackProblem> {
    let found = components(value, ["x", "y", "z"]).map(|v| Vec3::from_array(v) * scale);
    found.filter(|v| v.abs().max_element() < FAR).ok_or_else(|| bad(field, value, "three numbers, a place within 1 km"))
}

/// `[x, y, z, w]` or an object with these; `None` for null.
pub(super) fn rotation(value: &Value, field: &str) -> Result<Option<Quat>, TrackProblem> {
    if value.is_null() {
        return Ok(None);
    }
    let found = components(value, ["x", "y", "z", "w"]).map(Quat::from_array);
    let unit = found.filter(|q| (0.9..1.1).contains(&q.length())).map(Quat::normalize);
    unit.map(Some).ok_or_else(|| bad(field, value, "a unit quaternion x, y, z, w"))
}

pub(super) fn radius(value: &Value, field: &str) -> Result<f64, TrackProblem> {
    if value.is_null() {
        return Ok(0.0);
    }
    let found = value.as_f64().filter(|r| (0.0..0.2).contains(r));
    found.ok_or_else(|| bad(field, value, "a distance to the skin between 0 and 0.2 m"))
}

pub(super) fn seconds(value: &Value, field: &str, scale: f64) -> Result<f64, TrackProblem> {
    let found = value.as_f64().map(|t| t * scale).filter(|t| t.is_finite());
    found.ok_or_else(|| bad(field, value, "a time"))
}

pub(super) fn side(value: &Value, field: &str) -> Result<Side, TrackProblem> {
    let named = value.as_str().and_then(|name| Side::of_name(&name.to_ascii_lowercase()));
    named.ok_or_else(|| bad(field, value, "\"left\" or \"right\""))
}

fn components<const N: usize>(value: &Value, names: [&str; N]) -> Option<[f64; N]> {
    let mut numbers = [0.0; N];
    for (i, number) in numbers.iter_mut().enumerate() {
        let part = match value {
            Value::Array(list) if list.len() == N => &list[i],
            Value::Object(object) => object.get(names[i])?,
            _ => return None,
        };
        *number = part.as_f64()?;
    }
    Some(numbers)
}

/// A joint whose rotation is unknown has the quaternion zero until [`super::completed`] finds one.
pub(super) fn put(joints: &mut JointSet, joint: XrJoint, position: Vec3, rotation: Option<Quat>, radius: f64) {
    let rotation = rotation.unwrap_or(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    joints[joint] = Some(JointSample { pose: Pose::new(position, rotation), radius });
}
