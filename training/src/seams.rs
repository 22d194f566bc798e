//! Real seams for training: pieces of two recordings joined as at run time.
//!
//! Pairs of similar segments ([`crate::pairs`]) have a truth, but their ground path is always the truth's and the
//! replacement fits. At a real seam, speed and heading change within half a second, and feet land where they did not
//! lift off. The ideal motion is unknown; known are the foot contacts of both pieces, and that little else should
//! change. So the target is the draft with the pieces' contacts, and departures from the draft have a reduced weight
//! ([`NEAR`]).

use crate::data::{Recording, Split};
use crate::pairs::{BLEND, WINDOW, cut, resting, windows};
use crate::segment_index::Segment;
use kinestitch::body::biped;
use kinestitch::error::Result;
use kinestitch::feature::encode;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::blend;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::rig::{Rig, RigKind};
use kinestitch::motion::root::Root;
use rand::Rng;
use rand::rngs::StdRng;
use std::sync::Arc;

/// Weight of staying with a draft, relative to 1 for staying with a truth.
pub const NEAR: f32 = 0.25;
/// Frames of a window before its seam.
const BEFORE: std::ops::Range<usize> = 15..WINDOW - BLEND - 2;
/// A foot in contact on both sides of a seam takes a step if its positions are farther apart than this, metres.
const STEP: f32 = 0.04;
/// Frames of such a step, after the seam.
const STEP_FRAMES: usize = 10;

/// Two pieces and their seam.
#[derive(Debug, Clone, Copy)]
pub struct Seam {
    /// Piece before the seam.
    pub first: Segment,
    /// Piece from the seam on.
    pub second: Segment,
    /// Frames of the first piece.
    pub at: usize,
}

/// Windows of a split by set, from which pieces are drawn.
pub struct Pieces(Vec<Vec<Segment>>);

impl Pieces {
    /// Pieces of some recordings.
    pub fn new(recordings: &[Recording], split: Split) -> Self {
        let mut sets: Vec<(&str, Vec<Segment>)> = Vec::new();
        for window in windows(recordings, split) {
            let set = recordings[window.recording].set.as_str();
            match sets.iter_mut().find(|known| known.0 == set) {
                Some(known) => known.1.push(window),
                None => sets.push((set, vec![window])),
            }
        }
        Self(sets.into_iter().map(|set| set.1).collect())
    }

    /// Random seam between two pieces of one set; `None` without windows.
    pub fn draw(&self, rng: &mut StdRng) -> Option<Seam> {
        let all: usize = self.0.iter().map(Vec::len).sum();
        let mut index = rng.random_range(0..all.max(1));
        let set = self.0.iter().find(|set| {
            let here = index < set.len();
            index = if here { index } else { index - set.len() };
            here
        })?;
        let second = set[rng.random_range(0..set.len())];
        Some(Seam { first: set[index], second, at: rng.random_range(BEFORE) })
    }
}

/// Rig of a canonical biped: every joint has its own role.
fn rig() -> Rig {
    Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, warnings: Vec::new() }
}

/// Rows (draft, target) of a seam, [`WINDOW`] × 161 each. The target is the draft with the contacts of its pieces.
///
/// # Errors
/// Those of [`cut`].
pub fn rows(recordings: &[Recording], seam: &Seam) -> Result<(Vec<f32>, Vec<f32>)> {
    let first = cut(recordings, seam.first, seam.at)?;
    let second = cut(recordings, seam.second, WINDOW - seam.at)?;
    let [ground, other_ground] = [seam.first, seam.second].map(|segment| recordings[segment.recording].ground);
    // The second piece on the first one's bones, so that legs keep their lengths.
    let roots = second.translations().iter().map(|root| *root + glam::Vec3::Y * (ground - other_ground)).collect();
    let skeleton = Arc::clone(first.skeleton());
    let other = Clip::new("second", skeleton, first.frame_time_secs(), second.rotations().to_vec(), roots)?;
    let rig = rig();
    let root = Root::of(first.skeleton(), &[&first, &other], &rig);
    let hinges = Hinge::all(&[&first, &other], &rig);
    let joined = blend::inertialize(&first, other, &root, &hinges, BLEND);
    let rotations = [first.rotations(), &joined.rotations, &joined.placed.rotations()[BLEND * first.joints()..]];
    let roots = [first.translations(), &joined.translations, &joined.placed.translations()[BLEND..]];
    let skeleton = Arc::clone(first.skeleton());
    let draft = Clip::new("seam", skeleton, first.frame_time_secs(), rotations.concat(), roots.concat())?;

    let rest = resting(recordings, seam.first);
    let draft_rows = encode::rows(&draft, 0..WINDOW, ground, rest);
    let mut target = draft_rows.clone();
    let before = encode::rows(&first, 0..seam.at, ground, rest);
    let after = encode::rows(&second, 0..WINDOW - seam.at, other_ground, resting(recordings, seam.second));
    let contacts = RefinerRow::CONTACT.range();
    for (row, own) in target
        .chunks_exact_mut(RefinerRow::WIDTH)
        .zip(before.chunks_exact(RefinerRow::WIDTH).chain(after.chunks_exact(RefinerRow::WIDTH)))
    {
        row[contacts.clone()].copy_from_slice(&own[contacts.clone()]);
    }
    step(&mut target, seam.at, &first, &joined.placed);
    Ok((draft_rows, target))
}

/// Lifts feet that are in contact on both sides of a seam at positions too far apart.
fn step(target: &mut [f32], at: usize, first: &Clip, placed: &Clip) {
    let (last, next) = (Pose::of(first, at - 1), Pose::of(placed, 0));
    for (index, contact) in biped().contacts.iter().enumerate() {
        let column = RefinerRow::CONTACT.start + index;
        let in_contact = |row: usize| target[row * RefinerRow::WIDTH + column] > 0.5;
        let apart = (last.world_positions[contact.joint] - next.world_positions[contact.joint]).with_y(0.0).length();
        if in_contact(at - 1) && in_contact(at) && apart > STEP {
            (at..at + STEP_FRAMES).for_each(|row| target[row * RefinerRow::WIDTH + column] = 0.0);
        }
    }
}
