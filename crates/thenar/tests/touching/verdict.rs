//! All that is wrong at once: a test over many cases says which of them fail, and by how much.

/// What was found wrong so far.
#[derive(Default)]
pub struct Verdict {
    checked: usize,
    wrong: Vec<String>,
}

impl Verdict {
    /// Keeps what was measured if it is not as it should be.
    pub fn check(&mut self, holds: bool, measured: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.wrong.push(measured());
        }
    }

    /// Takes in what another found.
    pub fn join(&mut self, other: Verdict) {
        self.checked += other.checked;
        self.wrong.extend(other.wrong);
    }

    /// Fails if anything was wrong, and names all of it.
    pub fn give(self) {
        let Verdict { checked, wrong } = self;
        assert!(checked > 0, "nothing was checked");
        assert!(wrong.is_empty(), "{} of {checked} are wrong:\n  {}", wrong.len(), wrong.join("\n  "));
    }
}
