//! Crossfade of a pair: the simplest baseline of the tables. Inertialization is [`pairs::inertialized`].

use crate::data::Recording;
use crate::pairs::{self, Pair};
use crate::segment_index::Segment;
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::ease::smoothstep;
use kinestitch::motion::quat::positive;

/// Frames of a crossfade, the same as inertialization's.
const BLEND: usize = 15;

/// The input of a pair with every boundary crossfaded. Frames before a boundary are mixed with the frames that precede
/// the replacement in its own recording (if there are none, with its first frame). The root is the truth's.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn crossfaded(recordings: &[Recording], pair: &Pair) -> Result<Clip> {
    let (mut clip, _) = pairs::clips(recordings, pair)?;
    let joints = clip.joints();
    let mut before = pair.replaced.first().map_or(0, |replaced| replaced.0);
    for &(start, length, segment) in &pair.replaced {
        let blend = BLEND.min(before - 1);
        let lead = blend.min(segment.start);
        let from = Segment { start: segment.start - lead, ..segment };
        let other = pairs::cut(recordings, from, lead + 1)?;
        let lift = recordings[pair.truth.recording].ground - recordings[segment.recording].ground;
        for k in 0..blend {
            let frame = start - blend + k;
            let theirs = (k + lead).saturating_sub(blend);
            let part = smoothstep((k + 1) as f32 / (blend + 1) as f32);
            let (here, there) = (GroundPose::of(&clip, frame), GroundPose::of(&other, theirs));
            let turn = here.rotation() * there.rotation().inverse();
            let rise = other.translations()[theirs].y + lift - clip.translations()[frame].y;
            clip.translations_mut()[frame] += Vec3::Y * (rise * part);
            for (joint, new) in other.frame_rotations(theirs).iter().enumerate() {
                let new = if joint == 0 { turn * *new } else { *new };
                let old = &mut clip.rotations_mut()[frame * joints + joint];
                *old = if joint == 0 { old.slerp(new, part) } else { positive(*old).slerp(positive(new), part) };
            }
        }
        before = length;
    }
    Ok(clip)
}
