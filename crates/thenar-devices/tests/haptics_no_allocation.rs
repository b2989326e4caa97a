//! A haptic tick allocates nothing: proven by an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::{TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use thenar::hand::{Anatomy, HandSurface, Preset, Side, SkinDetail};
use thenar::haptics::{DeviceCoupling, HandleBody, HandleState, ProxyModel};
use thenar::math::{Mat3, Pose, Vec3};
use thenar_devices::haptics::trace::trace;
use thenar_devices::haptics::triple::triple;
use thenar_devices::haptics::udp::{PoseMessage, write_pose};
use thenar_devices::haptics::{
    Felt, HandImpedance, HaplyDevice, HapticDevice, Motion, Motors, Reading, RecordedDevice, Renderer, RendererParams,
    SimulatedDevice, UdpDevice, Wish,
};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Set in the thread whose ticks are judged: what runs the tests has threads of its own, which allocate when they like.
    static JUDGED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if JUDGED.try_with(Cell::get).unwrap_or(false) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system allocator unchanged; counting has no other effect.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above with the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One test only: a second one running beside it would be counted too.
#[test]
fn a_tick_allocates_nothing() {
    JUDGED.set(true);
    let mut motion = Motion::default();
    for k in 0..50 {
        let y = 0.02 * f64::from(k % 5) / 5.0;
        motion.push(0.01 * f64::from(k), Pose { position: Vec3::new(0.0, y, 0.0), ..Pose::IDENTITY });
    }
    ticks("sim3", Box::new(SimulatedDevice::three(HandImpedance::default(), motion.clone())), None);
    ticks("sim6", Box::new(SimulatedDevice::six(HandImpedance::default(), motion.clone())), None);
    ticks("recorded", Box::new(RecordedDevice::new(motion)), None);
    let (mut wishes, reader) = triple(|| Wish { held: true, ..Wish::default() });
    wishes.publish();
    let (hand, start) = (HandImpedance::default(), Pose::IDENTITY);
    let live = SimulatedDevice::live("mouse", Motors::three(8.0), hand, start, reader);
    ticks("a live wish, which falls silent", Box::new(live), None);
    let glove = UdpDevice::bind("127.0.0.1:0", 16).unwrap();
    let line = UdpSocket::bind("127.0.0.1:0").unwrap();
    line.connect(glove.address().unwrap()).unwrap();
    ticks("a glove over UDP", Box::new(glove), Some(line));
    // the service and the device's own thread allocate what they like; the tick is judged
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let service = std::thread::spawn(move || serve(&listener));
    let mut haply = HaplyDevice::connect(&url).unwrap();
    let start = std::time::Instant::now();
    while haply.read(0.0, &mut [HandleState::default()]) == Reading::Lost {
        assert!(start.elapsed().as_secs() < 20, "the service does not answer");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    ticks("haply", Box::new(haply), None);
    service.join().unwrap();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    drop(std::hint::black_box(Box::new(7)));
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > before, "it does count");
}

/// The Inverse service: a state for each message, until the device says goodbye.
fn serve(listener: &TcpListener) {
    let (stream, _) = listener.accept().unwrap();
    let mut socket = tungstenite::accept(stream).unwrap();
    for state in 0.. {
        let text = format!(
            r#"{{ "session_id": 7, "inverse3": [{{ "device_id": "049D", "state": {{ "cursor_position": {{ "x": 0, "y": {}, "z": 0 }},
                "cursor_velocity": {{ "x": 0, "y": 0, "z": 0 }} }} }}] }}"#,
            1e-4 * f64::from(state % 100)
        );
        if socket.send(tungstenite::Message::text(text)).is_err() || !socket.read().is_ok_and(|answer| answer.is_text())
        {
            return;
        }
    }
}

/// Models come in the middle, one of them late, and the device pauses.
fn ticks(name: &str, device: Box<dyn HapticDevice>, line: Option<UdpSocket>) {
    let handles = device.handles();
    // a service answers in its own time, which no tick waits for
    let stall = if name == "haply" { 1e9 } else { RendererParams::default().stall };
    let params = RendererParams { stall, ..RendererParams::default() };
    let renderer = Renderer::new(device, &vec![Pose::IDENTITY; handles], params).unwrap();
    let anatomy = Anatomy::preset(Preset::Adult, Side::Right);
    let mut renderer = if handles == 16 {
        renderer.gloved(&HandSurface::build(&anatomy, SkinDetail::Coarse).unwrap().skeleton)
    } else {
        renderer
    };
    let (mut models, mut reader) = triple(|| ProxyModel::of(handles));
    let (mut felt, _watching) = triple(|| Felt::of(handles));
    let (mut trace, _drawing) = trace();
    let body = HandleBody { mass: 0.05, inertia: Mat3::from_diagonal(Vec3::splat(2e-5)) };
    let start = std::time::Instant::now();
    while name == "haply" && !renderer.present() {
        assert!(start.elapsed().as_secs() < 20, "the service does not answer");
        renderer.tick(0.0, &mut reader);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let mut count = 0;
    for tick in 0..500u32 {
        if tick % 20 == 5 && tick < 200 {
            let model = models.slot();
            for row in 0..6 * handles {
                model.model.stiffness[row * 6 * handles + row] = -300.0 - f64::from(tick);
            }
            model.inertia[0] = 0.1;
            assert!(model.prepare(&vec![body; handles], &vec![DeviceCoupling::default(); handles], 1e-3, 0.02));
            model.number = 1;
            models.publish();
        }
        if let Some(line) = line.as_ref().filter(|_| !(300..350).contains(&tick)) {
            let states = vec![HandleState { pose: Pose::IDENTITY, ..HandleState::default() }; handles];
            line.send(&write_pose(&PoseMessage {
                sequence: tick,
                motors: Motors::six(8.0, 0.4),
                joints: true,
                states,
            }))
            .unwrap();
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        renderer.tick(f64::from(tick) * 1e-3, &mut reader);
        renderer.tell(&mut felt);
        trace.push(&renderer.sample());
        count += ALLOCATIONS.load(Ordering::Relaxed) - before;
    }
    assert_eq!(count, 0, "{name}: allocations in 500 ticks");
    assert!(renderer.statistics().models > 5 && renderer.statistics().doubted > 0, "{name}");
    assert_eq!(renderer.joints().is_some(), handles == 16, "{name}");
}
