//! Units and up axis of a file, estimated from the body: files state neither.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::UpAxis;
use glam::Vec3;

/// Length unit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Centimetres: LAFAN1, Bandai-Namco, Mixamo, Xsens and most other sources.
    Centimetre,
    /// Metres: Blender, MANN's dog.
    Metre,
    /// Inches: 3ds Max Biped, many older files.
    Inch,
    /// Anything else, such as millimetres or the CMU unit; see `FileSpace::metres_per_unit`.
    Other,
}

impl Unit {
    /// Returns the name of the unit in the npm package and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Centimetre => "cm",
            Unit::Metre => "m",
            Unit::Inch => "inch",
            Unit::Other => "other",
        }
    }

    /// Returns the unit with this number of metres.
    pub fn from_scale(metres_per_unit: f64) -> Self {
        let near = |value: f64| (metres_per_unit / value - 1.0).abs() < 1e-6;
        match metres_per_unit {
            _ if near(CENTIMETRE) => Unit::Centimetre,
            _ if near(1.0) => Unit::Metre,
            _ if near(INCH) => Unit::Inch,
            _ => Unit::Other,
        }
    }
}

const CENTIMETRE: f64 = 0.01;
const INCH: f64 = 0.0254;
const MILLIMETRE: f64 = 0.001;
/// CMU's ASF files say `length 0.45`: their unit is an inch divided by 0.45. BVH files made from them keep this unit.
const CMU: f64 = INCH / 0.45;

/// Input of [`estimate_unit`]: one joint, lengths in file units.
pub(super) struct Bone {
    pub name: String,
    pub parent: Option<usize>,
    /// Length of OFFSET.
    pub length: f64,
    /// Length of the longest End Site.
    pub end_length: f64,
}

/// Estimates the number of metres in one file unit; with a warning if it is uncertain.
///
/// The measure is the longest path along the bones from tip to tip (hand to foot in people: 1.9 to 2.6 m), not the
/// height, because a rest pose may lay all bones along one axis. Offsets that only place the root are ignored.
pub(super) fn estimate_unit(bones: &[Bone]) -> (f64, Option<String>) {
    let mut span = longest_path(bones, true);
    if span == 0.0 {
        span = longest_path(bones, false);
    }
    let has = |part: &str| bones.iter().any(|bone| contains(&bone.name, part));
    let with_warning = |metres_per_unit: f64, word: &str| {
        let metres = span * metres_per_unit;
        (
            metres_per_unit,
            Some(format!("unit unclear: read as {word}, which makes the body {metres:.2} m from tip to tip")),
        )
    };
    let animal = has("tail") || has("paw") || has("hoof");
    let human = has("head") && ["hip", "pelvis", "thigh", "leg"].into_iter().any(has);
    match span {
        s if s <= 0.0 => {
            (CENTIMETRE, Some("unit unclear: the skeleton has no bone lengths; read as centimetres".into()))
        }
        s if s < 0.1 => with_warning(1.0, "metres"),
        s if s < 6.0 => (1.0, None),
        s if s < 10.0 => with_warning(1.0, "metres"),
        s if (20.0..65.0).contains(&s) && has("lhipjoint") && has("lowerback") => (CMU, None),
        s if s < 60.0 => with_warning(CENTIMETRE, "centimetres"),
        s if (100.0..130.0).contains(&s) && animal => (CENTIMETRE, None),
        s if s < 120.0 && human && !animal => (INCH, None),
        s if s < 130.0 => with_warning(CENTIMETRE, "centimetres"),
        s if s < 700.0 => (CENTIMETRE, None),
        s if s < 1200.0 => with_warning(CENTIMETRE, "centimetres"),
        s if s < 6000.0 => (MILLIMETRE, None),
        _ => with_warning(CENTIMETRE, "centimetres"),
    }
}

/// Returns the length of the longest path between two tips of a tree, in file units. With `body_only`, the offsets
/// between a root and the first joint with several children count as zero: they place the body.
fn longest_path(bones: &[Bone], body_only: bool) -> f64 {
    let mut children = vec![0usize; bones.len()];
    for parent in bones.iter().filter_map(|bone| bone.parent) {
        children[parent] += 1;
    }
    // Whether all ancestors of each joint have only one child.
    let mut unbranched = vec![true; bones.len()];
    for (index, bone) in bones.iter().enumerate() {
        unbranched[index] = bone.parent.is_none_or(|parent| unbranched[parent] && children[parent] == 1);
    }
    let mut longest_below: Vec<f64> = bones.iter().map(|bone| bone.end_length).collect();
    let mut longest = 0.0f64;
    for (index, bone) in bones.iter().enumerate().rev() {
        longest = longest.max(longest_below[index]);
        let Some(parent) = bone.parent else { continue };
        let length = if body_only && unbranched[index] { 0.0 } else { bone.length };
        let length_through_bone = longest_below[index] + length;
        longest = longest.max(longest_below[parent] + length_through_bone);
        longest_below[parent] = longest_below[parent].max(length_through_bone);
    }
    longest
}

fn contains(name: &str, part: &str) -> bool {
    name.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Estimates the vertical axis of a clip whose data is still in file axes; a few frames spread over the motion are
/// enough.
///
/// The axis is Z only with clear evidence of one of two kinds. Upright: the line from feet to head is mainly along +z,
/// and over time the lowest z of all joints varies at most a little more than the lowest y (in a person who lies along
/// z it varies more). Travelling: the head is higher than the feet along z, and the lowest y varies much while the
/// lowest z is nearly constant (a dog, or a crawling person).
///
/// If the lowest joint is near 0 along y, and far from 0 along z, the floor is at y = 0: the body lies or crawls in one
/// place.
pub(super) fn estimate_up_axis(clip: &Clip) -> UpAxis {
    let joints = clip.skeleton().joints();
    let joints_named = |parts: &[&str]| -> Vec<usize> {
        let matches = |name: &str| parts.iter().any(|part| contains(name, part));
        (0..joints.len()).filter(|&j| matches(&joints[j].name)).collect()
    };
    let (heads, feet) = (joints_named(&["head", "neck"]), joints_named(&["foot", "toe", "ankle", "paw", "hoof"]));
    if clip.frames() == 0 || heads.is_empty() || feet.is_empty() {
        return UpAxis::Y;
    }
    let mut pose = Pose::default();
    let mut up_sum = Vec3::ZERO;
    let mut lowest = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        let mean = |group: &[usize]| group.iter().map(|&j| pose.world_positions[j]).sum::<Vec3>() / group.len() as f32;
        up_sum += mean(&heads) - mean(&feet);
        lowest.push(pose.world_positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p)));
    }
    let size = up_sum.length() / clip.frames() as f32;
    let up = up_sum.normalize_or_zero();
    let spread = |axis: usize| {
        let values = lowest.iter().map(|low| low[axis]);
        values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
    };
    let (spread_y, spread_z) = (spread(1), spread(2));
    let distance_from_0 = |axis: usize| lowest.iter().map(|low| low[axis]).fold(f32::INFINITY, f32::min).abs();
    if distance_from_0(1) < 0.1 * size && distance_from_0(2) > 0.5 * size {
        return UpAxis::Y;
    }
    let is_upright = up.z > 0.6 && up.z > 2.0 * up.y.abs() && spread_z <= spread_y + 0.1 * size;
    let is_travelling = up.z > 0.15 && up.z > 0.5 * up.y.abs() && spread_y > 0.5 * size && spread_z < 0.25 * spread_y;
    if is_upright || is_travelling { UpAxis::Z } else { UpAxis::Y }
}
