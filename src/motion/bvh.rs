//! BVH: text ↔ [`Clip`]. The only module that handles Euler angles, degrees, and the units and axes of files.
//!
//! Reads the files of all common programs: any channel order, joints with 3 and with 6 channels, positions on every
//! joint, joints without channels, missing End Sites, several roots, CRLF, tabs, scientific notation, names with colons
//! or spaces, a byte order mark. Damaged files are read as far as they are sound, with a warning that says line and
//! what was done; [`ReadOptions::strict`] refuses them with line and column. Limits are the constants below; memory is
//! bounded by them and by the size of the text, never by the counts in a header.
//!
//! An unchanged clip is written as an equal file: the same joints, channels in the same order, End Sites and frame
//! time; offsets and translations that are read as the same bits; rotations within 1e-5 degrees.

mod bodies;
mod channels;
mod decide;
mod euler;
mod floor;
mod frames;
mod header;
mod hierarchy;
mod lenient;
mod options;
mod place;
mod position;
mod remarks;
mod repair;
mod rest;
mod scan;
mod statement;
mod stream;
mod write;

#[cfg(feature = "fbx")]
pub(crate) use euler::FbxAngles;
pub use options::ReadOptions;
pub use stream::Reader;
pub use write::write;

use crate::error::{Error, Result};
use crate::motion::bvh::remarks::Remarks;
use crate::motion::clip::Clip;
use crate::motion::source::Source;
use crate::motion::space::Unit;
use bodies::Body;
use frames::Rows;
use hierarchy::{FileJoint, Hierarchy};
use scan::Scanner;
use statement::Statement;

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
/// The clip of a file, its unit, and the remarks of the reader.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The motion, metres and Y up. Quaternion signs are continuous along time; w ≥ 0 in the first frame.
    pub clip: Clip,
    /// Length unit of the file.
    pub unit: Unit,
    /// Warnings, what was left out, and the reasons of what was decided.
    pub source: Source,
}

/// Reads a BVH file without options. `name` is the clip's name.
///
/// # Errors
/// Those of [`read`].
pub fn parse(name: &str, bytes: &[u8]) -> Result<Parsed> {
    read(name, bytes, &ReadOptions::default())
}

/// Reads a BVH file. `name` is the clip's name.
///
/// # Errors
/// [`Error::Bvh`] with line and column for anything malformed that cannot be read, [`Error::Limit`] over [`MAX_BYTES`],
/// [`MAX_ROTATIONS`] or [`BASE_ROTATIONS`], [`Error::Option`] for an option out of its range or an unknown root.
pub fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Parsed> {
    check_size(bytes.len())?;
    options.check()?;
    let mut scan = Scanner::new(bytes);
    let mut head = Head::read(&mut scan, bytes.len(), options)?;
    head.rows.read(&mut scan, &mut head.remarks)?;
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
    /// Joints that are read: lengths and axes of the file.
    joints: Vec<FileJoint>,
    statement: Option<Statement>,
    bodies: Vec<Body>,
    options: ReadOptions,
    rows: Rows,
    remarks: Remarks,
}

impl Head {
    /// Reads to the end of the `Frame Time:` line. `size` is the length of the whole file, bytes.
    fn read(scan: &mut Scanner, size: usize, options: &ReadOptions) -> Result<Self> {
        scan.reject_utf16()?;
        scan.skip_space();
        if scan.remaining() == 0 {
            return Err(scan.fail("the file is empty"));
        }
        let mut remarks = Remarks::default();
        let Hierarchy { joints, statement } = hierarchy::read_hierarchy(scan, options.strict, &mut remarks)?;
        let bodies = bodies::find(&joints);
        // A file of Kinestitch is one clip, with as many bodies as the clip had.
        let is_whole = statement.is_some() && options.root.is_none();
        let chosen = if is_whole { &[] } else { &bodies[..] };
        let is_read = bodies::choose(&joints, chosen, options.root.as_deref())?;
        bodies::report(&bodies, &joints, &is_read, &mut remarks);
        let rows = if scan.remaining() == 0 {
            remarks.push("the file has a skeleton and no MOTION");
            Rows::empty(DEFAULT_FRAME_TIME_SECS)
        } else {
            scan.read_keyword("MOTION")?;
            Rows::read_header(scan, &joints, &is_read, size, options.strict, &mut remarks)?
        };
        let joints = bodies::retain(joints, &is_read);
        Ok(Self { joints, statement, bodies, options: options.clone(), rows, remarks })
    }

    /// Creates the clip after all rows have been read.
    fn finish(self, name: &str) -> Result<Parsed> {
        let Self { joints, statement, bodies, options, rows, mut remarks } = self;
        let motion = rows.finish(&mut remarks);
        let placed = place::place(name, &joints, motion, statement, &options)?;
        let (mut warnings, left_out) = remarks.finish();
        warnings.extend(placed.warning);
        let bodies = bodies.into_iter().map(|body| body.name).collect();
        let source = Source { warnings, left_out, reasons: Some(placed.reasons), bodies };
        let unit = Unit::from_scale(placed.clip.skeleton().space().metres_per_unit);
        Ok(Parsed { clip: placed.clip, unit, source })
    }
}
