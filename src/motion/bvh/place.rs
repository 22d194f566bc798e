//! File units and axes → a clip in metres and Y up.

use crate::error::Result;
use crate::motion::bvh::decide::{Evidence, reasons};
use crate::motion::bvh::frames::Motion;
use crate::motion::bvh::hierarchy::FileJoint;
use crate::motion::bvh::options::ReadOptions;
use crate::motion::bvh::position;
use crate::motion::bvh::rest::Rest;
use crate::motion::bvh::statement::Statement;
use crate::motion::clip::Clip;
use crate::motion::skeleton::{FileSpace, Joint, PositionMode, Skeleton, UpAxis};
use crate::motion::source::Reasons;
use glam::{DVec3, Quat, Vec3};
use std::sync::Arc;

/// Number of pairs of frames that are looked at, spread over the motion.
const SAMPLES: usize = 64;

/// A clip, and how its file was understood.
pub(super) struct Placed {
    pub clip: Clip,
    pub reasons: Reasons,
    /// A doubt about the unit.
    pub warning: Vec<String>,
}

/// Converts a motion to metres and Y up.
pub(super) fn place(
    name: &str,
    file_joints: &[FileJoint],
    motion: Motion,
    statement: Option<Statement>,
    options: &ReadOptions,
) -> Result<Placed> {
    let evidence = Evidence { joints: file_joints, options, statement, rest: Rest::measure(file_joints) };
    let mut warning = Vec::new();
    let unit = evidence.unit(&lengths(file_joints, &motion), &mut warning);
    let mut joints: Vec<Joint> = file_joints.iter().map(|joint| to_joint(joint, unit.0)).collect();
    let Motion { frame_time_secs, mut rotations, translations } = motion;
    let mut translations: Vec<Vec3> =
        translations.iter().map(|v| Vec3::from_array(v.to_array().map(|value| to_metres(value, unit.0)))).collect();

    let others = match statement {
        Some(statement) => Some(statement.others),
        None => vote(&joints, &translations, false),
    };
    if others == Some(PositionMode::Add) {
        add_offsets(&mut joints, &mut translations, false);
    }
    let samples = sample(&joints, frame_time_secs, (&rotations, &translations))?;
    let up = evidence.up(&samples);
    let root_offset = evidence.root_offset(vote(&joints, &translations, true), up.0, &samples);
    if root_offset.0 == PositionMode::Add {
        add_offsets(&mut joints, &mut translations, true);
    }
    if up.0 == UpAxis::Z {
        convert_to_y_up(&mut joints, &mut translations, &mut rotations);
    }
    let space = FileSpace { metres_per_unit: unit.0, up: up.0 };
    let skeleton = Arc::new(Skeleton::new(joints, space)?);
    let clip = Clip::new(name, skeleton, frame_time_secs, rotations, translations)?;
    Ok(Placed { clip, reasons: reasons(unit, up, root_offset), warning })
}

/// Converts file units to metres. The only such conversion: the writer looks for text that this function converts to
/// the same bits.
pub(super) fn to_metres(value: f64, metres_per_unit: f64) -> f32 {
    (value * metres_per_unit) as f32
}

fn to_joint(joint: &FileJoint, metres_per_unit: f64) -> Joint {
    let vector = |v: &[f64; 3]| Vec3::from_array(v.map(|value| to_metres(value, metres_per_unit)));
    Joint {
        name: joint.name.clone(),
        parent: joint.parent,
        offset: vector(&joint.offset),
        channels: joint.channels(),
        position_mode: PositionMode::Replace,
        end_sites: joint.end_sites.iter().map(vector).collect(),
    }
}

/// Returns the distance of each joint from its parent, file units: the length of its OFFSET; if all offsets are 0, the
/// length of its translation in the first frame.
fn lengths(joints: &[FileJoint], motion: &Motion) -> Vec<f64> {
    let offset = |joint: &FileJoint| DVec3::from_array(joint.offset).length();
    let has_offsets = joints.iter().any(|joint| {
        let sites = joint.end_sites.iter().any(|site| DVec3::from_array(*site) != DVec3::ZERO);
        sites || (joint.parent.is_some() && offset(joint) > 0.0)
    });
    if has_offsets || motion.translations.is_empty() {
        return joints.iter().map(offset).collect();
    }
    let mut translations = motion.translations.iter();
    let is_translated =
        |joint: &FileJoint| joint.parent.is_none() || joint.columns.iter().flatten().any(|c| c.is_position());
    let length = |joint: &FileJoint| match is_translated(joint) {
        true => translations.next().map_or(0.0, |translation| translation.length()),
        false => 0.0,
    };
    joints.iter().map(length).collect()
}

