//! Real seams for the refiner's training: pieces of two recordings, joined as at run time.
//!
//! Pairs of similar segments ([`crate::pairs`]) have a truth, but they are easier than real seams: the ground path is
//! always the truth's, and the replacement resembles the replaced frames. At a real seam, speed and heading change
//! within half a second, and a planted foot can have another position after the seam. The ideal motion is unknown, but
//! two facts are known: the foot contacts of both pieces, and that little else should change. So the target is the
//! draft (the inertialized seam) with the pieces' contacts, and deviations from the draft have a reduced weight
//! ([`DRAFT_WEIGHT`]).

use crate::data::{Recording, Split};
use crate::pairs::{BLEND, WINDOW, cut, rest_heights, windows};
use crate::segment_index::Segment;
use kinestitch::body::biped;
use kinestitch::error::Result;
use kinestitch::feature::encode;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::blend;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::gait::Gait;
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::rig::{Rig, RigKind};
use kinestitch::motion::root::Root;
use rand::Rng;
use rand::rngs::StdRng;
use std::sync::Arc;

/// Weight of deviations from a draft, relative to a weight of 1 for deviations from a truth.
pub const DRAFT_WEIGHT: f32 = 0.25;
/// Possible numbers of frames before the seam of a window.
const SEAM_FRAMES: std::ops::Range<usize> = 15..WINDOW - BLEND - 2;
/// Minimum distance between the positions of a foot before and after a seam at which the foot has to make a step,
/// metres.
const MIN_STEP: f32 = 0.04;
/// Duration of such a step from the seam on, frames.
const STEP_FRAMES: usize = 10;

/// Two pieces of recordings that are joined at a seam.
#[derive(Debug, Clone, Copy)]
pub struct Seam {
    /// Piece before the seam.
    pub first: Segment,
    /// Piece from the seam on.
    pub second: Segment,
    /// Number of frames of the first piece. In the window, this is also the index of the second piece's first frame.
    pub frame: usize,
}

/// Windows of a split, grouped by data set, from which pieces are drawn.
pub struct Pieces(Vec<Vec<Segment>>);

impl Pieces {
    /// Collects the windows of a split of some recordings.
    pub fn new(recordings: &[Recording], split: Split) -> Self {
        let mut sets: Vec<(&str, Vec<Segment>)> = Vec::new();
        for window in windows(recordings, split) {
            let set = recordings[window.recording].set.as_str();
            match sets.iter_mut().find(|(name, _)| *name == set) {
                Some((_, windows)) => windows.push(window),
                None => sets.push((set, vec![window])),
            }
        }
        Self(sets.into_iter().map(|set| set.1).collect())
    }

    /// Draws a random seam between two pieces of one data set; `None` if there are no windows.
    pub fn draw(&self, rng: &mut StdRng) -> Option<Seam> {
        let count: usize = self.0.iter().map(Vec::len).sum();
        let mut index = rng.random_range(0..count.max(1));
        let set = self.0.iter().find(|set| {
            let is_in_set = index < set.len();
            index = if is_in_set { index } else { index - set.len() };
            is_in_set
        })?;
        let second = set[rng.random_range(0..set.len())];
        Some(Seam { first: set[index], second, frame: rng.random_range(SEAM_FRAMES) })
    }
}

/// Creates the rig of a canonical biped, in which joint i has role i.
pub fn rig() -> Rig {
    Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, ..Rig::empty() }
}

/// Computes the rows (draft, target) of a seam, [`WINDOW`] × 161 each. The target is the draft with the contacts of its
/// pieces.
///
/// # Errors
/// Those of [`cut`].
pub fn rows(recordings: &[Recording], seam: &Seam) -> Result<(Vec<f32>, Vec<f32>)> {
    let first = cut(recordings, seam.first, seam.frame)?;
    let second = cut(recordings, seam.second, WINDOW - seam.frame)?;
    let [ground, second_ground] = [seam.first, seam.second].map(|segment| recordings[segment.recording].ground);
    // The second piece gets the skeleton and the ground height of the first, so that legs keep their lengths.
    let roots = second.translations().iter().map(|root| *root + glam::Vec3::Y * (ground - second_ground)).collect();
    let skeleton = Arc::clone(first.skeleton());
    let moved_second = Clip::new("second", skeleton, first.frame_time_secs(), second.rotations().to_vec(), roots)?;
    let rig = rig();
    let root = Root::new(first.skeleton(), &[&first, &moved_second], &rig);
    let hinges = Hinge::detect_all(&[&first, &moved_second], &rig);
    let gaits = Gait::ends(&first, &moved_second, &root);
    let joined = blend::inertialize(&first, moved_second, &root, gaits, &hinges, BLEND);
    let rotations = [first.rotations(), &joined.rotations, &joined.placed.rotations()[BLEND * first.joints()..]];
    let roots = [first.translations(), &joined.translations, &joined.placed.translations()[BLEND..]];
    let skeleton = Arc::clone(first.skeleton());
    let draft = Clip::new("seam", skeleton, first.frame_time_secs(), rotations.concat(), roots.concat())?;

    let rest = rest_heights(recordings, seam.first);
    let draft_rows = encode::rows(&draft, 0..WINDOW, ground, rest);
    let mut target = draft_rows.clone();
    let first_rows = encode::rows(&first, 0..seam.frame, ground, rest);
    let second_rest = rest_heights(recordings, seam.second);
    let second_rows = encode::rows(&second, 0..WINDOW - seam.frame, second_ground, second_rest);
    let contacts = RefinerRow::CONTACT.range();
    let recorded = first_rows.chunks_exact(RefinerRow::WIDTH).chain(second_rows.chunks_exact(RefinerRow::WIDTH));
    for (row, recorded) in target.chunks_exact_mut(RefinerRow::WIDTH).zip(recorded) {
        row[contacts.clone()].copy_from_slice(&recorded[contacts.clone()]);
    }
    lift_displaced_feet(&mut target, seam.frame, &first, &joined.placed);
    Ok((draft_rows, target))
}

/// Clears the contacts of a foot for [`STEP_FRAMES`] frames if the foot is in contact on both sides of a seam, but at
/// positions that differ by more than [`MIN_STEP`].
fn lift_displaced_feet(target: &mut [f32], seam: usize, first: &Clip, second: &Clip) {
    let (last, next) = (Pose::from_clip(first, seam - 1), Pose::from_clip(second, 0));
    for (index, contact) in biped().contacts.iter().enumerate() {
        let column = RefinerRow::CONTACT.start + index;
        let in_contact = |row: usize| target[row * RefinerRow::WIDTH + column] > 0.5;
        let shift = (last.world_positions[contact.joint] - next.world_positions[contact.joint]).with_y(0.0);
        if in_contact(seam - 1) && in_contact(seam) && shift.length() > MIN_STEP {
            (seam..seam + STEP_FRAMES).for_each(|row| target[row * RefinerRow::WIDTH + column] = 0.0);
        }
    }
}
