//! Converts motion of the canonical body to rows of numbers for networks, and back: layouts of columns, encoders and
//! decoders. Each network has a module with its name; the refiner has `layout`, `encode` and `decode`.

pub mod controller;
pub mod dcmoe;
pub mod decode;
pub mod delta;
pub mod encode;
pub mod foot_alignment;
pub mod layout;
pub mod legs;
pub mod manifold;
pub mod periodic;
pub mod posture;
pub mod swing;
