//! `bench control`: the controller walks ten fixed tracks, one minute each. Prints collapses, foot skate, angle
//! updates, response times, path error and time per step.

mod jumps;
mod noise;
mod score;
mod track;
mod uneven;

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use glam::Vec3;
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::feature::encode;
use kinestitch::method::controller::Network;
use kinestitch::motion::bvh;
use kinestitch::motion::clip::Clip;
use kinestitch::nn::weights::Weights;
use score::{MIN_FOLLOWED, MotionScore, TrackScore, score_motion, score_track};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use track::Request;

/// Below this speed the body counts as standing, m/s.
const MIN_MOVING_SPEED: f32 = 0.3;

/// Below this blend weight an expert has nearly no effect.
const MIN_EXPERT_WEIGHT: f32 = 0.03;

/// Run the controller along ten fixed tracks of one minute: collapse, foot skate, angle updates, response, path, speed
#[derive(Args)]
pub struct Options {
    /// Weight files of controllers
    #[arg(long, value_name = "FILE", required = true, value_delimiter = ',')]
    weights: Vec<PathBuf>,
    /// Folder of recordings (BVH) of the same character, measured for comparison of skate and angle updates
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Index of the style among those of the network
    #[arg(long, value_name = "N", default_value_t = 0)]
    style: usize,
    /// Noise levels; the tracks are repeated at each level with several seeds (eq. 9 and 10)
    #[arg(long, value_name = "LEVEL", value_delimiter = ',')]
    noise: Vec<f32>,
    /// Seeds per noise level
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Walk over five uneven grounds as well
    #[arg(long)]
    uneven: bool,
    /// Folder to write each track's motion to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    for path in &options.weights {
        let bytes = files::read(path)?;
        let network = Weights::read(&bytes).and_then(|weights| Network::read(&weights)).map_err(files::at(path))?;
        let network = Arc::new(network);
        let character = network.character;
        let styles = network.config.styles.len();
        if options.style >= styles {
            let message = format!("--style {}: its styles have the indices 0 to {}", options.style, styles - 1);
            return Err(files::at(path)(message).into());
        }
        report.note(format!("{}: {}", path.display(), character.name));
        let mut summary = tracks(&network, &options, report)?;
        summary.push(("weight file, MB", number(bytes.len() as f64 / 1e6, 2)));
        if let Some(folder) = &options.data {
            recordings(&network, folder, report, &mut summary)?;
        }
        report.table(format!("{}: all tracks", character.name), ["measure", "value"]);
        summary.into_iter().for_each(|(measure, value)| report.row([measure, &value]));
        jumps::table(&network, &options, report)?;
        noise::table(&network, &options, report)?;
        if options.uneven {
            uneven::table(&network, options.style, report)?;
        }
    }
    Ok(())
}

