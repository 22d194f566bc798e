//! Clip → FBX, binary, version 7.4. The container is written by the crate `fbxcel`; the nodes in it are described in
//! Autodesk's FBX SDK and in Blender's documentation of the format (code.blender.org, "FBX binary file format").
//!
//! Centimetres, Y up, the front along +Z. All rotations are angles in the order XYZ (x first), and continuous: see
//! [`super::bvh`]. A skeleton has a bind pose, which is its rest pose; a character also has its skinned meshes.

mod animation;
mod document;
mod mesh;
mod objects;
mod out;
pub mod scene;

use crate::error::{Error, Result};
use crate::motion::bvh::MAX_VALUE;
use crate::motion::clip::Clip;
use crate::motion::length_limits;
use out::Out;
use scene::Scene;

/// Units of time of the format in a second.
pub(super) const TICKS: f64 = 46_186_158_000.0;
/// Centimetres in a metre.
pub(super) const CENTIMETRES: f64 = 100.0;

/// Writes a clip as an FBX file: its skeleton and one animation.
///
/// # Errors
/// Those of [`write_scene`]; [`Error::Clip`] for a coordinate that is too large.
pub fn write(clip: &Clip) -> Result<Vec<u8>> {
    if let Some(message) = length_limits::describe_excess(clip, 1.0, MAX_VALUE, false) {
        return Err(Error::Clip { clip: clip.name.clone(), message });
    }
    write_scene(&Scene::from_clip(clip))
}

/// Writes a scene as an FBX file.
///
/// # Errors
/// [`Error::Clip`] if the scene is not consistent: a parent that does not come before its child, tracks of another
/// length, a vertex or bone that does not exist; or if the motion is too long for the times of the format.
pub fn write_scene(scene: &Scene) -> Result<Vec<u8>> {
    let fail = |message: String| Error::Clip { clip: scene.name.clone(), message };
    scene.check().map_err(&fail)?;
    let has_times = scene.seconds() * TICKS < i64::MAX as f64 / 2.0;
    if !has_times {
        return Err(fail("the motion is too long for an FBX file".to_owned()));
    }
    let written = Out::new().and_then(|mut out| {
        document::write(&mut out, scene)?;
        out.finish()
    });
    written.map_err(|error| fail(format!("the FBX file cannot be written: {error}")))
}
