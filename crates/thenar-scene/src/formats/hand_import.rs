//! A skinned hand in glTF becomes the same model as a hand built from anatomy.

use super::gltf_read::{SkinnedHand, read_skinned};
use super::import_error::{ImportError, ImportProblem};
use super::surface_repair;
use glam::DMat4;
use thenar::hand::{Digit, HandModel, HandParts, JointSample, JointSet, Side, SkinnedSurface, TissueOptions, XrJoint};
use thenar::math::{Mat3, Pose, Quat, Vec3};

/// How to import a hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// The side to end up with: a hand of the other side is mirrored. The file's own side when `None`.
    pub side: Option<Side>,
    /// Fineness of the tissue.
    pub tissue: TissueOptions,
}

/// Imports a skinned hand from the bytes of a `.glb` (or self-contained `.gltf`) file and fills it with tissue.
///
/// Joints are matched by their WebXR or OpenXR names, whatever their order, hierarchy and spelling. Duplicate vertices are
/// merged, an open wrist is closed, and a coarse skin is refined.
///
/// # Errors
/// [`ImportError`] naming the file, what is wrong and where.
pub fn import_hand(bytes: &[u8], name: &str, options: &ImportOptions) -> Result<HandModel, ImportError> {
    let parts = import_parts(bytes, name, options.side)?;
    HandModel::from_parts(parts, &options.tissue).map_err(|e| ImportProblem::from(e).in_file(name))
}

/// The parts of an imported hand without tissue.
///
/// # Errors
/// As [`import_hand`].
pub fn import_parts(bytes: &[u8], name: &str, side: Option<Side>) -> Result<HandParts, ImportError> {
    skinned_surface(bytes, side)
        .and_then(|surface| surface.parts().map_err(ImportProblem::from))
        .map_err(|problem| problem.in_file(name))
}

fn skinned_surface(bytes: &[u8], wanted: Option<Side>) -> Result<SkinnedSurface, ImportProblem> {
    let file = read_skinned(bytes)?;
    let joints = joint_set(&file)?;
    let side = side_by_frames(&joints).or(file.side).or_else(|| side_by_shape(&joints)).or(wanted);
    let side = side.ok_or(ImportProblem::UnknownSide)?;
    let wrist = place(&joints, XrJoint::Wrist);
    let knuckle = place(&joints, XrJoint::MiddleProximal) - wrist;
    // A hole towards the arm is where the artist cut the wrist.
    let at_wrist = |centre: Vec3| {
        let from = centre - wrist;
        from.dot(knuckle) < 0.4 * knuckle.length_squared() && from.length() < 2.0 * knuckle.length()
    };
    let closed = surface_repair::close(&file.mesh, at_wrist)?;
    let pick = |v: &u32| *v as usize;
    let mut surface = SkinnedSurface {
        side,
        weights: closed.source.iter().map(|v| file.weights[pick(v)].clone()).collect(),
        colours: if file.colours.len() == file.mesh.positions.len() {
            closed.source.iter().map(|v| file.colours[pick(v)]).collect()
        } else {
            Vec::new()
        },
        mesh: closed.mesh,
        joints,
    };
    if wanted.is_some_and(|wanted| wanted != side) {
        surface = mirrored(surface);
    }
    Ok(surface)
}

fn mirrored(surface: SkinnedSurface) -> SkinnedSurface {
    let flip = |pose: Pose| {
        let (p, q) = (pose.position, pose.rotation);
        Pose::new(Vec3::new(-p.x, p.y, p.z), Quat::from_xyzw(q.x, -q.y, -q.z, q.w))
    };
    SkinnedSurface {
        side: if surface.side == Side::Left { Side::Right } else { Side::Left },
        mesh: surface.mesh.mirrored(),
        joints: JointSet(surface.joints.0.map(|j| j.map(|j| JointSample { pose: flip(j.pose), ..j }))),
        ..surface
    }
}

