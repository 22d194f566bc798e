//! Insertion of frames between clips by `stitch`.

use crate::common::fixtures::fixture;
use kinestitch::motion::rig::Rig;
use kinestitch::stitch::{FillerChoice, InsertedFrames, draft};
use kinestitch::{Clip, Cut, Error, Input, Join, Progress, StitchOptions, Stitched, Transition, metrics, stitch};
use std::sync::Arc;

fn run(clips: &[(Clip, Rig)], options: &StitchOptions) -> Result<Stitched, Error> {
    let inputs: Vec<Input> = clips.iter().map(|(clip, rig)| Input { clip, rig }).collect();
    stitch(&inputs, options, &mut Progress::silent())
}

fn with(frames: InsertedFrames) -> StitchOptions {
    let transition = Transition::Insert { frames, filler: FillerChoice::default() };
    StitchOptions { foot_lock: false, ..transition.into() }
}

#[test]
fn frames_are_inserted_and_all_other_frames_are_unchanged() {
    let clips = [fixture("ada-walk"), fixture("bo-run"), fixture("ada-idle")];
    let clip_frames: usize = clips.iter().map(|(clip, _)| clip.frames()).sum();
    for frames in [1, 2, 15, 60] {
        let result = run(&clips, &with(InsertedFrames::Count(frames))).unwrap();
        assert_eq!((result.clip.frames(), &result.warnings), (clip_frames + 2 * frames, &Vec::new()));
        for (seam, start) in result.seam_reports.iter().zip(&result.starts[1..]) {
            assert_eq!((seam.inserted, &seam.edited_range, seam.frame), (frames, &(start - frames..*start), *start));
        }
        for (clip, start) in result.aligned.iter().zip(&result.starts) {
            for frame in 0..clip.frames() {
                assert_eq!(result.clip.frame_rotations(start + frame), clip.frame_rotations(frame));
                assert_eq!(result.clip.frame_translations(start + frame), clip.frame_translations(frame));
            }
        }
        let fastest = result.aligned.iter().map(metrics::largest_step).fold(0.0, f32::max);
        assert!(frames < 15 || metrics::largest_step(&result.clip) < 1.2 * fastest);
    }
}

#[test]
fn feet_are_locked_in_inserted_frames() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    let skate = |foot_lock| {
        let result = run(&clips, &StitchOptions { foot_lock, ..with(InsertedFrames::Count(12)) }).unwrap();
        result.seam_reports[0].foot_skate
    };
    assert!(skate(true) < skate(false), "locked {}, free {} m a frame", skate(true), skate(false));
}

#[test]
fn auto_inserts_as_many_frames_as_the_poses_need() {
    let count = |a: &str, b: &str, trim: usize| {
        let clips = [fixture(a), fixture(b)];
        // The second clip starts at the frame `trim`; the first one ends at frame 60.
        let trim = vec![Some((0..60).into()), Some((trim..trim + 40).into())];
        let result = run(&clips, &StitchOptions { trim, ..with(InsertedFrames::Auto) }).unwrap();
        assert_eq!(result.clip.frames(), 100 + result.seam_reports[0].inserted);
        result.seam_reports[0].inserted
    };
    let (no_stride, half_stride, idle) =
        (count("ada-walk", "ada-walk", 60), count("ada-walk", "ada-walk", 75), count("ada-walk", "ada-idle", 0));
    assert!(no_stride <= 4, "{no_stride} frames between a frame of a walk and the next frame");
    assert!(half_stride > no_stride + 2, "{half_stride} frames for half a stride, {no_stride} for none");
    assert!((2..=60).contains(&idle), "{idle} frames from a walk to a stand");
}

#[test]
fn auto_inserts_at_most_as_many_frames_as_can_be_requested() {
    // Without motion, the joints have the smallest assumed speed.
    let still = |name: &str| {
        let (clip, rig) = fixture(name);
        let (rotations, translations) = (clip.frame_rotations(0).repeat(20), clip.frame_translations(0).repeat(20));
        let skeleton = Arc::clone(clip.skeleton());
        (Clip::new(name, skeleton, clip.frame_time_secs(), rotations, translations).unwrap(), rig)
    };
    let clips = [still("ada-idle"), still("ada-run")];
    let frames = |fps| {
        run(&clips, &StitchOptions { fps: Some(fps), ..with(InsertedFrames::Auto) }).unwrap().seam_reports[0].inserted
    };
    assert!((49..480).contains(&frames(100.0)), "{} frames at 100 a second", frames(100.0));
    assert_eq!(frames(1000.0), 480);
}

#[test]
fn frames_are_inserted_at_cuts_and_at_any_rate() {
    let clips = [fixture("ada-walk"), fixture("ada-run")];
    for fps in [24.0, 60.0] {
        let transition = Transition::Insert { frames: InsertedFrames::Auto, filler: FillerChoice::default() };
        let join = Join { cut: Cut::Best { max_cut: 0.5 }, transition, refine: false };
        let options = StitchOptions { fps: Some(fps), foot_lock: false, ..join.into() };
        let result = run(&clips, &options).unwrap();
        assert!(result.seam_reports[0].cut_at.is_some() && result.seam_reports[0].inserted > 0);
        assert!((result.clip.fps() - fps).abs() < 1e-6);
    }
}

#[test]
fn wrong_frame_counts_are_errors() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    for frames in [0, 481] {
        assert!(matches!(
            run(&clips, &with(InsertedFrames::Count(frames))),
            Err(Error::Option { option: "frames", .. })
        ));
    }
    let inputs: Vec<Input> = clips.iter().map(|(clip, rig)| Input { clip, rig }).collect();
    let refused = draft(&inputs, &with(InsertedFrames::Count(9)), &mut Progress::silent());
    assert!(matches!(refused, Err(Error::Option { option: "transition", .. })));
}
