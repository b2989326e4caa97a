//! From the triangles of a modelling program to one closed, oriented, manifold surface.

use super::import_error::ImportProblem;
use std::collections::HashMap;
use thenar::geometry::TriMesh;
use thenar::math::Vec3;

/// A closed surface and where its vertices come from.
#[derive(Clone, Debug)]
pub(crate) struct ClosedSurface {
    pub mesh: TriMesh,
    /// A vertex of the original mesh for each vertex; for the middle of a cap, one on its rim.
    pub source: Vec<u32>,
    /// What was changed, in words.
    pub notes: Vec<String>,
}

/// Holes with at most this many edges are closed wherever they are.
const SMALL_HOLE: usize = 8;

/// Welds, drops what is degenerate or loose, orients outwards, and closes holes that are small or for which
/// `may_close(centre)` holds (the wrist).
pub(crate) fn close(mesh: &TriMesh, may_close: impl Fn(Vec3) -> bool) -> Result<ClosedSurface, ImportProblem> {
    let mut notes = Vec::new();
    let (mut surface, welded) = weld(mesh);
    if welded > 0 {
        notes.push(format!("{welded} duplicate vertices merged"));
    }
    keep_largest_piece(&mut surface, &mut notes);
    if surface.mesh.triangles.is_empty() {
        return Err(ImportProblem::NoTriangles);
    }
    check_edges(&surface.mesh)?;
    orient(&mut surface.mesh)?;
    split_pinched_vertices(&mut surface);
    close_holes(&mut surface, may_close, &mut notes)?;
    drop_unused(&mut surface);
    if volume(&surface.mesh) < 0.0 {
        for t in &mut surface.mesh.triangles {
            t.swap(1, 2);
        }
        notes.push("triangles faced inwards and were turned".into());
    }
    surface.notes = notes;
    Ok(surface)
}

/// Enclosed volume, m³; negative if triangles face inwards.
pub(crate) fn volume(mesh: &TriMesh) -> f64 {
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

/// Merges vertices closer than a millionth of the extent (seams of textures and normals) and drops empty triangles.
fn weld(mesh: &TriMesh) -> (ClosedSurface, usize) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for p in &mesh.positions {
        low = low.min(*p);
        high = high.max(*p);
    }
    let cell = ((high - low).length() * 1e-6).max(1e-9);
    let mut cells: HashMap<[i64; 3], u32> = HashMap::new();
    let mut out = ClosedSurface { mesh: TriMesh::default(), source: Vec::new(), notes: Vec::new() };
    let mut renamed = Vec::with_capacity(mesh.positions.len());
    for (vertex, &p) in mesh.positions.iter().enumerate() {
        let key = ((p - low) / cell).round().to_array().map(|v| v as i64);
        // A twin may have been rounded into a neighbouring cell.
        let twin = (0..27).find_map(|k| {
            let near = [key[0] + k % 3 - 1, key[1] + k / 3 % 3 - 1, key[2] + k / 9 - 1];
            cells.get(&near).copied().filter(|&v| out.mesh.positions[v as usize].distance(p) <= cell)
        });
        renamed.push(twin.unwrap_or_else(|| {
            let fresh = out.mesh.positions.len() as u32;
            out.mesh.positions.push(p);
            out.source.push(vertex as u32);
            cells.insert(key, fresh);
            fresh
        }));
    }
    let mut seen: HashMap<[u32; 3], ()> = HashMap::new();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| renamed[v as usize]);
        let mut key = [a, b, c];
        key.sort_unstable();
        if a != b && b != c && c != a && seen.insert(key, ()).is_none() {
            out.mesh.triangles.push([a, b, c]);
        }
    }
    let welded = mesh.positions.len() - out.mesh.positions.len();
    (out, welded)
}

