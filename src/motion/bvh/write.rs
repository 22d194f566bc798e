//! Clip → BVH text, which [`parse`](super::parse) reads as an equal clip.

use crate::error::{Error, Result};
use crate::motion::bvh::channels;
use crate::motion::bvh::euler::Order;
use crate::motion::bvh::place::to_metres;
use crate::motion::bvh::statement::Statement;
use crate::motion::bvh::{
    MAX_DEPTH, MAX_FRAME_TIME_SECS, MAX_FRAMES, MAX_JOINTS, MAX_ROTATIONS, MAX_VALUE, MIN_FRAME_TIME_SECS,
};
use crate::motion::clip::Clip;
use crate::motion::length_limits;
use crate::motion::skeleton::{Channel, PositionMode, UpAxis};
use glam::{Quat, Vec3};
use std::fmt::Write;

/// Writes a clip in the units, axes and channels of its skeleton. Angles are rounded to six decimals, and each is the
/// one nearest to the frame before, so curves have no jumps of 180 or 360 degrees; lengths have as many decimals as are
/// needed to read the same bits. All lines end with LF.
///
/// No motion is lost: a joint whose channels cannot express its motion (a root that moves without position channels,
/// a hinge turned about another axis) gets the missing channels.
///
/// # Errors
/// [`Error::Clip`] for values that [`parse`](super::parse) would refuse: a length beyond [`MAX_VALUE`] (the message
/// names joint and frame), or a frame time outside its limits. [`Error::Limit`] for too many joints, too many frames,
/// or too deeply nested joints.
pub fn write(clip: &Clip) -> Result<String> {
    let writer = Writer::new(clip);
    writer.check()?;
    let columns: usize = writer.channels.iter().map(Vec::len).sum();
    let mut out = String::with_capacity(clip.joints() * 120 + clip.frames() * columns * 10);
    writer.push_hierarchy(&mut out);
    // Writing to a String cannot fail.
    let _ = write!(out, "MOTION\nFrames: {}\nFrame Time: {}\n", clip.frames(), clip.frame_time_secs());
    writer.push_rows(&mut out);
    Ok(out)
}

