//! Requirement for all networks that fill gaps: smooth motion, however extreme the weights.

use crate::common::{fixture, key, plain, run};
use kinestitch::inbetween::{GroundPose, InbetweenOptions, Key};
use kinestitch::method::filler::Filler;
use kinestitch::metrics;

/// Targets behind, far away and turned, with few and many frames: the result is finite, and little faster than the
/// clips or the distance requires.
pub fn wherever_the_target_stands(filler: &dyn Filler) {
    let (walk, other) = (fixture("ada-walk"), fixture("bo-walk"));
    for (x, z, heading) in [(0.0, -3.0, 0.0), (10.0, 0.0, 1.5), (0.0, 0.1, 3.1)] {
        for frames in [2, 15, 120] {
            for fps in [24.0, 60.0] {
                let at = Some(GroundPose::at(x, z, heading));
                let keys = [key(&walk, 30..31), Key { at, ..key(&other, 20..21) }];
                let options = InbetweenOptions { frames: vec![frames], fps: Some(fps), ..Default::default() };
                let plain = run(&keys, plain("inertialize").as_ref(), &options);
                let made = run(&keys, filler, &options);
                assert_eq!(made.clip.frames(), frames + 2);
                assert!(made.clip.rotations().iter().all(|rotation| rotation.is_finite()));
                let (ours, theirs) = (metrics::largest_step(&made.clip), metrics::largest_step(&plain.clip));
                let fastest = [&walk.0, &other.0].map(metrics::largest_step).into_iter().fold(theirs, f32::max);
                assert!(ours < 2.5 * fastest + 0.05, "{ours} {fastest}, {frames} frames to {x} {z}");
            }
        }
    }
}
