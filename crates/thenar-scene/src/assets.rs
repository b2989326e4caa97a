//! Files that scenes refer to, and the solids made from them.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use thenar::geometry::distance::{DistanceGrid, GridBuilder, MeshError};
use thenar::geometry::{TetMesh, TriMesh};
use thenar::tactile::DeviceModel;

use crate::devices;
use crate::formats::{MeshFileError, TetFileError, read_mesh, read_tets};
use crate::library;
use crate::models::Model;
use crate::scene::{MeshSource, Scene, SceneError, ShapeSpec};
use crate::trackers::{TrackError, TrackRecording, read_recording};

/// Largest mesh file that is read, bytes.
const LARGEST_FILE: u64 = 512 << 20;

/// Why a file could not become a solid.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// The path leads out of the scene's folder.
    #[error("`{file}` must lie beside or below the scene file, or come with it")]
    Path {
        /// As written in the scene.
        file: String,
    },
    /// The file could not be read.
    #[error("`{file}`: {error}")]
    Io {
        /// As written in the scene.
        file: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file is too long.
    #[error("`{file}` has {bytes} bytes; at most {LARGEST_FILE} are read")]
    TooLarge {
        /// As written in the scene.
        file: String,
        /// Its size.
        bytes: u64,
    },
    /// The content is no mesh.
    #[error("`{file}`: {error}")]
    Read {
        /// As written in the scene.
        file: String,
        /// What is wrong with it.
        error: MeshFileError,
    },
    /// The content is no tetrahedra.
    #[error("`{file}`: {error}")]
    Tets {
        /// As written in the scene.
        file: String,
        /// What is wrong with it.
        error: TetFileError,
    },
    /// The content is no recording.
    #[error(transparent)]
    Recording(#[from] TrackError),
    /// A device that is not known, or a file that is none.
    #[error("{}{error}", if file.is_empty() { String::new() } else { format!("`{file}`: ") })]
    Device {
        /// As written in the scene; empty for one that comes with Thenar.
        file: String,
        /// What is wrong with it.
        error: SceneError,
    },
    /// The mesh is no solid.
    #[error("`{file}`: {error}")]
    Solid {
        /// As written in the scene.
        file: String,
        /// What is wrong with it.
        error: MeshError,
    },
}

/// Rows done and rows in total, called from any thread.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// The grid of a closed mesh, its rows spread over threads. The result does not depend on their number.
///
/// # Errors
/// If the mesh does not enclose a volume or the resolution is out of range.
pub fn build_grid(
    mesh: &TriMesh,
    resolution: usize,
    threads: usize,
    progress: Progress<'_>,
) -> Result<DistanceGrid, MeshError> {
    let builder = GridBuilder::new(mesh, resolution)?;
    let (rows, length) = (builder.row_count(), builder.row_length());
    let mut values = vec![0.0; rows * length];
    // A slab of rows at a time, handed out in order.
    let slab = 16;
    let slabs = Mutex::new(values.chunks_mut(slab * length).enumerate());
    let done = AtomicUsize::new(0);
    let work = || {
        loop {
            let next = slabs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, piece)) = next else { break };
            for (k, row) in piece.chunks_mut(length).enumerate() {
                builder.fill_row(index * slab + k, row);
            }
            let finished = piece.len() / length;
            progress(done.fetch_add(finished, Ordering::Relaxed) + finished, rows);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    Ok(builder.finish(values))
}

/// File or model, scale and resolution.
type GridKey = (String, Option<Model>, u64, usize);

/// Reads the files of one scene, each once.
pub struct Assets<'a> {
    folder: PathBuf,
    threads: usize,
    progress: Progress<'a>,
    grids: BTreeMap<GridKey, Arc<DistanceGrid>>,
    recordings: BTreeMap<String, TrackRecording>,
    tets: BTreeMap<String, Arc<TetMesh>>,
    surfaces: BTreeMap<String, TriMesh>,
    devices: BTreeMap<String, DeviceModel>,
    given: BTreeMap<String, Vec<u8>>,
    given_only: bool,
}

impl<'a> Assets<'a> {
    /// Files lie beside or below `folder`.
    #[must_use]
    pub fn new(folder: &Path, threads: usize, progress: Progress<'a>) -> Self {
        Assets {
            folder: folder.to_owned(),
            threads,
            progress,
            grids: BTreeMap::new(),
            recordings: BTreeMap::new(),
            tets: BTreeMap::new(),
            surfaces: BTreeMap::new(),
            devices: BTreeMap::new(),
            given: BTreeMap::new(),
            given_only: false,
        }
    }

