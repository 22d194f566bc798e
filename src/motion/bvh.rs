//! BVH: text ↔ [`Clip`]. The only module that handles Euler angles, degrees, and the units and axes of files.
//!
//! Reads the files of all common programs: any channel order, joints with 3 and with 6 channels, positions on every
//! joint, joints without channels, missing End Sites, several roots, CRLF, tabs, scientific notation, names with colons
//! or spaces, a byte order mark. Everything else is refused with line and column. Limits are the constants below;
//! memory is bounded by them and by the size of the text, never by the counts in a header.
//!
//! An unchanged clip is written as an equal file: the same joints, channels in the same order, End Sites and frame
//! time; offsets and translations that are read as the same bits; rotations within 1e-5 degrees.

mod euler;
mod frames;
mod hierarchy;
mod position;
mod scan;
mod stream;
mod write;

pub use stream::Reader;
pub use write::write;

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::skeleton::{FileSpace, Joint, PositionMode, Skeleton, UpAxis};
use crate::motion::space::{self, Bone, Unit};
use frames::{Motion, Rows};
use glam::{Quat, Vec3};
use hierarchy::FileJoint;
use scan::Scanner;
use std::sync::Arc;

/// Largest file, bytes.
pub const MAX_BYTES: usize = 1 << 30;
/// Largest number of joints in a file.
pub const MAX_JOINTS: usize = 4096;
/// Largest depth of nested joints.
pub const MAX_DEPTH: usize = 512;
/// Largest number of frames that the header of a file may state.
pub const MAX_FRAMES: u64 = 1 << 22;
/// Largest joints × frames of a file: half a gigabyte of quaternions.
pub const MAX_ROTATIONS: usize = 1 << 25;
/// Joints × frames that any file may have; each byte of its rows allows one more rotation. Real files have one rotation
/// in ten to thirty bytes. Only a malicious file has more: thousands of joints without channels, one digit in each row.
pub const BASE_ROTATIONS: usize = 1 << 20;
/// Largest magnitude of a number, in file units or degrees.
pub const MAX_VALUE: f64 = 1e9;
/// Shortest frame time, seconds.
pub const MIN_FRAME_TIME_SECS: f64 = 1e-5;
/// Longest frame time, seconds.
pub const MAX_FRAME_TIME_SECS: f64 = 60.0;

/// Frame time of a file without MOTION, seconds.
const DEFAULT_FRAME_TIME_SECS: f64 = 1.0 / 30.0;
/// Number of frames that are read to find the up axis.
const UP_AXIS_FRAMES: usize = 24;

/// The clip of a file, its estimated unit, and the warnings of the reader.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The motion, metres and Y up. Quaternion signs are continuous along time; w ≥ 0 in the first frame.
    pub clip: Clip,
    /// Length unit of the file, estimated from the size of the body.
    pub unit: Unit,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads a BVH file. `name` is the clip's name.
///
/// # Errors
/// [`Error::Bvh`] with line and column for anything malformed, [`Error::Limit`] over [`MAX_BYTES`], [`MAX_ROTATIONS`]
/// or [`BASE_ROTATIONS`].
pub fn parse(name: &str, bytes: &[u8]) -> Result<Parsed> {
    check_size(bytes.len())?;
    let mut scan = Scanner::new(bytes);
    let mut head = Head::read(&mut scan, bytes.len())?;
    head.rows.read(&mut scan)?;
    head.finish(name)
}

fn check_size(size: usize) -> Result<()> {
    if size <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::Limit { what: "bytes of a BVH file", found: size as u64, limit: MAX_BYTES as u64 })
}

/// The header, and the rows read so far.
struct Head {
    /// Joints: lengths in metres, axes of the file.
    joints: Vec<Joint>,
    metres_per_unit: f64,
    rows: Rows,
    warnings: Vec<String>,
}

impl Head {
    /// Reads to the end of the `Frame Time:` line. `size` is the length of the whole file, bytes.
    fn read(scan: &mut Scanner, size: usize) -> Result<Self> {
        scan.reject_utf16()?;
        scan.skip_space();
        if scan.remaining() == 0 {
            return Err(scan.fail("the file is empty"));
        }
        let mut warnings = Vec::new();
        let file_joints = hierarchy::read_hierarchy(scan, &mut warnings)?;
        let (metres_per_unit, unit_warning) = estimate_unit(&file_joints);
        warnings.extend(unit_warning);
        let joints: Vec<Joint> = file_joints.iter().map(|joint| to_joint(joint, metres_per_unit)).collect();
        let offsets: Vec<Vec3> = joints.iter().map(|joint| joint.offset).collect();
        let rows = if scan.remaining() == 0 {
            warnings.push("the file has a skeleton and no MOTION".to_owned());
            Rows::empty(DEFAULT_FRAME_TIME_SECS)
        } else {
            scan.read_keyword("MOTION")?;
            Rows::read_header(scan, &file_joints, &offsets, metres_per_unit, size)?
        };
        Ok(Self { joints, metres_per_unit, rows, warnings })
    }

