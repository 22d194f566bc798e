//! Automatic choice of the most natural join, per seam.

use crate::common::fixtures::fixture;
use kinestitch::method::lscore::Cut;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::Rig;
use kinestitch::stitch::{AutoOptions, Insert, JoinOptions, stitch_auto, stitch_with_networks};
use kinestitch::{Error, Input, Join, Progress, SeamChoice, StitchOptions, Stitched, stitch};
use std::ops::ControlFlow;

fn inputs(clips: &[(Clip, Rig)]) -> Vec<Input<'_>> {
    clips.iter().map(|(clip, rig)| Input { clip, rig }).collect()
}

fn auto(clips: &[(Clip, Rig)], options: &StitchOptions, auto: &AutoOptions) -> Stitched {
    stitch_auto(&inputs(clips), options, auto, &mut Progress::silent()).unwrap()
}

#[test]
fn every_seam_has_the_best_trial_and_the_choice_is_deterministic() {
    let clips = ["ada-walk", "ada-run", "ada-turn"].map(fixture);
    let result = auto(&clips, &StitchOptions::default(), &AutoOptions::default());
    assert_eq!(result.seams.len(), 2);
    for seam in &result.seams {
        assert!(seam.trials.len() > 8, "{} trials", seam.trials.len());
        assert!(seam.trials.is_sorted_by(|a, b| a.score <= b.score));
        assert_eq!(seam.options, seam.trials[0].options);
        assert!(seam.options.is_plain());
    }
    assert_eq!(result.clip, auto(&clips, &StitchOptions::default(), &AutoOptions::default()).clip);
}

#[test]
fn a_trial_has_the_measures_of_the_final_seam() {
    let clips = ["ada-walk", "bo-jog"].map(fixture);
    let result = auto(&clips, &StitchOptions::default(), &AutoOptions::default());
    let (seam, trial) = (&result.seams[0], &result.seams[0].trials[0]);
    // A trial joins only pieces of the clips around the cut, so foot lock differs a little near the ends of the pieces.
    assert!((seam.peak_jerk / trial.peak_jerk - 1.0).abs() < 0.05, "{} and {}", seam.peak_jerk, trial.peak_jerk);
    assert!((seam.foot_skate - trial.foot_skate).abs() < 2e-3, "{} and {}", seam.foot_skate, trial.foot_skate);
}

#[test]
fn no_clip_is_cut_by_more_than_max_cut_and_none_with_keep() {
    let clips = ["ada-walk", "bo-run"].map(fixture);
    let frames: usize = clips.iter().map(|(clip, _)| clip.frames()).sum();
    for max_cut_secs in [0.0, 0.2, 0.5] {
        let result = auto(&clips, &StitchOptions::default(), &AutoOptions { max_cut_secs, ..Default::default() });
        let limit = (max_cut_secs * clips[0].0.fps()).round() as usize;
        for trial in &result.seams[0].trials {
            let SeamChoice::At(cut) = trial.options.cut else { panic!("{:?}", trial.options) };
            assert!(clips[0].0.frames() - 1 - cut.takeoff <= limit && cut.landing <= limit, "{cut:?}");
        }
    }
    let kept = auto(&clips, &StitchOptions::default(), &AutoOptions { keep: true, ..Default::default() });
    assert_eq!(kept.clip.frames(), frames + kept.seams[0].inserted);
    // A crossfade uses the blended frames of both clips once, so it does not keep every frame.
    assert!(kept.seams[0].trials.iter().all(|trial| trial.options.join != Join::Crossfade || trial.inserted > 0));
}

#[test]
fn a_seam_can_have_its_own_join_options() {
    let clips = ["ada-walk", "ada-run", "ada-walk"].map(fixture);
    let given = JoinOptions {
        cut: SeamChoice::Keep,
        join: Join::Crossfade,
        blend_secs: 0.4,
        insert: Insert::None,
        filler: JoinOptions::FILLER,
        refine: false,
    };
    let options = StitchOptions { seams: vec![None, Some(given.clone())], ..Default::default() };
    let result = auto(&clips, &options, &AutoOptions::default());
    assert_eq!(result.seams[1].options, given);
    assert!(!result.seams[0].trials.is_empty() && result.seams[1].trials.is_empty());

    // Requesting the chosen join explicitly gives the same seam.
    let found = result.seams[0].options.clone();
    let options = StitchOptions { seams: vec![Some(found), Some(given)], ..Default::default() };
    assert_eq!(
        result.clip,
        stitch_with_networks(&inputs(&clips), &options, &Default::default(), None, &mut Progress::silent())
            .unwrap()
            .clip
    );
}

#[test]
fn frames_inserted_by_the_default_filler_equal_those_of_stitch() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let plain = StitchOptions { insert: Insert::Frames(20), ..Default::default() };
    let named = StitchOptions { filler: "inertialize", ..plain.clone() };
    let clip_of = |options| {
        stitch_with_networks(&inputs(&clips), options, &Default::default(), None, &mut Progress::silent()).unwrap().clip
    };
    assert_eq!(stitch(&inputs(&clips), &plain, &mut Progress::silent()).unwrap().clip, clip_of(&named));
    let linear = StitchOptions { filler: "linear", ..plain };
    assert_eq!(clip_of(&named).frames(), clip_of(&linear).frames());
    assert_ne!(clip_of(&named), clip_of(&linear));
}

