//! Stitching with the refiner: drafts, results for changed and unchanged rows, and the shipped network end to end.

use crate::common::fixtures::{fixture, repository};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::resample::resample;
use kinestitch::motion::rig::{self, Rig, Role};
use kinestitch::stitch::{Draft, REFINED_SECS, Refinement, Rejection, draft, join};
use kinestitch::{Error, Input, Join, Progress, Stage, StitchOptions, Stitched, Transition, stitch};
use std::f32::consts::PI;
use std::ops::ControlFlow;

const WIDTH: usize = RefinerRow::WIDTH;

fn inputs(clips: &[(Clip, Rig)]) -> Vec<Input<'_>> {
    clips.iter().map(|(clip, rig)| Input { clip, rig }).collect()
}

fn drafted(clips: &[(Clip, Rig)], options: &StitchOptions) -> Draft {
    draft(&inputs(clips), options, &mut Progress::silent()).unwrap()
}

/// Returns the inertialized stitch that a draft is based on.
fn plain(clips: &[(Clip, Rig)], options: &StitchOptions) -> Stitched {
    let join = Join::from(Transition::inertialize(REFINED_SECS)).into();
    let options = StitchOptions { join, foot_lock: false, ..options.clone() };
    stitch(&inputs(clips), &options, &mut Progress::silent()).unwrap()
}

fn unlocked() -> StitchOptions {
    StitchOptions { foot_lock: false, ..Default::default() }
}

/// Lowers the body by up to 5 cm in `reach` rows before and after a seam, smoothly, because a jump would be rejected.
fn sink(rows: &mut [f32], seam: usize, reach: i32) {
    for offset in -reach..=reach {
        let row = (seam as i32 + offset) as usize;
        let depth = 0.05 * (offset as f32 / (reach + 1) as f32 * PI / 2.0).cos().powi(2);
        rows[row * WIDTH + RefinerRow::POSITION.start + 1] -= depth;
    }
}

#[test]
fn unchanged_rows_give_the_inertialized_stitch_to_the_bit() {
    let clips = [fixture("ada-walk"), fixture("bo-run"), fixture("ada-idle")];
    for fps in [None, Some(60.0), Some(24.0), Some(120.0)] {
        let options = StitchOptions { fps, ..unlocked() };
        let draft = drafted(&clips, &options);
        let rows = draft.rows().to_vec();
        let result = draft.finish(&rows, &mut Progress::silent()).unwrap();
        let plain = plain(&clips, &options);
        assert_eq!(result.clip, plain.clip, "{fps:?}");
        for (seam, plain) in result.seam_reports.iter().zip(&plain.seam_reports) {
            assert_eq!(
                (&seam.made.transition, seam.refinement),
                (&Transition::inertialize(REFINED_SECS), Some(Refinement { drift_cm: 0.0, rejected: None }))
            );
            assert_eq!(seam.measured_range, plain.measured_range);
            assert_eq!((seam.frame, &seam.edited_range), (plain.frame, &plain.edited_range));
        }
    }
}

#[test]
fn seams_are_at_the_first_row_of_the_next_clip() {
    let clips = [fixture("ada-walk"), fixture("ada-run")];
    for fps in [30.0, 60.0, 25.0] {
        let draft = drafted(&clips, &StitchOptions { fps: Some(fps), ..unlocked() });
        let frame = resample(&clips[0].0, fps).unwrap().frames();
        let seam = (frame as f64 * clips[0].0.fps().min(30.0) / fps - 1e-6).ceil() as usize;
        assert_eq!(draft.seam_rows(), [seam], "{fps}");
        assert!(draft.rows().iter().all(|value| value.is_finite()));
    }
}

