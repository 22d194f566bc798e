//! Training, native only: packed data, pairs, one file per trained method.

pub mod pack;
pub mod pairs;
pub mod rmr;
pub mod rmr_loss;
pub mod score;
pub mod segment_index;
