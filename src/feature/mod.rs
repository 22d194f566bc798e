//! Canonical clips ↔ rows of numbers: named column layouts, encode and decode.

pub mod agree;
pub mod controller;
pub mod dcmoe;
pub mod decode;
pub mod delta;
pub mod encode;
pub mod layout;
pub mod legs;
pub mod manifold;
pub mod periodic;
pub mod posture;
