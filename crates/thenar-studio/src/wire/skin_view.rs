//! The skin as it is streamed: whole, or coarse for pages that draw without a graphics card.

use std::collections::{BTreeSet, VecDeque};

use thenar::hand::HandModel;

/// Which vertices of a hand's skin are sent, and the triangles between them.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinView {
    /// Vertices of the skin, in the order in which they are sent.
    pub vertices: Vec<u32>,
    /// Triangles of numbers of sent vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The sent vertex that stands for each vertex of the skin.
    pub sent: Vec<u32>,
}

impl SkinView {
    /// Every vertex.
    #[must_use]
    pub fn whole(hand: &HandModel) -> SkinView {
        let vertices: Vec<u32> = (0..hand.skin.mesh.positions.len() as u32).collect();
        SkinView { sent: vertices.clone(), vertices, triangles: hand.skin.mesh.triangles.clone() }
    }

    /// The vertices that take part in contact; every other vertex is drawn into the nearest of them along the surface, and
    /// triangles that collapse are left out. The contact vertices are spread evenly, so the coarse skin is even too.
    #[must_use]
    pub fn coarse(hand: &HandModel) -> SkinView {
        let mesh = &hand.skin.mesh;
        let mut neighbours = vec![BTreeSet::new(); mesh.positions.len()];
        for triangle in &mesh.triangles {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                neighbours[a as usize].insert(b);
                neighbours[b as usize].insert(a);
            }
        }
        const UNSEEN: u32 = u32::MAX;
        let vertices = hand.contact_vertices.clone();
        let mut sent = vec![UNSEEN; mesh.positions.len()];
        let mut queue = VecDeque::new();
        for (number, vertex) in vertices.iter().enumerate() {
            sent[*vertex as usize] = number as u32;
            queue.push_back(*vertex);
        }
        while let Some(vertex) = queue.pop_front() {
            for neighbour in &neighbours[vertex as usize] {
                if sent[*neighbour as usize] == UNSEEN {
                    sent[*neighbour as usize] = sent[vertex as usize];
                    queue.push_back(*neighbour);
                }
            }
        }
        // Pieces of surface without a contact vertex do not occur in our hands; if one did, it would be left out.
        let mut seen = BTreeSet::new();
        let mut triangles = Vec::new();
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|vertex| sent[vertex as usize]);
            let mut sorted = [a, b, c];
            sorted.sort_unstable();
            if a != b && b != c && c != a && sorted[2] != UNSEEN && seen.insert(sorted) {
                triangles.push([a, b, c]);
            }
        }
        sent.iter_mut().filter(|number| **number == UNSEEN).for_each(|number| *number = 0);
        SkinView { vertices, triangles, sent }
    }
}
