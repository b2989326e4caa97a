//! What can go wrong with what a person asked for.

use std::path::PathBuf;

/// Every variant is bad input; its message names the file or option, the field and the value.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Input whose own message names the file or field, the value and what to do.
    #[error(transparent)]
    Input(Box<dyn std::error::Error + Send + Sync>),
    /// Options that do not go together.
    #[error("{0}")]
    Options(String),
    /// A file cannot be read, or does not hold what it should.
    #[error("{}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file could not be written later on.
    #[error("cannot write {}: {reason}", path.display())]
    Target { path: PathBuf, reason: &'static str },
    /// The system does not say when somebody presses Ctrl+C.
    #[error("cannot listen for Ctrl+C")]
    Signals(#[source] std::io::Error),
    /// Ctrl+C or SIGTERM; what was to be written is written.
    #[error("stopped after {done} of {steps} steps ({seconds:.2} s); its checks were not judged{files}")]
    Stopped { done: u64, steps: u64, seconds: f64, files: &'static str },
    /// A result cannot be printed.
    #[error("cannot print the result")]
    Print(#[source] std::io::Error),
}

impl Error {
    /// 2 for bad input, the same as for arguments that do not parse; another where somebody stopped it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Stopped { .. } => crate::interrupt::EXIT_CODE,
            _ => 2,
        }
    }

    /// For `map_err` where the message needs nothing more.
    pub fn input<E: Into<Box<dyn std::error::Error + Send + Sync>>>(source: E) -> Self {
        Error::Input(source.into())
    }

    /// For `map_err` on reading `path`.
    pub fn read<E: Into<Box<dyn std::error::Error + Send + Sync>>>(path: impl Into<PathBuf>) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |source| Error::Read { path, source: source.into() }
    }

    /// For `map_err` on writing `path`.
    pub fn write<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |source| Error::Write { path, source: source.into() }
    }

    /// The message followed by its causes.
    pub fn chain(&self) -> String {
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            // Some errors repeat their source in their own message.
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        message
    }
}
