//! The gallery file: root tracks of recordings, and the ranges of them that are atomic trajectories.
//!
//! Layout: eight bytes of signature, then [`Stored`] by postcard, whose integers have variable length. Tracks are
//! differences in whole millimetres and fractions of a degree, ten samples a second: a step takes four bytes.

use crate::error::Result;
use crate::nn::weights::wrong;
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// Signature; the digit is the version.
const MAGIC: &[u8; 8] = b"KINEWAY1";
/// Sample rate of a track, samples a second.
pub const RATE: f64 = 10.0;
/// Durations of an atomic trajectory, in steps of a track: 15 to 150 frames at 30 a second (section 4.1).
pub const LENGTHS: std::ops::RangeInclusive<usize> = 5..=50;
/// Resolution of positions, metres.
const METRE: f32 = 0.002;
/// Resolution of headings, radians.
const RADIAN: f32 = std::f32::consts::PI / 720.0;
/// Largest number of samples and of atomic trajectories in a gallery: ten times those of ours.
const MOST_SAMPLES: usize = 2_000_000;
const MOST_ATOMS: usize = 200_000;

/// The root of a recording over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Track {
    /// Index of its style.
    pub style: usize,
    /// Positions, x and z, metres.
    pub places: Vec<Vec2>,
    /// Headings, radians, continuous.
    pub headings: Vec<f32>,
}

/// A range of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Piece {
    /// Index of the track.
    pub track: u32,
    /// Index of its first sample.
    pub start: u32,
    /// Number of steps: one less than its samples.
    pub steps: u32,
}

/// Contents of a gallery file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// Training data: `open`, `research`.
    pub set: String,
    /// Permitted use, in words.
    pub licence: String,
    /// Names of the styles.
    pub styles: Vec<String>,
    /// Tracks.
    pub tracks: Vec<Track>,
    /// Atomic trajectories; each also counts mirrored.
    pub pieces: Vec<Piece>,
}

#[derive(Serialize, Deserialize)]
struct File {
    set: String,
    licence: String,
    styles: Vec<String>,
    tracks: Vec<(u32, Vec<[i16; 3]>)>,
    pieces: Vec<Piece>,
}

impl Stored {
    /// Encodes the file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for a track that moves faster than the format can express.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut tracks = Vec::with_capacity(self.tracks.len());
        for track in &self.tracks {
            let mut now = [0_i64; 3];
            let mut steps = Vec::with_capacity(track.places.len());
            for (index, (place, heading)) in track.places.iter().zip(&track.headings).enumerate() {
                // The start of a track is irrelevant.
                let (place, heading) = (*place - track.places[0], heading - track.headings[0]);
                let next = [place.x / METRE, place.y / METRE, heading / RADIAN].map(|number| number.round() as i64);
                let mut step = [0_i16; 3];
                for axis in 0..3 {
                    step[axis] = i16::try_from(next[axis] - now[axis])
                        .map_err(|_| wrong(format!("a gallery cannot hold the step to sample {index} of a track")))?;
                }
                now = next;
                steps.push(step);
            }
            tracks.push((track.style as u32, steps));
        }
        let (set, licence, styles) = (self.set.clone(), self.licence.clone(), self.styles.clone());
        let file = File { set, licence, styles, tracks, pieces: self.pieces.clone() };
        let body = postcard::to_stdvec(&file).map_err(|error| wrong(format!("the gallery: {error}")))?;
        Ok([&MAGIC[..], &body].concat())
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] where it is not a gallery of this release, is truncated, or has indices out of
    /// range.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let broken = |how: &str| wrong(format!("this file is no trajectory gallery of this release: {how}"));
        let body = bytes.strip_prefix(&MAGIC[..]).ok_or_else(|| broken("it begins with other bytes"))?;
        let (file, rest): (File, _) = postcard::take_from_bytes(body).map_err(|error| broken(&error.to_string()))?;
        if !rest.is_empty() {
            return Err(broken("there is data after its end"));
        }
        let File { set, licence, styles, tracks, pieces } = file;
        if tracks.iter().map(|(_, steps)| steps.len()).sum::<usize>() > MOST_SAMPLES || pieces.len() > MOST_ATOMS {
            return Err(broken("it exceeds the size limits of a gallery"));
        }
        if tracks.iter().any(|(style, _)| *style as usize >= styles.len()) {
            return Err(broken("a track has a style without a name"));
        }
        for Piece { track, start, steps } in &pieces {
            let samples = tracks.get(*track as usize).map_or(0, |(_, steps)| steps.len() as u64);
            let within = u64::from(*start) + u64::from(*steps) < samples;
            if !within || !LENGTHS.contains(&(*steps as usize)) {
                return Err(broken("a trajectory exceeds its track, or has an unknown length"));
            }
        }
        let tracks = tracks.into_iter().map(|(style, steps)| expanded(style as usize, &steps)).collect();
        Ok(Self { set, licence, styles, tracks, pieces })
    }
}

fn expanded(style: usize, steps: &[[i16; 3]]) -> Track {
    let mut now = [0_i64; 3];
    let mut track = Track { style, ..Track::default() };
    for step in steps {
        now.iter_mut().zip(step).for_each(|(now, step)| *now += i64::from(*step));
        track.places.push(Vec2::new(now[0] as f32, now[1] as f32) * METRE);
        track.headings.push(now[2] as f32 * RADIAN);
    }
    track
}