#[test]
fn an_edit_reaches_the_clip_at_any_rate_and_ends_with_its_rows() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    for fps in [30.0, 60.0, 100.0] {
        let options = StitchOptions { fps: Some(fps), ..unlocked() };
        let draft = drafted(&clips, &options);
        let seam = draft.seam_rows()[0];
        let mut rows = draft.rows().to_vec();
        sink(&mut rows, seam, 15);
        let plain = plain(&clips, &options);
        let result = draft.finish(&rows, &mut Progress::silent()).unwrap();
        let hips = clips[0].1.joint(rig::Role::Hips).unwrap();
        let sink_depth =
            |frame: usize| plain.clip.local_translation(frame, hips).y - result.clip.local_translation(frame, hips).y;
        let middle = result.seam_reports[0].frame;
        assert!(sink_depth(middle) > 0.03 && sink_depth(middle) < 0.08, "{fps}: {}", sink_depth(middle));
        let edited = result.seam_reports[0].edited_range.clone();
        for frame in (0..result.clip.frames()).filter(|frame| !edited.contains(frame)) {
            assert_eq!(result.clip.frame_rotations(frame), plain.clip.frame_rotations(frame), "{fps}, {frame}");
            assert_eq!(result.clip.frame_translations(frame), plain.clip.frame_translations(frame), "{fps}, {frame}");
        }
        assert_eq!(result.seam_reports[0].refinement.unwrap().rejected, None);
        let reach = (18.0 * fps / 30.0).ceil() as usize;
        assert!(edited.start + reach >= middle && edited.end <= middle + reach, "{edited:?}");
    }
}

#[test]
fn an_edit_with_high_jerk_is_rejected_with_a_reason() {
    let clips = [fixture("ada-walk"), fixture("ada-jog")];
    let draft = drafted(&clips, &unlocked());
    let seam = draft.seam_rows()[0];
    let mut rows = draft.rows().to_vec();
    for row in seam - 5..seam + 6 {
        rows[row * WIDTH + RefinerRow::POSITION.start + 1] -= 0.2;
    }
    let result = draft.finish(&rows, &mut Progress::silent()).unwrap();
    assert_eq!(result.clip, plain(&clips, &unlocked()).clip);
    assert_eq!(result.seam_reports[0].refinement.unwrap().rejected, Some(Rejection::Jerk));
    assert!(result.warnings.iter().any(|warning| warning.contains("seam 1 was not refined")), "{:?}", result.warnings);
}

/// Returns a clip with its body turned onto its back and lowered by 0.75 m.
fn lying(clip: &Clip) -> Clip {
    let mut clip = clip.clone();
    let joints = clip.joints();
    let down = glam::Quat::from_rotation_x(-1.5);
    for frame in 0..clip.frames() {
        clip.rotations_mut()[frame * joints] = down * clip.rotations()[frame * joints];
        clip.translations_mut()[frame].y -= 0.75;
    }
    clip
}

#[test]
fn a_lying_body_is_left_as_drafted() {
    let (walk, rig) = fixture("ada-walk");
    let down = lying(&walk);
    let clips = [
        (walk.clone(), rig.clone()),
        (down.clone(), rig.clone()),
        (down, rig.clone()),
        (walk.clone(), rig.clone()),
        (walk, rig),
    ];
    let draft = drafted(&clips, &unlocked());
    assert_eq!(draft.seam_rows().len(), 1, "only the last seam is between upright bodies");
    let mut rows = draft.rows().to_vec();
    let plain = plain(&clips, &unlocked());
    // The body sinks at every seam. At 30 fps, rows are frames.
    for seam in &plain.seam_reports {
        sink(&mut rows, seam.frame, 15);
    }
    let result = draft.finish(&rows, &mut Progress::silent()).unwrap();
    let kept: Vec<_> = result.seam_reports.iter().map(|seam| seam.refinement.unwrap().rejected).collect();
    assert_eq!(kept, [Some(Rejection::NotUpright), Some(Rejection::NotUpright), Some(Rejection::NotUpright), None]);
    let upright = result.seam_reports[3].edited_range.clone();
    assert!(!upright.is_empty() && upright.start > result.seam_reports[2].frame);
    for frame in 0..result.clip.frames() {
        let is_drafted = result.clip.frame_rotations(frame) == plain.clip.frame_rotations(frame)
            && result.clip.frame_translations(frame) == plain.clip.frame_translations(frame);
        assert!(is_drafted || upright.contains(&frame), "frame {frame}");
    }
    let frame = result.seam_reports[3].frame;
    assert_ne!(result.clip.frame_translations(frame), plain.clip.frame_translations(frame));
}

