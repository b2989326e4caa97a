//! Recordings that were made, until somebody has them.

use std::collections::VecDeque;

use axum::body::Bytes;

use crate::wire::ServerMessage;

/// Unfetched recordings may fill this much memory before another is begun, bytes: five of two minutes with two hands.
pub const MOST_UNFETCHED: usize = 1 << 30;

/// One recording.
#[derive(Clone)]
pub struct Kept {
    /// Of the file: scene and time.
    pub name: String,
    /// The file.
    pub bytes: Bytes,
    /// Simulated length.
    pub seconds: f64,
    fetched: bool,
}

impl Kept {
    /// What pages hear of it.
    pub fn recorded(&self) -> ServerMessage {
        let url = format!("/recordings/{}", self.name);
        ServerMessage::Recorded { bytes: self.bytes.len(), seconds: self.seconds, name: self.name.clone(), url }
    }
}

/// All that no page has, and the last one.
#[derive(Default)]
pub struct Shelf {
    kept: VecDeque<Kept>,
}

impl Shelf {
    /// Adds the newest. Those before it stay until they are fetched; a second one of the same scene and second gets another name.
    pub fn add(&mut self, name: &str, bytes: Bytes, seconds: f64) -> Kept {
        self.kept.retain(|kept| !kept.fetched);
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "mcap"));
        let names = std::iter::once(name.to_owned()).chain((2..).map(|count| format!("{stem}-{count}.{ending}")));
        let mut free = names.filter(|name| self.kept.iter().all(|kept| kept.name != *name));
        let kept = Kept { name: free.next().unwrap_or_default(), bytes, seconds, fetched: false };
        self.kept.push_back(kept.clone());
        kept
    }

    /// The recording of that name, or the last one; from now on somebody has it.
    pub fn fetch(&mut self, name: Option<&str>) -> Option<Kept> {
        let found = match name {
            Some(name) => self.kept.iter_mut().find(|kept| kept.name == name),
            None => self.kept.back_mut(),
        };
        let found = found?;
        found.fetched = true;
        Some(found.clone())
    }

    /// Those that nobody has, the oldest first.
    pub fn unfetched(&self) -> impl Iterator<Item = &Kept> {
        self.kept.iter().filter(|kept| !kept.fetched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_stays_until_somebody_has_it() {
        let mut shelf = Shelf::default();
        let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
        assert!(shelf.fetch(None).is_none());
        shelf.add("ball-1.mcap", bytes("first"), 1.0);
        // two within a second
        let second = shelf.add("ball-1.mcap", bytes("second"), 2.0);
        assert_eq!(second.name, "ball-1-2.mcap");
        shelf.add("press-1.mcap", bytes("third"), 3.0);
        let names = |shelf: &Shelf| shelf.unfetched().map(|kept| kept.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&shelf), ["ball-1.mcap", "ball-1-2.mcap", "press-1.mcap"]);
        assert_eq!(shelf.fetch(None).map(|kept| kept.bytes), Some(bytes("third")));
        assert_eq!(shelf.fetch(Some("ball-1.mcap")).map(|kept| kept.bytes), Some(bytes("first")));
        assert!(shelf.fetch(Some("../ball-1.mcap")).is_none());
        assert_eq!(names(&shelf), ["ball-1-2.mcap"]);
        // what was fetched can be fetched again until there is another
        assert!(shelf.fetch(Some("press-1.mcap")).is_some());
        shelf.add("press-2.mcap", bytes("fourth"), 4.0);
        assert!(shelf.fetch(Some("press-1.mcap")).is_none());
        assert_eq!(names(&shelf), ["ball-1-2.mcap", "press-2.mcap"]);
    }
}
