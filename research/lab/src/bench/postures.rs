//! `bench postures`: joins of clips that end and begin in other postures, as users get them: from the ground to standing,
//! from standing to the ground, and on the ground. Measures whether bodies pass through the floor or float above it.

use super::joins::{Networks, auto, inertialized};
use crate::report::{Report, number};
use crate::window::{list_files, read_subjects};
use crate::{Outcome, files};
use clap::Args;
use kinestitch::contract::DEFAULT_FILLER;
use kinestitch::judge::Judge;
use kinestitch::metrics::shown_jerk;
use kinestitch::motion::bvh;
use kinestitch::motion::fk::point_tracks;
use kinestitch::motion::rig::{self, Rig, Role};
use kinestitch::stitch::{Networks as StitchNetworks, Trial, stitch_with_networks};
use kinestitch::{Clip, Cut, Input, Join, Progress, Stitched, Transition};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

const SEED: u64 = 7;
/// Length of a clip, frames.
const FRAMES: usize = 120;
/// Number of frames that fixed joins insert: one second.
const INSERTED: usize = 30;
/// The posture of an end is that of this many frames.
const END_FRAMES: usize = 10;
/// Height of the hips below which a body is on the ground, and above which it stands, metres.
const LYING: f32 = 0.5;
const STANDING: f32 = 0.8;
/// Postures before and after the seam; whether the body is on the ground.
const KINDS: [[bool; 2]; 3] = [[true, false], [false, true], [true, true]];
/// A joint counts as below the floor from this depth on, metres.
const MAX_DEPTH: f32 = 0.03;
/// Fraction of the frames of both clips in which the lowest joint is below the ground from which floating is measured.
const GROUND_QUANTILE: f64 = 0.1;

/// Joins between bodies that lie, crawl, sit or stand: depth below the floor, floating, foot slide, jerk
#[derive(Args)]
pub struct Options {
    /// Folder of LAFAN1 files
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Subjects to score
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', default_value = "subject4")]
    test: Vec<String>,
    /// Folder of weight files
    #[arg(long, value_name = "DIR", default_value = "models")]
    models: PathBuf,
    /// Set of weights
    #[arg(long, value_name = "open|research", default_value = "open")]
    set: String,
    /// Judge for the automatic choice
    #[arg(long, value_name = "FILE")]
    judge: PathBuf,
    /// Number of seams, a third of each kind
    #[arg(long, value_name = "N", default_value_t = 96)]
    seams: usize,
    /// Folder to write the motions of the automatic choice to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A recording with the height of its hips in each frame, metres.
struct Recording {
    clip: Clip,
    rig: Rig,
    hips: Vec<f32>,
}

/// Sums over the seams of one way of joining.
#[derive(Default)]
struct Sums {
    seams: usize,
    /// Largest depth of a joint below the lowest joint of both clips, metres.
    depth: f64,
    deep_seams: usize,
    /// Largest height of the lowest joint above the ground, metres.
    height: f64,
    slide: f64,
    jerk: f64,
    milliseconds: f64,
}

impl Recording {
    fn new(clip: Clip) -> Self {
        let rig = rig::infer(&clip);
        let hips = rig.joint(Role::Hips).unwrap_or(0);
        let track = point_tracks(&clip, &[(hips, glam::Vec3::ZERO)]).remove(0);
        Self { hips: track.into_iter().map(|point| point.y).collect(), rig, clip }
    }

