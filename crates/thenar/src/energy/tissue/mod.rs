//! Elastic energy of soft tissue: corotational linear tetrahedra [CLAP §3.3].
//!
//! With the deformation gradient `F`, its rotation `R` and the strain `e = sym(Rᵀ F) - I`, an element of volume `V` has the
//! density `W = μ e:e + λ/2 tr(e)²`, the nodal forces `-V R σ ∇N_a` with `σ = 2μ e + λ tr(e) I`, and the stiffness
//! `K_ab = V (λ c_a c_bᵀ + μ c_b c_aᵀ + μ (c_a·c_b) I)` with the rotated gradients `c_a = R ∇N_a`.

mod assembly;
mod elements;
mod material;
mod product;
#[cfg(test)]
mod reference;
mod relaxation;
#[cfg(test)]
mod tests;

pub use material::{Element, EnergyLimit, Material};
pub use relaxation::{BRANCHES, Relaxation, Relaxing, TissueMemory};

use crate::geometry::TetMesh;
use crate::math::{Executor, Kernels, Mat3, Quat, Serial, Vec3, polar_rotation};
use crate::sparse::{BlockMatrix, BlockPattern};
use assembly::EdgePlan;
use elements::{Branches, Group, LANES};
use thiserror::Error;

/// Why tissue was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TissueError {
    /// The number of element properties differs from the number of elements.
    #[error("{given} element properties were given for {expected} tetrahedra; give one for each")]
    Count {
        /// Properties given.
        given: usize,
        /// Elements of the mesh.
        expected: usize,
    },
    /// A tetrahedron names a node that does not exist.
    #[error("tetrahedron {tet} refers to node {node}, but there are {nodes} nodes")]
    Node {
        /// The element.
        tet: usize,
        /// The node it names.
        node: u32,
        /// Nodes of the mesh.
        nodes: usize,
    },
    /// A tetrahedron is flat, inverted or not finite at rest.
    #[error("tetrahedron {tet} has rest volume {volume} m³; it must be positive: reorder its nodes or remesh")]
    Volume {
        /// The element.
        tet: usize,
        /// Its signed volume, m³.
        volume: f64,
    },
    /// A property is outside its range.
    #[error("{field} of tetrahedron {tet} is {value}; it must be {range}")]
    Property {
        /// The element.
        tet: usize,
        /// Name of the property.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// A number of its relaxation is outside its range.
    #[error("relaxation: a branch's {field} is {value}; it must be {range}")]
    Relaxation {
        /// Which number.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// The matrix pattern lacks an edge of the mesh.
    #[error("the matrix pattern lacks the edge between nodes {a} and {b}; build it from the tetrahedra as cliques")]
    Pattern {
        /// One node.
        a: u32,
        /// The other.
        b: u32,
    },
}

/// The tissue of one body: what never changes while it is simulated. Node `i` of the mesh is block `i` of the matrix.
#[derive(Clone, Debug)]
pub struct TissueEnergy {
    kernels: Kernels,
    tets: Vec<[u32; 4]>,
    groups: Vec<Group>,
    /// Corners (`4 * tet + corner`) of each node, as ranges of `corners`.
    corner_start: Vec<u32>,
    corners: Vec<u32>,
    edges: EdgePlan,
    relaxation: Option<Relaxation>,
}

/// The rotation of every element: part of the state, since the kernel improves the last step's rotations.
#[derive(Clone, Debug, PartialEq)]
pub struct TissueRotations {
    /// Components x, y, z, w for groups of eight elements.
    groups: Vec<[[f64; LANES]; 4]>,
    count: usize,
}

/// What an evaluation leaves for the assembly and the outputs; scratch, not state.
#[derive(Clone, Debug)]
pub struct TissueWork {
    /// Rotated gradients `c_a` times `sqrt(s μ V)`, by corner; of tissue that relaxes `s` is with what its branches add.
    gradients: Vec<[f64; 4]>,
    /// Forces of elements on their nodes, by corner, N.
    forces: Vec<[f64; 4]>,
    /// The same of what has not relaxed yet; empty for tissue that does not relax.
    relaxing_forces: Vec<[f64; 4]>,
    determinants: Vec<f64>,
    densities: Vec<f64>,
    /// `s = 1 + (k/W_max) (W/W_max - 1)`, or 1 below the limit [CLAP eq. 9].
    stiffening: Vec<f64>,
    /// Energy of each chunk of elements, J.
    energies: Vec<f64>,
}

impl TissueEnergy {
    /// Prepares a mesh with one [`Element`] per tetrahedron, for matrices of `pattern`.
    ///
    /// # Errors
    /// Names the element and the property that is wrong, or the edge that the pattern lacks.
    pub fn new(
        mesh: &TetMesh,
        elements: &[Element],
        pattern: &BlockPattern,
        kernels: Kernels,
    ) -> Result<Self, TissueError> {
        if elements.len() != mesh.tets.len() {
            return Err(TissueError::Count { given: elements.len(), expected: mesh.tets.len() });
        }
        for (tet, element) in elements.iter().enumerate() {
            check(tet, element)?;
        }
        let groups = elements::groups(mesh, elements)?;
        let nodes = mesh.positions.len();
        let mut lists = vec![Vec::new(); nodes];
        for (t, tet) in mesh.tets.iter().enumerate() {
            for (a, &node) in tet.iter().enumerate() {
                lists[node as usize].push((4 * t + a) as u32);
            }
        }
        let mut corner_start = vec![0];
        for list in &lists {
            corner_start.push(corner_start[corner_start.len() - 1] + list.len() as u32);
        }
        let edges = EdgePlan::new(mesh, elements, pattern)?;
        Ok(TissueEnergy {
            kernels,
            tets: mesh.tets.clone(),
            groups,
            corner_start,
            corners: lists.concat(),
            edges,
            relaxation: None,
        })
    }

    /// The same tissue, whose stress relaxes.
    ///
    /// # Errors
    /// Names the number that is out of range.
    pub fn relaxing(self, relaxation: Option<Relaxation>) -> Result<Self, TissueError> {
        match relaxation.as_ref().and_then(Relaxation::fault) {
            Some((field, value, range)) => Err(TissueError::Relaxation { field, value, range }),
            None => Ok(TissueEnergy { relaxation, ..self }),
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.tets.len()
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.corner_start.len() - 1
    }

    /// The tissue's volume that belongs to each node (a quarter of each element around it), m³.
    #[must_use]
    pub fn node_volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.node_count()];
        for (t, tet) in self.tets.iter().enumerate() {
            for &node in tet {
                volumes[node as usize] += 0.25 * self.volume(t);
            }
        }
        volumes
    }

    /// Rest volume of an element times its fill, m³.
    #[must_use]
    pub fn volume(&self, tet: usize) -> f64 {
        self.groups[tet / LANES].volume[tet % LANES]
    }

    /// Scratch of the right size.
    #[must_use]
    pub fn work(&self) -> TissueWork {
        let padded = LANES * self.groups.len();
        TissueWork {
            gradients: vec![[0.0; 4]; 4 * padded],
            forces: vec![[0.0; 4]; 4 * padded],
            relaxing_forces: vec![[0.0; 4]; if self.relaxation.is_some() { 4 * padded } else { 0 }],
            determinants: vec![1.0; padded],
            densities: vec![0.0; padded],
            stiffening: vec![1.0; padded],
            energies: vec![0.0; elements::chunk_count(self.groups.len())],
        }
    }

    /// The deformation gradient of an element.
    #[must_use]
    pub fn deformation_gradient(&self, tet: usize, positions: &[Vec3]) -> Mat3 {
        let (group, lane) = (&self.groups[tet / LANES], tet % LANES);
        let [a, b, c, d] = self.tets[tet].map(|i| positions[i as usize]);
        let gradient = |corner: usize| Vec3::from_array(std::array::from_fn(|k| group.gradients[corner][k][lane]));
        let rest = Mat3::from_cols(gradient(0), gradient(1), gradient(2)).transpose();
        Mat3::from_cols(b - a, c - a, d - a) * rest
    }

    /// Improves the rotations for these positions by `iterations` (two follow any hand), adds the tissue's forces
    /// `-∂U/∂x` to `forces` (N), and leaves in `work` what [`assemble`](Self::assemble) needs. Returns the energy, J.
    ///
    /// # Panics
    /// If a slice is not of this tissue's size.
    pub fn evaluate(
        &self,
        positions: &[Vec3],
        rotations: &mut TissueRotations,
        iterations: u32,
        work: &mut TissueWork,
        forces: &mut [Vec3],
    ) -> f64 {
        self.evaluate_with(&Serial, positions, rotations, iterations, None, work, forces)
    }

    /// The same, chunks of elements perhaps at the same time. Results do not depend on the executor. Tissue that relaxes does so only if it is told what it
    /// remembers; the energy is then that of the step, whose gradient its forces are.
    ///
    /// # Panics
    /// If a slice is not of this tissue's size.
    pub fn evaluate_with(
        &self,
        executor: &dyn Executor,
        positions: &[Vec3],
        rotations: &mut TissueRotations,
        iterations: u32,
        relaxing: Option<Relaxing<'_>>,
        work: &mut TissueWork,
        forces: &mut [Vec3],
    ) -> f64 {
        assert!(positions.len() >= self.node_count() && forces.len() >= self.node_count(), "one vector per node");
        assert_eq!(rotations.groups.len(), self.groups.len(), "rotations must belong to this tissue");
        assert_eq!(work.forces.len(), 4 * LANES * self.groups.len(), "scratch must belong to this tissue");
        let relaxing = self.relaxation.zip(relaxing).map(|(relaxation, Relaxing { memory, dt })| {
            assert_eq!(memory.groups.len(), self.groups.len(), "what has relaxed must belong to this tissue");
            let given = relaxation.given(std::mem::take(&mut memory.passed));
            (Branches { given, added: relaxation.added(dt) }, memory.groups.as_mut_slice())
        });
        let relaxes = relaxing.is_some();
        let energy = elements::evaluate(
            executor,
            self.kernels,
            &self.groups,
            positions,
            &mut rotations.groups,
            iterations,
            relaxing,
            work,
        );
        elements::gather(self.kernels, &self.corner_start, &self.corners, &work.forces, forces);
        if relaxes {
            elements::gather(self.kernels, &self.corner_start, &self.corners, &work.relaxing_forces, forces);
        }
        energy
    }

    /// Sets `matrix` to `scale` times the stiffness of the tissue at the last evaluation, all other blocks to zero.
    ///
    /// For implicit Euler with Rayleigh damping `β K`, `scale = h² + h β`. Masses and other energies are added after.
    ///
    /// # Panics
    /// If the matrix is not of the pattern given to [`new`](Self::new).
    pub fn assemble(&self, work: &TissueWork, scale: f64, matrix: &mut BlockMatrix) {
        assembly::assemble(self.kernels, &self.edges, work, scale, matrix);
        for &t in &self.edges.limited {
            let stiffening = work.stiffening[t as usize];
            if stiffening > 1.0 {
                self.edges.add_limit(
                    t,
                    &self.tets[t as usize],
                    self.volume(t as usize),
                    stiffening,
                    work,
                    scale,
                    matrix,
                );
            }
        }
    }
}

