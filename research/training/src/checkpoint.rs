//! Files of a training run: last, best and averaged weights, optimizer, state and losses.

use crate::recipe::Header;
use burn::module::Module;
use burn::optim::{ModuleOptimizer, OptimizerRecord};
use burn::tensor::Device;
use kinestitch::error::{Error, Result};
use kinestitch::nn::weights::module::{self, load_into};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Network, Weights};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::{Path, PathBuf};

/// State of a run, saved beside its weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Number of finished steps.
    pub step: usize,
    /// Duration of the training so far, hours.
    pub hours: f64,
    /// Lowest validation error so far.
    pub best: f32,
    /// Step of the lowest validation error.
    #[serde(default)]
    pub best_step: usize,
}

impl State {
    /// State before the first step.
    pub const START: State = State { step: 0, hours: 0.0, best: f32::MAX, best_step: 0 };
}

/// Name of the file with the [`State`] of a run.
pub const STATE_FILE: &str = "state.json";

/// Folder of a run.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// Opens the folder; creates it if missing.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be created.
    pub fn new(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|error| file_error(path, error))?;
        Ok(Self(path.to_owned()))
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Reads the state of the run; `None` if there is no checkpoint.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists and cannot be read.
    pub fn load_state(&self) -> Result<Option<State>> {
        let path = self.path(STATE_FILE);
        path.exists().then(|| read_json(&path)).transpose()
    }

    /// Writes the state of the run.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn save_state(&self, state: State) -> Result<()> {
        let path = self.path(STATE_FILE);
        write_atomically(&path, &serde_json::to_vec_pretty(&state).map_err(|error| file_error(&path, error))?)
    }

    /// Loads the last weights into a model.
    ///
    /// # Errors
    /// [`Error::File`] if they do not load.
    pub fn load_last<M: Module>(&self, blank: M) -> Result<M> {
        load(blank, &self.path("last.bpk"))
    }

    /// Loads the best weights into a model.
    ///
    /// # Errors
    /// [`Error::File`] if they do not load.
    pub fn load_best<M: Module>(&self, blank: M) -> Result<M> {
        load(blank, &self.path("best.bpk"))
    }

    /// Loads the optimizer of the last checkpoint: its moments.
    ///
    /// # Errors
    /// [`Error::File`] if they do not load.
    pub fn load_optimizer(&self, blank: ModuleOptimizer) -> Result<ModuleOptimizer> {
        let path = self.path("optimizer.bpk");
        if !path.exists() {
            return Err(missing_checkpoint(&path));
        }
        Ok(blank.load_record(OptimizerRecord::load(&path).map_err(|error| file_error(&path, error))?))
    }

    /// Loads the running average of the weights into a model.
    ///
    /// # Errors
    /// [`Error::File`] if it does not load.
    pub fn load_average<M: Module>(&self, blank: M) -> Result<M> {
        load(blank, &self.path("average.bpk"))
    }

    /// Writes a checkpoint. `model`: the trained weights. `validated`: the validated weights; `is_average`: whether
    /// these are the running average of the trained weights. Each file is replaced atomically, so an interrupted run
    /// leaves complete files.
    ///
    /// # Errors
    /// [`Error::File`] if a file cannot be written.
    pub fn save<M: Module>(
        &self,
        model: &M,
        (validated, is_average): (&M, bool),
        optimizer: &ModuleOptimizer,
        state: State,
    ) -> Result<()> {
        let write_validated = |name: &str| {
            self.replace(name, |path| validated.clone().save_file(path).map_err(|error| file_error(path, error)))
        };
        if state.best_step == state.step {
            write_validated("best.bpk")?;
        }
        if is_average {
            write_validated("average.bpk")?;
        }
        self.replace("last.bpk", |path| {
            model.clone().valid().save_file(path).map_err(|error| file_error(path, error))
        })?;
        self.replace("optimizer.bpk", |path| {
            optimizer.to_record().save(path).map_err(|error| file_error(path, error))
        })?;
        self.save_state(state)
    }

    /// Writes a file under a temporary name, then renames it.
    fn replace(&self, name: &str, write: impl Fn(&Path) -> Result<()>) -> Result<()> {
        let (new, path) = (self.path(&format!("new-{name}")), self.path(name));
        write(&new)?;
        std::fs::rename(&new, &path).map_err(|error| file_error(&path, error))
    }
}

