//! Joints by name.

use thenar::hand::XrJoint;

use crate::scene::nearest;

/// The OpenXR name of a joint in kebab case, such as `index-tip`.
#[must_use]
pub fn joint_name(joint: XrJoint) -> String {
    let mut name = String::new();
    for letter in format!("{joint:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The joint with that name.
///
/// # Errors
/// With the name that is most like it, if any is.
pub fn joint_by_name(name: &str) -> Result<XrJoint, Option<String>> {
    let names = XrJoint::ALL.map(joint_name);
    match names.iter().position(|known| known == name) {
        Some(index) => Ok(XrJoint::ALL[index]),
        None => Err(nearest(name, names.iter().map(String::as_str))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_joints() {
        for joint in XrJoint::ALL {
            assert_eq!(joint_by_name(&joint_name(joint)), Ok(joint));
        }
        assert_eq!(joint_name(XrJoint::ThumbMetacarpal), "thumb-metacarpal");
        assert_eq!(joint_by_name("index-tipp"), Err(Some("index-tip".to_owned())));
        assert_eq!(joint_by_name("elbow"), Err(None));
    }
}
