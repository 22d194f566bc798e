//! Stitching of real recordings: no jumps at seams, frames outside are unchanged, foot lock helps.

use crate::common::recordings::mocap;
use kinestitch::metrics::{foot_skate, jerk, soles, steps};
use kinestitch::motion::contact::detect_contacts;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{Rig, RigKind, infer};
use kinestitch::motion::{bvh, resample::resample};
use kinestitch::{BlendKind, Clip, Input, Progress, StitchOptions, Stitched, Transition, stitch};
use std::path::{Path, PathBuf};

const BLEND: usize = 20;
const BLEND_SECS: f64 = BLEND as f64 / 30.0;
/// Frames used of each recording.
const LENGTH: usize = 150;

/// Reads frames of a file at 30 fps, from the relative position `start_fraction` (0..1) on; `None` if it cannot be
/// parsed or is too short. The first two and the last two frames are not used, because CMU's first frame is a T-pose.
fn load(path: &Path, start_fraction: f64) -> Option<(Clip, Rig)> {
    let clip = bvh::parse(&path.display().to_string(), &std::fs::read(path).unwrap()).ok()?.clip;
    let clip = resample(&clip, 30.0).unwrap();
    let length = LENGTH.min(clip.frames().checked_sub(4)?);
    let start = 2 + ((clip.frames() - 4 - length) as f64 * start_fraction) as usize;
    let clip = (length >= 40).then(|| clip.trimmed(start..start + length).unwrap())?;
    let rig = infer(&clip);
    Some((clip, rig))
}

/// Chooses up to `count` pairs from a list of files, the same ones in every run; none from an empty list.
fn pairs(files: &[PathBuf], count: usize) -> Vec<[(Clip, Rig); 2]> {
    let files: Vec<&PathBuf> = files.iter().filter(|path| path.extension().is_some_and(|end| end == "bvh")).collect();
    let count = if files.is_empty() { 0 } else { count };
    let file_at = |k: usize| files[k * 7919 % files.len()];
    let start_fraction = |k: usize| (k * 37 % 100) as f64 / 100.0;
    (0..count)
        .filter_map(|k| {
            Some([load(file_at(2 * k), start_fraction(k))?, load(file_at(2 * k + 1), start_fraction(k + 50))?])
        })
        .collect()
}

fn join(pair: &[(Clip, Rig); 2], joining: BlendKind, foot_lock: bool) -> Stitched {
    let options = StitchOptions { foot_lock, ..Transition::Blend { blend: joining, seconds: BLEND_SECS }.into() };
    let inputs = [0, 1].map(|k| Input { clip: &pair[k].0, rig: &pair[k].1 });
    stitch(&inputs, &options, &mut Progress::silent()).unwrap()
}

