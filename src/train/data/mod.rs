//! Recordings for training: what the sets file says of them.

pub mod sets;
