//! MOTION: rows of numbers → quaternions and translations. Each row is converted as it is read.

use crate::error::{Error, Result};
use crate::motion::bvh::euler::Order;
use crate::motion::bvh::hierarchy::FileJoint;
use crate::motion::bvh::scan::{Scanner, quote_word};
use crate::motion::bvh::{
    BASE_ROTATIONS, MAX_FRAME_TIME_SECS, MAX_FRAMES, MAX_ROTATIONS, MIN_FRAME_TIME_SECS, to_metres,
};
use crate::motion::quat::{with_nearest_sign, with_positive_w};
use glam::{Quat, Vec3};

/// The motion of a file in the axes of the file. Lengths in metres.
pub(super) struct Motion {
    pub frame_time_secs: f64,
    /// [frames × joints].
    pub rotations: Vec<Quat>,
    /// [frames × joints that are roots or have position channels], metres: the values of the channels; where a channel
    /// is missing, the component of the offset.
    pub translations: Vec<Vec3>,
}

/// Columns of a row that belong to one joint, and how to read them.
struct JointReader {
    order: Order,
    /// Columns of the angles, in channel order; only the first `order.angle_count()` are used.
    angles: [usize; 3],
    /// Columns of x, y and z.
    positions: [Option<usize>; 3],
    /// Offset, metres: its components replace missing position channels. `None` for joints without translations.
    offset: Option<Vec3>,
}

/// The rows read so far.
pub(super) struct Rows {
    readers: Vec<JointReader>,
    /// Values of the current row.
    row: Vec<f64>,
    metres_per_unit: f64,
    /// Number of frames in the `Frames:` line.
    declared_frames: u64,
    /// Largest number of rotations that this file may have.
    max_rotations: usize,
    motion: Motion,
}

impl Rows {
    /// Creates rows for a file without MOTION: none.
    pub(super) fn empty(frame_time_secs: f64) -> Self {
        let motion = Motion { frame_time_secs, rotations: Vec::new(), translations: Vec::new() };
        Self {
            readers: Vec::new(),
            row: Vec::new(),
            metres_per_unit: 1.0,
            declared_frames: 0,
            max_rotations: 0,
            motion,
        }
    }

    /// Reads the header, after MOTION. The whole file is `size` bytes long.
    pub(super) fn read_header(
        scan: &mut Scanner,
        joints: &[FileJoint],
        offsets: &[Vec3],
        metres_per_unit: f64,
        size: usize,
    ) -> Result<Self> {
        let (declared_frames, frame_time_secs) = read_header(scan)?;
        let mut width = 0;
        let readers: Vec<JointReader> =
            joints.iter().zip(offsets).map(|(joint, &offset)| joint_reader(joint, offset, &mut width)).collect();
        let translated = readers.iter().filter(|reader| reader.offset.is_some()).count();

        let remaining = size.saturating_sub(scan.position());
        let max_rotations = MAX_ROTATIONS.min(BASE_ROTATIONS + remaining);
        // A number takes at least two bytes, so a file cannot have more frames, whatever its header states.
        let max_frames = remaining.checked_div(2 * width).unwrap_or(0) + 1;
        let frames =
            usize::try_from(declared_frames).unwrap_or(usize::MAX).min(max_frames).min(max_rotations / joints.len());
        let motion = Motion {
            frame_time_secs,
            rotations: Vec::with_capacity(frames * joints.len()),
            translations: Vec::with_capacity(frames * translated),
        };
        Ok(Self { readers, row: vec![0.0; width], metres_per_unit, declared_frames, max_rotations, motion })
    }

    /// Reads rows to the end of the text.
    pub(super) fn read(&mut self, scan: &mut Scanner) -> Result<()> {
        let Self {
            readers, row, metres_per_unit, max_rotations, motion: Motion { rotations, translations, .. }, ..
        } = self;
        while read_row(scan, row)? {
            let found = rotations.len() + readers.len();
            if found > *max_rotations {
                let (found, limit) = (found as u64, *max_rotations as u64);
                return Err(Error::Limit { what: "joints × frames of a BVH file", found, limit });
            }
            let previous = rotations.len().checked_sub(readers.len());
            for (index, reader) in readers.iter().enumerate() {
                let rotation = reader.rotation(row);
                // Signs are continuous in time, and w is not negative in the first frame.
                rotations.push(match previous {
                    Some(previous) => with_nearest_sign(rotation, rotations[previous + index]),
                    None => with_positive_w(rotation),
                });
                if let Some(offset) = reader.offset {
                    translations.push(reader.translation(row, offset, *metres_per_unit));
                }
            }
        }
        Ok(())
    }

