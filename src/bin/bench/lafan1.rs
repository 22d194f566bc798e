//! `bench lafan1`: the in-betweening table of LAFAN1 (Harvey et al. 2020, Tables 2 and 3): L2Q, L2P and NPSS of gaps
//! of 5, 15, 30 and 45 frames.
//!
//! Checked against Ubisoft's own evaluation code: see tests/metrics.rs.

use crate::Outcome;
use crate::window::{ALL_FILES, JOINTS, PAST, TEST, TRAIN, Window, World, each_window, files};
use clap::Args;
use glam::{DVec3, Quat, Vec3};
use kinestitch::metrics::{Npss, l2p, l2q};
use std::path::PathBuf;

const GAPS: [usize; 4] = [5, 15, 30, 45];

/// A way to fill the frames `PAST..PAST + gap` from the past and the target frame `PAST + gap`.
type Method = fn(&Window, usize) -> World;

const METHODS: [(&str, Method); 2] = [("zero velocity", zero_velocity), ("interpolation", interpolation)];

/// Repeats the last given pose.
fn zero_velocity(window: &Window, gap: usize) -> World {
    let mut world = World::default();
    (0..gap).for_each(|_| world.push(&window.skeleton, window.roots[PAST - 1], window.pose(PAST - 1)));
    world
}

/// Straight line of the root, slerp of the local rotations, to the target.
fn interpolation(window: &Window, gap: usize) -> World {
    let (from, to) = (PAST - 1, PAST + gap);
    let mut world = World::default();
    for step in 1..=gap {
        let share = step as f32 / (gap + 1) as f32;
        let pairs = window.pose(from).iter().zip(window.pose(to));
        let pose: Vec<Quat> = pairs.map(|(a, b)| a.slerp(*b, share)).collect();
        world.push(&window.skeleton, window.roots[from].lerp(window.roots[to], share), &pose);
    }
    world
}

/// Standard deviation of the world positions per joint and axis over all frames of the training windows, [joints].
#[derive(Default)]
struct Spread {
    count: f64,
    sum: Vec<DVec3>,
    squares: Vec<DVec3>,
}

impl Spread {
    fn add(&mut self, window: &Window) {
        self.sum.resize(JOINTS, DVec3::ZERO);
        self.squares.resize(JOINTS, DVec3::ZERO);
        for pose in window.world(0..window.roots.len()).positions.chunks_exact(JOINTS) {
            self.count += 1.0;
            for (joint, position) in pose.iter().enumerate() {
                self.sum[joint] += position.as_dvec3();
                self.squares[joint] += position.as_dvec3() * position.as_dvec3();
            }
        }
    }

    fn deviation(&self) -> Vec<Vec3> {
        let one = |(sum, squares): (&DVec3, &DVec3)| {
            let mean = *sum / self.count;
            let variance = *squares / self.count - mean * mean;
            DVec3::new(variance.x.sqrt(), variance.y.sqrt(), variance.z.sqrt()).as_vec3()
        };
        self.sum.iter().zip(&self.squares).map(one).collect()
    }
}

/// The three scores of a method and gap.
struct Score {
    l2q: f64,
    l2p: f64,
    npss: f64,
}

fn score(windows: &[Window], deviation: &[Vec3], method: Method, gap: usize) -> Score {
    let (mut q, mut p, mut npss) = (0.0, 0.0, Npss::new(gap));
    for window in windows {
        let truth = window.world(PAST..PAST + gap);
        let predicted = method(window, gap);
        q += l2q(&truth.rotations, &predicted.rotations, JOINTS);
        p += l2p(&truth.positions, &predicted.positions, deviation);
        npss.add(&truth.rotations, &predicted.rotations);
    }
    let count = windows.len() as f64;
    Score { l2q: q / count, l2p: p / count, npss: npss.value() }
}

/// The in-betweening table of LAFAN1: L2Q, L2P and NPSS of gaps of 5, 15, 30 and 45 frames
#[derive(Args)]
pub struct Options {
    /// Folder of LAFAN1's files
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Subjects that are scored
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', required = true)]
    test: Vec<String>,
    /// Subjects that the statistics are taken from
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', required = true)]
    train: Vec<String>,
}

pub fn run(Options { data, test, train }: Options) -> Outcome {
    let files = files(&data)?;
    let mut spread = Spread::default();
    let train_files = each_window(&files, &train, TRAIN, |window| spread.add(&window))?;
    let mut windows = Vec::new();
    let test_files = each_window(&files, &test, TEST, |window| windows.push(window))?;
    if train_files == 0 || windows.is_empty() {
        return Err(format!("no files of {} or of {} in {}", train.join(","), test.join(","), data.display()).into());
    }

    let name = if files.len() < ALL_FILES { "LAFAN1-partial" } else { "LAFAN1" };
    println!(
        "{name}: {} of {ALL_FILES} files; statistics from {train_files} files of {},",
        files.len(),
        train.join(", ")
    );
    println!("{} windows from {test_files} files of {}\n", windows.len(), test.join(", "));
    println!("| {name} | method | 5 | 15 | 30 | 45 |\n|---|---|---|---|---|---|");
    let deviation = spread.deviation();
    let scores = METHODS.map(|(name, method)| (name, GAPS.map(|gap| score(&windows, &deviation, method, gap))));
    let row = |metric: &str, digits: usize, value: fn(&Score) -> f64| {
        for (method, scores) in &scores {
            let cells: Vec<String> = scores.iter().map(|score| format!("{:.digits$}", value(score))).collect();
            println!("| {metric} | {method} | {} |", cells.join(" | "));
        }
    };
    row("L2Q", 4, |score| score.l2q);
    row("L2P", 5, |score| score.l2p);
    row("NPSS", 5, |score| score.npss);
    Ok(())
}
