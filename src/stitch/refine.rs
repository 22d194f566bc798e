//! Refinement of a draft by a network: the draft is encoded as rows, the network refines the rows, and the change of
//! the rows is applied to the draft.
//!
//! Rows before and after the refinement are decoded in the same way, both on the ground poses of the draft: so the
//! motion keeps its path, whatever path the network predicts. The difference between both bodies, a rotation of each
//! joint and a translation of the hips, is resampled from the rows' rate to the clip's rate and applied to the clip.
//! Frames with unchanged rows stay bit-identical. Before that, feet are made consistent with the contacts in the rows,
//! and edits that are worse than the draft are rejected ([`guard`]).

use super::guard;
use super::{
    Input, Join, Joined, PartialJoin, Refinement, Rejection, SeamReport, StitchOptions, Stitched, Transition, faults,
    join,
};
use crate::body::{Canonical, GroundPose, apply, to_canonical};
use crate::error::{Error, Result};
use crate::feature::foot_alignment::align_feet_to_contacts;
use crate::feature::layout::RefinerRow;
use crate::feature::swing::lift_low_feet;
use crate::feature::{decode, encode};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::foot_plan::PredictedContacts;
use crate::motion::quat::with_positive_w;
use crate::motion::resample::resample;
use crate::motion::rig::{Rig, RigKind};
use crate::progress::{Progress, Stage};
use glam::Quat;
use std::ops::Range;
use std::sync::Arc;

/// Joined clips, encoded for the refiner.
#[derive(Debug, Clone)]
pub struct Draft {
    joined: Joined,
    /// Canonical body of the joined clip, at the rate of the clip.
    canonical: Canonical,
    /// The same body at [`RefinerRow::FPS`].
    canonical_30fps: Clip,
    /// Height of the ground, metres of the canonical body.
    ground: f32,
    /// Heights of both toe joints over the ground at rest, metres of the canonical body.
    toe_heights: [f32; 2],
    /// See [`Draft::rows`].
    rows: Vec<f32>,
}

/// Returns options for a draft as in the refiner's training data: inertialization over [`super::REFINED_SECS`] replaces
/// the transition of `options`. Entries of individual seams keep their own transition. All seams are refined.
///
/// # Errors
/// [`Error::Rig`] if the first clip is not a biped, [`Error::Option`] if frames are to be inserted between
/// clips.
pub fn draft_options(clips: &[Input], options: &StitchOptions) -> Result<StitchOptions> {
    if let Some(Input { clip, rig }) = clips.first() {
        check_biped(clip, rig)?;
    }
    let StitchOptions { seams, .. } = options;
    let general = StitchOptions { seams: Vec::new(), ..options.clone() }.for_seam(0);
    if let Transition::Insert { .. } = general.transition {
        let message = "a draft for the refiner is a blend and inserts no frames".to_owned();
        return Err(Error::Option { option: "transition", message });
    }
    let refined = |changes: &Option<PartialJoin>| {
        changes.as_ref().map(|changes| PartialJoin { refine: Some(true), ..changes.clone() })
    };
    let join = Join::refined(general.cut).into();
    Ok(StitchOptions { join, seams: seams.iter().map(refined).collect(), ..options.clone() })
}

/// Returns an error for a clip that the refiner cannot refine, because it is not a biped.
fn check_biped(clip: &Clip, rig: &Rig) -> Result<()> {
    if rig.kind == RigKind::Biped {
        return Ok(());
    }
    let message = "\"rmr\" needs a biped: map hips, legs and feet, or use \"inertialize\"".to_owned();
    Err(Error::Rig { clip: clip.name.clone(), message })
}

