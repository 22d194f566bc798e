//! Where clips are cut before they are joined.

use super::{Insert, MIN_FRAMES, StitchOptions};
use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::feature::{Features, Measure};
use crate::method::lscore::map::Scan;
use crate::method::lscore::{Cut, seam};
use crate::method::phase::{self, PhaseOptions, phases};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::progress::Progress;

/// How the frames where two clips meet are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SeamChoice {
    /// The last frame of one meets the first of the next.
    #[default]
    Keep,
    /// The cheapest cut by the elastic L-score ([`crate::method::lscore`]), whatever method then joins them.
    Best {
        /// Largest part, 0 to 1, that may be cut away at the end of one clip and at the beginning of the next.
        max_cut: f64,
    },
    /// Where the feet are in step by their phases ([`crate::method::phase::seam`]).
    Phase {
        /// As of [`SeamChoice::Best`].
        max_cut: f64,
    },
}

/// Cuts the inputs, all on one skeleton and at one rate, as the options say. Returns them with the cut at each seam, in
/// frames of the inputs as they came; no cut where none was looked for and the method needs none.
pub(super) fn cut(
    inputs: Vec<Clip>,
    rig: &Rig,
    options: &StitchOptions,
    progress: &mut Progress,
) -> Result<(Vec<Clip>, Vec<Option<Cut>>)> {
    let seams = inputs.len() - 1;
    let scored = options.join == Join::Lscore || options.insert == Insert::Auto;
    if options.seam == SeamChoice::Keep && !scored || seams == 0 {
        return Ok((inputs, vec![None; seams]));
    }
    let window = options.lscore.window;
    for (index, clip) in inputs.iter().enumerate() {
        let needed = if index == 0 || index == seams { window } else { 2 * window };
        if clip.frames() < needed {
            return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed });
        }
    }
    let measure = Measure::of(&inputs[0], rig);
    let features = inputs.iter().map(|clip| measure.features(clip)).collect::<Result<Vec<Features>>>()?;
    let limbs = match options.seam {
        SeamChoice::Phase { .. } => {
            let of = |clip| phases(clip, rig, &PhaseOptions::default());
            Some(inputs.iter().map(of).collect::<Result<Vec<_>>>()?)
        }
        _ => None,
    };
    let mut used: Vec<_> = inputs.iter().map(|clip| 0..clip.frames()).collect();
    let mut cuts = Vec::with_capacity(seams);
    for index in 0..seams {
        let scan = Scan::new(features[index].clone(), features[index + 1].clone(), &options.lscore)?;
        let (a, b) = (used[index].clone(), used[index + 1].clone());
        let cut = match options.seam {
            SeamChoice::Keep => scan.cut(a.end - 1, b.start)?,
            SeamChoice::Best { max_cut } | SeamChoice::Phase { max_cut } => {
                let (mut takeoffs, mut landings) = seam::ranges(&scan, a.clone(), b.clone(), max_cut)?;
                // What is left must still be clips; one between two others keeps a window for either.
                let least =
                    |clip: usize| if clip == 0 || clip == seams { MIN_FRAMES } else { MIN_FRAMES.max(2 * window) };
                takeoffs.start = takeoffs.start.max((a.start + least(index)).min(a.end) - 1);
                landings.end = landings.end.min((b.end + 1).saturating_sub(least(index + 1)).max(b.start + 1));
                let share = [index, index + 1].map(|seam| seam as f32 / seams as f32);
                let progress = &mut progress.part(share[0]..share[1]);
                let best = match &limbs {
                    None => seam::best(&scan, &scan.map(takeoffs, landings, progress)?, 1, 1).first().copied(),
                    Some(limbs) => {
                        let pair = [&limbs[index][..], &limbs[index + 1]];
                        let found = phase::seam::best(&scan, pair, takeoffs, landings, progress)?;
                        found.map(|(takeoff, landing)| scan.cut(takeoff, landing)).transpose()?
                    }
                };
                match best {
                    Some(cut) => cut,
                    None => scan.cut(a.end - 1, b.start)?,
                }
            }
        };
        used[index].end = cut.takeoff + 1;
        used[index + 1].start = cut.landing;
        cuts.push(Some(cut));
    }
    let inputs = inputs.iter().zip(used).map(|(clip, used)| clip.trimmed(used)).collect::<Result<_>>()?;
    Ok((inputs, cuts))
}