/// Loads a checkpoint (`.bpk`) into a model.
///
/// # Errors
/// [`Error::File`] if the file is missing or does not load. If the folder belongs to a run of the older trainer, which
/// wrote safetensors files, the message says how to start a new run from its weights.
pub fn load<M: Module>(blank: M, path: &Path) -> Result<M> {
    if !path.exists() {
        return Err(missing_checkpoint(path));
    }
    blank.try_load_file(path).map_err(|error| file_error(path, error))
}

/// Creates the error for a missing checkpoint.
fn missing_checkpoint(path: &Path) -> Error {
    let older_files = ["best.safetensors", "network.safetensors"].map(|name| path.with_file_name(name));
    let message = match older_files.into_iter().find(|file| file.exists()) {
        Some(older) => format!(
            "there is no such checkpoint: this run was made by an older trainer, and can neither be continued nor \
             exported. Train anew in another folder; `--from {}` starts from the weights of this run",
            older.display()
        ),
        None => "there is no such checkpoint: check the run's folder. A run writes its first checkpoint at the first \
                 validation"
            .to_owned(),
    };
    file_error(path, message)
}

/// Loads a weight file, or a checkpoint of a run (`.bpk`), into a network. `recipe`: header of the recipe whose weights
/// are made from the file.
///
/// # Errors
/// Those of [`load_tensors`].
pub fn load_network<N: Network>(blank: N, path: &Path, recipe: &Header) -> Result<N> {
    load_tensors(blank, path, (N::NAME, N::LAYOUT), recipe, |_, file| read_tensors(file, |_| true))
}

/// Loads a weight file, or a checkpoint of a run (`.bpk`), over an untrained network. Weight files lack parameters that
/// only training needs; these keep their untrained values. `recipe`: as in [`load_network`]. `is_stored`: whether weight
/// files contain the parameter of this name.
///
/// # Errors
/// Those of [`load_tensors`].
pub fn load_over_untrained<N: Network>(
    untrained: N,
    path: &Path,
    recipe: &Header,
    is_stored: impl Fn(&str) -> bool,
) -> Result<N> {
    load_tensors(untrained, path, (N::NAME, N::LAYOUT), recipe, |untrained, file| {
        let mut parameters = module::tensors(untrained)?;
        parameters.retain(|tensor| !is_stored(&tensor.name));
        parameters.extend(read_tensors(file, is_stored)?);
        Ok(parameters)
    })
}

/// Loads a checkpoint of a run (`.bpk`), or the tensors that `select` makes of a weight file, into a model. `name`,
/// `layout`: expected network name and layout version of the file. `recipe`: as in [`load_network`].
///
/// # Errors
/// Those of [`Header::read_weights`], unless the file is a checkpoint; [`Error::File`] if a checkpoint does not load;
/// [`Error::Weights`] for another network or other sizes.
pub fn load_tensors<M: Module>(
    model: M,
    path: &Path,
    (name, layout): (&str, u32),
    recipe: &Header,
    select: impl FnOnce(&M, &Weights) -> Result<Vec<NamedTensor>>,
) -> Result<M> {
    if path.extension().is_some_and(|ending| ending == "bpk") {
        return load(model, path);
    }
    let bytes = recipe.read_weights(path)?;
    let file = Weights::read(&bytes)?;
    file.check_layout(name, layout)?;
    let tensors = select(&model, &file)?;
    load_into(model, &Weights::read(&to_bytes(&file.meta, &tensors, Precision::F32)?)?)
}

/// Reads a JSON file, such as a recipe or the state of a run.
///
/// # Errors
/// [`Error::File`] if the file cannot be read, or its fields do not match `T`.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = std::fs::read(path).map_err(|error| file_error(path, error))?;
    serde_json::from_slice(&bytes).map_err(|error| file_error(path, error))
}

/// Writes a file atomically, so an interrupted run leaves a complete file.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, path)).map_err(|error| file_error(path, error))
}

/// Reads the selected tensors of a weight file.
///
/// # Errors
/// [`Error::Weights`] if one cannot be read.
pub fn read_tensors(file: &Weights, is_selected: impl Fn(&str) -> bool) -> Result<Vec<NamedTensor>> {
    let tensor = |name: &str| {
        let shape = file.shape(name).unwrap_or_default();
        Ok(NamedTensor { name: name.to_owned(), values: file.tensor(name, &shape)?, shape })
    };
    file.names().into_iter().filter(|name| is_selected(name)).map(tensor).collect()
}

