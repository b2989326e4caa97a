//! Wavefront OBJ: vertices and faces; everything about looks is skipped.

use thenar::geometry::TriMesh;
use thenar::geometry::distance::MOST_TRIANGLES;

use super::mesh_file::{MeshFileError, coordinates, shortened};

/// Reads all faces of an OBJ file as one surface; lengths are taken as metres. Faces with more than three corners are
/// split into a fan, which suits convex faces.
///
/// # Errors
/// With the line where the file stops making sense.
pub fn read_obj(bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = TriMesh::default();
    let mut last_face_line = 0;
    let mut corners: Vec<u32> = Vec::new();
    for (line, statement) in statements(&text) {
        let mut words = statement.split_ascii_whitespace();
        match words.next() {
            Some("v") => mesh.positions.push(coordinates(&mut words, line)?),
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, mesh.positions.len(), line)?);
                }
                if corners.len() < 3 {
                    return Err(MeshFileError::line(line, format!("a face has {} corners", corners.len())));
                }
                if mesh.triangles.len() + corners.len() - 2 > MOST_TRIANGLES {
                    return Err(MeshFileError::TooLarge);
                }
                let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
                mesh.triangles.extend(fan);
                last_face_line = line;
            }
            // Textures, normals, groups, materials, curves and the extensions of many programs.
            _ => {}
        }
    }
    // Faces may come before the vertices they name.
    let vertices = mesh.positions.len();
    if let Some(index) = mesh.triangles.iter().flatten().find(|i| **i as usize >= vertices) {
        let what = format!("a face refers to vertex {}, but there are {vertices} vertices", u64::from(*index) + 1);
        return Err(MeshFileError::line(last_face_line, what));
    }
    if mesh.triangles.is_empty() { Err(MeshFileError::Empty) } else { Ok(mesh) }
}

/// Lines without comments, continued where they end in a backslash, each with the number of its first line.
fn statements(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (index, first) = lines.next()?;
        let mut statement = without_comment(first).to_owned();
        while statement.ends_with('\\') {
            statement.pop();
            statement.push(' ');
            let Some((_, next)) = lines.next() else { break };
            statement.push_str(without_comment(next));
        }
        Some((index + 1, statement))
    })
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

/// Vertex index of `7`, `7/1`, `7//2`, `7/1/2`; negative counts back from the last vertex so far.
fn corner(word: &str, so_far: usize, line: usize) -> Result<u32, MeshFileError> {
    let number = word.split('/').next().unwrap_or_default();
    let index = match number.parse::<i64>() {
        Ok(value) if value > 0 => Some(value - 1),
        Ok(value) if value < 0 => (so_far as i64).checked_add(value),
        _ => None,
    };
    index.and_then(|i| u32::try_from(i).ok()).ok_or_else(|| {
        let what = format!("`{}` is no corner of a face: expected a vertex number, counted from 1", shortened(word));
        MeshFileError::line(line, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::mutations;
    use thenar::geometry::distance::MassProperties;

    const CUBE: &str = "\
# a cube of 2 cm
mtllib none.mtl
o cube
v -0.01 -0.01 -0.01
v  0.01 -0.01 -0.01
v  0.01  0.01 -0.01 1.0
v -0.01  0.01 -0.01
v -0.01 -0.01  0.01 0.5 0.5 0.5
v  0.01 -0.01  0.01
v  0.01  0.01  0.01
v -0.01  0.01  0.01
vn 0 0 1
vt 0 0
f 1/1/1 4/1/1 3/1/1 2/1/1
f 5//1 6//1 7//1 8//1
f 1 2 6 \\
  5
f 2 3 7 6
f -6 -5 -1 -2
f 4 1 5
f 4 5 8 # last
";

    #[test]
    fn all_ways_to_write_a_face_make_a_cube() {
        let mesh = read_obj(CUBE.as_bytes()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 12));
        let mass = MassProperties::of_mesh(&mesh, 1000.0).unwrap();
        assert!((mass.mass - 0.008).abs() < 1e-12 && mass.com.length() < 1e-12);
        assert!(thenar::geometry::distance::GridBuilder::new(&mesh, 32).is_ok());
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| read_obj(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message("v 0 0 0\nv 1 x 0\n"), "line 2: y is `x`, not a finite number");
        assert_eq!(message("v 0 0\n"), "line 1: z is missing");
        assert_eq!(
            message("v 0 0 0\nf 1 0 1\n"),
            "line 2: `0` is no corner of a face: expected a vertex number, counted from 1"
        );
        assert_eq!(message("v 0 0 0\nf 1 1 9\n"), "line 2: a face refers to vertex 9, but there are 1 vertices");
        assert_eq!(message("v 0 0 0\nf 1 1\n"), "line 2: a face has 2 corners");
        assert_eq!(message("# nothing\n"), "the file holds no triangles");
    }

    #[test]
    fn damaged_files_are_read_or_refused_but_never_panic() {
        let mut refused = 0;
        for bytes in mutations(CUBE.as_bytes(), 2000) {
            refused += usize::from(read_obj(&bytes).is_err());
        }
        assert!(refused > 200, "{refused}");
    }
}
