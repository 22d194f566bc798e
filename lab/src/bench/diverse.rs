//! `bench diverse`: measures how far in-between candidates for the same two keys differ, and compares the foot skate
//! and jerk of each with the recording.
//!
//! The keys are two excerpts of one recording, ten frames each, a few metres apart. For each pair of keys, paths are
//! taken from the gallery. If a network is given, it also generates the motion along each path.

use crate::Outcome;
use crate::report::{Report, number};
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
use std::path::PathBuf;
use std::time::{Duration, Instant};

const FPS: f64 = 30.0;
/// Number of frames of a key.
const KEY: usize = 10;
/// Number of frames from the start of one pair of keys to the start of the next.
const STRIDE: usize = 90;

/// Distance between candidates for the same keys, and foot skate and jerk of each
#[derive(Args)]
pub struct Options {
    /// Recordings (BVH) that are in neither the gallery nor the training data
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Trajectory gallery
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
    /// Folder to write the candidates of the first pairs to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Default)]
struct Sums {
    pairs: usize,
    chord: f32,
    path: f32,
    frames: Vec<usize>,
    search: Duration,
    made: usize,
    pose: f32,
    off: f32,
    slide: [f32; 2],
    jerk: [f32; 2],
    rough: Vec<String>,
    fell_back: usize,
    fill: Duration,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let gallery = Gallery::read(&std::fs::read(&options.gallery)?)?;
    let bytes = options.weights.as_ref().map(std::fs::read).transpose()?;
    let network = bytes.as_ref().map(|bytes| registry::read(bytes)).transpose()?;
    report.note(format!("gallery: {} trajectories", gallery.len()));
    let mut sums = Sums::default();
    for path in &options.files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let clip = resample::resample(&bvh::parse(&name, &std::fs::read(path)?)?.clip, FPS)?;
        file(&clip, &gallery, network.as_deref(), &options, &mut sums)?;
    }
    summary(&sums, network.is_some(), options.count, report)
}

fn file(clip: &Clip, gallery: &Gallery, network: Option<&dyn Filler>, options: &Options, sums: &mut Sums) -> Outcome {
    let rig = rig::infer(clip);
    let Some(hips) = rig.joint(Role::Hips) else { return Ok(()) };
    let place = |frame: usize| {
        let at = Pose::from_clip(clip, frame).world_positions[hips];
        Vec2::new(at.x, at.z)
    };
    let needed = 2 * KEY + options.gap;
    for start in (0..(clip.frames() + 1).saturating_sub(needed)).step_by(STRIDE) {
        let (first, second) = (start..start + KEY, start + KEY + options.gap..start + needed);
        let chord = place(first.end - 1).distance(place(second.start));
        if !(options.apart[0]..=*options.apart.last().unwrap_or(&f32::MAX)).contains(&chord) {
            continue;
        }
        let keys = [&first, &second].map(|frames| Key { clip, rig: &rig, frames: frames.clone(), at: None });
        let mut session = Session::new(&keys, &InbetweenOptions::default(), &mut Progress::silent())?;
        let began = Instant::now();
        let wanted = CandidateOptions {
            count: options.count,
            seed: start as u64,
            style: options.style.clone(),
            speeds: options.style.as_ref().zip(network).and_then(|(style, network)| network.speeds(style)),
            ..CandidateOptions::default()
        };
        let Ok(plans) = session.candidates(gallery, &wanted) else { continue };
        sums.search += began.elapsed();
        sums.pairs += 1;
        sums.chord += chord;
        sums.path += pairwise(&plans, |a, b| way(a).mean_distance(&way(b)));
        sums.frames.extend(plans.iter().map(|plan| plan.frames));
        if let Some(network) = network {
            made(&mut session, network, &plans, (clip, start..start + needed), options, sums)?;
        }
    }
    Ok(())
}

/// Generates the motion of each candidate and compares it with the recording's `frames`.
fn made(
    session: &mut Session,
    network: &dyn Filler,
    plans: &[Plan],
    (clip, frames): (&Clip, std::ops::Range<usize>),
    options: &Options,
    sums: &mut Sums,
) -> Outcome {
    let truth = clip.trimmed(frames.clone())?;
    let largest = metrics::jerk(&truth).into_iter().fold(0.0, f32::max);
    let rig = rig::infer(clip);
    let mut middles = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        session.set_frames(0, plan.frames)?;
        let path = ("path".to_owned(), serde_json::to_value(&plan.path)?);
        let style = ("style".to_owned(), serde_json::to_value(&options.style)?);
        let method = network.with_options(&[path, style].into_iter().collect())?;
        let began = Instant::now();
        let made = session.solve(method.as_ref(), &mut Progress::silent())?;
        sums.fill += began.elapsed();
        let gap = &made.gaps[0];
        sums.made += 1;
        sums.fell_back += usize::from(gap.method != network.name());
        sums.slide[0] += gap.foot_skate;
        sums.jerk[0] += gap.peak_jerk;
        sums.jerk[1] += largest;
        if gap.peak_jerk > 2.0 * largest {
            let which = format!("{} from frame {}, candidate {}", clip.name, frames.start, index + 1);
            let peak = gap.peak_jerk;
            sums.rough.push(format!("{which} of {} frames: {peak:.0} m/s³, the truth's {largest:.0}", plan.frames));
        }
        sums.off += strayed(&made.clip, gap.range.clone(), plan);
        middles.push(standing(&made.clip, &rig, gap.range.start + gap.range.len() / 2));
        if let Some(folder) = options.out.as_ref().filter(|_| sums.pairs <= 10) {
            std::fs::create_dir_all(folder)?;
            let file = folder.join(format!("{}-{}-{}.bvh", clip.name, frames.start, index + 1));
            std::fs::write(file, bvh::write(&made.clip)?)?;
        }
    }
    let soles = metrics::soles(&rig, kinestitch::motion::contact::detect_contacts(clip, &rig).world_ground);
    sums.slide[1] += metrics::foot_skate(&truth, &soles, KEY..truth.frames() - KEY).slide * plans.len() as f32;
    sums.pose +=
        pairwise(&middles, |a, b| a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len().max(1) as f32);
    Ok(())
}