impl TissueRotations {
    /// No rotation anywhere, for tissue at rest.
    #[must_use]
    pub fn identity(tissue: &TissueEnergy) -> Self {
        let one = [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]];
        TissueRotations { groups: vec![one; tissue.groups.len()], count: tissue.element_count() }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The rotation of an element from its rest shape.
    #[must_use]
    pub fn get(&self, tet: usize) -> Quat {
        let group = &self.groups[tet / LANES];
        Quat::from_array(std::array::from_fn(|k| group[k][tet % LANES]))
    }

    /// Sets the rotation of an element.
    pub fn set(&mut self, tet: usize, rotation: Quat) {
        for (k, value) in rotation.to_array().into_iter().enumerate() {
            self.groups[tet / LANES][k][tet % LANES] = value;
        }
    }

    /// All components, for hashing and for comparing states.
    pub fn components(&self) -> impl Iterator<Item = f64> + '_ {
        self.groups.iter().flatten().flatten().copied()
    }

    /// Finds all rotations anew, from however far: after a teleport or when a body is first placed.
    pub fn reset(&mut self, tissue: &TissueEnergy, positions: &[Vec3]) {
        for t in 0..self.count {
            let rotation = polar_rotation(&tissue.deformation_gradient(t, positions));
            self.set(t, Quat::from_mat3(&rotation).normalize());
        }
    }
}

