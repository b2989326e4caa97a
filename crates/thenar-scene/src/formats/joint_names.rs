//! Names of hand joints in files: WebXR's, OpenXR's, and their many spellings.

use thenar::hand::{Side, XrJoint};

/// The name of a joint as WebXR and its hand models spell it; the palm, which WebXR lacks, is `palm`.
#[must_use]
pub fn webxr_name(joint: XrJoint) -> &'static str {
    const NAMES: [&str; 26] = [
        "palm",
        "wrist",
        "thumb-metacarpal",
        "thumb-phalanx-proximal",
        "thumb-phalanx-distal",
        "thumb-tip",
        "index-finger-metacarpal",
        "index-finger-phalanx-proximal",
        "index-finger-phalanx-intermediate",
        "index-finger-phalanx-distal",
        "index-finger-tip",
        "middle-finger-metacarpal",
        "middle-finger-phalanx-proximal",
        "middle-finger-phalanx-intermediate",
        "middle-finger-phalanx-distal",
        "middle-finger-tip",
        "ring-finger-metacarpal",
        "ring-finger-phalanx-proximal",
        "ring-finger-phalanx-intermediate",
        "ring-finger-phalanx-distal",
        "ring-finger-tip",
        "pinky-finger-metacarpal",
        "pinky-finger-phalanx-proximal",
        "pinky-finger-phalanx-intermediate",
        "pinky-finger-phalanx-distal",
        "pinky-finger-tip",
    ];
    NAMES[joint.index()]
}

/// The joint a name means, whatever its case, separators and prefixes: `index-finger-phalanx-proximal`,
/// `XR_HAND_JOINT_INDEX_PROXIMAL_EXT`, `LeftHandIndexProximal`, `b_r_little_tip`.
#[must_use]
pub fn parse_joint(name: &str) -> Option<XrJoint> {
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    let has = |part: &str| letters.contains(part);
    // "middle" comes last: in "index middle" it names the phalanx, not the finger.
    let first_of_digit = if has("thumb") {
        2
    } else if has("index") {
        6
    } else if has("ring") {
        16
    } else if has("little") || has("pinky") || has("pinkie") {
        21
    } else if has("middle") {
        11
    } else if has("wrist") {
        return Some(XrJoint::Wrist);
    } else if has("palm") {
        return Some(XrJoint::Palm);
    } else {
        return None;
    };
    let segment = if has("metacarpal") {
        0
    } else if has("proximal") {
        1
    } else if has("intermediate") || (has("middle") && first_of_digit != 11 && !has("distal") && !has("tip")) {
        2
    } else if has("distal") {
        3
    } else if has("tip") {
        4
    } else {
        return None;
    };
    let step = match (first_of_digit, segment) {
        (2, 2) => return None, // a thumb has no middle phalanx
        (2, 3 | 4) => segment - 1,
        _ => segment,
    };
    Some(XrJoint::ALL[first_of_digit + step])
}

/// The hand a name speaks of: `left`, `l_hand`, `hand.R`, `Bip01_R_…`; `None` if it names none or both.
#[must_use]
pub fn parse_side(name: &str) -> Option<Side> {
    let lower = name.to_ascii_lowercase();
    let word = |w: &str| lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == w);
    let left = lower.contains("left") || word("l");
    let right = lower.contains("right") || word("r");
    match (left, right) {
        (true, false) => Some(Side::Left),
        (false, true) => Some(Side::Right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_webxr_name_means_its_joint_in_any_spelling() {
        for joint in XrJoint::ALL {
            let name = webxr_name(joint);
            assert_eq!(parse_joint(name), Some(joint), "{name}");
            assert_eq!(parse_joint(&format!("Armature|{}", name.to_uppercase().replace('-', "_"))), Some(joint));
            assert_eq!(parse_joint(&name.replace('-', "").replace("phalanx", "").replace("finger", "")), Some(joint));
        }
    }

    #[test]
    fn openxr_names_are_understood() {
        for (name, joint) in [
            ("XR_HAND_JOINT_PALM_EXT", XrJoint::Palm),
            ("XR_HAND_JOINT_LITTLE_INTERMEDIATE_EXT", XrJoint::LittleIntermediate),
            ("XR_HAND_JOINT_THUMB_DISTAL_EXT", XrJoint::ThumbDistal),
            ("LeftHandMiddleProximal", XrJoint::MiddleProximal),
            ("index_middle", XrJoint::IndexIntermediate),
        ] {
            assert_eq!(parse_joint(name), Some(joint), "{name}");
        }
        for name in ["Armature", "r_handMeshNode", "thumb", "thumb-intermediate", "", "xr_standard_trigger"] {
            assert_eq!(parse_joint(name), None, "{name}");
        }
    }

    #[test]
    fn sides_are_read_from_words_not_letters() {
        assert_eq!(parse_side("l_handMeshNode"), Some(Side::Left));
        assert_eq!(parse_side("Hand.R"), Some(Side::Right));
        assert_eq!(parse_side("RightHand"), Some(Side::Right));
        assert_eq!(parse_side("wrist"), None);
        assert_eq!(parse_side("left-right"), None);
    }
}
