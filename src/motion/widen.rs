//! Clips of one body that differ in which joints have translations. Readers of animation files give translations only
//! to the joints that the clip translates.

use crate::motion::clip::Clip;
use crate::motion::skeleton::{Channel, Skeleton};
use glam::Vec3;
use std::sync::Arc;

/// Channels that are added to a joint that gets translations.
const POSITIONS: [Channel; 3] = [Channel::Xposition, Channel::Yposition, Channel::Zposition];

/// Converts `first` to a skeleton with translations for all joints that have translations in any clip of the same body.
/// `None` if `first` already has all these translations.
pub fn widen(first: &Clip, others: &[&Clip]) -> Option<Clip> {
    let skeleton = first.skeleton();
    let same_body = others.iter().filter(|other| skeleton.same_body(other.skeleton()));
    let all_translated: Vec<usize> =
        same_body.flat_map(|other| other.skeleton().translated().iter().copied()).collect();
    if all_translated.iter().all(|&joint| skeleton.translation_slot(joint).is_some()) {
        return None;
    }
    let mut joints = skeleton.joints().to_vec();
    for &joint in &all_translated {
        let channels = &mut joints[joint].channels;
        if skeleton.translation_slot(joint).is_none() && !channels.iter().any(|channel| channel.is_position()) {
            channels.splice(0..0, POSITIONS);
        }
    }
    let widened = Arc::new(Skeleton::new(joints, skeleton.space()).ok()?);
    let translations = translations_on(first, &widened, 1.0);
    let (name, rotations) = (first.name.clone(), first.rotations().to_vec());
    Clip::new(name, widened, first.frame_time_secs(), rotations, translations).ok()
}

/// Returns the local translations of a clip for a skeleton of the same bones, metres, [frames × translated joints of
/// `skeleton`], multiplied by `scale`. Joints without translations in the clip get their offset in `skeleton`.
pub fn translations_on(clip: &Clip, skeleton: &Skeleton, scale: f32) -> Vec<Vec3> {
    if clip.skeleton().translated() == skeleton.translated() {
        return clip.translations().iter().map(|&translation| translation * scale).collect();
    }
    let mut translations = Vec::with_capacity(clip.frames() * skeleton.translated().len());
    for frame in 0..clip.frames() {
        let frame_translations = clip.frame_translations(frame);
        translations.extend(skeleton.translated().iter().map(|&joint| match clip.skeleton().translation_slot(joint) {
            Some(slot) => frame_translations[slot] * scale,
            None => skeleton.joints()[joint].offset,
        }));
    }
    translations
}
