//! Floor: within a gap, joints of the rig are lifted if they are lower than the lowest joint in the clips of the keys.
//! A joint that touches the floor in these clips is also lifted if it is lower than its own lowest height there. Keys
//! never change.
//!
//! Joints remain below the floor
//! - if they and the joints that are lifted with them stay less deep than [`MIN_DEPTH`] in the whole gap,
//! - in frames next to the keys,
//! - where lifting them would make the motion jerky or fast.
//!
//! Interpolation predicts no contacts, networks predict those of feet, and only DC-MoE also those of hands; none
//! predicts contacts of knees or elbows. So without this correction, limbs of a character on hands and knees pass
//! through the floor. Limbs are lifted first; where a joint is still below the floor, such as the knees of a kneeling
//! body with low hips, the whole body is raised, and hands and feet stay where they are.

use super::release::Surroundings;
use crate::error::Result;
use crate::metrics::largest_step;
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::fk::{Pose, point_tracks};
use crate::motion::foot_lock::rotate_limb;
use crate::motion::hinge::{Hinge, LIMBS};
use crate::motion::ik::{Reach, TwoBone};
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::Root;
use glam::{Quat, Vec3};
use std::ops::Range;

/// A joint counts as touching the floor if its lowest height in the clips of the keys is less than this fraction of a
/// leg length above the lowest joint. The floor of such a joint is its own lowest height; that of other joints is the
/// lowest height of all.
const TOUCH_HEIGHT: f32 = 0.17;
/// Joints that are lifted together (a knee or elbow, the end of a limb, or all joints by raising the body) are lifted
/// if their largest depth below the floor in the gap is at least this fraction of a leg length.
const MIN_DEPTH: f32 = 0.005;
/// Raising the body is undone if it makes the gap faster than before and faster than this, leg lengths per second.
const SLOW_SPEED: f32 = 2.0;
/// Below this sine of its angle to the vertical, a limb is bent and not rotated to raise its end.
const STEEP_SINE: f32 = 0.2;
/// Above this sine, a limb is rotated and not bent. Between the two values, it is both bent and rotated.
const FLAT_SINE: f32 = 0.5;
/// Reach to each side of the running maximum and of the mean in [`ease`], seconds: a lift begins twice this time before
/// a joint would be below the floor, and ends twice this time after it. Released lifts grow again over this time.
const EASE_SECS: f64 = 0.13;

/// A limb with the lowest heights of its joints.
#[derive(Debug, Clone)]
struct Limb {
    /// Upper bone, hinge joint, hand or foot.
    chain: [usize; 3],
    /// Axis of the hinge in the axes of the upper bone's joint; zero if none was found.
    hinge_axis: Vec3,
    /// Lowest allowed height of knee or elbow, metres.
    hinge_height: f32,
    /// Hand, or foot and toe, with their lowest allowed heights, metres.
    ends: Vec<(usize, f32)>,
}

/// Lowest allowed heights of the joints, from the clips of the keys.
#[derive(Debug, Clone)]
pub(super) struct Floor {
    limbs: Vec<Limb>,
    /// All joints of the rig with their lowest allowed heights, metres.
    joints: Vec<(usize, f32)>,
    /// Length of a leg, metres.
    leg_length: f32,
}

