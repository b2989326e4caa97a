//! What can be wrong with the recording of a tracker.

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct TrackError {
    /// Name of the file as given by the caller.
    pub file: String,
    /// What is wrong.
    #[source]
    pub problem: TrackProblem,
}

/// What can be wrong with a recording.
#[derive(Debug, thiserror::Error)]
pub enum TrackProblem {
    /// The file is too large.
    #[error("the file has {0} bytes, the limit is {max}; cut the recording", max = super::read::MAX_FILE)]
    TooLarge(usize),
    /// There are too many frames.
    #[error("the recording has {0} frames, the limit is {max}; cut it", max = super::read::MAX_FRAMES)]
    TooMany(usize),
    /// Neither JSON nor a known table.
    #[error("no MCAP file, no glove table and not valid JSON: {0}; `thenar help recording` names what can be read")]
    Json(String),
    /// A field is missing or of the wrong kind.
    #[error("{field} is {found}, expected {expected}")]
    Field {
        /// Where in the file.
        field: String,
        /// What is there.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// A line of a table.
    #[error("line {line}: {what}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// JSON of no known form.
    #[error(
        "no known form of recording; expected \"format\": \"handrec-1\" or \"glove-5\", frames with `hands` (WebXR), \
         `pointables` (Leap Motion) or `worldLandmarks` (MediaPipe), a glove table or an MCAP file"
    )]
    Unknown,
    /// No frame has a hand.
    #[error("none of the {0} frames has a hand")]
    Empty(usize),
    /// An MCAP recording.
    #[error(transparent)]
    Mcap(#[from] crate::recording::RecordingError),
}
