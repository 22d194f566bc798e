//! Clips in, one clip out.
//!
//! 1. every clip is trimmed, brought to one frame rate and onto the first clip's skeleton;
//! 2. clips are cut where they meet best, if asked for;
//! 3. each is placed on the ground where the one before leads (position and heading; height is kept) and joined to it by a
//!    [`Method`];
//! 4. feet that touch the ground are pinned, if asked for.

mod cut;

pub use cut::SeamChoice;

use crate::error::{Error, Result};
use crate::method::lscore::{Cut, LscoreOptions, inject};
use crate::method::{Method, blend};
use crate::metrics;
use crate::motion::carry::adopt;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, contacts, tracks};
use crate::motion::foot_lock;
use crate::motion::foot_plan::{FootPlan, Source};
use crate::motion::hinge::Hinge;
use crate::motion::resample::{SAME_RATE, resample};
use crate::motion::retarget::retarget;
use crate::motion::rig::{Rig, RigKind};
use crate::motion::root::Root;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Fewest frames of a clip, after trimming and at the result's rate.
pub const MIN_FRAMES: usize = 10;

/// Frames this long before and after a blend count as around the seam, seconds.
pub const AROUND_SECS: f64 = 0.25;

/// One clip to stitch, with its bone mapping.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// Which joint plays which role.
    pub rig: &'a Rig,
}

/// What to do; `StitchOptions::default()` is a good start.
#[derive(Debug, Clone)]
pub struct StitchOptions {
    /// How clips are joined.
    pub method: Method,
    /// Length of each blend in frames of the result; shortened, with a warning, where a clip is too short for it.
    pub blend_frames: usize,
    /// Which frames of two clips meet.
    pub seam: SeamChoice,
    /// How cuts are scored, and how many frames [`Method::Lscore`] may inject.
    pub lscore: LscoreOptions,
    /// Pin feet that touch the ground by two-bone IK. Bipeds only.
    pub foot_lock: bool,
    /// Frames used of each input, in its own frames; `None`, or no entry, for all.
    pub trim: Vec<Option<Range<usize>>>,
    /// Frames a second of the result; the first clip's by default.
    pub fps: Option<f64>,
    /// Name of the result; the inputs' names joined by " + " by default.
    pub name: Option<String>,
}

impl Default for StitchOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            blend_frames: 20,
            seam: SeamChoice::default(),
            lscore: LscoreOptions::default(),
            foot_lock: true,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

/// A step of [`stitch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Trimming, resampling, retargeting.
    Align,
    /// Looking for the best cuts.
    Scan,
    /// Joining.
    Blend,
    /// Pinning feet.
    FootLock,
}

impl Stage {
    /// The word programs use.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Align => "align",
            Stage::Scan => "scan",
            Stage::Blend => "blend",
            Stage::FootLock => "foot-lock",
        }
    }
}

/// How far a long computation is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// Part of the whole that is done, 0 to 1.
    pub done: f32,
}

/// What happened between two clips.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// First frame of the incoming clip, in frames of the result.
    pub frame: usize,
    /// How the clips were joined.
    pub method: Method,
    /// Where the clips were cut, in frames of the input files; `None` where the whole clips meet and nothing was scored.
    pub cut: Option<Cut>,
    /// Frames of the result that differ from the aligned inputs because of the blend.
    pub edited: Range<usize>,
    /// Mean horizontal foot travel while in contact around the seam, metres a frame. 0 without feet.
    pub foot_skate: f32,
    /// Largest joint jerk around the seam, m/s³.
    pub peak_jerk: f32,
}

/// The stitched motion, and how it came about.
#[derive(Debug, Clone)]
pub struct Stitched {
    /// The result, on the first clip's skeleton.
    pub clip: Clip,
    /// The inputs as they were joined: trimmed, resampled, retargeted and placed on the ground.
    pub aligned: Vec<Clip>,
    /// Frame of the result at which frame 0 of each aligned input stands.
    pub starts: Vec<usize>,
    /// One for each pair of neighbours.
    pub seams: Vec<Seam>,
    /// Things a person should know.
    pub warnings: Vec<String>,
}

