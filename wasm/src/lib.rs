//! Bindings of the library for JavaScript, by wasm-bindgen. Opaque handles, typed arrays, and plain objects that are
//! read field by field cross the boundary; JSON text never does.
//!
//! Four modules are built from this crate:
//! - `kinestitch`: all functions, with networks on the CPU;
//! - `small` (feature `small`): clips only, for pages that read and show motions;
//! - `fbx` (feature `fbx`): writes FBX files;
//! - `networks` (feature `webgpu`): networks on the browser's GPU. It knows no clips, only rows of numbers.
//!
//! The npm package (`pkg/src`) wraps the exports of these modules in its own types; the exports are not public API.
#![cfg(target_arch = "wasm32")]

#[cfg(not(any(feature = "webgpu", feature = "fbx")))]
mod clip;
mod error;
#[cfg(feature = "fbx")]
mod fbx;
#[cfg(feature = "webgpu")]
mod gpu;
#[cfg(not(any(feature = "webgpu", feature = "small", feature = "fbx")))]
mod tasks;
#[cfg(not(feature = "webgpu"))]
mod value;
