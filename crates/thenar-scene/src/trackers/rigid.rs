//! The rigid motion that carries one set of points best onto another.

use thenar::math::{Mat3, Pose, Quat, Vec3, polar_rotation};

/// Least-squares placement that maps each `from` to its `to`, and the root mean square of what is left, metres: its rotation
/// maximises `tr(Rᵀ Σ to fromᵀ)` about the centres [Kabsch 1976]. `None` for fewer than three points.
pub(crate) fn rigid_fit(pairs: &[(Vec3, Vec3)]) -> Option<(Pose, f64)> {
    if pairs.len() < 3 {
        return None;
    }
    let count = pairs.len() as f64;
    let from_centre = pairs.iter().map(|(from, _)| *from).sum::<Vec3>() / count;
    let to_centre = pairs.iter().map(|(_, to)| *to).sum::<Vec3>() / count;
    let mut sum = Mat3::ZERO;
    for (from, to) in pairs {
        let (a, b) = (*from - from_centre, *to - to_centre);
        sum += Mat3::from_cols(b * a.x, b * a.y, b * a.z);
    }
    let rotation = Quat::from_mat3(&polar_rotation(&sum)).normalize();
    let pose = Pose::new(to_centre - rotation * from_centre, rotation);
    let left = pairs.iter().map(|(from, to)| pose.point(*from).distance_squared(*to)).sum::<f64>();
    pose.is_finite().then(|| (pose, (left / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::gaussian;

    #[test]
    fn a_known_motion_is_found() {
        for seed in 0..40 {
            let turn = gaussian(seed, 1, 0);
            let pose = Pose::new(gaussian(seed, 2, 0), Quat::from_scaled_axis(turn * 2.0));
            let pairs: Vec<_> = (0..5).map(|k| gaussian(seed, 3, k)).map(|p| (p, pose.point(p))).collect();
            let (found, left) = rigid_fit(&pairs).unwrap();
            assert!(found.position.distance(pose.position) < 1e-9 && left < 1e-9, "{found:?} {pose:?}");
            assert!(found.rotation.dot(pose.rotation).abs() > 1.0 - 1e-12);
        }
        assert_eq!(rigid_fit(&[(Vec3::X, Vec3::Y); 2]), None);
    }
}
