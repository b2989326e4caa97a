//! What can go wrong with a receiver.

/// Why a receiver could not be started.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// As given.
        address: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// No thread could be started.
    #[error("cannot start a thread for {address}: {error}")]
    Thread {
        /// As given.
        address: String,
        /// What the system said.
        error: std::io::Error,
    },
}