    /// Only these files, by name: nothing is read from this machine.
    #[must_use]
    pub fn only(files: BTreeMap<String, Vec<u8>>, threads: usize, progress: Progress<'a>) -> Self {
        Assets { given: files, given_only: true, ..Assets::new(Path::new(""), threads, progress) }
    }

    /// The same with some files given by name: those are not looked for in the folder.
    #[must_use]
    pub fn with_files(mut self, files: BTreeMap<String, Vec<u8>>) -> Self {
        self.given = files;
        self
    }

    /// Names and contents of the files that were used so far.
    ///
    /// # Errors
    /// If one cannot be read any more.
    pub fn used(&self) -> Result<BTreeMap<String, Vec<u8>>, AssetError> {
        let meshes = self.grids.keys().map(|(file, ..)| file).filter(|file| !file.is_empty());
        let files = meshes.chain(self.recordings.keys()).chain(self.tets.keys());
        let files = files.chain(self.surfaces.keys()).chain(self.devices.keys());
        files.map(|file| Ok((file.clone(), self.content(file)?))).collect()
    }

    /// Reads the files that a scene names, without making anything of them: what is missing or no mesh is found at once.
    ///
    /// # Errors
    /// If one cannot be read or is not what its name says.
    pub fn check(&mut self, scene: &Scene) -> Result<(), AssetError> {
        for object in &scene.objects {
            self.check_shape(&object.shape)?;
        }
        for soft in &scene.softs {
            if let Some(file) = &soft.mesh {
                self.tets(file)?;
            }
            if let Some(file) = &soft.surface {
                self.surface(file, 1.0)?;
            }
            soft.shape.iter().try_for_each(|shape| self.check_shape(shape))?;
        }
        for hand in &scene.hands {
            if let Some(file) = &hand.recording {
                self.recording(file)?;
            }
        }
        if let Some(tactile) = &scene.tactile {
            self.device(&tactile.device)?;
        }
        Ok(())
    }

    fn check_shape(&self, shape: &ShapeSpec) -> Result<(), AssetError> {
        match shape {
            ShapeSpec::Mesh(source) if source.model.is_none() => self.mesh(&source.file).map(|_| ()),
            ShapeSpec::Parts(parts) => parts.iter().try_for_each(|part| self.check_shape(&part.shape)),
            _ => Ok(()),
        }
    }

    /// The solid of a mesh.
    ///
    /// # Errors
    /// If the file cannot be read or is no closed mesh.
    pub fn grid(&mut self, source: &MeshSource) -> Result<Arc<DistanceGrid>, AssetError> {
        let key = (source.file.clone(), source.model, source.scale.to_bits(), source.resolution);
        if let Some(known) = self.grids.get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut mesh = match source.model {
            Some(model) => model.mesh(),
            None => self.mesh(&source.file)?,
        };
        for position in &mut mesh.positions {
            *position *= source.scale;
        }
        let grid = build_grid(&mesh, source.resolution, self.threads, self.progress)
            .map_err(|error| AssetError::Solid { file: source.file.clone(), error })?;
        let grid = Arc::new(grid);
        self.grids.insert(key, Arc::clone(&grid));
        Ok(grid)
    }

    /// The tetrahedra of a file, in its units.
    ///
    /// # Errors
    /// If the file cannot be read or holds no sound tetrahedra.
    pub fn tets(&mut self, file: &str) -> Result<Arc<TetMesh>, AssetError> {
        if let Some(known) = self.tets.get(file) {
            return Ok(Arc::clone(known));
        }
        let mesh = read_tets(file, &self.content(file)?);
        let mesh = Arc::new(mesh.map_err(|error| AssetError::Tets { file: file.to_owned(), error })?);
        self.tets.insert(file.to_owned(), Arc::clone(&mesh));
        Ok(mesh)
    }

    /// The triangles of a file, `scale` metres a unit.
    ///
    /// # Errors
    /// If the file cannot be read or is no mesh.
    pub fn surface(&mut self, file: &str, scale: f64) -> Result<TriMesh, AssetError> {
        if !self.surfaces.contains_key(file) {
            self.surfaces.insert(file.to_owned(), self.mesh(file)?);
        }
        let mut mesh = self.surfaces[file].clone();
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        Ok(mesh)
    }

