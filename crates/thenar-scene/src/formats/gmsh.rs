//! Gmsh's text format, versions 4.1 and 2.2: of its elements the tetrahedra are read.

use super::mesh_file::shortened;
use super::tet_file::{Cursor, MOST_NODES, MOST_TETS, TetFileError, bounded, finished};
use std::collections::HashMap;
use thenar::geometry::TetMesh;
use thenar::math::Vec3;

/// Gmsh's numbers for tetrahedra with 4 and with 10 nodes; of the latter the corners are taken.
const TETRAHEDRA: [u32; 2] = [4, 11];

/// Reads a `.msh` file; elements that are not tetrahedra are passed over. Lengths are taken as metres.
///
/// # Errors
/// With the line where the file stops making sense.
pub fn read_msh(bytes: &[u8]) -> Result<TetMesh, TetFileError> {
    let mut file = MshFile { cursor: Cursor::new(bytes), ..MshFile::default() };
    let mut version = None;
    while let Some(section) = file.cursor.line() {
        match (section, version) {
            ("", _) => {}
            ("$MeshFormat", _) => version = Some(file.format()?),
            ("$Nodes", Some(Version::Blocks)) => file.node_blocks()?,
            ("$Nodes", Some(Version::List)) => file.node_list()?,
            ("$Elements", Some(Version::Blocks)) => file.element_blocks()?,
            ("$Elements", Some(Version::List)) => file.element_list()?,
            (_, None) => return Err(TetFileError::line(1, "a Gmsh file begins with `$MeshFormat`")),
            (other, _) if other.starts_with("$End") => {}
            (other, _) if other.starts_with('$') => file.skip(other),
            (other, _) => {
                let what = format!("`{}` begins no section", shortened(other));
                return Err(TetFileError::line(file.cursor.line - 1, what));
            }
        }
    }
    finished(&file.positions, &file.tets)
}

/// How nodes and elements are listed.
#[derive(Clone, Copy)]
enum Version {
    /// 4.1: in blocks, one for each geometric entity.
    Blocks,
    /// 2.2: one after the other.
    List,
}

#[derive(Default)]
struct MshFile<'a> {
    cursor: Cursor<'a>,
    positions: Vec<Vec3>,
    /// Where the node with a tag is in `positions`.
    places: HashMap<u64, u32>,
    tets: Vec<[u32; 4]>,
}

impl MshFile<'_> {
    fn format(&mut self) -> Result<Version, TetFileError> {
        let version = self.cursor.word().unwrap_or_default();
        let binary: u32 = self.cursor.number("the file type")?;
        self.cursor.line();
        if binary != 0 {
            return Err(self.cursor.error("binary Gmsh files are not read; save as ASCII (Mesh.Binary = 0)"));
        }
        match version {
            "4.1" => Ok(Version::Blocks),
            "2.2" => Ok(Version::List),
            other => {
                let what = format!("format {}, expected 4.1 or 2.2 (Mesh.MshFileVersion)", shortened(other));
                Err(self.cursor.error(what))
            }
        }
    }

    fn skip(&mut self, section: &str) {
        let end = section.replacen('$', "$End", 1);
        while self.cursor.line().is_some_and(|line| line != end) {}
    }

    fn add_node(&mut self, tag: u64, position: Vec3) -> Result<(), TetFileError> {
        bounded("nodes", self.positions.len() as u64 + 1, MOST_NODES)?;
        if self.places.insert(tag, self.positions.len() as u32).is_some() {
            return Err(self.cursor.error(format!("node {tag} is there twice")));
        }
        self.positions.push(position);
        Ok(())
    }

    fn position(&mut self, tag: u64) -> Result<Vec3, TetFileError> {
        let mut next = |axis| self.cursor.coordinate(format_args!("{axis} of node {tag}"));
        Ok(Vec3::new(next("x")?, next("y")?, next("z")?))
    }

    fn node_list(&mut self) -> Result<(), TetFileError> {
        let count = self.cursor.number::<u64>("the number of nodes")?;
        for _ in 0..bounded("nodes", count, MOST_NODES)? {
            let tag = self.cursor.number("the tag of a node")?;
            let position = self.position(tag)?;
            self.add_node(tag, position)?;
        }
        self.cursor.line();
        Ok(())
    }

    fn node_blocks(&mut self) -> Result<(), TetFileError> {
        let blocks: u64 = self.cursor.number("the number of node blocks")?;
        bounded("nodes", self.cursor.number("the number of nodes")?, MOST_NODES)?;
        self.cursor.line();
        let mut tags: Vec<u64> = Vec::new();
        for _ in 0..blocks {
            let dimension: usize = self.cursor.number("the dimension of an entity")?;
            let _: i64 = self.cursor.number("the tag of an entity")?;
            let parametric: u32 = self.cursor.number("the parametric flag")?;
            let count = bounded("nodes", self.cursor.number("the number of nodes of a block")?, MOST_NODES)?;
            tags.clear();
            for _ in 0..count {
                tags.push(self.cursor.number("the tag of a node")?);
            }
            let parameters = if parametric == 0 { 0 } else { dimension.min(3) };
            for &tag in &tags {
                let position = self.position(tag)?;
                for _ in 0..parameters {
                    let _: f64 = self.cursor.number("a parameter of a node")?;
                }
                self.add_node(tag, position)?;
            }
        }
        self.cursor.line();
        Ok(())
    }

    /// The corners of a tetrahedron, next in the file.
    fn add_tet(&mut self, element: u64) -> Result<(), TetFileError> {
        bounded("elements", self.tets.len() as u64 + 1, MOST_TETS)?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            let tag: u64 = self.cursor.number(format_args!("a node of element {element}"))?;
            let Some(&place) = self.places.get(&tag) else {
                return Err(self.cursor.error(format!("element {element} uses node {tag}, which is not in $Nodes")));
            };
            *corner = place;
        }
        self.tets.push(tet);
        Ok(())
    }

    fn element_list(&mut self) -> Result<(), TetFileError> {
        let count = self.cursor.number::<u64>("the number of elements")?;
        for _ in 0..bounded("elements", count, 8 * MOST_TETS)? {
            let element = self.cursor.number("the tag of an element")?;
            let kind: u32 = self.cursor.number(format_args!("the type of element {element}"))?;
            let tags: u32 = self.cursor.number(format_args!("the number of tags of element {element}"))?;
            if TETRAHEDRA.contains(&kind) {
                for _ in 0..tags {
                    let _: i64 = self.cursor.number(format_args!("a tag of element {element}"))?;
                }
                self.add_tet(element)?;
            }
            self.cursor.line();
        }
        Ok(())
    }

    fn element_blocks(&mut self) -> Result<(), TetFileError> {
        let blocks: u64 = self.cursor.number("the number of element blocks")?;
        self.cursor.line();
        for _ in 0..blocks {
            let _: i64 = self.cursor.number("the dimension of an entity")?;
            let _: i64 = self.cursor.number("the tag of an entity")?;
            let kind: u32 = self.cursor.number("the type of a block of elements")?;
            let count = bounded("elements", self.cursor.number("the number of elements of a block")?, 8 * MOST_TETS)?;
            self.cursor.line();
            for _ in 0..count {
                let element = self.cursor.number("the tag of an element")?;
                if TETRAHEDRA.contains(&kind) {
                    self.add_tet(element)?;
                }
                self.cursor.line();
            }
        }
        Ok(())
    }
}
