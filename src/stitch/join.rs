//! Aligns and joins clips, before feet are pinned.

use super::cut::{CutClips, Cutter};
use super::plan::{Planned, first_frame, plan};
use super::{BlendKind, Input, Join, MIN_FRAMES, Measures, ScoredCut, SeamReport, StitchOptions, Stitched, Transition};
use crate::error::{Error, Result, quoted};
use crate::method::lscore::{LscoreOptions, inject};
use crate::method::transition::Transition as Blended;
use crate::method::{blend, interpolate};
use crate::motion::clip::Clip;
use crate::motion::floor::level;
use crate::motion::gait::Gait;
use crate::motion::hinge::Hinge;
use crate::motion::resample::{frame_step, resample};
use crate::motion::retarget::{left_out, retarget_with};
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::motion::root_convention::adopt_root_convention;
use crate::progress::{Progress, Stage};
use glam::{Quat, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// Clips aligned and joined; feet not pinned, seams not measured.
#[derive(Debug, Clone)]
pub struct Joined {
    pub(super) stitched: Stitched,
    /// Bone mapping of the first clip.
    pub(super) rig: Rig,
    pub(super) foot_lock: bool,
}

/// Clips prepared for joining. The search for the cuts between them continues in small steps.
#[derive(Debug)]
pub struct Prepared {
    cutter: Cutter,
    fps: f64,
    /// Clips that were moved to the floor of the others.
    warnings: Vec<String>,
}

impl Prepared {
    /// Moves the clips to one floor, trims them, resamples them to one frame rate and retargets them to the first one's
    /// skeleton.
    ///
    /// # Errors
    /// Those of [`super::stitch`].
    pub fn new(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Self> {
        let prepared = prepare_inputs(clips, options, progress)?;
        Self::planned(prepared, clips[0].rig, plan(clips, options)?)
    }

    /// Prepares the search for cuts by a plan, between prepared inputs ([`prepare_inputs`]).
    pub(super) fn planned((inputs, warnings): (Vec<Clip>, Vec<String>), rig: &Rig, plan: Vec<Planned>) -> Result<Self> {
        Ok(Self { fps: inputs[0].fps(), cutter: Cutter::new(inputs, rig, plan)?, warnings })
    }

    /// Completes the search, and returns the cut of the first seam.
    pub(super) fn cut(self, progress: &mut Progress) -> Result<ScoredCut> {
        let CutClips { plan, .. } = self.cutter.finish(progress)?;
        let cut = plan.first().and_then(|planned| planned.cut);
        cut.ok_or_else(|| Error::Option { option: "clips", message: "two clips are needed for a cut".to_owned() })
    }

    /// Continues the search for cuts for some hundredths of a second. Returns the completed fraction, 1 at its end.
    ///
    /// # Errors
    /// Those of [`super::stitch`].
    pub fn advance(&mut self, progress: &mut Progress) -> Result<f32> {
        self.cutter.advance(progress)
    }
}

/// Returns the clips moved to one floor, trimmed, resampled to one frame rate and retargeted to the first one's skeleton,
/// and a warning for each clip that was moved. There is at least one clip.
pub(super) fn prepare_inputs(
    clips: &[Input],
    options: &StitchOptions,
    progress: &mut Progress,
) -> Result<(Vec<Clip>, Vec<String>)> {
    options.check(clips.len())?;
    let mapped: Vec<_> = clips.iter().map(|input| (input.clip, input.rig)).collect();
    let levelled = level(&mapped, options.ground);
    let clips: Vec<Input> =
        clips.iter().zip(&levelled.clips).map(|(input, clip)| Input { clip, rig: input.rig }).collect();
    let Some(first) = clips.first() else {
        return Err(Error::Option { option: "clips", message: "at least one clip is needed".to_owned() });
    };
    let fps = options.fps.unwrap_or(first.clip.fps());
    let mut warnings = levelled.warnings;
    warnings.extend(clips[1..].iter().filter_map(|input| left_out(input.clip, input.rig, first.clip, first.rig)));
    let mut inputs = Vec::with_capacity(clips.len());
    for (index, input) in clips.iter().enumerate() {
        progress.at(Stage::Align, 0.2 * index as f32 / clips.len() as f32)?;
        inputs.push(prepare_input(index, input, first, fps, options)?);
    }
    // All clips must move the body by the same joint. `join_prepared` finds the root again after the search for cuts,
    // because in the cut clips it may be another joint.
    if let Some((model, others)) = inputs.split_first_mut() {
        let root = root_of(first, std::slice::from_ref(model));
        others.iter_mut().for_each(|clip| adopt_root_convention(clip, model, &root));
    }
    Ok((inputs, warnings))
}

fn root_of(first: &Input, inputs: &[Clip]) -> Root {
    Root::new(first.clip.skeleton(), &inputs.iter().collect::<Vec<_>>(), first.rig)
}

/// Aligns and joins clips: the first half of [`super::stitch`].
///
/// # Errors
/// Those of [`super::stitch`].
pub fn join(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Joined> {
    let prepared = Prepared::new(clips, options, progress)?;
    join_prepared(prepared, clips, options, progress)
}

/// Joins prepared clips like [`join`]; clips and options must be those of the preparation.
///
/// # Errors
/// Those of [`super::stitch`].
pub fn join_prepared(
    Prepared { cutter, fps, mut warnings }: Prepared,
    clips: &[Input],
    options: &StitchOptions,
    progress: &mut Progress,
) -> Result<Joined> {
    let cut_clips = cutter.finish(progress)?;
    check_windows(&cut_clips.clips, &cut_clips.plan)?;
    let first = &clips[0];
    let root = root_of(first, &cut_clips.clips).with_heading(options.heading);
    let gaits = cut_clips.gaits(&root);
    let CutClips { clips: inputs, plan, .. } = cut_clips;
    if clips.len() > 1 {
        warnings.extend(unwritable_root(first.clip, &root));
    }
    let count = inputs.len();
    let lengths: Vec<usize> = inputs.iter().map(Clip::frames).collect();
    let mut aligned: Vec<Clip> = Vec::with_capacity(count);
    let mut motion = Motion::default();
    let (mut starts, mut seams, mut yaw) = (vec![0], Vec::new(), 0.0);
    for (index, next) in inputs.into_iter().enumerate() {
        progress.at(Stage::Blend, 0.2 + 0.3 * index as f32 / count as f32)?;
        let Some(last) = aligned.last() else {
            motion.append(&next, 0);
            aligned.push(next);
            continue;
        };
        let Planned { join, cut, .. } = &plan[index - 1];
        let connection = match &join.transition {
            Transition::Insert { frames, .. } => Connection::Insert(frames.count(last, &next, &root, cut.as_ref())),
            Transition::Lscore { .. } => Connection::Lscore(cut.map_or(0, |cut| cut.inject), join.scoring()),
            Transition::Blend { blend, seconds } => {
                let requested = (seconds * fps).round() as usize;
                let frames = blend_frames(requested, *blend, &lengths, index, &plan);
                if frames < requested {
                    warnings.push(format!(
                        "seam {index}: the blend is shortened to {frames} frames, the clips are too short for {requested}"
                    ));
                }
                Connection::Blend(*blend, frames)
            }
        };
        let inserted = if let Connection::Insert(frames) = connection { frames } else { 0 };
        let [before, after] = gaits[index - 1];
        let unplaced = root.pose(&next, 0);
        let ends = Ends { last, next, gaits: [before.rotated(yaw), after] };
        let mut transition = connection.make_transition(ends, &root, first.rig);
        yaw = unplaced.turn_to(&root.pose(&transition.placed, 0));
        let edited_range = motion.splice(&mut transition);
        starts.push(edited_range.end - transition.replaced);
        let cut_at = cut.map(|cut| ScoredCut {
            takeoff: input_frame(cut.takeoff, index - 1, clips, fps, options),
            landing: input_frame(cut.landing, index, clips, fps, options),
            ..cut
        });
        seams.push(unmeasured_seam(starts[index], join.clone(), inserted, cut_at, edited_range));
        aligned.push(transition.placed);
    }

    let default_name = || clips.iter().map(|input| input.clip.name.as_str()).collect::<Vec<_>>().join(" + ");
    let clip = motion.into_clip(options.name.clone().unwrap_or_else(default_name), &aligned[0])?;
    let stitched = Stitched { clip, aligned, starts, seam_reports: seams, warnings };
    Ok(Joined { stitched, rig: first.rig.clone(), foot_lock: options.foot_lock })
}

/// Returns the report on a seam before the refinement and the measurements.
fn unmeasured_seam(
    frame: usize,
    made: Join,
    inserted: usize,
    cut_at: Option<ScoredCut>,
    edited_range: Range<usize>,
) -> SeamReport {
    SeamReport {
        frame,
        made,
        inserted,
        cut_at,
        edited_range,
        measured_range: 0..0,
        foot_skate: 0.0,
        peak_jerk: 0.0,
        measures: Measures::default(),
        refinement: None,
        trials: Vec::new(),
    }
}

/// Returns a warning if the root lacks channels for position or rotation: the result is right in memory, but a BVH file
/// cannot store where the clips were placed.
fn unwritable_root(clip: &Clip, root: &Root) -> Option<String> {
    let joint = root.find_unwritable_carrier(clip.skeleton())?;
    let name = quoted(&clip.skeleton().joints()[joint].name);
    Some(format!(
        "root {name} has no channels for all positions and rotations: a BVH file cannot store positions and headings"
    ))
}

/// Two clips to connect.
struct Ends<'a> {
    /// The first clip, placed.
    last: &'a Clip,
    /// The second clip, not yet placed.
    next: Clip,
    /// Gaits at the end of the first clip and at the start of the second.
    gaits: [Gait; 2],
}

/// Method that connects two clips, with the number of frames to blend, insert or inject.
enum Connection {
    Insert(usize),
    Blend(BlendKind, usize),
    Lscore(usize, LscoreOptions),
}

impl Connection {
    /// Makes the transition from the end of one clip to the start of the next.
    fn make_transition(self, Ends { last, next, gaits }: Ends, root: &Root, rig: &Rig) -> Blended {
        let hinges = |next: &Clip| Hinge::detect_all(&[last, next], rig);
        match self {
            Self::Insert(frames) => {
                let hinges = hinges(&next);
                interpolate::insert(last, next, root, gaits, &hinges, frames)
            }
            Self::Blend(BlendKind::Crossfade, frames) => blend::crossfade(last, next, root, gaits, frames),
            Self::Blend(BlendKind::Inertialize, frames) => {
                let hinges = hinges(&next);
                blend::inertialize(last, next, root, gaits, &hinges, frames)
            }
            Self::Lscore(frames, options) => inject::join_elastic(last, next, root, gaits, frames, &options),
        }
    }
}

/// Frames of the clips joined so far.
#[derive(Default)]
struct Motion {
    /// `[frames × joints]`.
    rotations: Vec<Quat>,
    /// `[frames × translated joints]`.
    translations: Vec<Vec3>,
}

impl Motion {
    /// Appends the frames of a clip from `first` on.
    fn append(&mut self, clip: &Clip, first: usize) {
        self.rotations.extend_from_slice(&clip.rotations()[first * clip.joints()..]);
        self.translations.extend_from_slice(&clip.translations()[first * clip.skeleton().translated().len()..]);
    }

    /// Creates the joined clip, with skeleton and frame time of `first`.
    fn into_clip(self, name: String, first: &Clip) -> Result<Clip> {
        let skeleton = Arc::clone(first.skeleton());
        Clip::new(name, skeleton, first.frame_time_secs(), self.rotations, self.translations)
    }

    /// Replaces the last frames by those of a transition, and appends its second clip. Returns the range of the
    /// transition's frames, which are moved out of it.
    fn splice(&mut self, transition: &mut Blended) -> Range<usize> {
        let (joints, width) = (transition.placed.joints(), transition.placed.skeleton().translated().len());
        let start = self.rotations.len() / joints - transition.overlap;
        self.rotations.truncate(start * joints);
        self.translations.truncate(start * width);
        self.rotations.append(&mut transition.rotations);
        self.translations.append(&mut transition.translations);
        let end = self.rotations.len() / joints;
        self.append(&transition.placed, transition.replaced);
        start..end
    }
}

/// Returns an input trimmed, resampled to the result's rate and retargeted to the first clip's skeleton.
fn prepare_input(index: usize, input: &Input, first: &Input, fps: f64, options: &StitchOptions) -> Result<Clip> {
    let clip = match options.trim.get(index) {
        Some(Some(range)) => resample(&input.clip.trimmed((*range).into())?, fps)?,
        _ => resample(input.clip, fps)?,
    };
    if clip.frames() < MIN_FRAMES {
        let frames = clip.frames();
        return Err(Error::TooShort { clip: clip.name, frames, needed: MIN_FRAMES });
    }
    if Arc::ptr_eq(clip.skeleton(), first.clip.skeleton()) {
        return Ok(clip);
    }
    retarget_with(&clip, input.rig, (first.clip, first.rig), options.ground)
}

/// Converts a frame of a trimmed and resampled clip to a frame of its input.
fn input_frame(frame: usize, index: usize, clips: &[Input], fps: f64, options: &StitchOptions) -> usize {
    first_frame(index, options) + (frame as f64 * frame_step(clips[index].clip.fps(), fps)).round() as usize
}

/// Checks that the cuts leave every clip the frames that a join by L-score smooths. A search for cuts does the same, but
/// a given cut ([`super::Cut::At`]) may be anywhere.
fn check_windows(inputs: &[Clip], plan: &[Planned]) -> Result<()> {
    for (index, clip) in inputs.iter().enumerate() {
        let seams = index.saturating_sub(1)..(index + 1).min(inputs.len() - 1);
        let needed = plan[seams].iter().map(|planned| planned.join.smoothed_window()).sum();
        if clip.frames() < needed {
            return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed });
        }
    }
    Ok(())
}

