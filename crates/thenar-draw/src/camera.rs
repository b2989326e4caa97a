//! Where a picture is taken from.

use thenar::math::Vec3;

/// How a camera projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective with this vertical opening angle, radians.
    Perspective(f64),
    /// Parallel projection showing this height, metres.
    Orthographic(f64),
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, metres.
    pub eye: Vec3,
    /// What it looks at, metres.
    pub target: Vec3,
    /// What is up in the picture; need not be perpendicular to the line of sight.
    pub up: Vec3,
    /// Its projection.
    pub lens: Lens,
}

impl Camera {
    /// A camera with a portrait lens at `eye` looking at `target`, world Y up.
    #[must_use]
    pub fn look_at(eye: Vec3, target: Vec3) -> Self {
        Camera { eye, target, up: Vec3::Y, lens: Lens::Perspective(0.45) }
    }

    /// A camera that looks along `direction` and frames all points, leaving `margin` (a fraction of the picture) free.
    #[must_use]
    pub fn framing(points: &[Vec3], direction: Vec3, up: Vec3, aspect: f64, margin: f64) -> Self {
        let fov = 0.35;
        let [right, upward, forward] = basis(direction, up);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &p in points {
            let q = Vec3::new(p.dot(right), p.dot(upward), p.dot(forward));
            low = low.min(q);
            high = high.max(q);
        }
        if !(low.is_finite() && high.is_finite()) {
            (low, high) = (Vec3::splat(-0.1), Vec3::splat(0.1));
        }
        let centre = 0.5 * (low + high);
        let tan_y = libm::tan(0.5 * fov) * (1.0 - 2.0 * margin).max(0.1);
        let tan_x = tan_y * aspect;
        let mut distance: f64 = 1e-3;
        for &p in points {
            let q = Vec3::new(p.dot(right), p.dot(upward), p.dot(forward)) - centre;
            distance = distance.max(q.x.abs() / tan_x - q.z).max(q.y.abs() / tan_y - q.z);
        }
        let target = centre.x * right + centre.y * upward + centre.z * forward;
        Camera { eye: target - distance * forward, target, up, lens: Lens::Perspective(fov) }
    }
}

/// Right, up and forward of a camera; degenerate input falls back to some valid basis.
fn basis(direction: Vec3, up: Vec3) -> [Vec3; 3] {
    let forward = direction.normalize_or(Vec3::NEG_Z);
    let right = forward.cross(up).normalize_or(forward.any_orthonormal_vector());
    [right, right.cross(forward), forward]
}

/// A camera prepared for an image of a certain size in samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    perspective: bool,
    /// Samples per unit of the image plane.
    scale: f64,
    centre: [f64; 2],
}

/// Nearest distance that is drawn, metres.
pub(crate) const NEAR: f64 = 1e-3;

impl View {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let [right, up, forward] = basis(camera.target - camera.eye, camera.up);
        let (perspective, extent) = match camera.lens {
            Lens::Perspective(fov) => (true, 2.0 * libm::tan(0.5 * fov)),
            Lens::Orthographic(extent) => (false, extent),
        };
        let centre = [0.5 * width as f64, 0.5 * height as f64];
        View { eye: camera.eye, right, up, forward, perspective, scale: height as f64 / extent, centre }
    }

    /// Point in camera axes: right, up, depth.
    pub fn camera_axes(&self, p: Vec3) -> Vec3 {
        let d = p - self.eye;
        Vec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// Image position in samples and a nearness that is linear in the image and grows towards the eye.
    pub fn project(&self, c: Vec3) -> [f64; 3] {
        if self.perspective {
            let inverse = 1.0 / c.z;
            [self.centre[0] + self.scale * c.x * inverse, self.centre[1] - self.scale * c.y * inverse, inverse]
        } else {
            [self.centre[0] + self.scale * c.x, self.centre[1] - self.scale * c.y, -c.z]
        }
    }

    /// Depth in front of the eye from a nearness.
    pub fn depth(&self, nearness: f64) -> f64 {
        if self.perspective { 1.0 / nearness } else { -nearness }
    }

    /// Samples that one metre spans at a depth.
    pub fn samples_per_metre(&self, depth: f64) -> f64 {
        if self.perspective { self.scale / depth.max(NEAR) } else { self.scale }
    }

    /// Ray through an image position: origin and unit direction.
    pub fn ray(&self, x: f64, y: f64) -> (Vec3, Vec3) {
        let u = (x - self.centre[0]) / self.scale;
        let v = (self.centre[1] - y) / self.scale;
        if self.perspective {
            (self.eye, (self.forward + u * self.right + v * self.up).normalize())
        } else {
            (self.eye + u * self.right + v * self.up, self.forward)
        }
    }
}
