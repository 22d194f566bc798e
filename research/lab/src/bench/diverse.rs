//! `bench diverse`: measures how far in-between candidates for the same two keys differ, and compares the foot skate
//! and jerk of each with the recording.
//!
//! The keys are two excerpts of one recording, ten frames each, a few metres apart. For each pair of keys, paths are
//! taken from the gallery. If a network is given, it also generates the motion along each path.

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use glam::{Vec2, Vec3};
use kinestitch::inbetween::{CandidateOptions, Gallery, InbetweenOptions, Key, Plan, Session};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::ground_path::GroundPath;
use kinestitch::motion::rig::{self, Rig, Role};
use kinestitch::motion::{bvh, resample};
use kinestitch::{Clip, Progress, metrics};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FPS: f64 = 30.0;
/// Number of frames of a key.
const KEY_FRAMES: usize = 10;
/// Number of frames from the start of one pair of keys to the start of the next.
const STRIDE: usize = 90;

/// Distance between candidates for the same keys, and foot skate and jerk of each
#[derive(Args)]
pub struct Options {
    /// Recordings (BVH) that are in neither the gallery nor the training data
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File of the trajectory gallery
    #[arg(long, value_name = "FILE")]
    gallery: PathBuf,
    /// Weights of a method that follows paths; without them only the paths are measured
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Candidates per pair of keys
    #[arg(long, value_name = "N", default_value_t = 7)]
    count: usize,
    /// Frames from the first key to the second, at 30 fps
    #[arg(long, value_name = "FRAMES", default_value_t = 60)]
    gap: usize,
    /// Smallest and largest distance between the two keys, metres
    #[arg(long, value_name = "METRES", value_delimiter = ',', default_values_t = [2.0, 4.0])]
    apart: Vec<f32>,
    /// Style for the network
    #[arg(long, value_name = "STYLE", requires = "weights")]
    style: Option<String>,
    /// Folder to write the candidates of the first ten pairs to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Sums over the pairs of keys and over the candidates.
#[derive(Default)]
struct Sums {
    /// Number of pairs of keys.
    pairs: usize,
    /// Distance between the keys, metres.
    key_distance: f32,
    /// Mean distance between two paths, metres.
    path_distance: f32,
    /// Number of frames of each candidate.
    frames: Vec<usize>,
    search_time: Duration,
    /// The latest error of a search for candidates.
    search_error: Option<String>,
    /// Number of filled candidates.
    filled: usize,
    /// Mean distance between the poses of two candidates in the middle of the gap, metres.
    pose_distance: f32,
    /// Mean distance between hips and requested path, metres.
    path_error: f32,
    /// Foot skate, metres per frame.
    skate: f32,
    recorded_skate: f32,
    /// Peak jerk, m/s³.
    jerk: f32,
    recorded_jerk: f32,
    /// Descriptions of the candidates with more than twice the recording's jerk.
    rough: Vec<String>,
    /// Number of candidates that were interpolated instead.
    fell_back: usize,
    fill_time: Duration,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    if options.apart.len() != 2 || options.apart[0] > options.apart[1] {
        return Err("--apart needs two distances: the smallest, then the largest".into());
    }
    let gallery = Gallery::read(&files::read(&options.gallery)?).map_err(files::at(&options.gallery))?;
    let network = options.weights.as_deref().map(read_network).transpose()?;
    report.note(format!("gallery: {} trajectories", gallery.len()));
    let mut sums = Sums::default();
    for path in &options.files {
        let clip = resample::resample(&files::read_clip(path)?, FPS).map_err(files::at(path))?;
        measure_clip(&clip, &gallery, network.as_deref(), &options, &mut sums)?;
    }
    add_table(&sums, network.is_some(), options.count, report)
}

fn read_network(path: &Path) -> Outcome<Arc<dyn Filler>> {
    Ok(registry::read(&files::read(path)?).map_err(files::at(path))?)
}

/// Proposes candidates for the pairs of keys of a clip, and adds their measures.
fn measure_clip(
    clip: &Clip,
    gallery: &Gallery,
    network: Option<&dyn Filler>,
    options: &Options,
    sums: &mut Sums,
) -> Outcome {
    let rig = rig::infer(clip);
    let Some(hips) = rig.joint(Role::Hips) else { return Ok(()) };
    let position = |frame: usize| {
        let position = Pose::from_clip(clip, frame).world_positions[hips];
        Vec2::new(position.x, position.z)
    };
    let needed = 2 * KEY_FRAMES + options.gap;
    for start in (0..(clip.frames() + 1).saturating_sub(needed)).step_by(STRIDE) {
        let (first, second) = (start..start + KEY_FRAMES, start + KEY_FRAMES + options.gap..start + needed);
        let key_distance = position(first.end - 1).distance(position(second.start));
        if !(options.apart[0]..=options.apart[1]).contains(&key_distance) {
            continue;
        }
        let keys = [&first, &second].map(|frames| Key { clip, rig: &rig, frames: frames.clone(), at: None });
        let mut session = Session::new(&keys, &InbetweenOptions::default(), &mut Progress::silent())?;
        let started = Instant::now();
        let candidate_options = CandidateOptions {
            count: options.count,
            seed: start as u64,
            style: options.style.clone(),
            speed_range: options.style.as_ref().zip(network).and_then(|(style, network)| network.speeds(style)),
            ..CandidateOptions::default()
        };
        let plans = match session.candidates(gallery, &candidate_options) {
            Ok(plans) => plans,
            Err(error) => {
                sums.search_error = Some(error.to_string());
                continue;
            }
        };
        sums.search_time += started.elapsed();
        sums.pairs += 1;
        sums.key_distance += key_distance;
        sums.path_distance += mean_over_pairs(&plans, |a, b| ground_path(a).mean_distance(&ground_path(b)));
        sums.frames.extend(plans.iter().map(|plan| plan.frames));
        if let Some(network) = network {
            fill_candidates(&mut session, network, &plans, (clip, start..start + needed), options, sums)?;
        }
    }
    Ok(())
}

/// Generates the motion of each candidate and compares it with the recording's `frames`.
fn fill_candidates(
    session: &mut Session,
    network: &dyn Filler,
    plans: &[Plan],
    (clip, frames): (&Clip, std::ops::Range<usize>),
    options: &Options,
    sums: &mut Sums,
) -> Outcome {
    let truth = clip.trimmed(frames.clone())?;
    let rig = rig::infer(clip);
    let recorded_peak = metrics::shown_jerk(&truth, &rig).into_iter().fold(0.0, f32::max);
    let mut middles = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        session.set_frames(0, plan.frames)?;
        let path = ("path".to_owned(), serde_json::to_value(&plan.path)?);
        let style = ("style".to_owned(), serde_json::to_value(&options.style)?);
        let method = network.with_options(&[path, style].into_iter().collect())?;
        let started = Instant::now();
        let filled = session.solve(method.as_ref(), &mut Progress::silent())?;
        sums.fill_time += started.elapsed();
        let gap = &filled.gaps[0];
        sums.filled += 1;
        sums.fell_back += usize::from(gap.method != network.name());
        sums.skate += gap.foot_skate;
        sums.jerk += gap.peak_jerk;
        sums.recorded_jerk += recorded_peak;
        if gap.peak_jerk > 2.0 * recorded_peak {
            let name = format!("{} from frame {}, candidate {}", clip.name, frames.start, index + 1);
            let peak = gap.peak_jerk;
            sums.rough.push(format!("{name}, {} frames: {peak:.0} m/s³, recording {recorded_peak:.0}", plan.frames));
        }
        sums.path_error += path_error(&filled.clip, gap.range.clone(), plan);
        middles.push(relative_positions(&filled.clip, &rig, gap.range.start + gap.range.len() / 2));
        if let Some(folder) = options.out.as_ref().filter(|_| sums.pairs <= 10) {
            std::fs::create_dir_all(folder).map_err(files::at(folder))?;
            let file = folder.join(format!("{}-{}-{}.bvh", clip.name, frames.start, index + 1));
            std::fs::write(&file, bvh::write(&filled.clip)?).map_err(files::at(&file))?;
        }
    }
    let soles = metrics::soles(&rig, kinestitch::motion::contact::detect_contacts(clip, &rig).world_ground);
    sums.recorded_skate +=
        metrics::foot_skate(&truth, &soles, KEY_FRAMES..truth.frames() - KEY_FRAMES).slide * plans.len() as f32;
    sums.pose_distance += mean_over_pairs(&middles, |a, b| {
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len().max(1) as f32
    });
    Ok(())
}

