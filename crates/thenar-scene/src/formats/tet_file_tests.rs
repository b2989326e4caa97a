//! Tests of the readers of tetrahedra.

use super::{TetFileError, read_msh, read_tets, read_vtk};
use crate::mutation::mutations;
use thenar::geometry::TetMesh;

const VTK: &str = "# vtk DataFile Version 3.0
two tetrahedra and a triangle
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 6 double
0 0 0  1 0 0  0 1 0
0 0 1  1 1 1  9 9 9
CELLS 3 14
3 0 1 2
4 0 1 2 3
4 1 2 4 3
CELL_TYPES 3
5 10 10
CELL_DATA 3
SCALARS region int 1
";

const MSH_4: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 \"body\"
$EndPhysicalNames
$Nodes
2 5 10 50
2 1 0 3
10
20
30
0 0 0
1 0 0
0 1 0
3 1 0 2
40
50
0 0 1
1 1 1
$EndNodes
$Elements
2 3 1 3
2 1 2 1
1 10 20 30
3 1 4 2
2 10 20 30 40
3 20 30 50 40
$EndElements
";

const MSH_2: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
50 1 1 1
$EndNodes
$Elements
3
1 2 2 0 1 10 20 30
2 4 2 0 1 10 20 30 40
3 4 2 0 1 20 30 50 40
$EndElements
";

/// The same two tetrahedra in VTK's binary form; `offsets` writes cells as version 5 does.
fn binary_vtk(offsets: bool) -> Vec<u8> {
    let mut file = b"# vtk DataFile Version 3.0\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n".to_vec();
    for x in [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1u8] {
        file.extend(f32::from(x).to_be_bytes());
    }
    let nodes = [0, 1, 2, 3, 1, 2, 4, 3];
    if offsets {
        file.extend(b"\nCELLS 3 8\nOFFSETS vtktypeint64\n");
        [0i64, 4, 8].iter().for_each(|o| file.extend(o.to_be_bytes()));
        file.extend(b"\nCONNECTIVITY vtktypeint64\n");
        nodes.iter().for_each(|&n| file.extend(i64::from(n).to_be_bytes()));
    } else {
        file.extend(b"\nCELLS 2 10\n");
        for tet in nodes.chunks(4) {
            [4].iter().chain(tet).for_each(|&n: &i32| file.extend(n.to_be_bytes()));
        }
    }
    file.extend(b"\nCELL_TYPES 2\n");
    [10i32, 10].iter().for_each(|t| file.extend(t.to_be_bytes()));
    file.extend(b"\n");
    file
}

/// Two tetrahedra that share a face: a sixth and a third of a cubic metre.
fn check(mesh: &TetMesh) {
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (5, 2), "unused nodes are dropped");
    assert!((mesh.volume() - 0.5).abs() < 1e-12, "both are turned right side out: {} m³", mesh.volume());
    assert!(mesh.quality().min_volume > 0.0);
    assert_eq!(mesh.boundary_faces().len(), 6, "they share a face");
}

#[test]
fn every_format_gives_the_same_two_tetrahedra() {
    check(&read_vtk(VTK.as_bytes()).unwrap());
    check(&read_vtk(&binary_vtk(false)).unwrap());
    check(&read_vtk(&binary_vtk(true)).unwrap());
    check(&read_msh(MSH_4.as_bytes()).unwrap());
    check(&read_msh(MSH_2.as_bytes()).unwrap());
    check(&read_tets("body.MSH", MSH_2.as_bytes()).unwrap());
    assert!(matches!(read_tets("body.stl", b""), Err(TetFileError::Format { .. })));
}

#[test]
fn errors_name_line_and_field() {
    let broken = |from: &str, to: &str| read_vtk(VTK.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
    assert_eq!(broken("1 1 1  9", "1 x 1  9"), "line 7: coordinate 1 of point 4 is `x`, not a number of its kind");
    assert_eq!(broken("0 1 2 3", "0 1 2 7"), "line 8: cell 1 is a tetrahedron, but its nodes are not four of 6");
    assert!(broken("POINTS 6", "POINTS 99999").contains("more than the rest of the file holds"));
    assert!(broken("POINTS 6", "POINTS 99999999").contains("more than the 1000000 that are read"));
    assert_eq!(
        broken("UNSTRUCTURED_GRID", "POLYDATA"),
        "line 4: `DATASET POLYDATA` is not `DATASET UNSTRUCTURED_GRID`"
    );
    assert!(broken("5 10 10", "5 5 5").contains("no tetrahedra"));
    assert!(broken("0 0 1  1 1 1", "5 5 0  1 1 1").contains("tetrahedron 0 is flat"));
    let broken = |from: &str, to: &str| read_msh(MSH_4.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
    assert_eq!(broken("4.1 0", "4.1 1"), "line 3: binary Gmsh files are not read; save as ASCII (Mesh.Binary = 0)");
    assert!(broken("4.1 0", "3.0 0").contains("format 3.0, expected 4.1 or 2.2"));
    assert_eq!(broken("20 30 50 40", "20 30 60 40"), "line 29: element 3 uses node 60, which is not in $Nodes");
    assert_eq!(broken("\n40\n50", "\n40\n40"), "line 21: node 40 is there twice");
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let seeds = [VTK.as_bytes().to_vec(), binary_vtk(false), binary_vtk(true)];
    for bytes in seeds.iter().flat_map(|seed| mutations(seed, 1500)) {
        let _ = read_vtk(&bytes);
    }
    for bytes in [MSH_4, MSH_2].iter().flat_map(|seed| mutations(seed.as_bytes(), 2000)) {
        let _ = read_msh(&bytes);
    }
}
