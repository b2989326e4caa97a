//! The thread that ticks a thousand times a second.

use super::realtime;
use super::statistics::{LATE, LoopStatistics};
use super::trace::{Sample, TraceReader, TraceWriter, trace};
use super::triple::{Reader, Writer, triple};
use super::{Felt, HapticError, Renderer};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thenar::haptics::ProxyModel;

/// Of the thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopParams {
    /// Whether to ask for a real-time priority, which most systems give only to those whom they were told to.
    pub realtime: bool,
}

impl Default for LoopParams {
    fn default() -> Self {
        Self { realtime: true }
    }
}

/// What happened to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopNews {
    /// It speaks.
    Found,
    /// It stalled or vanished; its force is zero.
    Lost,
}

impl fmt::Display for LoopNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LoopNews::Found => "haptic device found: forces grow to their full size",
            LoopNews::Lost => "haptic device stalled or gone: forces are zero until it is back",
        })
    }
}

/// A renderer at work on a thread of its own.
pub struct HapticLoop {
    models: Writer<ProxyModel>,
    felt: Reader<Felt>,
    trace: TraceReader,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Renderer>>,
    known: (bool, u64),
    number: u64,
    /// When the device was where who steps the world was told last, seconds.
    asked_at: f64,
}

impl HapticLoop {
    /// Starts ticking; `dt` is the renderer's.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(renderer: Renderer, dt: f64, params: LoopParams) -> Result<Self, HapticError> {
        let handles = renderer.states().len();
        let (models, reader) = triple(|| ProxyModel::of(handles));
        let (writer, felt) = triple(|| Felt::of(handles));
        let (ticks, trace) = trace();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || run(renderer, dt, params, reader, (writer, ticks), &told);
        let thread = std::thread::Builder::new().name("haptics".to_owned()).spawn(work);
        let thread = thread.map_err(|source| HapticError::Open { what: "a thread for haptics".to_owned(), source })?;
        let known = (false, 0);
        Ok(Self { models, felt, trace, stop, thread: Some(thread), known, number: 0, asked_at: 0.0 })
    }

    /// The model that is to be handed over next: to be filled in, prepared and [published](HapticLoop::publish).
    pub fn model(&mut self) -> &mut ProxyModel {
        self.models.slot()
    }

    /// Hands the model over. The loop takes it in its next tick.
    pub fn publish(&mut self) {
        self.number += 1;
        let slot = self.models.slot();
        (slot.number, slot.led_at) = (self.number, self.asked_at);
        self.models.publish();
    }

    /// The newest tick.
    pub fn felt(&mut self) -> &Felt {
        self.felt.update();
        let felt = self.felt.get();
        self.asked_at = felt.time;
        felt
    }

    /// The oldest tick that was not asked for yet; ticks wait for two seconds, later ones are left out.
    pub fn sample(&mut self) -> Option<Sample> {
        self.trace.pop()
    }

    /// What happened to the device since the last question.
    pub fn news(&mut self) -> Vec<LoopNews> {
        self.felt.update();
        let felt = self.felt.get();
        let (present, lost) = (felt.present, felt.statistics.lost);
        let mut news = Vec::new();
        if lost > self.known.1 {
            news.push(LoopNews::Lost);
        }
        if present && (!self.known.0 || lost > self.known.1) {
            news.push(LoopNews::Found);
        }
        self.known = (present, lost);
        news
    }

    /// Ends with no force, and says what was counted.
    pub fn stop(mut self) -> LoopStatistics {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(renderer)) => renderer.statistics().clone(),
            _ => {
                self.felt.update();
                self.felt.get().statistics.clone()
            }
        }
    }
}

impl Drop for HapticLoop {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(
    mut renderer: Renderer,
    dt: f64,
    params: LoopParams,
    mut models: Reader<ProxyModel>,
    (mut felt, mut ticks): (Writer<Felt>, TraceWriter),
    stop: &AtomicBool,
) -> Renderer {
    renderer.statistics.realtime = params.realtime && realtime::request();
    let period = Duration::from_secs_f64(dt);
    let start = Instant::now() + period;
    let mut tick = 0u64;
    while !stop.load(Ordering::Relaxed) {
        let due = start + Duration::from_nanos((tick as f64 * dt * 1e9) as u64);
        // what others left in the caches since the last tick would be fetched in the middle of this one
        realtime::wait_until(due, || {
            let before = Instant::now();
            models.get().touch();
            renderer.statistics.ahead.add(before.elapsed().as_secs_f64());
        });
        let began = Instant::now();
        renderer.tick(tick as f64 * dt, &mut models);
        renderer.tell(&mut felt);
        ticks.push(&renderer.sample());
        let (late, compute) = ((began - due).as_secs_f64(), began.elapsed().as_secs_f64());
        let statistics = &mut renderer.statistics;
        statistics.ticks += 1;
        statistics.seconds = (began - start).as_secs_f64();
        statistics.late += u64::from(late > LATE);
        statistics.lateness.add(late);
        statistics.compute.add(compute);
        tick += 1;
        // Time that is over is over: a tick for each missed period would only be later still.
        let behind = start.elapsed().as_secs_f64() / dt;
        if behind > tick as f64 + 1.0 {
            let next = behind.floor() as u64;
            statistics.skipped += next - tick;
            tick = next;
        }
    }
    renderer.release();
    renderer
}
