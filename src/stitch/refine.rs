//! Refinement of a draft by a network, as a step after the join: the network reads rows of the draft, and the
//! finished motion is made from the rows it returns.
//!
//! Only the change is applied. Rows before and after refinement are decoded alike, on the roots of the inputs (so the
//! path is kept, whatever the network predicts). The difference between the two bodies, a rotation of each joint and
//! a translation of the hips, is resampled from the rows' rate to the clip's and applied to the clip. Unchanged rows
//! change nothing, to the last bit. Feet are first made consistent with the rows' contacts, and edits that are worse
//! than the draft are rejected ([`guard`]).

use super::guard::{self, Rejection};
use super::{Input, Insert, JoinOptions, Joined, Refined, Seam, StitchOptions, Stitched, join};
use crate::body::{Canonical, GroundPose, apply, to_canonical};
use crate::error::{Error, Result};
use crate::feature::agree::agree;
use crate::feature::layout::RefinerRow;
use crate::feature::{decode, encode};
use crate::method::Join;
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::foot_plan::PredictedContacts;
use crate::motion::quat::with_positive_w;
use crate::motion::resample::resample;
use crate::motion::rig::RigKind;
use crate::progress::{Progress, Stage};
use glam::Quat;
use std::ops::Range;
use std::sync::Arc;

/// Length of a draft's blends, seconds: that of the network's training data, whatever the options say.
pub const BLEND_SECS: f64 = 0.5;

/// Clips aligned and joined by inertialization, ready for the refiner.
#[derive(Debug, Clone)]
pub struct Draft {
    joined: Joined,
    /// Canonical body of the joined clip, at its own rate and at the rows'.
    own: Canonical,
    body: Clip,
    ground: f32,
    rows: Vec<f32>,
}

