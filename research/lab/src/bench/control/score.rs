//! Scores of a controlled motion: skate, angle updates, path, response, bones.

use super::track::Request;
use glam::Vec3;
use kinestitch::body::Character;
use kinestitch::metrics::skate::{LOW_HEIGHT, Sole, foot_skate};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;

/// Frames over which a speed is averaged, because the root sways with each stride.
const SPEED_FRAMES: usize = 10;

/// A track counts as followed if the mean speed along the requested direction exceeds this fraction of the requested
/// speed.
pub const MIN_FOLLOWED: f64 = 0.3;

/// A body whose hips are too low or too high for more consecutive frames than this has collapsed.
const MAX_FRAMES_OFF_HEIGHT: usize = 15;

/// Skate and angle updates of a motion on a canonical skeleton.
#[derive(Debug, Clone, Copy, Default)]
pub struct MotionScore {
    /// Horizontal speed of feet below [`LOW_HEIGHT`], m/s.
    pub slide: f64,
    /// Sum over joints of the rotation between frames, degrees per frame at 30 fps (Starke et al. 2020, Figure 11);
    /// mean over the measured frames.
    pub angle_updates: f64,
    /// Number of measured frames.
    pub frames: usize,
}

/// Measures the frames in which the root moves faster than `min_speed` (m/s). `rest`: heights of the contact joints
/// during contact.
pub fn score_motion(clip: &Clip, character: &Character, rest: &[f32], ground: f32, min_speed: f32) -> MotionScore {
    let soles: Vec<Sole> = character
        .contacts
        .iter()
        .zip(rest)
        .map(|(contact, rest)| Sole { joint: contact.joint, resting_height: ground + rest })
        .collect();
    let fps = clip.fps() as f32;
    let position = |frame: usize| clip.frame_translations(frame)[0].with_y(0.0);
    let (mut slide, mut low, mut angle_updates, mut frames) = (0.0, 0.0, 0.0, 0);
    for frame in SPEED_FRAMES..clip.frames() {
        if position(frame).distance(position(frame - SPEED_FRAMES)) * fps / (SPEED_FRAMES as f32) < min_speed {
            continue;
        }
        let skate = foot_skate(clip, &soles, frame..frame + 1);
        slide += f64::from(skate.slide * skate.low * fps);
        low += f64::from(skate.low);
        let pairs = clip.frame_rotations(frame - 1).iter().zip(clip.frame_rotations(frame));
        angle_updates +=
            pairs.map(|(a, b)| f64::from(a.angle_between(*b))).sum::<f64>().to_degrees() * f64::from(fps) / 30.0;
        frames += 1;
    }
    let frame_weight = 1.0 / frames.max(1) as f64;
    MotionScore { slide: slide / f64::max(low, 1e-9), angle_updates: angle_updates * frame_weight, frames }
}

/// Scores of a walk along a track.
#[derive(Debug, Clone, Default)]
pub struct TrackScore {
    /// Position error at the end of each ten seconds, relative to the length of the path requested in them; mean.
    pub path_error: f64,
    /// Durations of turns of 90°, seconds until 90 % of the angle. If it is never reached, the whole duration of the
    /// section counts.
    pub turn_secs: Vec<f64>,
    /// Durations of starts, seconds until 90 % of the requested speed, else the whole duration of the section.
    pub start_secs: Vec<f64>,
    /// Mean speed along the requested direction, relative to the requested speed.
    pub relative_speed: f64,
    /// Largest deviation of a bone from its length, metres.
    pub bone_error: f32,
    /// Description of a collapse; empty if none occurred.
    pub collapse: String,
}

/// Scores a track. `roots`: root positions on the ground, one per request.
pub fn score_track(requests: &[Request], roots: &[Vec3], clip: &Clip, character: &Character) -> TrackScore {
    let step = clip.frame_time_secs();
    let window = (10.0 / step).round() as usize;
    let mut scores = TrackScore::default();
    let (mut sum, mut count) = (0.0, 0.0);
    for start in (0..roots.len().saturating_sub(window)).step_by(window) {
        let requested: Vec3 =
            requests[start..start + window].iter().map(|request| request.velocity * step as f32).sum();
        let path_length: f32 =
            requests[start..start + window].iter().map(|request| request.velocity.length() * step as f32).sum();
        let error = (roots[start + window] - roots[start]) - requested;
        sum += f64::from(error.length() / path_length.max(0.5));
        count += 1.0;
    }
    scores.path_error = sum / f64::max(count, 1.0);
    let velocity = |frame: usize| {
        let (from, to) = (frame.saturating_sub(SPEED_FRAMES / 2), (frame + SPEED_FRAMES / 2).min(roots.len() - 1));
        (roots[to] - roots[from]) / ((to - from).max(1) as f32 * step as f32)
    };
    let (mut along, mut requested) = (0.0, 0.0);
    for (frame, request) in requests.iter().enumerate() {
        along += f64::from(velocity(frame).dot(request.velocity.normalize_or_zero()));
        requested += f64::from(request.velocity.length());
        let is_section_start = request.secs_in_section == 0.0 && frame > 0;
        let speed = request.velocity.length();
        // With a requested facing, the body need not turn to move in another direction.
        if !is_section_start || speed == 0.0 || (request.control.facing.is_some() && request.previous_speed > 0.0) {
            continue;
        }
        let section_frames = count_section_frames(&requests[frame..]);
        let secs_until = |done: &dyn Fn(Vec3) -> bool| {
            let is_done = |later: &usize| frame + later < roots.len() && done(velocity(frame + later));
            (0..section_frames).find(is_done).unwrap_or(section_frames) as f64 * step
        };
        let ahead = request.velocity / speed;
        if request.previous_speed == 0.0 {
            scores.start_secs.push(secs_until(&|velocity| velocity.dot(ahead) > 0.9 * speed));
        } else if request.direction_change.abs() == 90.0 {
            // After 90 % of the turn, 9° remain.
            let min_cosine = 9.0_f32.to_radians().cos();
            scores.turn_secs.push(secs_until(&|velocity| velocity.normalize_or_zero().dot(ahead) > min_cosine));
        }
    }
    scores.relative_speed = along / f64::max(requested, 1e-9);
    check_body(clip, character, &mut scores);
    scores
}

