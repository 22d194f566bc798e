//! Real seams for training: pieces of two recordings joined as at run time.
//!
//! Pairs of look-alikes ([`crate::pairs`]) have a truth, but their path on the ground is always the truth's, and what
//! replaces it fits. At a real seam speed and heading change within half a second and feet land where they did not
//! lift off. Nobody knows how that ought to look; known is when the feet of either piece stand, and that little else
//! should change. So the target is the draft itself with the pieces' own contacts, which a refined row may leave at a
//! price ([`NEAR`]).

use crate::data::{Recording, Split};
use crate::pairs::{BLEND, WINDOW, cut, resting, windows};
use crate::segment_index::Segment;
use kinestitch::body::biped;
use kinestitch::error::Result;
use kinestitch::feature::encode;
use kinestitch::feature::layout::Refiner;
use kinestitch::method::blend;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::rig::{Rig, RigKind};
use kinestitch::motion::root::Root;
use rand::Rng;
use rand::rngs::StdRng;
use std::sync::Arc;

/// Weight of staying with the draft, of staying with a truth being 1.
pub const NEAR: f32 = 0.25;
/// Frames of a window before its seam: the least, and past the most.
const BEFORE: std::ops::Range<usize> = 15..WINDOW - BLEND - 2;
/// A foot that stands on both sides of a seam takes a step where its places are further apart, metres.
const STEP: f32 = 0.04;
/// Frames after the seam that such a step has.
const STEP_FRAMES: usize = 10;

/// Two pieces that meet.
#[derive(Debug, Clone, Copy)]
pub struct Seam {
    /// Up to the seam.
    pub first: Segment,
    /// From it on.
    pub second: Segment,
    /// Frames of the first piece.
    pub at: usize,
}

/// Windows of a split, by set, that pieces are taken from.
pub struct Pieces(Vec<Vec<Segment>>);

impl Pieces {
    /// Those of some recordings.
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

    /// A random seam of two pieces of one set; `None` where there are none.
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

/// The mapping of a canonical biped: every joint plays its own role.
fn rig() -> Rig {
    Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, warnings: Vec::new() }
}

/// Rows (draft, target) of a seam, [`WINDOW`] × 161 each: the target is the draft with the contacts of its pieces.
///
/// # Errors
/// Those of [`cut`].
pub fn rows(recordings: &[Recording], seam: &Seam) -> Result<(Vec<f32>, Vec<f32>)> {
    let first = cut(recordings, seam.first, seam.at)?;
    let second = cut(recordings, seam.second, WINDOW - seam.at)?;
    let [ground, other_ground] = [seam.first, seam.second].map(|segment| recordings[segment.recording].ground);
    // On the first one's bones: legs are of one length.
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
    let contacts = Refiner::CONTACT.range();
    for (row, own) in target
        .chunks_exact_mut(Refiner::WIDTH)
        .zip(before.chunks_exact(Refiner::WIDTH).chain(after.chunks_exact(Refiner::WIDTH)))
    {
        row[contacts.clone()].copy_from_slice(&own[contacts.clone()]);
    }
    step(&mut target, seam.at, &first, &joined.placed);
    Ok((draft_rows, target))
}

/// Lifts the feet that stand on both sides of a seam in places too far apart.
fn step(target: &mut [f32], at: usize, first: &Clip, placed: &Clip) {
    let (last, next) = (Pose::of(first, at - 1), Pose::of(placed, 0));
    for (index, contact) in biped().contacts.iter().enumerate() {
        let column = Refiner::CONTACT.start + index;
        let stands = |row: usize| target[row * Refiner::WIDTH + column] > 0.5;
        let apart = (last.world_positions[contact.joint] - next.world_positions[contact.joint]).with_y(0.0).length();
        if stands(at - 1) && stands(at) && apart > STEP {
            (at..at + STEP_FRAMES).for_each(|row| target[row * Refiner::WIDTH + column] = 0.0);
        }
    }
}