    /// Creates the clip after all rows have been read.
    fn finish(self, name: &str) -> Result<Parsed> {
        let Self { mut joints, metres_per_unit, rows, mut warnings } = self;
        let mut motion = rows.finish(&mut warnings);
        add_offsets(&mut joints, &mut motion.translations);
        let mut file_space = FileSpace { metres_per_unit, up: UpAxis::Y };
        if space::estimate_up_axis(&sample_frames(&joints, file_space, &motion)?) == UpAxis::Z {
            file_space.up = UpAxis::Z;
            convert_to_y_up(&mut joints, &mut motion);
        }
        let skeleton = Arc::new(Skeleton::new(joints, file_space)?);
        let clip = Clip::new(name, skeleton, motion.frame_time_secs, motion.rotations, motion.translations)?;
        Ok(Parsed { clip, unit: Unit::from_scale(metres_per_unit), warnings })
    }
}

fn estimate_unit(joints: &[FileJoint]) -> (f64, Option<String>) {
    let length = |v: &[f64; 3]| v[0].hypot(v[1]).hypot(v[2]);
    let bone = |joint: &FileJoint| Bone {
        name: joint.name.clone(),
        parent: joint.parent,
        length: length(&joint.offset),
        end_length: joint.end_sites.iter().map(length).fold(0.0, f64::max),
    };
    space::estimate_unit(&joints.iter().map(bone).collect::<Vec<_>>())
}

fn to_joint(joint: &FileJoint, metres_per_unit: f64) -> Joint {
    let vector = |v: &[f64; 3]| Vec3::from_array(v.map(|value| to_metres(value, metres_per_unit)));
    Joint {
        name: joint.name.clone(),
        parent: joint.parent,
        offset: vector(&joint.offset),
        channels: joint.channels.clone(),
        position_mode: PositionMode::Replace,
        end_sites: joint.end_sites.iter().map(vector).collect(),
    }
}

/// Converts file units to metres. The only such conversion: the writer looks for text that this function converts to
/// the same bits.
fn to_metres(value: f64, metres_per_unit: f64) -> f32 {
    (value * metres_per_unit) as f32
}

/// Decides the [`PositionMode`] of each joint, and adds the offset to the values of `Add` joints.
fn add_offsets(joints: &mut [Joint], translations: &mut [Vec3]) {
    let has_position = |joint: &Joint| joint.channels.iter().any(|c| c.is_position());
    let translated: Vec<usize> =
        (0..joints.len()).filter(|&j| joints[j].parent.is_none() || has_position(&joints[j])).collect();
    let width = translated.len();
    for roots in [true, false] {
        let slots = || (0..width).filter(|&slot| joints[translated[slot]].parent.is_none() == roots);
        let votes = slots().filter(|&slot| has_position(&joints[translated[slot]])).map(|slot| {
            let values = translations.iter().skip(slot).step_by(width).copied();
            position::classify(joints[translated[slot]].offset, values)
        });
        if position::choose_mode(votes) == PositionMode::Replace {
            continue;
        }
        for slot in slots().collect::<Vec<_>>() {
            let joint = &mut joints[translated[slot]];
            joint.position_mode = PositionMode::Add;
            for axis in joint.channels.iter().filter(|c| c.is_position()).map(|c| c.axis()) {
                for translation in translations.iter_mut().skip(slot).step_by(width) {
                    translation[axis] += joint.offset[axis];
                }
            }
        }
    }
}

/// Returns up to [`UP_AXIS_FRAMES`] frames, spread over the motion, as a clip in file axes.
fn sample_frames(joints: &[Joint], file_space: FileSpace, motion: &Motion) -> Result<Clip> {
    let skeleton = Arc::new(Skeleton::new(joints.to_vec(), file_space)?);
    let (width, translations_per_frame) = (joints.len(), skeleton.translated().len());
    let frames = motion.rotations.len() / width;
    let count = frames.min(UP_AXIS_FRAMES);
    let sampled_frames = (0..count).map(|i| i * (frames - 1) / count.max(2).saturating_sub(1));
    let rotations = sampled_frames.clone().flat_map(|f| &motion.rotations[f * width..][..width]).copied().collect();
    let translations = sampled_frames
        .flat_map(|f| &motion.translations[f * translations_per_frame..][..translations_per_frame])
        .copied()
        .collect();
    Clip::new("", skeleton, motion.frame_time_secs, rotations, translations)
}

/// Converts Z up to Y up in place: (x, y, z) → (x, z, −y).
fn convert_to_y_up(joints: &mut [Joint], motion: &mut Motion) {
    let to_y_up = |v: &mut Vec3| *v = Vec3::new(v.x, v.z, -v.y);
    for joint in joints {
        to_y_up(&mut joint.offset);
        joint.end_sites.iter_mut().for_each(to_y_up);
    }
    motion.translations.iter_mut().for_each(to_y_up);
    motion.rotations.iter_mut().for_each(|q| *q = Quat::from_xyzw(q.x, q.z, -q.y, q.w));
}
