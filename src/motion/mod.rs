//! Pure data and geometry of motion: glam only, no tensors, no JS.

pub mod bvh;
pub mod carry;
pub mod clip;
pub mod contact;
pub mod ease;
pub mod fk;
pub mod foot_hold;
pub mod foot_lock;
pub mod foot_plan;
pub mod glb;
pub mod hinge;
pub mod ik;
pub mod inertialize;
pub mod lead;
pub mod made;
pub mod mirror;
pub mod pack;
pub mod quat;
mod reach;
pub mod resample;
pub mod retarget;
pub mod rig;
pub mod root;
pub mod skeleton;
pub mod space;
pub mod way;