/// Creates an [`Error::File`] for a path.
pub fn file_error(path: &Path, error: impl ToString) -> Error {
    Error::File { path: path.display().to_string(), message: error.to_string() }
}

/// Loss file of a run (CSV). Its first column is the step.
pub struct Log(csv::Writer<std::fs::File>, PathBuf);

impl Log {
    /// Opens the file. `resumed`: step of the checkpoint from which a run is resumed. Keeps the rows up to this step;
    /// the resumed run computes later ones again. A run that is not resumed keeps no rows.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or written.
    pub fn open(path: PathBuf, header: &[&str], resumed: Option<usize>) -> Result<Self> {
        let mut kept = match resumed {
            Some(step) if path.exists() => {
                rows_until(step, &std::fs::read_to_string(&path).map_err(|error| file_error(&path, error))?)
            }
            _ => String::new(),
        };
        if kept.is_empty() {
            kept = header.join(",") + "\n";
        }
        write_atomically(&path, kept.as_bytes())?;
        let file = std::fs::OpenOptions::new().append(true).open(&path).map_err(|error| file_error(&path, error))?;
        Ok(Self(csv::Writer::from_writer(file), path))
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write<S: AsRef<[u8]>>(&mut self, row: &[S]) -> Result<()> {
        self.0.write_record(row).map_err(|error| file_error(&self.1, error))?;
        self.0.flush().map_err(|error| file_error(&self.1, error))
    }
}

/// Returns the header of a loss file and its rows up to a step. Leaves out incomplete rows, which an interrupted run may
/// have written.
fn rows_until(step: usize, text: &str) -> String {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let cells = |line: &str| line.split(',').count();
    let step_of = |line: &str| line.split(',').next().and_then(|cell| cell.parse::<usize>().ok());
    let rows = lines.filter(|line| cells(line) == cells(header) && step_of(line).is_some_and(|row| row <= step));
    std::iter::once(header).chain(rows).filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// Seeds the device's random generator, which dropout and initial weights use; each step has other random numbers.
pub fn seed(device: &Device, seed: u64, step: usize) {
    device.seed(seed.wrapping_mul(1_000_003).wrapping_add(step as u64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::nn::LinearConfig;

    #[test]
    fn a_resumed_log_has_each_step_once() {
        let path = std::env::temp_dir().join(format!("kinestitch-log-{}.csv", std::process::id()));
        let open = |resumed| Log::open(path.clone(), &["step", "loss"], resumed).unwrap();
        let read = || std::fs::read_to_string(&path).unwrap();
        let mut log = open(None);
        for row in [["0", ""], ["20", "2"], ["40", "1"], ["60", "3"]] {
            log.write(&row).unwrap();
        }
        // The crashed run wrote step 60 after its checkpoint at step 40, and a part of another row.
        std::fs::write(&path, read() + "8").unwrap();
        open(Some(40)).write(&["60", "4"]).unwrap();
        assert_eq!(read(), "step,loss\n0,\n20,2\n40,1\n60,4\n");
        drop(open(None));
        assert_eq!(read(), "step,loss\n", "a new run starts a new log");
        std::fs::write(&path, "").unwrap();
        drop(open(Some(40)));
        assert_eq!(read(), "step,loss\n", "an empty file gets the header");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_error_for_a_missing_checkpoint_says_what_to_do() {
        let path = std::env::temp_dir().join(format!("kinestitch-missing-{}", std::process::id()));
        let folder = Folder::new(&path).unwrap();
        let missing_message = || {
            let blank = || LinearConfig::new(2, 2).init(&Device::flex());
            let last = folder.load_last(blank()).unwrap_err().to_string();
            let best = folder.load_best(blank()).unwrap_err().to_string();
            assert!(last.contains("last.bpk") && best.contains("best.bpk"), "{last}; {best}");
            last
        };
        let empty = missing_message();
        assert!(empty.contains("check the run's folder") && !empty.contains("older trainer"), "{empty}");
        // The message names network.safetensors and not last.safetensors, because `--from` reads weights, not the
        // complete state of a run.
        std::fs::write(folder.path("last.safetensors"), b"").unwrap();
        std::fs::write(folder.path("network.safetensors"), b"").unwrap();
        let older = missing_message();
        let network = folder.path("network.safetensors");
        assert!(older.contains("older trainer"), "{older}");
        assert!(older.contains(&format!("--from {}", network.display())), "{older}");
        std::fs::remove_dir_all(path).unwrap();
    }
}