impl Floor {
    /// Measures clips on one skeleton. `None` without clips, if the first clip is empty, and if the rig is not a biped
    /// with two legs.
    pub fn new(clips: &[&Clip], rig: &Rig) -> Option<Self> {
        let (first, legs) = (clips.first()?, rig.legs()?);
        if rig.kind != RigKind::Biped || first.frames() == 0 {
            return None;
        }
        let leg_length = crate::motion::rig::leg::length(&Pose::from_clip(first, 0), &legs);
        let chains: Vec<[usize; 3]> = LIMBS
            .into_iter()
            .filter_map(|limb| Some([rig.joint(limb[0])?, rig.joint(limb[1])?, rig.joint(limb[2])?]))
            .collect();
        let toes = [Role::LeftToe, Role::RightToe].map(|role| rig.joint(role));
        let joints: Vec<usize> = Role::ALL.into_iter().filter_map(|role| rig.joint(role)).collect();
        let points: Vec<(usize, Vec3)> = joints.iter().map(|joint| (*joint, Vec3::ZERO)).collect();
        let mut lowest = vec![f32::INFINITY; joints.len()];
        for clip in clips {
            for (lowest, track) in lowest.iter_mut().zip(point_tracks(clip, &points)) {
                *lowest = track.iter().map(|point| point.y).fold(*lowest, f32::min);
            }
        }
        let ground = lowest.iter().copied().fold(f32::INFINITY, f32::min);
        let height = |joint: usize| {
            let height = joints.iter().position(|candidate| *candidate == joint).map_or(ground, |index| lowest[index]);
            if height - ground < TOUCH_HEIGHT * leg_length { height } else { ground }
        };
        let limb = |chain: [usize; 3]| {
            let skeleton = first.skeleton().joints();
            let toe = toes.into_iter().flatten().find(|toe| skeleton[*toe].parent == Some(chain[2]));
            Limb {
                chain,
                hinge_axis: Hinge::detect(clips, chain).map_or(Vec3::ZERO, |hinge| hinge.axis()),
                hinge_height: height(chain[1]),
                ends: std::iter::once(chain[2]).chain(toe).map(|joint| (joint, height(joint))).collect(),
            }
        };
        let limbs = chains.into_iter().map(limb).collect();
        let joints = joints.iter().map(|joint| (*joint, height(*joint))).collect();
        Some(Self { limbs, joints, leg_length })
    }

    /// Lifts limbs, then the body, in the frames `gap` of a clip. `peak_jerk`: the largest jerk of the keys, m/s³.
    ///
    /// # Errors
    /// The errors of [`Clip::trimmed`].
    pub fn lift(&self, clip: &mut Clip, gap: &Range<usize>, root: &Root, peak_jerk: f32) -> Result<()> {
        // Includes one frame of each key.
        let mut window = clip.trimmed(gap.start - 1..gap.end + 1)?;
        let around = Surroundings::new(clip, gap)?;
        let mut is_lifted = false;
        for limb in &self.limbs {
            let hinge = [(limb.chain[1], limb.hinge_height)];
            is_lifted |= self.lift_joints(&mut window, &hinge, (&around, peak_jerk), |window, lifts| {
                raise_hinge(window, limb, lifts);
            });
            is_lifted |= self.lift_joints(&mut window, &limb.ends, (&around, peak_jerk), |window, lifts| {
                raise_end(window, limb, lifts);
            });
        }
        let unraised = window.clone();
        let is_raised = self.lift_joints(&mut window, &self.joints, (&around, peak_jerk), |window, lifts| {
            self.raise_body(window, lifts, root);
        });
        // Implausible outputs of a network can make the raised motion faster than it was and than `SLOW_SPEED`.
        let slow_step = SLOW_SPEED * self.leg_length / window.fps() as f32;
        if is_raised && largest_step(&window) > largest_step(&unraised).max(slow_step) {
            window = unraised;
        } else {
            is_lifted |= is_raised;
        }
        if is_lifted {
            let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
            clip.rotations_mut()[gap.start * joints..gap.end * joints]
                .copy_from_slice(&window.rotations()[joints..(gap.len() + 1) * joints]);
            clip.translations_mut()[gap.start * width..gap.end * width]
                .copy_from_slice(&window.translations()[width..(gap.len() + 1) * width]);
        }
        Ok(())
    }

    /// Lifts joints that are below the floor, less where that would make the motion jerky ([`Surroundings::correct`]).
    /// Lifting makes it jerky, for example, where a straight leg twists about its length. The limit holds for each
    /// call, so the calls for several limbs together may exceed it. Returns whether lifts were needed. `joints`: with
    /// their lowest allowed heights; `peak_jerk`: the largest jerk of the keys, m/s³; `raise`: lifts the joints by an
    /// amount for each frame, metres.
    fn lift_joints(
        &self,
        window: &mut Clip,
        joints: &[(usize, f32)],
        (around, peak_jerk): (&Surroundings, f32),
        raise: impl Fn(&mut Clip, &[f32]),
    ) -> bool {
        let Some(mut lifts) = self.needed_lifts(window, joints) else { return false };
        let apply = |window: &Clip, lifts: &Vec<f32>| {
            let mut raised = window.clone();
            raise(&mut raised, lifts);
            raised
        };
        let scale = |lifts: &mut Vec<f32>, frame: usize, weight: f32| lifts[frame] *= weight;
        *window = around.correct(window, &mut lifts, (peak_jerk, ease_frames(window.fps())), apply, scale);
        true
    }

