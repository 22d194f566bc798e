//! Arbitrary motions are stitched without a panic; values are finite, and the number of frames is right.

use crate::common::random::{noise, skeleton_with_legs};
use glam::{Quat, Vec3};
use kinestitch::stitch::MAX_BLEND_SECS;
use kinestitch::{BlendKind, Clip, Error, Input, Progress, Skeleton, StitchOptions, Transition, stitch};
use proptest::prelude::*;
use std::sync::Arc;

/// Creates frames of noise around a random pose. `roughness`: amount of noise in rotations; `size`: of translations.
fn motion(skeleton: &Arc<Skeleton>, frames: usize, seed: u64, roughness: f32, size: f32) -> Clip {
    let mut noise = noise(seed);
    let mut vector = |scale: f32| noise() * scale;
    let base_pose: Vec<Quat> = (0..skeleton.len()).map(|_| Quat::from_scaled_axis(vector(3.0))).collect();
    let count = frames * skeleton.len();
    let rotations =
        (0..count).map(|k| base_pose[k % base_pose.len()] * Quat::from_scaled_axis(vector(roughness))).collect();
    let translations = (0..frames * skeleton.translated().len()).map(|_| vector(size)).collect();
    Clip::new(format!("noise {seed}"), Arc::clone(skeleton), 1.0 / 30.0, rotations, translations).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn noise_can_be_stitched(
        offsets in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 9), zero_offsets in 0u16..512,
        flags in 0u16..1024, lengths in prop::collection::vec(8usize..60, 1..5), seed: u64, roughness in 0.0f32..3.0,
        size in 0.0f32..1e4,
        blend in prop::sample::select(vec![0, 1, 2, 7, 20, 59, usize::MAX]), lock: bool,
        fps in prop::sample::select(vec![None, Some(1.0), Some(29.97), Some(120.0), Some(1000.0)]), crossfade: bool,
    ) {
        let offset = |index: usize| if zero_offsets >> index & 1 == 1 { Vec3::ZERO } else { offsets[index].into() };
        let (skeleton, rig) = skeleton_with_legs(&(0..9).map(offset).collect::<Vec<_>>(), flags);
        let seeds = (0_u64..).map(|k| seed.wrapping_add(k));
        let clip_of = |(&frames, seed)| motion(&skeleton, frames, seed, roughness, size);
        let clips: Vec<Clip> = lengths.iter().zip(seeds).map(clip_of).collect();
        let inputs: Vec<Input> = clips.iter().map(|clip| Input { clip, rig: &rig }).collect();
        let blend_kind = if crossfade { BlendKind::Crossfade } else { BlendKind::Inertialize };
        let seconds = (blend as f64 / fps.unwrap_or(clips[0].fps())).min(MAX_BLEND_SECS);
        let transition = Transition::Blend { blend: blend_kind, seconds };
        let options = StitchOptions { foot_lock: lock, fps, ..transition.into() };
        match stitch(&inputs, &options, &mut Progress::silent()) {
            Err(Error::TooShort { frames, needed, .. }) => prop_assert!(frames < needed),
            Err(error) => prop_assert!(false, "{}", error),
            Ok(result) => {
                let aligned_frames: usize = result.aligned.iter().map(Clip::frames).sum();
                let shared: usize = result.seam_reports.iter().map(|seam| seam.edited_range.len()).sum();
                prop_assert_eq!(result.clip.frames(), if crossfade { aligned_frames - shared } else { aligned_frames });
                prop_assert!(result.clip.rotations().iter().all(|q| (q.length() - 1.0).abs() < 1e-3));
                prop_assert!(result.clip.translations().iter().all(|t| t.is_finite()));
                prop_assert!(result.seam_reports.iter().all(|seam| seam.foot_skate.is_finite() && seam.peak_jerk.is_finite()));
            }
        }
    }
}