/// Keeps the connected piece with the largest area: rings, separate nails and inner shells go.
fn keep_largest_piece(surface: &mut ClosedSurface, notes: &mut Vec<String>) {
    let count = surface.mesh.positions.len();
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for t in &surface.mesh.triangles {
        for k in 1..3 {
            let (a, b) = (root(&mut parent, t[0]), root(&mut parent, t[k]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut areas = vec![0.0; count];
    for t in &surface.mesh.triangles {
        let [a, b, c] = t.map(|v| surface.mesh.positions[v as usize]);
        areas[root(&mut parent, t[0]) as usize] += 0.5 * (b - a).cross(c - a).length();
    }
    let Some(largest) = (0..count).max_by(|&a, &b| areas[a].total_cmp(&areas[b]).then(b.cmp(&a))) else { return };
    let before = surface.mesh.triangles.len();
    surface.mesh.triangles.retain(|t| root(&mut parent, t[0]) as usize == largest);
    let dropped = before - surface.mesh.triangles.len();
    if dropped > 0 {
        notes.push(format!("{dropped} triangles of separate pieces dropped"));
    }
}

/// Triangles on each undirected edge.
fn edges(mesh: &TriMesh) -> HashMap<(u32, u32), Vec<u32>> {
    let mut edges: HashMap<(u32, u32), Vec<u32>> = HashMap::with_capacity(mesh.triangles.len() * 3 / 2);
    for (i, t) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            edges.entry((a.min(b), a.max(b))).or_default().push(i as u32);
        }
    }
    edges
}

fn not_manifold(mesh: &TriMesh, (a, b): (u32, u32), reason: &'static str) -> ImportProblem {
    let p = mesh.positions[a as usize];
    ImportProblem::NotManifold { a: a as usize, b: b as usize, x: p.x, y: p.y, z: p.z, reason }
}

fn check_edges(mesh: &TriMesh) -> Result<(), ImportProblem> {
    let crowded = edges(mesh).into_iter().filter(|(_, t)| t.len() > 2).map(|(edge, _)| edge).min();
    crowded.map_or(Ok(()), |edge| Err(not_manifold(mesh, edge, "more than two triangles meet there")))
}

/// Turns triangles so that neighbours agree.
fn orient(mesh: &mut TriMesh) -> Result<(), ImportProblem> {
    let edges = edges(mesh);
    let mut done = vec![false; mesh.triangles.len()];
    let mut queue = vec![0_usize];
    done[0] = true;
    while let Some(i) = queue.pop() {
        let t = mesh.triangles[i];
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            for &other in &edges[&(a.min(b), a.max(b))] {
                let other = other as usize;
                if other == i {
                    continue;
                }
                let o = mesh.triangles[other];
                let same_way = (0..3).any(|m| o[m] == a && o[(m + 1) % 3] == b);
                if done[other] {
                    if same_way {
                        return Err(not_manifold(mesh, (a, b), "the surface has only one side (a Möbius strip)"));
                    }
                    continue;
                }
                if same_way {
                    mesh.triangles[other].swap(1, 2);
                }
                done[other] = true;
                queue.push(other);
            }
        }
    }
    // Pieces that touch in one vertex only are oriented on their own; the largest piece wins.
    let mut all = done.iter();
    mesh.triangles.retain(|_| *all.next().unwrap_or(&true));
    Ok(())
}

/// Gives every fan of triangles around a vertex its own copy of the vertex.
fn split_pinched_vertices(surface: &mut ClosedSurface) {
    let count = surface.mesh.positions.len();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (i, t) in surface.mesh.triangles.iter().enumerate() {
        for &v in t {
            around[v as usize].push(i as u32);
        }
    }
    for vertex in 0..count {
        let mut left = around[vertex].clone();
        let mut first = true;
        while let Some(seed) = left.pop() {
            let mut fan = vec![seed];
            let mut at = 0;
            while at < fan.len() {
                let here = surface.mesh.triangles[fan[at] as usize];
                left.retain(|&other| {
                    let shared = surface.mesh.triangles[other as usize];
                    let joined = shared.iter().any(|&v| v as usize != vertex && here.contains(&v));
                    if joined {
                        fan.push(other);
                    }
                    !joined
                });
                at += 1;
            }
            if !first {
                let copy = surface.mesh.positions.len() as u32;
                surface.mesh.positions.push(surface.mesh.positions[vertex]);
                surface.source.push(surface.source[vertex]);
                for t in fan {
                    for v in &mut surface.mesh.triangles[t as usize] {
                        if *v as usize == vertex {
                            *v = copy;
                        }
                    }
                }
            }
            first = false;
        }
    }
}

/// Closes holes with a fan around the middle of their rim.
fn close_holes(
    surface: &mut ClosedSurface,
    may_close: impl Fn(Vec3) -> bool,
    notes: &mut Vec<String>,
) -> Result<(), ImportProblem> {
    // After splitting, every rim vertex has one rim edge in and one out.
    let mut next: HashMap<u32, u32> = HashMap::new();
    let mut starts = Vec::new();
    let edges = edges(&surface.mesh);
    for t in &surface.mesh.triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if edges[&(a.min(b), a.max(b))].len() == 1 {
                next.insert(b, a);
                starts.push(b);
            }
        }
    }
    for start in starts {
        let mut rim = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            rim.push(at);
            at = to;
        }
        if rim.len() < 3 {
            continue;
        }
        let position = |v: &u32| surface.mesh.positions[*v as usize];
        let centre = rim.iter().map(position).sum::<Vec3>() / rim.len() as f64;
        if rim.len() > SMALL_HOLE && !may_close(centre) {
            let p = position(&rim[0]);
            let vertex = surface.source[rim[0] as usize] as usize;
            return Err(ImportProblem::Open { edges: rim.len(), vertex, x: p.x, y: p.y, z: p.z });
        }
        let middle = surface.mesh.positions.len() as u32;
        surface.mesh.positions.push(centre);
        surface.source.push(surface.source[rim[0] as usize]);
        for (i, &v) in rim.iter().enumerate() {
            surface.mesh.triangles.push([v, rim[(i + 1) % rim.len()], middle]);
        }
        notes.push(format!("a hole of {} edges closed", rim.len()));
    }
    Ok(())
}

