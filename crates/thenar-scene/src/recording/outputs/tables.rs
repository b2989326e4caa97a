//! Outputs as arrays over time.

use std::path::{Path, PathBuf};

use thenar::math::{Pose, Vec3};

use super::npz::{Array, npz};
use super::wrench::patch_wrenches;
use crate::run::Simulation;

/// Why outputs could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// Too much for the format.
    #[error("{0}")]
    TooLarge(String),
}

/// A growing array of rows of one shape.
#[derive(Default)]
struct Rows {
    values: Vec<f64>,
    count: usize,
}

impl Rows {
    fn push(&mut self, row: impl IntoIterator<Item = f64>) {
        self.values.extend(row);
        self.count += 1;
    }

    fn array(&self, name: String, row: &[usize]) -> Array<'_> {
        let shape = std::iter::once(self.count).chain(row.iter().copied()).collect();
        Array { name, shape, values: &self.values }
    }
}

#[derive(Default)]
struct HandRows {
    bones: Rows,
    tracked: Rows,
    grip: Rows,
    pull: Rows,
    contacts: Rows,
    forces: Rows,
    patches: Rows,
}

/// Collects the outputs of a run; see the module's documentation for the arrays.
#[derive(Default)]
pub struct OutputTables {
    time: Rows,
    step: Rows,
    hands: Vec<HandRows>,
    objects: Rows,
    object_forces: Rows,
    object_count: usize,
}

fn pose(pose: &Pose) -> impl Iterator<Item = f64> {
    pose.position.to_array().into_iter().chain(pose.rotation.to_array())
}

fn vectors<const N: usize>(vectors: [Vec3; N]) -> impl Iterator<Item = f64> {
    vectors.into_iter().flat_map(|v| v.to_array())
}

impl OutputTables {
    /// Reads the state after a step.
    pub fn watch(&mut self, simulation: &Simulation) {
        let world = simulation.world();
        let row = self.time.count as f64;
        self.time.push([world.report().time]);
        self.step.push([world.report().step as f64]);
        self.hands.resize_with(simulation.hands().len(), HandRows::default);
        for (rows, hand) in self.hands.iter_mut().zip(simulation.hands()) {
            let outputs = world.hand(hand.id);
            rows.bones.push(outputs.bones.iter().flat_map(pose));
            rows.tracked.push(outputs.tracked.iter().flat_map(pose));
            rows.grip.push(outputs.grip.into_iter().chain([outputs.palm_force]));
            rows.pull.push(vectors([outputs.tracking_force]));
            for c in &outputs.contacts {
                let ids = [row, f64::from(c.vertex), f64::from(c.object.0), f64::from(c.patch.0)];
                let ends = [c.gap, c.pressure, f64::from(u8::from(c.slipping))];
                rows.contacts.push(ids.into_iter().chain(vectors([c.point, c.normal])).chain(ends));
                rows.forces.push(vectors([c.force]));
            }
            for w in patch_wrenches(outputs) {
                let ids = [row, f64::from(w.patch.0), f64::from(w.object.0)];
                rows.patches.push(ids.into_iter().chain(vectors([w.force, w.torque])).chain([w.pressure]));
            }
        }
        self.object_count = simulation.objects().len();
        let outputs: Vec<_> = simulation.objects().iter().map(|id| world.object(*id)).collect();
        self.objects.push(outputs.iter().flat_map(|o| pose(&o.pose).chain(vectors([o.velocity, o.spin]))));
        self.object_forces.push(outputs.iter().flat_map(|o| vectors([o.force, o.torque])));
    }

    /// The bytes of an NPZ file, which `numpy.load` opens.
    ///
    /// # Errors
    /// If there is too much for the format.
    pub fn npz(&self) -> Result<Vec<u8>, OutputError> {
        let mut arrays = vec![
            self.time.array("time".to_owned(), &[]),
            self.step.array("step".to_owned(), &[]),
            self.objects.array("objects".to_owned(), &[self.object_count, 13]),
            self.object_forces.array("object_forces".to_owned(), &[self.object_count, 6]),
        ];
        for (index, rows) in self.hands.iter().enumerate() {
            let name = |what: &str| format!("hand{index}_{what}");
            arrays.push(rows.bones.array(name("bones"), &[thenar::hand::BONE_COUNT, 7]));
            arrays.push(rows.tracked.array(name("tracked"), &[thenar::hand::BONE_COUNT, 7]));
            arrays.push(rows.grip.array(name("grip"), &[6]));
            arrays.push(rows.pull.array(name("tracking_force"), &[3]));
            arrays.push(rows.contacts.array(name("contacts"), &[13]));
            arrays.push(rows.forces.array(name("contact_forces"), &[3]));
            arrays.push(rows.patches.array(name("patches"), &[10]));
        }
        npz(&arrays).map_err(OutputError::TooLarge)
    }

    /// Writes `outputs.npz` into a folder.
    ///
    /// # Errors
    /// If there is too much for the format, or the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        let path = folder.join("outputs.npz");
        std::fs::write(&path, self.npz()?).map_err(|error| OutputError::Io { path, error })
    }
}
