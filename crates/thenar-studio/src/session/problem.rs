//! What could not be done, in words for the page.

/// Shown to the person who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub remedy: String,
}

impl Problem {
    pub fn new(message: impl ToString, remedy: &str) -> Problem {
        Problem { message: message.to_string(), remedy: remedy.to_owned() }
    }
}