#[test]
fn dogs_and_single_clips_are_accepted() {
    let clips = ["cleo-walk", "cleo-trot"].map(fixture);
    let result = auto(&clips, &StitchOptions::default(), &AutoOptions::default());
    assert!(result.seams[0].trials.len() > 4 && result.clip.frames() > 100);
    let single_clip = [fixture("ada-walk")];
    let result = auto(&single_clip, &StitchOptions { foot_lock: false, ..Default::default() }, &AutoOptions::default());
    assert_eq!(result.clip.rotations(), single_clip[0].0.rotations());
}

#[test]
fn options_out_of_range_and_missing_networks_are_named() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let rejected_option = |options: StitchOptions| {
        let result =
            stitch_with_networks(&inputs(&clips), &options, &Default::default(), None, &mut Progress::silent());
        match result {
            Err(Error::Option { option, .. }) => option,
            other => panic!("{:?}", other.map(|result| result.warnings)),
        }
    };
    let join_options = StitchOptions::default().for_seam(0);
    assert_eq!(rejected_option(StitchOptions { seams: vec![None, Some(join_options)], ..Default::default() }), "seams");
    assert_eq!(rejected_option(StitchOptions { blend_secs: f64::NAN, ..Default::default() }), "blend");
    assert_eq!(rejected_option(StitchOptions { refine: true, ..Default::default() }), "refine");
    let filler = StitchOptions { insert: Insert::Frames(9), filler: "delta", ..Default::default() };
    assert_eq!(rejected_option(filler), "method");
}

#[test]
fn can_be_aborted_during_the_trials() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let mut steps = 0;
    let mut progress = Progress::new(|_, _| {
        steps += 1;
        if steps > 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let result = stitch_auto(&inputs(&clips), &StitchOptions::default(), &AutoOptions::default(), &mut progress);
    assert!(matches!(result, Err(Error::Aborted)));
}

/// Returns options with own options at one of two seams: only a cut, and the default blend.
fn with_own_cut(seam: usize, cut: SeamChoice) -> StitchOptions {
    let own = JoinOptions { cut, ..StitchOptions::default().for_seam(0) };
    let mut seams = vec![None, None];
    seams[seam] = Some(own);
    StitchOptions { seams, ..Default::default() }
}

/// Returns the frames of the middle one of three clips that remain between both cuts.
fn remaining_frames(result: &Stitched) -> std::ops::Range<usize> {
    let [first, second] = [0, 1].map(|seam| result.seams[seam].cut);
    first.map_or(0, |cut| cut.landing)..second.unwrap().takeoff + 1
}

#[test]
fn an_automatic_seam_leaves_frames_between_its_cut_and_the_own_cut_of_its_neighbour() {
    let [walk, run, turn] = ["ada-walk", "ada-run", "ada-turn"].map(fixture);
    let large_cuts = AutoOptions { max_cut_secs: 60.0, ..Default::default() };
    let frames = run.0.frames();
    let clips = [walk, run, turn];
    let last = clips[0].0.frames() - 1;
    for landing in [frames / 4, frames / 2, frames - 25] {
        let cut = SeamChoice::At(Cut { takeoff: last, landing, inject: 0, score: 0.0, euclidean: 0.0 });
        let result = auto(&clips, &with_own_cut(0, cut), &large_cuts);
        assert!(remaining_frames(&result).len() >= 10, "{landing}: {:?}", remaining_frames(&result));
        assert!(!result.seams[1].trials.is_empty());
    }
    for takeoff in [24, frames / 2] {
        let cut = SeamChoice::At(Cut { takeoff, landing: 0, inject: 0, score: 0.0, euclidean: 0.0 });
        let result = auto(&clips, &with_own_cut(1, cut), &large_cuts);
        assert!(remaining_frames(&result).len() >= 10, "{takeoff}: {:?}", remaining_frames(&result));
        assert!(!result.seams[0].trials.is_empty());
    }
}

#[test]
fn an_automatic_seam_after_a_searched_cut_takes_off_after_its_landing() {
    let large_cuts = AutoOptions { max_cut_secs: 60.0, ..Default::default() };
    let mut latest_landing = 0.0_f32;
    for names in
        [["ada-walk", "ada-run", "ada-turn"], ["ada-turn", "bo-walk", "ada-walk"], ["bo-idle", "ada-turn", "bo-run"]]
    {
        let clips = names.map(fixture);
        for cut in [SeamChoice::Best { max_cut_secs: 60.0 }, SeamChoice::Phase { max_cut_secs: 60.0 }] {
            let result = auto(&clips, &with_own_cut(0, cut), &large_cuts);
            assert_eq!(result.seams[0].options.cut, cut);
            let remaining = remaining_frames(&result);
            println!("{names:?} {cut:?}: {remaining:?} of {}", clips[1].0.frames());
            assert!(remaining.len() >= 10, "{names:?} {cut:?}: {remaining:?}");
            latest_landing = latest_landing.max(remaining.start as f32 / clips[1].0.frames() as f32);
        }
    }
    assert!(latest_landing > 0.5, "no landing is late: {latest_landing}");
}
