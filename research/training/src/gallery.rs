//! Builds the trajectory gallery from recordings. The gallery contains root tracks at ten samples per second, and
//! windows of these tracks. Windows with the same style and length, and with about the same distance and angles at both
//! ends, are of one kind; the gallery contains only a few windows of each kind. Windows in which the body crouches,
//! crawls or lies are chosen separately, so that they do not take the place of others.

use crate::data::{Recording, Split};
use crate::recipe::Header;
use kinestitch::body::GroundPose;
use kinestitch::error::{Error, Result};
use kinestitch::method::gallery::file::{Contents, RATE, SEGMENT_STEPS, Segment, Track};
use kinestitch::method::gallery::index::{Ends, sample};
use kinestitch::method::random::Random;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::resample::resample;
use kinestitch::motion::root::wrap;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Lengths of windows, sampling intervals: 15 to 150 frames at 30 fps.
const WINDOWS: [usize; 12] = [5, 6, 8, 10, 12, 15, 19, 24, 30, 36, 43, 50];
/// Maximum speed of a track, metres per second; faster windows are recording errors.
const MAX_SPEED: f32 = 9.0;
/// Ratio of the distances of neighbouring kinds. The distance of a window is that between its two ends.
const DISTANCE_RATIO: f32 = 1.15;
/// Number of kinds per full turn of the angle at one end.
const ANGLES_PER_TURN: f32 = 16.0;
/// Seed of the choice of windows.
const SEED: u64 = 7;

/// Recipe of a gallery.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Data sets of the recordings.
    pub sets: Vec<String>,
    /// Maximum number of windows per kind.
    pub each: usize,
    /// Maximum number of windows of upright bodies. If it is reached, some kinds get fewer than `each` windows.
    pub most: usize,
    /// The same for windows of other bodies.
    pub most_low: usize,
}

/// Kind of a window: style, length, distance and two angles.
type Kind = (usize, usize, i32, i32, i32);

/// Windows of each kind.
type Kinds = HashMap<Kind, Vec<Segment>>;

/// Builds the gallery from the training recordings in `recordings`. Held-out recordings are for tests of the gallery.
///
/// # Errors
/// [`Error::Option`] if no window is left, and those of [`resample`].
pub fn gallery(recordings: &[Recording], recipe: &Recipe) -> Result<Contents> {
    let Header { set, licence, .. } = recipe.header.clone();
    let mut contents = Contents { set, licence, ..Contents::default() };
    let (mut upright, mut low) = (Kinds::new(), Kinds::new());
    for recording in recordings.iter().filter(|recording| is_used(recording, recipe)) {
        let clip = resample(&recording.clip, RATE)?;
        if clip.frames() <= *SEGMENT_STEPS.start() {
            continue;
        }
        let name = style_name(recording);
        let existing = contents.styles.iter().position(|style| *style == name);
        let style = existing.unwrap_or_else(|| {
            contents.styles.push(name);
            contents.styles.len() - 1
        });
        let track = track(&clip, recording.ground, style);
        let frames_per_sample = recording.clip.fps() / RATE;
        let is_upright = |start: usize, steps: usize| {
            let first = (start as f64 * frames_per_sample) as usize;
            let length = ((steps as f64 * frames_per_sample) as usize + 1).min(recording.clip.frames() - first);
            recording.is_upright(first, length)
        };
        let index = contents.tracks.len() as u32;
        for steps in WINDOWS {
            for start in 0..clip.frames().saturating_sub(steps) {
                let positions = &track.positions[start..=start + steps];
                if positions.windows(2).any(|pair| pair[0].distance(pair[1]) > MAX_SPEED / RATE as f32) {
                    continue;
                }
                let segment = Segment { track: index, start: start as u32, steps: steps as u32 };
                let kinds = if is_upright(start, steps) { &mut upright } else { &mut low };
                kinds.entry(kind(&track, segment)).or_default().push(segment);
            }
        }
        contents.tracks.push(track);
    }
    contents.segments = choose(upright, recipe.each, recipe.most);
    contents.segments.extend(choose(low, recipe.each, recipe.most_low));
    if contents.segments.is_empty() {
        let sets = recipe.sets.join(", ");
        let message = format!(
            "no window of a training recording of people in {sets} can be used: add recordings, or change \"sets\" of the \
             recipe \"{}\"",
            recipe.header.name
        );
        return Err(Error::Option { option: "data", message });
    }
    Ok(remove_unused_tracks(contents))
}

