//! Cuts clips before they are joined.

use super::plan::Planned;
use super::search::{Pair, Search, min_frames};
use super::{Cut, MIN_FRAMES, ScoredCut};
use crate::error::{Error, Result};
use crate::method::lscore::feature::{Features, Measure};
use crate::method::lscore::map::Scan;
use crate::method::phase::{Limb, PhaseOptions, phases};
use crate::motion::clip::Clip;
use crate::motion::gait::Gait;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::progress::Progress;
use std::ops::Range;

/// Searches for the cuts between clips, in small steps.
#[derive(Debug)]
pub(super) struct Cutter {
    inputs: Vec<Clip>,
    /// Join of each seam, [clips − 1].
    plan: Vec<Planned>,
    /// Features of each input; empty if nothing is scored.
    features: Vec<Features>,
    fps: f64,
    /// Phases of each input; empty if no seam uses [`Cut::Phase`].
    limbs: Vec<Vec<Limb>>,
    /// Remaining frames of each input.
    remaining: Vec<Range<usize>>,
    cuts: Vec<Option<ScoredCut>>,
    /// The search at the seam after the last of `cuts`.
    search: Option<(Pair, Search)>,
}

impl Cutter {
    /// Prepares the search for the cuts between clips, all on one skeleton and at one rate. `plan`: join of each seam.
    pub fn new(inputs: Vec<Clip>, rig: &Rig, plan: Vec<Planned>) -> Result<Self> {
        let needs_scores = plan.iter().any(Planned::is_scored);
        let remaining = inputs.iter().map(|clip| 0..clip.frames()).collect();
        let fps = inputs[0].fps();
        let (features, limbs, cuts) = (Vec::new(), Vec::new(), Vec::new());
        let mut cutter = Self { inputs, plan, features, fps, limbs, remaining, cuts, search: None };
        if !needs_scores {
            (0..cutter.seams()).for_each(|seam| cutter.set_cut(seam, cutter.plan[seam].cut));
            return Ok(cutter);
        }
        for (index, clip) in cutter.inputs.iter().enumerate() {
            let min_frames = cutter.windows_at(index).sum();
            if clip.frames() < min_frames {
                return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed: min_frames });
            }
        }
        let measure = Measure::new(&cutter.inputs[0], rig);
        cutter.features = cutter.inputs.iter().map(|clip| measure.features(clip)).collect::<Result<_>>()?;
        if cutter.plan.iter().any(|planned| matches!(planned.join.cut, Cut::Phase { .. }) && planned.cut.is_none()) {
            let limbs_of = |clip| phases(clip, rig, &PhaseOptions::default());
            cutter.limbs = cutter.inputs.iter().map(limbs_of).collect::<Result<_>>()?;
        }
        Ok(cutter)
    }

    /// Returns the windows of the L-score at the seams of a clip: one, or two for a clip between others.
    fn windows_at(&self, clip: usize) -> impl Iterator<Item = usize> {
        let seams = clip.saturating_sub(1)..(clip + 1).min(self.seams());
        self.plan[seams].iter().map(|planned| planned.join.scoring().window)
    }

    /// Adds the cut of the next seam, `seam`, and removes the frames that it cuts away.
    fn set_cut(&mut self, seam: usize, cut: Option<ScoredCut>) {
        if let Some(cut) = cut {
            self.remaining[seam].end = cut.takeoff.saturating_add(1);
            self.remaining[seam + 1].start = cut.landing;
        }
        self.cuts.push(cut);
    }

    /// Returns the cut of a seam, in frames of the inputs; `None` if it has not been searched yet.
    pub fn cut(&self, seam: usize) -> Option<ScoredCut> {
        self.cuts.get(seam).copied().flatten()
    }

    fn seams(&self) -> usize {
        self.inputs.len() - 1
    }

    /// Continues the search for some hundredths of a second. Returns the completed fraction, 1 at the end.
    pub fn advance(&mut self, progress: &mut Progress) -> Result<f32> {
        let (index, seams) = (self.cuts.len(), self.seams());
        if index == seams {
            return Ok(1.0);
        }
        if let Some(cut) = self.plan[index].cut {
            self.set_cut(index, Some(cut));
            return Ok((index + 1) as f32 / seams as f32);
        }
        let (pair, mut search) = match self.search.take() {
            Some(search) => search,
            None => self.start_search(index)?,
        };
        let fractions = [index, index + 1].map(|seam| seam as f32 / seams as f32);
        let fraction = search.advance(&pair, self.limbs_at(index), &mut progress.part(fractions[0]..fractions[1]))?;
        if fraction < 1.0 {
            self.search = Some((pair, search));
            return Ok((index as f32 + fraction) / seams as f32);
        }
        let cut = search.cut(&pair)?;
        self.set_cut(index, Some(cut));
        Ok(fractions[1])
    }

    fn start_search(&self, index: usize) -> Result<(Pair, Search)> {
        let planned = &self.plan[index];
        let features = [index, index + 1].map(|clip| self.features[clip].clone());
        let [first, second] = features;
        let scan = Scan::new(first, second, &planned.join.scoring())?;
        let min_frames = [index, index + 1].map(|clip| min_frames(self.windows_at(clip)));
        let [a, b] = [&self.inputs[index], &self.inputs[index + 1]];
        let is_same = a.rotations() == b.rotations() && a.translations() == b.translations();
        let pair = Pair {
            scan,
            remaining: [self.remaining[index].clone(), self.remaining[index + 1].clone()],
            min_frames,
            is_same,
        };
        let search = Search::new(&pair, planned, self.fps, self.limbs_at(index))?;
        Ok((pair, search))
    }

    fn limbs_at(&self, index: usize) -> [&[Limb]; 2] {
        [index, index + 1].map(|clip| self.limbs.get(clip).map_or(&[][..], |limbs| &limbs[..]))
    }

    /// Completes the search and cuts the inputs.
    pub fn finish(mut self, progress: &mut Progress) -> Result<CutClips> {
        // The fraction of many seams may round to 1 before the last search is complete.
        while self.cuts.len() < self.seams() {
            self.advance(progress)?;
        }
        let apply_cut = |(clip, remaining): (&Clip, &Range<usize>)| -> Result<Clip> {
            if *remaining == (0..clip.frames()) {
                return Ok(clip.clone());
            }
            let clip = clip.trimmed(remaining.clone())?;
            // Searched cuts leave enough frames; given cuts may not.
            if clip.frames() < MIN_FRAMES {
                let frames = clip.frames();
                return Err(Error::TooShort { clip: clip.name, frames, needed: MIN_FRAMES });
            }
            Ok(clip)
        };
        let clips = self.inputs.iter().zip(&self.remaining).map(apply_cut).collect::<Result<_>>()?;
        let plan = self.plan.into_iter().zip(self.cuts).map(|(planned, cut)| Planned { cut, ..planned }).collect();
        Ok(CutClips { clips, whole: self.inputs, remaining: self.remaining, plan })
    }
}

/// Clips cut at their seams.
pub(super) struct CutClips {
    pub clips: Vec<Clip>,
    /// The clips before they were cut: the gait at a cut is that of the motion around it.
    whole: Vec<Clip>,
    /// Frames of `whole` that are left.
    remaining: Vec<Range<usize>>,
    /// The join of each seam with its cut, in frames of `whole`; `None` if no cut was searched and the join needs none.
    pub plan: Vec<Planned>,
}

impl CutClips {
    /// Measures the gaits at the end of the first and at the start of the second clip of each seam, in the axes of
    /// their files.
    pub fn gaits(&self, root: &Root) -> Vec<[Gait; 2]> {
        let gaits = |seam: usize| {
            let [end, start] = [self.remaining[seam].end - 1, self.remaining[seam + 1].start];
            [Gait::before(&self.whole[seam], root, end), Gait::after(&self.whole[seam + 1], root, start)]
        };
        (0..self.plan.len()).map(gaits).collect()
    }
}
