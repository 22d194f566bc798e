//! Contacts and foot lock on the generated clips.

use crate::common::fixtures::fixture;
use kinestitch::metrics::{foot_skate, jerk, soles};
use kinestitch::motion::contact::{FootPart, Legs, detect_contacts, foot_tracks};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::foot_lock::lock;
use kinestitch::motion::foot_plan::FootPlan;
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::stitch::BLEND_SECS;
use kinestitch::{BlendKind, Clip, Input, Join, Progress, StitchOptions, Stitched, Transition, stitch};

fn join(a: &(Clip, Rig), b: &(Clip, Rig), blend: BlendKind, foot_lock: bool) -> Stitched {
    let options = StitchOptions { foot_lock, ..Transition::Blend { blend, seconds: BLEND_SECS }.into() };
    let inputs = [Input { clip: &a.0, rig: &a.1 }, Input { clip: &b.0, rig: &b.1 }];
    stitch(&inputs, &options, &mut Progress::silent()).unwrap()
}

const PAIRS: [(&str, &str); 6] = [
    ("ada-walk", "ada-run"),
    ("ada-run", "ada-walk"),
    ("ada-walk", "ada-turn"),
    ("ada-idle", "ada-walk"),
    ("bo-walk", "bo-jog"),
    ("bo-jog", "bo-idle"),
];

