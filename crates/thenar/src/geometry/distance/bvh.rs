//! A tree of boxes over triangles: nearest point and winding number.

use core::f64::consts::PI;

use crate::geometry::{Aabb, TriMesh};
use crate::math::Vec3;

const LEAF_SIZE: usize = 4;

/// Clusters are seen as one dipole from further than this many of their radii. The first neglected term is then about
/// 1/9 of the cluster's solid angle, far from the half turn that decides inside or outside.
const DIPOLE_REACH: f64 = 3.0;

struct Node {
    bounds: Aabb,
    /// Leaf: range of triangles. Inner: `first` is the right child (the left one follows the node), `count` is 0.
    first: u32,
    count: u32,
    /// Mean position, radius and summed area vector of the triangles below [Barill et al. 2018, §3].
    centre: Vec3,
    radius: f64,
    area: Vec3,
}

/// Triangles sorted into a tree. Knows nothing of connectivity.
pub(super) struct TriangleTree {
    nodes: Vec<Node>,
    triangles: Vec<[Vec3; 3]>,
}

impl TriangleTree {
    /// # Panics
    /// If the mesh has no triangles or refers to missing vertices; callers close it first.
    pub fn new(mesh: &TriMesh) -> Self {
        let mut triangles: Vec<[Vec3; 3]> =
            mesh.triangles.iter().map(|t| t.map(|i| mesh.positions[i as usize])).collect();
        let mut nodes = Vec::with_capacity(2 * triangles.len() / LEAF_SIZE + 1);
        split(&mut triangles, 0, &mut nodes);
        TriangleTree { nodes, triangles }
    }

    /// Squared distance to the nearest triangle and its index, starting from a triangle that is probably near.
    pub fn nearest(&self, p: Vec3, guess: usize) -> (f64, usize) {
        let mut best = (squared_distance(p, &self.triangles[guess]), guess);
        let mut stack = [0_u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let index = stack[height] as usize;
            let node = &self.nodes[index];
            if squared_to_box(p, &node.bounds) >= best.0 {
                continue;
            }
            if node.count > 0 {
                for k in node.first..node.first + node.count {
                    let squared = squared_distance(p, &self.triangles[k as usize]);
                    if squared < best.0 {
                        best = (squared, k as usize);
                    }
                }
                continue;
            }
            let (left, right) = (index as u32 + 1, node.first);
            let to_left = squared_to_box(p, &self.nodes[left as usize].bounds);
            let to_right = squared_to_box(p, &self.nodes[right as usize].bounds);
            let (near, far) = if to_left <= to_right { (left, right) } else { (right, left) };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
        best
    }

    /// How often the surface winds around a point: 1 inside a closed surface, 0 outside; robust where parts of the
    /// surface overlap.
    pub fn winding(&self, p: Vec3) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0_u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let index = stack[height] as usize;
            let node = &self.nodes[index];
            let arm = node.centre - p;
            let squared = arm.length_squared();
            let reach = DIPOLE_REACH * node.radius;
            if squared > reach * reach {
                sum += node.area.dot(arm) / (squared * squared.sqrt());
            } else if node.count > 0 {
                for k in node.first..node.first + node.count {
                    sum += solid_angle(p, &self.triangles[k as usize]);
                }
            } else {
                stack[height] = node.first;
                stack[height + 1] = index as u32 + 1;
                height += 2;
            }
        }
        sum / (4.0 * PI)
    }
}

/// Builds the subtree over `triangles`, which start at `first`; halves at the median, so depth is log2 of the count.
fn split(triangles: &mut [[Vec3; 3]], first: u32, nodes: &mut Vec<Node>) {
    let here = nodes.len();
    nodes.push(summary(triangles, first));
    if triangles.len() <= LEAF_SIZE {
        nodes[here].count = triangles.len() as u32;
        return;
    }
    let spread = Aabb::around(triangles.iter().map(centroid)).size();
    let axis = if spread.x >= spread.y && spread.x >= spread.z { 0 } else { 1 + usize::from(spread.z > spread.y) };
    // A stable sort, so that the order does not depend on the library's choice of pivots.
    triangles.sort_by(|a, b| centroid(a)[axis].total_cmp(&centroid(b)[axis]));
    let middle = triangles.len() / 2;
    let (left, right) = triangles.split_at_mut(middle);
    split(left, first, nodes);
    nodes[here].first = nodes.len() as u32;
    split(right, first + middle as u32, nodes);
}

