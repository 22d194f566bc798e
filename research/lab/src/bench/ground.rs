//! `bench ground`: in-betweening on LAFAN1 with the whole pipeline, as users get it: foot lock, pinned hands, limbs
//! above the floor. By default only crawling, falling and getting up. Measures joint positions, foot skate, joints
//! below the floor, hands that slide where the recorded ones support the body, and hands that slide near the floor.

use super::lafan1::weighted_skate;
use crate::report::{Report, number};
use crate::window::{World, list_files, read_subjects};
use crate::{Outcome, files};
use clap::Args;
use glam::Vec3;
use kinestitch::inbetween::{InbetweenOptions, Key, Session};
use kinestitch::method::registry::{self, FillerChoice, Fillers};
use kinestitch::metrics::shown_peak_jerk;
use kinestitch::motion::bvh;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::{self, Rig, Role};
use kinestitch::{Clip, Progress};
use std::ops::Range;
use std::path::PathBuf;

/// Number of frames between the first keys of two requests.
const STRIDE: usize = 60;
/// Fraction of the recorded frames in which a joint is lower than its floor.
const FLOOR_QUANTILE: f64 = 0.001;
/// A joint counts as below the floor from this depth on, metres.
const MAX_DEPTH: f32 = 0.03;
/// Height over its floor below which a slow hand supports the body, and above which a hand has no skate, metres.
const MAX_HAND_HEIGHT: f32 = 0.05;
/// Speed below which a low hand supports the body, metres per frame. Height and speed are those of the recording.
const MAX_HAND_STEP: f32 = 0.005;

/// Error of joint positions, foot skate, depth below the floor and slide of hands in gaps filled by the whole pipeline
#[derive(Args)]
pub struct Options {
    /// Folder of LAFAN1 files
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Subjects to score
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', default_value = "subject4")]
    test: Vec<String>,
    /// Prefixes of the names of the files to score; "" scores all files of the subjects
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "ground,fallAndGetUp")]
    action: Vec<String>,
    /// Names of the gap fillers to score
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "inertialize")]
    method: Vec<String>,
    /// Weight files of the networks
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    weights: Vec<PathBuf>,
    /// Lengths of the gaps, frames
    #[arg(long, value_name = "FRAMES", value_delimiter = ',', default_values_t = [30, 60])]
    gaps: Vec<usize>,
    /// Folder to write every tenth request of each method to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A recording with the values that its gaps are compared with.
struct Recording {
    clip: Clip,
    rig: Rig,
    /// World positions, [frames × joints].
    positions: Vec<Vec3>,
    /// Floor of each joint: the [`FLOOR_QUANTILE`] of its recorded heights, metres.
    floor: Vec<f32>,
}

/// Sums over the gaps of one length.
#[derive(Default)]
struct Sums {
    gaps: usize,
    /// Mean distance of the joints from their recorded positions, metres.
    distance: f32,
    /// Deepest joint of each gap below the floor, metres.
    depths: Vec<f32>,
    /// Slide of supporting hands, metres, and number of their frames.
    hand_slide: f32,
    hand_frames: usize,
    /// Hand skate: displacements over the ground, weighted by the height of the hand as for foot skate, metres; and
    /// number of displacements.
    hand_skate: f32,
    hand_steps: usize,
    /// Foot skate of each gap ([`weighted_skate`]), centimetres per frame.
    skate: f64,
    /// Peak jerk of each gap relative to the peak jerk of the recording; NaN if not measured.
    jerk: f32,
}

impl Recording {
    fn new(clip: Clip) -> Self {
        let (positions, joints) = (world_positions(&clip), clip.joints());
        let floor = (0..joints)
            .map(|joint| {
                let mut heights: Vec<f32> = positions.iter().skip(joint).step_by(joints).map(|p| p.y).collect();
                heights.sort_by(f32::total_cmp);
                heights[(FLOOR_QUANTILE * heights.len() as f64) as usize]
            })
            .collect();
        Self { rig: rig::infer(&clip), clip, positions, floor }
    }

    /// Returns the world positions of the joints in a frame, `[joints]`.
    fn pose(&self, frame: usize) -> &[Vec3] {
        &self.positions[frame * self.clip.joints()..][..self.clip.joints()]
    }

