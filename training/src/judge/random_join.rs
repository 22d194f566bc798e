//! Random joins of the kinds that the automatic choice tries: a cut with a blend, a refinement or inserted motion.

use super::seams::rig;
use kinestitch::body::poses::Poses;
use kinestitch::error::Result;
use kinestitch::method::Join;
use kinestitch::method::registry::{self, Fillers};
use kinestitch::method::rmr::PackedRmr;
use kinestitch::motion::clip::Clip;
use kinestitch::progress::Progress;
use kinestitch::stitch::{Input, Insert, JoinOptions, SeamChoice, StitchOptions, composed};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;

/// Durations of blends, seconds.
const BLENDS: Range<f64> = 0.3..1.05;
/// Numbers of inserted frames.
const INSERTED: Range<usize> = 8..38;
/// Maximum duration that a cut may remove from a piece, seconds.
const MAX_CUT: f64 = 0.5;

/// Joins two pieces at random. Returns the motion and the frames of the seam.
///
/// # Errors
/// Those of [`composed`].
pub fn join(
    pieces: &[Clip; 2],
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    rng: &mut StdRng,
) -> Result<(Poses, Range<usize>)> {
    let rig = rig();
    let inputs = pieces.each_ref().map(|clip| Input { clip, rig: &rig });
    let options = StitchOptions { seams: vec![Some(way(networks, refiner.is_some(), rng))], ..Default::default() };
    let stitched = composed(&inputs, &options, networks, refiner, &mut Progress::silent())?;
    let seam = &stitched.seams[0];
    let edited = seam.edited_range.start.min(seam.frame)..seam.edited_range.end.max(seam.frame + 1);
    Ok((Poses::from_clip(&stitched.clip, 0..stitched.clip.frames()), edited))
}

/// Draws a random join: three tenths are blends, a tenth is refined if there is a refiner, the others insert motion.
fn way(networks: &Fillers, refine: bool, rng: &mut StdRng) -> JoinOptions {
    let cut = match rng.random_range(0..3) {
        0 => SeamChoice::Keep,
        1 => SeamChoice::Best { max_cut_secs: MAX_CUT },
        _ => SeamChoice::Phase { max_cut_secs: MAX_CUT },
    };
    let blend_secs = rng.random_range(BLENDS);
    let (join, insert, filler) = (Join::Inertialize, Insert::None, JoinOptions::FILLER);
    let plain = JoinOptions { cut, join, blend_secs, insert, filler, refine: false };
    match rng.random_range(0..10) {
        0 => plain,
        1 | 2 => JoinOptions { join: Join::Crossfade, ..plain },
        3 if refine => JoinOptions { refine, ..plain },
        _ => {
            let insert = Insert::Frames(rng.random_range(INSERTED));
            let there = |name: &&str| !registry::needs_weights(name) || networks.networks().any(|own| own == *name);
            let names: Vec<&'static str> = registry::names().filter(there).collect();
            JoinOptions { insert, filler: names[rng.random_range(0..names.len())], ..plain }
        }
    }
}
