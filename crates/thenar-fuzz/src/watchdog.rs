//! Ends a run whose input takes far too long or far too much memory, and keeps that input.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// No file of a few kilobytes takes this long to be refused.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nor this much memory, bytes.
const MEMORY: u64 = 4 << 30;

type Current = Mutex<Option<(Instant, Vec<u8>)>>;

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
            while let Some(current) = watched.upgrade() {
                let guard = current.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((begun, input)) = guard.as_ref() {
                    let slow = begun.elapsed() > PATIENCE;
                    if slow || resident() > MEMORY {
                        let kind = if slow { "hang" } else { "memory" };
                        eprintln!("{kind}: {:?}", keep(&folder, kind, input));
                        std::process::exit(1);
                    }
                }
                drop(guard);
                drop(current);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Watchdog { current }
    }

    pub fn begin(&self, input: &[u8]) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), input.to_vec()));
    }

    pub fn end(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
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
