//! What can go wrong between a tracker and its receiver.

/// Why a receiver could not be started, or a sender could not send.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The address cannot be listened on.
    #[error("cannot listen on {endpoint}: {error}; choose another port, or 0 for any")]
    Bind {
        /// As given.
        endpoint: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// No thread could be started.
    #[error("cannot start a thread for {endpoint}: {error}")]
    Thread {
        /// As given.
        endpoint: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// Nobody can be reached.
    #[error("cannot reach {endpoint}: {error}; is a receiver listening there?")]
    Connect {
        /// As given.
        endpoint: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The receiver is gone.
    #[error("{endpoint} takes no more messages: {error}")]
    Send {
        /// As given.
        endpoint: String,
        /// What the system said.
        error: std::io::Error,
    },
}
