//! Units and up axis of a file, estimated from the body: files state neither.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::UpAxis;
use glam::Vec3;

/// Length unit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Centimetres: LAFAN1, Bandai-Namco, Mixamo, Xsens, most of the field.
    Centimetre,
    /// Metres: Blender, MANN's dog.
    Metre,
    /// Inches: 3ds Max Biped, many older files.
    Inch,
    /// Anything else, such as millimetres or the CMU unit; see `FileSpace::metres_per_unit`.
    Other,
}

impl Unit {
    /// Name of the unit in the npm package and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Centimetre => "cm",
            Unit::Metre => "m",
            Unit::Inch => "inch",
            Unit::Other => "other",
        }
    }

    /// The unit of a scale, for clips that were not parsed from a file.
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
/// CMU's ASF files say `length 0.45`: inches over 0.45. BVH made from them keep that unit.
const CMU: f64 = INCH / 0.45;

/// Input of [`estimate_unit`]: one joint, lengths in file units.
pub(super) struct Bone {
    pub name: String,
    pub parent: Option<usize>,
    /// Length of OFFSET.
    pub length: f64,
    /// Longest End Site.
    pub end_length: f64,
}

/// Metres in one file unit, and a warning where that is uncertain.
///
/// The measure is the longest path through the body from tip to tip (hand to foot in people: 1.9 to 2.6 m), because a
/// rest pose may lay all bones along one axis. Offsets that only place the root are ignored.
pub(super) fn estimate_unit(bones: &[Bone]) -> (f64, Option<String>) {
    let mut span = longest_path(bones, true);
    if span == 0.0 {
        span = longest_path(bones, false);
    }
    let has = |part: &str| bones.iter().any(|bone| contains(&bone.name, part));
    let unsure = |metres_per_unit: f64, word: &str| {
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
        s if s < 0.1 => unsure(1.0, "metres"),
        s if s < 6.0 => (1.0, None),
        s if s < 10.0 => unsure(1.0, "metres"),
        s if (20.0..65.0).contains(&s) && has("lhipjoint") && has("lowerback") => (CMU, None),
        s if s < 60.0 => unsure(CENTIMETRE, "centimetres"),
        s if (100.0..130.0).contains(&s) && animal => (CENTIMETRE, None),
        s if s < 120.0 && human && !animal => (INCH, None),
        s if s < 130.0 => unsure(CENTIMETRE, "centimetres"),
        s if s < 700.0 => (CENTIMETRE, None),
        s if s < 1200.0 => unsure(CENTIMETRE, "centimetres"),
        s if s < 6000.0 => (MILLIMETRE, None),
        _ => unsure(CENTIMETRE, "centimetres"),
    }
}

/// Longest path between two tips of a tree, in file units. With `body_only`, the offsets between a root and the first
/// joint with several children are left out: they place the body and do not measure it.
fn longest_path(bones: &[Bone], body_only: bool) -> f64 {
    let mut children = vec![0usize; bones.len()];
    for parent in bones.iter().filter_map(|bone| bone.parent) {
        children[parent] += 1;
    }
    // Whether every joint above has only one child.
    let mut unbranched = vec![true; bones.len()];
    for (index, bone) in bones.iter().enumerate() {
        unbranched[index] = bone.parent.is_none_or(|parent| unbranched[parent] && children[parent] == 1);
    }
    let mut below: Vec<f64> = bones.iter().map(|bone| bone.end_length).collect();
    let mut longest = 0.0f64;
    for (index, bone) in bones.iter().enumerate().rev() {
        longest = longest.max(below[index]);
        let Some(parent) = bone.parent else { continue };
        let length = if body_only && unbranched[index] { 0.0 } else { bone.length };
        let arm = below[index] + length;
        longest = longest.max(below[parent] + arm);
        below[parent] = below[parent].max(arm);
    }
    longest
}

fn contains(name: &str, part: &str) -> bool {
    name.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Vertical axis of a clip whose data is still in file axes; a few frames spread over the motion are enough.
///
/// Z only on clear evidence, of one of two kinds. Stance: the head is above the feet along z, and the z of the lowest
/// joint is at least as constant as its y (not so for a person lying along z). Travel: the head is above the feet
/// along z, and the lowest joint moves far along y at a constant z (a dog, or a crawling person).
pub(super) fn estimate_up_axis(clip: &Clip) -> UpAxis {
    let joints = clip.skeleton().joints();
    let named = |parts: &[&str]| -> Vec<usize> {
        let hit = |name: &str| parts.iter().any(|part| contains(name, part));
        (0..joints.len()).filter(|&j| hit(&joints[j].name)).collect()
    };
    let (heads, feet) = (named(&["head", "neck"]), named(&["foot", "toe", "ankle", "paw", "hoof"]));
    if clip.frames() == 0 || heads.is_empty() || feet.is_empty() {
        return UpAxis::Y;
    }
    let mut pose = Pose::default();
    let mut up = Vec3::ZERO;
    let mut lowest = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        let mean = |of: &[usize]| of.iter().map(|&j| pose.world_positions[j]).sum::<Vec3>() / of.len() as f32;
        up += mean(&heads) - mean(&feet);
        lowest.push(pose.world_positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p)));
    }
    let size = up.length() / clip.frames() as f32;
    let up = up.normalize_or_zero();
    let spread = |axis: usize| {
        let values = lowest.iter().map(|low| low[axis]);
        values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
    };
    let (low_y, low_z) = (spread(1), spread(2));
    let is_upright = up.z > 0.6 && up.z > 2.0 * up.y.abs() && low_z <= low_y + 0.1 * size;
    let travels = up.z > 0.15 && up.z > 0.5 * up.y.abs() && low_y > 0.5 * size && low_z < 0.25 * low_y;
    if is_upright || travels { UpAxis::Z } else { UpAxis::Y }
}