/// Returns the number of frames until the section of the first request ends, or until the track ends.
fn count_section_frames(requests: &[Request]) -> usize {
    1 + requests[1..].iter().take_while(|next| next.secs_in_section > 0.0).count()
}

/// Measures the bone error, and describes the first sign of a collapse: hips too low or too high (no track asks the
/// body to lie down), a joint far below the ground at y = 0, or a foot that is never lifted.
fn check_body(clip: &Clip, character: &Character, scores: &mut TrackScore) {
    let standing = clip.frame_translations(0)[0].y;
    let (mut frames_off_height, mut pose) = (0, Pose::default());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        for (index, joint) in clip.skeleton().joints().iter().enumerate() {
            if let Some(parent) = joint.parent {
                let length = pose.world_positions[index].distance(pose.world_positions[parent]);
                scores.bone_error = scores.bone_error.max((length - joint.offset.length()).abs());
            }
        }
        let lowest = pose.world_positions.iter().map(|position| position.y).fold(f32::MAX, f32::min);
        let height = pose.world_positions[0].y;
        frames_off_height = if height < 0.6 * standing || height > 1.6 * standing { frames_off_height + 1 } else { 0 };
        if scores.collapse.is_empty()
            && (frames_off_height > MAX_FRAMES_OFF_HEIGHT
                || lowest < -0.3 * character.leg_length
                || !height.is_finite())
        {
            scores.collapse = format!(
                "at {:.1} s: hips {height:.2} m, lowest joint {lowest:.2} m",
                frame as f64 * clip.frame_time_secs()
            );
        }
    }
    // A body that does not follow the track may stand still, with both feet on the ground.
    if scores.relative_speed < MIN_FOLLOWED {
        return;
    }
    // A foot that never leaves the ground slides along it.
    let height_range = |joint: usize| {
        let heights = (0..clip.frames()).map(|frame| {
            let mut pose = Pose::default();
            pose.set(clip, frame);
            pose.world_positions[joint].y
        });
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
        high - low
    };
    let smallest_lift = character.contacts.iter().map(|contact| height_range(contact.joint)).fold(f32::MAX, f32::min);
    if scores.collapse.is_empty() && smallest_lift < LOW_HEIGHT {
        scores.collapse = format!("a foot is never lifted ({smallest_lift:.3} m)");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::track;
    use crate::files::read_clip;
    use kinestitch::body::to_canonical;
    use kinestitch::motion::rig;
    use std::path::Path;

    #[test]
    fn a_start_that_never_comes_lasts_as_long_as_its_section() {
        let walk = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/ada-walk.bvh"));
        let clip = read_clip(walk).unwrap();
        let body = to_canonical(&clip, &rig::infer(&clip)).unwrap();
        let mut starts = 0;
        for track in track::tracks().unwrap() {
            let requests = track.requests(body.character.name, body.clip.frame_time_secs());
            let starts_of_sections: Vec<usize> =
                (0..requests.len()).filter(|&frame| requests[frame].secs_in_section == 0.0).collect();
            let is_start = |frame: usize| frame > 0 && requests[frame].previous_speed == 0.0;
            let ends = starts_of_sections.iter().skip(1).copied().chain([requests.len()]);
            let expected: Vec<f64> = (starts_of_sections.iter().zip(ends))
                .filter(|(start, _)| is_start(**start) && requests[**start].velocity != Vec3::ZERO)
                .map(|(start, end)| (end - start) as f64 * body.clip.frame_time_secs())
                .collect();
            let roots = vec![Vec3::ZERO; requests.len()];
            let scores = score_track(&requests, &roots, &body.clip, body.character);
            assert_eq!(scores.start_secs, expected, "{}", track.name);
            starts += expected.len();
        }
        assert!(starts > 0);
    }
}
