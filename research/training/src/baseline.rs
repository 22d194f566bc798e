//! Crossfade of a pair: the simplest baseline in the refiner's tables. The other baseline is [`pairs::inertialize`].

use crate::data::Recording;
use crate::pairs::{self, Pair};
use crate::segment_index::Segment;
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::ease::smoothstep;
use kinestitch::motion::quat::with_positive_w;

/// Maximum number of frames of a crossfade, as many as of inertialization.
const MAX_BLEND: usize = pairs::BLEND;

/// Crossfades every boundary of a pair's input. Frames before a boundary are mixed with the frames before the
/// replacement in the replacement's recording, or with the first frame of that recording if there are none. The ground
/// path is the truth's.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn crossfade(recordings: &[Recording], pair: &Pair) -> Result<Clip> {
    let (mut clip, _) = pairs::clips(recordings, pair)?;
    let joints = clip.joints();
    let mut frames_before = pair.replaced.first().map_or(0, |replaced| replaced.0);
    for &(start, length, segment) in &pair.replaced {
        let blend = MAX_BLEND.min(frames_before - 1);
        let lead = blend.min(segment.start);
        let lead_in = Segment { start: segment.start - lead, ..segment };
        let other = pairs::cut(recordings, lead_in, lead + 1)?;
        let lift = recordings[pair.truth.recording].ground - recordings[segment.recording].ground;
        for k in 0..blend {
            let frame = start - blend + k;
            let other_frame = (k + lead).saturating_sub(blend);
            let weight = smoothstep((k + 1) as f32 / (blend + 1) as f32);
            let (ground, other_ground) =
                (GroundPose::from_clip(&clip, frame), GroundPose::from_clip(&other, other_frame));
            let to_clip_heading = ground.rotation() * other_ground.rotation().inverse();
            let height_change = other.translations()[other_frame].y + lift - clip.translations()[frame].y;
            clip.translations_mut()[frame] += Vec3::Y * (height_change * weight);
            for (joint, other_rotation) in other.frame_rotations(other_frame).iter().enumerate() {
                let other_rotation = if joint == 0 { to_clip_heading * *other_rotation } else { *other_rotation };
                let rotation = &mut clip.rotations_mut()[frame * joints + joint];
                *rotation = if joint == 0 {
                    rotation.slerp(other_rotation, weight)
                } else {
                    with_positive_w(*rotation).slerp(with_positive_w(other_rotation), weight)
                };
            }
        }
        frames_before = length;
    }
    Ok(clip)
}