/// Returns the joint positions of a frame relative to the point on the ground below the hips.
fn relative_positions(clip: &Clip, rig: &Rig, frame: usize) -> Vec<Vec3> {
    let positions = Pose::from_clip(clip, frame).world_positions;
    let hips = rig.joint(Role::Hips).map_or(Vec3::ZERO, |hips| positions[hips].with_y(0.0));
    rig.joints.iter().flatten().map(|&joint| positions[joint] - hips).collect()
}

/// Returns the mean distance between the hips and the requested path, metres.
fn path_error(clip: &Clip, gap: std::ops::Range<usize>, plan: &Plan) -> f32 {
    let path = ground_path(plan);
    let rig = rig::infer(clip);
    let hips = rig.joint(Role::Hips).unwrap_or(0);
    let errors = gap.clone().map(|frame| {
        let position = Pose::from_clip(clip, frame).world_positions[hips];
        let fraction = (frame - gap.start + 1) as f32 / (gap.len() + 1) as f32;
        Vec2::new(position.x, position.z).distance(path.sample(fraction).0)
    });
    errors.sum::<f32>() / gap.len().max(1) as f32
}

fn ground_path(plan: &Plan) -> GroundPath {
    GroundPath { positions: plan.path.clone(), headings: vec![0.0; plan.path.len()] }
}

