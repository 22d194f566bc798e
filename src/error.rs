//! The one error type: each variant says what is wrong, where, and what to do about it.

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong on user input. `Display` is one sentence for people,
/// [`Error::code`] a stable word for programs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A BVH file breaks the format. Line and column count from 1; column in bytes.
    #[error("line {line}, column {column}: {message}")]
    Bvh {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What was found, what was expected, what to do.
        message: String,
    },
    /// A named limit is exceeded (limits are public constants beside what they protect).
    #[error("{what}: {found} is over the limit of {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// The size found.
        found: u64,
        /// The largest size accepted.
        limit: u64,
    },
    /// A skeleton is not a forest in parents-first order.
    #[error("joint {joint} (\"{name}\"): {message}")]
    Skeleton {
        /// Joint index.
        joint: usize,
        /// Joint name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A clip's arrays do not fit its skeleton, or hold values that are not finite.
    #[error("clip \"{clip}\": {message}")]
    Clip {
        /// Clip name.
        clip: String,
        /// What is wrong with it.
        message: String,
    },
    /// A clip is shorter than an operation needs.
    #[error("clip \"{clip}\" has {frames} frames, at least {needed} are needed; trim less or use a longer clip")]
    TooShort {
        /// Clip name.
        clip: String,
        /// Frames it has, after trimming.
        frames: usize,
        /// Frames it needs.
        needed: usize,
    },
    /// A rig could not be mapped where a mapping is needed.
    #[error("{}{message}", if clip.is_empty() { String::new() } else { format!("clip \"{clip}\": ") })]
    Rig {
        /// Clip name; empty where the mapping of a skeleton, not of a clip, is at fault.
        clip: String,
        /// Which role is missing or doubtful, and how to correct it.
        message: String,
    },
    /// An option is out of its range.
    #[error("option {option}: {message}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its range and what was given.
        message: String,
    },
    /// A GLB could not be read or written.
    #[error("GLB: {message}")]
    Glb {
        /// What is wrong, and where.
        message: String,
    },
    /// A file cannot be read or written, or holds something else than was expected.
    #[error("{path}: {message}")]
    File {
        /// Path of the file.
        path: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// A network's weights do not load.
    #[error("weights: {message}")]
    Weights {
        /// What is wrong with the file, and what to do.
        message: String,
    },
    /// A device that networks were to run on is missing or lost.
    #[error("device: {message}")]
    Device {
        /// What is missing, and what to do.
        message: String,
    },
    /// The caller asked to stop.
    #[error("aborted")]
    Aborted,
}

impl Error {
    /// Stable, kebab-case word for programs: the `code` of the npm package's errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Bvh { .. } => "bvh",
            Error::Limit { .. } => "limit",
            Error::Skeleton { .. } => "skeleton",
            Error::Clip { .. } => "clip",
            Error::TooShort { .. } => "too-short",
            Error::Rig { .. } => "rig",
            Error::Option { .. } => "option",
            Error::Glb { .. } => "glb",
            Error::File { .. } => "file",
            Error::Weights { .. } => "weights",
            Error::Device { .. } => "device",
            Error::Aborted => "aborted",
        }
    }
}
