//! Training, native only: packed data, pairs, one file per trained method.

pub mod baseline;
pub mod batch;
pub mod device;
pub mod evaluate;
pub mod pack;
pub mod pairs;
pub mod recipe;
pub mod rmr;
pub mod rmr_loss;
pub mod score;
pub mod segment_index;
