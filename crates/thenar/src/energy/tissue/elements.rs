//! Rotations, strains and forces of all elements, eight at a time.

use super::relaxation::{BRANCHES, STRAINS, Strains};
use super::{Element, TissueError, TissueWork};
use crate::geometry::TetMesh;
use crate::math::{
    Array, Double, Executor, Kernels, MatrixLanes, Quad, Shared, Vec3, Vector, mul_vector, quaternion_matrix,
    refine_rotation, transpose_mul,
};

/// Elements worked on together.
pub(super) const LANES: usize = 8;

/// Rest data of eight elements. Missing ones repeat the first with zero volume.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct Group {
    /// Gradients of the shape functions of corners 1, 2, 3 by axis, 1/m.
    pub gradients: [[[f64; LANES]; 3]; 3],
    /// Rest volume times fill, m³.
    pub volume: [f64; LANES],
    pub lambda: [f64; LANES],
    pub mu: [f64; LANES],
    /// `1 / W_max`, or 0 without a limit.
    pub inverse_limit: [f64; LANES],
    /// `k`, or 0 without a limit.
    pub limit_stiffness: [f64; LANES],
    pub nodes: [[u32; LANES]; 4],
}

/// Rest gradients of corners 1, 2, 3 and the volume.
pub(super) fn rest_shape(mesh: &TetMesh, tet: usize) -> Result<([Vec3; 3], f64), TissueError> {
    let nodes = mesh.positions.len();
    let mut x = [Vec3::ZERO; 4];
    for (x, &node) in x.iter_mut().zip(&mesh.tets[tet]) {
        *x = *mesh.positions.get(node as usize).ok_or(TissueError::Node { tet, node, nodes })?;
    }
    let edges = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let volume = edges[0].dot(edges[1].cross(edges[2])) / 6.0;
    let size = edges.iter().map(|e| e.length()).fold(0.0, f64::max);
    // Flat to rounding counts as flat.
    if !(volume > 1e-12 * size.powi(3) && volume.is_finite()) {
        return Err(TissueError::Volume { tet, volume });
    }
    let scale = 1.0 / (6.0 * volume);
    let gradients =
        [edges[1].cross(edges[2]) * scale, edges[2].cross(edges[0]) * scale, edges[0].cross(edges[1]) * scale];
    Ok((gradients, volume))
}