    /// Raises the root by an amount for each frame, metres. Hands and feet keep their positions, as far as the limbs
    /// reach.
    fn raise_body(&self, window: &mut Clip, lifts: &[f32], root: &Root) {
        root.slide(window, |_, frame| Vec3::Y * lifts[frame]);
        for_lifted_frames(window, lifts, |window, frame, lift, pose| {
            for limb in &self.limbs {
                let [start, middle, end] = limb.chain.map(|joint| pose.world_positions[joint]);
                let hinge = pose.world_rotations[limb.chain[0]] * limb.hinge_axis;
                let reach = TwoBone { root: start, middle, end, hinge }.reach(end - Vec3::Y * lift);
                rotate_limb(window, frame, pose, &limb.chain, &reach);
            }
        });
    }

    /// Returns the amount by which joints must be lifted in each frame so that all are above the floor, metres, eased
    /// over time; `None` if all depths are below [`MIN_DEPTH`] leg lengths. `joints`: with their lowest allowed
    /// heights.
    fn needed_lifts(&self, window: &Clip, joints: &[(usize, f32)]) -> Option<Vec<f32>> {
        let points: Vec<(usize, Vec3)> = joints.iter().map(|(joint, _)| (*joint, Vec3::ZERO)).collect();
        let mut depths = vec![0.0_f32; window.frames()];
        for (track, (_, lowest)) in point_tracks(window, &points).into_iter().zip(joints) {
            for (depth, point) in depths.iter_mut().zip(track) {
                *depth = depth.max(lowest - point.y);
            }
        }
        if depths.iter().all(|depth| *depth < MIN_DEPTH * self.leg_length) {
            return None;
        }
        Some(ease(&depths, ease_frames(window.fps())))
    }
}

/// Returns [`EASE_SECS`] in frames, at least one.
fn ease_frames(fps: f64) -> usize {
    ((EASE_SECS * fps).round() as usize).max(1)
}

/// Calls `raise` for each frame with a lift above 0, with the frame's lift (metres) and pose.
fn for_lifted_frames(window: &mut Clip, lifts: &[f32], mut raise: impl FnMut(&mut Clip, usize, f32, &Pose)) {
    let mut pose = Pose::default();
    for (frame, &lift) in lifts.iter().enumerate().filter(|(_, lift)| **lift > 0.0) {
        pose.set(window, frame);
        raise(window, frame, lift, &pose);
    }
}

/// Rotates the upper bone to raise knee or elbow; the less, the steeper the bone is ([`flatness`]). The lower bone
/// keeps its world rotation.
fn raise_hinge(window: &mut Clip, limb: &Limb, lifts: &[f32]) {
    for_lifted_frames(window, lifts, |window, frame, lift, pose| {
        let [root, middle, _] = limb.chain.map(|joint| pose.world_positions[joint]);
        let upper = rotation_to_raise(middle - root, lift * flatness(middle - root));
        rotate_limb(window, frame, pose, &limb.chain, &Reach { upper, lower: upper.conjugate() });
    });
}

/// Raises hand or foot; it keeps its world rotation. A steep limb bends, a flat one rotates as a whole.
fn raise_end(window: &mut Clip, limb: &Limb, lifts: &[f32]) {
    for_lifted_frames(window, lifts, |window, frame, lift, pose| {
        let [root, middle, end] = limb.chain.map(|joint| pose.world_positions[joint]);
        let hinge = pose.world_rotations[limb.chain[0]] * limb.hinge_axis;
        let flat = flatness(end - root);
        let bent = TwoBone { root, middle, end, hinge }.reach(end + Vec3::Y * lift * (1.0 - flat));
        let bent_end = bent.upper * (middle - root + bent.lower * (end - middle));
        let upper = rotation_to_raise(bent_end, lift * flat) * bent.upper;
        rotate_limb(window, frame, pose, &limb.chain, &Reach { upper, lower: bent.lower });
    });
}