    /// Returns the motion of all rows.
    pub(super) fn finish(self, warnings: &mut Vec<String>) -> Motion {
        let Self { mut motion, declared_frames, readers, .. } = self;
        let rows = motion.rotations.len().checked_div(readers.len()).unwrap_or(0) as u64;
        if rows != declared_frames {
            warnings.push(format!(
                "the line Frames: states {declared_frames}, but the file has {rows} rows; all {rows} were read"
            ));
        }
        motion.rotations.shrink_to_fit();
        motion.translations.shrink_to_fit();
        motion
    }
}

/// Reads `Frames: N` and `Frame Time: secs` after MOTION. Returns the number of frames and the frame time, seconds.
fn read_header(scan: &mut Scanner) -> Result<(u64, f64)> {
    read_label(scan, &["Frames"])?;
    scan.skip_space();
    let start = scan.position();
    let declared_frames = scan.read_count()?;
    if declared_frames > MAX_FRAMES {
        return Err(scan.fail_at(start, format!("{declared_frames} frames: at most {MAX_FRAMES} are accepted")));
    }
    read_label(scan, &["Frame", "Time"])?;
    scan.skip_space();
    let start = scan.position();
    let frame_time_secs = scan.read_number()?;
    if !(MIN_FRAME_TIME_SECS..=MAX_FRAME_TIME_SECS).contains(&frame_time_secs) {
        let message = format!(
            "Frame Time must be seconds from {MIN_FRAME_TIME_SECS} to {MAX_FRAME_TIME_SECS}, not {frame_time_secs}"
        );
        return Err(scan.fail_at(start, message));
    }
    scan.skip_blanks();
    if !scan.is_line_end() {
        return Err(scan.fail("expected the end of the line after Frame Time"));
    }
    Ok((declared_frames, frame_time_secs))
}

/// Reads words and a colon; spaces before the colon are optional.
fn read_label(scan: &mut Scanner, words: &[&str]) -> Result<()> {
    scan.skip_space();
    let start = scan.position();
    for word in words {
        scan.skip_blanks();
        if !scan.skip_literal(word) {
            let found = quote_word(scan.peek_word());
            return Err(scan.fail_at(start, format!("expected \"{}:\", found {found}", words.join(" "))));
        }
    }
    scan.skip_blanks();
    if !scan.skip_literal(":") {
        return Err(scan.fail(format!("expected \":\" after \"{}\"", words.join(" "))));
    }
    Ok(())
}

/// Creates the reader of a joint whose first column is `width`, and advances `width` by its channels.
fn joint_reader(joint: &FileJoint, offset: Vec3, width: &mut usize) -> JointReader {
    let mut reader = JointReader {
        order: Order::from_channels(&joint.channels),
        angles: [0; 3],
        positions: [None; 3],
        offset: None,
    };
    let mut angle = 0;
    for channel in &joint.channels {
        if channel.is_position() {
            reader.positions[channel.axis()] = Some(*width);
        } else if let Some(column) = reader.angles.get_mut(angle) {
            *column = *width;
            angle += 1;
        }
        *width += 1;
    }
    if joint.parent.is_none() || reader.positions.iter().any(Option::is_some) {
        reader.offset = Some(offset);
    }
    reader
}

impl JointReader {
    #[inline(always)]
    fn rotation(&self, row: &[f64]) -> Quat {
        let mut degrees = [0.0; 3];
        for (degrees, &column) in degrees.iter_mut().zip(&self.angles).take(self.order.angle_count()) {
            *degrees = row[column];
        }
        self.order.compose(degrees)
    }

    #[inline(always)]
    fn translation(&self, row: &[f64], offset: Vec3, metres_per_unit: f64) -> Vec3 {
        let mut metres = offset.to_array();
        for (metres, column) in metres.iter_mut().zip(self.positions) {
            if let Some(column) = column {
                *metres = to_metres(row[column], metres_per_unit);
            }
        }
        Vec3::from_array(metres)
    }
}

/// Fills `row` from the next line that is not blank. Returns false at the end of the file.
fn read_row(scan: &mut Scanner, row: &mut [f64]) -> Result<bool> {
    scan.skip_space();
    if scan.remaining() == 0 {
        return Ok(false);
    }
    let start = scan.position();
    for column in 0..row.len() {
        scan.skip_blanks();
        if scan.is_line_end() {
            let message = match scan.remaining() {
                0 => format!("the file is cut off: the last row has {column} of {} numbers", row.len()),
                _ => format!("this row has {column} numbers; the hierarchy has {} channels", row.len()),
            };
            return Err(scan.fail_at(start, message));
        }
        row[column] = scan.read_number_here()?;
    }
    scan.skip_blanks();
    if !scan.is_line_end() {
        let message = format!("this row has more than {} numbers, one for each channel of the hierarchy", row.len());
        return Err(scan.fail(message));
    }
    Ok(true)
}