/// Returns the style of a recording. LAFAN1 has no style labels, so its style is the action in the file name, without
/// numbers.
pub fn style_name(recording: &Recording) -> String {
    let action = recording.name.split('_').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let has_action = recording.set == "lafan1" && !action.is_empty();
    if has_action { action.to_lowercase() } else { recording.style.to_lowercase() }
}

/// Returns whether the gallery uses a recording: training recordings of people, from the data sets of the recipe.
fn is_used(recording: &Recording, recipe: &Recipe) -> bool {
    recording.split == Split::Train && recording.character == "biped" && recipe.sets.contains(&recording.set)
}

/// Computes the root track of a clip. Headings are continuous, without jumps of full turns. `ground`: height of the
/// ground, metres.
fn track(clip: &Clip, ground: f32, style: usize) -> Track {
    let mut track = Track { style, ..Track::default() };
    for frame in 0..clip.frames() {
        let GroundPose { position, heading } = GroundPose::from_clip(clip, frame);
        let previous = track.headings.last().copied().unwrap_or(heading);
        track.positions.push(glam::Vec2::new(position.x, position.z));
        track.headings.push(previous + wrap(heading - previous));
        track.heights.push(clip.translations()[frame].y - ground);
    }
    track
}

/// Determines the kind of a window. A window and its mirror image have the same kind, because the library mirrors
/// windows.
fn kind(track: &Track, segment: Segment) -> Kind {
    let [first, last] =
        [segment.start, segment.start + segment.steps].map(|index| sample(track, index as usize, false));
    let (ends, _) = Ends::new([first.0, last.0], [first.1, last.1]);
    let sign = if ends.angles[0] < 0.0 { -1.0 } else { 1.0 };
    let [start, end] = ends.angles.map(|angle| (sign * angle / std::f32::consts::TAU * ANGLES_PER_TURN).round() as i32);
    let distance_class = (ends.log_distance() / DISTANCE_RATIO.ln()).round() as i32;
    (track.style, segment.steps as usize, distance_class, start, end)
}

/// Chooses at most `each` random windows of each kind, and at most `most` in total.
fn choose(kinds: Kinds, each: usize, most: usize) -> Vec<Segment> {
    let mut kinds: Vec<(Kind, Vec<Segment>)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, _)| *kind);
    let mut random = Random::new(SEED);
    for (_, segments) in &mut kinds {
        for index in (1..segments.len()).rev() {
            segments.swap(index, random.below(index + 1));
        }
    }
    let mut choice: Vec<Segment> = Vec::new();
    for round in 0..each {
        let mut added: Vec<Segment> = kinds.iter().filter_map(|(_, segments)| segments.get(round).copied()).collect();
        while choice.len() + added.len() > most && !added.is_empty() {
            added.swap_remove(random.below(added.len()));
        }
        choice.extend(added);
    }
    choice.sort_by_key(|segment| (segment.track, segment.start, segment.steps));
    choice
}

/// Removes tracks without windows, and renumbers the tracks of windows.
fn remove_unused_tracks(contents: Contents) -> Contents {
    let mut new_indices = vec![None; contents.tracks.len()];
    let Contents { tracks, mut segments, .. } = contents;
    let mut used = Vec::new();
    for segment in &mut segments {
        let new_index = &mut new_indices[segment.track as usize];
        segment.track = *new_index.get_or_insert_with(|| {
            used.push(tracks[segment.track as usize].clone());
            used.len() as u32 - 1
        });
    }
    Contents { tracks: used, segments, ..contents }
}