/// Joins clips into one motion on the first clip's skeleton and in its file's units, axes and channel order.
///
/// # Errors
/// [`Error::TooShort`] for a clip under [`MIN_FRAMES`], [`Error::Option`] for options out of range,
/// [`Error::Rig`] where skeletons differ and cannot be retargeted, [`Error::Aborted`] when `progress` breaks.
pub fn stitch(
    clips: &[Input],
    options: &StitchOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Stitched> {
    let mut report = |stage, done| match progress(Progress { stage, done }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Aborted),
    };
    let Some(first) = clips.first() else {
        return Err(Error::Option { option: "clips", message: "at least one clip is needed".to_owned() });
    };
    let mut warnings = Vec::new();

    let fps = options.fps.unwrap_or(first.clip.fps());
    let mut inputs = Vec::with_capacity(clips.len());
    for (index, input) in clips.iter().enumerate() {
        report(Stage::Align, 0.2 * index as f32 / clips.len() as f32)?;
        inputs.push(prepared(index, input, first, fps, options)?);
    }

    // Once to agree on what carries the body, once more because that may now be the same joint in all.
    let root = |inputs: &[Clip]| Root::of(first.clip.skeleton(), &inputs.iter().collect::<Vec<_>>(), first.rig);
    if let Some((model, others)) = inputs.split_first_mut() {
        let root = root(std::slice::from_ref(model));
        others.iter_mut().for_each(|clip| adopt(clip, model, &root));
    }
    let (inputs, cuts) = cut::cut(inputs, first.rig, options, &mut |done| report(Stage::Scan, done))?;
    let root = root(&inputs);
    if let Some(joint) = root.unwritable(first.clip.skeleton()).filter(|_| clips.len() > 1) {
        warnings.push(format!(
            "root \"{}\" has no channels for all positions and rotations: a BVH file cannot hold where the clips were placed",
            first.clip.skeleton().joints()[joint].name
        ));
    }
    let count = inputs.len();
    let lengths: Vec<usize> = inputs.iter().map(Clip::frames).collect();
    let mut aligned: Vec<Clip> = Vec::with_capacity(count);
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let (mut starts, mut seams) = (vec![0], Vec::new());
    let (joints, width) = (first.clip.joints(), first.clip.skeleton().translated().len());
    for (index, next) in inputs.into_iter().enumerate() {
        report(Stage::Blend, 0.2 + 0.3 * index as f32 / count as f32)?;
        let Some(last) = aligned.last() else {
            rotations.extend_from_slice(next.rotations());
            translations.extend_from_slice(next.translations());
            aligned.push(next);
            continue;
        };
        let cut = cuts[index - 1];
        let frames = blend_frames(options, &lengths, index);
        if frames < options.blend_frames && options.method != Method::Lscore {
            warnings.push(format!(
                "seam {index}: the blend is shortened to {frames} frames, the clips are too short for {}",
                options.blend_frames
            ));
        }
        let joined = match options.method {
            Method::Crossfade => blend::crossfade(last, next, &root, frames),
            Method::Inertialize => {
                let hinges = Hinge::all(&[last, &next], first.rig);
                blend::inertialize(last, next, &root, &hinges, frames)
            }
            Method::Lscore => inject::elastic(last, next, &root, cut.map_or(0, |cut| cut.inject), &options.lscore),
        };
        let start = rotations.len() / joints - joined.overlap;
        rotations.truncate(start * joints);
        translations.truncate(start * width);
        let edited = start..start + joined.rotations.len() / joints;
        let frame = edited.end - joined.replaced;
        rotations.extend(joined.rotations);
        translations.extend(joined.translations);
        rotations.extend_from_slice(&joined.placed.rotations()[joined.replaced * joints..]);
        translations.extend_from_slice(&joined.placed.translations()[joined.replaced * width..]);
        starts.push(frame);
        seams.push(Seam {
            frame,
            method: options.method,
            cut: cut.map(|cut| Cut {
                takeoff: own_frame(cut.takeoff, index - 1, clips, fps, options),
                landing: own_frame(cut.landing, index, clips, fps, options),
                ..cut
            }),
            edited,
            foot_skate: 0.0,
            peak_jerk: 0.0,
        });
        aligned.push(joined.placed);
    }

    let name = options
        .name
        .clone()
        .unwrap_or_else(|| clips.iter().map(|input| input.clip.name.as_str()).collect::<Vec<_>>().join(" + "));
    let mut clip =
        Clip::new(name, Arc::clone(first.clip.skeleton()), aligned[0].frame_time_secs(), rotations, translations)?;
    if options.foot_lock
        && let Some(legs) = Legs::of(&clip, first.rig)
    {
        report(Stage::FootLock, 0.5)?;
        let sources: Vec<Source> = (0..count)
            .map(|index| Source {
                clip: &aligned[index],
                start: starts[index],
                from: speaks_from(&seams, index),
                blend: index.checked_sub(1).map_or(0..0, |seam| seams[seam].edited.clone()),
            })
            .collect();
        let tracks = tracks(&clip, &legs);
        let plan = FootPlan::of(&clip, &legs, &tracks, &sources);
        let mut step = |done| report(Stage::FootLock, 0.6 + 0.4 * done);
        foot_lock::lock(&mut clip, &legs, &tracks, &plan, &mut step)?;
    }
    measure(&mut seams, &clip, first.rig, &aligned[0]);
    report(Stage::FootLock, 1.0)?;
    Ok(Stitched { clip, aligned, starts, seams, warnings })
}