/// Aligns the clips and joins them with [`draft_options`], without pinning feet.
///
/// # Errors
/// The errors of [`super::stitch`] and [`draft_options`].
pub fn draft(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Draft> {
    Draft::new(join(clips, &draft_options(clips, options)?, progress)?)
}

impl Draft {
    /// Encodes joined clips. The refiner was trained on clips joined with [`draft_options`].
    ///
    /// # Errors
    /// [`Error::Rig`] if the body is not a biped.
    pub fn new(joined: Joined) -> Result<Self> {
        check_biped(&joined.stitched.clip, &joined.rig)?;
        let canonical = to_canonical(&joined.stitched.clip, &joined.rig)?;
        let canonical_30fps = resample(&canonical.clip, RefinerRow::FPS)?;
        let (ground, contact_heights) = encode::ground(&canonical_30fps);
        let rows = encode::rows(&canonical_30fps, 0..canonical_30fps.frames(), ground, contact_heights);
        let [_, left_toe, _, right_toe] = contact_heights;
        Ok(Self { joined, canonical, canonical_30fps, ground, toe_heights: [left_toe, right_toe], rows })
    }

    /// Returns the rows of the motion at [`RefinerRow::FPS`], not normalised, [frames × [`RefinerRow::WIDTH`]].
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// Returns the seams to refine, each as the index of the first row of the incoming clip. Seams between bodies that
    /// are not upright are omitted, because the refiner's training data has upright motion only.
    pub fn seam_rows(&self) -> Vec<usize> {
        let seams = self.joined.stitched.seam_reports.iter().filter(|seam| seam.made.refine);
        seams.map(|seam| self.seam_row(seam)).filter(|&row| self.is_upright_around(row)).collect()
    }

    fn seam_row(&self, seam: &SeamReport) -> usize {
        // At high frame rates, a short last clip may end before its first row.
        (self.fractional_row(seam.frame).ceil() as usize).min(self.canonical_30fps.frames() - 1)
    }

    /// Returns whether the body is upright in the rows around a seam.
    fn is_upright_around(&self, row: usize) -> bool {
        let window = row.saturating_sub(guard::AROUND)..(row + guard::AROUND).min(self.canonical_30fps.frames());
        guard::is_upright(&self.canonical_30fps, window, self.ground)
    }

    /// Refines the draft on the CPU, and finishes the stitched motion.
    ///
    /// # Errors
    /// The errors of [`PackedRmr::refine`] and [`Draft::finish`].
    pub fn refine(self, refiner: &PackedRmr, progress: &mut Progress) -> Result<Stitched> {
        let rows = refiner.refine(self.rows(), &self.seam_rows(), Default::default(), progress)?;
        self.finish(&rows, progress)
    }

    /// [`Draft::refine`] without the search for visible faults.
    pub(super) fn refine_unmeasured(self, refiner: &PackedRmr, progress: &mut Progress) -> Result<Stitched> {
        let rows = refiner.refine(self.rows(), &self.seam_rows(), Default::default(), progress)?;
        self.apply(&rows, progress)
    }

    /// Finishes the stitched motion with refined rows: as many numbers as [`Draft::rows`], contacts from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Option`] for rows of another length or that are not finite, [`Error::Aborted`] if `progress`
    /// aborts.
    pub fn finish(self, refined_rows: &[f32], progress: &mut Progress) -> Result<Stitched> {
        let rig = self.joined.rig.clone();
        let mut stitched = self.apply(refined_rows, progress)?;
        faults::measure(&mut stitched, &rig);
        Ok(stitched)
    }

    fn apply(self, refined_rows: &[f32], progress: &mut Progress) -> Result<Stitched> {
        let fail = |message| Err(Error::Option { option: "rows", message });
        if refined_rows.len() != self.rows.len() {
            return fail(format!("{} numbers are needed, not {}", self.rows.len(), refined_rows.len()));
        }
        if refined_rows.iter().any(|value| !value.is_finite()) {
            return fail("all numbers must be finite".to_owned());
        }
        progress.at(Stage::Refine, 1.0)?;
        let (rows, rejections) = self.reject_worse_edits(refined_rows)?;
        let edited_body = self.apply_rows(&rows)?;
        let is_changed = self.find_changed_frames(&edited_body);
        let clip = apply(&self.joined.stitched.clip, &self.joined.rig, &self.canonical, &edited_body)?;
        let mut predicted_contacts = Vec::new();
        let mut seams = self.joined.stitched.seam_reports.clone();
        let mut warnings = self.joined.stitched.warnings.clone();
        let seams_to_refine = seams.iter_mut().zip(rejections).enumerate().filter(|(_, (seam, _))| seam.made.refine);
        for (index, (seam, rejected)) in seams_to_refine {
            seam.edited_range = self.extend_to_changed(&seam.edited_range, &is_changed);
            let drift_cm = 100.0 * self.drift(&rows, &seam.edited_range) / self.canonical.scale;
            seam.refinement = Some(Refinement { drift_cm, rejected });
            match rejected {
                Some(reason) => warnings.push(format!("seam {} was not refined: {}", index + 1, reason.reason())),
                None => predicted_contacts.push(self.contacts(&rows, seam.edited_range.clone())),
            }
        }
        let stitched = Stitched { clip, seam_reports: seams, warnings, ..self.joined.stitched };
        Joined { stitched, ..self.joined }.finish_with(&predicted_contacts, progress)
    }

    /// Aligns feet to contacts and rejects edits that are worse than the draft. Returns the resulting rows, and for
    /// each seam the reason of a rejection.
    fn reject_worse_edits(&self, refined_rows: &[f32]) -> Result<(Vec<f32>, Vec<Option<Rejection>>)> {
        let seams = &self.joined.stitched.seam_reports;
        let is_upright: Vec<bool> = seams.iter().map(|seam| self.is_upright_around(self.seam_row(seam))).collect();
        let has_upright_seam = |frames: &Range<usize>| {
            let mut refined_seams = seams.iter().zip(&is_upright).filter(|(seam, _)| seam.made.refine);
            refined_seams.any(|(seam, is_upright)| *is_upright && frames.contains(&seam.frame))
        };
        let mut rows = self.align_feet(refined_rows);
        let mut rejections = vec![None; seams.len()];
        // An edit that is worse with aligned feet may be acceptable without; if not, the draft is restored.
        for fallback_rows in [refined_rows, &self.rows] {
            let edited_body = self.apply_rows(&rows)?;
            let is_changed = self.find_changed_frames(&edited_body);
            let checks = seams.iter().zip(&is_upright).zip(&mut rejections);
            for ((seam, is_upright), rejection) in checks.filter(|((seam, _), _)| seam.made.refine) {
                let edited_frames = self.extend_to_changed(&seam.edited_range, &is_changed);
                *rejection = match is_upright {
                    true => guard::find_rejection(&self.canonical.clip, &edited_body, &edited_frames),
                    false => Some(Rejection::NotUpright),
                };
                // The edit of an upright seam may reach a seam that is not upright. It is then judged only there.
                let is_of_other_seam = !is_upright && has_upright_seam(&edited_frames);
                if rejection.is_some() && !is_of_other_seam {
                    let edited_rows = self.rows_of_frames(&edited_frames);
                    let values = edited_rows.start * RefinerRow::WIDTH..edited_rows.end * RefinerRow::WIDTH;
                    rows[values.clone()].copy_from_slice(&fallback_rows[values]);
                }
            }
        }
        Ok((rows, rejections))
    }

    /// Returns the refined rows with feet shifted to be consistent with their contacts, and low feet lifted, wherever
    /// the rows differ from those of the draft.
    fn align_feet(&self, refined_rows: &[f32]) -> Vec<f32> {
        let ground_poses = self.ground_poses();
        let mut rows = refined_rows.to_vec();
        let drafts = self.rows.chunks_exact(RefinerRow::WIDTH);
        let is_changed: Vec<bool> =
            drafts.zip(refined_rows.chunks_exact(RefinerRow::WIDTH)).map(|(draft, refined)| draft != refined).collect();
        let mut start = 0;
        for run in is_changed.chunk_by(|a, b| a == b) {
            let range = start..start + run.len();
            start = range.end;
            if run[0] {
                align_feet_to_contacts(&mut rows, range.clone(), &ground_poses);
                lift_low_feet(&mut rows, range, &ground_poses, self.toe_heights);
            }
        }
        rows
    }

    /// Returns the ground pose of each row of the draft.
    fn ground_poses(&self) -> Vec<GroundPose> {
        (0..self.canonical_30fps.frames()).map(|row| GroundPose::from_clip(&self.canonical_30fps, row)).collect()
    }

    /// Returns for each frame whether the edited body differs from that of the draft, [frames].
    fn find_changed_frames(&self, edited_body: &Clip) -> Vec<bool> {
        let draft_body = &self.canonical.clip;
        let differs = |frame| {
            draft_body.frame_translations(frame) != edited_body.frame_translations(frame)
                || draft_body.frame_rotations(frame) != edited_body.frame_rotations(frame)
        };
        (0..draft_body.frames()).map(differs).collect()
    }

    /// Extends the range of a blend to the changed frames before and after it.
    fn extend_to_changed(&self, blend: &Range<usize>, is_changed: &[bool]) -> Range<usize> {
        // Between rows the change is interpolated. It may be zero there where it changes its sign, which does not end
        // the edit.
        let max_unchanged = (self.canonical.clip.fps() / self.canonical_30fps.fps()).ceil() as usize + 1;
        let Range { start, end } = *blend;
        let frames_before = run_length(is_changed[..start].iter().rev(), max_unchanged);
        start - frames_before..end + run_length(is_changed[end..].iter(), max_unchanged)
    }

    /// Edits the canonical body of the draft by the difference between the refined rows and its own rows. Returns the
    /// edited body, at the rate of the clip.
    fn apply_rows(&self, refined_rows: &[f32]) -> Result<Clip> {
        let ground_poses = self.ground_poses();
        let decode = |rows: &[f32]| decode::clip(rows, &ground_poses, &self.canonical_30fps, self.ground);
        let (draft, refined) = (decode(&self.rows)?, decode(refined_rows)?);
        let rotation = |(draft, refined): (&Quat, &Quat)| match draft == refined {
            true => Quat::IDENTITY,
            false => with_positive_w((draft.inverse() * *refined).normalize()),
        };
        let rotations = draft.rotations().iter().zip(refined.rotations()).map(rotation).collect();
        let hips = draft.translations().iter().zip(refined.translations());
        let translations = hips.map(|(draft, refined)| *refined - *draft).collect();
        let skeleton = Arc::clone(self.canonical_30fps.skeleton());
        let change = Clip::new("change", skeleton, self.canonical_30fps.frame_time_secs(), rotations, translations)?;
        let change = resample(&change, self.canonical.clip.fps())?;
        let mut edited_body = self.canonical.clip.clone();
        let joints = edited_body.joints();
        for frame in 0..edited_body.frames() {
            // The resampled rows may end a little before the clip does.
            let change_frame = frame.min(change.frames() - 1);
            edited_body.translations_mut()[frame] += change.translations()[change_frame];
            let rotations = &mut edited_body.rotations_mut()[frame * joints..][..joints];
            for (rotation, change) in rotations.iter_mut().zip(change.frame_rotations(change_frame)) {
                if *change != Quat::IDENTITY {
                    *rotation = (*rotation * *change).normalize();
                }
            }
        }
        Ok(edited_body)
    }

    /// Returns the fractional row index of a frame of the clip.
    fn fractional_row(&self, frame: usize) -> f64 {
        let row = frame as f64 * self.canonical_30fps.fps() / self.canonical.clip.fps();
        // Whole numbers are exact, without rounding errors.
        if (row - row.round()).abs() < 1e-6 { row.round() } else { row }
    }

    /// Returns the rows that cover frames of the clip.
    fn rows_of_frames(&self, frames: &Range<usize>) -> Range<usize> {
        let end = (self.fractional_row(frames.end).ceil() as usize).min(self.canonical_30fps.frames());
        (self.fractional_row(frames.start) as usize).min(end)..end
    }

    /// Measures the largest distance of the predicted path from the path of the draft, over frames of the clip, metres
    /// of the canonical body.
    fn drift(&self, refined_rows: &[f32], frames: &Range<usize>) -> f32 {
        let range = self.rows_of_frames(frames);
        if range.is_empty() {
            return 0.0;
        }
        let first = GroundPose::from_clip(&self.canonical_30fps, range.start);
        let values = range.start * RefinerRow::WIDTH..range.end * RefinerRow::WIDTH;
        let path = |rows: &[f32]| decode::path(&rows[values.clone()], first);
        let poses = path(&self.rows).into_iter().zip(path(refined_rows));
        poses.map(|(draft, refined)| draft.position.distance(refined.position)).fold(0.0, f32::max)
    }

    /// Returns the contacts in refined rows, for frames of the clip.
    fn contacts(&self, refined_rows: &[f32], frames: Range<usize>) -> PredictedContacts {
        let touches = |side: usize, part: usize, frame: usize| {
            let row = (self.fractional_row(frame).round() as usize).min(self.canonical_30fps.frames() - 1);
            refined_rows[row * RefinerRow::WIDTH + RefinerRow::CONTACT.start + 2 * side + part] > 0.5
        };
        let flags = |side, part| frames.clone().map(|frame| touches(side, part, frame)).collect();
        PredictedContacts { parts: [0, 1].map(|side| [0, 1].map(|part| flags(side, part))), frames: frames.clone() }
    }
}

/// Drafts, refines and finishes a stitched motion, on the CPU.
///
/// # Errors
/// The errors of [`draft`], [`PackedRmr::refine`] and [`Draft::finish`].
pub fn refine(
    clips: &[Input],
    options: &StitchOptions,
    refiner: &PackedRmr,
    progress: &mut Progress,
) -> Result<Stitched> {
    draft(clips, options, progress)?.refine(refiner, progress)
}

/// Returns the length of the initial run of `true`; fewer than `max_unchanged` successive `false` do not end it.
fn run_length<'a>(flags: impl Iterator<Item = &'a bool>, max_unchanged: usize) -> usize {
    let mut end = 0;
    for (index, _) in flags.enumerate().filter(|(_, flag)| **flag) {
        if index >= end + max_unchanged {
            break;
        }
        end = index + 1;
    }
    end
}
