//! Haply's Inverse3 by the Inverse service of its maker, over a WebSocket with JSON (formats 3.1 and 3.5 of the service).
//!
//! The service sends what devices there are, and then one state for each message that it gets. A thread of its own talks to it as fast as
//! it answers; the tick only exchanges the newest state and force with that thread. The service's axes are x right, y forward, z up.
//! A Verse grip, if there is one, gives the turn. Source: docs.haply.co, "WebSocket Protocol", "Control Commands", "Basis Permutation".

use super::triple::{Reader, Writer, triple};
use super::{HapticDevice, HapticError, Motors, Reading};
use serde_json::{Value, json};
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use thenar::haptics::HandleState;
use thenar::math::{Pose, Quat, Vec3};
use tungstenite::{Message, WebSocket};

/// Where the service listens if nothing else is said.
pub const USUAL_URL: &str = "ws://127.0.0.1:10001";
/// An answer takes at most so long; the service is asked anew after that.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between two attempts to reach the service.
const RETRY: Duration = Duration::from_millis(300);
/// Peak force of an Inverse3, N.
const FORCE: f64 = 8.0;

/// What the service said last.
#[derive(Clone, Copy, Debug, Default)]
struct Spoken {
    state: HandleState,
    present: bool,
}

/// An Inverse3.
pub struct HaplyDevice {
    spoken: Reader<Spoken>,
    force: Writer<Vec3>,
    last: HandleState,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl HaplyDevice {
    /// Talks to the service at `url`, such as `ws://127.0.0.1:10001`, and goes on trying while nobody answers.
    ///
    /// # Errors
    /// If the address is no such one, or the system gives no thread.
    pub fn connect(url: &str) -> Result<Self, HapticError> {
        let place = url.strip_prefix("ws://").map(|rest| rest.trim_end_matches('/')).filter(|rest| rest.contains(':'));
        let place = place.ok_or_else(|| HapticError::Text(format!("haply:{url}")))?.to_owned();
        let (mut writer, spoken) = triple(Spoken::default);
        let (force, mut told) = triple(|| Vec3::ZERO);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            while !stopped.load(Ordering::Relaxed) {
                // whatever went wrong, the device is gone, and perhaps back in a moment
                let _ = converse(&place, &mut writer, &mut told, &stopped);
                *writer.slot() = Spoken::default();
                writer.publish();
                if !stopped.load(Ordering::Relaxed) {
                    std::thread::sleep(RETRY);
                }
            }
        };
        let thread = std::thread::Builder::new().name("haply".to_owned()).spawn(work);
        let thread = thread.map_err(|source| HapticError::Open { what: "a thread for Haply".to_owned(), source })?;
        Ok(Self { spoken, force, last: HandleState::default(), stop, thread: Some(thread) })
    }
}

impl HapticDevice for HaplyDevice {
    fn name(&self) -> &str {
        "haply"
    }

    fn motors(&self) -> Motors {
        Motors { velocity: true, ..Motors::three(FORCE) }
    }

    fn read(&mut self, _now: f64, states: &mut [HandleState]) -> Reading {
        let fresh = self.spoken.update();
        let spoken = self.spoken.get();
        if !spoken.present {
            return Reading::Lost;
        }
        self.last = spoken.state;
        if let Some(state) = states.first_mut() {
            *state = self.last;
        }
        if fresh { Reading::Fresh } else { Reading::Same }
    }

    fn write(&mut self, wrenches: &[f64]) {
        if let Some(force) = wrenches.get(..3) {
            *self.force.slot() = Vec3::from_slice(force);
            self.force.publish();
        }
    }
}

impl Drop for HaplyDevice {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// From the service's axes (z up) to ours (y up).
fn to_ours(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.z, -v.y)
}

/// And back.
fn to_theirs(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.z, v.y)
}

fn connect(place: &str) -> io::Result<WebSocket<TcpStream>> {
    let address = place.to_socket_addrs()?.next().ok_or_else(|| io::Error::other("unknown host"))?;
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (socket, _) = tungstenite::client(format!("ws://{place}/"), stream).map_err(io::Error::other)?;
    Ok(socket)
}

