//! Bodies: any character's motion as a clip on its canonical skeleton, and its changes back onto the user's own.

pub mod apply;
pub mod canonical;
pub mod character;
pub mod ground;
pub mod mirror;

pub use apply::apply;
pub use canonical::{Canonical, canonical};
pub use character::{Character, biped, dog};
pub use ground::GroundFrame;
pub use mirror::mirrored;
