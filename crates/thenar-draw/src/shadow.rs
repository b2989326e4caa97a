//! Shadows of the key light, and the soft darkening where things stand on the ground.

use crate::raster::fill_triangle;
use crate::surface::Surface;
use thenar::math::Vec3;

const SIZE: usize = 1024;

/// Depth of the nearest surface along parallel rays, seen from the light (or from below the ground).
pub(crate) struct DepthMap {
    right: Vec3,
    up: Vec3,
    towards: Vec3,
    origin: [f64; 2],
    /// Cells per metre.
    scale: f64,
    /// Greatest `towards` coordinate per cell.
    nearest: Vec<f32>,
}

/// Points spread evenly over the unit disc, always the same ones, so that pictures repeat exactly.
pub(crate) fn disc_taps<const N: usize>() -> [[f64; 2]; N] {
    std::array::from_fn(|i| {
        let radius = ((i as f64 + 0.5) / N as f64).sqrt();
        let angle = i as f64 * 2.399_963_229_728_653; // golden angle
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    })
}

impl DepthMap {
    /// Map of all shadow casters along `towards` (unit, from the surface to the light).
    pub fn new(surfaces: &[Surface], towards: Vec3) -> Self {
        let (right, up) = towards.any_orthonormal_pair();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let casters = || surfaces.iter().filter(|s| s.casts_shadow && s.opacity > 0.5);
        for p in casters().flat_map(|s| &s.positions) {
            for (k, value) in [p.dot(right), p.dot(up)].into_iter().enumerate() {
                low[k] = low[k].min(value);
                high[k] = high[k].max(value);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        let mut map = DepthMap { right, up, towards, origin: [0.0; 2], scale: 1.0, nearest: Vec::new() };
        if !(extent.is_finite() && extent > 0.0) {
            return map;
        }
        map.scale = (SIZE as f64 - 4.0) / extent;
        map.origin = [low[0] - 2.0 / map.scale, low[1] - 2.0 / map.scale];
        map.nearest = vec![f32::NEG_INFINITY; SIZE * SIZE];
        for surface in casters() {
            let cells: Vec<[f64; 3]> = surface.positions.iter().map(|&p| map.cell(p)).collect();
            for t in &surface.triangles {
                fill_triangle(t.map(|v| cells[v as usize]), SIZE, SIZE, |x, y, key| {
                    let at = &mut map.nearest[y * SIZE + x];
                    *at = at.max(key);
                });
            }
        }
        map
    }

    fn cell(&self, p: Vec3) -> [f64; 3] {
        [
            (p.dot(self.right) - self.origin[0]) * self.scale,
            (p.dot(self.up) - self.origin[1]) * self.scale,
            p.dot(self.towards),
        ]
    }

    /// How far the surface at cell (x, y) lies in front of depth `key`, metres; negative where nothing does.
    fn ahead(&self, x: f64, y: f64, key: f64) -> f64 {
        if x < 0.0 || y < 0.0 || x >= SIZE as f64 || y >= SIZE as f64 {
            return f64::NEG_INFINITY;
        }
        f64::from(self.nearest[y as usize * SIZE + x as usize]) - key
    }

    /// Light that reaches a point, 0 to 1, with shadow edges that widen with the distance to what throws them.
    ///
    /// `bias` (metres) keeps a surface from shading itself; `softness` is the opening of the light, radians.
    pub fn light(&self, p: Vec3, bias: f64, softness: f64, taps: &[[f64; 2]], turn: [f64; 2]) -> f32 {
        if self.nearest.is_empty() {
            return 1.0;
        }
        let [x, y, key] = self.cell(p);
        let turned = |t: &[f64; 2]| [t[0] * turn[0] - t[1] * turn[1], t[0] * turn[1] + t[1] * turn[0]];
        let search = (0.012 * self.scale).max(2.0);
        let (mut gap, mut blockers) = (0.0, 0.0);
        for tap in taps {
            let [dx, dy] = turned(tap);
            let ahead = self.ahead(x + search * dx, y + search * dy, key);
            if ahead > bias {
                gap += ahead;
                blockers += 1.0;
            }
        }
        if blockers == 0.0 {
            return 1.0;
        }
        let radius = (gap / blockers * softness * self.scale).clamp(1.5, 3.0 * search);
        // A wider filter looks further along a slanted surface, so the bias grows with it.
        let bias = bias + 0.35 * radius / self.scale;
        let mut lit = 0.0;
        for tap in taps {
            let [dx, dy] = turned(tap);
            if self.ahead(x + radius * dx, y + radius * dy, key) <= bias {
                lit += 1.0;
            }
        }
        (lit / taps.len() as f64) as f32
    }

    /// Darkness 0 to 1 under surfaces closer than `reach` above a ground point; the map must look along the ground's
    /// downward normal, so that `nearest` holds the lowest surface.
    pub fn contact(&self, p: Vec3, reach: f64, taps: &[[f64; 2]], turn: [f64; 2]) -> f32 {
        if self.nearest.is_empty() {
            return 0.0;
        }
        let [x, y, key] = self.cell(p);
        let radius = reach * self.scale;
        let mut dark = 0.0;
        for t in taps {
            let [dx, dy] = [t[0] * turn[0] - t[1] * turn[1], t[0] * turn[1] + t[1] * turn[0]];
            let height = -self.ahead(x + radius * dx, y + radius * dy, key);
            if height.is_finite() {
                let near = (1.0 - height.max(0.0) / reach).max(0.0);
                dark += near * near;
            }
        }
        (dark / taps.len() as f64) as f32
    }
}
