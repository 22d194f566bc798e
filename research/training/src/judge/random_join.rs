//! Random joins, of the kinds that the automatic choice ([`kinestitch::stitch::Auto`]) tries: a cut with a blend, with
//! a refinement, or with inserted motion.

use crate::seams::rig;
use kinestitch::body::poses::Poses;
use kinestitch::error::Result;
use kinestitch::method::registry::{self, Fillers};
use kinestitch::method::rmr::PackedRmr;
use kinestitch::motion::clip::Clip;
use kinestitch::progress::Progress;
use kinestitch::stitch::{Cut, Input, Join, Networks, Transition, stitch_with_networks};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;

/// Possible durations of a blend, seconds.
const BLEND_SECS: Range<f64> = 0.3..1.05;
/// Possible numbers of inserted frames.
const INSERTED_FRAMES: Range<usize> = 8..38;
/// Maximum duration that a cut may remove from a piece, seconds.
const MAX_CUT_SECS: f64 = 0.5;

/// Joins two pieces by random options. Returns the motion and the frames of the seam.
///
/// # Errors
/// Those of [`stitch_with_networks`].
pub fn join(
    pieces: &[Clip; 2],
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    rng: &mut StdRng,
) -> Result<(Poses, Range<usize>)> {
    let rig = rig();
    let inputs = pieces.each_ref().map(|clip| Input { clip, rig: &rig });
    let options = draw_join(networks, refiner.is_some(), rng).into();
    let networks = Networks { fillers: networks, refiner, ..Default::default() };
    let stitched = stitch_with_networks(&inputs, &options, &networks, &mut Progress::silent())?;
    let seam = &stitched.seam_reports[0];
    let edited = seam.edited_range.start.min(seam.frame)..seam.edited_range.end.max(seam.frame + 1);
    Ok((Poses::from_clip(&stitched.clip, 0..stitched.clip.frames()), edited))
}

/// Draws a random join: three tenths are blends, one tenth is refined if there is a refiner, and all others
/// insert motion.
fn draw_join(networks: &Fillers, has_refiner: bool, rng: &mut StdRng) -> Join {
    let cut = match rng.random_range(0..3) {
        0 => Cut::Keep,
        1 => Cut::Best { max_cut: MAX_CUT_SECS },
        _ => Cut::Phase { max_cut: MAX_CUT_SECS },
    };
    let seconds = rng.random_range(BLEND_SECS);
    let blend = Join { cut, transition: Transition::inertialize(seconds), refine: false };
    match rng.random_range(0..10) {
        0 => blend,
        1 | 2 => Join { transition: Transition::crossfade(seconds), ..blend },
        3 if has_refiner => Join { refine: true, ..blend },
        _ => {
            let frames = rng.random_range(INSERTED_FRAMES);
            let is_available =
                |name: &&str| !registry::needs_weights(name) || networks.networks().any(|loaded| loaded == *name);
            let names: Vec<&'static str> = registry::names().filter(is_available).collect();
            Join { transition: Transition::insert(frames, names[rng.random_range(0..names.len())]), ..blend }
        }
    }
}
