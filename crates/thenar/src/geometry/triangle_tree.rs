//! A bounding-volume tree over the triangles of a surface.

use super::TriMesh;
use crate::math::Vec3;

const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    lo: Vec3,
    hi: Vec3,
    /// Leaf: first entry of `order`. Inner: index of the right child (the left one follows the node).
    first: u32,
    /// Triangles in a leaf; 0 for an inner node.
    count: u32,
}

/// Where the nearest point of a surface is.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Index of the triangle.
    pub triangle: u32,
    /// The point on it.
    pub point: Vec3,
    /// Barycentric weights of the point in the triangle.
    pub weights: [f64; 3],
    /// Squared distance from the query, m².
    pub distance_squared: f64,
}

/// Finds nearest triangles and triangles near a box in logarithmic time.
#[derive(Clone, Debug)]
pub struct TriangleTree {
    corners: Vec<[Vec3; 3]>,
    order: Vec<u32>,
    nodes: Vec<Node>,
}

impl TriangleTree {
    /// Builds the tree; the surface may be any set of triangles.
    #[must_use]
    pub fn new(surface: &TriMesh) -> Self {
        let corners: Vec<_> = surface.triangles.iter().map(|t| t.map(|v| surface.positions[v as usize])).collect();
        let mut tree = TriangleTree { order: (0..corners.len() as u32).collect(), corners, nodes: Vec::new() };
        if !tree.corners.is_empty() {
            tree.build(0, tree.corners.len());
        }
        tree
    }

    fn build(&mut self, from: usize, to: usize) {
        let mut lo = Vec3::INFINITY;
        let mut hi = Vec3::NEG_INFINITY;
        for &t in &self.order[from..to] {
            for p in self.corners[t as usize] {
                lo = lo.min(p);
                hi = hi.max(p);
            }
        }
        let index = self.nodes.len();
        self.nodes.push(Node { lo, hi, first: from as u32, count: (to - from) as u32 });
        if to - from <= LEAF {
            return;
        }
        let extent = hi - lo;
        let axis = if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        };
        let corners = &self.corners;
        let key = |t: u32| corners[t as usize].iter().map(|p| p[axis]).sum::<f64>();
        let middle = (from + to) / 2;
        self.order[from..to].select_nth_unstable_by(middle - from, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        self.build(from, middle);
        let right = self.nodes.len() as u32;
        self.build(middle, to);
        self.nodes[index].first = right;
        self.nodes[index].count = 0;
    }

    /// The nearest point among the triangles that `accept` lets through, within `radius` metres.
    pub fn nearest_where(&self, query: Vec3, radius: f64, accept: impl Fn(u32) -> bool) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut best_squared = radius * radius;
        if self.nodes.is_empty() {
            return None;
        }
        let mut stack = [(0u32, 0.0f64); 64];
        stack[0] = (0, box_distance_squared(&self.nodes[0], query));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, bound) = stack[depth];
            if bound > best_squared {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &t in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    if !accept(t) {
                        continue;
                    }
                    let (point, weights) = closest_on_triangle(query, self.corners[t as usize]);
                    let d = point.distance_squared(query);
                    // Ties go to the lowest index so that the answer does not depend on the shape of the tree.
                    let wins =
                        best.map_or(d <= best_squared, |b| d < best_squared || (d == best_squared && t < b.triangle));
                    if wins {
                        best_squared = d;
                        best = Some(Nearest { triangle: t, point, weights, distance_squared: d });
                    }
                }
            } else {
                let (left, right) = (index + 1, node.first);
                let dl = box_distance_squared(&self.nodes[left as usize], query);
                let dr = box_distance_squared(&self.nodes[right as usize], query);
                let (near, far) = if dl <= dr { ((left, dl), (right, dr)) } else { ((right, dr), (left, dl)) };
                stack[depth] = far;
                stack[depth + 1] = near;
                depth += 2;
            }
        }
        best
    }

    /// The nearest point of the surface; `None` only for an empty surface or a query that is not finite.
    #[must_use]
    pub fn nearest(&self, query: Vec3) -> Option<Nearest> {
        self.nearest_where(query, f64::INFINITY, |_| true)
    }

    /// True if some triangle comes within `reach` metres of the point.
    #[must_use]
    pub fn is_within(&self, query: Vec3, reach: f64) -> bool {
        let limit = reach * reach;
        let mut stack = [0u32; 64];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if box_distance_squared(node, query) > limit {
                continue;
            }
            if node.count > 0 {
                let leaf = &self.order[node.first as usize..(node.first + node.count) as usize];
                let near =
                    |t: &u32| closest_on_triangle(query, self.corners[*t as usize]).0.distance_squared(query) <= limit;
                if leaf.iter().any(near) {
                    return true;
                }
            } else {
                let (left, right) = (index + 1, node.first);
                let dl = box_distance_squared(&self.nodes[left as usize], query);
                let dr = box_distance_squared(&self.nodes[right as usize], query);
                let (near, far) = if dl <= dr { (left, right) } else { (right, left) };
                stack[depth] = far;
                stack[depth + 1] = near;
                depth += 2;
            }
        }
        false
    }

    /// Calls `visit` for every triangle whose bounding box meets the box.
    pub fn for_each_in_box(&self, lo: Vec3, hi: Vec3, mut visit: impl FnMut(u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            if node.lo.cmpgt(hi).any() || node.hi.cmplt(lo).any() {
                continue;
            }
            if node.count > 0 {
                for &t in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    let [a, b, c] = self.corners[t as usize];
                    if !(a.min(b).min(c).cmpgt(hi).any() || a.max(b).max(c).cmplt(lo).any()) {
                        visit(t);
                    }
                }
            } else {
                stack.push(node.first);
                stack.push(index + 1);
            }
        }
    }
}

fn box_distance_squared(node: &Node, p: Vec3) -> f64 {
    (node.lo - p).max(p - node.hi).max(Vec3::ZERO).length_squared()
}

/// Nearest point of a triangle and its barycentric weights, by the Voronoi regions of its corners and edges.
#[must_use]
pub fn closest_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> (Vec3, [f64; 3]) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return (a + ab * t, [1.0 - t, t, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return (a + ac * t, [1.0 - t, 0.0, t]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * t, [0.0, 1.0 - t, t]);
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    (a + ab * v + ac * w, [1.0 - v - w, v, w])
}