/// Options of a draft: inertialization over [`BLEND_SECS`], as in the refiner's training data, in place of the join
/// and blend of `options`.
///
/// # Errors
/// [`Error::Rig`] if the first clip is not a biped, [`Error::Option`] if frames are to be inserted between
/// clips.
pub fn draft_options(clips: &[Input], options: &StitchOptions) -> Result<StitchOptions> {
    if let Some(Input { clip, rig }) = clips.first()
        && rig.kind != RigKind::Biped
    {
        let message = "\"rmr\" needs a biped: map hips, legs and feet, or use \"inertialize\"".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    if options.insert != Insert::None {
        let message = "\"rmr\" refines blends and inserts no frames; use another method".to_owned();
        return Err(Error::Option { option: "gap", message });
    }
    let options = StitchOptions { join: Join::Inertialize, blend_secs: BLEND_SECS, ..options.clone() };
    let joins = (1..clips.len()).map(|seam| Some(JoinOptions { refine: true, ..options.for_seam(seam - 1) })).collect();
    Ok(StitchOptions { seams: joins, ..options })
}

/// Aligns the clips and joins them by inertialization, without pinning feet.
///
/// # Errors
/// Those of [`super::stitch`] and [`draft_options`].
pub fn draft(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Draft> {
    Draft::of(join(clips, &draft_options(clips, options)?, progress)?)
}

impl Draft {
    /// A draft of clips joined with [`draft_options`].
    ///
    /// # Errors
    /// [`Error::Rig`] if the body is not a biped.
    pub fn of(joined: Joined) -> Result<Self> {
        let own = to_canonical(&joined.stitched.clip, &joined.rig)?;
        let body = resample(&own.clip, RefinerRow::FPS)?;
        let (ground, rest) = encode::ground(&body);
        let rows = encode::rows(&body, 0..body.frames(), ground, rest);
        Ok(Self { joined, own, body, ground, rows })
    }

    /// Raw rows of the motion at [`RefinerRow::FPS`], [frames × 161].
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// First row of each incoming clip at the seams to refine. Seams with motion unlike the refiners' training data
    /// are left out and keep their draft.
    pub fn seams(&self) -> Vec<usize> {
        let seams = self.joined.stitched.seams.iter().filter(|seam| seam.options.refine);
        seams.map(|seam| self.seam_row(seam)).filter(|&row| self.is_known(row)).collect()
    }

    fn seam_row(&self, seam: &Seam) -> usize {
        self.row_at(seam.frame).ceil() as usize
    }

    /// Whether the motion around a seam resembles the refiner's training data.
    fn is_known(&self, seam: usize) -> bool {
        let window = seam.saturating_sub(guard::AROUND)..(seam + guard::AROUND).min(self.body.frames());
        guard::is_upright(&self.body, window, self.ground)
    }

    /// The stitched motion, refined on the CPU.
    ///
    /// # Errors
    /// Those of [`PackedRmr::refine`] and [`Draft::finish`].
    pub fn refined(self, refiner: &PackedRmr, progress: &mut Progress) -> Result<Stitched> {
        let rows = refiner.refine(self.rows(), &self.seams(), Default::default(), progress)?;
        self.finish(&rows, progress)
    }

    /// The stitched motion from refined rows: as many as [`Draft::rows`], contacts from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Option`] for rows of another number or that are not finite, [`Error::Aborted`] if `progress`
    /// aborts.
    pub fn finish(self, refined: &[f32], progress: &mut Progress) -> Result<Stitched> {
        if refined.len() != self.rows.len() || refined.iter().any(|value| !value.is_finite()) {
            let message = format!("{} finite numbers are needed, not {}", self.rows.len(), refined.len());
            return Err(Error::Option { option: "rows", message });
        }
        progress.at(Stage::Refine, 1.0)?;
        let (rows, rejections) = self.never_worse(refined)?;
        let after = self.edited(&rows)?;
        let changed = self.changed(&after);
        let clip = apply(&self.joined.stitched.clip, &self.joined.rig, &self.own, &after)?;
        let mut predicted = Vec::new();
        let mut seams = self.joined.stitched.seams.clone();
        let mut warnings = self.joined.stitched.warnings.clone();
        let refined_seams = seams.iter_mut().zip(rejections).enumerate().filter(|(_, (seam, _))| seam.options.refine);
        for (index, (seam, fallback_reason)) in refined_seams {
            seam.edited_range = self.run_around(&changed, &seam.edited_range);
            let drift_cm = 100.0 * self.drift(&rows, &seam.edited_range) / self.own.scale;
            seam.refined = Some(Refined { drift_cm, fallback_reason });
            match fallback_reason {
                Some(reason) => warnings.push(format!("seam {} is left as drafted: {}", index + 1, reason.reason())),
                None => predicted.push(self.contacts(&rows, seam.edited_range.clone())),
            }
        }
        let stitched = Stitched { clip, seams, warnings, ..self.joined.stitched };
        Joined { stitched, ..self.joined }.finish_with(&predicted, progress)
    }

    /// Refined rows with feet consistent with contacts and without rejected edits; and the reason for each seam that
    /// keeps its draft.
    fn never_worse(&self, refined: &[f32]) -> Result<(Vec<f32>, Vec<Option<Rejection>>)> {
        let agreed = self.agreed(refined);
        let known: Vec<bool> =
            self.joined.stitched.seams.iter().map(|seam| self.is_known(self.seam_row(seam))).collect();
        let mut rows = agreed.clone();
        let mut rejections = vec![None; known.len()];
        // An edit that is worse with consistent feet may be acceptable without; if not, the draft is restored.
        for instead in [refined, &self.rows] {
            let after = self.edited(&rows)?;
            let changed = self.changed(&after);
            let seams = self.joined.stitched.seams.iter().zip(&known).zip(&mut rejections);
            for ((seam, known), rejection) in seams.filter(|((seam, _), _)| seam.options.refine) {
                let edited = self.run_around(&changed, &seam.edited_range);
                *rejection = match known {
                    true => guard::worse(&self.own.clip, &after, &edited),
                    false => Some(Rejection::Unlike),
                };
                if rejection.is_some() {
                    let own = self.rows_of(&edited);
                    let own = own.start * RefinerRow::WIDTH..own.end * RefinerRow::WIDTH;
                    rows[own.clone()].copy_from_slice(&instead[own]);
                }
            }
        }
        Ok((rows, rejections))
    }

    /// Refined rows with feet shifted to be consistent with their contacts, wherever they differ from the draft.
    fn agreed(&self, refined: &[f32]) -> Vec<f32> {
        let path = self.path();
        let mut rows = refined.to_vec();
        let own = |rows: &[f32], row: usize| rows[row * RefinerRow::WIDTH..][..RefinerRow::WIDTH].to_vec();
        let changed: Vec<bool> = (0..path.len()).map(|row| own(&self.rows, row) != own(refined, row)).collect();
        let mut start = 0;
        for run in changed.chunk_by(|a, b| a == b) {
            let frames = start..start + run.len();
            start = frames.end;
            if run[0] {
                agree(&mut rows, frames, &path);
            }
        }
        rows
    }

    /// Ground poses of the rows.
    fn path(&self) -> Vec<GroundPose> {
        (0..self.body.frames()).map(|frame| GroundPose::from_clip(&self.body, frame)).collect()
    }

    /// Whether each frame of the own body differs from the edited one, [frames].
    fn changed(&self, after: &Clip) -> Vec<bool> {
        let own = &self.own.clip;
        let differs = |frame| {
            own.frame_translations(frame) != after.frame_translations(frame)
                || own.frame_rotations(frame) != after.frame_rotations(frame)
        };
        (0..own.frames()).map(differs).collect()
    }

    /// The frames of a blend with the adjacent changed ones.
    fn run_around(&self, changed: &[bool], blend: &Range<usize>) -> Range<usize> {
        // A curve between rows may pass through zero.
        let gap = (self.own.clip.fps() / self.body.fps()).ceil() as usize + 1;
        let Range { start, end } = *blend;
        start - run(changed[..start].iter().rev(), gap)..end + run(changed[end..].iter(), gap)
    }

    /// The own body with the change from the draft's rows to the refined ones.
    fn edited(&self, refined: &[f32]) -> Result<Clip> {
        let path = self.path();
        let decoded = |rows: &[f32]| decode::clip(rows, &path, &self.body, self.ground);
        let (old, new) = (decoded(&self.rows)?, decoded(refined)?);
        let turn = |(old, new): (&Quat, &Quat)| match old == new {
            true => Quat::IDENTITY,
            false => with_positive_w((old.inverse() * *new).normalize()),
        };
        let turns = old.rotations().iter().zip(new.rotations()).map(turn).collect();
        let shifts = old.translations().iter().zip(new.translations()).map(|(old, new)| *new - *old).collect();
        let skeleton = Arc::clone(self.body.skeleton());
        let change = Clip::new("change", skeleton, self.body.frame_time_secs(), turns, shifts)?;
        let change = resample(&change, self.own.clip.fps())?;
        let mut after = self.own.clip.clone();
        let joints = after.joints();
        for frame in 0..after.frames() {
            // The rows may end a little before the clip does.
            let from = frame.min(change.frames() - 1);
            after.translations_mut()[frame] += change.translations()[from];
            let rotations = &mut after.rotations_mut()[frame * joints..][..joints];
            for (rotation, turn) in rotations.iter_mut().zip(change.frame_rotations(from)) {
                if *turn != Quat::IDENTITY {
                    *rotation = (*rotation * *turn).normalize();
                }
            }
        }
        Ok(after)
    }

    /// Position of a frame of the clip among the rows, with fraction.
    fn row_at(&self, frame: usize) -> f64 {
        let row = frame as f64 * self.body.fps() / self.own.clip.fps();
        // A whole number except for rounding errors.
        if (row - row.round()).abs() < 1e-6 { row.round() } else { row }
    }

    /// Rows that cover frames of the clip.
    fn rows_of(&self, frames: &Range<usize>) -> Range<usize> {
        let end = (self.row_at(frames.end).ceil() as usize).min(self.body.frames());
        (self.row_at(frames.start) as usize).min(end)..end
    }

    /// Largest distance of the predicted path from the input's, over frames of the clip, metres.
    fn drift(&self, refined: &[f32], frames: &Range<usize>) -> f32 {
        let rows = self.rows_of(frames);
        let Some(first) = rows.clone().next().map(|row| GroundPose::from_clip(&self.body, row)) else { return 0.0 };
        let path =
            |all: &[f32]| decode::path(&all[rows.start * RefinerRow::WIDTH..rows.end * RefinerRow::WIDTH], first);
        let apart = path(&self.rows).into_iter().zip(path(refined)).map(|(a, b)| a.position.distance(b.position));
        apart.fold(0.0, f32::max)
    }

    /// Contacts of refined rows, for frames of the clip.
    fn contacts(&self, refined: &[f32], frames: Range<usize>) -> PredictedContacts {
        let touches = |side: usize, part: usize, frame: usize| {
            let row = (self.row_at(frame).round() as usize).min(self.body.frames() - 1);
            refined[row * RefinerRow::WIDTH + RefinerRow::CONTACT.start + 2 * side + part] > 0.5
        };
        let flags = |side, part| frames.clone().map(|frame| touches(side, part, frame)).collect();
        PredictedContacts { parts: [0, 1].map(|side| [0, 1].map(|part| flags(side, part))), frames: frames.clone() }
    }
}

/// Draft, refinement and finish in one call, on the CPU.
///
/// # Errors
/// Those of [`draft`], [`PackedRmr::refine`] and [`Draft::finish`].
pub fn refined(
    clips: &[Input],
    options: &StitchOptions,
    refiner: &PackedRmr,
    progress: &mut Progress,
) -> Result<Stitched> {
    draft(clips, options, progress)?.refined(refiner, progress)
}

/// Length of the initial run of `true`; runs of `false` shorter than `gap` do not end it.
fn run<'a>(flags: impl Iterator<Item = &'a bool>, gap: usize) -> usize {
    let mut end = 0;
    for (index, _) in flags.enumerate().filter(|(_, flag)| **flag) {
        if index >= end + gap {
            break;
        }
        end = index + 1;
    }
    end
}