fn largest(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

#[test]
fn feet_of_a_walk_touch_the_ground_alternately() {
    for name in ["ada-walk", "bo-walk"] {
        let (clip, rig) = fixture(name);
        let found = detect_contacts(&clip, &rig);
        let [left, right] = [0, 1].map(|side| found.foot(side));
        let fraction = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count() as f32 / flags.len() as f32;
        assert!((0.45..0.8).contains(&fraction(&left)) && (0.45..0.8).contains(&fraction(&right)), "{name}");
        let in_air = left.iter().zip(&right).filter(|(left, right)| !**left && !**right).count();
        assert!(in_air as f32 / (left.len() as f32) < 0.1, "{name}: no foot touches the ground in {in_air} frames");
        // Contacts do not flicker: a foot changes twice a cycle, and a walk has at most 1.6 cycles per second.
        let changes = left.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let seconds = clip.frames() as f64 * clip.frame_time_secs();
        assert!((changes as f64) < 2.0 * 1.6 * seconds, "{name}: {changes} changes in {seconds} s");
    }
}

#[test]
fn runs_have_frames_without_contact_and_idle_clips_have_none() {
    let (run, rig) = fixture("ada-run");
    let found = detect_contacts(&run, &rig);
    let in_air = (0..run.frames()).filter(|&frame| !found.touches(0, frame) && !found.touches(1, frame)).count();
    assert!(in_air * 10 > run.frames());
    let (idle, rig) = fixture("ada-idle");
    let found = detect_contacts(&idle, &rig);
    assert!((0..idle.frames()).all(|frame| found.touches(0, frame) && found.touches(1, frame)));
}

#[test]
fn the_ground_is_found_at_any_height() {
    let (clip, rig) = fixture("ada-walk");
    let contacts = detect_contacts(&clip, &rig);
    let mut moved = clip.clone();
    moved.translations_mut().iter_mut().for_each(|translation| translation.y += 3.0);
    // A single glitch far below must not count.
    moved.translations_mut()[40].y -= 50.0;
    let raised_contacts = detect_contacts(&moved, &rig);
    for part in FootPart::ALL {
        let rise = raised_contacts.world_ground[part as usize] - contacts.world_ground[part as usize];
        assert!((rise - 3.0).abs() < 2e-3);
    }
    let is_equal = |&frame: &usize| contacts.touches(0, frame) == raised_contacts.touches(0, frame);
    let equal_frames = (0..clip.frames()).filter(is_equal).count();
    assert!(equal_frames + 4 >= clip.frames());
}

#[test]
fn locked_feet_slide_less_and_knees_do_not_pop() {
    for (from, to) in PAIRS {
        let (a, b) = (fixture(from), fixture(to));
        for joining in [BlendKind::Crossfade, BlendKind::Inertialize] {
            let (free, locked) = (join(&a, &b, joining, false), join(&a, &b, joining, true));
            let feet = soles(&a.1, detect_contacts(&free.aligned[0], &a.1).world_ground);
            let around =
                free.seam_reports[0].edited_range.start.saturating_sub(8)..free.seam_reports[0].edited_range.end + 8;
            let skate = |clip: &Clip| foot_skate(clip, &feet, around.clone()).weighted;
            let (free_skate, locked_skate) = (skate(&free.clip), skate(&locked.clip));
            assert!(
                locked_skate <= free_skate,
                "{from} to {to}, {joining:?}: {free_skate} free, {locked_skate} locked"
            );

            let free_jerk = largest(&jerk(&free.clip)).max(largest(&jerk(&a.0))).max(largest(&jerk(&b.0)));
            let locked_jerk = largest(&jerk(&locked.clip));
            assert!(
                locked_jerk < 1.3 * free_jerk + 100.0,
                "{from} to {to}, {joining:?}: jerk {locked_jerk} locked, {free_jerk} free"
            );

            for limb in
                [[Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot], [Role::RightUpLeg, Role::RightLeg, Role::RightFoot]]
            {
                let joints = limb.map(|role| a.1.joint(role).unwrap());
                let knee = Hinge::detect(&[&free.clip], joints).unwrap();
                let speed = |clip: &Clip| {
                    let bends: Vec<f32> =
                        (0..clip.frames()).map(|frame| knee.bend(clip.frame_rotations(frame))).collect();
                    largest(&bends.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect::<Vec<_>>())
                };
                let (free, locked) = (speed(&free.clip), speed(&locked.clip));
                assert!(
                    locked < 1.4 * free + 0.08,
                    "{from} to {to}, {joining:?}: knee {locked} rad per frame locked, {free} free"
                );
            }
        }
    }
}

#[test]
fn only_legs_move_and_feet_keep_their_direction() {
    let (a, b) = (fixture("ada-walk"), fixture("ada-run"));
    let (free, locked) = (join(&a, &b, BlendKind::Inertialize, false), join(&a, &b, BlendKind::Inertialize, true));
    let legs = Legs::detect(&a.0, &a.1).unwrap();
    let leg_joints = legs.chain.as_flattened();
    assert_eq!(free.clip.translations(), locked.clip.translations());
    let mut changed = 0;
    for frame in 0..free.clip.frames() {
        for joint in 0..free.clip.joints() {
            let (before, after) = (free.clip.frame_rotations(frame)[joint], locked.clip.frame_rotations(frame)[joint]);
            assert!(before == after || leg_joints.contains(&joint), "joint {joint} in frame {frame}");
            changed += usize::from(before != after);
        }
        let (before, after) = (Pose::from_clip(&free.clip, frame), Pose::from_clip(&locked.clip, frame));
        for leg in legs.chain {
            assert!(before.world_rotations[leg[2]].angle_between(after.world_rotations[leg[2]]) < 5e-3);
        }
    }
    assert!(changed > 0);
}

/// Creates a walk that drifts sideways at 10 cm/s. Also returns the drift per frame, metres.
fn drifting_walk() -> (Clip, Rig, f32) {
    let (mut clip, rig) = fixture("ada-walk");
    let drift = 0.1 * clip.frame_time_secs() as f32;
    for (frame, translation) in clip.translations_mut().iter_mut().enumerate() {
        translation.z += drift * frame as f32;
    }
    (clip, rig, drift)
}

#[test]
fn a_locked_foot_stands_still_near_the_seam_and_frames_far_from_it_are_unchanged() {
    let (clip, rig, drift) = drifting_walk();
    let (middle, frames) = (clip.frames() / 2, clip.frames());
    let halves = [clip.trimmed(0..middle).unwrap(), clip.trimmed(middle..frames).unwrap()];
    let inputs = halves.each_ref().map(|clip| Input { clip, rig: &rig });
    let options = StitchOptions::from(Transition::inertialize(0.1));
    let free =
        stitch(&inputs, &StitchOptions { foot_lock: false, ..options.clone() }, &mut Progress::silent()).unwrap();
    let locked = stitch(&inputs, &options, &mut Progress::silent()).unwrap();
    let legs = Legs::detect(&clip, &rig).unwrap();
    let touching = detect_contacts(&clip, &rig);
    let second = clip.fps().round() as usize;
    let blend = &locked.seam_reports[0].edited_range;
    let near_seam = blend.start - second / 2..blend.end + second / 2;
    let slide = |clip: &Clip| {
        let tracks = foot_tracks(clip, &legs);
        let slides = [0, 1].into_iter().flat_map(|side| {
            let (toes, flags) = (&tracks[side][FootPart::Toe as usize], &touching.parts[side][FootPart::Toe as usize]);
            let is_planted = |frame: &usize| (frame - 3..frame + 3).all(|frame| flags[frame]);
            let step = |frame: usize| (toes[frame] - toes[frame - 1]).with_y(0.0).length();
            near_seam.clone().filter(is_planted).map(step).collect::<Vec<f32>>()
        });
        let slides: Vec<f32> = slides.collect();
        slides.iter().sum::<f32>() / slides.len() as f32
    };
    let (free_slide, locked_slide) = (slide(&free.clip), slide(&locked.clip));
    assert!(free_slide > 0.8 * drift && locked_slide < 0.35 * free_slide, "{free_slide} {locked_slide}");
    assert_eq!(free.clip.translations(), locked.clip.translations());
    let far = (0..frames).filter(|&frame| frame + second < blend.start || frame >= blend.end + second);
    assert!(far.clone().count() > second);
    for frame in far {
        assert_eq!(free.clip.frame_rotations(frame), locked.clip.frame_rotations(frame), "frame {frame}");
    }
}

#[test]
fn where_blends_overlap_a_sliding_foot_takes_one_step() {
    let (clip, rig) = fixture("ada-walk");
    let legs = Legs::detect(&clip, &rig).unwrap();
    let tracks = foot_tracks(&clip, &legs);
    // No foot is held, so fast feet near the ground count as sliding.
    let mut contacts = detect_contacts(&clip, &rig);
    contacts.parts.as_flattened_mut().iter_mut().for_each(|flags| flags.fill(false));
    let rise = [0, 1].map(|_| [0, 1].map(|_| vec![0.0; clip.frames()]));
    let locked = |blends: &[std::ops::Range<usize>]| {
        let plan = FootPlan { contacts: contacts.clone(), rise: rise.clone(), blends: blends.to_vec() };
        let mut locked = clip.clone();
        lock(&mut locked, &legs, &tracks, &plan, &mut Progress::silent()).unwrap();
        locked
    };
    let joined = locked(std::slice::from_ref(&(20..80)));
    assert_ne!(joined, clip);
    assert_eq!(locked(&[20..70, 30..80]), joined);
}

#[test]
fn a_single_clip_stays_bit_equal() {
    let (clip, rig, _) = drifting_walk();
    let result = stitch(&[Input { clip: &clip, rig: &rig }], &Join::default().into(), &mut Progress::silent()).unwrap();
    assert_eq!(result.clip.rotations(), clip.rotations());
    assert_eq!(result.clip.translations(), clip.translations());
}
