//! Methods that join two pieces at a seam: those of [`mod@kinestitch::stitch`], and networks from weight files that
//! fill gaps.

use super::random_join;
use crate::delta::sample::interpolate_linearly;
use crate::recipe::Header;
use crate::seams::rig;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::contract::DEFAULT_FILLER;
use kinestitch::error::{Error, Result};
use kinestitch::method::filler::BodyKeys;
use kinestitch::method::registry::{self, Fillers};
use kinestitch::method::{dcmoe, delta, manifold, rmr};
use kinestitch::motion::clip::Clip;
use kinestitch::nn::weights::Weights;
use kinestitch::progress::Progress;
use kinestitch::stitch::{BlendKind, Cut, Input, Join, StitchOptions, Transition, refine, stitch};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;
use std::path::Path;

/// Possible durations of a blend, seconds.
const BLEND_SECS: [f64; 3] = [1.0 / 3.0, 0.5, 2.0 / 3.0];
/// Possible numbers of inserted frames.
const INSERTED_FRAMES: Range<usize> = 4..24;
/// Maximum duration that a cut may remove from a piece, seconds.
const MAX_CUT_SECS: f64 = 0.8;

/// A method that joins two pieces at a seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeamMethod {
    /// Concatenated without a blend.
    Cut,
    /// Blended at the ends of the pieces.
    Blended(BlendKind),
    /// Joined by the elastic L-score at the best cut.
    Lscore,
    /// Inertialized at a searched cut: at equal phases, or else with the lowest L-score.
    SearchedCut {
        /// Whether the phases at the cut are equal.
        equal_phases: bool,
    },
    /// Refined by a network, at a cut at equal phases, or else at the ends of the pieces.
    Refined {
        /// Whether the phases at the cut are equal.
        equal_phases: bool,
    },
    /// Inserted frames by [`stitch`], which extrapolates from both sides.
    Extrapolated,
    /// Inserted frames by interpolation.
    Interpolated,
    /// Inserted frames by the network with this index.
    Filled(usize),
    /// A random join of the kinds that the automatic choice tries ([`random_join`]).
    RandomJoin,
}

/// A network that fills gaps.
enum Filler {
    Delta(delta::Delta),
    Manifold(Box<manifold::Manifold>),
    Dcmoe(dcmoe::Network),
}

/// Networks for joining pieces.
#[derive(Default)]
pub struct Methods {
    refiner: Option<rmr::PackedRmr>,
    /// Gap fillers of random joins.
    networks: Fillers,
    /// The same networks with their names, for [`SeamMethod::Filled`].
    fillers: Vec<(String, Filler)>,
}

impl Methods {
    /// Reads networks from weight files. `recipe`: header of the recipe of the judge that is trained on their seams.
    ///
    /// # Errors
    /// Those of [`Header::read_weights`], and [`Error::Weights`] for a network that cannot join clips.
    pub fn read(paths: &[impl AsRef<Path>], recipe: &Header) -> Result<Self> {
        let mut methods = Self::default();
        for path in paths.iter().map(AsRef::as_ref) {
            let bytes = recipe.read_weights(path)?;
            let weights = Weights::read(&bytes)?;
            let name = weights.meta.name.clone();
            let filler = match name.as_str() {
                rmr::NAME => {
                    methods.refiner = Some(rmr::PackedRmr::from_bytes(&bytes)?);
                    continue;
                }
                delta::network::NAME => Filler::Delta(delta::Delta::read(&weights)?),
                manifold::NAME => Filler::Manifold(Box::new(manifold::Manifold::read(&weights)?)),
                dcmoe::NAME => Filler::Dcmoe(dcmoe::Network::read(&weights)?),
                name => return Err(Error::Weights { message: format!("the network \"{name}\" cannot join clips") }),
            };
            methods.networks.add(registry::read(&bytes)?);
            methods.fillers.push((name, filler));
        }
        Ok(methods)
    }

    /// Lists all seam methods that are available with these networks.
    pub fn seam_methods(&self) -> Vec<SeamMethod> {
        let mut seam_methods = vec![
            SeamMethod::Cut,
            SeamMethod::Blended(BlendKind::Crossfade),
            SeamMethod::Blended(BlendKind::Inertialize),
            SeamMethod::Lscore,
            SeamMethod::SearchedCut { equal_phases: false },
            SeamMethod::SearchedCut { equal_phases: true },
            SeamMethod::Extrapolated,
            SeamMethod::Interpolated,
        ];
        if self.refiner.is_some() {
            seam_methods.extend([false, true].map(|equal_phases| SeamMethod::Refined { equal_phases }));
        }
        seam_methods.extend((0..self.fillers.len()).map(SeamMethod::Filled));
        seam_methods
    }

