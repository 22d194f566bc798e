//! `bench control`: the controller walks ten fixed tracks, one minute each. Prints collapses, foot skate, angle
//! updates, response times, path error and time per step.

mod noise;
mod score;
mod track;

use crate::Outcome;
use clap::Args;
use glam::Vec3;
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::feature::encode;
use kinestitch::method::controller::Network;
use kinestitch::motion::bvh;
use kinestitch::motion::clip::Clip;
use kinestitch::nn::weights::Weights;
use score::{FOLLOWED, followed, motion};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use track::Request;

/// Below this speed the body counts as standing, m/s.
const MOVING: f32 = 0.3;

/// Below this blend share an expert has nearly no effect.
const SHARE: f32 = 0.03;

/// Run the controller along ten fixed tracks of one minute: collapse, foot skate, angle updates, response, path, speed
#[derive(Args)]
pub struct Options {
    /// Weight files
    #[arg(long, value_name = "FILE", required = true, value_delimiter = ',')]
    weights: Vec<PathBuf>,
    /// Folder of recordings (BVH) of the same character, measured for comparison of skate and angle updates
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Index of the style
    #[arg(long, value_name = "N", default_value_t = 0)]
    style: usize,
    /// Noise levels; the tracks are repeated at each level with several seeds (eq. 9 and 10)
    #[arg(long, value_name = "LEVEL", value_delimiter = ',')]
    noise: Vec<f32>,
    /// Seeds per noise level
    #[arg(long, value_name = "N", default_value_t = 4)]
    seeds: u32,
    /// Folder to write each track's motion to, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(options: Options) -> Outcome {
    for path in &options.weights {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let network = Arc::new(Network::read(&Weights::read(&bytes)?)?);
        println!(
            "{}: {}, {:?} gate, {} bytes",
            path.display(),
            network.character.name,
            network.config.gate,
            bytes.len()
        );
        tracks(&network, &options)?;
        noise::table(&network, &options)?;
    }
    Ok(())
}

fn tracks(network: &Arc<Network>, options: &Options) -> Outcome {
    let character = network.character;
    println!(
        "| track | collapse | speed made / asked | path error | slide, m/s | angle updates, °/frame | bones, mm | start, s | turn, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut turns, mut starts, mut slide, mut turning, mut fell) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), 0);
    let (mut spent, mut experts, mut went) = (0.0, 0.0, 0);
    for track in track::tracks()? {
        let asks = track.asks(character.name, 1.0 / FPS);
        let how = Control { style: options.style, ..Control::default() };
        let Walked { clip, roots, step_secs, experts: used } = walk(network, &asks, how)?;
        spent += step_secs;
        experts += used;
        if let Some(folder) = &options.out {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("{}-{}.bvh", character.name, track.name)), bvh::write(&clip)?)?;
        }
        let made = motion(&clip, character, &network.config.rest, 0.0, MOVING);
        let found = followed(&asks, &roots, &clip, character);
        let cell = |values: &[f64]| if values.is_empty() { String::new() } else { format!("{:.2}", mean(values)) };
        println!(
            "| {} | {} | {:.2} | {:.1} % | {:.3} | {:.1} | {:.3} | {} | {} |",
            track.name,
            if found.collapse.is_empty() { "no" } else { &found.collapse },
            found.along,
            found.path * 100.0,
            made.slide,
            made.turning,
            found.bones * 1e3,
            cell(&found.starts),
            cell(&found.turns),
        );
        fell += usize::from(!found.collapse.is_empty());
        went += usize::from(found.along > FOLLOWED);
        slide.push(made.slide);
        turning.push(made.turning);
        turns.extend(found.turns);
        starts.extend(found.starts);
    }
    println!(
        "{} of 10 tracks without collapse, {went} followed at all; slide {:.3} m/s, angle updates {:.1} °/frame; start {:.2} s, turn of 90° {:.2} s; a step {:.3} ms; {:.2} of {} experts have a share above {SHARE}",
        10 - fell,
        mean(&slide),
        mean(&turning),
        mean(&starts),
        mean(&turns),
        spent * 1e3 / 10.0,
        experts / 10.0,
        network.config.sizes.experts
    );
    match &options.data {
        Some(folder) => recordings(network, folder),
        None => Ok(()),
    }
}

/// Result of one track.
struct Walked {
    clip: Clip,
    /// Root positions on the ground, one per request.
    roots: Vec<Vec3>,
    /// Mean time per step, seconds.
    step_secs: f64,
    /// Mean number of experts with a share above [`SHARE`].
    experts: f64,
}

/// Runs the controller along a track, with the style, noise and seed of `how`.
fn walk(network: &Arc<Network>, asks: &[Request], how: Control) -> Outcome<Walked> {
    let mut controller = Controller::new(Arc::clone(network))?;
    let (mut pose, mut roots): (Pose, Vec<Vec3>) = (Pose::default(), Vec::with_capacity(asks.len()));
    controller.record();
    let (clock, mut experts) = (Instant::now(), 0);
    for Request { control: Control { direction, facing, speed, .. }, .. } in asks.iter().copied() {
        controller.step(&Control { direction, facing, speed, ..how }, 1.0 / FPS, &mut pose);
        roots.push(controller.root().position);
        experts += controller.shares().iter().filter(|share| **share > SHARE).count();
    }
    let step_secs = clock.elapsed().as_secs_f64() / asks.len() as f64;
    let experts = experts as f64 / asks.len() as f64;
    Ok(Walked { clip: controller.recorded()?.ok_or("nothing was recorded")?, roots, step_secs, experts })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Prints the same measures for recordings, on the same bones.
fn recordings(network: &Arc<Network>, folder: &std::path::Path) -> Outcome {
    let character = network.character;
    let (mut slide, mut turning, mut frames) = (0.0, 0.0, 0);
    for path in files(folder)? {
        let Ok(file) = bvh::parse("recording", &std::fs::read(&path)?) else { continue };
        let clip = kinestitch::motion::resample::resample(&file.clip, FPS)?;
        let Ok(body) = kinestitch::body::canonical(&clip, &kinestitch::motion::rig::infer(&clip)) else { continue };
        if body.character != character {
            continue;
        }
        let (ground, _) = encode::ground_of(&body.clip, character);
        let found = motion(&body.clip, character, &network.config.rest, ground, MOVING);
        slide += found.slide * found.frames as f64;
        turning += found.turning * found.frames as f64;
        frames += found.frames;
    }
    let share = 1.0 / frames.max(1) as f64;
    println!(
        "recordings: slide {:.3} m/s, angle updates {:.1} °/frame over {frames} frames",
        slide * share,
        turning * share
    );
    Ok(())
}

fn files(folder: &std::path::Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
