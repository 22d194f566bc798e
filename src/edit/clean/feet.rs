//! Feet: held where they touch the ground, from heel to toe ([`crate::motion::foot_hold`]).

use super::jitter::Noise;
use crate::edit::{Edit, EditKind};
use crate::error::Result;
use crate::metrics::{foot_skate, soles};
use crate::motion::clip::Clip;
use crate::motion::contact::{Contacts, Legs, Tracks, contacts_from_tracks, foot_tracks};
use crate::motion::foot_hold::{LimbScale, contact_corrections, measure_slip, runs};
use crate::motion::foot_lock::move_feet;
use crate::motion::foot_plan::{FootPlan, HEIGHT_TOLERANCE};
use crate::motion::rig::{Rig, Role};
use crate::progress::Progress;
use glam::Vec3;

/// Displacement up to which all feet are held, leg lengths: recordings slide by as much where feet roll and turn.
const FREE_DISPLACEMENT: f32 = 0.001;
/// Median slip of the contacts of sound recordings, leg lengths. In motion whose contacts slip more, feet are also
/// moved further: by [`EXCESS_FACTOR`] times the excess.
const RECORDED_SLIP: f32 = 0.02;
const EXCESS_FACTOR: f32 = 4.0;
/// Part of the noise of a foot, metres, by which it is moved further.
const NOISE_FACTOR: f32 = 1.0;
/// Largest distance from the median of its positions at which a foot is held, leg lengths.
const MAX_DISPLACEMENT: f32 = 0.1;
/// Least displacement of a foot that is reported, metres.
const MIN_REPORTED: f32 = 1e-3;

/// Returns the median over all frames in contact of the contact's slip: the standard deviation of its position.
fn median_slip(contacts: &Contacts, tracks: &Tracks) -> f32 {
    let mut slips: Vec<f32> = Vec::new();
    for side in 0..2 {
        for contact in runs(&contacts.foot(side)) {
            let slip = measure_slip(&tracks[side], &contacts.parts[side], &contact);
            let mean = slip.iter().sum::<Vec3>() / slip.len() as f32;
            let square: f32 = slip.iter().map(|slip| (*slip - mean).with_y(0.0).length_squared()).sum();
            slips.extend(std::iter::repeat_n((square / slip.len() as f32).sqrt(), contact.len()));
        }
    }
    let middle = slips.len() / 2;
    if slips.is_empty() { 0.0 } else { *slips.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Returns the noise of the position of a foot, metres, from the noise of the joints.
pub(super) fn noise_of_feet(noise: &Noise, rig: &Rig, clip: &Clip) -> f32 {
    let Some(legs) = Legs::detect(clip, rig).filter(|_| clip.frames() > 0) else { return 0.0 };
    let [upper, lower, _] = legs.chain[0];
    let length = legs.length(clip, 0);
    let hips = rig.joint(Role::Hips);
    let slot = hips.and_then(|hips| clip.skeleton().translation_slot(hips));
    let root = slot.map_or(0.0, |slot| noise.translations[slot]);
    let turns = hips
        .map_or(0.0, |hips| noise.rotations[hips])
        .hypot(noise.rotations[upper])
        .hypot(noise.rotations[lower] / 2.0);
    root.hypot(length * turns)
}

/// Holds the feet of a clip; `strength`: fraction of the correction, `noise`: of the position of the feet before it was
/// smoothed, metres.
pub(super) fn hold(
    clip: &mut Clip,
    rig: &Rig,
    (strength, noise): (f32, f32),
    progress: &mut Progress,
) -> Result<Option<Edit>> {
    let Some(legs) = Legs::detect(clip, rig).filter(|_| clip.frames() > 2) else { return Ok(None) };
    let limb_length = legs.length(clip, 0);
    let tracks = foot_tracks(clip, &legs);
    let contacts = contacts_from_tracks(clip, &legs, &tracks);
    let feet = soles(rig, contacts.world_ground);
    let before = foot_skate(clip, &feet, 1..clip.frames()).slide;
    let rise = [0, 1].map(|side| {
        [0, 1].map(|part| {
            let (track, ground) = (&tracks[side][part], contacts.world_ground[part]);
            let tolerance = HEIGHT_TOLERANCE * limb_length;
            let rise = |position: &Vec3| ground - position.y - (ground - position.y).clamp(-tolerance, tolerance);
            track.iter().map(rise).collect()
        })
    });
    let plan = FootPlan { contacts, rise, blends: Vec::new() };
    let scale = LimbScale { limb_length, max_displacement: MAX_DISPLACEMENT * limb_length, fps: clip.fps() };
    let excess = (median_slip(&plan.contacts, &tracks) - RECORDED_SLIP * limb_length).max(0.0);
    let limit = FREE_DISPLACEMENT * limb_length + EXCESS_FACTOR * excess + NOISE_FACTOR * noise;
    let limited = |correction: Vec3| correction * (strength * limit / correction.length().max(limit));
    let corrections = [0, 1].map(|side| {
        let corrections = contact_corrections(side, &tracks, &plan, scale);
        corrections.into_iter().map(limited).collect::<Vec<_>>()
    });
    let largest = corrections.iter().flatten().map(|correction| correction.length()).fold(0.0, f32::max);
    if largest < MIN_REPORTED {
        return Ok(None);
    }
    move_feet(clip, &legs, &corrections, progress)?;
    let after = foot_skate(clip, &feet, 1..clip.frames()).slide;
    Ok(Some(Edit {
        kind: EditKind::Feet,
        frames: 0..clip.frames(),
        joints: legs.chain.concat(),
        text: format!("feet on the ground held, moved by at most {:.1} cm", 100.0 * largest),
        before: 100.0 * before * clip.fps() as f32,
        after: 100.0 * after * clip.fps() as f32,
        unit: "cm/s of slide",
    }))
}