pub(super) fn groups(mesh: &TetMesh, elements: &[Element]) -> Result<Vec<Group>, TissueError> {
    let mut groups = Vec::with_capacity(elements.len().div_ceil(LANES));
    for first in (0..elements.len()).step_by(LANES) {
        let mut group = Group {
            gradients: [[[0.0; LANES]; 3]; 3],
            volume: [0.0; LANES],
            lambda: [0.0; LANES],
            mu: [0.0; LANES],
            inverse_limit: [0.0; LANES],
            limit_stiffness: [0.0; LANES],
            nodes: [[0; LANES]; 4],
        };
        for lane in 0..LANES {
            let exists = first + lane < elements.len();
            let t = if exists { first + lane } else { first };
            let (gradients, volume) = rest_shape(mesh, t)?;
            for corner in 0..3 {
                for axis in 0..3 {
                    group.gradients[corner][axis][lane] = gradients[corner][axis];
                }
            }
            for corner in 0..4 {
                group.nodes[corner][lane] = mesh.tets[t][corner];
            }
            let element = &elements[t];
            group.volume[lane] = if exists { volume * element.fill } else { 0.0 };
            group.lambda[lane] = element.material.lambda();
            group.mu[lane] = element.material.mu();
            if let Some(limit) = element.limit {
                group.inverse_limit[lane] = 1.0 / limit.density;
                group.limit_stiffness[lane] = limit.stiffness;
            }
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Groups evaluated by one piece of work where the work is cut: a thousand elements, some 30 µs.
const CHUNK: usize = 128;
/// Fewer groups (four thousand elements) stay in one piece: what another core has written comes back slowly.
const WORTH_SHARING: usize = 512;

/// Number of groups in a piece of work.
fn chunk_len(groups: usize) -> usize {
    if groups < WORTH_SHARING { groups.max(1) } else { CHUNK }
}

/// Number of chunks into which so many groups are cut.
pub(super) fn chunk_count(groups: usize) -> usize {
    groups.div_ceil(chunk_len(groups))
}

/// What is written for a chunk of elements, group by group.
struct Results<'a> {
    rotations: &'a mut [[[f64; LANES]; 4]],
    gradients: &'a mut [[[f64; 4]; 4 * LANES]],
    forces: &'a mut [[[f64; 4]; 4 * LANES]],
    determinants: &'a mut [[f64; LANES]],
    densities: &'a mut [[f64; LANES]],
    stiffening: &'a mut [[f64; LANES]],
    /// Of tissue that relaxes.
    relaxing: Option<RelaxingGroups<'a>>,
}

/// How the branches of all elements relax.
#[derive(Clone, Copy)]
pub(super) struct Branches {
    /// The part of what is left by which each has given way since the last evaluation.
    pub given: [f64; BRANCHES],
    /// What each adds to the stiffness in the coming step.
    pub added: [f64; BRANCHES],
}

struct RelaxingGroups<'a> {
    branches: Branches,
    memory: &'a mut [[Strains; BRANCHES]],
    forces: &'a mut [[[f64; 4]; 4 * LANES]],
}

/// Evaluates all elements into `work`, chunks of them perhaps at the same time; returns their energy, J.
pub(super) fn evaluate(
    executor: &dyn Executor,
    kernels: Kernels,
    groups: &[Group],
    positions: &[Vec3],
    rotations: &mut [[[f64; LANES]; 4]],
    iterations: u32,
    relaxing: Option<(Branches, &mut [[Strains; BRANCHES]])>,
    work: &mut TissueWork,
) -> f64 {
    let rotations = Shared::new(rotations);
    let gradients = Shared::new(work.gradients.as_chunks_mut().0);
    let forces = Shared::new(work.forces.as_chunks_mut().0);
    let determinants = Shared::new(work.determinants.as_chunks_mut().0);
    let densities = Shared::new(work.densities.as_chunks_mut().0);
    let stiffening = Shared::new(work.stiffening.as_chunks_mut().0);
    let energies = Shared::new(&mut work.energies);
    let relaxing = relaxing.map(|(branches, memory)| (branches, Shared::new(memory)));
    let relaxing_forces = Shared::new(work.relaxing_forces.as_chunks_mut().0);
    let len = chunk_len(groups.len());
    executor.run(chunk_count(groups.len()), &|chunk| {
        let range = len * chunk..groups.len().min(len * (chunk + 1));
        // SAFETY: chunks do not overlap, and each is one piece of work.
        unsafe {
            let results = Results {
                rotations: rotations.items(range.clone()),
                gradients: gradients.items(range.clone()),
                forces: forces.items(range.clone()),
                determinants: determinants.items(range.clone()),
                densities: densities.items(range.clone()),
                stiffening: stiffening.items(range.clone()),
                relaxing: relaxing.as_ref().map(|(branches, memory)| RelaxingGroups {
                    branches: *branches,
                    memory: memory.items(range.clone()),
                    forces: relaxing_forces.items(range.clone()),
                }),
            };
            *energies.item(chunk) = evaluate_chunk(kernels, &groups[range], positions, iterations, results);
        }
    });
    work.energies.iter().sum()
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
fn evaluate_chunk(
    kernels: Kernels,
    groups: &[Group],
    positions: &[Vec3],
    iterations: u32,
    results: Results<'_>,
) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(groups: &[Group], positions: &[Vec3], iterations: u32, results: Results<'_>) -> f64 {
            evaluate_groups::<crate::math::avx2::F64x4>(groups, positions, iterations, results)
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(groups, positions, iterations, results) };
    }
    evaluate_groups::<Array<f64, 4>>(groups, positions, iterations, results)
}

