//! A surface that elements carry: what is seen of a soft body.

use crate::geometry::{Embedding, TetLocator, TetMesh, TriMesh};
use crate::math::Vec3;

/// A surface at rest and the elements that carry its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedSurface {
    /// At rest, in world coordinates, metres.
    pub mesh: TriMesh,
    /// Which element carries each vertex.
    pub embedding: Embedding,
}

impl CarriedSurface {
    /// A surface in or near the elements.
    #[must_use]
    pub fn embedded(surface: TriMesh, mesh: &TetMesh) -> Self {
        CarriedSurface { embedding: TetLocator::new(mesh).embed(&surface.positions), mesh: surface }
    }

    /// The boundary of the elements itself; its vertices are all nodes, inner ones included.
    #[must_use]
    pub fn boundary(mesh: &TetMesh) -> Self {
        let mut embedding =
            Embedding { tets: vec![0; mesh.positions.len()], weights: vec![[0.0; 4]; mesh.positions.len()] };
        for (t, tet) in mesh.tets.iter().enumerate() {
            for (corner, &node) in tet.iter().enumerate() {
                embedding.tets[node as usize] = t as u32;
                embedding.weights[node as usize] = std::array::from_fn(|k| f64::from(u8::from(k == corner)));
            }
        }
        CarriedSurface { mesh: mesh.boundary(), embedding }
    }

    /// Where its vertices are when the nodes of the elements `tets` stand at `nodes`.
    pub fn positions<'a>(
        &'a self,
        tets: &'a [[u32; 4]],
        nodes: &'a [Vec3],
    ) -> impl ExactSizeIterator<Item = Vec3> + Clone + 'a {
        self.embedding.tets.iter().zip(&self.embedding.weights).map(|(&tet, weights)| {
            let tet = tets[tet as usize];
            (0..4).map(|k| nodes[tet[k] as usize] * weights[k]).sum()
        })
    }
}
