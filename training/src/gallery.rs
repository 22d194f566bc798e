//! Builds the trajectory gallery from recordings: root tracks at ten samples per second, and for each kind of window a
//! few examples.

use crate::data::{Recording, Sets, Split};
use crate::recipe::Header;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::method::gallery::file::{Contents, LENGTHS, RATE, Segment, Track};
use kinestitch::method::gallery::index::{Ends, sample};
use kinestitch::method::random::Random;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::resample::resample;
use kinestitch::motion::root::wrap;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Lengths of windows, samples: 15 to 150 frames at 30 fps.
const WINDOWS: [usize; 12] = [5, 6, 8, 10, 12, 15, 19, 24, 30, 36, 43, 50];
/// Faster tracks are recording errors, m/s.
const FASTEST: f32 = 9.0;
/// Windows are of one kind if their distances differ by less than this ratio, and the angles at both ends by less than
/// this share of a turn.
const ALIKE_RATIO: f32 = 1.15;
const ALIKE_TURNS: f32 = 16.0;

/// Recipe of a gallery.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Data sets of the recordings.
    pub sets: Vec<String>,
    /// Most windows kept per kind and style.
    pub each: usize,
    /// Most windows kept in total; reduces the number per kind if exceeded.
    pub most: usize,
}

impl Recipe {
    /// Checks that an open gallery uses open recordings only.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] for an unknown data set, or one that is not open although the recipe is.
    pub fn check(&self, sets: &Sets) -> Result<()> {
        self.header.check_open(&self.sets, sets)
    }
}

/// Kind of a window: style, length, distance and two angles.
type Kind = (usize, usize, i32, i32, i32);

/// Gallery of the training recordings in `recordings`. The others are left for queries.
///
/// # Errors
/// Those of [`resample`].
pub fn gallery(recordings: &[Recording], recipe: &Recipe) -> Result<Contents> {
    let Header { set, licence, .. } = recipe.header.clone();
    let mut stored = Contents { set, licence, ..Contents::default() };
    let mut kinds: HashMap<Kind, Vec<Segment>> = HashMap::new();
    for recording in recordings.iter().filter(|recording| used(recording, recipe)) {
        let clip = resample(&recording.clip, RATE)?;
        if clip.frames() <= *LENGTHS.start() {
            continue;
        }
        let name = style_of(recording);
        let known = stored.styles.iter().position(|style| *style == name);
        let style = known.unwrap_or_else(|| {
            stored.styles.push(name);
            stored.styles.len() - 1
        });
        let track = track(&clip, style);
        let step = recording.clip.fps() / RATE;
        let upright = |start: usize, steps: usize| {
            let first = (start as f64 * step) as usize;
            let length = ((steps as f64 * step) as usize + 1).min(recording.clip.frames() - first);
            recording.is_upright(first, length)
        };
        let index = stored.tracks.len() as u32;
        for steps in WINDOWS {
            for start in (0..clip.frames().saturating_sub(steps)).filter(|&start| upright(start, steps)) {
                let places = &track.positions[start..=start + steps];
                if places.windows(2).any(|pair| pair[0].distance(pair[1]) > FASTEST / RATE as f32) {
                    continue;
                }
                let piece = Segment { track: index, start: start as u32, steps: steps as u32 };
                kinds.entry(kind(&track, piece)).or_default().push(piece);
            }
        }
        stored.tracks.push(track);
    }
    stored.segments = chosen(kinds, recipe);
    Ok(without_unused(stored))
}

/// Style of a recording. If all recordings of a set have the same style (LAFAN1), the action in its name without
/// numbers.
pub fn style_of(recording: &Recording) -> String {
    let content = recording.name.split('_').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let says = recording.set == "lafan1" && !content.is_empty();
    if says { content.to_lowercase() } else { recording.style.to_lowercase() }
}

fn used(recording: &Recording, recipe: &Recipe) -> bool {
    recording.split == Split::Train && recording.character == "biped" && recipe.sets.contains(&recording.set)
}

fn track(clip: &Clip, style: usize) -> Track {
    let mut track = Track { style, ..Track::default() };
    for frame in 0..clip.frames() {
        let GroundPose { position, heading } = GroundPose::of(clip, frame);
        let before = track.headings.last().copied().unwrap_or(heading);
        track.positions.push(glam::Vec2::new(position.x, position.z));
        track.headings.push(before + wrap(heading - before));
    }
    track
}

/// A window and its mirror image are of one kind, because each is used for both sides.
fn kind(track: &Track, piece: Segment) -> Kind {
    let [first, last] = [piece.start, piece.start + piece.steps].map(|at| sample(track, at as usize, false));
    let (Ends { distance, angles: off }, _) = Ends::new([first.0, last.0], [first.1, last.1]);
    let sign = if off[0] < 0.0 { -1.0 } else { 1.0 };
    let [start, end] = off.map(|off| (sign * off / std::f32::consts::TAU * ALIKE_TURNS).round() as i32);
    let far = ((distance + 0.1).ln() / ALIKE_RATIO.ln()).round() as i32;
    (track.style, piece.steps as usize, far, start, end)
}

/// Random windows of each kind, with a fixed seed.
fn chosen(kinds: HashMap<Kind, Vec<Segment>>, recipe: &Recipe) -> Vec<Segment> {
    let mut kinds: Vec<(Kind, Vec<Segment>)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, _)| *kind);
    let mut random = Random::new(7);
    for (_, segments) in &mut kinds {
        for at in (1..segments.len()).rev() {
            segments.swap(at, random.below(at + 1));
        }
    }
    let mut kept: Vec<Segment> = Vec::new();
    for round in 0..recipe.each {
        let mut more: Vec<Segment> = kinds.iter().filter_map(|(_, segments)| segments.get(round).copied()).collect();
        while kept.len() + more.len() > recipe.most && !more.is_empty() {
            more.swap_remove(random.below(more.len()));
        }
        kept.extend(more);
    }
    kept.sort_by_key(|piece| (piece.track, piece.start, piece.steps));
    kept
}

/// Removes tracks without windows.
fn without_unused(stored: Contents) -> Contents {
    let mut used = vec![None; stored.tracks.len()];
    let Contents { tracks, mut segments, .. } = stored;
    let mut kept = Vec::new();
    for piece in &mut segments {
        let slot = &mut used[piece.track as usize];
        piece.track = *slot.get_or_insert_with(|| {
            kept.push(tracks[piece.track as usize].clone());
            kept.len() as u32 - 1
        });
    }
    Contents { tracks: kept, segments, ..stored }
}
