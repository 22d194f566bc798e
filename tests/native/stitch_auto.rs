//! Automatic choice of the most natural join, per seam.

use crate::common::fixtures::fixture;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::Rig;
use kinestitch::stitch::{FillerChoice, JoinChoice, Networks, PartialJoin, stitch_with_networks};
use kinestitch::{BlendKind, Cut, Error, Input, Join, Progress, StitchOptions, Stitched, Transition, stitch};
use std::ops::ControlFlow;

fn inputs(clips: &[(Clip, Rig)]) -> Vec<Input<'_>> {
    clips.iter().map(|(clip, rig)| Input { clip, rig }).collect()
}

fn auto(clips: &[(Clip, Rig)], options: &StitchOptions) -> Stitched {
    stitch_with_networks(&inputs(clips), options, &Networks::default(), &mut Progress::silent()).unwrap()
}

fn with_limit(max_cut: f64, keep_all_frames: bool) -> StitchOptions {
    StitchOptions { join: JoinChoice::Auto { max_cut, keep_all_frames }, ..Default::default() }
}

#[test]
fn every_seam_has_the_best_trial_and_the_choice_is_deterministic() {
    let clips = ["ada-walk", "ada-run", "ada-turn"].map(fixture);
    let result = auto(&clips, &StitchOptions::default());
    assert_eq!(result.seam_reports.len(), 2);
    for seam in &result.seam_reports {
        assert!(seam.trials.len() > 8, "{} trials", seam.trials.len());
        assert!(seam.trials.is_sorted_by(|a, b| a.score <= b.score));
        assert_eq!(seam.made, seam.trials[0].made);
        assert!(!seam.made.refine);
    }
    assert_eq!(result.clip, auto(&clips, &StitchOptions::default()).clip);
}

#[test]
fn a_trial_has_the_measures_of_the_final_seam() {
    let clips = ["ada-walk", "bo-jog"].map(fixture);
    let result = auto(&clips, &StitchOptions::default());
    let (seam, trial) = (&result.seam_reports[0], &result.seam_reports[0].trials[0]);
    // A trial joins only pieces of the clips around the cut, so foot lock differs a little near the ends of the pieces.
    assert!((seam.peak_jerk / trial.peak_jerk - 1.0).abs() < 0.05, "{} and {}", seam.peak_jerk, trial.peak_jerk);
    assert!((seam.foot_skate - trial.foot_skate).abs() < 2e-3, "{} and {}", seam.foot_skate, trial.foot_skate);
}

#[test]
fn no_clip_is_cut_by_more_than_max_cut_and_none_with_keep() {
    let clips = ["ada-walk", "bo-run"].map(fixture);
    let frames: usize = clips.iter().map(|(clip, _)| clip.frames()).sum();
    for max_cut in [0.0, 0.2, 0.5] {
        let result = auto(&clips, &with_limit(max_cut, false));
        let limit = (max_cut * clips[0].0.fps()).round() as usize;
        for trial in &result.seam_reports[0].trials {
            let cut = trial.cut_at;
            assert!(clips[0].0.frames() - 1 - cut.takeoff <= limit && cut.landing <= limit, "{cut:?}");
        }
    }
    let kept = auto(&clips, &with_limit(0.5, true));
    assert_eq!(kept.clip.frames(), frames + kept.seam_reports[0].inserted);
    // A crossfade uses the blended frames of both clips once, so it does not keep every frame.
    assert!(
        kept.seam_reports[0]
            .trials
            .iter()
            .all(|trial| !matches!(trial.made.transition, Transition::Blend { blend: BlendKind::Crossfade, .. }))
    );
}

#[test]
fn a_seam_can_have_its_own_join_options() {
    let clips = ["ada-walk", "ada-run", "ada-walk"].map(fixture);
    let given = Join::from(Transition::crossfade(0.4));
    let options = StitchOptions { seams: vec![None, Some(given.clone().into())], ..Default::default() };
    let result = auto(&clips, &options);
    assert_eq!(result.seam_reports[1].made, given);
    assert!(!result.seam_reports[0].trials.is_empty() && result.seam_reports[1].trials.is_empty());

    // Requesting the chosen join explicitly gives the same seam.
    let found = result.seam_reports[0].made.clone();
    let options = StitchOptions { seams: vec![Some(found.into()), Some(given.into())], ..Default::default() };
    assert_eq!(result.clip, auto(&clips, &options).clip);
}

#[test]
fn an_entry_of_seams_fixes_the_parts_that_it_names_and_auto_chooses_the_rest() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let with_entry = |entry: PartialJoin| {
        let result = auto(&clips, &StitchOptions { seams: vec![Some(entry)], ..Default::default() });
        result.seam_reports[0].clone()
    };
    let cut = Cut::Phase { max_cut: 0.3 };
    let seam = with_entry(PartialJoin { cut: Some(cut), ..Default::default() });
    assert!(seam.trials.len() > 3 && seam.trials.iter().all(|trial| trial.made.cut == cut));
    let transition = Transition::crossfade(0.4);
    let seam = with_entry(PartialJoin { transition: Some(transition.clone()), ..Default::default() });
    assert!(seam.trials.len() > 1 && seam.trials.iter().all(|trial| trial.made.transition == transition));
    let at = Cut::At { takeoff: 60, landing: 12 };
    let seam = with_entry(PartialJoin { cut: Some(at), ..Default::default() });
    assert!(seam.trials.len() > 3 && seam.trials.iter().all(|trial| trial.made.cut == at));
    assert_eq!(seam.cut_at.map(|cut| (cut.takeoff, cut.landing)), Some((60, 12)));
    let free = auto(&clips, &StitchOptions::default());
    let empty = with_entry(PartialJoin::default());
    assert_eq!(empty.made, free.seam_reports[0].made);
}