impl TissueWork {
    /// `det F` of an element at the last evaluation: 1 at rest, negative if inverted.
    #[must_use]
    pub fn determinant(&self, tet: usize) -> f64 {
        self.determinants[tet]
    }

    /// Smallest `det F` of all elements at the last evaluation.
    #[must_use]
    pub fn least_determinant(&self) -> f64 {
        self.determinants.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Elastic energy density `W` of an element at the last evaluation (without the limit's share), J/m³.
    #[must_use]
    pub fn density(&self, tet: usize) -> f64 {
        self.densities[tet]
    }

    /// The factor by which the energy limit stiffens an element, 1 if it does not.
    #[must_use]
    pub fn stiffening(&self, tet: usize) -> f64 {
        self.stiffening[tet]
    }
}

fn check(tet: usize, element: &Element) -> Result<(), TissueError> {
    let refuse = |field, value, range| Err(TissueError::Property { tet, field, value, range });
    let Element { material, fill, limit } = element;
    if !(material.young > 0.0 && material.young.is_finite()) {
        return refuse("Young's modulus", material.young, "positive and finite, Pa");
    }
    if !(material.poisson > -1.0 && material.poisson < 0.5) {
        return refuse("Poisson's ratio", material.poisson, "above -1 and below 0.5");
    }
    if !(*fill > 0.0 && *fill <= 1.0) {
        return refuse("fill", *fill, "above 0 and at most 1");
    }
    if let Some(limit) = limit {
        if !(limit.density > 0.0 && limit.density.is_finite()) {
            return refuse("limit density", limit.density, "positive and finite, J/m³");
        }
        if !(limit.stiffness >= 0.0 && limit.stiffness.is_finite()) {
            return refuse("limit stiffness", limit.stiffness, "not negative and finite, J/m³");
        }
    }
    Ok(())
}