/// Returns the joints with translations that are roots, or the others, each with its slot.
fn slots(joints: &[Joint], roots: bool) -> (Vec<(usize, usize)>, usize) {
    let has_position = |joint: &Joint| joint.channels.iter().any(|c| c.is_position());
    let translated: Vec<usize> =
        (0..joints.len()).filter(|&j| joints[j].parent.is_none() || has_position(&joints[j])).collect();
    let width = translated.len();
    let slots = translated.into_iter().enumerate().map(|(slot, joint)| (joint, slot));
    (slots.filter(|&(joint, _)| joints[joint].parent.is_none() == roots).collect(), width)
}

/// Returns the [`PositionMode`] that the values of the roots, or of the other joints, support.
fn vote(joints: &[Joint], translations: &[Vec3], roots: bool) -> Option<PositionMode> {
    let (slots, width) = slots(joints, roots);
    let has_position = |joint: usize| joints[joint].channels.iter().any(|c| c.is_position());
    let votes = slots.into_iter().filter(|&(joint, _)| has_position(joint)).map(|(joint, slot)| {
        let values = translations.iter().skip(slot).step_by(width).copied();
        position::classify(joints[joint].offset, values)
    });
    position::choose_mode(votes)
}

/// Adds the OFFSET to the values of the roots, or of the other joints.
fn add_offsets(joints: &mut [Joint], translations: &mut [Vec3], roots: bool) {
    let (slots, width) = slots(joints, roots);
    for (joint, slot) in slots {
        let joint = &mut joints[joint];
        joint.position_mode = PositionMode::Add;
        for axis in joint.channels.iter().filter(|c| c.is_position()).map(|c| c.axis()) {
            for translation in translations.iter_mut().skip(slot).step_by(width) {
                translation[axis] += joint.offset[axis];
            }
        }
    }
}

/// Returns pairs of frames, spread over the motion, as a clip in file axes: a frame, and the one a thirtieth of a second
/// later, which is the clip's frame time.
fn sample(joints: &[Joint], frame_time_secs: f64, motion: (&[Quat], &[Vec3])) -> Result<Clip> {
    let (all_rotations, all_translations) = motion;
    let skeleton = Arc::new(Skeleton::new(joints.to_vec(), FileSpace::default())?);
    let (joints, width) = (joints.len(), skeleton.translated().len());
    let frames = all_rotations.len() / joints;
    let step = ((1.0 / 30.0 / frame_time_secs).round().max(1.0) as usize).min(frames.saturating_sub(1)).max(1);
    let count = SAMPLES.min(frames);
    let first = |i: usize| i * frames.saturating_sub(1 + step) / count.saturating_sub(1).max(1);
    let pairs = (0..count).map(first).flat_map(|frame| [frame, (frame + step).min(frames - 1)]);
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in pairs {
        rotations.extend_from_slice(&all_rotations[frame * joints..][..joints]);
        translations.extend_from_slice(&all_translations[frame * width..][..width]);
    }
    Clip::new("", skeleton, step as f64 * frame_time_secs, rotations, translations)
}

/// Converts Z up to Y up in place: (x, y, z) → (x, z, −y).
fn convert_to_y_up(joints: &mut [Joint], translations: &mut [Vec3], rotations: &mut [Quat]) {
    let to_y_up = |v: &mut Vec3| *v = Vec3::new(v.x, v.z, -v.y);
    for joint in joints {
        to_y_up(&mut joint.offset);
        joint.end_sites.iter_mut().for_each(to_y_up);
    }
    translations.iter_mut().for_each(to_y_up);
    rotations.iter_mut().for_each(|q| *q = Quat::from_xyzw(q.x, q.z, -q.y, q.w));
}