fn place(joints: &JointSet, joint: XrJoint) -> Vec3 {
    joints[joint].map_or(Vec3::ZERO, |j| j.pose.position)
}

/// The joints by name; those a hand cannot do without must be there.
fn joint_set(file: &SkinnedHand) -> Result<JointSet, ImportProblem> {
    let mut joints = JointSet::default();
    for joint in XrJoint::ALL {
        let name = super::webxr_name(joint);
        let optional = joint == XrJoint::Palm || name.ends_with("tip") || name.ends_with("finger-metacarpal");
        match file.joints[joint.index()].and_then(|m| sample(&m)) {
            Some(sample) => joints[joint] = Some(sample),
            None if optional => {}
            None => return Err(ImportProblem::MissingJoint { joint, found: file.names.clone() }),
        }
    }
    Ok(joints)
}

/// Position and orientation of a joint; scale is dropped, and an orientation that is none counts as absent.
fn sample(transform: &DMat4) -> Option<JointSample> {
    let position = transform.w_axis.truncate();
    let axes = Mat3::from_mat4(*transform);
    let unit = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::normalize_or_zero);
    let square = Mat3::from_cols(unit[0], unit[1], unit[2]);
    let orthogonal = square.is_finite() && (square.determinant() - 1.0).abs() < 1e-3;
    let absent = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let rotation = if orthogonal { Quat::from_mat3(&square).normalize() } else { absent };
    position.is_finite().then_some(JointSample { pose: Pose::new(position, rotation), radius: 0.0 })
}

/// The direction the palm of a right hand faces: (wrist to index) × (wrist to little finger). A left palm faces away from it.
fn right_palm(joints: &JointSet) -> Option<Vec3> {
    let wrist = place(joints, XrJoint::Wrist);
    let index = place(joints, XrJoint::IndexProximal) - wrist;
    index.cross(place(joints, XrJoint::LittleProximal) - wrist).try_normalize()
}

fn side_from(palmar: f64, least: f64) -> Option<Side> {
    (palmar.abs() > least).then_some(if palmar > 0.0 { Side::Right } else { Side::Left })
}

/// Left or right from joint frames that follow the convention: -Z along the bone, so +Y out of the back of the hand.
fn side_by_frames(joints: &JointSet) -> Option<Side> {
    let right = right_palm(joints)?;
    let mut palmar = 0.0;
    for digit in Digit::FINGERS {
        let joint = XrJoint::tip(digit).index() - 3;
        let frame = joints[XrJoint::ALL[joint]]?.pose;
        let along = (place(joints, XrJoint::ALL[joint + 1]) - frame.position).try_normalize()?;
        if (frame.rotation * Vec3::NEG_Z).dot(along) > 0.85 {
            palmar += (frame.rotation * Vec3::NEG_Y).dot(right);
        }
    }
    side_from(palmar, 2.0)
}

/// Left or right from joint positions: fingers curl towards the palm, and the thumb stands on its side. `None` if the hand
/// is too flat to tell.
fn side_by_shape(joints: &JointSet) -> Option<Side> {
    let right = right_palm(joints)?;
    let thumb = (place(joints, XrJoint::ThumbDistal) - place(joints, XrJoint::Wrist)).normalize_or_zero();
    let mut palmar = 2.0 * thumb.dot(right);
    for digit in Digit::FINGERS {
        let tip = XrJoint::tip(digit).index();
        let chain: Vec<Vec3> =
            (tip - 3..=tip).filter_map(|i| joints[XrJoint::ALL[i]]).map(|j| j.pose.position).collect();
        let bones: Vec<Vec3> = chain.windows(2).map(|pair| (pair[1] - pair[0]).normalize_or_zero()).collect();
        palmar += bones.windows(2).map(|pair| (pair[1] - pair[0]).dot(right)).sum::<f64>();
    }
    side_from(palmar, 0.2)
}

#[cfg(test)]
#[path = "hand_import_tests.rs"]
mod tests;
