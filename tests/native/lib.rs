//! Tests of the library, in one crate: linking each file by itself would take longer than its tests.
//!
//!     cargo test --release -p native-tests            all
//!     cargo test --release -p native-tests stitch::   one module

#![cfg(test)]

#[path = "../common/mod.rs"]
mod common;

mod bodies;
mod body;
mod body_dog;
mod body_sets;
mod bvh;
mod bvh_properties;
mod bvh_stream;
mod bvh_text;
mod control;
mod control_ground;
mod cycle;
mod delta;
mod device;
mod edit;
mod feature;
mod fingers;
mod fk;
mod floor;
mod foot_lock;
mod gallery;
mod glb;
mod hermite;
mod hostile_bytes;
mod ik;
mod inbetween;
mod inbetween_candidates;
mod inbetween_dcmoe;
mod inbetween_floor;
mod inbetween_manifold;
mod inbetween_network;
mod inbetween_random;
mod judge;
mod known_skeletons;
mod layering;
mod lscore;
mod lscore_clip;
mod matching;
mod metrics;
mod mirror;
mod named_skeletons;
mod nn;
mod phases;
mod resample;
mod retarget;
mod retarget_quadruped;
mod rig;
mod rmr_window;
mod root;
mod stitch;
mod stitch_auto;
mod stitch_insert;
mod stitch_lying;
mod stitch_random;
mod stitch_recordings;
mod stitch_refine;
mod stitch_seam;
mod supports;
mod weights;
mod write_limits;