/// Returns 0 for a steep bone, 1 for a flat one: rotating a steep bone hardly raises its end.
fn flatness(bone: Vec3) -> f32 {
    let sine = bone.with_y(0.0).length() / bone.length().max(1e-6);
    smoothstep(((sine - STEEP_SINE) / (FLAT_SINE - STEEP_SINE)).clamp(0.0, 1.0))
}

/// Returns the smallest rotation that raises the end of a bone by `lift`, metres, at most until the bone is nearly
/// vertical. A bone that points up more steeply keeps its direction, as does a vertical one, which has no direction on
/// the ground.
fn rotation_to_raise(bone: Vec3, lift: f32) -> Quat {
    let length = bone.length();
    let y = (bone.y + lift).min((0.999 * length).max(bone.y));
    let horizontal = bone.with_y(0.0).normalize_or_zero() * (length * length - y * y).max(0.0).sqrt();
    match (bone.try_normalize(), horizontal.with_y(y).try_normalize()) {
        (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
        _ => Quat::IDENTITY,
    }
}

/// Returns a smooth curve that is at least as large as the depths, except near the first and last frame, where it falls
/// to 0. Each value is a weighted mean, over `radius` frames to each side, of running maxima over `radius` frames to
/// each side.
fn ease(depths: &[f32], radius: usize) -> Vec<f32> {
    let last = depths.len() - 1;
    let window = |frame: usize| frame.saturating_sub(radius)..(frame + radius + 1).min(depths.len());
    let maxima: Vec<f32> = (0..=last).map(|frame| depths[window(frame)].iter().copied().fold(0.0, f32::max)).collect();
    let mean = |frame: usize| {
        let weight = |neighbour: usize| (radius + 1 - neighbour.abs_diff(frame)) as f32;
        let (sum, total) = window(frame).fold((0.0, 0.0), |(sum, total), neighbour| {
            (sum + maxima[neighbour] * weight(neighbour), total + weight(neighbour))
        });
        sum / total
    };
    (0..=last)
        .map(|frame| mean(frame) * smoothstep((frame.min(last - frame) as f32 / (radius + 1) as f32).min(1.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eased_curve_covers_the_depths_and_is_zero_at_both_keys() {
        let mut depths = vec![0.0; 30];
        (depths[14], depths[15]) = (0.3, 0.1);
        let curve = ease(&depths, 4);
        assert!(curve.iter().zip(&depths).all(|(curve, depth)| curve >= depth), "{curve:?}");
        assert_eq!([curve[0], curve[29]], [0.0, 0.0]);
        let largest = curve.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(largest < 0.1, "{curve:?}");
    }

    #[test]
    fn a_raised_bone_keeps_its_length_and_direction_on_the_ground() {
        let bone = Vec3::new(0.3, -0.2, 0.1);
        let end = rotation_to_raise(bone, 0.15) * bone;
        assert!((end.y + 0.05).abs() < 1e-5 && (end.length() - bone.length()).abs() < 1e-5, "{end}");
        assert!(end.with_y(0.0).normalize().distance(bone.with_y(0.0).normalize()) < 1e-5, "{end}");
        assert!(rotation_to_raise(bone, 9.0).is_finite());
        assert_eq!(rotation_to_raise(Vec3::ZERO, 0.1), Quat::IDENTITY);
    }

    #[test]
    fn a_bone_that_points_up_is_not_lowered_and_a_lift_of_zero_changes_nothing() {
        let (flat, steep) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.01, 0.5, 0.0));
        for (bone, lift) in [(flat, 0.0), (steep, 0.0), (steep, 0.1), (Vec3::Y, 0.1)] {
            let end = rotation_to_raise(bone, lift) * bone;
            assert!(end.distance(bone) < 1e-5, "{bone} becomes {end} by a lift of {lift}");
        }
    }
}
