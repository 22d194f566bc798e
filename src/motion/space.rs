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
    /// Millimetres.
    Millimetre,
    /// Decimetres.
    Decimetre,
    /// Feet.
    Foot,
    /// Anything else, such as the CMU unit; see `FileSpace::metres_per_unit`.
    Other,
}

impl Unit {
    /// Returns the name of the unit in the npm package and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Centimetre => "cm",
            Unit::Metre => "m",
            Unit::Inch => "inch",
            Unit::Millimetre => "mm",
            Unit::Decimetre => "dm",
            Unit::Foot => "ft",
            Unit::Other => "other",
        }
    }

    /// Returns the number of metres in the unit of this name.
    pub fn metres_of(name: &str) -> Option<f64> {
        match name {
            "cm" => Some(CENTIMETRE),
            "m" => Some(1.0),
            "inch" => Some(INCH),
            "mm" => Some(MILLIMETRE),
            "dm" => Some(DECIMETRE),
            "ft" => Some(FOOT),
            _ => None,
        }
    }

    /// Returns the unit with this number of metres.
    pub fn from_scale(metres_per_unit: f64) -> Self {
        let near = |value: f64| (metres_per_unit / value - 1.0).abs() < 1e-6;
        match metres_per_unit {
            _ if near(CENTIMETRE) => Unit::Centimetre,
            _ if near(1.0) => Unit::Metre,
            _ if near(INCH) => Unit::Inch,
            _ if near(MILLIMETRE) => Unit::Millimetre,
            _ if near(DECIMETRE) => Unit::Decimetre,
            _ if near(FOOT) => Unit::Foot,
            _ => Unit::Other,
        }
    }
}

const CENTIMETRE: f64 = 0.01;
const INCH: f64 = 0.0254;
const MILLIMETRE: f64 = 0.001;
const DECIMETRE: f64 = 0.1;
const FOOT: f64 = 0.3048;
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

/// Kind of body that the shape of a rest pose shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Person,
    Animal,
}

/// An estimated unit.
pub(super) struct UnitEstimate {
    pub metres_per_unit: f64,
    /// The reason, for `info`.
    pub reason: String,
    /// A doubt, one sentence.
    pub warning: Option<String>,
}

/// Estimates the number of metres in one file unit. `shape`: what the rest pose shows; names decide without it.
///
/// The measure is the longest path along the bones from tip to tip (hand to foot in people: 1.9 to 2.6 m), not the
/// height, because a rest pose may lay all bones along one axis. Offsets that only place the root are ignored.
pub(super) fn estimate_unit(bones: &[Bone], shape: Option<Class>) -> UnitEstimate {
    let mut span = longest_path(bones, true);
    if span == 0.0 {
        span = longest_path(bones, false);
    }
    let has = |part: &str| bones.iter().any(|bone| contains(&bone.name, part));
    let named_animal = has("tail") || has("paw") || has("hoof");
    let named_human = has("head") && ["hip", "pelvis", "thigh", "leg"].into_iter().any(has);
    let animal = named_animal || shape == Some(Class::Animal);
    let human = !animal && (named_human || shape == Some(Class::Person));
    let is_cmu = has("lhipjoint") && has("lowerback");
    let (metres_per_unit, is_clear) = unit_of_span(span, human, animal, is_cmu);
    let metres = span * metres_per_unit;
    let word = match Unit::from_scale(metres_per_unit) {
        Unit::Centimetre => "centimetres",
        Unit::Metre => "metres",
        Unit::Inch => "inches",
        Unit::Millimetre => "millimetres",
        Unit::Decimetre => "decimetres",
        Unit::Foot => "feet",
        Unit::Other => "the CMU unit",
    };
    let warning = match span {
        s if s <= 0.0 => Some("unit unclear: the skeleton has no bone lengths; read as centimetres".to_owned()),
        _ if is_clear => None,
        _ => Some(format!(
            "unit unclear: read as {word}, which makes the body {metres:.2} m from tip to tip; the option unit corrects it"
        )),
    };
    let reason = format!("{} units from tip to tip make a body of {metres:.2} m", rounded(span));
    UnitEstimate { metres_per_unit, reason, warning }
}

/// Rounds to five digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// Returns the number of metres in a unit by the length of the longest path, and whether it is clear.
fn unit_of_span(span: f64, human: bool, animal: bool, is_cmu: bool) -> (f64, bool) {
    match span {
        s if s < 0.1 => (if s <= 0.0 { CENTIMETRE } else { 1.0 }, false),
        s if s < 6.0 => (1.0, true),
        s if s < 9.5 && human => (FOOT, false),
        s if s < 10.0 => (1.0, false),
        s if (20.0..65.0).contains(&s) && is_cmu => (CMU, true),
        s if (10.0..34.0).contains(&s) && human => (DECIMETRE, (14.0..32.0).contains(&s)),
        s if s < 60.0 => (CENTIMETRE, false),
        s if (100.0..130.0).contains(&s) && animal => (CENTIMETRE, true),
        s if s < 120.0 && human => (INCH, true),
        s if s < 130.0 => (CENTIMETRE, false),
        s if s < 700.0 => (CENTIMETRE, true),
        s if s < 1200.0 => (CENTIMETRE, false),
        s if s < 6000.0 => (MILLIMETRE, true),
        _ => (CENTIMETRE, false),
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
///
/// Returns the axis and the reason.
pub(super) fn estimate_up_axis(clip: &Clip) -> (UpAxis, &'static str) {
    let joints = clip.skeleton().joints();
    let joints_named = |parts: &[&str]| -> Vec<usize> {
        let matches = |name: &str| parts.iter().any(|part| contains(name, part));
        (0..joints.len()).filter(|&j| matches(&joints[j].name)).collect()
    };
    let (heads, feet) = (joints_named(&["head", "neck"]), joints_named(&["foot", "toe", "ankle", "paw", "hoof"]));
    if clip.frames() == 0 || heads.is_empty() || feet.is_empty() {
        return (UpAxis::Y, "the usual axis; nothing in the file contradicts");
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
        return (UpAxis::Y, "the lowest joint is at 0 along y, and far from 0 along z");
    }
    let is_upright = up.z > 0.6 && up.z > 2.0 * up.y.abs() && spread_z <= spread_y + 0.1 * size;
    let is_travelling = up.z > 0.15 && up.z > 0.5 * up.y.abs() && spread_y > 0.5 * size && spread_z < 0.25 * spread_y;
    match is_upright || is_travelling {
        true => (UpAxis::Z, "the joints named after the head are above those named after feet along z"),
        false => (UpAxis::Y, "the joints named after head and feet do not speak for z"),
    }
}
