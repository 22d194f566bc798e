//! Where clips are cut before they are joined.

use super::search::{Pair, Search, least};
use super::{Insert, StitchOptions};
use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::feature::{Features, Measure};
use crate::method::lscore::map::Scan;
use crate::method::lscore::{Cut, LscoreOptions};
use crate::method::phase::{Limb, PhaseOptions, phases};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::progress::Progress;
use std::ops::Range;

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

/// Looks for the cuts between clips, piece by piece.
#[derive(Debug)]
pub(super) struct Cutter {
    inputs: Vec<Clip>,
    choice: SeamChoice,
    lscore: LscoreOptions,
    /// Empty where nothing is scored.
    features: Vec<Features>,
    /// Empty but for [`SeamChoice::Phase`].
    limbs: Vec<Vec<Limb>>,
    /// What is left of each input.
    used: Vec<Range<usize>>,
    cuts: Vec<Option<Cut>>,
    /// Of the seam after the last of `cuts`.
    search: Option<(Pair, Search)>,
}

impl Cutter {
    /// Inputs all on one skeleton and at one rate.
    pub fn new(inputs: Vec<Clip>, rig: &Rig, options: &StitchOptions) -> Result<Self> {
        let seams = inputs.len() - 1;
        let scored = options.join == Join::Lscore || options.insert == Insert::Auto;
        let used = inputs.iter().map(|clip| 0..clip.frames()).collect();
        let (choice, lscore) = (options.seam, options.lscore.clone());
        let (features, limbs, cuts) = (Vec::new(), Vec::new(), Vec::new());
        let mut cutter = Self { inputs, choice, lscore, features, limbs, used, cuts, search: None };
        if choice == SeamChoice::Keep && !scored || seams == 0 {
            cutter.cuts = vec![None; seams];
            return Ok(cutter);
        }
        let Self { inputs, lscore, .. } = &cutter;
        for (index, clip) in inputs.iter().enumerate() {
            let needed = if index == 0 || index == seams { lscore.window } else { 2 * lscore.window };
            if clip.frames() < needed {
                return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed });
            }
        }
        let measure = Measure::of(&inputs[0], rig);
        cutter.features = inputs.iter().map(|clip| measure.features(clip)).collect::<Result<_>>()?;
        if let SeamChoice::Phase { .. } = choice {
            let of = |clip| phases(clip, rig, &PhaseOptions::default());
            cutter.limbs = cutter.inputs.iter().map(of).collect::<Result<_>>()?;
        }
        Ok(cutter)
    }

    fn seams(&self) -> usize {
        self.inputs.len() - 1
    }

    /// Does some hundredths of a second's worth; returns the part that is done, 1 at the end.
    pub fn advance(&mut self, progress: &mut Progress) -> Result<f32> {
        let (index, seams) = (self.cuts.len(), self.seams());
        if index == seams {
            return Ok(1.0);
        }
        let (pair, mut search) = match self.search.take() {
            Some(search) => search,
            None => self.search_at(index)?,
        };
        let share = [index, index + 1].map(|seam| seam as f32 / seams as f32);
        let done = search.advance(&pair, self.limbs_at(index), &mut progress.part(share[0]..share[1]))?;
        if done < 1.0 {
            self.search = Some((pair, search));
            return Ok((index as f32 + done) / seams as f32);
        }
        let cut = search.cut(&pair)?;
        self.used[index].end = cut.takeoff + 1;
        self.used[index + 1].start = cut.landing;
        self.cuts.push(Some(cut));
        Ok(share[1])
    }

    fn search_at(&self, index: usize) -> Result<(Pair, Search)> {
        let scan = Scan::new(self.features[index].clone(), self.features[index + 1].clone(), &self.lscore)?;
        let least = [index, index + 1].map(|clip| least(clip != 0 && clip != self.seams(), self.lscore.window));
        let pair = Pair { scan, used: [self.used[index].clone(), self.used[index + 1].clone()], least };
        let search = Search::new(&pair, self.choice, self.limbs_at(index))?;
        Ok((pair, search))
    }

    fn limbs_at(&self, index: usize) -> [&[Limb]; 2] {
        [index, index + 1].map(|clip| self.limbs.get(clip).map_or(&[][..], |limbs| &limbs[..]))
    }

    /// The inputs, cut, with the cut at each seam in frames of the inputs as they came; no cut where none was looked for and the
    /// method needs none. What is left of the search is done first.
    pub fn finish(mut self, progress: &mut Progress) -> Result<(Vec<Clip>, Vec<Option<Cut>>)> {
        while self.advance(progress)? < 1.0 {}
        if self.features.is_empty() {
            return Ok((self.inputs, self.cuts));
        }
        let inputs = self.inputs.iter().zip(self.used).map(|(clip, used)| clip.trimmed(used)).collect::<Result<_>>()?;
        Ok((inputs, self.cuts))
    }
}
