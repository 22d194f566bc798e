//! Visible faults of a seam: each is found where it was made, and only there.

use crate::common::fixtures::fixture;
use crate::common::joins::inertialized;
use glam::{Quat, Vec3};
use kinestitch::judge::faults::{FaultKind, Measures, Reference, differing};
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::motion::root::{GroundTransform, Root};
use kinestitch::stitch::find_seams;
use kinestitch::{Clip, Input, Progress, stitch};
use std::ops::Range;

/// Frames of the motion that differ from both clips.
const SEAM: Range<usize> = 55..75;

/// A walk, cut in two at the middle of [`SEAM`]. In these frames the spine is turned a little.
struct Walk {
    motion: Clip,
    clips: [Clip; 2],
    rig: Rig,
}

impl Walk {
    fn new() -> Self {
        let (clip, rig) = fixture("ada-walk");
        let middle = (SEAM.start + SEAM.end) / 2;
        let clips = [clip.trimmed(0..middle).unwrap(), clip.trimmed(middle..clip.frames()).unwrap()];
        let mut walk = Self { motion: clip, clips, rig };
        walk.edit(SEAM, Role::Spine, |_| Quat::from_rotation_x(0.02));
        walk
    }

    /// Rotates a joint in some frames.
    fn edit(&mut self, frames: Range<usize>, role: Role, rotation: impl Fn(usize) -> Quat) {
        let (joint, joints) = (self.rig.joint(role).unwrap(), self.motion.joints());
        for frame in frames {
            let local = &mut self.motion.rotations_mut()[frame * joints + joint];
            *local *= rotation(frame);
        }
    }

    /// Moves the body in each frame.
    fn slide(&mut self, offset: impl Fn(usize) -> Vec3) {
        let root = Root::new(self.motion.skeleton(), &[&self.motion], &self.rig);
        root.slide(&mut self.motion, |_, frame| offset(frame));
    }

    fn measures(&self) -> Measures {
        let clips = self.clips.each_ref();
        let starts = [0, self.clips[0].frames()];
        Reference::new(clips, &self.rig).measure(&self.motion, clips, starts, 0.0)
    }

    fn faults(&self) -> Vec<FaultKind> {
        self.measures().faults().iter().map(|fault| fault.kind).collect()
    }
}

/// Returns the fraction of the seam at a frame, from 0 before to 1 after it.
fn fraction(frame: usize) -> f32 {
    ((frame as f32 - SEAM.start as f32) / SEAM.len() as f32).clamp(0.0, 1.0)
}

#[test]
fn only_frames_that_differ_from_both_clips_are_measured() {
    let walk = Walk::new();
    assert_eq!(walk.measures().frames, SEAM);
    let clips = walk.clips.each_ref();
    let starts = [0, walk.clips[0].frames()];
    assert_eq!(differing(&walk.motion, clips, starts, &walk.rig), SEAM);
    assert!(walk.faults().is_empty(), "{:?}", walk.measures());
}

#[test]
fn a_body_that_halts_stalls() {
    let mut walk = Walk::new();
    let fps = walk.motion.fps() as f32;
    let root = Root::new(walk.motion.skeleton(), &[&walk.motion], &walk.rig);
    let path: Vec<Vec3> =
        (0..walk.motion.frames()).map(|frame| root.pose(&walk.motion, frame).world_position).collect();
    // In the seam and around it the body stays where it is.
    let halt = SEAM.start.saturating_sub((0.1 * fps) as usize)..SEAM.end;
    walk.slide(|frame| {
        let held = path[frame.clamp(halt.start, halt.end)] - path[halt.start];
        -held.with_y(0.0)
    });
    assert!(walk.faults().contains(&FaultKind::Stall), "{:?}", walk.measures());
}

#[test]
fn feet_that_glide_slide_and_feet_below_the_floor_sink() {
    let mut walk = Walk::new();
    walk.slide(|frame| Vec3::X * 0.5 * fraction(frame));
    assert!(walk.faults().contains(&FaultKind::Slide), "{:?}", walk.measures());

    let mut walk = Walk::new();
    walk.slide(|frame| Vec3::NEG_Y * 0.05 * (std::f32::consts::PI * fraction(frame)).sin());
    assert!(walk.faults().contains(&FaultKind::Sink), "{:?}", walk.measures());
    assert!((walk.measures().sink - 0.05).abs() < 0.01, "{:?}", walk.measures());
}

#[test]
fn a_jerked_arm_pops_and_a_turned_way_turns() {
    let mut walk = Walk::new();
    let middle = (SEAM.start + SEAM.end) / 2;
    walk.edit(middle..middle + 2, Role::LeftArm, |_| Quat::from_rotation_z(1.0));
    assert_eq!(walk.faults(), [FaultKind::Pop], "{:?}", walk.measures());

    let mut walk = Walk::new();
    let root = Root::new(walk.motion.skeleton(), &[&walk.motion], &walk.rig);
    let at = root.pose(&walk.motion, middle).world_position;
    let turn = GroundTransform::from_points(at, at, 0.3);
    root.place_frames(&mut walk.motion, middle..walk.clips[0].frames() + walk.clips[1].frames(), &turn);
    let turned = walk.measures().turn.unwrap();
    assert!((turned - 0.3_f32.to_degrees()).abs() < 3.0, "{turned}");
}

#[test]
fn every_fault_says_what_to_try() {
    for kind in FaultKind::ALL {
        let fault = kinestitch::judge::faults::Fault { kind, value: 2.0 };
        assert!(!fault.text().is_empty() && kind.remedy().ends_with('.'), "{kind:?}");
    }
}

#[test]
fn seams_of_a_stitch_have_measures_and_feet_stay_above_the_floor_of_both_clips() {
    let clips = ["ada-run", "bo-walk", "ada-idle"].map(fixture);
    let inputs = clips.each_ref().map(|(clip, rig)| Input { clip, rig });
    let result = stitch(&inputs, &inertialized(), &mut Progress::silent()).unwrap();
    for seam in &result.seam_reports {
        assert!(!seam.measures.frames.is_empty() && seam.measures.sink < 0.01, "{:?}", seam.measures);
    }
}

#[test]
fn the_seams_of_a_joined_motion_are_found_from_its_clips() {
    let clips = ["ada-walk", "bo-run", "ada-walk"].map(fixture);
    let inputs = clips.each_ref().map(|(clip, rig)| Input { clip, rig });
    let result = stitch(&inputs, &inertialized(), &mut Progress::silent()).unwrap();
    let motion = Input { clip: &result.clip, rig: &clips[0].1 };
    let found = find_seams(motion, &inputs, &mut Progress::silent()).unwrap();
    assert_eq!(found.len(), 2);
    for (found, seam) in found.iter().zip(&result.seam_reports) {
        assert_eq!(found.frames, seam.measures.frames);
        let kinds = |measures: &Measures| measures.faults().iter().map(|fault| fault.kind).collect::<Vec<_>>();
        assert_eq!(kinds(found), kinds(&seam.measures));
    }
    let other = fixture("ada-idle");
    let clips = [inputs[0], Input { clip: &other.0, rig: &other.1 }];
    let error = find_seams(motion, &clips, &mut Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("not a part"), "{error}");
}