/// One connection, until it breaks or we are told to stop; ends with no force.
fn converse(place: &str, spoken: &mut Writer<Spoken>, force: &mut Reader<Vec3>, stop: &AtomicBool) -> io::Result<()> {
    let mut socket = connect(place)?;
    let mut device: Option<String> = None;
    let mut newer = false;
    let mut last = HandleState { pose: Pose::IDENTITY, ..HandleState::default() };
    let mut first = true;
    loop {
        let Message::Text(text) = socket.read().map_err(io::Error::other)? else { continue };
        let value: Value = serde_json::from_str(text.as_str()).map_err(io::Error::other)?;
        if first {
            newer = value.get("session_id").is_some();
        }
        let arms = value.get("inverse3").and_then(Value::as_array);
        let arm = arms.and_then(|arms| match &device {
            Some(id) => arms.iter().find(|arm| arm["device_id"].as_str() == Some(id)),
            None => arms.first(),
        });
        if let Some(arm) = arm {
            device = device.or_else(|| arm["device_id"].as_str().map(str::to_owned));
            if read_state(&value, arm, &mut last) {
                *spoken.slot() = Spoken { state: last, present: true };
                spoken.publish();
            }
        } else if !first {
            return Err(io::Error::other("the device is gone"));
        }
        force.update();
        let ending = stop.load(Ordering::Relaxed);
        let push = if ending { Vec3::ZERO } else { to_theirs(*force.get()) };
        let message = request(device.as_deref(), push, newer, first);
        first = false;
        socket.send(Message::text(message.to_string())).map_err(io::Error::other)?;
        if ending {
            let _ = socket.close(None);
            return Ok(());
        }
    }
}

/// What is sent for each state; the first one says who we are.
fn request(device: Option<&str>, push: Vec3, newer: bool, first: bool) -> Value {
    let vector = json!({ "x": push.x, "y": push.y, "z": push.z });
    // format 3.5 says vector, format 3.1 values
    let command = if newer { json!({ "vector": vector }) } else { json!({ "values": vector }) };
    let arms: Vec<Value> =
        device.iter().map(|id| json!({ "device_id": id, "commands": { "set_cursor_force": command } })).collect();
    let mut message = json!({ "inverse3": arms });
    if first && newer {
        message["session"] = json!({ "configure": { "profile": { "name": "thenar" } } });
    }
    message
}

/// Reads position, velocity and, from a grip, the turn; false if there is no position.
fn read_state(value: &Value, arm: &Value, state: &mut HandleState) -> bool {
    let vector = |value: &Value| Some(Vec3::new(value["x"].as_f64()?, value["y"].as_f64()?, value["z"].as_f64()?));
    let Some(position) = vector(&arm["state"]["cursor_position"]).filter(|p| p.is_finite()) else { return false };
    state.pose.position = to_ours(position);
    state.velocity = vector(&arm["state"]["cursor_velocity"]).filter(|v| v.is_finite()).map_or(Vec3::ZERO, to_ours);
    for grips in ["wireless_verse_grip", "verse_grip"] {
        let turn = &value[grips][0]["state"]["orientation"];
        let Some(xyz) = vector(turn).map(to_ours) else { continue };
        let Some(w) = turn["w"].as_f64() else { continue };
        let rotation = Quat::from_xyzw(xyz.x, xyz.y, xyz.z, w);
        if rotation.is_finite() && rotation.length() > 0.5 {
            state.pose.rotation = rotation.normalize();
            break;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn their_axes_become_ours_and_back() {
        let forward = Vec3::new(0.0, 1.0, 0.0);
        assert_eq!(to_ours(forward), Vec3::new(0.0, 0.0, -1.0));
        assert_eq!(to_ours(Vec3::Z), Vec3::Y);
        assert_eq!(to_theirs(to_ours(Vec3::new(1.0, 2.0, 3.0))), Vec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn states_without_a_position_are_left_out() {
        let mut state = HandleState::default();
        for text in
            ["{}", r#"{"state":{"cursor_position":{"x":1}}}"#, r#"{"state":{"cursor_position":{"x":"1","y":0,"z":0}}}"#]
        {
            let arm: Value = serde_json::from_str(text).unwrap();
            assert!(!read_state(&json!({}), &arm, &mut state), "{text}");
        }
    }
}
