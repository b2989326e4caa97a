//! The points with which a deformable object touches.

use crate::body::{CarriedSurface, SurfacePoint};
use crate::geometry::contraction::nearest_seeds;
use crate::geometry::{TetMesh, TriMesh, spread};
use crate::math::Vec3;

/// Contact points are this far apart where a surface is flat, in mean edges of the elements: more points than nodes would contradict each
/// other, since a linear element cannot follow finer pressure.
const FINENESS: f64 = 1.0;

/// They are nearer where the surface is round: it bulges between them by no more than this, metres. What is seen sinks in by less than a soft
/// thing flattens, and what is round rolls. What is smaller than an element, such as a rounded edge, is not followed.
const BULGE: f64 = 3e-4;

/// Vertices of a surface that its elements carry, spread evenly: corners first, then edges, then what is left, so that what sticks out is
/// what touches. Each stands for the area of the vertices nearest to it. Against soft bodies, whose triangles are taken for round, they
/// need not be nearer where the surface is `curved`.
pub(super) fn carried_points(surface: &CarriedSurface, mesh: &TetMesh, curved: bool) -> Vec<SurfacePoint> {
    let (shown, embedding) = (&surface.mesh, &surface.embedding);
    let areas = shown.vertex_areas();
    let normals = shown.vertex_normals();
    let edge = mean_edge(mesh);
    let spacing = if curved { spacing(shown, &normals, edge) } else { vec![FINENESS * edge; normals.len()] };
    let mut chosen = spread(shown, &normals, &areas, &spacing, FINENESS * edge);
    chosen.sort_unstable();
    let owner = nearest_seeds(shown, &chosen);
    let mut shares = vec![0.0; chosen.len()];
    for (area, &to) in areas.iter().zip(&owner) {
        if let Some(share) = shares.get_mut(to as usize) {
            *share += area;
        }
    }
    let point = |(&vertex, area): (&u32, f64)| {
        let tet = embedding.tets[vertex as usize];
        let nodes = mesh.tets[tet as usize];
        SurfacePoint {
            nodes,
            weights: embedding.weights[vertex as usize],
            tet,
            area,
            vertex,
            patch: 0,
            across: SurfacePoint::normal_at_rest(normals[vertex as usize], nodes, &mesh.positions),
        }
    };
    chosen.iter().zip(shares).map(point).collect()
}

/// How far apart points may be around each vertex, metres, between elements of that `edge`.
fn spacing(mesh: &TriMesh, normals: &[Vec3], edge: f64) -> Vec<f64> {
    let mut curvature = vec![0.0f64; mesh.positions.len()];
    for [a, b] in mesh.edges() {
        let (i, j) = (a as usize, b as usize);
        let along = normals[i].distance(normals[j]) / mesh.positions[i].distance(mesh.positions[j]).max(1e-9);
        curvature[i] = curvature[i].max(along);
        curvature[j] = curvature[j].max(along);
    }
    let apart = |c: &f64| if c * edge < 1.0 { (2.0 * BULGE / c).sqrt().min(FINENESS * edge) } else { FINENESS * edge };
    curvature.iter().map(apart).collect()
}

/// Mean length of the edges of the elements, metres.
fn mean_edge(mesh: &TetMesh) -> f64 {
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let of = |tet: &[u32; 4]| {
        let p = tet.map(|n| mesh.positions[n as usize]);
        EDGES.iter().map(|&[a, b]| p[a].distance(p[b])).sum::<f64>()
    };
    mesh.tets.iter().map(of).sum::<f64>() / (6 * mesh.tets.len().max(1)) as f64
}

/// One contact point per boundary node, with a third of the area of its boundary triangles.
pub(super) fn boundary_points(mesh: &TetMesh) -> Vec<SurfacePoint> {
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut faces: Vec<([u32; 3], u32)> = Vec::new();
    for (t, tet) in mesh.tets.iter().enumerate() {
        for f in FACES {
            let mut key = f.map(|k| tet[k]);
            key.sort_unstable();
            faces.push((key, t as u32));
        }
    }
    faces.sort_unstable();
    let mut area = vec![0.0; mesh.positions.len()];
    let mut normal = vec![Vec3::ZERO; mesh.positions.len()];
    let mut carrier = vec![None; mesh.positions.len()];
    let mut i = 0;
    while i < faces.len() {
        if i + 1 < faces.len() && faces[i].0 == faces[i + 1].0 {
            i += 2;
            continue;
        }
        let (nodes, tet) = faces[i];
        let p = nodes.map(|n| mesh.positions[n as usize]);
        let across = (p[1] - p[0]).cross(p[2] - p[0]);
        let share = across.length() / 6.0;
        // outwards is away from the node of the element that is not on the face
        let inner = mesh.tets[tet as usize].into_iter().find(|n| !nodes.contains(n)).unwrap_or(nodes[0]);
        let outward = if across.dot(p[0] - mesh.positions[inner as usize]) > 0.0 { across } else { -across };
        for n in nodes {
            area[n as usize] += share;
            normal[n as usize] += outward;
            carrier[n as usize] = Some(tet);
        }
        i += 1;
    }
    carrier
        .iter()
        .enumerate()
        .filter_map(|(node, tet)| {
            let tet = (*tet)?;
            let nodes = mesh.tets[tet as usize];
            Some(SurfacePoint {
                nodes,
                weights: nodes.map(|n| f64::from(u8::from(n as usize == node))),
                tet,
                area: area[node],
                vertex: node as u32,
                patch: 0,
                across: SurfacePoint::normal_at_rest(normal[node].normalize_or_zero(), nodes, &mesh.positions),
            })
        })
        .collect()
}