    /// Adds the measures of a gap: `positions`, [frames × joints], compared with the recorded `frames`.
    fn add(&self, positions: &[Vec3], frames: Range<usize>, sums: &mut Sums) {
        let joints = self.clip.joints();
        let recorded = &self.positions[frames.start * joints..frames.end * joints];
        let distances = positions.iter().zip(recorded).map(|(a, b)| a.distance(*b));
        sums.distance += distances.sum::<f32>() / recorded.len() as f32;
        let depths = positions.iter().enumerate().map(|(index, point)| self.floor[index % joints] - point.y);
        sums.depths.push(depths.fold(0.0, f32::max));
        for hand in [Role::LeftHand, Role::RightHand].into_iter().filter_map(|role| self.rig.joint(role)) {
            for frame in 1..frames.len() {
                let step = |points: &[Vec3]| {
                    points[frame * joints + hand]
                        .distance(points[(frame - 1) * joints + hand].with_y(points[frame * joints + hand].y))
                };
                let height = |points: &[Vec3]| points[frame * joints + hand].y - self.floor[hand];
                if height(recorded) < MAX_HAND_HEIGHT && step(recorded) < MAX_HAND_STEP {
                    sums.hand_slide += step(positions);
                    sums.hand_frames += 1;
                }
                // Tang et al. 2022, eq. 15.
                let weight = 2.0 - 2.0_f32.powf((height(positions) / MAX_HAND_HEIGHT).clamp(0.0, 1.0));
                sums.hand_skate += weight * step(positions);
                sums.hand_steps += 1;
            }
        }
        let world = |positions: &[Vec3]| World { positions: positions.to_vec(), ..World::default() };
        sums.skate += weighted_skate(&world(self.pose(frames.start - 1)), &world(positions));
        sums.gaps += 1;
    }
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let mut fillers = Fillers::default();
    for path in &options.weights {
        fillers.add(registry::read(&files::read(path)?).map_err(files::at(path))?);
    }
    let clips = read_subjects(&list_files(&options.data)?, &options.test)?;
    let is_scored = |clip: &Clip| options.action.iter().any(|action| clip.name.starts_with(action));
    let recordings: Vec<Recording> = clips.into_iter().filter(is_scored).map(Recording::new).collect();
    if recordings.is_empty() {
        return Err(format!("no file of {} in {}", options.action.join(", "), options.data.display()).into());
    }
    let names: Vec<&str> = recordings.iter().map(|recording| recording.clip.name.as_str()).collect();
    report.note(format!("Files: {}", names.join(", ")));
    report.table("Gaps filled by the whole pipeline", COLUMNS);
    for &gap in &options.gaps {
        let mut baseline = Sums { jerk: f32::NAN, ..Sums::default() };
        let mut truth = Sums::default();
        for (recording, start) in requests(&recordings, gap) {
            let frames = start + 1..start + 1 + gap;
            recording.add(&interpolate(recording, start, gap), frames.clone(), &mut baseline);
            let joints = recording.clip.joints();
            recording.add(&recording.positions[frames.start * joints..frames.end * joints], frames, &mut truth);
            truth.jerk += 1.0;
        }
        add_row("recording", gap, &truth, &baseline, report);
        add_row("interpolation", gap, &baseline, &baseline, report);
        for name in &options.method {
            let filler = fillers.get(&FillerChoice::from(name.as_str()))?;
            let mut sums = Sums::default();
            for (recording, start) in requests(&recordings, gap) {
                let Recording { clip, rig, .. } = recording;
                let keys = [start, start + gap + 1].map(|frame| Key { clip, rig, frames: frame..frame + 1, at: None });
                let inbetween_options = InbetweenOptions { frames: vec![gap], ..InbetweenOptions::default() };
                let silent = &mut Progress::silent();
                let motion = Session::new(&keys, &inbetween_options, silent)?.solve(filler.as_ref(), silent)?;
                sums.jerk += motion.gaps[0].peak_jerk / shown_peak_jerk(clip, rig, start..start + gap + 2);
                let motion = motion.clip;
                let joints = clip.joints();
                let positions = world_positions(&motion);
                recording.add(&positions[joints..(gap + 1) * joints], start + 1..start + 1 + gap, &mut sums);
                if let Some(folder) = options.out.as_ref().filter(|_| sums.gaps % 10 == 1) {
                    std::fs::create_dir_all(folder).map_err(files::at(folder))?;
                    let file = folder.join(format!("{}-{start}-{gap}-{name}.bvh", clip.name));
                    std::fs::write(&file, bvh::write(&motion)?).map_err(files::at(&file))?;
                }
            }
            add_row(name, gap, &sums, &baseline, report);
        }
    }
    Ok(())
}

/// Lists the recordings with the frame of the first key of each request.
fn requests(recordings: &[Recording], gap: usize) -> impl Iterator<Item = (&Recording, usize)> {
    recordings.iter().flat_map(move |recording| {
        let end = recording.clip.frames().saturating_sub(gap + 3);
        (1..end).step_by(STRIDE).map(move |start| (recording, start))
    })
}

/// Computes the world positions of the interpolated gap, [frames × joints]: linear root, slerped rotations.
fn interpolate(recording: &Recording, start: usize, gap: usize) -> Vec<Vec3> {
    let clip = &recording.clip;
    let end = start + gap + 1;
    let (first, last) = (recording.pose(start)[0], recording.pose(end)[0]);
    let mut world = World::default();
    for frame in 1..=gap {
        let weight = frame as f32 / (gap + 1) as f32;
        let pairs = clip.frame_rotations(start).iter().zip(clip.frame_rotations(end));
        let pose: Vec<_> = pairs.map(|(a, b)| a.slerp(*b, weight)).collect();
        world.push(clip.skeleton(), first.lerp(last, weight), &pose);
    }
    world.positions
}

const COLUMNS: [&str; 10] = [
    "gap, frames",
    "method",
    "joint distance, cm",
    "relative to interpolation",
    "foot skate relative to interpolation",
    "gaps with a joint over 3 cm below the floor, %",
    "deepest joint, cm, mean",
    "slide of supporting hands, cm per frame",
    "hand skate, cm per frame",
    "peak jerk relative to the recording",
];

fn add_row(name: &str, gap: usize, sums: &Sums, baseline: &Sums, report: &mut Report) {
    let count = sums.gaps.max(1) as f32;
    let deep_gaps = sums.depths.iter().filter(|depth| **depth > MAX_DEPTH).count() as f32;
    report.row([
        gap.to_string(),
        name.to_owned(),
        number(f64::from(100.0 * sums.distance / count), 2),
        number(f64::from(sums.distance / baseline.distance), 2),
        number(sums.skate / baseline.skate, 2),
        number(f64::from(100.0 * deep_gaps / count), 0),
        number(f64::from(100.0 * sums.depths.iter().sum::<f32>() / count), 1),
        number(f64::from(100.0 * sums.hand_slide / sums.hand_frames.max(1) as f32), 2),
        number(f64::from(100.0 * sums.hand_skate / sums.hand_steps.max(1) as f32), 3),
        number(f64::from(sums.jerk / count), 2),
    ]);
}
