//! Tests of training, in one crate: see tests/native/main.rs.

#[path = "../../../../tests/common/motion.rs"]
mod curve;
#[path = "../../../../tests/common/controller.rs"]
mod small_controller;
#[path = "../../../../tests/common/dcmoe.rs"]
mod small_dcmoe;

mod controller;
mod dcmoe;
mod delta;
mod generative;
mod manifold;
mod mixture;
mod models;
mod periodic;
mod recipes;
mod takes;
mod train;
