//! Pin: bends a replaced span, so that the motion after it stays where it was.

use super::FADE_SECS;
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, contacts_from_tracks, foot_tracks};
use crate::motion::ease::smoothstep;
use crate::motion::foot_hold::{LimbScale, contact_corrections};
use crate::motion::foot_lock::move_feet;
use crate::motion::foot_plan::FootPlan;
use crate::motion::rig::Rig;
use crate::motion::root::{GroundTransform, Root};
use crate::progress::Progress;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Largest distance from the median of its positions at which a foot is held in the bent span, leg lengths.
const MAX_DISPLACEMENT: f32 = 0.15;

/// Bends the frames `span` of `clip` over the ground, so that frame `span.end` and those after it are where they are in
/// `source`, from its frame `source_frame` on; frames of `clip` from `kept` on get their bits from `source`. Feet on the
/// ground are held in their new places.
///
/// # Errors
/// [`Error::Option`] for ranges outside the clips, and for clips with different skeletons.
pub fn pin(clip: &Clip, rig: &Rig, span: Range<usize>, source: (&Clip, usize), kept: usize) -> Result<Clip> {
    let (source, source_frame) = source;
    let fail = |message: &str| Err(Error::Option { option: "pin", message: message.to_owned() });
    let tail = clip.frames().saturating_sub(span.end);
    if span.is_empty() || tail == 0 || source_frame + tail != source.frames() || kept < span.end {
        return fail("the span must lie inside the motion, and the motion after it must be the end of the clip");
    }
    if clip.joints() != source.joints() || !clip.skeleton().same_topology(source.skeleton()) {
        return fail("both clips must have one skeleton");
    }
    let mut pinned = clip.clone();
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let [start, now] = [span.start, span.end].map(|frame| root.pose(clip, frame));
    let wanted = root.pose(source, source_frame);
    let yaw = now.turn_to(&wanted);
    let centre = start.world_position.with_y(0.0);
    let moved = Quat::from_rotation_y(yaw) * (now.world_position - centre) + centre;
    let shift = (wanted.world_position - moved).with_y(0.0);
    for frame in span.start..clip.frames() {
        let weight = smoothstep(((frame - span.start) as f32 / span.len() as f32).min(1.0));
        let to = centre + shift * weight;
        let placement = GroundTransform::from_points(centre, to, yaw * weight);
        root.place_frames(&mut pinned, frame..frame + 1, &placement);
    }
    let bent = hold_feet(&pinned, clip, rig, &span)?;
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    pinned.rotations_mut()[span.start * joints..span.end * joints]
        .copy_from_slice(&bent.rotations()[span.start * joints..span.end * joints]);
    for frame in kept.min(clip.frames())..clip.frames() {
        let from = source_frame + frame - span.end;
        pinned.rotations_mut()[frame * joints..][..joints].copy_from_slice(source.frame_rotations(from));
        pinned.translations_mut()[frame * width..][..width].copy_from_slice(source.frame_translations(from));
    }
    Ok(pinned)
}

/// Returns the bent clip with its feet held in the contacts that they have in `unbent`, faded at the ends of the span.
fn hold_feet(bent: &Clip, unbent: &Clip, rig: &Rig, span: &Range<usize>) -> Result<Clip> {
    let mut held = bent.clone();
    let Some(legs) = Legs::detect(bent, rig) else { return Ok(held) };
    let contacts = contacts_from_tracks(unbent, &legs, &foot_tracks(unbent, &legs));
    let tracks = foot_tracks(bent, &legs);
    let rise = [0, 1].map(|_| [0, 1].map(|_| vec![0.0; bent.frames()]));
    let plan = FootPlan { contacts, rise, blends: Vec::new() };
    let limb_length = legs.length(bent, span.start);
    let scale = LimbScale { limb_length, max_displacement: MAX_DISPLACEMENT * limb_length, fps: bent.fps() };
    let ease = (FADE_SECS * bent.fps()) as f32 + 1.0;
    let corrections = [0, 1].map(|side| {
        let corrections = contact_corrections(side, &tracks, &plan, scale);
        let faded = corrections.into_iter().enumerate().map(|(frame, correction)| {
            if !span.contains(&frame) {
                return Vec3::ZERO;
            }
            let from_edge = (frame + 1 - span.start).min(span.end - frame) as f32 / ease;
            correction * smoothstep(from_edge.min(1.0))
        });
        faded.collect::<Vec<_>>()
    });
    move_feet(&mut held, &legs, &corrections, &mut Progress::silent())?;
    Ok(held)
}
