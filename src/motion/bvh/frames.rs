//! MOTION: rows of numbers → quaternions and translations. Each row is converted as it is read.

use crate::error::{Error, Result};
use crate::motion::bvh::euler::Order;
use crate::motion::bvh::header;
use crate::motion::bvh::hierarchy::FileJoint;
use crate::motion::bvh::remarks::Remarks;
use crate::motion::bvh::repair::{Gaps, Repair};
use crate::motion::bvh::scan::Scanner;
use crate::motion::bvh::{BASE_ROTATIONS, MAX_ROTATIONS};
use crate::motion::quat::{with_nearest_sign, with_positive_w};
use glam::{DVec3, Quat};

/// The motion of a file in the axes and units of the file.
pub(super) struct Motion {
    pub frame_time_secs: f64,
    /// [frames × joints].
    pub rotations: Vec<Quat>,
    /// [frames × joints that are roots or have position channels], file units: the values of the channels; where a
    /// channel is missing, the component of the offset.
    pub translations: Vec<DVec3>,
}

/// Columns of a row that belong to one joint, and how to read them.
struct JointReader {
    order: Order,
    /// Columns of the angles, in channel order; only the first `order.angle_count()` are used.
    angles: [usize; 3],
    /// Columns of x, y and z.
    positions: [Option<usize>; 3],
    /// Offset, file units: its components replace missing position channels. `None` for joints without translations.
    offset: Option<DVec3>,
}

/// The rows read so far.
pub(super) struct Rows {
    readers: Vec<JointReader>,
    /// Values of the current row.
    row: Vec<f64>,
    /// Number of frames in the `Frames:` line.
    declared_frames: Option<u64>,
    /// Largest number of rotations that this file may have.
    max_rotations: usize,
    strict: bool,
    repair: Repair,
    gaps: Gaps,
    motion: Motion,
}

impl Rows {
    /// Creates rows for a file without MOTION: none.
    pub(super) fn empty(frame_time_secs: f64) -> Self {
        let motion = Motion { frame_time_secs, rotations: Vec::new(), translations: Vec::new() };
        Self {
            readers: Vec::new(),
            row: Vec::new(),
            declared_frames: None,
            max_rotations: 0,
            strict: false,
            repair: Repair::default(),
            gaps: Gaps::default(),
            motion,
        }
    }

    /// Reads the header, after MOTION. The whole file is `size` bytes long. Only joints of `is_read` are read.
    pub(super) fn read_header(
        scan: &mut Scanner,
        joints: &[FileJoint],
        is_read: &[bool],
        size: usize,
        strict: bool,
        remarks: &mut Remarks,
    ) -> Result<Self> {
        let (declared_frames, frame_time_secs) = header::read(scan, strict, remarks)?;
        let mut width = 0;
        let readers: Vec<JointReader> = joints.iter().map(|joint| joint_reader(joint, &mut width)).collect();
        let readers: Vec<JointReader> =
            readers.into_iter().zip(is_read).filter(|(_, is_read)| **is_read).map(|(reader, _)| reader).collect();
        let translated = readers.iter().filter(|reader| reader.offset.is_some()).count();

        let remaining = size.saturating_sub(scan.position());
        let max_rotations = MAX_ROTATIONS.min(BASE_ROTATIONS + remaining);
        // A number takes at least two bytes, so a file cannot have more frames, whatever its header states.
        let max_frames = remaining.checked_div(2 * width).unwrap_or(0) + 1;
        let frames = usize::try_from(declared_frames.unwrap_or(0)).unwrap_or(usize::MAX);
        let frames = frames.min(max_frames).min(max_rotations / readers.len().max(1));
        let motion = Motion {
            frame_time_secs,
            rotations: Vec::with_capacity(frames * readers.len()),
            translations: Vec::with_capacity(frames * translated),
        };
        let rows = Self::empty(frame_time_secs);
        Ok(Self { readers, row: vec![0.0; width], declared_frames, max_rotations, strict, motion, ..rows })
    }

    /// Reads rows to the end of the text.
    pub(super) fn read(&mut self, scan: &mut Scanner, remarks: &mut Remarks) -> Result<()> {
        let mut row = std::mem::take(&mut self.row);
        loop {
            scan.skip_space();
            if scan.remaining() == 0 {
                self.row = row;
                return Ok(());
            }
            let start = scan.position();
            let begins_row = self.repair.is_idle();
            match if begins_row { read_row(scan, &mut row) } else { Ok(false) } {
                Ok(true) => self.push(&row, false)?,
                Err(error) if self.strict => return Err(error),
                _ => {
                    scan.rewind(start);
                    let mut repair = std::mem::take(&mut self.repair);
                    repair.read_line(scan, row.len(), remarks, |row| self.push(row, true))?;
                    self.repair = repair;
                }
            }
        }
    }

