//! Whether phases are phases: in a walk they go forwards, frame by frame.

use super::source::rows_of;
use crate::takes::Take;
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::feature::periodic::{COLUMNS, FPS};
use kinestitch::method::periodic::Periodic;
use kinestitch::motion::root::wrap;

/// Speeds of the root between which a body walks, metres a second.
const WALKS: std::ops::Range<f32> = 0.5..2.0;
/// Frames on each side that the speed is measured over.
const REACH: usize = 8;

/// Walking frames, and in how many of them phases go forwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advance {
    /// Walking frames looked at.
    pub frames: usize,
    /// Part of them in which the phase of the channel with the largest amplitude goes forwards, by less than half a
    /// turn.
    pub strongest: f32,
    /// Likewise all channels, each weighted by its amplitude.
    pub weighted: f32,
    /// Mean amplitude of each channel.
    pub amplitudes: Vec<f32>,
    /// Part of the frames in which each channel's phase goes forwards.
    pub channels: Vec<f32>,
    /// Mean frequency of each, hertz.
    pub hertz: Vec<f32>,
}

/// Looks at every `stride`-th walking frame of some takes.
///
/// # Errors
/// Those of [`Periodic::encode`].
pub fn advance(network: &Periodic, takes: &[Take], stride: usize) -> Result<Advance> {
    let count = network.channels();
    let none = || vec![0.0; count];
    let mut found = Advance { amplitudes: none(), channels: none(), hertz: none(), ..Advance::default() };
    let (mut weight, mut strongest) = (0.0, 0.0);
    for take in takes {
        let rows = rows_of(take, false);
        let frames = rows.len() / COLUMNS;
        for frame in (REACH..frames.saturating_sub(REACH + 1)).step_by(stride) {
            let hips = |frame: usize| take.poses.hips[frame].with_y(0.0);
            let way: Vec3 = hips(frame + REACH) - hips(frame - REACH);
            let secs = 2.0 * REACH as f32 / FPS as f32;
            let root = GroundPose::under(take.poses.hips[frame], take.poses.pose(frame)[0]);
            // Forwards: a side step or a turn on the spot is no walk.
            let ahead = (root.rotation() * Vec3::Z).dot(way) > 0.7 * way.length();
            if !WALKS.contains(&(way.length() / secs)) || !ahead {
                continue;
            }
            let (now, next) = (network.encode(&rows, frame)?, network.encode(&rows, frame + 1)?);
            let mut largest = (0.0, 0.0);
            for (channel, (now, next)) in now.iter().zip(&next).enumerate() {
                let goes = f32::from(u8::from(wrap(next.phase - now.phase) > 0.0));
                found.amplitudes[channel] += now.amplitude;
                found.hertz[channel] += now.frequency;
                found.channels[channel] += goes;
                found.weighted += now.amplitude * goes;
                weight += now.amplitude;
                if now.amplitude > largest.0 {
                    largest = (now.amplitude, goes);
                }
            }
            strongest += largest.1;
            found.frames += 1;
        }
    }
    let frames = found.frames.max(1) as f32;
    found.strongest = strongest / frames;
    found.weighted /= f32::max(weight, 1e-6);
    for sums in [&mut found.amplitudes, &mut found.channels, &mut found.hertz] {
        sums.iter_mut().for_each(|sum| *sum /= frames);
    }
    Ok(found)
}
