//! Any motion at all stitches without a panic, to finite numbers and the right length.

use glam::{Quat, Vec3};
use kinestitch::motion::rig::{Rig, RigKind, Role};
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode};
use kinestitch::{Channel, Clip, Error, Input, Join, Progress, Skeleton, StitchOptions, stitch};
use proptest::prelude::*;
use std::sync::Arc;

const ALL: [Channel; 6] = [
    Channel::Xposition,
    Channel::Yposition,
    Channel::Zposition,
    Channel::Zrotation,
    Channel::Xrotation,
    Channel::Yrotation,
];

/// Hips and two legs of any shape, bones of no length included.
fn skeleton(offsets: &[Vec3], moving: u16) -> (Arc<Skeleton>, Rig) {
    let roles = &Role::ALL[..9];
    let joints = roles.iter().enumerate().map(|(index, role)| Joint {
        name: format!("{role:?}"),
        parent: role.parent().map(|parent| parent as usize),
        offset: offsets[index],
        channels: if moving >> index & 1 == 1 { ALL.to_vec() } else { ALL[3..].to_vec() },
        position_mode: PositionMode::Replace,
        end_sites: vec![],
    });
    let mut rig = Rig::none();
    rig.joints[..9].iter_mut().enumerate().for_each(|(index, joint)| *joint = Some(index));
    rig.kind = if moving & 512 == 0 { RigKind::Biped } else { RigKind::Other };
    (Arc::new(Skeleton::new(joints.collect(), FileSpace::default()).unwrap()), rig)
}

/// Frames of noise between two poses; `rough` of it.
fn motion(skeleton: &Arc<Skeleton>, frames: usize, seed: u64, rough: f32, size: f32) -> Clip {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let mut vector = |scale: f32| Vec3::new(next(), next(), next()) * scale;
    let rest: Vec<Quat> = (0..skeleton.len()).map(|_| Quat::from_scaled_axis(vector(3.0))).collect();
    let count = frames * skeleton.len();
    let rotations = (0..count).map(|k| rest[k % rest.len()] * Quat::from_scaled_axis(vector(rough))).collect();
    let translations = (0..frames * skeleton.translated().len()).map(|_| vector(size)).collect();
    Clip::new(format!("noise {seed}"), Arc::clone(skeleton), 1.0 / 30.0, rotations, translations).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn noise_stitches(
        offsets in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 9), short in 0u16..512, moving in 0u16..1024,
        lengths in prop::collection::vec(8usize..60, 1..5), seed: u64, rough in 0.0f32..3.0, size in 0.0f32..1e4,
        blend in prop::sample::select(vec![0, 1, 2, 7, 20, 59, usize::MAX]), lock: bool,
        fps in prop::sample::select(vec![None, Some(1.0), Some(29.97), Some(120.0), Some(1000.0)]), crossfade: bool,
    ) {
        let offset = |index: usize| if short >> index & 1 == 1 { Vec3::ZERO } else { offsets[index].into() };
        let (skeleton, rig) = skeleton(&(0..9).map(offset).collect::<Vec<_>>(), moving);
        let clips: Vec<Clip> =
            lengths.iter().zip(0..).map(|(&n, k)| motion(&skeleton, n, seed.wrapping_add(k), rough, size)).collect();
        let inputs: Vec<Input> = clips.iter().map(|clip| Input { clip, rig: &rig }).collect();
        let joining = if crossfade { Join::Crossfade } else { Join::Inertialize };
        let options = StitchOptions { join: joining, blend_frames: blend, foot_lock: lock, fps, ..StitchOptions::default() };
        match stitch(&inputs, &options, &mut Progress::silent()) {
            Err(Error::TooShort { frames, needed, .. }) => prop_assert!(frames < needed),
            Err(error) => prop_assert!(false, "{}", error),
            Ok(result) => {
                let own: usize = result.aligned.iter().map(Clip::frames).sum();
                let shared: usize = result.seams.iter().map(|seam| seam.edited.len()).sum();
                prop_assert_eq!(result.clip.frames(), if crossfade { own - shared } else { own });
                prop_assert!(result.clip.rotations().iter().all(|q| (q.length() - 1.0).abs() < 1e-3));
                prop_assert!(result.clip.translations().iter().all(|t| t.is_finite()));
                prop_assert!(result.seams.iter().all(|seam| seam.foot_skate.is_finite() && seam.peak_jerk.is_finite()));
            }
        }
    }
}
