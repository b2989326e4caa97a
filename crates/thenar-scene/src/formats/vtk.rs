//! VTK's legacy format, text and binary: unstructured grids, of which the tetrahedra are read.

use super::mesh_file::shortened;
use super::tet_file::{Cursor, MOST_NODES, MOST_TETS, TetFileError, bounded, finished};
use thenar::geometry::TetMesh;
use thenar::math::Vec3;

/// VTK's number for a linear tetrahedron.
const TETRA: i64 = 10;

/// Reads a legacy `.vtk` file; cells that are not linear tetrahedra are passed over. Lengths are taken as metres.
///
/// # Errors
/// With the line where the file stops making sense.
pub fn read_vtk(bytes: &[u8]) -> Result<TetMesh, TetFileError> {
    let mut file = VtkFile::open(bytes)?;
    let (mut points, mut cells, mut types) = (Vec::new(), Cells::default(), Vec::new());
    while let Some(keyword) = file.cursor.word() {
        match keyword.to_ascii_uppercase().as_str() {
            "POINTS" => points = file.points()?,
            "CELLS" => cells = file.cells()?,
            "CELL_TYPES" => {
                let count = file.cursor.number("the number of cell types")?;
                types = file.integers("cell type", count, "int")?;
            }
            "METADATA" => while file.cursor.line().is_some_and(|line| !line.is_empty()) {},
            // what is measured on cells and points comes last
            "CELL_DATA" | "POINT_DATA" => break,
            "FIELD" => {
                return Err(file.cursor.error("FIELD before the cells is not read; write the file without field data"));
            }
            other => {
                let what = format!("`{}` is no part of an unstructured grid", shortened(other));
                return Err(file.cursor.error(what));
            }
        }
    }
    if cells.ends.len() != types.len() {
        let what = format!("{} cells, but {} cell types", cells.ends.len(), types.len());
        return Err(file.cursor.error(what));
    }
    let mut tets = Vec::new();
    let mut start = 0;
    for (index, (&end, kind)) in cells.ends.iter().zip(types).enumerate() {
        let nodes = &cells.nodes[start..end];
        start = end;
        if kind != TETRA {
            continue;
        }
        let inside = |n: &i64| u32::try_from(*n).ok().filter(|&n| (n as usize) < points.len());
        let corners: Option<Vec<u32>> = nodes.iter().map(inside).collect();
        let Some(tet) = corners.and_then(|c| <[u32; 4]>::try_from(c).ok()) else {
            let what = format!("cell {index} is a tetrahedron, but its nodes are not four of {}", points.len());
            return Err(TetFileError::line(cells.line, what));
        };
        tets.push(tet);
    }
    finished(&points, &tets)
}

/// Nodes of all cells, and where each cell's end.
#[derive(Default)]
struct Cells {
    nodes: Vec<i64>,
    ends: Vec<usize>,
    /// The line on which they begin.
    line: usize,
}

struct VtkFile<'a> {
    cursor: Cursor<'a>,
    binary: bool,
}