fn largest(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// Measures the largest distance of a joint between the two poses that meet, metres: the offset that a blend must
/// remove.
fn pose_distance(stitched: &Stitched) -> f32 {
    let Stitched { clip, aligned, seam_reports: seams, .. } = stitched;
    let start = seams[0].edited_range.start;
    let (before, after) = (Pose::from_clip(clip, start - 1), Pose::from_clip(&aligned[1], 0));
    let pairs = before.world_positions.iter().zip(&after.world_positions);
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Checks every pair with crossfade and inertialization. Prints the largest steps at the seams, and the summed foot
/// skate around them, without and with foot lock.
fn check(set: &str, pairs: &[[(Clip, Rig); 2]]) {
    assert!(!pairs.is_empty(), "{set}: no pair of files can be used");
    let (mut skates, mut rough_seams, mut count) = ([0.0; 2], 0, 0);
    let mut ratios = Vec::new();
    for pair in pairs {
        let names = format!("{set}: {} to {}", pair[0].0.name, pair[1].0.name);
        for joining in [BlendKind::Crossfade, BlendKind::Inertialize] {
            let free = join(pair, joining, false);
            let blend = free.seam_reports[0].edited_range.clone();
            for (frame, input) in
                (0..blend.start).map(|f| (f, 0)).chain((blend.end..free.clip.frames()).map(|f| (f, 1)))
            {
                let source_frame = frame - free.starts[input];
                assert_eq!(
                    free.clip.frame_rotations(frame),
                    free.aligned[input].frame_rotations(source_frame),
                    "{names}"
                );
                assert_eq!(
                    free.clip.frame_translations(frame),
                    free.aligned[input].frame_translations(source_frame),
                    "{names}"
                );
            }
            let inputs = free.aligned.iter().map(|clip| largest(&steps(clip))).fold(0.0, f32::max);
            // Different poses need a transition: the peak speed of a smooth path is 15/8 of its mean speed.
            let allowed = 1.3 * inputs + 15.0 / 8.0 * pose_distance(&free) / BLEND as f32;
            let jump = largest(&steps(&free.clip));
            assert!(jump < allowed, "{names}, {joining:?}: {jump} m a frame, allowed {allowed}");
            ratios.push(largest(&steps(&free.clip)[blend.start..blend.end + 1]) / inputs);

            if pair[0].1.kind != RigKind::Biped {
                continue;
            }
            let locked = join(pair, joining, true);
            let jump = largest(&steps(&locked.clip));
            assert!(jump < 1.15 * allowed, "{names}, {joining:?}, locked: {jump} m a frame, allowed {allowed}");
            let feet = soles(&pair[0].1, detect_contacts(&free.aligned[0], &pair[0].1).world_ground);
            let around = blend.start.saturating_sub(8)..blend.end + 8;
            for (sum, clip) in skates.iter_mut().zip([&free.clip, &locked.clip]) {
                *sum += foot_skate(clip, &feet, around.clone()).weighted;
            }
            let input_jerk =
                free.aligned.iter().chain([&free.clip]).map(|clip| largest(&jerk(clip))).fold(0.0, f32::max);
            rough_seams += usize::from(largest(&jerk(&locked.clip)) > 1.5 * input_jerk);
            count += 1;
        }
    }
    ratios.sort_by(f32::total_cmp);
    let [median, maximum] = [ratios[ratios.len() / 2], ratios[ratios.len() - 1]];
    println!(
        "{set}: {} seams; largest step at a seam against the inputs': median {median:.2}, maximum {maximum:.2}",
        ratios.len()
    );
    println!(
        "{set}: foot skate around them {:.2} free, {:.2} locked, {rough_seams} of {count} rough",
        skates[0], skates[1]
    );
    assert!(count == 0 || skates[1] < 0.9 * skates[0], "{set}: foot lock does not help: {skates:?}");
    assert!(rough_seams * 20 <= count, "{set}: {rough_seams} of {count} seams have much more jerk with foot lock");
}

#[test]
fn lafan1_clips_join_without_a_jump() {
    let Some(files) = mocap("lafan1") else { return };
    check("lafan1", &pairs(&files, 12));
}

#[test]
fn bandai_namco_clips_join_without_a_jump() {
    let Some(files) = mocap("bandai") else { return };
    check("bandai", &pairs(&files, 40));
}

#[test]
fn cmu_clips_join_without_a_jump() {
    let Some(files) = mocap("cmu") else { return };
    check("cmu", &pairs(&files, 16));
}

#[test]
fn dog_clips_join_without_a_jump() {
    let Some(files) = mocap("dog") else { return };
    check("dog", &pairs(&files, 8));
}

#[test]
fn clips_of_different_rigs_join_without_a_jump() {
    let (Some(lafan1), Some(bandai), Some(samples)) = (mocap("lafan1"), mocap("bandai"), mocap("samples")) else {
        return;
    };
    let cmu = mocap("cmu").unwrap_or_default();
    let mut mixed = Vec::new();
    for (a, b) in [(&lafan1, &bandai), (&bandai, &lafan1), (&samples, &bandai), (&lafan1, &samples), (&bandai, &cmu)] {
        let firsts = pairs(a, 4).into_iter().map(|[clip, _]| clip);
        let seconds = pairs(b, 4).into_iter().map(|[_, clip]| clip);
        mixed.extend(firsts.zip(seconds).map(|(a, b)| [a, b]));
    }
    mixed.retain(|pair| pair.iter().all(|(_, rig)| rig.kind == RigKind::Biped));
    assert!(mixed.len() >= 10);
    check("mixed", &mixed);
}
