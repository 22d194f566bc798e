//! Jumps on request: from standing, walking and running, one every four seconds.

use super::track::{Pace, speed};
use super::{Options, Outcome, write_motion};
use crate::report::{Report, number};
use glam::{Vec2, Vec3};
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use std::sync::Arc;

/// Motions before a jump: name and pace.
const PACES: [(&str, Pace); 3] = [("standing", Pace::Stand), ("walking", Pace::Walk), ("running", Pace::Run)];
/// Time between two requests, seconds.
const PERIOD_SECS: f64 = 4.0;
/// Duration of a request, seconds.
const REQUEST_SECS: f64 = 0.5;
/// Number of requests per pace.
const JUMPS: usize = 15;
/// A body whose lowest contact is higher than this over its resting height is in the air, metres. Runners stay below.
const MIN_AIR_HEIGHT: f32 = 0.1;

/// Adds a table with a row for each pace, if the network knows the action "jump". Writes the motions if `options` names
/// a folder.
///
/// # Errors
/// Those of [`Controller::new`], of the recording, and of [`write_motion`].
pub fn table(network: &Arc<Network>, options: &Options, report: &mut Report) -> Outcome {
    let Some(action) = network.config.actions.iter().position(|name| name == "jump") else { return Ok(()) };
    let columns = [
        "from",
        "jumps of those requested",
        "rise of the hips, cm",
        "time in the air, s",
        "from request to take-off, s",
        "change of lean since the first request, °",
        "change of hip height since the first request, cm",
    ];
    report.table(format!("{}: jumps", network.character.name), columns);
    for (name, pace) in PACES {
        let mut controller = Controller::new(Arc::clone(network))?;
        controller.record();
        let speed = speed(pace, network.character.name);
        let base_control = Control { direction: Vec2::Y, speed, style: options.style, ..Control::default() };
        let Results { jumps, postures } = request_jumps(network, &mut controller, base_control, action);
        if let (Some(folder), Some(clip)) = (&options.out, controller.finish_recording()?) {
            write_motion(folder, &format!("{}-jumps-{name}", network.character.name), &clip)?;
        }
        // Without jumps, NaN: an empty cell.
        let mean_cell = |value: fn(&Jump) -> f64| number(jumps.iter().map(value).sum::<f64>() / jumps.len() as f64, 2);
        report.row([
            name.to_owned(),
            format!("{} of {JUMPS}", jumps.len()),
            mean_cell(|jump| 100.0 * jump.rise),
            mean_cell(|jump| jump.air_secs),
            mean_cell(|jump| jump.delay_secs),
            number(change_since_first(&postures, |posture| posture.lean), 1),
            number(100.0 * change_since_first(&postures, |posture| posture.hips), 1),
        ]);
    }
    Ok(())
}

/// A jump that followed a request.
struct Jump {
    /// Largest height of the hips above their mean height in the two seconds before the request, metres.
    rise: f64,
    /// Time in the air in the two seconds after the request, seconds.
    air_secs: f64,
    /// Time from request to take-off, seconds.
    delay_secs: f64,
}

/// Posture of the body.
#[derive(Clone, Copy)]
struct Posture {
    /// Angle between the trunk and the vertical, degrees.
    lean: f64,
    /// Height of the hips, metres.
    hips: f64,
}

/// Returns by how much a value before the later requests differs, on average, from its value before the first request.
fn change_since_first(postures: &[Posture], value: fn(&Posture) -> f64) -> f64 {
    let Some((first, later)) = postures.split_first() else { return f64::NAN };
    later.iter().map(value).sum::<f64>() / later.len() as f64 - value(first)
}

/// Results of the requests.
struct Results {
    jumps: Vec<Jump>,
    /// Mean posture in the last second before each request.
    postures: Vec<Posture>,
}

/// One frame of the controller.
struct Sample {
    posture: Posture,
    /// Smallest height of a contact over its resting height, metres.
    lowest: f32,
}

/// Requests jumps while the character moves by `base_control`.
fn request_jumps(network: &Network, controller: &mut Controller, base_control: Control, action: usize) -> Results {
    let character = &network.character;
    let mut pose = Pose::default();
    let mut advance = |controller: &mut Controller, control: &Control, seconds: f64| -> Vec<Sample> {
        (0..(seconds * FPS) as usize)
            .map(|_| {
                controller.step(control, 1.0 / FPS, &mut pose);
                let hips = pose.positions[character.trunk[0]];
                let trunk = pose.positions[character.trunk[character.trunk.len() - 1]] - hips;
                let contacts = character.contacts.iter().zip(&network.config.rest);
                let lowest = contacts.map(|(contact, rest)| pose.positions[contact.joint].y - rest);
                Sample {
                    posture: Posture {
                        lean: f64::from(trunk.angle_between(Vec3::Y)).to_degrees(),
                        hips: f64::from(hips.y),
                    },
                    lowest: lowest.fold(f32::INFINITY, f32::min),
                }
            })
            .collect()
    };
    let (mut jumps, mut postures) = (Vec::new(), Vec::new());
    for _ in 0..JUMPS {
        let frames_before = advance(controller, &base_control, PERIOD_SECS / 2.0);
        let last_second = &frames_before[frames_before.len() - FPS as usize..];
        let mean_posture = |value: fn(&Posture) -> f64| {
            last_second.iter().map(|sample| value(&sample.posture)).sum::<f64>() / last_second.len() as f64
        };
        let (lean, hips) = (mean_posture(|posture| posture.lean), mean_posture(|posture| posture.hips));
        postures.push(Posture { lean, hips });
        let mut frames = advance(controller, &Control { action: Some(action), ..base_control }, REQUEST_SECS);
        frames.extend(advance(controller, &base_control, PERIOD_SECS / 2.0 - REQUEST_SECS));
        let level = frames_before.iter().map(|sample| sample.posture.hips).sum::<f64>() / frames_before.len() as f64;
        let in_air = |sample: &Sample| sample.lowest > MIN_AIR_HEIGHT;
        if let Some(take_off) = frames.iter().position(in_air) {
            jumps.push(Jump {
                rise: frames.iter().map(|sample| sample.posture.hips - level).fold(0.0, f64::max),
                air_secs: frames.iter().filter(|sample| in_air(sample)).count() as f64 / FPS,
                delay_secs: take_off as f64 / FPS,
            });
        }
    }
    Results { jumps, postures }
}
