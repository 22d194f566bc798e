//! Stitching at the best cut, and by the L-score's own transition.

use crate::common::fixtures::fixture;
use crate::common::joins::{cut_by, inertialized, transitions};
use crate::common::recordings::mocap;
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::map::{CheapestCuts, Frames, Scan};
use kinestitch::metrics::largest_step;
use kinestitch::motion::resample::resample;
use kinestitch::motion::rig::{self, Rig};
use kinestitch::motion::{bvh, clip::Clip};
use kinestitch::stitch::{BLEND_SECS, MIN_FRAMES};
use kinestitch::{Cut, Error, Input, Join, Progress, Stage, StitchOptions, Stitched, Transition, stitch};
use std::ops::ControlFlow;

fn run(clips: &[(Clip, Rig)], options: &StitchOptions) -> Result<Stitched, Error> {
    let inputs: Vec<Input> = clips.iter().map(|(clip, rig)| Input { clip, rig }).collect();
    stitch(&inputs, options, &mut Progress::silent())
}

fn best(max_cut: f64) -> StitchOptions {
    cut_by(Cut::Best { max_cut })
}

/// Returns options of a transition at the best cut.
fn best_with(max_cut: f64, transition: Transition) -> StitchOptions {
    Join { cut: Cut::Best { max_cut }, transition, refine: false }.into()
}

#[test]
fn every_method_joins_at_the_best_cut_without_a_jump() {
    let clips = [fixture("ada-walk"), fixture("ada-run"), fixture("ada-turn")];
    let inputs = clips.iter().map(|(clip, _)| largest_step(clip)).fold(0.0, f32::max);
    // 0.4 s at 30 fps.
    let max_cut = 12;
    for joining in transitions(BLEND_SECS) {
        for foot_lock in [false, true] {
            let options = StitchOptions { foot_lock, ..best_with(0.4, joining.clone()) };
            let result = run(&clips, &options).unwrap();
            assert_eq!(result.seam_reports.len(), 2);
            for (index, seam) in result.seam_reports.iter().enumerate() {
                let cut = seam.cut_at.unwrap();
                let frames = clips[index].0.frames();
                assert!(cut.takeoff < frames && cut.takeoff + 1 + max_cut >= frames, "{cut:?} of {frames}");
                assert!(cut.landing <= max_cut && cut.inject <= 15, "{cut:?}");
                assert_eq!(result.starts[index + 1], seam.frame);
                assert!(result.aligned[index].frames() >= MIN_FRAMES);
                if joining == Transition::lscore() {
                    assert_eq!(seam.edited_range.len(), 10 + cut.inject);
                    assert_eq!(seam.frame, seam.edited_range.end - 5);
                }
            }
            let jump = largest_step(&result.clip);
            assert!(jump < 1.3 * inputs, "{joining:?}, lock {foot_lock}: {jump} m a frame, inputs {inputs}");
        }
    }
}

#[test]
fn the_best_cut_is_cheaper_than_the_ends() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    let keep = run(&clips, &Transition::lscore().into()).unwrap();
    let cut = keep.seam_reports[0].cut_at.unwrap();
    assert_eq!((cut.takeoff, cut.landing), (clips[0].0.frames() - 1, 0));
    assert_eq!(keep.clip.frames(), clips[0].0.frames() + clips[1].0.frames() + cut.inject);
    let found = run(&clips, &best(0.5)).unwrap().seam_reports[0].cut_at.unwrap();
    assert!(found.score < cut.score, "{found:?} {cut:?}");
    let none = run(&clips, &best(0.0)).unwrap().seam_reports[0].cut_at.unwrap();
    assert_eq!((none.takeoff, none.landing), (cut.takeoff, cut.landing));
    assert_eq!(run(&clips, &inertialized()).unwrap().seam_reports[0].cut_at, None);
}

