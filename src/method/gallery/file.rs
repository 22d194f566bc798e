//! Reads and writes gallery files: root tracks of recordings, and the segments of these tracks that are atomic
//! trajectories.
//!
//! Layout: a signature of eight bytes, then `File` in the format of postcard, whose integers have variable length. A
//! track is a list of differences between samples, ten samples per second, in units of 2 mm, 0.25° and 1 cm (the height
//! of the hips). It begins at the origin with heading 0. A sample takes about five bytes.

use crate::error::Result;
use crate::nn::weights::wrong;
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// Signature; the digit is the version.
const MAGIC: &[u8; 8] = b"KINEWAY3";
/// Sample rate of a track, samples per second.
pub const RATE: f64 = 10.0;
/// Allowed durations of an atomic trajectory, in steps of a track: 15 to 150 frames at 30 frames per second (section
/// 4.1).
pub const SEGMENT_STEPS: std::ops::RangeInclusive<usize> = 5..=50;
/// Resolution of positions, metres.
const POSITION_UNIT: f32 = 0.002;
/// Resolution of headings, radians.
const HEADING_UNIT: f32 = std::f32::consts::PI / 720.0;
/// Resolution of heights, metres.
const HEIGHT_UNIT: f32 = 0.01;
/// Largest number of samples in a gallery: ten times the number in our gallery.
const MAX_SAMPLES: usize = 2_000_000;
/// Largest number of atomic trajectories in a gallery: ten times the number in our gallery.
const MAX_SEGMENTS: usize = 200_000;

/// The root of a recording over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Track {
    /// Index of the style.
    pub style: usize,
    /// Positions (x, z), metres.
    pub positions: Vec<Vec2>,
    /// Headings, radians, without jumps by 2π.
    pub headings: Vec<f32>,
    /// Heights of the hips over the ground, metres.
    pub heights: Vec<f32>,
}

/// A segment of a track: an atomic trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// Index of the track.
    pub track: u32,
    /// Index of the first sample.
    pub start: u32,
    /// Number of steps between samples: one less than the number of samples.
    pub steps: u32,
}

/// Contents of a gallery file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contents {
    /// Group of the recordings by their licence: `open` or `research`.
    pub set: String,
    /// Permitted use, in words.
    pub licence: String,
    /// Names of the styles.
    pub styles: Vec<String>,
    /// Tracks of all recordings.
    pub tracks: Vec<Track>,
    /// Atomic trajectories; each can also be used mirrored.
    pub segments: Vec<Segment>,
}

/// Serialised contents. postcard stores fields by order, not by name.
#[derive(Serialize, Deserialize)]
struct File {
    set: String,
    licence: String,
    styles: Vec<String>,
    /// Style of each track, and differences of x, z, heading and height between samples, in file units.
    tracks: Vec<(u32, Vec<[i16; 4]>)>,
    segments: Vec<Segment>,
}

impl Contents {
    /// Encodes a gallery file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if a track moves faster than the format can express.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut tracks = Vec::with_capacity(self.tracks.len());
        for track in &self.tracks {
            let mut current = [0_i64; 4];
            let mut steps = Vec::with_capacity(track.positions.len());
            // Only the path relative to its first sample matters.
            let start = track.headings.first().copied().unwrap_or_default();
            let axes = Vec2::from_angle(start);
            let samples = track.positions.iter().zip(&track.headings).zip(&track.heights);
            for (index, ((position, heading), height)) in samples.enumerate() {
                let (position, heading) = (axes.rotate(*position - track.positions[0]), heading - start);
                let position = position / POSITION_UNIT;
                let next = [position.x, position.y, heading / HEADING_UNIT, height / HEIGHT_UNIT]
                    .map(|number| number.round() as i64);
                let mut step = [0_i16; 4];
                for axis in 0..step.len() {
                    step[axis] = i16::try_from(next[axis] - current[axis]).map_err(|_| {
                        wrong(format!("the step to sample {index} of a track is too long for a gallery"))
                    })?;
                }
                current = next;
                steps.push(step);
            }
            tracks.push((track.style as u32, steps));
        }
        let (set, licence, styles) = (self.set.clone(), self.licence.clone(), self.styles.clone());
        let file = File { set, licence, styles, tracks, segments: self.segments.clone() };
        let body =
            postcard::to_stdvec(&file).map_err(|error| wrong(format!("the gallery cannot be encoded: {error}")))?;
        Ok([&MAGIC[..], &body].concat())
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if the file is not a gallery of this release, is truncated, or has indices out of
    /// range.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let invalid = |reason: &str| wrong(format!("this file is not a trajectory gallery of this release: {reason}"));
        let body = bytes.strip_prefix(&MAGIC[..]).ok_or_else(|| invalid("its signature differs"))?;
        let (file, remainder): (File, _) =
            postcard::take_from_bytes(body).map_err(|error| invalid(&error.to_string()))?;
        if !remainder.is_empty() {
            return Err(invalid("there is data after its end"));
        }
        let File { set, licence, styles, tracks, segments } = file;
        if tracks.iter().map(|(_, steps)| steps.len()).sum::<usize>() > MAX_SAMPLES || segments.len() > MAX_SEGMENTS {
            return Err(invalid("it exceeds the size limits of a gallery"));
        }
        if tracks.iter().any(|(style, _)| *style as usize >= styles.len()) {
            return Err(invalid("a track has a style without a name"));
        }
        for Segment { track, start, steps } in &segments {
            let samples = tracks.get(*track as usize).map_or(0, |(_, steps)| steps.len() as u64);
            let is_inside = u64::from(*start) + u64::from(*steps) < samples;
            if !is_inside || !SEGMENT_STEPS.contains(&(*steps as usize)) {
                return Err(invalid("a trajectory exceeds its track, or has a length that is not allowed"));
            }
        }
        let tracks = tracks.into_iter().map(|(style, steps)| decode_track(style as usize, &steps)).collect();
        Ok(Self { set, licence, styles, tracks, segments })
    }
}

/// Sums the differences of a track.
fn decode_track(style: usize, steps: &[[i16; 4]]) -> Track {
    let mut current = [0_i64; 4];
    let mut track = Track { style, ..Track::default() };
    for step in steps {
        current.iter_mut().zip(step).for_each(|(value, step)| *value += i64::from(*step));
        track.positions.push(Vec2::new(current[0] as f32, current[1] as f32) * POSITION_UNIT);
        track.headings.push(current[2] as f32 * HEADING_UNIT);
        track.heights.push(current[3] as f32 * HEIGHT_UNIT);
    }
    track
}