struct Writer<'a> {
    clip: &'a Clip,
    /// Channels of each joint in the file.
    channels: Vec<Vec<Channel>>,
    /// Joints in file order: depth first.
    order: Vec<usize>,
    /// Number of ancestors of each joint.
    depth: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(clip: &'a Clip) -> Self {
        let joints = clip.skeleton().joints();
        let mut children = vec![Vec::new(); joints.len()];
        let mut depth = vec![0; joints.len()];
        let mut stack = Vec::new();
        for (index, joint) in joints.iter().enumerate() {
            match joint.parent {
                Some(parent) => {
                    depth[index] = depth[parent] + 1;
                    children[parent].push(index);
                }
                None => stack.push(index),
            }
        }
        stack.reverse();
        let mut order = Vec::with_capacity(joints.len());
        while let Some(joint) = stack.pop() {
            order.push(joint);
            stack.extend(children[joint].iter().rev());
        }
        let mut writer = Self { clip, channels: Vec::new(), order, depth };
        writer.channels = (0..joints.len()).map(|joint| writer.choose_channels(joint)).collect();
        writer
    }

    /// Returns an error for values that the parser refuses.
    fn check(&self) -> Result<()> {
        let depth = self.depth.iter().max().map_or(0, |depth| depth + 1);
        let limits = [
            ("joints of a BVH file", self.clip.joints() as u64, MAX_JOINTS as u64),
            ("nested joints of a BVH file", depth as u64, MAX_DEPTH as u64),
            ("frames of a BVH file", self.clip.frames() as u64, MAX_FRAMES),
            ("joints × frames of a BVH file", self.clip.rotations().len() as u64, MAX_ROTATIONS as u64),
        ];
        if let Some(&(what, found, limit)) = limits.iter().find(|(_, found, limit)| found > limit) {
            return Err(Error::Limit { what, found, limit });
        }
        let fail = |message| Err(Error::Clip { clip: self.clip.name.clone(), message });
        let frame_time = self.clip.frame_time_secs();
        if !(MIN_FRAME_TIME_SECS..=MAX_FRAME_TIME_SECS).contains(&frame_time) {
            return fail(format!(
                "a frame time of {frame_time} s cannot be written as BVH: the limits are {MIN_FRAME_TIME_SECS} and \
                 {MAX_FRAME_TIME_SECS} s; resample the clip"
            ));
        }
        let metres_per_unit = self.clip.skeleton().space().metres_per_unit;
        length_limits::describe_excess(self.clip, metres_per_unit, MAX_VALUE, true).map_or(Ok(()), fail)
    }

    /// Returns the channels of a joint in the file: its channels if they can express its motion; else all three
    /// rotation or position channels in place of the incomplete ones.
    fn choose_channels(&self, index: usize) -> Vec<Channel> {
        let joint = &self.clip.skeleton().joints()[index];
        let mut channels = joint.channels.clone();
        let order = Order::from_channels(&channels);
        let frames = || 0..self.clip.frames();
        if order.angle_count() < 3 && !frames().all(|f| order.can_express(self.rotation(f, index))) {
            channels.retain(|c| c.is_position());
            channels.extend([Channel::Zrotation, Channel::Xrotation, Channel::Yrotation]);
        }
        let offset = self.to_file_axes(joint.offset);
        let is_missing = |c: &Channel| !joint.channels.contains(c);
        let positions = [Channel::Xposition, Channel::Yposition, Channel::Zposition];
        let is_constant = |c: &Channel| frames().all(|f| self.translation(f, index)[c.axis()] == offset[c.axis()]);
        let has_translation = self.clip.skeleton().translation_slot(index).is_some();
        if has_translation && !positions.iter().filter(|c| is_missing(c)).all(is_constant) {
            channels.retain(|c| !c.is_position());
            channels.splice(0..0, positions);
        }
        channels
    }

    fn push_hierarchy(&self, out: &mut String) {
        let joints = self.clip.skeleton().joints();
        out.push_str("HIERARCHY\n");
        let mut depth_open = 0;
        for &index in &self.order {
            let (joint, depth) = (&joints[index], self.depth[index]);
            close_blocks(out, &mut depth_open, depth);
            push_indent(out, depth);
            out.push_str(if joint.parent.is_none() { "ROOT " } else { "JOINT " });
            push_name(out, &joint.name);
            out.push('\n');
            push_indent(out, depth);
            out.push_str("{\n");
            depth_open = depth + 1;
            self.push_offset(out, depth_open, joint.offset);
            if index == self.order[0] {
                out.insert_str(out.len() - 1, &self.statement().encode());
            }
            push_indent(out, depth_open);
            let _ = write!(out, "CHANNELS {}", self.channels[index].len());
            for channel in &self.channels[index] {
                out.push(' ');
                out.push_str(channels::NAMES.iter().find(|(_, c)| c == channel).map_or("", |(name, _)| name));
            }
            out.push('\n');
            for &site in &joint.end_sites {
                push_indent(out, depth_open);
                out.push_str("End Site\n");
                push_indent(out, depth_open);
                out.push_str("{\n");
                self.push_offset(out, depth_open + 1, site);
                push_indent(out, depth_open);
                out.push_str("}\n");
            }
        }
        close_blocks(out, &mut depth_open, 0);
    }

    /// Returns what a reader of the file could only guess.
    fn statement(&self) -> Statement {
        let skeleton = self.clip.skeleton();
        let mode = |roots: bool| {
            let mut joints = skeleton.joints().iter().filter(|joint| joint.parent.is_none() == roots);
            let is_added = joints.any(|joint| joint.position_mode == PositionMode::Add);
            if is_added { PositionMode::Add } else { PositionMode::Replace }
        };
        let space = skeleton.space();
        Statement { up: space.up, metres_per_unit: space.metres_per_unit, roots: mode(true), others: mode(false) }
    }

    /// Writes an OFFSET line.
    fn push_offset(&self, out: &mut String, depth: usize, metres: Vec3) {
        push_indent(out, depth);
        out.push_str("OFFSET");
        for value in self.to_file_axes(metres).to_array() {
            out.push(' ');
            self.push_length(out, value, 0.0);
        }
        out.push('\n');
    }

    fn push_rows(&self, out: &mut String) {
        let joints = self.clip.skeleton().joints();
        let joint_plans: Vec<(usize, Order, Vec3)> = self
            .order
            .iter()
            .map(|&index| {
                let file_offset = match joints[index].position_mode {
                    PositionMode::Add => self.to_file_axes(joints[index].offset),
                    PositionMode::Replace => Vec3::ZERO,
                };
                (index, Order::from_channels(&self.channels[index]), file_offset)
            })
            .collect();
        let mut angles: Vec<Option<[f64; 3]>> = vec![None; joint_plans.len()];
        for frame in 0..self.clip.frames() {
            let row_start = out.len();
            for (&(index, order, file_offset), before) in joint_plans.iter().zip(&mut angles) {
                let rotation = self.rotation(frame, index);
                let degrees = match *before {
                    Some(before) => order.decompose_near(rotation, before),
                    None => order.decompose(rotation),
                };
                *before = Some(degrees);
                let translation = self.translation(frame, index);
                let mut angle = 0;
                for channel in &self.channels[index] {
                    if out.len() > row_start {
                        out.push(' ');
                    }
                    if channel.is_position() {
                        self.push_length(out, translation[channel.axis()], file_offset[channel.axis()]);
                    } else {
                        push_decimal(out, degrees[angle], 6);
                        angle += 1;
                    }
                }
            }
            out.push('\n');
        }
    }

    /// Converts a vector from Y up to the axes of the file.
    fn to_file_axes(&self, v: Vec3) -> Vec3 {
        match self.clip.skeleton().space().up {
            UpAxis::Y => v,
            UpAxis::Z => Vec3::new(v.x, -v.z, v.y),
        }
    }

    fn translation(&self, frame: usize, joint: usize) -> Vec3 {
        self.to_file_axes(self.clip.local_translation(frame, joint))
    }

    fn rotation(&self, frame: usize, joint: usize) -> Quat {
        let q = self.clip.rotations()[frame * self.clip.joints() + joint];
        let axis = self.to_file_axes(Vec3::new(q.x, q.y, q.z));
        Quat::from_xyzw(axis.x, axis.y, axis.z, q.w)
    }

    /// Writes a length in file units, rounded to as few decimals as possible, but not to fewer than six. The parser,
    /// which adds `file_offset` (metres) to it, must get exactly `metres` again.
    fn push_length(&self, out: &mut String, metres: f32, file_offset: f32) {
        let metres_per_unit = self.clip.skeleton().space().metres_per_unit;
        let value = if file_offset == 0.0 { f64::from(metres) } else { f64::from(metres) - f64::from(file_offset) }
            / metres_per_unit;
        // A value at the limit may have been rounded to a larger one when it was read.
        let value = value.clamp(-MAX_VALUE, MAX_VALUE);
        let reads_back = |value: f64| {
            let metres_read = to_metres(value, metres_per_unit);
            (if file_offset == 0.0 { metres_read } else { metres_read + file_offset }) == metres
        };
        for decimals in 6..=9 {
            if value.abs() < 1e6 && reads_back(round(value, decimals)) {
                return push_decimal(out, value, decimals);
            }
        }
        for digits in 5..=16 {
            let text = format!("{value:.digits$e}");
            if text.parse().is_ok_and(reads_back) {
                return out.push_str(&text);
            }
        }
        let _ = write!(out, "{value:e}");
    }
}

