//! Clips of one body that differ in the joints that have translations. Readers of animations give translations only
//! to joints that some clip moves.

use crate::motion::clip::Clip;
use crate::motion::skeleton::{Channel, Skeleton};
use glam::Vec3;
use std::sync::Arc;

/// Position channels of a joint that gets translations.
const POSITIONS: [Channel; 3] = [Channel::Xposition, Channel::Yposition, Channel::Zposition];

/// Moves the first clip to a skeleton with translations for all joints that any clip of the same body translates;
/// `None` if the first clip already has all these translations.
pub fn widen(first: &Clip, others: &[&Clip]) -> Option<Clip> {
    let own = first.skeleton();
    let alike = others.iter().filter(|other| own.same_body(other.skeleton()));
    let more: Vec<usize> = alike.flat_map(|other| other.skeleton().translated().iter().copied()).collect();
    if more.iter().all(|&joint| own.translation_slot(joint).is_some()) {
        return None;
    }
    let mut joints = own.joints().to_vec();
    for &joint in &more {
        let channels = &mut joints[joint].channels;
        if own.translation_slot(joint).is_none() && !channels.iter().any(|channel| channel.is_position()) {
            channels.splice(0..0, POSITIONS);
        }
    }
    let skeleton = Arc::new(Skeleton::new(joints, own.space()).ok()?);
    let translations = translations_on(first, &skeleton, 1.0);
    let (name, rotations) = (first.name.clone(), first.rotations().to_vec());
    Clip::new(name, skeleton, first.frame_time_secs(), rotations, translations).ok()
}

/// Returns the local translations of a clip for a skeleton of the same bones, metres, [frames × translated joints of
/// `skeleton`], multiplied by `scale`. Joints without translations in the clip get their offset in `skeleton`.
pub fn translations_on(clip: &Clip, skeleton: &Skeleton, scale: f32) -> Vec<Vec3> {
    if clip.skeleton().translated() == skeleton.translated() {
        return clip.translations().iter().map(|&place| place * scale).collect();
    }
    let mut places = Vec::with_capacity(clip.frames() * skeleton.translated().len());
    for frame in 0..clip.frames() {
        let own = clip.frame_translations(frame);
        places.extend(skeleton.translated().iter().map(|&joint| match clip.skeleton().translation_slot(joint) {
            Some(slot) => own[slot] * scale,
            None => skeleton.joints()[joint].offset,
        }));
    }
    places
}
