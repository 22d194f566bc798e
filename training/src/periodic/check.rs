//! Validation of phases: during a walk they must advance in every frame.

use super::source::rows_of;
use crate::takes::Take;
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::feature::periodic::{COLUMNS, FPS};
use kinestitch::method::periodic::Periodic;
use kinestitch::motion::root::wrap;

/// Root speeds that count as walking, m/s.
const WALKS: std::ops::Range<f32> = 0.5..2.0;
/// Frames on each side over which the speed is measured.
const REACH: usize = 8;

/// Share of walking frames in which phases advance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advance {
    /// Number of walking frames.
    pub frames: usize,
    /// Share of frames in which the phase of the channel with the largest amplitude advances, by less than half a turn.
    pub strongest: f32,
    /// The same for all channels, weighted by amplitude.
    pub weighted: f32,
    /// Mean amplitude of each channel.
    pub amplitudes: Vec<f32>,
    /// Share of frames in which each channel's phase advances.
    pub channels: Vec<f32>,
    /// Mean frequency of each channel, hertz.
    pub hertz: Vec<f32>,
}

/// Measures every `stride`-th walking frame of some takes.
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
            // Forwards only: a side step or a turn on the spot is not a walk.
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