/// Returns the mean of a distance over all pairs of items.
fn mean_over_pairs<T>(items: &[T], distance: impl Fn(&T, &T) -> f32) -> f32 {
    let pairs = (0..items.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let (sum, count) =
        pairs.fold((0.0, 0.0), |(sum, count), (a, b)| (sum + distance(&items[a], &items[b]), count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn add_table(sums: &Sums, has_network: bool, count: usize, report: &mut Report) -> Outcome {
    if sums.pairs == 0 {
        let reason = sums.search_error.as_deref();
        let reason = reason.unwrap_or("no two keys of these recordings have a distance within --apart");
        return Err(format!("no candidates: {reason}").into());
    }
    let pairs = sums.pairs as f32;
    let mut frames = sums.frames.clone();
    frames.sort_unstable();
    let decile = |tenths: usize| frames[(frames.len() - 1) * tenths / 10];
    let value = |value: f32, digits: usize| number(f64::from(value), digits);
    let search_ms = sums.search_time.as_secs_f64() * 1e3 / f64::from(pairs);
    report.table(format!("Candidates, up to {count} for each pair of keys"), ["measure", "value"]);
    report.row(["pairs of keys", &sums.pairs.to_string()]);
    report.row(["distance of the keys, m", &value(sums.key_distance / pairs, 2)]);
    report.row(["candidates a pair", &value(frames.len() as f32 / pairs, 1)]);
    report.row(["distance of two paths, cm", &value(100.0 * sums.path_distance / pairs, 1)]);
    report.row(["distance of two paths over 3 m, cm", &value(300.0 * sums.path_distance / sums.key_distance, 1)]);
    report.row(["frames at 10, 50 and 90 %", &format!("{}, {}, {}", decile(1), decile(5), decile(9))]);
    report.row(["search in the gallery, ms a pair", &number(search_ms, 2)]);
    if has_network {
        let filled = sums.filled.max(1) as f32;
        let rough = format!("{} of {}", sums.rough.len(), sums.filled);
        report.row(["distance of two poses in the middle, cm", &value(100.0 * sums.pose_distance / pairs, 1)]);
        report.row(["distance to the requested path, cm", &value(100.0 * sums.path_error / filled, 1)]);
        report.row(["slide, cm a frame", &value(100.0 * sums.skate / filled, 2)]);
        report.row(["slide of the recording, cm a frame", &value(100.0 * sums.recorded_skate / filled, 2)]);
        report.row(["peak jerk, m/s³", &value(sums.jerk / filled, 0)]);
        report.row(["peak jerk of the recording, m/s³", &value(sums.recorded_jerk / filled, 0)]);
        report.row(["candidates above twice the recording's jerk", &rough]);
        report.row(["replaced by interpolation", &format!("{} of {}", sums.fell_back, sums.filled)]);
        report.row(["time of a candidate, ms", &number(sums.fill_time.as_secs_f64() * 1e3 / f64::from(filled), 1)]);
        sums.rough.iter().for_each(|description| report.note(description));
    }
    Ok(())
}