/// Fills in what only the finished motion tells: foot skate and jerk around each seam.
fn measure(seams: &mut [Seam], clip: &Clip, rig: &Rig, aligned: &Clip) {
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, contacts(aligned, rig).world_ground),
        RigKind::Other => Vec::new(),
    };
    let around = (AROUND_SECS * clip.fps()).round() as usize;
    for seam in seams {
        let frames = seam.edited.start.saturating_sub(around)..(seam.edited.end + around).min(clip.frames());
        seam.foot_skate = metrics::foot_skate(clip, &feet, frames.clone()).slide;
        seam.peak_jerk = match clip.trimmed(frames) {
            Ok(part) => metrics::jerk(&part).into_iter().fold(0.0, f32::max),
            Err(_) => 0.0,
        };
    }
}

/// Trimmed, at the result's rate, on the first clip's skeleton.
fn prepared(index: usize, input: &Input, first: &Input, fps: f64, options: &StitchOptions) -> Result<Clip> {
    let clip = match options.trim.get(index) {
        Some(Some(range)) => resample(&input.clip.trimmed(range.clone())?, fps)?,
        _ => resample(input.clip, fps)?,
    };
    if clip.frames() < MIN_FRAMES {
        let frames = clip.frames();
        return Err(Error::TooShort { clip: clip.name, frames, needed: MIN_FRAMES });
    }
    if Arc::ptr_eq(clip.skeleton(), first.clip.skeleton()) {
        return Ok(clip);
    }
    retarget(&clip, input.rig, first.clip, first.rig)
}

/// Frame of an input file that stands at a frame of the trimmed and resampled clip.
fn own_frame(frame: usize, index: usize, clips: &[Input], fps: f64, options: &StitchOptions) -> usize {
    let start = options.trim.get(index).and_then(Option::as_ref).map_or(0, |range| range.start);
    let step = clips[index].clip.fps() / fps;
    let step = if (step - 1.0).abs() <= SAME_RATE { 1.0 } else { step };
    start + (frame as f64 * step).round() as usize
}

/// First frame of the result in which input `index` says what the feet do: the seam, half-way through a crossfade.
fn speaks_from(seams: &[Seam], index: usize) -> usize {
    let Some(seam) = index.checked_sub(1).map(|before| &seams[before]) else { return 0 };
    match seam.method {
        Method::Crossfade | Method::Lscore => seam.edited.start + seam.edited.len() / 2,
        Method::Inertialize => seam.edited.start,
    }
}

/// Frames of the blend between inputs `index` − 1 and `index`: what was asked for, as far as the clips reach. A clip
/// between two others gives half of itself to each.
fn blend_frames(options: &StitchOptions, lengths: &[usize], index: usize) -> usize {
    let room = |clip: usize| {
        let spare = lengths[clip] - 2;
        if clip == 0 || clip + 1 == lengths.len() { spare } else { spare / 2 }
    };
    let reach = match options.method {
        Method::Crossfade => room(index - 1).min(room(index)),
        Method::Inertialize => lengths[index] - 2,
        Method::Lscore => 0,
    };
    options.blend_frames.min(reach)
}
