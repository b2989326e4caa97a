//! Damaged copies of good input, for tests of readers.

/// A stream of numbers that is the same on every run (xorshift64*).
#[derive(Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The stream of that number.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number, below `limit` (0 if that is 0).
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }
}

/// `count` damaged copies of `seed`.
pub fn mutations(seed: &[u8], count: u64) -> impl Iterator<Item = Vec<u8>> {
    (1..=count).map(|k| damaged(seed, &mut Numbers::new(k)))
}

/// A copy of `seed` with one to six faults: bytes changed, cut, doubled, moved or replaced by words that readers trip over.
pub fn damaged(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const WORDS: [&[u8]; 14] = [
        b"nan",
        b"-1",
        b"1e999",
        b"99999999999999999999",
        b"\xff\xff\xff\xff",
        b"\0",
        b"[",
        b"]",
        b"\"",
        b"=",
        b"\n",
        b"{",
        b"true",
        b"-0.0",
    ];
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len());
        let end = (at + 1 + numbers.below(40)).min(bytes.len());
        match numbers.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            1 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len());
                drop(bytes.splice(to..to, piece));
            }
            _ => {
                let word = WORDS[numbers.below(WORDS.len())];
                let replaced = (at + numbers.below(8)).min(bytes.len());
                drop(bytes.splice(at..replaced, word.iter().copied()));
            }
        }
    }
    bytes
}
