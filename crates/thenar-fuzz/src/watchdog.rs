//! Ends a run whose input takes far too long or far too much memory, and keeps that input.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// No file of a few kilobytes takes this long to be refused; time that the process computes, not that passes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nor this much memory, bytes.
const MEMORY: u64 = 4 << 30;

/// Number and bytes of the input that is read now.
type Current = Mutex<(u64, Option<Vec<u8>>)>;

/// Watches over one input after the other.
pub struct Watchdog {
    current: Arc<Current>,
}

impl Watchdog {
    /// What is too slow is kept in `folder`.
    pub fn start(folder: &Path) -> Watchdog {
        let current: Arc<Current> = Arc::default();
        let (watched, folder) = (Arc::downgrade(&current), folder.to_owned());
        // It ends with the process, or when nobody is watched any more.
        std::thread::spawn(move || {
            let (mut seen, mut since) = (0, busy());
            while let Some(current) = watched.upgrade() {
                let guard = current.lock().unwrap_or_else(PoisonError::into_inner);
                let (number, input) = &*guard;
                if *number != seen {
                    (seen, since) = (*number, busy());
                }
                let slow = busy().saturating_sub(since) > PATIENCE;
                if let Some(input) = input.as_ref().filter(|_| slow || resident() > MEMORY) {
                    let kind = if slow { "hang" } else { "memory" };
                    eprintln!("{kind}: {:?}", keep(&folder, kind, input));
                    std::process::exit(1);
                }
                drop(guard);
                drop(current);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Watchdog { current }
    }

    pub fn begin(&self, input: &[u8]) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = (current.0 + 1, Some(input.to_vec()));
    }

    pub fn end(&self) {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
    }
}

/// Time that this process has computed: on a busy machine far less than has passed. The time that has passed where the
/// system does not tell.
fn busy() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let passed = START.get_or_init(Instant::now).elapsed();
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    // The name of the process, in parentheses, may hold blanks; of what follows it, the 12th and 13th are ticks.
    let ticks = stat.as_deref().and_then(|text| text.rsplit_once(')')).and_then(|(_, rest)| {
        let mut fields = rest.split_whitespace().skip(11);
        Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
    });
    ticks.map_or(passed, |ticks| Duration::from_millis(10 * ticks))
}

/// Memory in use, bytes; 0 where the system does not tell.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages: Option<u64> = pages.and_then(|text| text.split(' ').nth(1)?.parse().ok());
    pages.unwrap_or(0) * 4096
}

/// Writes an input that broke something.
pub fn keep(folder: &Path, kind: &str, input: &[u8]) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = folder.join(format!("{kind}-{:016x}", hasher.finish()));
    std::fs::write(&path, input)?;
    Ok(path)
}