/// Joint positions of a frame relative to the hips' position on the ground.
fn standing(clip: &Clip, rig: &Rig, frame: usize) -> Vec<Vec3> {
    let places = Pose::from_clip(clip, frame).world_positions;
    let hips = rig.joint(Role::Hips).map_or(Vec3::ZERO, |hips| places[hips].with_y(0.0));
    rig.joints.iter().flatten().map(|&joint| places[joint] - hips).collect()
}

/// Mean distance between the root and the requested path, metres.
fn strayed(clip: &Clip, gap: std::ops::Range<usize>, plan: &Plan) -> f32 {
    let asked = way(plan);
    let rig = rig::infer(clip);
    let hips = rig.joint(Role::Hips).unwrap_or(0);
    let off = gap.clone().map(|frame| {
        let at = Pose::from_clip(clip, frame).world_positions[hips];
        let part = (frame - gap.start + 1) as f32 / (gap.len() + 1) as f32;
        Vec2::new(at.x, at.z).distance(asked.sample(part).0)
    });
    off.sum::<f32>() / gap.len().max(1) as f32
}

fn way(plan: &Plan) -> GroundPath {
    GroundPath { positions: plan.path.clone(), headings: vec![0.0; plan.path.len()] }
}

fn pairwise<T>(all: &[T], apart: impl Fn(&T, &T) -> f32) -> f32 {
    let pairs = (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let (sum, count) = pairs.fold((0.0, 0.0), |(sum, count), (a, b)| (sum + apart(&all[a], &all[b]), count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn summary(sums: &Sums, with_network: bool, count: usize, report: &mut Report) -> Outcome {
    if sums.pairs == 0 {
        return Err("no candidates: no keys of these recordings are as far apart as --apart says, or no path of the gallery fits".into());
    }
    let pairs = sums.pairs as f32;
    let mut frames = sums.frames.clone();
    frames.sort_unstable();
    let at = |part: usize| frames[(frames.len() - 1) * part / 10];
    let value = |value: f32, digits: usize| number(f64::from(value), digits);
    let search = sums.search.as_secs_f64() * 1e3 / f64::from(pairs);
    report.table(format!("Candidates, up to {count} for each pair of keys"), ["measure", "value"]);
    report.row(["pairs of keys", &sums.pairs.to_string()]);
    report.row(["distance of the keys, m", &value(sums.chord / pairs, 2)]);
    report.row(["candidates a pair", &value(frames.len() as f32 / pairs, 1)]);
    report.row(["distance of two paths, cm", &value(100.0 * sums.path / pairs, 1)]);
    report.row(["distance of two paths over 3 m, cm", &value(300.0 * sums.path / sums.chord, 1)]);
    report.row(["frames at 10, 50 and 90 %", &format!("{}, {}, {}", at(1), at(5), at(9))]);
    report.row(["search in the gallery, ms a pair", &number(search, 2)]);
    if with_network {
        let made = sums.made.max(1) as f32;
        let rough = format!("{} of {}", sums.rough.len(), sums.made);
        report.row(["distance of two poses in the middle, cm", &value(100.0 * sums.pose / pairs, 1)]);
        report.row(["distance to the requested path, cm", &value(100.0 * sums.off / made, 1)]);
        report.row(["slide, cm a frame", &value(100.0 * sums.slide[0] / made, 2)]);
        report.row(["slide of the recording, cm a frame", &value(100.0 * sums.slide[1] / made, 2)]);
        report.row(["peak jerk, m/s³", &value(sums.jerk[0] / made, 0)]);
        report.row(["peak jerk of the recording, m/s³", &value(sums.jerk[1] / made, 0)]);
        report.row(["candidates above twice the recording's jerk", &rough]);
        report.row(["replaced by interpolation", &format!("{} of {}", sums.fell_back, sums.made)]);
        report.row(["time of a candidate, ms", &number(sums.fill.as_secs_f64() * 1e3 / f64::from(made), 1)]);
        sums.rough.iter().for_each(|which| report.note(which));
    }
    Ok(())
}