#[test]
fn outside_the_transition_every_frame_is_the_input() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    let options = StitchOptions { foot_lock: false, ..best_with(0.3, Transition::lscore()) };
    let result = run(&clips, &options).unwrap();
    let edited = result.seam_reports[0].edited_range.clone();
    for frame in (0..result.clip.frames()).filter(|frame| !edited.contains(frame)) {
        let source = usize::from(frame >= edited.end);
        let source_frame = frame - result.starts[source];
        assert_eq!(result.clip.frame_rotations(frame), result.aligned[source].frame_rotations(source_frame), "{frame}");
        assert_eq!(
            result.clip.frame_translations(frame),
            result.aligned[source].frame_translations(source_frame),
            "{frame}"
        );
    }
}

#[test]
fn cuts_are_reported_in_frames_of_the_files() {
    let (walk, rig) = fixture("ada-walk");
    let (jog, jog_rig) = fixture("ada-jog");
    let double = resample(&jog, 2.0 * jog.fps()).unwrap();
    let trim = vec![Some((10..walk.frames()).into()), Some((4..double.frames()).into())];
    let fast_options = StitchOptions { trim, ..best(0.5) };
    let slow_options =
        StitchOptions { trim: vec![Some((10..walk.frames()).into()), Some((2..jog.frames()).into())], ..best(0.5) };
    let fast = run(&[(walk.clone(), rig.clone()), (double, jog_rig.clone())], &fast_options).unwrap().seam_reports[0]
        .cut_at
        .unwrap();
    let slow = run(&[(walk, rig), (jog, jog_rig)], &slow_options).unwrap().seam_reports[0].cut_at.unwrap();
    assert_eq!((fast.takeoff, fast.landing), (slow.takeoff, 2 * slow.landing));
}

#[test]
fn cuts_out_of_range_are_refused_and_scans_can_be_aborted() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    assert!(matches!(run(&clips, &best(-0.1)), Err(Error::Option { option: "maxCut", .. })));
    assert!(matches!(run(&clips, &best(f64::NAN)), Err(Error::Option { option: "maxCut", .. })));
    let lscore = |window| Transition::Lscore { window, min_inject: 0, max_inject: 15 };
    let options = best_with(0.5, lscore(1));
    assert!(matches!(run(&clips, &options), Err(Error::Option { option: "window", .. })));
    let wide = StitchOptions { trim: vec![None, Some((0..12).into()), None], ..best_with(0.5, lscore(8)) };
    let three = [clips[0].clone(), clips[1].clone(), clips[0].clone()];
    assert!(matches!(run(&three, &wide), Err(Error::TooShort { frames: 12, needed: 16, .. })));
    // Only one cut is possible, but both clips remain.
    let tiny = StitchOptions { trim: vec![Some((0..10).into()); 2], ..best(1.0) };
    assert_eq!(run(&clips, &tiny).unwrap().clip.frames(), 20);

    let inputs: Vec<Input> = clips.iter().map(|(clip, rig)| Input { clip, rig }).collect();
    let mut scanned = 0;
    let mut progress = Progress::new(|stage, _| {
        scanned += usize::from(stage == Stage::Scan);
        if scanned > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let stopped = stitch(&inputs, &best(0.5), &mut progress);
    drop(progress);
    assert!(matches!(stopped, Err(Error::Aborted)), "{scanned}");
}

#[test]
fn given_cuts_that_leave_too_few_frames_are_refused() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    let frames = clips[1].0.frames();
    let at = |takeoff: usize, landing: usize| {
        let [takeoff, landing] = [takeoff, landing].map(|frame| u32::try_from(frame).unwrap_or(u32::MAX));
        run(&clips, &cut_by(Cut::At { takeoff, landing }))
    };
    assert_eq!(at(9, frames - 10).unwrap().clip.frames(), 20);
    for (takeoff, landing, remaining) in [(0, 0, 1), (8, 0, 9), (20, frames - 1, 1)] {
        let refused = at(takeoff, landing);
        assert!(matches!(refused, Err(Error::TooShort { frames, .. }) if frames == remaining), "{takeoff}, {landing}");
    }
    assert!(matches!(at(20, frames), Err(Error::Option { option: "landing", .. })));
    assert!(matches!(at(usize::MAX, 0), Err(Error::Option { option: "takeoff", .. })));
}

