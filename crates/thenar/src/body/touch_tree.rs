//! A tree of boxes over the triangles of a group, planned at rest and refitted as the body moves.

use crate::geometry::Aabb;
use crate::math::Vec3;

/// Triangles in a leaf at most.
const LEAF: usize = 4;

/// Deepest the stack of a search can get: halving even a million triangles needs twenty levels.
const DEPTH: usize = 48;

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Leaf: its first triangle. Inner: the right child; the left one follows the node.
    first: u32,
    /// Triangles of a leaf; 0 for an inner node.
    count: u32,
}

/// The plan of a tree; its boxes are kept by whoever moves.
#[derive(Clone, Debug, Default)]
pub struct TouchTree {
    nodes: Vec<Node>,
}

/// Plans a tree over triangles; returns them in its order. `offset` is the index that the first will have.
pub(super) fn group_triangles(triangles: &[[u32; 3]], positions: &[Vec3], offset: u32) -> (TouchTree, Vec<[u32; 3]>) {
    let mut ordered = triangles.to_vec();
    let mut tree = TouchTree::default();
    if !ordered.is_empty() {
        tree.plan(&mut ordered, positions, offset);
    }
    (tree, ordered)
}

impl TouchTree {
    fn plan(&mut self, triangles: &mut [[u32; 3]], positions: &[Vec3], offset: u32) {
        let index = self.nodes.len();
        self.nodes.push(Node { first: offset, count: triangles.len() as u32 });
        if triangles.len() <= LEAF {
            return;
        }
        let middle = |t: &[u32; 3]| t.iter().map(|&p| positions[p as usize]).sum::<Vec3>();
        let size = Aabb::around(triangles.iter().map(middle)).size();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        triangles.sort_by(|a, b| middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(b)));
        let (left, right) = triangles.split_at_mut(triangles.len() / 2);
        self.plan(left, positions, offset);
        self.nodes[index] = Node { first: self.nodes.len() as u32, count: 0 };
        self.plan(right, positions, offset + left.len() as u32);
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Fits the boxes to the positions of the points.
    pub fn refit(&self, triangles: &[[u32; 3]], positions: &[Vec3], boxes: &mut [Aabb]) {
        for i in (0..self.nodes.len()).rev() {
            let node = self.nodes[i];
            boxes[i] = if node.count > 0 {
                let mut bounds = Aabb::EMPTY;
                for triangle in &triangles[node.first as usize..(node.first + node.count) as usize] {
                    triangle.iter().for_each(|&p| bounds.add(positions[p as usize]));
                }
                bounds
            } else {
                boxes[i + 1].union(&boxes[node.first as usize])
            };
        }
    }

    /// Visits the triangles whose boxes come within the square root of `reach_squared` of a point, nearer boxes first.
    /// `visit` returns the reach that is left.
    pub fn search(&self, boxes: &[Aabb], point: Vec3, mut reach_squared: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        if self.nodes.is_empty() {
            return;
        }
        let away = |i: u32| {
            let b = &boxes[i as usize];
            (b.min - point).max(point - b.max).max(Vec3::ZERO).length_squared()
        };
        let mut stack = [(0u32, 0.0f64); DEPTH];
        stack[0] = (0, away(0));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, distance) = stack[depth];
            if distance > reach_squared {
                continue;
            }
            let node = self.nodes[index as usize];
            if node.count > 0 {
                for triangle in node.first..node.first + node.count {
                    reach_squared = visit(triangle, reach_squared);
                }
            } else if depth + 2 <= DEPTH {
                let (left, right) = ((index + 1, away(index + 1)), (node.first, away(node.first)));
                let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
                stack[depth] = far;
                stack[depth + 1] = near;
                depth += 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::triangle_tree::closest_on_triangle;

    /// A small deterministic random source in (-1, 1).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
        fn vec3(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    #[test]
    fn a_refitted_tree_finds_what_trying_every_triangle_finds() {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let points: Vec<Vec3> = (0..300).map(|_| random.vec3()).collect();
        let triangles: Vec<[u32; 3]> = (0..100).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let (tree, triangles) = group_triangles(&triangles, &points, 0);
        let mut boxes = vec![Aabb::EMPTY; tree.len()];
        for _ in 0..5 {
            // the plan is that of the first places, the boxes are those of the new ones
            let moved: Vec<Vec3> = points.iter().map(|p| *p + random.vec3() * 0.5).collect();
            tree.refit(&triangles, &moved, &mut boxes);
            for _ in 0..50 {
                let (query, reach) = (random.vec3() * 1.5, 0.2 + 0.2 * random.next());
                let distance = |t: u32| {
                    let corners = triangles[t as usize].map(|p| moved[p as usize]);
                    closest_on_triangle(query, corners).0.distance_squared(query)
                };
                let mut found = f64::INFINITY;
                tree.search(&boxes, query, reach * reach, |t, left| {
                    if distance(t) < left {
                        found = distance(t);
                    }
                    left.min(distance(t))
                });
                let least = (0..100).map(distance).fold(f64::INFINITY, f64::min);
                let expected = if least < reach * reach { least } else { f64::INFINITY };
                assert_eq!(found, expected);
            }
        }
    }
}
