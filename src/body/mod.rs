//! Bodies: conversion of any character's motion to its canonical skeleton, and of edits back to the user's skeleton.

pub mod apply;
pub mod canonical;
pub mod character;
pub mod ground_pose;
pub mod interpolate;
pub mod limb;
pub mod mirror;
pub mod poses;
pub mod rotation6d;

pub use apply::apply;
pub use canonical::{Canonical, to_canonical};
pub use character::{Character, biped, dog};
pub use ground_pose::GroundPose;
pub use mirror::mirror_clip;
pub use poses::Poses;
