//! Recordings for training: what the sets file says of them, how they are read, and one packed file of them all.

pub mod pack;
pub mod read;
pub mod sets;

pub use read::{Recording, bvh_files, read, read_dir};
pub use sets::{Label, Sets, Split};
