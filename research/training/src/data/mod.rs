//! Recordings for training: the sets file, the reader, and a packed file of all recordings.

pub mod pack;
pub mod read;
pub mod sets;

pub use read::{Recording, bvh_files, read, read_dir};
pub use sets::{Label, Sets, Split};