    /// Appends a row. With `may_have_gaps`, NaN stands for a missing value.
    #[inline(always)]
    fn push(&mut self, row: &[f64], may_have_gaps: bool) -> Result<()> {
        let Self { readers, max_rotations, gaps, motion: Motion { rotations, translations, .. }, .. } = self;
        let found = rotations.len() + readers.len();
        if found > *max_rotations {
            let (found, limit) = (found as u64, *max_rotations as u64);
            return Err(Error::Limit { what: "joints × frames of a BVH file", found, limit });
        }
        let previous = rotations.len().checked_sub(readers.len());
        let (first, first_slot) = (rotations.len(), translations.len());
        for (index, reader) in readers.iter().enumerate() {
            let rotation = reader.rotation(row);
            // Signs are continuous in time, and w is not negative in the first frame.
            rotations.push(match previous {
                Some(previous) => with_nearest_sign(rotation, rotations[previous + index]),
                None => with_positive_w(rotation),
            });
            if let Some(offset) = reader.offset {
                translations.push(reader.translation(row, offset));
            }
        }
        if may_have_gaps && row.iter().any(|value| value.is_nan()) {
            let frame = first / readers.len();
            mark_gaps(readers, frame, (rotations, first), (translations, first_slot), gaps);
        }
        Ok(())
    }

    /// Returns the motion of all rows.
    pub(super) fn finish(self, remarks: &mut Remarks) -> Motion {
        let Self { mut motion, declared_frames, readers, row, repair, gaps, .. } = self;
        repair.finish(row.len(), remarks);
        let rows = motion.rotations.len().checked_div(readers.len()).unwrap_or(0) as u64;
        if let Some(declared) = declared_frames.filter(|&declared| declared != rows) {
            remarks.push(format!(
                "the line Frames: states {declared}, but the file has {rows} rows; all {rows} were read"
            ));
        }
        let translated = readers.iter().filter(|reader| reader.offset.is_some()).count();
        gaps.fill((readers.len(), translated), &mut motion.rotations, &mut motion.translations);
        motion.rotations.shrink_to_fit();
        motion.translations.shrink_to_fit();
        motion
    }
}

/// Records the values of a frame that are missing, and puts those of the frame before in their place. `first` and
/// `first_slot`: indices of the frame's first rotation and translation.
#[cold]
fn mark_gaps(
    readers: &[JointReader],
    frame: usize,
    (rotations, first): (&mut [Quat], usize),
    (translations, first_slot): (&mut [DVec3], usize),
    gaps: &mut Gaps,
) {
    let mut slot = 0;
    let width = readers.iter().filter(|reader| reader.offset.is_some()).count();
    for (index, reader) in readers.iter().enumerate() {
        if !rotations[first + index].is_finite() {
            gaps.rotations.push((frame, index));
            let before = (first + index).checked_sub(readers.len());
            rotations[first + index] = before.map_or(Quat::IDENTITY, |before| rotations[before]);
        }
        let Some(offset) = reader.offset else { continue };
        if !translations[first_slot + slot].is_finite() {
            gaps.translations.push((frame, slot));
            let before = (first_slot + slot).checked_sub(width);
            translations[first_slot + slot] = before.map_or(offset, |before| translations[before]);
        }
        slot += 1;
    }
}

/// Creates the reader of a joint whose first column is `width`, and advances `width` by its channels.
fn joint_reader(joint: &FileJoint, width: &mut usize) -> JointReader {
    let mut reader = JointReader {
        order: Order::from_channels(&joint.channels()),
        angles: [0; 3],
        positions: [None; 3],
        offset: None,
    };
    let mut angle = 0;
    for column in &joint.columns {
        let Some(channel) = column else {
            *width += 1;
            continue;
        };
        if channel.is_position() {
            reader.positions[channel.axis()] = Some(*width);
        } else if let Some(column) = reader.angles.get_mut(angle) {
            *column = *width;
            angle += 1;
        }
        *width += 1;
    }
    if joint.parent.is_none() || reader.positions.iter().any(Option::is_some) {
        reader.offset = Some(DVec3::from_array(joint.offset));
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
    fn translation(&self, row: &[f64], offset: DVec3) -> DVec3 {
        let mut values = offset.to_array();
        for (value, column) in values.iter_mut().zip(self.positions) {
            if let Some(column) = column {
                *value = row[column];
            }
        }
        DVec3::from_array(values)
    }
}

/// Fills `row` from the line at the cursor. Returns true.
#[inline(always)]
fn read_row(scan: &mut Scanner, row: &mut [f64]) -> Result<bool> {
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