fn drop_unused(surface: &mut ClosedSurface) {
    let mut renamed = vec![u32::MAX; surface.mesh.positions.len()];
    let (mut positions, mut source) = (Vec::new(), Vec::new());
    for t in &mut surface.mesh.triangles {
        for v in t {
            let old = *v as usize;
            if renamed[old] == u32::MAX {
                renamed[old] = positions.len() as u32;
                positions.push(surface.mesh.positions[old]);
                source.push(surface.source[old]);
            }
            *v = renamed[old];
        }
    }
    surface.mesh.positions = positions;
    surface.source = source;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of 12 triangles with 4 separate vertices per face, as modelling programs export it.
    fn seamed_cube() -> TriMesh {
        let mut mesh = TriMesh::default();
        for axis in 0..3 {
            for side in [0.0, 1.0] {
                let first = mesh.positions.len() as u32;
                for (u, v) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                    let mut p = Vec3::ZERO;
                    p[axis] = side;
                    p[(axis + 1) % 3] = u;
                    p[(axis + 2) % 3] = v;
                    mesh.positions.push(p);
                }
                let quad = if side == 1.0 { [0, 1, 2, 3] } else { [0, 3, 2, 1] }.map(|k| first + k);
                mesh.triangles.push([quad[0], quad[1], quad[2]]);
                mesh.triangles.push([quad[0], quad[2], quad[3]]);
            }
        }
        mesh
    }

    fn is_closed(mesh: &TriMesh) -> bool {
        edges(mesh).values().all(|t| t.len() == 2)
    }

    #[test]
    fn seams_are_welded_and_the_cube_is_closed() {
        let closed = close(&seamed_cube(), |_| false).unwrap();
        assert_eq!(closed.mesh.positions.len(), 8);
        assert!(is_closed(&closed.mesh));
        assert!((volume(&closed.mesh) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn inward_and_mixed_triangles_are_turned_outwards() {
        let mut mesh = seamed_cube();
        for t in &mut mesh.triangles {
            t.swap(1, 2);
        }
        mesh.triangles[3].swap(0, 1);
        let closed = close(&mesh, |_| false).unwrap();
        assert!((volume(&closed.mesh) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_small_hole_is_closed_and_a_loose_piece_dropped() {
        let mut mesh = seamed_cube();
        mesh.triangles.truncate(10);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend([Vec3::splat(3.0), Vec3::new(3.0, 3.1, 3.0), Vec3::new(3.0, 3.0, 3.1)]);
        mesh.triangles.push([first, first + 1, first + 2]);
        let closed = close(&mesh, |_| false).unwrap();
        assert!(is_closed(&closed.mesh));
        assert!((volume(&closed.mesh) - 1.0).abs() < 1e-12);
        assert_eq!(closed.notes.len(), 3, "{:?}", closed.notes);
    }

    #[test]
    fn a_large_hole_is_closed_only_where_allowed() {
        let mut mesh = TriMesh::default();
        let n = 12;
        for i in 0..n {
            let angle = f64::from(i) / f64::from(n) * std::f64::consts::TAU;
            mesh.positions.push(Vec3::new(libm::cos(angle), libm::sin(angle), 0.0));
        }
        mesh.positions.push(Vec3::Z);
        for i in 0..n as u32 {
            mesh.triangles.push([i, (i + 1) % n as u32, n as u32]);
        }
        assert!(matches!(close(&mesh, |_| false), Err(ImportProblem::Open { edges: 12, .. })));
        assert!(is_closed(&close(&mesh, |centre| centre.length() < 0.1).unwrap().mesh));
    }

    #[test]
    fn three_triangles_on_an_edge_are_refused() {
        let mut mesh = seamed_cube();
        let first = mesh.positions.len() as u32;
        mesh.positions.extend([Vec3::ZERO, Vec3::X, Vec3::new(0.5, -1.0, -1.0)]);
        mesh.triangles.push([first, first + 1, first + 2]);
        assert!(matches!(close(&mesh, |_| false), Err(ImportProblem::NotManifold { .. })));
    }
}
