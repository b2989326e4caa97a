//! Names of the regions of the skin.

use super::{BONE_COUNT, BoneId, Digit, Patch};

/// Names of the patches after those of the phalanges.
const PALM_NAMES: [&str; 6] = ["thenar", "hypothenar", "palm centre", "metacarpal heads", "dorsum", "wrist"];

impl Patch {
    /// The ball of the thumb.
    pub const THENAR: Patch = Patch(16);
    /// The pad below the little finger.
    pub const HYPOTHENAR: Patch = Patch(17);
    /// The hollow of the palm.
    pub const PALM_CENTRE: Patch = Patch(18);
    /// The pads below the fingers.
    pub const METACARPAL_HEADS: Patch = Patch(19);
    /// The back of the hand.
    pub const DORSUM: Patch = Patch(20);
    /// The wrist and the stub of the forearm.
    pub const WRIST: Patch = Patch(21);
    /// One more than the greatest patch number.
    pub const COUNT: usize = BONE_COUNT + PALM_NAMES.len();

    /// The patch of a digit's bone.
    #[must_use]
    pub const fn of_bone(bone: BoneId) -> Patch {
        Patch(bone.0)
    }

    /// The bone under the patch; the palm for its regions.
    #[must_use]
    pub fn bone(self) -> BoneId {
        if (self.0 as usize) < BONE_COUNT { BoneId(self.0) } else { BoneId::PALM }
    }

    /// The digit the patch belongs to; `None` for regions of the palm.
    #[must_use]
    pub fn digit(self) -> Option<Digit> {
        self.bone().digit()
    }

    /// Name in English, for example `index distal` or `thenar`.
    #[must_use]
    pub fn name(self) -> String {
        let bone = self.bone();
        match bone.digit() {
            Some(Digit::Thumb) => format!("thumb {}", ["metacarpal", "proximal", "distal"][bone.segment()]),
            Some(digit) => format!("{} {}", digit.name(), ["proximal", "middle", "distal"][bone.segment()]),
            None => {
                let region = (self.0 as usize).checked_sub(BONE_COUNT).and_then(|i| PALM_NAMES.get(i));
                (*region.unwrap_or(&"palm")).to_owned()
            }
        }
    }
}