/// Returns whether a join also changes frames at the end of its first clip.
fn edits_both_ends(join: &Join) -> bool {
    matches!(join.transition, Transition::Lscore { .. } | Transition::Blend { blend: BlendKind::Crossfade, .. })
}

/// Returns the number of frames of the blend between inputs `index` − 1 and `index`: the requested number, or fewer if
/// the clips are too short. A clip between two others can be blended over half of its frames at each end, but not into
/// the window that the join at its other end smooths; or over almost all of its frames by inertialization if the next
/// seam changes none of them.
fn blend_frames(requested: usize, blend: BlendKind, lengths: &[usize], index: usize, plan: &[Planned]) -> usize {
    let available = |clip: usize| {
        if clip == 0 || clip + 1 == lengths.len() {
            return lengths[clip] - 2;
        }
        let other_seam = if clip == index { clip } else { clip - 1 };
        ((lengths[clip] - 2) / 2).min(lengths[clip] - plan[other_seam].join.smoothed_window())
    };
    let max_frames = match blend {
        BlendKind::Crossfade => available(index - 1).min(available(index)),
        BlendKind::Inertialize if plan.get(index).is_some_and(|next| edits_both_ends(&next.join)) => available(index),
        BlendKind::Inertialize => lengths[index] - 2,
    };
    requested.min(max_frames)
}