#[test]
fn an_edit_that_reaches_a_lying_seam_is_kept() {
    let (walk, rig) = fixture("ada-walk");
    let clips = [lying(&walk), walk.trimmed(0..40).unwrap(), walk].map(|clip| (clip, rig.clone()));
    let draft = drafted(&clips, &unlocked());
    let seams = draft.seam_rows();
    assert_eq!(seams.len(), 1, "only the second seam is between upright bodies");
    let mut rows = draft.rows().to_vec();
    sink(&mut rows, seams[0], 29);
    let (result, plain) = (draft.finish(&rows, &mut Progress::silent()).unwrap(), plain(&clips, &unlocked()));
    let reasons: Vec<_> = result.seam_reports.iter().map(|seam| seam.refinement.unwrap().rejected).collect();
    assert_eq!(reasons, [Some(Rejection::NotUpright), None]);
    assert!(plain.seam_reports[0].edited_range.contains(&(seams[0] - 29)), "the edit begins in the first blend");
    assert_ne!(result.clip.frame_translations(seams[0]), plain.clip.frame_translations(seams[0]));
}

#[test]
fn predicted_contacts_lock_the_feet() {
    let clips = [fixture("ada-walk"), fixture("ada-idle")];
    let draft = drafted(&clips, &StitchOptions::default());
    let seam = draft.seam_rows()[0];
    let mut rows = draft.rows().to_vec();
    for row in seam..seam + 12 {
        // An invisibly small change, so that the frames count as edited, without contacts.
        rows[row * WIDTH + RefinerRow::POSITION.start + 1] -= 1e-4;
        rows[row * WIDTH + RefinerRow::CONTACT.start..][..4].fill(0.0);
    }
    let without = draft.clone().finish(&rows, &mut Progress::silent()).unwrap();
    for row in seam..seam + 12 {
        rows[row * WIDTH + RefinerRow::CONTACT.start..][..4].fill(1.0);
    }
    let with = draft.finish(&rows, &mut Progress::silent()).unwrap();
    // Foot skate would not show the difference: it leaves out lifted feet, and without contacts the feet are lifted.
    let movement = |stitched: &Stitched| -> f32 {
        let (positions, joints) = (world_positions(&stitched.clip), stitched.clip.joints());
        let toes = [Role::LeftToe, Role::RightToe].map(|toe| clips[0].1.joint(toe).unwrap());
        let step = |frame: usize, toe: usize| {
            (positions[frame * joints + toe] - positions[(frame - 1) * joints + toe]).with_y(0.0).length()
        };
        stitched.seam_reports[0].edited_range.clone().map(|frame| step(frame, toes[0]) + step(frame, toes[1])).sum()
    };
    let [locked, free] = [&with, &without].map(movement);
    assert!(locked < 0.9 * free, "{locked} m with contacts, {free} m without");
}

#[test]
fn input_that_cannot_be_refined_is_an_error() {
    let (walk, dog) = (fixture("ada-walk"), fixture("cleo-walk"));
    let pair = [walk.clone(), walk];
    let (options, dogs) = (StitchOptions::default(), [dog.clone(), dog]);
    let refused = draft(&inputs(&dogs), &options, &mut Progress::silent()).unwrap_err();
    assert!(matches!(&refused, Error::Rig { message, .. } if message.contains("inertialize")), "{refused}");
    let joined = join(&inputs(&dogs), &options, &mut Progress::silent()).unwrap();
    assert!(matches!(Draft::new(joined), Err(Error::Rig { .. })));
    assert!(draft(&[], &options, &mut Progress::silent()).is_err());
    let many = StitchOptions { seams: vec![None; 2], ..Default::default() };
    let refused = draft(&inputs(&pair), &many, &mut Progress::silent());
    assert!(matches!(refused, Err(Error::Option { option: "seams", .. })));

    let draft = drafted(&pair, &options);
    let mut rows = draft.rows().to_vec();
    let short = draft.clone().finish(&rows[1..], &mut Progress::silent());
    assert!(matches!(short, Err(Error::Option { option: "rows", .. })));
    rows[70] = f32::NAN;
    assert!(matches!(draft.clone().finish(&rows, &mut Progress::silent()), Err(Error::Option { option: "rows", .. })));
    let rows = draft.rows().to_vec();
    let stopped = draft.finish(&rows, &mut Progress::new(|_, _| ControlFlow::Break(())));
    assert!(matches!(stopped, Err(Error::Aborted)));
}

