//! Haptic devices over real sockets, and the loop on a real thread. Nothing here asserts a time.

use std::net::{TcpListener, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use thenar::haptics::{DeviceCoupling, HandleBody, HandleState, ProxyModel};
use thenar::math::{Mat3, Pose, Quat, Vec3};
use thenar_devices::haptics::triple::{Writer, triple};
use thenar_devices::haptics::udp::{PoseMessage, write_pose};
use thenar_devices::haptics::{
    HandImpedance, HaplyDevice, HapticDevice, HapticLoop, LoopNews, LoopParams, Motion, Motors, Reading, Renderer,
    RendererParams, SimulatedDevice, UdpDevice,
};
use tungstenite::Message;

/// Long enough for any machine; reached only where something is broken.
const PATIENCE: Duration = Duration::from_secs(20);

fn still() -> HandleState {
    HandleState { pose: Pose::IDENTITY, ..HandleState::default() }
}

/// A spring of 500 N/m to the origin.
fn spring(model: &mut ProxyModel, number: u64) {
    for axis in 0..3 {
        model.model.stiffness[axis * 7] = -500.0;
        model.model.damping[axis * 7] = -2.0;
    }
    let body = HandleBody { mass: 0.05, inertia: Mat3::from_diagonal(Vec3::splat(2e-5)) };
    assert!(model.prepare(&[body], &[DeviceCoupling::default()], 1e-3, 1e9));
    model.number = number;
}

fn publish(models: &mut Writer<ProxyModel>) {
    spring(models.slot(), 1);
    models.publish();
}

/// What a device's program is told: sequence, whether forces are on, force.
fn answer(line: &UdpSocket) -> Option<(u32, bool, f64)> {
    let mut bytes = [0; 200];
    let length = line.recv(&mut bytes).ok()?;
    assert_eq!((length, &bytes[..4]), (64, &b"THw1"[..]));
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    Some((word(4), word(12) == 1, f64::from_le_bytes(bytes[16..24].try_into().unwrap())))
}

fn pose_at(sequence: u32, x: f64) -> Vec<u8> {
    let pose = Pose { position: Vec3::new(x, 0.0, 0.0), ..Pose::IDENTITY };
    let motors = Motors { velocity: true, ..Motors::three(4.0) };
    write_pose(&PoseMessage { sequence, motors, joints: false, states: vec![HandleState { pose, ..still() }] })
}

#[test]
fn a_program_sends_poses_and_gets_forces_until_it_falls_silent() {
    let device = UdpDevice::bind("127.0.0.1:0", 1).unwrap();
    let place = device.address().unwrap();
    let line = UdpSocket::bind("127.0.0.1:0").unwrap();
    line.connect(place).unwrap();
    line.set_read_timeout(Some(PATIENCE)).unwrap();
    let params = RendererParams { engage: 0.01, ..RendererParams::default() };
    let mut renderer = Renderer::new(Box::new(device), &[Pose::IDENTITY], params).unwrap();
    let (mut models, mut reader) = triple(|| ProxyModel::of(1));
    publish(&mut models);
    let mut last = (0, false, 0.0);
    for tick in 1..=300u32 {
        // found where it is, and pulled 4 mm away from there
        line.send(&pose_at(tick, if tick < 20 { 0.1 } else { 0.104 })).unwrap();
        renderer.tick(f64::from(tick) * 1e-3, &mut reader);
        last = answer(&line).unwrap();
    }
    let expected = -0.004 / (1.0 / 500.0 + 1.0 / DeviceCoupling::default().stiffness);
    assert!(last.0 == 300 && last.1 && (last.2 - expected).abs() < 0.02, "{last:?}, expected {expected} N");
    assert!(renderer.present() && renderer.statistics().lost == 0);
    // another program is not heard, and what is no pose is left out
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.connect(place).unwrap();
    stranger.send(&pose_at(1000, 9.0)).unwrap();
    line.send(b"THp1 rubbish").unwrap();
    for tick in 301..=340 {
        renderer.tick(f64::from(tick) * 1e-3, &mut reader);
    }
    assert!(!renderer.present() && renderer.statistics().lost == 1, "40 ms of silence");
    assert_eq!(renderer.wrench(), [0.0; 6]);
    let mut told = last;
    for _ in 301..=340 {
        told = answer(&line).unwrap();
    }
    assert_eq!((told.1, told.2), (false, 0.0), "the last that the program hears is to rest");
    // back again: where it is now is where the handle is, and no force jumps
    line.send(&pose_at(2000, 0.3)).unwrap();
    renderer.tick(0.341, &mut reader);
    assert!(renderer.present() && renderer.wrench()[0].abs() < 0.05);
}

#[test]
fn the_example_in_c_speaks_the_protocol() {
    let folder = std::env::temp_dir().join(format!("thenar-haptic-udp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("haptic_udp");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/haptic_udp.c");
    let built = Command::new("cc").args(["-O2", "-Wall", "-Werror", "-o"]).arg(&program).args([source, "-lm"]).status();
    let Ok(built) = built else {
        eprintln!("skipped: there is no C compiler `cc`");
        return;
    };
    assert!(built.success());
    let device = UdpDevice::bind("127.0.0.1:0", 1).unwrap();
    let port = device.address().unwrap().port().to_string();
    let renderer = Renderer::new(Box::new(device), &[Pose::IDENTITY], RendererParams::default()).unwrap();
    let mut running = HapticLoop::start(renderer, 1e-3, LoopParams::default()).unwrap();
    spring(running.model(), 1);
    running.publish();
    let child = Command::new(&program).args([&port, "1500"]).stdout(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answered: u32 = text.split(", ").nth(1).and_then(|part| part.split(' ').next()).unwrap().parse().unwrap();
    let statistics = running.stop();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success() && answered > 0, "{text}");
    assert!(text.starts_with("1500 poses sent"), "{text}");
    assert!(statistics.force_most > 0.5, "a spring at a centimetre: {statistics}");
}

/// The Inverse service as its documentation describes it: an inventory first, then one state for each message.
fn serve(listener: &TcpListener, states: u32, newer: bool, heard: &mpsc::Sender<String>) {
    let (stream, _) = listener.accept().unwrap();
    let mut socket = tungstenite::accept(stream).unwrap();
    let session = if newer { "\"session_id\": 7, " } else { "" };
    for state in 0..=states {
        let text = format!(
            r#"{{ {session}"inverse3": [{{ "device_id": "049D", "config": {{ "type": "inverse3" }}, "state": {{
                "cursor_position": {{ "x": 0.01, "y": {}, "z": 0.15 }}, "cursor_velocity": {{ "x": 0, "y": 0.2, "z": 0 }} }} }}],
                "wireless_verse_grip": [{{ "device_id": "61576", "state": {{ "orientation": {{ "w": 0.8, "x": 0, "y": 0, "z": 0.6 }} }} }}] }}"#,
            0.001 * f64::from(state)
        );
        if socket.send(Message::text(text)).is_err() {
            return;
        }
        // as often as a real one at least: who is asleep meanwhile finds it still there
        std::thread::sleep(Duration::from_millis(5));
        match socket.read() {
            Ok(Message::Text(text)) => heard.send(text.as_str().to_owned()).unwrap_or(()),
            _ => return,
        }
    }
}

