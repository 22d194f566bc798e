//! Cuts clips before they are joined.

use super::search::{Pair, Search, min_frames};
use super::{Insert, JoinOptions, MIN_FRAMES, StitchOptions};
use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::feature::{Features, Measure};
use crate::method::lscore::map::Scan;
use crate::method::lscore::{Cut, LscoreOptions};
use crate::method::phase::{Limb, PhaseOptions, phases};
use crate::motion::clip::Clip;
use crate::motion::gait::Gait;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::progress::Progress;
use std::ops::Range;

/// Rule that chooses the frames where two clips meet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SeamChoice {
    /// The last frame of one clip and the first frame of the next.
    #[default]
    Keep,
    /// The cheapest cut by the elastic L-score ([`crate::method::lscore`]), whatever the join.
    Best {
        /// Largest part that may be cut away at the end of one clip and at the beginning of the next, seconds.
        max_cut_secs: f64,
    },
    /// The cut at which the phases of the feet match best ([`super::phase_cut`]).
    Phase {
        /// As in [`SeamChoice::Best`].
        max_cut_secs: f64,
    },
    /// A given cut, in frames of the trimmed and resampled clips.
    At(Cut),
}

impl SeamChoice {
    /// Returns whether cuts have to be scored.
    pub(super) fn is_scored(&self) -> bool {
        matches!(self, SeamChoice::Best { .. } | SeamChoice::Phase { .. })
    }
}

/// Searches for the cuts between clips, in small steps.
#[derive(Debug)]
pub(super) struct Cutter {
    inputs: Vec<Clip>,
    /// Rule for each seam, [clips − 1].
    choices: Vec<SeamChoice>,
    lscore: LscoreOptions,
    /// Features of each input; empty if nothing is scored.
    features: Vec<Features>,
    fps: f64,
    /// Phases of each input; empty if no seam uses [`SeamChoice::Phase`].
    limbs: Vec<Vec<Limb>>,
    /// Remaining frames of each input.
    remaining: Vec<Range<usize>>,
    cuts: Vec<Option<Cut>>,
    /// The search at the seam after the last of `cuts`.
    search: Option<(Pair, Search)>,
}

impl Cutter {
    /// Prepares the search for the cuts between clips, all on one skeleton and at one rate.
    pub fn new(inputs: Vec<Clip>, rig: &Rig, options: &StitchOptions) -> Result<Self> {
        let seams = inputs.len() - 1;
        let seam_options: Vec<JoinOptions> = (0..seams).map(|seam| options.for_seam(seam)).collect();
        let is_scored =
            |join: &JoinOptions| join.cut.is_scored() || join.join == Join::Lscore || join.insert == Insert::Auto;
        let needs_scores = seam_options.iter().any(|join| is_scored(join) && !matches!(join.cut, SeamChoice::At(_)));
        let remaining = inputs.iter().map(|clip| 0..clip.frames()).collect();
        let (choices, lscore) = (seam_options.iter().map(|join| join.cut).collect(), options.lscore.clone());
        let fps = inputs[0].fps();
        let (features, limbs, cuts) = (Vec::new(), Vec::new(), Vec::new());
        let mut cutter = Self { inputs, choices, lscore, features, fps, limbs, remaining, cuts, search: None };
        if !needs_scores {
            seam_options.iter().enumerate().for_each(|(seam, join)| cutter.set_cut(seam, join.cut));
            return Ok(cutter);
        }
        let Self { inputs, lscore, .. } = &cutter;
        for (index, clip) in inputs.iter().enumerate() {
            let min_frames = if index == 0 || index == seams { lscore.window } else { 2 * lscore.window };
            if clip.frames() < min_frames {
                return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed: min_frames });
            }
        }
        let measure = Measure::new(&inputs[0], rig);
        cutter.features = inputs.iter().map(|clip| measure.features(clip)).collect::<Result<_>>()?;
        if cutter.choices.iter().any(|choice| matches!(choice, SeamChoice::Phase { .. })) {
            let limbs_of = |clip| phases(clip, rig, &PhaseOptions::default());
            cutter.limbs = cutter.inputs.iter().map(limbs_of).collect::<Result<_>>()?;
        }
        Ok(cutter)
    }

    /// Adds the cut of the next seam, `seam`, without a search: the given one, or `None` for any other rule.
    fn set_cut(&mut self, seam: usize, choice: SeamChoice) {
        let SeamChoice::At(cut) = choice else { return self.cuts.push(None) };
        self.apply(seam, cut);
    }

    /// Adds the cut of the next seam, `seam`, and removes the frames that it cuts away.
    fn apply(&mut self, seam: usize, cut: Cut) {
        // A given cut may be outside the clips; `Clip::trimmed` refuses it.
        self.remaining[seam].end = cut.takeoff.saturating_add(1);
        self.remaining[seam + 1].start = cut.landing;
        self.cuts.push(Some(cut));
    }

    /// Returns the cut of a seam, in frames of the inputs; `None` if it has not been searched yet.
    pub fn cut(&self, seam: usize) -> Option<Cut> {
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
        if let SeamChoice::At(_) = self.choices[index] {
            self.set_cut(index, self.choices[index]);
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
        self.apply(index, cut);
        Ok(fractions[1])
    }

    fn start_search(&self, index: usize) -> Result<(Pair, Search)> {
        let scan = Scan::new(self.features[index].clone(), self.features[index + 1].clone(), &self.lscore)?;
        let min_frames =
            [index, index + 1].map(|clip| min_frames(clip != 0 && clip != self.seams(), self.lscore.window));
        let [a, b] = [&self.inputs[index], &self.inputs[index + 1]];
        let is_same = a.rotations() == b.rotations() && a.translations() == b.translations();
        let pair = Pair {
            scan,
            remaining: [self.remaining[index].clone(), self.remaining[index + 1].clone()],
            min_frames,
            is_same,
        };
        let search = Search::new(&pair, self.choices[index], self.fps, self.limbs_at(index))?;
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
        Ok(CutClips { clips, whole: self.inputs, remaining: self.remaining, cuts: self.cuts })
    }
}

/// Clips cut at their seams.
pub(super) struct CutClips {
    pub clips: Vec<Clip>,
    /// The clips before they were cut: the gait at a cut is that of the motion around it.
    whole: Vec<Clip>,
    /// Frames of `whole` that are left.
    remaining: Vec<Range<usize>>,
    /// The cut at each seam, in frames of `whole`; `None` if no cut was searched and the join needs none.
    pub cuts: Vec<Option<Cut>>,
}

impl CutClips {
    /// Measures the gaits at the end of the first and at the start of the second clip of each seam, in the axes of
    /// their files.
    pub fn gaits(&self, root: &Root) -> Vec<[Gait; 2]> {
        let gaits = |seam: usize| {
            let [end, start] = [self.remaining[seam].end - 1, self.remaining[seam + 1].start];
            [Gait::before(&self.whole[seam], root, end), Gait::after(&self.whole[seam + 1], root, start)]
        };
        (0..self.cuts.len()).map(gaits).collect()
    }
}