    /// Returns the name of a seam method in tables.
    pub fn name(&self, method: SeamMethod) -> String {
        match method {
            SeamMethod::Cut => "hard cut".to_owned(),
            SeamMethod::Blended(BlendKind::Crossfade) => "crossfade".to_owned(),
            SeamMethod::Blended(BlendKind::Inertialize) => "inertialize".to_owned(),
            SeamMethod::Lscore => "lscore".to_owned(),
            SeamMethod::SearchedCut { equal_phases: false } => "inertialize, least work".to_owned(),
            SeamMethod::SearchedCut { equal_phases: true } => "inertialize, in step".to_owned(),
            SeamMethod::Refined { equal_phases: false } => "rmr".to_owned(),
            SeamMethod::Refined { equal_phases: true } => "rmr, in step".to_owned(),
            SeamMethod::Extrapolated => "gap: inertialize".to_owned(),
            SeamMethod::Interpolated => "gap: linear".to_owned(),
            SeamMethod::Filled(index) => format!("gap: {}", self.fillers[index].0),
            SeamMethod::RandomJoin => "any that auto tries".to_owned(),
        }
    }

    /// Joins two pieces that have the same skeleton and ground at height 0. Returns the motion and the frames of the
    /// seam.
    ///
    /// # Errors
    /// Those of [`stitch`] and of the networks.
    pub fn join(&self, method: SeamMethod, pieces: &[Clip; 2], rng: &mut StdRng) -> Result<(Poses, Range<usize>)> {
        if method == SeamMethod::RandomJoin {
            return random_join::join(pieces, &self.networks, self.refiner.as_ref(), rng);
        }
        let seconds = BLEND_SECS[rng.random_range(0..BLEND_SECS.len())];
        let gap = rng.random_range(INSERTED_FRAMES);
        let searched_cut = |equal_phases: bool| match equal_phases {
            true => Cut::Phase { max_cut: MAX_CUT_SECS },
            false => Cut::Best { max_cut: MAX_CUT_SECS },
        };
        let foot_lock = rng.random_bool(0.7);
        let (cut, transition) = match method {
            SeamMethod::Cut => (Cut::Keep, Transition::inertialize(0.0)),
            SeamMethod::Lscore => (searched_cut(false), Transition::lscore()),
            SeamMethod::Blended(blend) => (Cut::Keep, Transition::Blend { blend, seconds }),
            SeamMethod::SearchedCut { equal_phases } => (searched_cut(equal_phases), Transition::inertialize(seconds)),
            SeamMethod::Refined { equal_phases: true } => (searched_cut(true), Transition::inertialize(seconds)),
            SeamMethod::Refined { equal_phases: false } => (Cut::Keep, Transition::inertialize(seconds)),
            SeamMethod::Extrapolated | SeamMethod::Interpolated | SeamMethod::Filled(_) | SeamMethod::RandomJoin => {
                (Cut::Keep, Transition::insert(gap, DEFAULT_FILLER))
            }
        };
        let options = StitchOptions { foot_lock, ..Join { cut, transition, refine: false }.into() };
        let rig = rig();
        let inputs = pieces.each_ref().map(|clip| Input { clip, rig: &rig });
        let stitched = match (&self.refiner, method) {
            (Some(refiner), SeamMethod::Refined { .. }) => refine(&inputs, &options, refiner, &mut Progress::silent())?,
            _ => stitch(&inputs, &options, &mut Progress::silent())?,
        };
        let seam = &stitched.seam_reports[0];
        let edited = seam.edited_range.start.min(seam.frame)..seam.edited_range.end.max(seam.frame + 1);
        let motion = Poses::from_clip(&stitched.clip, 0..stitched.clip.frames());
        // In a motion with inserted frames, these frames also contain the first frame of the second piece, which `fill`
        // replaces too.
        Ok(match method {
            SeamMethod::Interpolated | SeamMethod::Filled(_) => {
                (self.fill(method, &motion, edited.clone(), pieces)?, edited)
            }
            _ => (motion, edited),
        })
    }

    /// Replaces the frames of a gap in a motion by interpolation, or by the network of [`SeamMethod::Filled`].
    fn fill(&self, method: SeamMethod, motion: &Poses, gap: Range<usize>, pieces: &[Clip; 2]) -> Result<Poses> {
        let joints = pieces[0].skeleton().joints();
        let offsets: [_; ROLES] = std::array::from_fn(|role| joints[role].offset);
        let (past, target) = (motion.slice(0..gap.start), motion.slice(gap.end..motion.len()));
        let frames = gap.len();
        let keys = BodyKeys { past: &past, target: &target, offsets: &offsets, ground: 0.0 };
        let filled = match method {
            SeamMethod::Filled(index) => match &self.fillers[index].1 {
                Filler::Delta(delta) => delta.fill(&keys, frames)?.poses,
                Filler::Manifold(network) => network.fill(&keys, frames, &manifold::Conditions::default())?.poses,
                Filler::Dcmoe(network) => network.fill(&keys, frames, &dcmoe::Conditions::default())?.poses,
            },
            _ => interpolate_linearly(&past, &target, frames),
        };
        let mut motion = past;
        for poses in [&filled, &target] {
            (0..poses.len()).for_each(|frame| motion.push(poses.hips[frame], poses.pose(frame).iter().copied()));
        }
        Ok(motion)
    }
}