fn wait_for(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "nothing came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_service_of_haply_is_spoken_to_in_both_of_its_formats() {
    for newer in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let (sender, heard) = mpsc::channel();
        let service = std::thread::spawn(move || serve(&listener, 50, newer, &sender));
        let mut device = HaplyDevice::connect(&url).unwrap();
        // up, in our axes, is z in theirs; away from the user is −z in ours and y in theirs
        device.write(&[1.0, 2.0, -3.0, 0.0, 0.0, 0.0]);
        let mut states = [still()];
        let mut fresh = 0;
        wait_for(|| {
            fresh += u32::from(device.read(0.0, &mut states) == Reading::Fresh);
            fresh > 0 && states[0].pose.position.z < -0.002
        });
        let HandleState { pose, velocity, .. } = states[0];
        assert!((pose.position.x - 0.01).abs() < 1e-12 && (pose.position.y - 0.15).abs() < 1e-12);
        assert!((velocity - Vec3::new(0.0, 0.0, -0.2)).length() < 1e-12);
        assert!(pose.rotation.angle_between(Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)) < 1e-6, "about what is up");
        service.join().unwrap();
        // the service has closed the line: the device is gone until somebody listens there again
        wait_for(|| device.read(0.0, &mut states) == Reading::Lost);
        drop(device);
        let messages: Vec<serde_json::Value> = heard.iter().map(|text| serde_json::from_str(&text).unwrap()).collect();
        assert_eq!(messages[0]["session"]["configure"]["profile"]["name"].is_string(), newer);
        assert!(messages[1].get("session").is_none(), "once is enough");
        let last = &messages.last().unwrap()["inverse3"][0];
        assert_eq!(last["device_id"], "049D");
        let force = &last["commands"]["set_cursor_force"][if newer { "vector" } else { "values" }];
        assert_eq!((force["x"].as_f64(), force["y"].as_f64(), force["z"].as_f64()), (Some(1.0), Some(3.0), Some(2.0)));
    }
}

