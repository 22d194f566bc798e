//! Pieces of held-out recordings to stitch.

use super::Test;
use kinestitch::Clip;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::motion::rig::Rig;
use kinestitch::motion::{bvh, resample, rig};
use rand::Rng;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};
use training::data::{Label, Recording, Sets, Split, bvh_files};

/// Maximum length of a piece, frames at the network's frame rate.
const MAX_FRAMES: usize = 90;
/// Minimum length of a piece, frames at the network's frame rate.
const MIN_FRAMES: usize = 45;
/// Frames between candidate starts of pieces.
const STRIDE: usize = 10;
/// Lowest mean speed of the hips over the ground that counts as locomotion, m/s, of bodies scaled to the canonical leg
/// length.
const MIN_SPEED: f32 = 0.4;

/// A recording at the network's frame rate, with the candidate start frames of pieces.
pub struct Source {
    pub name: String,
    pub clip: Clip,
    pub rig: Rig,
    starts: Vec<usize>,
}

/// Reads the recordings of a test from a folder and its subfolders. Recordings without a possible piece are left out:
/// unreadable files, other bodies than bipeds, recordings that are too short or never upright, and, if the test has a
/// data set, recordings without locomotion.
pub fn sources(data: &Path, test: &Test, sets: &Sets, split: Split) -> Vec<Source> {
    let test_label = |path: &Path| match (test.set, sets.label(path)) {
        (Some(set), Some(label)) => (label.set == set && label.split == split).then_some(label),
        (None, None) => Some(unknown_label()),
        _ => None,
    };
    let source = |path: &PathBuf| source(path, &test_label(path)?, test.set.is_some());
    bvh_files(data).iter().filter_map(source).collect()
}

/// Returns the label of a file that belongs to no set.
fn unknown_label() -> Label {
    let text = str::to_owned;
    let (set, subject, style, character) = (text("samples"), text("?"), text("neutral"), text("biped"));
    Label { set, split: Split::Test, subject, style, character, lead: 0 }
}

fn source(path: &Path, label: &Label, must_move: bool) -> Option<Source> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let clip = bvh::parse(&name, &std::fs::read(path).ok()?).ok()?.clip;
    let clip = resample::resample(&clip.trimmed(label.lead..clip.frames()).ok()?, RefinerRow::FPS).ok()?;
    let rig = rig::infer(&clip);
    let starts = starts(&Recording::from_clip(&clip, label).ok()?, must_move);
    (!starts.is_empty()).then_some(Source { name, clip, rig, starts })
}

/// Returns the start frames of pieces that stay upright and, if `must_move`, are locomotion.
fn starts(recording: &Recording, must_move: bool) -> Vec<usize> {
    let frames = recording.clip.frames();
    let length = MAX_FRAMES.min(frames);
    if length < MIN_FRAMES {
        return Vec::new();
    }
    let speed = |start: usize| {
        let steps = recording.clip.translations()[start..start + length].windows(2);
        let path_length: f32 = steps.map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
        path_length * recording.clip.fps() as f32 / (length - 1) as f32
    };
    (0..=frames - length)
        .step_by(STRIDE)
        .filter(|&start| recording.is_upright(start, length) && (!must_move || speed(start) > MIN_SPEED))
        .collect()
}

/// Draws one piece each from two different recordings; `sources` must have at least two.
pub fn draw<'a>(sources: &'a [Source], rng: &mut StdRng) -> Option<[(&'a Source, Clip); 2]> {
    let first = rng.random_range(0..sources.len());
    let second = (first + rng.random_range(1..sources.len())) % sources.len();
    let mut piece = |index: usize| {
        let source: &Source = &sources[index];
        let start = source.starts[rng.random_range(0..source.starts.len())];
        Some((source, source.clip.trimmed(start..(start + MAX_FRAMES).min(source.clip.frames())).ok()?))
    };
    Some([piece(first)?, piece(second)?])
}
