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

/// Longest and shortest piece, frames at the network's frame rate.
const LONGEST: usize = 90;
const SHORTEST: usize = 45;
/// Frames between candidate starts of pieces.
const STRIDE: usize = 10;
/// Lowest mean ground speed of the hips that counts as locomotion, at the canonical leg length, m/s.
const MOVES: f32 = 0.4;

/// A recording at the network's frame rate, with the candidate start frames of pieces.
pub struct Source {
    pub name: String,
    pub clip: Clip,
    pub rig: Rig,
    starts: Vec<usize>,
}

/// Recordings of a test below a folder. Unreadable files, other bodies than bipeds and recordings without locomotion
/// are left out.
pub fn sources(data: &Path, test: &Test, sets: &Sets, split: Split) -> Vec<Source> {
    let wanted = |path: &Path| match (test.set, sets.label(path)) {
        (Some(set), Some(label)) => (label.set == set && label.split == split).then_some(label),
        (None, None) => Some(unknown()),
        _ => None,
    };
    let source = |path: &PathBuf| source(path, &wanted(path)?, test.set.is_some());
    bvh_files(data).iter().filter_map(source).collect()
}

/// Label of a file of no set.
fn unknown() -> Label {
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

/// Start frames of pieces that stay upright and, with `must_move`, travel.
fn starts(recording: &Recording, must_move: bool) -> Vec<usize> {
    let frames = recording.clip.frames();
    let length = LONGEST.min(frames);
    if length < SHORTEST {
        return Vec::new();
    }
    let speed = |start: usize| {
        let steps = recording.clip.translations()[start..start + length].windows(2);
        let way: f32 = steps.map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
        way * recording.clip.fps() as f32 / (length - 1) as f32
    };
    (0..=frames - length)
        .step_by(STRIDE)
        .filter(|&start| recording.is_upright(start, length) && (!must_move || speed(start) > MOVES))
        .collect()
}

/// Draws one piece each from two different recordings.
pub fn draw<'a>(sources: &'a [Source], rng: &mut StdRng) -> Option<[(&'a Source, Clip); 2]> {
    let first = rng.random_range(0..sources.len());
    let second = (first + rng.random_range(1..sources.len())) % sources.len();
    let mut piece = |index: usize| {
        let source: &Source = &sources[index];
        let start = source.starts[rng.random_range(0..source.starts.len())];
        Some((source, source.clip.trimmed(start..(start + LONGEST).min(source.clip.frames())).ok()?))
    };
    Some([piece(first)?, piece(second)?])
}