/// Stitches fixtures in sequence, repeated `times` times, at 60 fps.
fn take(names: &[&str], times: usize) -> (Clip, Rig) {
    let clips: Vec<(Clip, Rig)> = names.iter().cycle().take(names.len() * times).map(|name| fixture(name)).collect();
    let joined = run(&clips, &StitchOptions { fps: Some(60.0), ..inertialized() }).unwrap();
    let rig = rig::infer(&joined.clip);
    (joined.clip, rig)
}

#[test]
fn long_takes_are_searched_in_two_stages_that_find_a_near_best_cut() {
    let takes = [take(&["ada-walk", "ada-turn", "ada-idle"], 2), take(&["ada-jog", "ada-run", "ada-walk"], 2)];
    let [a, b] = takes.each_ref().map(|(clip, _)| clip.frames());
    // More cuts than can all be scored.
    assert!(a * b > 1 << 18, "{a} × {b}");
    let cut = run(&takes, &best(f64::INFINITY)).unwrap().seam_reports[0].cut_at.unwrap();
    let scan = Scan::from_clips(&takes[0].0, &takes[0].1, &takes[1].0, &takes[1].1, &LscoreOptions::default()).unwrap();
    let (mut cheapest, landings) = (CheapestCuts::new(1), Frames::every(1, 0..b + 1 - MIN_FRAMES));
    for takeoffs in Frames::every(1, MIN_FRAMES - 1..a).chunks(32) {
        scan.offer(&takeoffs, &landings, &mut cheapest, &mut Progress::silent()).unwrap();
    }
    let cheapest = cheapest.bound();
    assert!(cut.score <= 1.02 * cheapest, "{} instead of {cheapest}", cut.score);
    assert_eq!(cut.score, scan.cut(cut.takeoff, cut.landing).unwrap().score);

    let by_phase = cut_by(Cut::Phase { max_cut: f64::INFINITY });
    for options in [best(f64::INFINITY), by_phase] {
        let inputs = takes.each_ref().map(|(clip, rig)| Input { clip, rig });
        let mut reports = Vec::new();
        let mut listen = Progress::new(|stage, done| {
            reports.extend((stage == Stage::Scan).then_some(done));
            ControlFlow::Continue(())
        });
        stitch(&inputs, &options, &mut listen).unwrap();
        drop(listen);
        assert!(reports.len() > 8 && reports.is_sorted() && reports.last() == Some(&1.0), "{reports:?}");
        let mut remaining = reports.len() - 2;
        let mut stop = Progress::new(|stage, _| {
            remaining -= usize::from(stage == Stage::Scan);
            if remaining == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stitch(&inputs, &options, &mut stop), Err(Error::Aborted)));
    }
}

#[test]
fn recordings_join_at_their_best_cuts_without_a_jump() {
    for set in ["lafan1", "bandai"] {
        let Some(files) = mocap(set) else { continue };
        let pieces: Vec<(Clip, Rig)> = files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "bvh"))
            .step_by((files.len() / 7).max(1))
            .map(|file| {
                let clip = bvh::parse("piece", &std::fs::read(file).unwrap()).unwrap().clip;
                let start = clip.frames() / 3;
                let rig = rig::infer(&clip);
                (clip.trimmed(start..(start + 70).min(clip.frames())).unwrap(), rig)
            })
            .filter(|(clip, _)| clip.frames() >= 40)
            .collect();
        for pair in pieces.windows(2) {
            for foot_lock in [false, true] {
                let options = StitchOptions { foot_lock, ..best_with(0.5, Transition::lscore()) };
                let result = run(pair, &options).unwrap();
                // Between distant poses the body must move, even from one slow clip to another: 2.4 m/s is the speed of
                // a hand in a walk.
                let inputs = pair.iter().map(|(clip, _)| largest_step(clip)).fold(0.08, f32::max);
                let jump = largest_step(&result.clip);
                assert!(jump < 1.5 * inputs, "{set}, lock {foot_lock}: {jump} m a frame, inputs {inputs}");
            }
        }
    }
}
