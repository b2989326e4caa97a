//! Rounded cross-sections and the monotone curves along which they change.

/// A cross-section between an ellipse and a rectangle, closed at its ends by ellipsoids.
///
/// In coordinates divided by the semi-axes, the section is the squircle `X² + Y² - σ X² Y² = 1`; scaled to pass
/// through a point it gives `u = ((X² + Y²) + sqrt((X² + Y²)² - 4 σ X² Y²)) / 2`, the square of the scale. σ = 0 is an
/// ellipse, σ = 0.23 matches a superellipse of power 2.2 on the diagonal, σ = 0.45 one of power 2.5. Unlike a
/// superellipse it needs no powers.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Semi-axes: lateral, up or down, along.
    pub half: [f64; 3],
    /// Squareness σ, 0 to 1.
    pub squareness: f64,
}

impl Section {
    /// First-order distance `(k - 1) / |∇k|` to the surface `k = 1`, from coordinates relative to the centre.
    pub fn distance(&self, x: f64, y: f64, z: f64) -> f64 {
        let [a, b, c] = self.half;
        let (x2, y2, z2) = (x * x / (a * a), y * y / (b * b), z * z / (c * c));
        let sum = x2 + y2;
        let root = (sum * sum - 4.0 * self.squareness * x2 * y2).max(0.0).sqrt();
        let k = (0.5 * (sum + root) + z2).sqrt();
        if k < 1e-6 {
            return -a.min(b);
        }
        let inverse_root = if root > 1e-12 { 1.0 / root } else { 0.0 };
        let du_dx2 = 0.5 * (1.0 + (sum - 2.0 * self.squareness * y2) * inverse_root);
        let du_dy2 = 0.5 * (1.0 + (sum - 2.0 * self.squareness * x2) * inverse_root);
        // ∇k = ∇(k²) / 2k, and ∂X²/∂x = 2 X / a with X = x / a.
        let gradient_squared =
            (du_dx2 * du_dx2 * x2 / (a * a) + du_dy2 * du_dy2 * y2 / (b * b) + z2 / (c * c)) / (k * k);
        (k - 1.0) / gradient_squared.sqrt().max(1.0 / 40.0)
    }
}

/// Rows of values over a parameter by monotone cubics [Fritsch & Carlson 1980]: never overshoots its keys, so that no
/// lumps appear between stations. Flat at its far end, to meet an ellipsoidal cap without a kink.
#[derive(Clone, Debug)]
pub struct Profile<const N: usize> {
    keys: Vec<f64>,
    rows: Vec<[f64; N]>,
    slopes: Vec<[f64; N]>,
}

impl<const N: usize> Profile<N> {
    /// Interpolates `rows` at ascending `keys`.
    pub fn new(keys: Vec<f64>, rows: Vec<[f64; N]>) -> Self {
        let last = keys.len() - 1;
        let rise = |i: usize, c: usize| (rows[i + 1][c] - rows[i][c]) / (keys[i + 1] - keys[i]);
        let slope = |i: usize, c: usize| {
            if i == 0 {
                return rise(0, c);
            } else if i == last {
                return 0.0;
            }
            let (before, after) = (rise(i - 1, c), rise(i, c));
            if before * after <= 0.0 {
                return 0.0;
            }
            let (h0, h1) = (keys[i] - keys[i - 1], keys[i + 1] - keys[i]);
            let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
            (w0 + w1) / (w0 / before + w1 / after)
        };
        let slopes = (0..=last).map(|i| std::array::from_fn(|c| slope(i, c))).collect();
        Profile { keys, rows, slopes }
    }

    /// The row at a parameter; constant beyond the ends.
    pub fn at(&self, s: f64) -> [f64; N] {
        let i = self.keys[1..self.keys.len() - 1].iter().take_while(|&&k| k <= s).count();
        let h = self.keys[i + 1] - self.keys[i];
        let t = ((s - self.keys[i]) / h).clamp(0.0, 1.0);
        let u = 1.0 - t;
        let [p0, m0, p1, m1] = [(1.0 + 2.0 * t) * u * u, h * t * u * u, t * t * (3.0 - 2.0 * t), -h * t * t * u];
        std::array::from_fn(|c| {
            p0 * self.rows[i][c] + m0 * self.slopes[i][c] + p1 * self.rows[i + 1][c] + m1 * self.slopes[i + 1][c]
        })
    }

    /// The greatest value of one column at the keys.
    pub fn greatest(&self, column: usize) -> f64 {
        self.rows.iter().map(|r| r[column]).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_exact_on_the_axes_and_for_spheres() {
        let section = Section { half: [3.0, 2.0, 5.0], squareness: 0.3 };
        assert!((section.distance(4.0, 0.0, 0.0) - 1.0).abs() < 1e-12);
        assert!((section.distance(0.0, 1.5, 0.0) + 0.5).abs() < 1e-12);
        assert!((section.distance(0.0, 0.0, 5.0)).abs() < 1e-12);
        let ball = Section { half: [2.0; 3], squareness: 0.0 };
        assert!((ball.distance(1.0, 2.0, 2.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn profiles_pass_their_keys_without_overshoot() {
        let profile = Profile::new(vec![0.0, 1.0, 2.0, 5.0], vec![[1.0], [3.0], [3.0], [0.0]]);
        assert_eq!(profile.at(-1.0), [1.0]);
        assert_eq!(profile.at(1.0), [3.0]);
        assert_eq!(profile.at(9.0), [0.0]);
        assert!((0..60).all(|i| (-1e-12..=3.0 + 1e-12).contains(&profile.at(f64::from(i) * 0.1)[0])));
    }
}
