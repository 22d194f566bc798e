//! Scores of a controlled motion: skate, angle updates, path, response, bones.

use super::track::Request;
use glam::Vec3;
use kinestitch::body::Character;
use kinestitch::metrics::skate::{LOW_HEIGHT, Sole, foot_skate};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;

/// Frames over which a speed is averaged, because the root sways with each stride.
const STRIDE: usize = 10;

/// Minimum mean speed along the requested direction at which a track counts as followed, relative to the requested
/// speed.
pub const MIN_FOLLOWED: f64 = 0.3;

/// Skate and angle updates of a motion on a canonical skeleton.
#[derive(Debug, Clone, Copy, Default)]
pub struct Motion {
    /// Horizontal speed of feet below [`LOW_HEIGHT`], m/s.
    pub slide: f64,
    /// Sum over joints of the rotation between frames, degrees per frame at 30 fps (Figure 11); moving frames only.
    pub turning: f64,
    /// Frames.
    pub frames: usize,
}

/// Measures the frames in which the root moves faster than `moving` (m/s). `rest`: heights of the contact joints during
/// contact.
pub fn motion(clip: &Clip, character: &Character, rest: &[f32], ground: f32, moving: f32) -> Motion {
    let soles: Vec<Sole> = character
        .contacts
        .iter()
        .zip(rest)
        .map(|(contact, rest)| Sole { joint: contact.joint, world_ground: ground + rest })
        .collect();
    let fps = clip.fps() as f32;
    let position = |frame: usize| clip.frame_translations(frame)[0].with_y(0.0);
    let (mut slide, mut low, mut turning, mut frames) = (0.0, 0.0, 0.0, 0);
    for frame in STRIDE..clip.frames() {
        if position(frame).distance(position(frame - STRIDE)) * fps / (STRIDE as f32) < moving {
            continue;
        }
        let skate = foot_skate(clip, &soles, frame..frame + 1);
        slide += f64::from(skate.slide * skate.low * fps);
        low += f64::from(skate.low);
        let pairs = clip.frame_rotations(frame - 1).iter().zip(clip.frame_rotations(frame));
        turning += pairs.map(|(a, b)| f64::from(a.angle_between(*b))).sum::<f64>().to_degrees() * f64::from(fps) / 30.0;
        frames += 1;
    }
    let frame_weight = 1.0 / frames.max(1) as f64;
    Motion { slide: slide / f64::max(low, 1e-9), turning: turning * frame_weight, frames }
}

/// How well a track was followed.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// Mean position error after ten seconds, relative to the requested distance.
    pub path: f64,
    /// Seconds until 90 % of a 90° turn, and of a start, are done. A response that never arrives counts as the whole
    /// length of its request.
    pub turns: Vec<f64>,
    pub starts: Vec<f64>,
    /// Mean speed along the requested direction, relative to the requested speed.
    pub along: f64,
    /// Largest deviation of a bone from its length, metres.
    pub bones: f32,
    /// Description of a collapse; empty if none occurred.
    pub collapse: String,
}

/// Scores a track. `roots`: root positions on the ground, one per request.
pub fn followed(requests: &[Request], roots: &[Vec3], clip: &Clip, character: &Character) -> Followed {
    let step = clip.frame_time_secs();
    let window = (10.0 / step).round() as usize;
    let mut scores = Followed::default();
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
    scores.path = sum / f64::max(count, 1.0);
    let velocity = |frame: usize| {
        let (from, to) = (frame.saturating_sub(STRIDE / 2), (frame + STRIDE / 2).min(roots.len() - 1));
        (roots[to] - roots[from]) / ((to - from).max(1) as f32 * step as f32)
    };
    let (mut along, mut requested) = (0.0, 0.0);
    for (frame, request) in requests.iter().enumerate() {
        along += f64::from(velocity(frame).dot(request.velocity.normalize_or_zero()));
        requested += f64::from(request.velocity.length());
        let is_change = request.secs_since_change == 0.0 && frame > 0;
        let speed = request.velocity.length();
        if !is_change || speed == 0.0 || (request.control.facing.is_some() && request.previous_speed > 0.0) {
            continue;
        }
        let leg_frames = requests[frame..]
            .iter()
            .skip(1)
            .position(|next| next.secs_since_change == 0.0)
            .unwrap_or(requests.len() - frame);
        let secs_until = |done: &dyn Fn(Vec3) -> bool| {
            let frames = (0..leg_frames).find(|later| frame + later < roots.len() && done(velocity(frame + later)));
            frames.unwrap_or(leg_frames) as f64 * step
        };
        let ahead = request.velocity / speed;
        if request.previous_speed == 0.0 {
            scores.starts.push(secs_until(&|velocity| velocity.dot(ahead) > 0.9 * speed));
        } else if request.direction_change.abs() == 90.0 {
            let min_cosine = 9.0_f32.to_radians().cos();
            scores.turns.push(secs_until(&|velocity| velocity.normalize_or_zero().dot(ahead) > min_cosine));
        }
    }
    scores.along = along / f64::max(requested, 1e-9);
    check(clip, character, &mut scores);
    scores
}

/// Checks bone lengths, ground contact and upright posture (no track asks the body to lie down).
fn check(clip: &Clip, character: &Character, scores: &mut Followed) {
    let standing = clip.frame_translations(0)[0].y;
    let (mut low, mut pose) = (0, Pose::default());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        for (index, joint) in clip.skeleton().joints().iter().enumerate() {
            if let Some(parent) = joint.parent {
                let length = pose.world_positions[index].distance(pose.world_positions[parent]);
                scores.bones = scores.bones.max((length - joint.offset.length()).abs());
            }
        }
        let deepest = pose.world_positions.iter().map(|position| position.y).fold(f32::MAX, f32::min);
        let height = pose.world_positions[0].y;
        low = if height < 0.6 * standing || height > 1.6 * standing { low + 1 } else { 0 };
        if scores.collapse.is_empty() && (low > 15 || deepest < -0.3 * character.leg_length || !height.is_finite()) {
            scores.collapse = format!(
                "at {:.1} s: hips {height:.2} m, lowest joint {deepest:.2} m",
                frame as f64 * clip.frame_time_secs()
            );
        }
    }
    if scores.along < MIN_FOLLOWED {
        return;
    }
    // A foot that never leaves the ground is sliding along it.
    let lifts = |joint: usize| {
        let heights = (0..clip.frames()).map(|frame| {
            let mut pose = Pose::default();
            pose.set(clip, frame);
            pose.world_positions[joint].y
        });
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
        high - low
    };
    let lifted = character.contacts.iter().map(|contact| lifts(contact.joint)).fold(f32::MAX, f32::min);
    if scores.collapse.is_empty() && lifted < LOW_HEIGHT {
        scores.collapse = format!("a foot is never lifted ({lifted:.3} m)");
    }
}