#[test]
fn frames_inserted_by_the_default_filler_equal_those_of_stitch() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let named = Transition::insert(20, "inertialize").into();
    let clip_of = |options| auto(&clips, options).clip;
    let plain = Transition::insert(20, FillerChoice::default()).into();
    assert_eq!(stitch(&inputs(&clips), &plain, &mut Progress::silent()).unwrap().clip, clip_of(&named));
    let linear = Transition::insert(20, "linear").into();
    assert_eq!(clip_of(&named).frames(), clip_of(&linear).frames());
    assert_ne!(clip_of(&named), clip_of(&linear));
}

#[test]
fn dogs_and_single_clips_are_accepted() {
    let clips = ["cleo-walk", "cleo-trot"].map(fixture);
    let result = auto(&clips, &StitchOptions::default());
    assert!(result.seam_reports[0].trials.len() > 4 && result.clip.frames() > 100);
    let single_clip = [fixture("ada-walk")];
    let result = auto(&single_clip, &StitchOptions { foot_lock: false, ..Default::default() });
    assert_eq!(result.clip.rotations(), single_clip[0].0.rotations());
}

#[test]
fn options_out_of_range_and_missing_networks_are_named() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let rejected_option = |options: StitchOptions| {
        let networks = Networks::default();
        match stitch_with_networks(&inputs(&clips), &options, &networks, &mut Progress::silent()) {
            Err(Error::Option { option, .. }) => option,
            other => panic!("{:?}", other.map(|result| result.warnings)),
        }
    };
    let seams = vec![None, Some(PartialJoin::default())];
    assert_eq!(rejected_option(StitchOptions { seams, ..Default::default() }), "seams");
    assert_eq!(rejected_option(Transition::inertialize(f64::NAN).into()), "seconds");
    assert_eq!(rejected_option(with_limit(-1.0, false)), "maxCut");
    assert_eq!(rejected_option(Join { refine: true, ..Default::default() }.into()), "refine");
    assert_eq!(rejected_option(Transition::insert(9, "delta").into()), "method");
}

#[test]
fn can_be_aborted_during_the_trials() {
    let clips = ["ada-walk", "ada-run"].map(fixture);
    let mut steps = 0;
    let mut progress = Progress::new(|_, _| {
        steps += 1;
        if steps > 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let result = stitch(&inputs(&clips), &StitchOptions::default(), &mut progress);
    assert!(matches!(result, Err(Error::Aborted)));
}

/// Returns options with own options at one of two seams: only a cut, and the default blend.
fn with_own_cut(seam: usize, cut: Cut) -> StitchOptions {
    let mut seams = vec![None, None];
    seams[seam] = Some(Join { cut, ..Default::default() }.into());
    StitchOptions { seams, ..with_limit(60.0, false) }
}

/// Returns the frames of the middle one of three clips that remain between both cuts.
fn remaining_frames(result: &Stitched) -> std::ops::Range<usize> {
    let [first, second] = [0, 1].map(|seam| result.seam_reports[seam].cut_at);
    first.map_or(0, |cut| cut.landing)..second.unwrap().takeoff + 1
}

#[test]
fn an_automatic_seam_leaves_frames_between_its_cut_and_the_own_cut_of_its_neighbour() {
    let [walk, run, turn] = ["ada-walk", "ada-run", "ada-turn"].map(fixture);
    let frames = run.0.frames();
    let clips = [walk, run, turn];
    let last = clips[0].0.frames() - 1;
    for landing in [frames / 4, frames / 2, frames - 25] {
        let cut = Cut::At { takeoff: last as u32, landing: landing as u32 };
        let result = auto(&clips, &with_own_cut(0, cut));
        assert!(remaining_frames(&result).len() >= 10, "{landing}: {:?}", remaining_frames(&result));
        assert!(!result.seam_reports[1].trials.is_empty());
    }
    for takeoff in [24, frames / 2] {
        let cut = Cut::At { takeoff: takeoff as u32, landing: 0 };
        let result = auto(&clips, &with_own_cut(1, cut));
        assert!(remaining_frames(&result).len() >= 10, "{takeoff}: {:?}", remaining_frames(&result));
        assert!(!result.seam_reports[0].trials.is_empty());
    }
}

#[test]
fn an_automatic_seam_after_a_searched_cut_takes_off_after_its_landing() {
    let mut latest_landing = 0.0_f32;
    for names in
        [["ada-walk", "ada-run", "ada-turn"], ["ada-turn", "bo-walk", "ada-walk"], ["bo-idle", "ada-turn", "bo-run"]]
    {
        let clips = names.map(fixture);
        for cut in [Cut::Best { max_cut: 60.0 }, Cut::Phase { max_cut: 60.0 }] {
            let result = auto(&clips, &with_own_cut(0, cut));
            assert_eq!(result.seam_reports[0].made.cut, cut);
            let remaining = remaining_frames(&result);
            println!("{names:?} {cut:?}: {remaining:?} of {}", clips[1].0.frames());
            assert!(remaining.len() >= 10, "{names:?} {cut:?}: {remaining:?}");
            latest_landing = latest_landing.max(remaining.start as f32 / clips[1].0.frames() as f32);
        }
    }
    assert!(latest_landing > 0.5, "no landing is late: {latest_landing}");
}