fn centroid(t: &[Vec3; 3]) -> Vec3 {
    (t[0] + t[1] + t[2]) / 3.0
}

fn summary(triangles: &[[Vec3; 3]], first: u32) -> Node {
    let bounds = Aabb::around(triangles.iter().flatten().copied());
    let (mut area, mut total, mut weighted) = (Vec3::ZERO, 0.0, Vec3::ZERO);
    for t in triangles {
        let vector = 0.5 * (t[1] - t[0]).cross(t[2] - t[0]);
        let size = vector.length();
        area += vector;
        total += size;
        weighted += centroid(t) * size;
    }
    let centre = if total > 0.0 { weighted / total } else { bounds.centre() };
    let farthest = triangles.iter().flatten().map(|v| v.distance_squared(centre)).fold(0.0, f64::max);
    Node { bounds, first, count: 0, centre, radius: farthest.sqrt(), area }
}

fn squared_to_box(p: Vec3, bounds: &Aabb) -> f64 {
    (p - p.clamp(bounds.min, bounds.max)).length_squared()
}

/// Solid angle of a triangle seen from a point, positive if seen from its back [van Oosterom & Strackee 1983].
fn solid_angle(p: Vec3, t: &[Vec3; 3]) -> f64 {
    let [a, b, c] = t.map(|v| v - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if numerator == 0.0 && denominator <= 0.0 { 0.0 } else { 2.0 * libm::atan2(numerator, denominator) }
}

/// Squared distance from a point to a triangle: which corner, edge or face is nearest follows from the signs of the
/// barycentric numerators.
fn squared_distance(p: Vec3, t: &[Vec3; 3]) -> f64 {
    let [a, b, c] = *t;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ap.length_squared();
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return bp.length_squared();
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (ap - ab * (d1 / (d1 - d3))).length_squared();
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return cp.length_squared();
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (ap - ac * (d2 / (d2 - d6))).length_squared();
    }
    let va = d3 * d6 - d5 * d4;
    let (along_b, along_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && along_b >= 0.0 && along_c >= 0.0 {
        return (bp - (c - b) * (along_b / (along_b + along_c))).length_squared();
    }
    let total = va + vb + vc;
    if total > 0.0 { (ap - ab * (vb / total) - ac * (vc / total)).length_squared() } else { ap.length_squared() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::Shape;

    fn points(count: u32) -> impl Iterator<Item = Vec3> {
        (1..=count).map(|i| {
            let fraction = |step: f64| (f64::from(i) * step).fract() - 0.5;
            0.2 * Vec3::new(fraction(0.8191725134), fraction(0.6710436067), fraction(0.5497004779))
        })
    }

    #[test]
    fn triangle_distance_agrees_with_dense_sampling() {
        let t = [Vec3::new(0.0, 0.01, 0.0), Vec3::new(0.07, 0.0, 0.02), Vec3::new(-0.01, 0.05, 0.03)];
        let n = 120;
        for p in points(400) {
            let exact = squared_distance(p, &t).sqrt();
            let mut sampled = f64::INFINITY;
            for i in 0..=n {
                for j in 0..=n - i {
                    let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                    sampled = sampled.min(p.distance(t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v));
                }
            }
            // Samples are within 0.6 mm of every point of the triangle.
            assert!(exact <= sampled + 1e-15 && sampled - exact < 6e-4, "{p}: {exact} {sampled}");
        }
    }

    #[test]
    fn tree_finds_what_brute_force_finds() {
        let mesh = Shape::Capsule { half_height: 0.04, radius: 0.02 }.tessellate(0.004).unwrap();
        let tree = TriangleTree::new(&mesh);
        for p in points(500) {
            let (squared, index) = tree.nearest(p, 0);
            let brute = tree.triangles.iter().map(|t| squared_distance(p, t)).fold(f64::INFINITY, f64::min);
            assert_eq!(squared, brute);
            assert_eq!(squared, squared_distance(p, &tree.triangles[index]));
        }
    }

    #[test]
    fn winding_number_tells_inside_from_outside() {
        let shape = Shape::Cylinder { half_height: 0.05, radius: 0.04 };
        let tree = TriangleTree::new(&shape.tessellate(0.005).unwrap());
        for p in points(3000) {
            let depth = shape.distance(p);
            if depth.abs() > 1e-4 {
                let expected = if depth < 0.0 { 1.0 } else { 0.0 };
                assert!((tree.winding(p) - expected).abs() < 0.1, "{p}: {} at {depth}", tree.winding(p));
            }
        }
    }
}