#[test]
fn nobody_at_the_address_of_haply_is_a_device_that_is_not_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut device = HaplyDevice::connect(&format!("ws://127.0.0.1:{port}")).unwrap();
    assert_eq!(device.read(0.0, &mut [still()]), Reading::Lost);
    assert!(HaplyDevice::connect("http://127.0.0.1:1").is_err());
}

/// A device that is there for a while, away for a while, and back.
struct Flaky(SimulatedDevice, u32);

impl HapticDevice for Flaky {
    fn name(&self) -> &str {
        "flaky"
    }
    fn motors(&self) -> Motors {
        self.0.motors()
    }
    fn read(&mut self, now: f64, states: &mut [HandleState]) -> Reading {
        self.1 += 1;
        match self.1 {
            200..300 => Reading::Lost,
            _ => self.0.read(now, states),
        }
    }
    fn write(&mut self, wrenches: &[f64]) {
        if (200..300).contains(&self.1) {
            assert!(wrenches.iter().all(|value| *value == 0.0), "a device that is gone is told to rest");
        }
        self.0.write(wrenches);
    }
}

#[test]
fn the_loop_reports_a_device_that_vanishes_and_comes_back() {
    let mut motion = Motion::default();
    assert!(motion.push(0.0, Pose { position: Vec3::new(0.0, 0.01, 0.0), ..Pose::IDENTITY }));
    let device = Flaky(SimulatedDevice::six(HandImpedance::default(), motion), 0);
    let params = RendererParams { engage: 0.05, ..RendererParams::default() };
    let renderer = Renderer::new(Box::new(device), &[Pose::IDENTITY], params).unwrap().in_world_axes();
    let mut running = HapticLoop::start(renderer, params.dt, LoopParams::default()).unwrap();
    spring(running.model(), 1);
    running.publish();
    let mut news = Vec::new();
    wait_for(|| {
        news.extend(running.news());
        news.len() >= 3
    });
    assert_eq!(news, [LoopNews::Found, LoopNews::Lost, LoopNews::Found]);
    wait_for(|| running.felt().wrench[1] < -0.5);
    let statistics = running.stop();
    assert_eq!((statistics.lost, statistics.models), (1, 1));
    assert!(statistics.ticks > 300 && statistics.rate() > 0.0);
}

#[test]
fn a_device_with_other_handles_than_the_tool_is_refused() {
    let device = UdpDevice::bind("127.0.0.1:0", 16).unwrap();
    let refused = Renderer::new(Box::new(device), &[Pose::IDENTITY], RendererParams::default());
    let Err(error) = refused else { panic!("sixteen handles for one") };
    assert!(error.to_string().contains("16 handles and the tool 1"), "{error}");
}