#[test]
fn one_clip_and_very_short_clips_can_be_drafted() {
    let (walk, rig) = fixture("ada-walk");
    let alone = drafted(&[(walk.clone(), rig.clone())], &unlocked());
    assert!(alone.seam_rows().is_empty());
    let rows = alone.rows().to_vec();
    assert_eq!(alone.finish(&rows, &mut Progress::silent()).unwrap().clip, walk);
    for fps in [240.0, 1000.0] {
        let fast = resample(&walk, fps).unwrap().trimmed(100..110).unwrap();
        let draft = drafted(&[(fast.clone(), rig.clone()), (fast, rig.clone())], &unlocked());
        let rows = draft.rows().to_vec();
        assert!(draft.seam_rows().iter().all(|&row| row < rows.len() / WIDTH), "{fps}: a seam is after the last row");
        assert_eq!(draft.finish(&rows, &mut Progress::silent()).unwrap().clip.frames(), 20);
    }
}

mod network {
    use super::*;
    use kinestitch::body::to_canonical;
    use kinestitch::method::rmr::PackedRmr;
    use kinestitch::metrics::{largest_step, steps};
    use kinestitch::stitch::{Networks, refine, stitch_with_networks};

    /// Reads the shipped research weights. If models/ has none, prints the reason and returns `None`.
    fn refiner() -> Option<PackedRmr> {
        let path = repository("models/rmr-research.safetensors");
        let Ok(bytes) = std::fs::read(&path) else {
            println!("skipped: cannot read {}", path.display());
            return None;
        };
        Some(PackedRmr::from_bytes(&bytes).unwrap())
    }

    #[test]
    fn the_shipped_refiner_edits_only_near_the_seams() {
        let Some(refiner) = refiner() else { return };
        let clips = [fixture("ada-walk"), fixture("ada-run"), fixture("bo-jog")];
        for fps in [None, Some(60.0)] {
            let options = StitchOptions { fps, ..unlocked() };
            let mut stages = Vec::new();
            let mut progress = Progress::new(|stage, _| {
                stages.push(stage);
                ControlFlow::Continue(())
            });
            let result = refine(&inputs(&clips), &options, &refiner, &mut progress).unwrap();
            drop(progress);
            assert!(stages.contains(&Stage::Refine));
            let plain = plain(&clips, &options);
            assert_eq!(result.clip.frames(), plain.clip.frames());
            let edited = |frame: usize| result.seam_reports.iter().any(|seam| seam.edited_range.contains(&frame));
            for frame in (0..result.clip.frames()).filter(|&frame| !edited(frame)) {
                assert_eq!(result.clip.frame_rotations(frame), plain.clip.frame_rotations(frame), "{frame}");
            }
            // At most two seconds around each seam are edited.
            let fps = result.clip.fps();
            for seam in &result.seam_reports {
                assert!(seam.edited_range.len() as f64 <= 2.1 * fps, "{:?}", seam.edited_range);
                let Refinement { drift_cm, rejected } = seam.refinement.unwrap();
                if rejected.is_some() {
                    continue;
                }
                assert!(seam.edited_range.start < seam.frame && drift_cm > 0.0 && drift_cm < 60.0, "{seam:?}");
                let same = (seam.edited_range.clone())
                    .filter(|&frame| result.clip.frame_rotations(frame) == plain.clip.frame_rotations(frame));
                assert!(same.count() <= 4, "the edit is zero in few frames, where it begins and ends");
            }
            // The path on the ground is that of the plain stitch.
            let [a, b] = [&result, &plain].map(|made| to_canonical(&made.clip, &clips[0].1).unwrap().clip);
            for frame in 0..a.frames() {
                let difference = (a.translations()[frame] - b.translations()[frame]) * glam::Vec3::new(1.0, 0.0, 1.0);
                assert!(difference.length() < 1e-4, "frame {frame}: {difference}");
            }
            // No jump: steps are close to those of the plain stitch, especially at the ends of the windows.
            let (of_refined, of_plain) = (largest_step(&result.clip), largest_step(&plain.clip));
            assert!(of_refined < 1.1 * of_plain, "{of_refined} m a frame, inertialized {of_plain}");
            let (of_refined, of_plain) = (steps(&result.clip), steps(&plain.clip));
            for seam in &result.seam_reports {
                for frame in [seam.edited_range.start, seam.edited_range.end] {
                    assert!(
                        of_refined[frame] < 1.2 * of_plain[frame] + 0.005,
                        "{frame}: {} {}",
                        of_refined[frame],
                        of_plain[frame]
                    );
                }
            }
        }
    }

