//! From a closed mesh to a grid of distances, row by row.

use super::bvh::TriangleTree;
use super::closed::{MeshError, close};
use super::grid::{DistanceGrid, Lattice};
use crate::geometry::{Aabb, TriMesh};
use crate::math::Vec3;

/// Nodes around the mesh on every side.
const PADDING: usize = 8;

/// Prepares a [`DistanceGrid`]. Rows are independent, so that callers may spread them over threads and show progress:
///
/// ```
/// use thenar::geometry::distance::{GridBuilder, Shape};
/// # use thenar::geometry::distance::MeshError;
/// let mesh = Shape::Sphere { radius: 0.03 }.tessellate(0.004).unwrap();
/// let builder = GridBuilder::new(&mesh, 64)?;
/// let mut values = vec![0.0; builder.row_count() * builder.row_length()];
/// for (index, row) in values.chunks_mut(builder.row_length()).enumerate() {
///     builder.fill_row(index, row); // on any thread, in any order
/// }
/// let grid = builder.finish(values);
/// # Ok::<(), MeshError>(())
/// ```
pub struct GridBuilder {
    mesh: TriMesh,
    tree: TriangleTree,
    lattice: Lattice,
}

impl GridBuilder {
    /// Checks the mesh and lays out a grid with `resolution` nodes (64 is usual) along its longest side.
    ///
    /// # Errors
    /// If the mesh does not enclose a volume, or the resolution is outside 24 to 256.
    pub fn new(mesh: &TriMesh, resolution: usize) -> Result<GridBuilder, MeshError> {
        if !(24..=256).contains(&resolution) {
            return Err(MeshError::Resolution { resolution });
        }
        let mesh = close(mesh)?;
        let bounds = Aabb::around(mesh.positions.iter().copied());
        let size = bounds.size();
        let voxel = size.max_element() / (resolution - 1 - 2 * PADDING) as f64;
        let counts = size.to_array().map(|length| ((length / voxel).ceil() as usize + 1 + 2 * PADDING).min(resolution));
        let span = Vec3::from_array(counts.map(|n| (n - 1) as f64)) * voxel;
        let lattice = Lattice { origin: bounds.centre() - 0.5 * span, voxel, counts };
        Ok(GridBuilder { tree: TriangleTree::new(&mesh), mesh, lattice })
    }

    /// Number of rows to fill.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.lattice.counts[1] * self.lattice.counts[2]
    }

    /// Values per row.
    #[must_use]
    pub fn row_length(&self) -> usize {
        self.lattice.counts[0]
    }

    /// Computes one row, of [`GridBuilder::row_length`] values.
    ///
    /// The surface cannot lie between two nodes if one of them is further from it than they are from each other: then
    /// the sign carries over from the left. Elsewhere the winding number decides. Rows begin in the padding, outside.
    pub fn fill_row(&self, index: usize, row: &mut [f32]) {
        let (y, z) = (index % self.lattice.counts[1], index / self.lattice.counts[1]);
        let (mut nearest, mut before, mut inside) = (0, f64::INFINITY, false);
        for (x, value) in row.iter_mut().enumerate() {
            let p = self.lattice.node(x, y, z);
            let squared;
            (squared, nearest) = self.tree.nearest(p, nearest);
            let distance = squared.sqrt();
            if distance.max(before) <= self.lattice.voxel {
                inside = self.tree.winding(p) > 0.5;
            }
            *value = if inside { -distance } else { distance } as f32;
            before = distance;
        }
    }

    /// The grid, from the values of all rows in order. Values that are missing count as far outside.
    #[must_use]
    pub fn finish(self, mut values: Vec<f32>) -> DistanceGrid {
        let diagonal = Vec3::from_array(self.lattice.counts.map(|n| n as f64)).length() * self.lattice.voxel;
        values.resize(self.row_count() * self.row_length(), diagonal as f32);
        DistanceGrid::new(self.mesh, self.lattice, values)
    }
}

impl DistanceGrid {
    /// Builds the grid of a closed mesh on the calling thread.
    ///
    /// # Errors
    /// As [`GridBuilder::new`].
    pub fn build(mesh: &TriMesh, resolution: usize) -> Result<DistanceGrid, MeshError> {
        let builder = GridBuilder::new(mesh, resolution)?;
        let mut values = vec![0.0; builder.row_count() * builder.row_length()];
        for (index, row) in values.chunks_mut(builder.row_length()).enumerate() {
            builder.fill_row(index, row);
        }
        Ok(builder.finish(values))
    }
}