#[inline(always)]
fn evaluate_groups<Q: Quad>(groups: &[Group], positions: &[Vec3], iterations: u32, results: Results<'_>) -> f64 {
    let mut energy = Double::<Q>::splat(0.0);
    let Results { rotations, gradients, forces, determinants, densities, stiffening, mut relaxing } = results;
    for (i, group) in groups.iter().enumerate() {
        let rest = load_matrix::<Q>(&group.gradients);
        let f = deformation_gradient::<Q>(group, &rest, positions);
        let q = &mut rotations[i];
        let start = [load::<Q>(&q[0]), load::<Q>(&q[1]), load::<Q>(&q[2]), load::<Q>(&q[3])];
        let quaternion = refine_rotation(&f, start, iterations);
        for k in 0..4 {
            put(quaternion[k], &mut q[k]);
        }
        let r = quaternion_matrix(quaternion);
        let volume = load::<Q>(&group.volume);
        let (lambda, mu) = (load::<Q>(&group.lambda), load::<Q>(&group.mu));

        let stretch = transpose_mul(&r, &f);
        let strain = strain_of(&stretch);
        let stress = Stress::new(&strain, lambda, mu);
        let one = Double::<Q>::splat(1.0);
        let ratio = load::<Q>(&group.inverse_limit);
        let excess = (stress.density.times_plus(ratio, -one)).max(Double::<Q>::splat(0.0));
        let k = load::<Q>(&group.limit_stiffness);
        // [CLAP eqs. 8, 9]
        let s = (k * ratio).times_plus(excess, one);
        let added = Double::<Q>::splat(0.5) * k * (excess * excess);
        energy = volume.times_plus(stress.density + added, energy);
        put(determinant(&f), &mut determinants[i]);
        put(stress.density, &mut densities[i]);
        put(s, &mut stiffening[i]);

        let mut stiffness = s;
        if let Some(RelaxingGroups { branches, memory, forces }) = &mut relaxing {
            let mut left = [Double::<Q>::splat(0.0); STRAINS];
            for (branch, kept) in memory[i].iter_mut().enumerate() {
                let added = Double::<Q>::splat(branches.added[branch]);
                let strain = give_way(&strain, branches.given[branch], kept);
                energy = (added * volume).times_plus(Stress::new(&strain, lambda, mu).density, energy);
                for k in 0..STRAINS {
                    left[k] = added.times_plus(strain[k], left[k]);
                }
                stiffness = stiffness + added;
            }
            let stress = Stress::new(&left, lambda, mu);
            put_forces(&stress, stress.turning(&stretch), &r, &rest, -volume, &mut forces[i]);
        }
        let weight = (stiffness * mu * volume).sqrt();
        let pull = -(s * volume);
        let mut first_gradient = [Double::<Q>::splat(0.0); 3];
        let mut first_force = [Double::<Q>::splat(0.0); 3];
        for corner in 0..3 {
            let rotated = mul_vector(&r, rest[corner]);
            // The stress in world axes times the rotated gradient: R σ ∇N.
            let traction = mul_vector(&r, stress.times(rest[corner]));
            let mut gradient = rotated;
            let mut force = traction;
            for axis in 0..3 {
                gradient[axis] = weight * rotated[axis];
                force[axis] = pull * traction[axis];
                first_gradient[axis] = first_gradient[axis] - gradient[axis];
                first_force[axis] = first_force[axis] - force[axis];
            }
            put_corner(gradient, corner + 1, &mut gradients[i]);
            put_corner(force, corner + 1, &mut forces[i]);
        }
        put_corner(first_gradient, 0, &mut gradients[i]);
        put_corner(first_force, 0, &mut forces[i]);
    }
    energy.sum()
}

/// Product of the sums of pairs of stretches, 8 at rest, below which an element has no frame to speak of: it is flat along two axes, or inside out.
const FLATTEST: f64 = 0.1;

/// Lets a dashpot give way by a part of what its spring is strained by; returns what is left.
#[inline(always)]
fn give_way<Q: Quad>(strain: &[Double<Q>; STRAINS], part: f64, given: &mut Strains) -> [Double<Q>; STRAINS] {
    let part = Double::<Q>::splat(part);
    // no closures: they would not be compiled for the machine's own instructions
    let mut left = *strain;
    for k in 0..STRAINS {
        let before = load::<Q>(&given[k]);
        let now = part.times_plus(strain[k] - before, before);
        put(now, &mut given[k]);
        left[k] = strain[k] - now;
    }
    left
}

/// Forces of a stress on the corners, `scale R (σ ∇N_a + a × ∇N_a)` with what [`Stress::turning`] gives for `a`.
#[inline(always)]
fn put_forces<Q: Quad>(
    stress: &Stress<Double<Q>>,
    turning: [Double<Q>; 3],
    r: &MatrixLanes<Double<Q>>,
    rest: &MatrixLanes<Double<Q>>,
    scale: Double<Q>,
    to: &mut [[f64; 4]; 4 * LANES],
) {
    let mut first = [Double::<Q>::splat(0.0); 3];
    for corner in 0..3 {
        let (n, a) = (rest[corner], turning);
        let mut traction = stress.times(n);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            traction[k] = traction[k] + (a[i] * n[j]).minus_product(a[j], n[i]);
        }
        let mut force = mul_vector(r, traction);
        for axis in 0..3 {
            force[axis] = scale * force[axis];
            first[axis] = first[axis] - force[axis];
        }
        put_corner(force, corner + 1, to);
    }
    put_corner(first, 0, to);
}

/// Stress in the unrotated frame, and the energy density.
struct Stress<V> {
    diagonal: [V; 3],
    xy: V,
    xz: V,
    yz: V,
    density: V,
}