/// Powers of ten up to nine decimals.
const TENS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// Rounds `value` to `decimals` decimals, to the same double that the parser reads: both divide the same two exact
/// numbers once.
fn round(value: f64, decimals: usize) -> f64 {
    (value * TENS[decimals]).round() / TENS[decimals]
}

/// Writes a number below 1e6 with at most nine `decimals`, without trailing zeros. Several times faster than
/// `format!`: rows are most of a file.
fn push_decimal(out: &mut String, value: f64, decimals: usize) {
    let scaled = (value.abs() * TENS[decimals]).round() as u64;
    let unit = TENS[decimals] as u64;
    let (mut fraction, mut digits) = (scaled % unit, decimals);
    while digits > 0 && fraction % 10 == 0 {
        fraction /= 10;
        digits -= 1;
    }
    // Digits from the last to the first, in a buffer that holds any u64.
    let mut buffer = [0u8; 24];
    let mut start = buffer.len();
    let mut push = |byte: u8| {
        start -= 1;
        buffer[start] = byte;
    };
    if digits > 0 {
        for _ in 0..digits {
            push(b'0' + (fraction % 10) as u8);
            fraction /= 10;
        }
        push(b'.');
    }
    let mut integer = scaled / unit;
    loop {
        push(b'0' + (integer % 10) as u8);
        integer /= 10;
        if integer == 0 {
            break;
        }
    }
    if value.is_sign_negative() && (scaled > 0 || value == 0.0) {
        push(b'-');
    }
    out.extend(buffer[start..].iter().map(|&b| char::from(b)));
}

/// Writes a joint's name; control characters and opening braces become `_`.
fn push_name(out: &mut String, name: &str) {
    // The parser, too, trims ASCII only: a no-break space is part of a name.
    let name = name.trim_ascii();
    out.extend(name.chars().map(|c| if c.is_control() || c == '{' { '_' } else { c }));
    if name.is_empty() {
        out.push('_');
    }
}

fn push_indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n('\t', depth));
}

/// Writes closing braces until only `depth` blocks are open.
fn close_blocks(out: &mut String, open: &mut usize, depth: usize) {
    while *open > depth {
        *open -= 1;
        push_indent(out, *open);
        out.push_str("}\n");
    }
}