/// A measure and its printed value.
type Measured = (&'static str, String);

/// Walks the ten tracks. Adds a row for each, and returns the means over all.
fn tracks(network: &Arc<Network>, options: &Options, report: &mut Report) -> Outcome<Vec<Measured>> {
    let character = network.character;
    let columns = [
        "track",
        "collapse",
        "speed, part of the requested",
        "path error, %",
        "slide, m/s",
        "angle updates, °/frame",
        "bone error, mm",
        "start, s",
        "turn, s",
    ];
    report.table(format!("{}: tracks", character.name), columns);
    let mut sums = Sums::default();
    for track in track::tracks()? {
        let requests = track.requests(character.name, 1.0 / FPS);
        let control = Control { style: options.style, ..Control::default() };
        let track_run = run_track(network, &requests, control)?;
        if let Some(folder) = &options.out {
            write_motion(folder, &format!("{}-{}", character.name, track.name), &track_run.clip)?;
        }
        let motion_score = score_motion(&track_run.clip, character, &network.config.rest, 0.0, MIN_MOVING_SPEED);
        let track_score = score_track(&requests, &track_run.roots, &track_run.clip, character);
        report.row([
            track.name,
            if track_score.collapse.is_empty() { "no".to_owned() } else { track_score.collapse.clone() },
            number(track_score.relative_speed, 2),
            number(track_score.path_error * 100.0, 1),
            number(motion_score.slide, 3),
            number(motion_score.angle_updates, 1),
            number(f64::from(track_score.bone_error) * 1e3, 3),
            number(mean(&track_score.start_secs), 2),
            number(mean(&track_score.turn_secs), 2),
        ]);
        sums.add(&track_run, motion_score, track_score);
    }
    Ok(sums.means(network.config.sizes.experts))
}

/// Scores of all tracks. The lists have one entry per track, or one per start or turn.
#[derive(Default)]
struct Sums {
    collapses: usize,
    followed: usize,
    path_error: Vec<f64>,
    slide: Vec<f64>,
    angle_updates: Vec<f64>,
    start_secs: Vec<f64>,
    turn_secs: Vec<f64>,
    bone_error: f32,
    step_secs: Vec<f64>,
    experts: Vec<f64>,
}

impl Sums {
    fn add(&mut self, track_run: &TrackRun, motion_score: MotionScore, track_score: TrackScore) {
        self.collapses += usize::from(!track_score.collapse.is_empty());
        self.followed += usize::from(track_score.relative_speed > MIN_FOLLOWED);
        self.path_error.push(track_score.path_error);
        self.slide.push(motion_score.slide);
        self.angle_updates.push(motion_score.angle_updates);
        self.start_secs.extend(track_score.start_secs);
        self.turn_secs.extend(track_score.turn_secs);
        self.bone_error = self.bone_error.max(track_score.bone_error);
        self.step_secs.push(track_run.step_secs);
        self.experts.push(track_run.experts);
    }

    fn means(&self, experts: usize) -> Vec<Measured> {
        let tracks = self.path_error.len();
        vec![
            ("tracks without collapse", format!("{} of {tracks}", tracks - self.collapses)),
            ("tracks followed", format!("{} of {tracks}", self.followed)),
            ("path error over ten seconds, %", number(mean(&self.path_error) * 100.0, 1)),
            ("start to 90 % of the speed, s", number(mean(&self.start_secs), 2)),
            ("90 % of a turn of 90°, s", number(mean(&self.turn_secs), 2)),
            ("slide of feet below 2 cm, m/s", number(mean(&self.slide), 3)),
            ("angle updates, °/frame", number(mean(&self.angle_updates), 1)),
            ("largest bone error, mm", number(f64::from(self.bone_error) * 1e3, 3)),
            ("native time of a step, ms", number(mean(&self.step_secs) * 1e3, 3)),
            ("experts with a share above .03", format!("{:.2} of {experts}", mean(&self.experts))),
        ]
    }
}

/// Motion of the controller along one track, with its cost.
struct TrackRun {
    clip: Clip,
    /// Root positions on the ground, one per request.
    roots: Vec<Vec3>,
    /// Mean time per step, seconds.
    step_secs: f64,
    /// Mean number of experts with a weight above [`MIN_EXPERT_WEIGHT`].
    experts: f64,
}

/// Runs the controller along a track, with the style, noise and seed of `control`.
fn run_track(network: &Arc<Network>, requests: &[Request], control: Control) -> Outcome<TrackRun> {
    let mut controller = Controller::new(Arc::clone(network))?;
    let (mut pose, mut roots): (Pose, Vec<Vec3>) = (Pose::default(), Vec::with_capacity(requests.len()));
    controller.record();
    let (clock, mut experts) = (Instant::now(), 0);
    for Request { control: Control { direction, facing, speed, .. }, .. } in requests.iter().copied() {
        controller.step(&Control { direction, facing, speed, ..control }, 1.0 / FPS, &mut pose);
        roots.push(controller.root().position);
        experts += controller.expert_weights().iter().filter(|weight| **weight > MIN_EXPERT_WEIGHT).count();
    }
    let step_secs = clock.elapsed().as_secs_f64() / requests.len() as f64;
    let experts = experts as f64 / requests.len() as f64;
    Ok(TrackRun { clip: controller.finish_recording()?.ok_or("nothing was recorded")?, roots, step_secs, experts })
}

/// Writes a motion to `NAME.bvh` in a folder, which is created if it does not exist.
fn write_motion(folder: &Path, name: &str, clip: &Clip) -> Outcome {
    std::fs::create_dir_all(folder).map_err(files::at(folder))?;
    let file = folder.join(format!("{name}.bvh"));
    let text = bvh::write(clip).map_err(files::at(&file))?;
    Ok(std::fs::write(&file, text).map_err(files::at(&file))?)
}

/// Returns the mean; NaN without values.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Adds slide and angle updates of the recordings of a folder. Files that cannot be read are named in the report.
fn recordings(network: &Arc<Network>, folder: &Path, report: &mut Report, summary: &mut Vec<Measured>) -> Outcome {
    let character = network.character;
    let (mut slide, mut angle_updates, mut frames) = (0.0, 0.0, 0);
    for path in files::bvh_files(folder)? {
        let clip = match files::read_clip(&path) {
            Ok(clip) => kinestitch::motion::resample::resample(&clip, FPS).map_err(files::at(&path))?,
            Err(error) => {
                report.note(files::left_out(folder, error));
                continue;
            }
        };
        let Ok(body) = kinestitch::body::to_canonical(&clip, &kinestitch::motion::rig::infer(&clip)) else { continue };
        if body.character != character {
            continue;
        }
        let (ground, _) = encode::ground_of(&body.clip, character);
        let motion_score = score_motion(&body.clip, character, &network.config.rest, ground, MIN_MOVING_SPEED);
        slide += motion_score.slide * motion_score.frames as f64;
        angle_updates += motion_score.angle_updates * motion_score.frames as f64;
        frames += motion_score.frames;
    }
    // Without measured frames, the means are NaN: the table shows no number.
    let frame_weight = 1.0 / frames as f64;
    summary.push(("slide of feet below 2 cm in recordings, m/s", number(slide * frame_weight, 3)));
    summary.push(("angle updates in recordings, °/frame", number(angle_updates * frame_weight, 1)));
    Ok(())
}
