//! Methods, one file per paper.

pub mod lscore;
