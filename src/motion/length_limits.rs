//! Length limits of file formats. A clip that exceeds them is refused when it is written, not when it is read back.

use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::skeleton::PositionMode;
use glam::{DVec3, Vec3};

/// Relative tolerance for values within a limit that exceed it because they were rounded to single precision.
const ROUNDING_TOLERANCE: f64 = 1e-6;

/// Returns whether all lengths of a clip, and all differences of two lengths, are below `max_length` metres. One pass
/// in single precision, so that ordinary clips need no search in double precision.
fn is_clearly_within(clip: &Clip, max_length: f64) -> bool {
    // Half, because a difference may be twice as long; and a little less, for rounding.
    let half = (0.49 * max_length) as f32;
    let rest_lengths =
        clip.skeleton().joints().iter().flat_map(|joint| std::iter::once(&joint.offset).chain(&joint.end_sites));
    let largest = |largest: Vec3, v: &Vec3| largest.max(v.abs());
    let largest_translation = clip.translations().iter().fold(Vec3::ZERO, largest);
    rest_lengths.fold(largest_translation, largest).max_element() < half
}

/// Describes the first length of a clip that a file cannot hold: an offset, an End Site, or a translation beyond
/// `max_length` units of `metres_per_unit`. `None` if all fit. With `adds_offset`, translations in the file are
/// relative to the offset ([`PositionMode::Add`]).
pub(super) fn describe_excess(clip: &Clip, metres_per_unit: f64, max_length: f64, adds_offset: bool) -> Option<String> {
    let joints = clip.skeleton().joints();
    let is_beyond = |length: f64| length > max_length * (1.0 + ROUNDING_TOLERANCE);
    let describe = |joint: usize, location: &str, length: f64| {
        let name = quoted(&joints[joint].name);
        format!(
            "joint {name} is {length:.3e} units of {metres_per_unit} m away {location}; \
             files hold at most {max_length:e}; move it nearer"
        )
    };
    if is_clearly_within(clip, metres_per_unit * max_length) {
        return None;
    }
    let largest = |v: DVec3| v.abs().max_element() / metres_per_unit;
    for (index, joint) in joints.iter().enumerate() {
        let mut lengths = std::iter::once(&joint.offset).chain(&joint.end_sites).map(|v| largest(v.as_dvec3()));
        if let Some(length) = lengths.find(|&length| is_beyond(length)) {
            return Some(describe(index, "from its parent at rest", length));
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
            let length = largest(v.as_dvec3() - file_offsets[slot].as_dvec3());
            is_beyond(length).then(|| describe(translated[slot], &format!("in frame {frame}"), length))
        },
    )
}
