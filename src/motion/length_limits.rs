//! Length limits of readers. A clip beyond them is refused when it is written, not when it is read back.

use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::skeleton::PositionMode;
use glam::{DVec3, Vec3};

/// Relative tolerance for values within a limit that rounding to single precision carried beyond it.
const ROUNDING: f64 = 1e-6;

/// Whether all lengths of a clip, and all differences of two of them, are below `most` metres: one pass in single
/// precision, so that writing ordinary clips does not pay for the search in double precision.
fn is_within(clip: &Clip, most: f64) -> bool {
    // Half for differences, and less than that for rounding.
    let half = (0.49 * most) as f32;
    let resting =
        clip.skeleton().joints().iter().flat_map(|joint| std::iter::once(&joint.offset).chain(&joint.end_sites));
    let largest = |largest: Vec3, v: &Vec3| largest.max(v.abs());
    let moving = clip.translations().iter().fold(Vec3::ZERO, largest);
    resting.fold(moving, largest).max_element() < half
}

/// Describes the first length of a clip that a file cannot hold: an offset, an End Site, or a translation beyond
/// `most` units of `metres_per_unit`. `None` if all fit. With `adds`, translations in the file are relative to the
/// offset ([`PositionMode::Add`]).
pub(super) fn describe_excess(clip: &Clip, metres_per_unit: f64, most: f64, adds: bool) -> Option<String> {
    let joints = clip.skeleton().joints();
    let is_beyond = |length: f64| length > most * (1.0 + ROUNDING);
    let tell = |joint: usize, place: &str, length: f64| {
        let name = quoted(&joints[joint].name);
        format!(
            "joint {name} is {length:.3e} units of {metres_per_unit} m away {place}; files hold at most {most:e}: move it nearer"
        )
    };
    if is_within(clip, metres_per_unit * most) {
        return None;
    }
    let largest = |v: DVec3| v.abs().max_element() / metres_per_unit;
    for (index, joint) in joints.iter().enumerate() {
        let mut lengths = std::iter::once(&joint.offset).chain(&joint.end_sites).map(|v| largest(v.as_dvec3()));
        if let Some(length) = lengths.find(|&length| is_beyond(length)) {
            return Some(tell(index, "from its parent at rest", length));
        }
    }
    let moving = clip.skeleton().translated();
    let bases: Vec<Vec3> = moving
        .iter()
        .map(|&joint| match joints[joint].position_mode {
            PositionMode::Add if adds => joints[joint].offset,
            _ => Vec3::ZERO,
        })
        .collect();
    let placed = clip.translations().chunks_exact(moving.len().max(1)).enumerate();
    placed.flat_map(|(frame, row)| row.iter().enumerate().map(move |(slot, v)| (frame, slot, v))).find_map(
        |(frame, slot, v)| {
            let length = largest(v.as_dvec3() - bases[slot].as_dvec3());
            is_beyond(length).then(|| tell(moving[slot], &format!("in frame {frame}"), length))
        },
    )
}
