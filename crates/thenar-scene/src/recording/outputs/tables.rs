//! Outputs as arrays over time, which grow on disk.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use thenar::hand::BONE_COUNT;
use thenar::math::{Pose, Vec3};
use thenar::tactile::TactileParams;

use super::column::Column;
use super::tactile::TactileColumns;
use super::wrench::{partner_number, patch_wrenches};
use super::zip::{Compression, ZipFile};
use crate::run::Simulation;

/// A file of the outputs that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub error: std::io::Error,
}

struct HandColumns {
    bones: Column,
    tracked: Column,
    grip: Column,
    pull: Column,
    contacts: Column,
    forces: Column,
    patches: Column,
    tactile: Option<TactileColumns>,
}

/// Writes the outputs of a run; see the module's documentation for the arrays.
///
/// While the run goes on, each array is a file of plain `f64` in the folder `outputs.npz.parts`. [`finish`](Self::finish)
/// packs them into `outputs.npz`; should that not come to pass, they can be read as they are.
pub struct OutputTables {
    folder: PathBuf,
    compression: Compression,
    time: Column,
    step: Column,
    hands: Vec<HandColumns>,
    objects: Column,
    object_forces: Column,
}

fn pose(pose: &Pose) -> impl Iterator<Item = f64> {
    pose.position.to_array().into_iter().chain(pose.rotation.to_array())
}

fn vectors<const N: usize>(vectors: [Vec3; N]) -> impl Iterator<Item = f64> {
    vectors.into_iter().flat_map(|v| v.to_array())
}

impl HandColumns {
    fn create(parts: &Path, index: usize, tactile: Option<&TactileParams>) -> Result<HandColumns, OutputError> {
        let column = |what: &str, row: &[usize]| Column::create(parts, format!("hand{index}_{what}"), row);
        Ok(HandColumns {
            bones: column("bones", &[BONE_COUNT, 7])?,
            tracked: column("tracked", &[BONE_COUNT, 7])?,
            grip: column("grip", &[6])?,
            pull: column("tracking_force", &[3])?,
            contacts: column("contacts", &[13])?,
            forces: column("contact_forces", &[3])?,
            patches: column("patches", &[10])?,
            tactile: tactile.map(|params| TactileColumns::create(&column, params)).transpose()?,
        })
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Column> {
        let HandColumns { bones, tracked, grip, pull, contacts, forces, patches, tactile } = self;
        let touch = tactile.iter_mut().flat_map(TactileColumns::all);
        [bones, tracked, grip, pull, contacts, forces, patches].into_iter().chain(touch)
    }
}

impl OutputTables {
    /// Begins the arrays of a simulation in a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(folder: &Path, simulation: &Simulation, compression: Compression) -> Result<Self, OutputError> {
        let parts = parts(folder);
        fs::create_dir_all(&parts).map_err(|error| OutputError { path: parts.clone(), error })?;
        let column = |name: &str, row: &[usize]| Column::create(&parts, name.to_owned(), row);
        let objects = simulation.objects().len();
        let tactile = simulation.world().config().tactile.as_ref();
        let hands = (0..simulation.hands().len()).map(|index| HandColumns::create(&parts, index, tactile));
        Ok(OutputTables {
            time: column("time", &[])?,
            step: column("step", &[])?,
            objects: column("objects", &[objects, 13])?,
            object_forces: column("object_forces", &[objects, 6])?,
            hands: hands.collect::<Result<_, _>>()?,
            folder: folder.to_path_buf(),
            compression,
        })
    }

    /// Writes the state after a step.
    ///
    /// # Errors
    /// If a file cannot be written, as on a full disk.
    pub fn watch(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let world = simulation.world();
        let row = self.time.rows() as f64;
        for (columns, hand) in self.hands.iter_mut().zip(simulation.hands()) {
            let outputs = world.hand(hand.id);
            columns.bones.push(outputs.bones.iter().flat_map(pose))?;
            columns.tracked.push(outputs.tracked.iter().flat_map(pose))?;
            columns.grip.push(outputs.grip.into_iter().chain([outputs.palm_force]))?;
            columns.pull.push(vectors([outputs.tracking_force]))?;
            for c in &outputs.contacts {
                let ids = [row, f64::from(c.vertex), partner_number(c.partner) as f64, f64::from(c.patch.0)];
                let ends = [c.gap, c.pressure, f64::from(u8::from(c.slipping))];
                columns.contacts.push(ids.into_iter().chain(vectors([c.point, c.normal])).chain(ends))?;
                columns.forces.push(vectors([c.force]))?;
            }
            for w in patch_wrenches(outputs) {
                let ids = [row, f64::from(w.patch.0), partner_number(w.partner) as f64];
                columns.patches.push(ids.into_iter().chain(vectors([w.force, w.torque])).chain([w.pressure]))?;
            }
            if let Some(tactile) = &mut columns.tactile {
                tactile.push(&outputs.tactile)?;
            }
        }
        let outputs: Vec<_> = simulation.objects().iter().map(|id| world.object(*id)).collect();
        self.objects.push(outputs.iter().flat_map(|o| pose(&o.pose).chain(vectors([o.velocity, o.spin]))))?;
        self.object_forces.push(outputs.iter().flat_map(|o| vectors([o.force, o.torque])))?;
        self.step.push([world.report().step as f64])?;
        self.time.push([world.report().time])
    }

    /// Packs the arrays into `outputs.npz`, which `numpy.load` opens, and removes the parts.
    ///
    /// # Errors
    /// If a file cannot be written; the parts then stay, with all that could be written of them.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let path = self.folder.join("outputs.npz");
        if let Err(error) = self.pack(&path) {
            // Nobody should take half of it for all.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        let parts = parts(&self.folder);
        fs::remove_dir_all(&parts).map_err(|error| OutputError { path: parts, error })
    }

    fn pack(&mut self, path: &Path) -> Result<(), OutputError> {
        let failed = |error| OutputError { path: path.to_path_buf(), error };
        let mut zip = ZipFile::new(BufWriter::new(File::create(path).map_err(failed)?));
        let of_hands = self.hands.iter_mut().flat_map(HandColumns::all);
        let of_world = [&mut self.time, &mut self.step, &mut self.objects, &mut self.object_forces];
        for column in of_world.into_iter().chain(of_hands) {
            column.pack(&mut zip, self.compression)?;
        }
        zip.finish().map_err(failed)?;
        Ok(())
    }
}

/// Where the arrays grow.
fn parts(folder: &Path) -> PathBuf {
    folder.join("outputs.npz.parts")
}
