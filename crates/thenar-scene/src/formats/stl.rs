//! STL, binary and text. Triangles come without connections; equal corners are joined.

use thenar::geometry::distance::MOST_TRIANGLES;
use thenar::geometry::{Aabb, TriMesh};
use thenar::math::Vec3;

use super::mesh_file::{MeshFileError, coordinates, shortened};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file; lengths are taken as metres and stored normals are ignored (the order of corners counts).
///
/// # Errors
/// With the line or byte where the file stops making sense.
pub fn read_stl(bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let soup = if is_binary(bytes) { read_binary(bytes)? } else { read_text(bytes)? };
    if soup.triangles.is_empty() {
        return Err(MeshFileError::Empty);
    }
    let size = Aabb::around(soup.positions.iter().copied()).size().max_element();
    Ok(soup.welded(1e-7 * size))
}

/// Some binary files begin with the word of the text format; their length gives them away.
fn is_binary(bytes: &[u8]) -> bool {
    let fits = announced(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * count);
    let says_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    fits || !says_text
}

/// Number of triangles that a binary file says it holds.
fn announced(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u64::from(u32::from_le_bytes(count.try_into().ok()?)))
}

fn read_binary(bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let Some(count) = announced(bytes) else {
        let what = "the file ends within the 84-byte header of binary STL, and text STL begins with `solid`".to_owned();
        return Err(MeshFileError::Byte { offset: bytes.len(), what });
    };
    let needed = HEADER as u64 + RECORD as u64 * count;
    if (bytes.len() as u64) < needed {
        let what = format!(
            "the file ends, but the {count} triangles that bytes 80 to 83 announce need {needed} bytes: this is a cut \
             binary STL, or no STL at all (text STL begins with `solid`)"
        );
        return Err(MeshFileError::Byte { offset: bytes.len(), what });
    }
    if count > MOST_TRIANGLES as u64 {
        return Err(MeshFileError::TooLarge);
    }
    let needed = needed as usize;
    let mut soup = TriMesh::default();
    for (index, record) in bytes[HEADER..needed].chunks_exact(RECORD).enumerate() {
        for corner in 0..3 {
            let start = 12 + 12 * corner;
            let number = |axis: usize| {
                let at = start + 4 * axis;
                f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
            };
            let position = Vec3::new(number(0), number(1), number(2));
            if !position.is_finite() {
                let offset = HEADER + RECORD * index + start;
                return Err(MeshFileError::Byte {
                    offset,
                    what: format!("a corner of triangle {index} is not finite"),
                });
            }
            soup.positions.push(position);
        }
        push_triangle(&mut soup);
    }
    Ok(soup)
}

/// Joins the last three positions.
fn push_triangle(soup: &mut TriMesh) {
    let end = soup.positions.len() as u32;
    soup.triangles.push([end - 3, end - 2, end - 1]);
}

fn read_text(bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let text = String::from_utf8_lossy(bytes);
    let mut soup = TriMesh::default();
    let mut corners = 0;
    for (index, content) in text.lines().enumerate() {
        let line = index + 1;
        let mut words = content.split_ascii_whitespace();
        let Some(word) = words.next() else { continue };
        match word.to_ascii_lowercase().as_str() {
            "vertex" => {
                if corners == 3 {
                    return Err(MeshFileError::line(line, "a facet has more than three corners"));
                }
                soup.positions.push(coordinates(&mut words, line)?);
                corners += 1;
            }
            "endfacet" => {
                if corners != 3 {
                    return Err(MeshFileError::line(line, format!("the facet has {corners} corners instead of 3")));
                }
                if soup.triangles.len() == MOST_TRIANGLES {
                    return Err(MeshFileError::TooLarge);
                }
                push_triangle(&mut soup);
                corners = 0;
            }
            "solid" | "facet" | "outer" | "endloop" | "endsolid" => {}
            _ => {
                let what = format!("`{}` is no word of STL (facet, outer loop, vertex, …)", shortened(word));
                return Err(MeshFileError::line(line, what));
            }
        }
    }
    if corners != 0 {
        return Err(MeshFileError::line(text.lines().count(), "the file ends within a facet"));
    }
    Ok(soup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::mutations;
    use thenar::geometry::distance::{MassProperties, Shape};

    fn ball() -> TriMesh {
        Shape::Sphere { radius: 0.03 }.tessellate(0.012).unwrap()
    }

    fn binary(mesh: &TriMesh) -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for triangle in &mesh.triangles {
            bytes.extend([0; 12]);
            for index in triangle {
                for x in mesh.positions[*index as usize].to_array() {
                    bytes.extend((x as f32).to_le_bytes());
                }
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn text(mesh: &TriMesh) -> String {
        let mut out = "solid ball\n".to_owned();
        for triangle in &mesh.triangles {
            out += " facet normal 0 0 0\n  outer loop\n";
            for index in triangle {
                let p = mesh.positions[*index as usize];
                out += &format!("   vertex {:e} {:e} {:e}\n", p.x, p.y, p.z);
            }
            out += "  endloop\n endfacet\n";
        }
        out + "endsolid ball\n"
    }

    #[test]
    fn both_kinds_give_back_the_mesh() {
        let mesh = ball();
        let volume = MassProperties::of_mesh(&mesh, 1.0).unwrap().mass;
        for read in [read_stl(&binary(&mesh)).unwrap(), read_stl(text(&mesh).as_bytes()).unwrap()] {
            assert_eq!(read.positions.len(), mesh.positions.len());
            assert_eq!(read.triangles.len(), mesh.triangles.len());
            // f32 coordinates.
            assert!((MassProperties::of_mesh(&read, 1.0).unwrap().mass / volume - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn faults_are_located() {
        let good = text(&ball());
        let bad = good.replacen("   vertex", "   vertx", 1);
        let message = read_stl(bad.as_bytes()).unwrap_err().to_string();
        assert_eq!(message, "line 4: `vertx` is no word of STL (facet, outer loop, vertex, …)");
        let bad = good.replacen("   vertex ", "   vertex nan ", 1);
        assert_eq!(read_stl(bad.as_bytes()).unwrap_err().to_string(), "line 4: x is `nan`, not a finite number");
        let mut cut = binary(&ball());
        cut.truncate(1000);
        // Cut short, the header's word makes it look like text, which it is not.
        assert!(read_stl(&cut).is_err());
        cut[..5].copy_from_slice(b"     ");
        assert!(read_stl(&cut).unwrap_err().to_string().starts_with("byte 1000: the file ends"));
        let mut infinite = binary(&ball());
        infinite[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::INFINITY.to_le_bytes());
        let message = read_stl(&infinite).unwrap_err().to_string();
        assert_eq!(message, "byte 146: a corner of triangle 1 is not finite");
        assert!(read_stl(b"").is_err());
        assert_eq!(read_stl(b"solid x\nendsolid x\n"), Err(MeshFileError::Empty));
    }

    #[test]
    fn damaged_files_are_read_or_refused_but_never_panic() {
        let mut refused = 0;
        for bytes in mutations(&binary(&ball()), 600).chain(mutations(text(&ball()).as_bytes(), 600)) {
            refused += usize::from(read_stl(&bytes).is_err());
        }
        assert!(refused > 100, "{refused}");
    }
}
