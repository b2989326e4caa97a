//! What can be wrong with a recording.

/// Why a recording could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file is too large.
    #[error("the file has {0} bytes; at most {max} are read", max = super::read::LARGEST)]
    TooLarge(usize),
    /// Not MCAP at all.
    #[error("this is no MCAP file: it does not begin with the bytes 89 4d 43 41 50 30 0d 0a")]
    NotMcap,
    /// The file ends within a record.
    #[error("the record at byte {offset} claims {claimed} bytes, but {left} are left; the file is damaged")]
    Cut {
        /// Where the record begins.
        offset: usize,
        /// Its length as written.
        claimed: u64,
        /// Bytes up to the end.
        left: usize,
    },
    /// A cut file without anything to replay.
    #[error("the file is cut at byte {offset} of {length}, before its {what}: nothing of it can be replayed")]
    TooShort {
        /// Where the first record begins that is not whole.
        offset: usize,
        /// Bytes that are there.
        length: usize,
        /// What should have come.
        what: &'static str,
    },
    /// A record that cannot be understood.
    #[error("the record at byte {offset} is damaged: {what}")]
    Record {
        /// Where the record begins.
        offset: usize,
        /// What is wrong.
        what: String,
    },
    /// A message that cannot be understood.
    #[error("message {number} of channel {channel}: {what}")]
    Message {
        /// The channel's topic.
        channel: String,
        /// Number of the message in its channel, from 0.
        number: usize,
        /// What is wrong.
        what: String,
    },
    /// A part without which nothing can be replayed.
    #[error("the file has no {0}; only recordings made by `thenar run --record` can be replayed")]
    Missing(&'static str),
    /// A value of the metadata.
    #[error("metadata `{field}` is {found:?}, expected {expected}")]
    Metadata {
        /// Its key.
        field: &'static str,
        /// What is there.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// The scene within.
    #[error("scene.toml within: {0}")]
    Scene(#[from] crate::scene::SceneError),
    /// The file could not be written.
    #[error("cannot write the recording: {0}")]
    Write(#[from] mcap::McapError),
}