impl<'a> VtkFile<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, TetFileError> {
        let mut cursor = Cursor::new(bytes);
        if !cursor.line().is_some_and(|line| line.starts_with("# vtk DataFile")) {
            return Err(TetFileError::line(1, "a legacy VTK file begins with `# vtk DataFile Version`"));
        }
        cursor.line();
        let binary = match cursor.line().unwrap_or_default() {
            "ASCII" => false,
            "BINARY" => true,
            other => {
                return Err(TetFileError::line(3, format!("`{}` is neither ASCII nor BINARY", shortened(other))));
            }
        };
        let (dataset, kind) = (cursor.word().unwrap_or_default(), cursor.word().unwrap_or_default());
        if (dataset, kind) != ("DATASET", "UNSTRUCTURED_GRID") {
            let what = format!("`{} {}` is not `DATASET UNSTRUCTURED_GRID`", shortened(dataset), shortened(kind));
            return Err(cursor.error(what));
        }
        Ok(VtkFile { cursor, binary })
    }

    fn points(&mut self) -> Result<Vec<Vec3>, TetFileError> {
        let count = bounded("nodes", self.cursor.number("the number of points")?, MOST_NODES)?;
        let kind = self.cursor.word().unwrap_or_default();
        let wide = match kind {
            "float" => 4,
            "double" => 8,
            other => {
                return Err(self.cursor.error(format!("points of type `{}`, not float or double", shortened(other))));
            }
        };
        self.expect(3 * count, wide)?;
        let mut numbers = Vec::with_capacity(3 * count);
        if self.binary {
            self.cursor.line();
            for piece in self.cursor.bytes(3 * count * wide)?.chunks_exact(wide) {
                let value = match *piece {
                    [a, b, c, d] => f64::from(f32::from_be_bytes([a, b, c, d])),
                    [a, b, c, d, e, f, g, h] => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
                    _ => f64::NAN,
                };
                if !value.is_finite() {
                    return Err(self.cursor.error(format!("point {} is not finite", numbers.len() / 3)));
                }
                numbers.push(value);
            }
        } else {
            for i in 0..3 * count {
                numbers.push(self.cursor.coordinate(format_args!("coordinate {} of point {}", i % 3, i / 3))?);
            }
        }
        Ok(numbers.chunks_exact(3).map(Vec3::from_slice).collect())
    }

    /// Cells as `count, node, node, …` up to version 4, as offsets and connectivity from version 5 on.
    fn cells(&mut self) -> Result<Cells, TetFileError> {
        let line = self.cursor.line;
        let count = self.cursor.number::<u64>("the number of cells")?;
        let size = self.cursor.number::<u64>("the size of the cells")?;
        if self.cursor.clone().word() == Some("OFFSETS") {
            return self.cells_by_offset(line, count, size);
        }
        bounded("cells", count, 4 * MOST_TETS)?;
        let numbers = self.integers("entry of the cells", size, "int")?;
        let (mut cells, mut at) = (Cells { line, ..Cells::default() }, 0);
        for cell in 0..count {
            let nodes = numbers.get(at).and_then(|&n| usize::try_from(n).ok());
            let Some(nodes) = nodes.and_then(|n| numbers.get(at + 1..at.checked_add(n)?.checked_add(1)?)) else {
                return Err(self.cursor.error(format!("cell {cell} goes beyond the {size} entries announced")));
            };
            cells.nodes.extend(nodes);
            cells.ends.push(cells.nodes.len());
            at += nodes.len() + 1;
        }
        Ok(cells)
    }

    fn cells_by_offset(&mut self, line: usize, offsets: u64, connectivity: u64) -> Result<Cells, TetFileError> {
        self.cursor.word();
        let kind = self.cursor.word().unwrap_or_default();
        let offsets = self.integers("offset", offsets, kind)?;
        match self.cursor.word() {
            Some("CONNECTIVITY") => {}
            other => {
                let what = format!("`{}` instead of CONNECTIVITY", shortened(other.unwrap_or_default()));
                return Err(self.cursor.error(what));
            }
        }
        let kind = self.cursor.word().unwrap_or_default();
        let nodes = self.integers("connection", connectivity, kind)?;
        let rising = offsets.first().is_none_or(|&o| o == 0) && offsets.windows(2).all(|w| w[0] <= w[1]);
        if !rising || offsets.last().is_some_and(|&o| o as u64 > nodes.len() as u64) {
            return Err(self.cursor.error(format!("offsets do not rise from 0 to at most {}", nodes.len())));
        }
        let ends = offsets.iter().skip(1).map(|&o| o as usize).collect();
        Ok(Cells { nodes, ends, line })
    }

    fn integers(&mut self, what: &str, count: u64, kind: &str) -> Result<Vec<i64>, TetFileError> {
        let wide = match kind {
            "int" | "vtktypeint32" => 4,
            "long" | "vtktypeint64" => 8,
            other => {
                return Err(self.cursor.error(format!("integers of type `{}` are not read", shortened(other))));
            }
        };
        let count = bounded("cell entries", count, 8 * MOST_TETS)?;
        self.expect(count, wide)?;
        let mut numbers = Vec::with_capacity(count);
        if self.binary {
            self.cursor.line();
            for piece in self.cursor.bytes(count * wide)?.chunks_exact(wide) {
                numbers.push(match *piece {
                    [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
                    [a, b, c, d, e, f, g, h] => i64::from_be_bytes([a, b, c, d, e, f, g, h]),
                    _ => -1,
                });
            }
        } else {
            for i in 0..count {
                numbers.push(self.cursor.number(format_args!("{what} {i}"))?);
            }
        }
        Ok(numbers)
    }

    /// Refuses a block that cannot fit into the rest of the file, before room is made for it.
    fn expect(&self, count: usize, wide: usize) -> Result<(), TetFileError> {
        let least = if self.binary { count * wide } else { (2 * count).saturating_sub(1) };
        if least > self.cursor.remaining() {
            return Err(self.cursor.error(format!("{count} numbers announced, more than the rest of the file holds")));
        }
        Ok(())
    }
}
