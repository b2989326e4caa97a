//! Least squares with bounds, for a few unknowns.

/// Most steps: twice what fits of a hand were seen to take.
const STEPS: usize = 60;
/// Step of the difference quotients; unknowns are radians or decimetres, both of the order of one.
const PROBE: f64 = 1e-6;
/// A step that lowers the sum by a smaller share ends the search.
const ENOUGH: f64 = 1e-6;
/// Damping at the start and where the search gives up, as shares of the diagonal.
const DAMPING: [f64; 2] = [1e-3, 1e9];

/// Where the sum of squares of residuals is least, from a start on, every unknown within its range; and that sum.
/// Levenberg–Marquardt [Marquardt 1963], its Jacobian by forward differences; a step that leaves a range ends at its end.
pub(super) fn least_squares(
    start: &[f64],
    ranges: &[[f64; 2]],
    residuals: &dyn Fn(&[f64], &mut Vec<f64>),
) -> (Vec<f64>, f64) {
    let sum = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
    let n = start.len();
    let mut x: Vec<f64> = start.iter().zip(ranges).map(|(x, [low, high])| x.clamp(*low, *high)).collect();
    let (mut r, mut moved) = (Vec::new(), Vec::new());
    residuals(&x, &mut r);
    let mut best = sum(&r);
    let mut damping = DAMPING[0];
    for _ in 0..STEPS {
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|k| {
                // away from the end of the range
                let probe = if x[k] + PROBE > ranges[k][1] { -PROBE } else { PROBE };
                let mut y = x.clone();
                y[k] += probe;
                residuals(&y, &mut moved);
                moved.iter().zip(&r).map(|(a, b)| (a - b) / probe).collect()
            })
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let slope: Vec<f64> = columns.iter().map(|column| dot(column, &r)).collect();
        // what stands at an end of its range and is pushed further out stays
        let held: Vec<bool> = (0..n)
            .map(|k| (x[k] <= ranges[k][0] && slope[k] > 0.0) || (x[k] >= ranges[k][1] && slope[k] < 0.0))
            .collect();
        let mut normal = vec![vec![0.0; n]; n];
        for i in (0..n).filter(|i| !held[*i]) {
            for j in (0..=i).filter(|j| !held[*j]) {
                normal[i][j] = dot(&columns[i], &columns[j]);
                normal[j][i] = normal[i][j];
            }
        }
        let before = best;
        while damping < DAMPING[1] {
            let mut matrix = normal.clone();
            let mut step: Vec<f64> = (0..n).map(|k| if held[k] { 0.0 } else { -slope[k] }).collect();
            (0..n).for_each(|k| matrix[k][k] += damping * normal[k][k] + f64::from(u8::from(normal[k][k] == 0.0)));
            solve(&mut matrix, &mut step);
            let y: Vec<f64> = (0..n).map(|k| (x[k] + step[k]).clamp(ranges[k][0], ranges[k][1])).collect();
            residuals(&y, &mut moved);
            if sum(&moved) < best {
                best = sum(&moved);
                x = y;
                std::mem::swap(&mut r, &mut moved);
                damping *= 0.2;
                break;
            }
            damping *= 5.0;
        }
        if before - best <= ENOUGH * before {
            break;
        }
    }
    (x, best)
}

/// Solves a positive definite system in place by elimination.
fn solve(matrix: &mut [Vec<f64>], right: &mut [f64]) {
    let n = right.len();
    for k in 0..n {
        let row = matrix[k].clone();
        for i in k + 1..n {
            let factor = matrix[i][k] / row[k];
            matrix[i].iter_mut().zip(&row).skip(k).for_each(|(a, b)| *a -= factor * b);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley, whose least place is (1, 1), and the same with that place out of range.
    #[test]
    fn the_bottom_of_a_bent_valley_is_found_within_ranges() {
        let valley = |x: &[f64], r: &mut Vec<f64>| {
            r.clear();
            r.extend([10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]]);
        };
        let (x, sum) = least_squares(&[-1.2, 1.0], &[[-2.0, 2.0]; 2], &valley);
        assert!((x[0] - 1.0).abs() < 1e-4 && (x[1] - 1.0).abs() < 1e-4 && sum < 1e-8, "{x:?} {sum}");
        let (x, sum) = least_squares(&[-1.2, 0.2], &[[-2.0, 0.5], [-2.0, 2.0]], &valley);
        assert!((x[0] - 0.5).abs() < 1e-9 && (x[1] - 0.25).abs() < 1e-4 && (sum - 0.25).abs() < 1e-6, "{x:?} {sum}");
    }
}
