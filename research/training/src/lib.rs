//! Trains the networks of Kinestitch; runs natively only. Contains the training of each method, the reader of
//! recordings, the training loop, and parts that several methods share, such as lanes, gradients and schedules.

pub mod average;
pub mod baseline;
pub mod batch;
pub mod bptt;
pub mod checkpoint;
pub mod controller;
pub mod data;
pub mod dcmoe;
pub mod delta;
pub mod device;
pub mod evaluate;
pub mod experts;
pub mod gallery;
pub mod generative;
pub mod gradients;
pub mod judge;
pub mod kinematics;
pub mod lanes;
pub mod manifold;
pub mod memory;
pub mod pairs;
pub mod periodic;
pub mod recipe;
pub mod recurrent;
pub mod rmr;
pub mod rmr_loss;
pub mod run;
pub mod schedule;
pub mod score;
pub mod seams;
pub mod segment_index;
pub mod takes;
pub mod weighted;
