//! What is going on, on standard error, while a person waits at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A spinner with a message; silent where standard error is no terminal. It disappears when dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts the spinner.
    pub fn start(message: &'static str) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}{msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(message);
        if is_terminal {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        tracing::info!("{message}");
        Progress { bar }
    }

    /// Counts within the present work; may be called from any thread.
    pub fn count(&self, done: usize, total: usize) {
        self.bar.set_prefix(format!("{}% ", 100 * done / total.max(1)));
    }

    /// Says what happens next.
    pub fn next(&self, message: &'static str) {
        tracing::info!("{message}");
        self.bar.set_prefix("");
        self.bar.set_message(message);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