/// Of a stretch `Rᵀ F`, which need not be quite symmetric: three along the axes, and twice the shears.
#[inline(always)]
fn strain_of<V: Vector<Scalar = f64>>(stretch: &MatrixLanes<V>) -> [V; STRAINS] {
    let one = V::splat(1.0);
    [
        stretch[0][0] - one,
        stretch[1][1] - one,
        stretch[2][2] - one,
        stretch[0][1] + stretch[1][0],
        stretch[0][2] + stretch[2][0],
        stretch[1][2] + stretch[2][1],
    ]
}

impl<V: Vector<Scalar = f64>> Stress<V> {
    #[inline(always)]
    fn new(strain: &[V; STRAINS], lambda: V, mu: V) -> Self {
        let half = V::splat(0.5);
        let [.., xy, xz, yz] = *strain;
        let e = [strain[0], strain[1], strain[2]];
        let trace = e[0] + e[1] + e[2];
        let squares = e[0].times_plus(e[0], e[1].times_plus(e[1], e[2] * e[2]));
        let shears = xy.times_plus(xy, xz.times_plus(xz, yz * yz));
        let density = mu.times_plus(half.times_plus(shears, squares), half * lambda * (trace * trace));
        let (pressure, two_mu) = (lambda * trace, mu + mu);
        let diagonal =
            [two_mu.times_plus(e[0], pressure), two_mu.times_plus(e[1], pressure), two_mu.times_plus(e[2], pressure)];
        Stress { diagonal, xy: mu * xy, xz: mu * xz, yz: mu * yz, density }
    }

    /// What a stress that is not coaxial with the stretch `S` owes to the turn of the element's frame: with the axial vector `k` of the skew matrix
    /// `S σ − σ S`, the gradient of an energy `W(S)` with `σ = ∂W/∂S` is `R (σ + [a]ₓ)` where `(tr(S) I − S) a = k`. Without it the element's own stress would
    /// turn it. Elastic stress is coaxial and owes nothing.
    #[inline(always)]
    fn turning(&self, s: &MatrixLanes<V>) -> [V; 3] {
        let [d0, d1, d2] = self.diagonal;
        let (xy, xz, yz) = (self.xy, self.xz, self.yz);
        let stress = [[d0, xy, xz], [xy, d1, yz], [xz, yz, d2]];
        let mut k = [V::splat(0.0); 3];
        for (k, (i, j)) in k.iter_mut().zip([(2, 1), (0, 2), (1, 0)]) {
            for m in 0..3 {
                *k = s[i][m].times_plus(stress[m][j], *k).minus_product(stress[i][m], s[m][j]);
            }
        }
        let [p, q, r] = [s[1][1] + s[2][2], s[2][2] + s[0][0], s[0][0] + s[1][1]];
        let [x, y, z] = [-s[1][2], -s[0][2], -s[0][1]];
        // the inverse of [p z y; z q x; y x r] by its cofactors
        let [a, b, c] = [(q * r).minus_product(x, x), (p * r).minus_product(y, y), (p * q).minus_product(z, z)];
        let [d, e, f] = [(y * z).minus_product(p, x), (x * z).minus_product(q, y), (x * y).minus_product(r, z)];
        let determinant = p.times_plus(a, z.times_plus(f, y * e));
        let scale = V::splat(1.0) / determinant.max(V::splat(FLATTEST));
        [
            scale * a.times_plus(k[0], f.times_plus(k[1], e * k[2])),
            scale * f.times_plus(k[0], b.times_plus(k[1], d * k[2])),
            scale * e.times_plus(k[0], d.times_plus(k[1], c * k[2])),
        ]
    }

    #[inline(always)]
    fn times(&self, v: [V; 3]) -> [V; 3] {
        let [d0, d1, d2] = self.diagonal;
        [
            d0.times_plus(v[0], self.xy.times_plus(v[1], self.xz * v[2])),
            self.xy.times_plus(v[0], d1.times_plus(v[1], self.yz * v[2])),
            self.xz.times_plus(v[0], self.yz.times_plus(v[1], d2 * v[2])),
        ]
    }
}

#[inline(always)]
fn load<Q: Quad>(from: &[f64; LANES]) -> Double<Q> {
    // SAFETY: two vectors of four read eight numbers.
    unsafe { Double::load(from.as_ptr()) }
}

#[inline(always)]
fn put<Q: Quad>(vector: Double<Q>, to: &mut [f64; LANES]) {
    // SAFETY: two vectors of four write eight numbers.
    unsafe { vector.store(to.as_mut_ptr()) }
}

