//! Clip ↔ rows of numbers: the canonical body, named column layouts, encode and decode.

pub mod apply;
pub mod body;
pub mod decode;
pub mod encode;
pub mod layout;
pub mod legs;