    /// The recording of a tracker.
    ///
    /// # Errors
    /// If the file cannot be read or its format is not known.
    pub fn recording(&mut self, file: &str) -> Result<TrackRecording, AssetError> {
        if let Some(known) = self.recordings.get(file) {
            return Ok(known.clone());
        }
        let recording = read_recording(&self.content(file)?, file)?;
        self.recordings.insert(file.to_owned(), recording.clone());
        Ok(recording)
    }

    /// A tactile device: one that comes with Thenar, or a file that ends in `.toml`.
    ///
    /// # Errors
    /// If it is not known, cannot be read or cannot be.
    pub fn device(&mut self, name: &str) -> Result<DeviceModel, AssetError> {
        if !name.ends_with(".toml") {
            return devices::device(name).map_err(|error| AssetError::Device { file: String::new(), error });
        }
        if let Some(known) = self.devices.get(name) {
            return Ok(known.clone());
        }
        let content = self.content(name)?;
        let device = devices::read_device(&String::from_utf8_lossy(&content));
        let device = device.map_err(|error| AssetError::Device { file: name.to_owned(), error })?;
        self.devices.insert(name.to_owned(), device.clone());
        Ok(device)
    }

    fn mesh(&self, file: &str) -> Result<TriMesh, AssetError> {
        read_mesh(file, &self.content(file)?).map_err(|error| AssetError::Read { file: file.to_owned(), error })
    }

    fn content(&self, file: &str) -> Result<Vec<u8>, AssetError> {
        if let Some(content) = self.given.get(file) {
            return Ok(content.clone());
        }
        if let Some(content) = library::file(file) {
            return Ok(content.to_vec());
        }
        let below = Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !below || file.is_empty() || self.given_only {
            return Err(AssetError::Path { file: file.to_owned() });
        }
        let path = self.folder.join(file);
        let io = |error| AssetError::Io { file: file.to_owned(), error };
        let bytes = std::fs::metadata(&path).map_err(io)?.len();
        if bytes > LARGEST_FILE {
            return Err(AssetError::TooLarge { file: file.to_owned(), bytes });
        }
        std::fs::read(&path).map_err(io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thenar::geometry::distance::Shape;

    #[test]
    fn threads_do_not_change_the_grid_and_progress_reaches_the_end() {
        let mesh = Shape::Capsule { half_height: 0.03, radius: 0.02 }.tessellate(0.006).unwrap();
        let seen = Mutex::new(Vec::new());
        let serial = DistanceGrid::build(&mesh, 40).unwrap();
        for threads in [1, 3] {
            let grid = build_grid(&mesh, 40, threads, &|done, all| seen.lock().unwrap().push((done, all))).unwrap();
            assert_eq!(grid, serial);
        }
        let seen = seen.into_inner().unwrap();
        assert!(seen.iter().all(|(done, all)| done <= all) && seen.iter().any(|(done, all)| done == all));
    }

    #[test]
    fn files_are_read_scaled_once_and_kept_inside_the_folder() {
        let folder = std::env::temp_dir().join(format!("thenar-assets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let cube = "v 0 0 0\nv 40 0 0\nv 40 40 0\nv 0 40 0\nv 0 0 40\nv 40 0 40\nv 40 40 40\nv 0 40 40\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
        std::fs::write(folder.join("cube.obj"), cube).unwrap();
        std::fs::write(folder.join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let mut assets = Assets::new(&folder, 1, &|_, _| {});
        let source = |file: &str| MeshSource { file: file.to_owned(), model: None, scale: 0.001, resolution: 32 };
        let grid = assets.grid(&source("cube.obj")).unwrap();
        assert!((grid.unit_mass().mass - 0.04_f64.powi(3)).abs() < 1e-12);
        assert!(Arc::ptr_eq(&grid, &assets.grid(&source("cube.obj")).unwrap()));
        assert!(matches!(assets.grid(&source("open.obj")), Err(AssetError::Solid { .. })));
        assert!(matches!(assets.grid(&source("absent.stl")), Err(AssetError::Io { .. })));
        assert!(matches!(assets.grid(&source("../cube.obj")), Err(AssetError::Path { .. })));
        assert!(matches!(assets.grid(&source("/etc/cube.obj")), Err(AssetError::Path { .. })));
        let mut given = Assets::only([("c.obj".to_owned(), cube.as_bytes().to_vec())].into(), 1, &|_, _| {});
        assert_eq!(given.grid(&source("c.obj")).unwrap(), grid);
        assert!(matches!(given.grid(&source("cube.obj")), Err(AssetError::Path { .. })));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