#[inline(always)]
fn load_matrix<Q: Quad>(from: &[[[f64; LANES]; 3]; 3]) -> MatrixLanes<Double<Q>> {
    let mut m = [[Double::splat(0.0); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            m[i][j] = load(&from[i][j]);
        }
    }
    m
}

/// Writes a vector of each lane to a corner of each element.
#[inline(always)]
fn put_corner<Q: Quad>([x, y, z]: [Double<Q>; 3], corner: usize, to: &mut [[f64; 4]; 4 * LANES]) {
    for half in 0..2 {
        let rows = Q::transpose([x.0[half], y.0[half], z.0[half], Q::splat(0.0)]);
        for lane in 0..4 {
            let row = &mut to[4 * (4 * half + lane) + corner];
            // SAFETY: a vector of four writes four numbers.
            unsafe { rows[lane].store(row.as_mut_ptr()) };
        }
    }
}

/// `F = Σ (x_a - x_0) ∇N_aᵀ`.
#[inline(always)]
fn deformation_gradient<Q: Quad>(
    group: &Group,
    rest: &MatrixLanes<Double<Q>>,
    positions: &[Vec3],
) -> MatrixLanes<Double<Q>> {
    let origin = node_positions::<Q>(positions, &group.nodes[0]);
    let mut f = [[Double::splat(0.0); 3]; 3];
    for corner in 0..3 {
        let x = node_positions::<Q>(positions, &group.nodes[corner + 1]);
        for i in 0..3 {
            let edge = x[i] - origin[i];
            for j in 0..3 {
                f[i][j] = edge.times_plus(rest[corner][j], f[i][j]);
            }
        }
    }
    f
}

#[inline(always)]
fn node_positions<Q: Quad>(positions: &[Vec3], nodes: &[u32; LANES]) -> [Double<Q>; 3] {
    let [a, b, c, d, e, f, g, h] = *nodes;
    let low = four_positions::<Q>(positions, [a, b, c, d]);
    let high = four_positions::<Q>(positions, [e, f, g, h]);
    [Double([low[0], high[0]]), Double([low[1], high[1]]), Double([low[2], high[2]])]
}

#[inline(always)]
fn four_positions<Q: Quad>(positions: &[Vec3], [a, b, c, d]: [u32; 4]) -> [Q; 3] {
    let (a, b) = (&positions[a as usize], &positions[b as usize]);
    let (c, d) = (&positions[c as usize], &positions[d as usize]);
    [Q::from_array([a.x, b.x, c.x, d.x]), Q::from_array([a.y, b.y, c.y, d.y]), Q::from_array([a.z, b.z, c.z, d.z])]
}

#[inline(always)]
fn determinant<V: Vector>(m: &MatrixLanes<V>) -> V {
    let x = (m[1][1] * m[2][2]).minus_product(m[1][2], m[2][1]);
    let y = (m[1][2] * m[2][0]).minus_product(m[1][0], m[2][2]);
    let z = (m[1][0] * m[2][1]).minus_product(m[1][1], m[2][0]);
    m[0][0].times_plus(x, m[0][1].times_plus(y, m[0][2] * z))
}

/// Adds the corner forces of each node, in the order of its corners.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Only x86-64 has a choice.
pub(super) fn gather(
    kernels: Kernels,
    corner_start: &[u32],
    corners: &[u32],
    corner_forces: &[[f64; 4]],
    forces: &mut [Vec3],
) {
    #[cfg(target_arch = "x86_64")]
    if kernels.has_avx2() {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(start: &[u32], corners: &[u32], corner_forces: &[[f64; 4]], forces: &mut [Vec3]) {
            gather_all::<crate::math::avx2::F64x4>(start, corners, corner_forces, forces);
        }
        // SAFETY: `has_avx2` is true only after detecting AVX2 and FMA.
        return unsafe { avx2(corner_start, corners, corner_forces, forces) };
    }
    gather_all::<Array<f64, 4>>(corner_start, corners, corner_forces, forces);
}

#[inline(always)]
fn gather_all<V: Quad>(start: &[u32], corners: &[u32], corner_forces: &[[f64; 4]], forces: &mut [Vec3]) {
    for (range, force) in start.windows(2).zip(forces) {
        let mut sum = V::splat(0.0);
        for &corner in &corners[range[0] as usize..range[1] as usize] {
            // SAFETY: a vector of four reads four numbers.
            sum = sum + unsafe { V::load(corner_forces[corner as usize].as_ptr()) };
        }
        let mut lanes = [0.0; 4];
        // SAFETY: a vector of four writes four numbers.
        unsafe { sum.store(lanes.as_mut_ptr()) };
        *force += Vec3::new(lanes[0], lanes[1], lanes[2]);
    }
}
