//! Names of the parts of a hand.

/// Which hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The left hand.
    Left,
    /// The right hand.
    Right,
}

impl Side {
    /// Both.
    pub const ALL: [Side; 2] = [Side::Left, Side::Right];

    /// `left` or `right`, as files and commands say.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    /// The side of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Side> {
        Side::ALL.into_iter().find(|side| side.name() == name)
    }
}

/// One of the five digits, in anatomical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digit {
    /// The thumb (bones: metacarpal, proximal, distal).
    Thumb,
    /// The index finger (bones: proximal, middle, distal, like the other fingers).
    Index,
    /// The middle finger.
    Middle,
    /// The ring finger.
    Ring,
    /// The little finger.
    Little,
}

impl Digit {
    /// All digits from thumb to little finger.
    pub const ALL: [Digit; 5] = [Digit::Thumb, Digit::Index, Digit::Middle, Digit::Ring, Digit::Little];
    /// The four fingers, without the thumb.
    pub const FINGERS: [Digit; 4] = [Digit::Index, Digit::Middle, Digit::Ring, Digit::Little];

    /// 0 for the thumb to 4 for the little finger.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Lower-case English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["thumb", "index", "middle", "ring", "little"][self as usize]
    }
}

/// Number of rigid bones in a hand: the palm (carpals and finger metacarpals as one) and three per digit.
pub const BONE_COUNT: usize = 16;

/// Index of a bone: 0 the palm, then three per digit from thumb to little finger, proximal to distal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoneId(pub u8);

impl BoneId {
    /// The palm.
    pub const PALM: BoneId = BoneId(0);

    /// The bone of a digit, `segment` 0 (proximal) to 2 (distal).
    #[must_use]
    pub const fn of(digit: Digit, segment: usize) -> BoneId {
        assert!(segment < 3);
        BoneId((1 + 3 * digit as usize + segment) as u8)
    }

    /// All sixteen bones in order.
    pub fn all() -> impl Iterator<Item = BoneId> {
        (0..BONE_COUNT as u8).map(BoneId)
    }

    /// The digit this bone belongs to; `None` for the palm.
    #[must_use]
    pub fn digit(self) -> Option<Digit> {
        (self.0 > 0).then(|| Digit::ALL[(self.0 as usize - 1) / 3])
    }

    /// Position within its digit, 0 (proximal) to 2 (distal); 0 for the palm.
    #[must_use]
    pub fn segment(self) -> usize {
        if self.0 == 0 { 0 } else { (self.0 as usize - 1) % 3 }
    }

    /// The bone this one hangs on; `None` for the palm.
    #[must_use]
    pub fn parent(self) -> Option<BoneId> {
        match self.0 {
            0 => None,
            b if (b - 1) % 3 == 0 => Some(BoneId::PALM),
            b => Some(BoneId(b - 1)),
        }
    }

    /// As an array index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
