//! Training, native only: packed data, pairs, one file per trained method.

pub mod baseline;
pub mod batch;
pub mod checkpoint;
pub mod controller;
pub mod data;
pub mod dcmoe;
pub mod delta;
pub mod device;
pub mod evaluate;
pub mod experts;
pub mod gallery;
pub mod gradients;
pub mod manifold;
pub mod own;
pub mod pairs;
pub mod periodic;
pub mod recipe;
pub mod rmr;
pub mod rmr_gradients;
pub mod rmr_loss;
pub mod run;
pub mod schedule;
pub mod score;
pub mod seams;
pub mod segment_index;
pub mod takes;
