//! Requirement for all methods that fill gaps: the motion is smooth, even if the target is far from the natural one.

use super::fixtures::fixture;
use super::inbetween::{key, plain, run};
use kinestitch::inbetween::{GroundPose, InbetweenOptions, Key};
use kinestitch::method::filler::Filler;
use kinestitch::metrics;

/// Fills gaps to targets that are behind, far away or turned, with few and many frames. Asserts that each result is
/// finite, and not much faster than the clips or plain interpolation.
pub fn assert_smooth_motion(filler: &dyn Filler) {
    let (walk, target_walk) = (fixture("ada-walk"), fixture("bo-walk"));
    for (x, z, heading) in [(0.0, -3.0, 0.0), (10.0, 0.0, 1.5), (0.0, 0.1, 3.1)] {
        for frames in [2, 15, 120] {
            for fps in [24.0, 60.0] {
                let at = Some(GroundPose::new(x, z, heading));
                let keys = [key(&walk, 30..31), Key { at, ..key(&target_walk, 20..21) }];
                let options = InbetweenOptions { frames: vec![frames], fps: Some(fps), ..Default::default() };
                let interpolated = run(&keys, plain("inertialize").as_ref(), &options);
                let result = run(&keys, filler, &options);
                assert_eq!(result.clip.frames(), frames + 2);
                assert!(result.clip.rotations().iter().all(|rotation| rotation.is_finite()));
                assert!(result.clip.translations().iter().all(|translation| translation.is_finite()));
                let step = metrics::largest_step(&result.clip);
                let largest = [&walk.0, &target_walk.0, &interpolated.clip].map(metrics::largest_step);
                let largest = largest.into_iter().fold(0.0, f32::max);
                assert!(step < 2.5 * largest + 0.05, "{step} {largest}, {frames} frames to {x} {z}");
            }
        }
    }
}