    #[test]
    fn many_short_clips_are_refined_together() {
        let Some(refiner) = refiner() else { return };
        let clips: Vec<(Clip, Rig)> = ["ada-walk", "bo-run", "ada-idle", "bo-turn", "ada-jog"].map(fixture).to_vec();
        for (fps, length) in [(30.0, 10), (30.0, 25), (60.0, 14), (120.0, 10)] {
            let trim = (0..clips.len()).map(|index| Some((20 * index..20 * index + length).into())).collect();
            let options = StitchOptions { trim, fps: Some(fps), ..Default::default() };
            let result = refine(&inputs(&clips), &options, &refiner, &mut Progress::silent()).unwrap();
            let frames = resample(&clips[0].0.trimmed(0..length).unwrap(), fps).unwrap().frames();
            assert_eq!(result.clip.frames(), clips.len() * frames);
            assert_eq!(result.seam_reports.len(), clips.len() - 1);
            for seam in &result.seam_reports {
                assert!(
                    seam.edited_range.contains(&seam.frame) && seam.edited_range.end <= result.clip.frames(),
                    "{seam:?}"
                );
                assert!(
                    seam.refinement.unwrap().drift_cm.is_finite()
                        && seam.foot_skate.is_finite()
                        && seam.peak_jerk.is_finite()
                );
            }
        }
    }

    #[test]
    fn a_filler_replaces_only_the_inserted_frames_of_a_refined_seam() {
        let Some(refiner) = refiner() else { return };
        let clips = [fixture("ada-walk"), fixture("ada-run")];
        let stitched = |filler: &'static str| {
            let join = Join { transition: Transition::insert(15, filler), refine: true, ..Default::default() };
            let options = StitchOptions { join: join.into(), ..unlocked() };
            let networks = Networks { refiner: Some(&refiner), ..Default::default() };
            stitch_with_networks(&inputs(&clips), &options, &networks, &mut Progress::silent()).unwrap()
        };
        let (plain, filled) = (stitched("inertialize"), stitched("linear"));
        let inserted = plain.seam_reports[0].frame - 15..plain.seam_reports[0].frame;
        for frame in 0..plain.clip.frames() {
            let is_equal = plain.clip.frame_rotations(frame) == filled.clip.frame_rotations(frame);
            assert!(is_equal || inserted.contains(&frame), "{frame} is not in {inserted:?}");
        }
    }

    #[test]
    fn the_shipped_refiner_slides_no_more_than_inertialization() {
        let Some(refiner) = refiner() else { return };
        let clips = [fixture("ada-walk"), fixture("ada-run")];
        let result = refine(&inputs(&clips), &StitchOptions::default(), &refiner, &mut Progress::silent()).unwrap();
        let plain = stitch(&inputs(&clips), &Join::default().into(), &mut Progress::silent()).unwrap();
        let (of_refined, of_plain) = (result.seam_reports[0].foot_skate, plain.seam_reports[0].foot_skate);
        println!("foot skate {of_refined} m a frame, inertialized {of_plain}");
        assert!(of_refined <= of_plain, "{of_refined} m a frame, inertialized {of_plain}");
    }
}
