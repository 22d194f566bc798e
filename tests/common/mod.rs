//! What several tests use.

pub mod controller;
pub mod dcmoe;
pub mod fixtures;
pub mod inbetween;
pub mod joins;
pub mod mirror;
pub mod motion;
pub mod mutants;
pub mod networks;
pub mod random;
pub mod readers;
pub mod recordings;
pub mod smooth;
