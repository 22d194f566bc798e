//! The plan of a stitch: the join of each seam, with its cut if that is known already.

use super::{Cut, Input, InsertedFrames, Join, ScoredCut, StitchOptions, Transition};
use crate::error::{Error, Result};
use crate::method::lscore::LscoreOptions;
use crate::motion::resample::frame_step;

/// Join of one seam. Frames are those of the prepared clips: trimmed and at the result's rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planned {
    pub join: Join,
    /// Take-off and landing of [`Cut::At`].
    pub at: Option<[usize; 2]>,
    /// The cut, if it was found before; `None` to find or score it.
    pub cut: Option<ScoredCut>,
}

impl Planned {
    /// Plans a join whose cut is known.
    pub fn at_cut(join: Join, cut: ScoredCut) -> Self {
        Self { join, at: None, cut: Some(cut) }
    }

    /// Plans a join between whole clips.
    pub fn uncut(join: Join) -> Self {
        Self { join: Join { cut: Cut::Keep, ..join }, at: None, cut: None }
    }

    /// Plans the join of seam `seam` between `clips`.
    pub fn new(join: Join, seam: usize, clips: &[Input], options: &StitchOptions) -> Result<Self> {
        let at = match join.cut {
            Cut::At { takeoff, landing } => Some([
                prepared_frame(takeoff, "takeoff", seam, clips, options)?,
                prepared_frame(landing, "landing", seam + 1, clips, options)?,
            ]),
            Cut::Keep | Cut::Best { .. } | Cut::Phase { .. } => None,
        };
        Ok(Self { join, at, cut: None })
    }

    /// Returns whether the cut has to be searched or scored.
    pub fn is_scored(&self) -> bool {
        let needs_inject = match self.join.transition {
            Transition::Lscore { .. } => true,
            Transition::Insert { frames, .. } => frames == InsertedFrames::Auto,
            Transition::Blend { .. } => false,
        };
        self.cut.is_none() && (self.join.cut != Cut::Keep || needs_inject)
    }
}

/// Plans the joins of `clips`.
pub(super) fn plan(clips: &[Input], options: &StitchOptions) -> Result<Vec<Planned>> {
    (0..clips.len().saturating_sub(1)).map(|seam| Planned::new(options.for_seam(seam), seam, clips, options)).collect()
}

/// Returns the first frame of a clip that is used.
pub(super) fn first_frame(index: usize, options: &StitchOptions) -> usize {
    options.trim.get(index).copied().flatten().map_or(0, |trim| trim.from as usize)
}

/// Converts a frame of a clip to a frame of the prepared clip.
fn prepared_frame(
    frame: u32,
    option: &'static str,
    index: usize,
    clips: &[Input],
    options: &StitchOptions,
) -> Result<usize> {
    let start = first_frame(index, options);
    let Some(frame) = (frame as usize).checked_sub(start) else {
        let message = format!("frame {frame} of clip {index} is trimmed away; the first one is {start}");
        return Err(Error::Option { option, message });
    };
    let fps = clips[index].clip.fps();
    Ok((frame as f64 / frame_step(fps, options.fps.unwrap_or(clips[0].clip.fps()))).round() as usize)
}

impl Join {
    /// Returns the parameters of the score of this join's cuts.
    pub(super) fn scoring(&self) -> LscoreOptions {
        match self.transition {
            Transition::Lscore { window, min_inject, max_inject } => {
                LscoreOptions { window, min_inject, max_inject, ..Default::default() }
            }
            Transition::Blend { .. } | Transition::Insert { .. } => LscoreOptions::default(),
        }
    }

    /// Returns the number of frames that this join smooths in both of its clips; 0 if it smooths none.
    pub(super) fn smoothed_window(&self) -> usize {
        match self.transition {
            Transition::Lscore { window, .. } => window,
            Transition::Blend { .. } | Transition::Insert { .. } => 0,
        }
    }
}