    /// Draws a piece whose frames `end` (0: its first, 1: its last) are on the ground, or stand; `None` if there is none.
    fn draw(&self, end: usize, on_ground: bool, rng: &mut StdRng) -> Option<Clip> {
        let has_posture = |start: &usize| {
            let first = start + end * (FRAMES - END_FRAMES);
            let fits = |height: &f32| if on_ground { *height < LYING } else { *height > STANDING };
            self.hips[first..first + END_FRAMES].iter().all(fits)
        };
        let starts: Vec<usize> = (0..=self.hips.len().checked_sub(FRAMES)?).filter(has_posture).collect();
        let start = *starts.get(rng.random_range(0..starts.len().max(1)))?;
        self.clip.trimmed(start..start + FRAMES).ok()
    }
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let judge = Judge::read(&files::read(&options.judge)?).map_err(files::at(&options.judge))?;
    let networks = Networks::read(&options.models, &options.set)?;
    let clips = read_subjects(&list_files(&options.data)?, &options.test)?;
    let recordings: Vec<Recording> = clips.into_iter().map(Recording::new).collect();
    if recordings.is_empty() {
        return Err(format!("no file of {} in {}", options.test.join(", "), options.data.display()).into());
    }
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    let mut chosen: BTreeMap<String, usize> = BTreeMap::new();
    for seam in 0..options.seams {
        let [(a, before), (b, after)] = draw_pair(&recordings, KINDS[seam % KINDS.len()], &mut rng)?;
        let inputs = [Input { clip: &before, rig: &a.rig }, Input { clip: &after, rig: &b.rig }];
        for (name, join) in fixed_joins() {
            let started = Instant::now();
            let networks = StitchNetworks { refiner: None, ..networks.for_stitch(None) };
            let stitched = stitch_with_networks(&inputs, &join.into(), &networks, &mut Progress::silent())?;
            sums.entry(name).or_default().add(&inputs, &stitched, started)?;
        }
        let (stitched, started) = auto(&inputs, &networks, &judge)?;
        sums.entry("auto".to_owned()).or_default().add(&inputs, &stitched, started)?;
        let best = stitched.seam_reports[0].trials.first();
        *chosen.entry(best.map_or_else(|| "none: all trials failed".to_owned(), chosen_name)).or_default() += 1;
        if let Some(folder) = &options.out {
            std::fs::create_dir_all(folder).map_err(files::at(folder))?;
            let file = folder.join(format!("{seam:03}.bvh"));
            std::fs::write(&file, bvh::write(&stitched.clip)?).map_err(files::at(&file))?;
        }
    }
    report.table(format!("{} seams between postures", options.seams), COLUMNS);
    sums.iter().for_each(|(name, sums)| sums.add_row(name, report));
    let mut chosen: Vec<(String, usize)> = chosen.into_iter().collect();
    chosen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    report.table("Chosen by auto", ["join", "seams"]);
    chosen.into_iter().for_each(|(name, count)| report.row([name, count.to_string()]));
    Ok(())
}

/// Draws two pieces; `kind`: whether the end of the first and the beginning of the second are on the ground.
fn draw_pair<'a>(
    recordings: &'a [Recording],
    kind: [bool; 2],
    rng: &mut StdRng,
) -> Outcome<[(&'a Recording, Clip); 2]> {
    const ATTEMPTS: usize = 1000;
    let mut piece = |end: usize| {
        let on_ground = kind[1 - end];
        let draw = |_| {
            let recording = &recordings[rng.random_range(0..recordings.len())];
            Some((recording, recording.draw(end, on_ground, rng)?))
        };
        (0..ATTEMPTS).find_map(draw).ok_or_else(|| {
            format!("no piece {} was found in the recordings", if on_ground { "on the ground" } else { "standing" })
        })
    };
    Ok([piece(1)?, piece(0)?])
}

/// Returns the name of a join that auto chose, without its cut and its exact length.
fn chosen_name(trial: &Trial) -> String {
    match &trial.made.transition {
        Transition::Insert { filler, .. } if trial.inserted > INSERTED => {
            format!("{}, more than one second", filler.name)
        }
        Transition::Insert { filler, .. } => format!("{}, one second", filler.name),
        _ if trial.made.refine => "rmr".to_owned(),
        transition => transition.name().to_owned(),
    }
}

/// Returns the fixed joins of whole clips, with their names in the table.
fn fixed_joins() -> Vec<(String, Join)> {
    let plain = inertialized(Cut::Keep);
    [
        ("inertialize 0.5 s", plain),
        ("crossfade 1 s", Transition::crossfade(1.0).into()),
        ("30 frames, inertialize", Transition::insert(INSERTED, DEFAULT_FILLER).into()),
        ("30 frames, delta", Transition::insert(INSERTED, "delta").into()),
    ]
    .map(|(name, join)| (name.to_owned(), join))
    .into()
}

/// Returns the height of the lowest joint with a role in each frame, metres.
fn lowest_heights(clip: &Clip, rig: &Rig) -> Vec<f32> {
    let joints = Role::ALL.into_iter().filter_map(|role| Some((rig.joint(role)?, glam::Vec3::ZERO)));
    let tracks = point_tracks(clip, &joints.collect::<Vec<_>>());
    let lowest = |frame: usize| tracks.iter().map(|track| track[frame].y).fold(f32::INFINITY, f32::min);
    (0..clip.frames()).map(lowest).collect()
}

impl Sums {
    /// Adds the measures of a stitch. `started`: when its computation began.
    fn add(&mut self, inputs: &[Input; 2], stitched: &Stitched, started: Instant) -> Outcome {
        self.milliseconds += started.elapsed().as_secs_f64() * 1e3;
        let mut recorded: Vec<f32> =
            stitched.aligned.iter().flat_map(|clip| lowest_heights(clip, inputs[0].rig)).collect();
        recorded.sort_by(f32::total_cmp);
        let ground = recorded[(GROUND_QUANTILE * recorded.len() as f64) as usize];
        let seam = &stitched.seam_reports[0];
        let edited = lowest_heights(&stitched.clip.trimmed(seam.edited_range.clone())?, inputs[0].rig);
        let depth = recorded[0] - edited.iter().copied().fold(f32::INFINITY, f32::min);
        self.seams += 1;
        self.depth += f64::from(depth.max(0.0));
        self.deep_seams += usize::from(depth > MAX_DEPTH);
        self.height += f64::from(edited.iter().copied().fold(0.0, f32::max) - ground);
        self.slide += f64::from(seam.foot_skate);
        let recorded_jerk = inputs.iter().flat_map(|input| shown_jerk(input.clip, input.rig)).fold(1.0, f32::max);
        self.jerk += f64::from(seam.peak_jerk / recorded_jerk);
        Ok(())
    }

    fn add_row(&self, name: &str, report: &mut Report) {
        let count = self.seams.max(1) as f64;
        report.row([
            name.to_owned(),
            number(100.0 * self.deep_seams as f64 / count, 0),
            number(100.0 * self.depth / count, 1),
            number(100.0 * self.height / count, 1),
            number(1e3 * self.slide / count, 1),
            number(self.jerk / count, 2),
            number(self.milliseconds / count, 0),
        ]);
    }
}

const COLUMNS: [&str; 7] = [
    "join",
    "seams with a joint over 3 cm below the floor, %",
    "deepest joint, cm, mean",
    "largest height of the lowest joint, cm, mean",
    "slide, mm a frame",
    "jerk / clips",
    "ms a seam",
];
