//! Limits of coordinates in file formats. A clip that exceeds them is refused when it is written, not when it is read
//! back.

use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::skeleton::PositionMode;
use glam::{DVec3, Vec3};

/// Relative tolerance of a limit: rounding to single precision may lift a value at the limit slightly above it.
const ROUNDING_TOLERANCE: f64 = 1e-6;

/// Returns whether all coordinates of offsets, End Sites and translations are so small that any difference of two is
/// below `max_coordinate` metres. One pass in single precision, so that ordinary clips need no search in double
/// precision.
fn is_clearly_within(clip: &Clip, max_coordinate: f64) -> bool {
    // Half, because a difference may be twice as large; and a little less, for rounding.
    let half = (0.49 * max_coordinate) as f32;
    let rest_vectors =
        clip.skeleton().joints().iter().flat_map(|joint| std::iter::once(&joint.offset).chain(&joint.end_sites));
    let largest = |largest: Vec3, v: &Vec3| largest.max(v.abs());
    let largest_translation = clip.translations().iter().fold(Vec3::ZERO, largest);
    rest_vectors.fold(largest_translation, largest).max_element() < half
}

/// Describes the first offset, End Site or translation of a clip with a coordinate beyond `max_coordinate` units of
/// `metres_per_unit`, which a file cannot hold. `None` if all fit. With `adds_offset`, translations in the file are
/// relative to the offset if the joint has [`PositionMode::Add`].
pub(super) fn describe_excess(
    clip: &Clip,
    metres_per_unit: f64,
    max_coordinate: f64,
    adds_offset: bool,
) -> Option<String> {
    let joints = clip.skeleton().joints();
    let is_beyond = |coordinate: f64| coordinate > max_coordinate * (1.0 + ROUNDING_TOLERANCE);
    let describe = |joint: usize, place: &str, coordinate: f64| {
        let name = quoted(&joints[joint].name);
        format!(
            "joint {name} has a coordinate of {coordinate:.3e} {place}, in units of {metres_per_unit} m; \
             files hold at most {max_coordinate:e}; move it nearer to its parent or the origin"
        )
    };
    if is_clearly_within(clip, metres_per_unit * max_coordinate) {
        return None;
    }
    let largest = |v: DVec3| v.abs().max_element() / metres_per_unit;
    for (index, joint) in joints.iter().enumerate() {
        let mut coordinates = std::iter::once(&joint.offset).chain(&joint.end_sites).map(|v| largest(v.as_dvec3()));
        if let Some(coordinate) = coordinates.find(|&coordinate| is_beyond(coordinate)) {
            return Some(describe(index, "at rest (offset or End Site)", coordinate));
        }
    }
    let translated = clip.skeleton().translated();
    let file_offsets: Vec<Vec3> = translated
        .iter()
        .map(|&joint| match joints[joint].position_mode {
            PositionMode::Add if adds_offset => joints[joint].offset,
            _ => Vec3::ZERO,
        })
        .collect();
    let frames = clip.translations().chunks_exact(translated.len().max(1)).enumerate();
    frames.flat_map(|(frame, row)| row.iter().enumerate().map(move |(slot, v)| (frame, slot, v))).find_map(
        |(frame, slot, v)| {
            let coordinate = largest(v.as_dvec3() - file_offsets[slot].as_dvec3());
            is_beyond(coordinate).then(|| describe(translated[slot], &format!("in frame {frame}"), coordinate))
        },
    )
}
