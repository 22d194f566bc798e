//! Validation of the periodic autoencoder: during a walk, phases must advance in every frame.

use super::source::rows_of;
use crate::takes::Take;
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::feature::periodic::{COLUMNS, FPS};
use kinestitch::method::periodic::Periodic;
use kinestitch::motion::root::wrap;

/// Root speeds of a walk, metres per second.
const WALKING_SPEEDS: std::ops::Range<f32> = 0.5..2.0;
/// Minimum cosine of the angle between the movement and the heading in a walk.
const MIN_FORWARD: f32 = 0.7;
/// Frames on each side over which the speed is measured.
const REACH: usize = 8;

/// Fraction of walking frames in which phases advance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advance {
    /// Number of walking frames.
    pub frames: usize,
    /// Fraction of frames in which the phase of the channel with the largest amplitude advances, by less than half a
    /// turn.
    pub strongest: f32,
    /// Mean over all channels of the fraction of frames in which the phase advances, weighted by amplitude.
    pub weighted: f32,
    /// Mean amplitude of each channel.
    pub amplitudes: Vec<f32>,
    /// Fraction of frames in which each channel's phase advances.
    pub channels: Vec<f32>,
    /// Mean frequency of each channel, hertz.
    pub hertz: Vec<f32>,
}

/// Measures the advance in every `stride`-th frame of takes. Frames in which the character does not walk are left out.
///
/// # Errors
/// Those of [`Periodic::encode`].
pub fn measure_advance(network: &Periodic, takes: &[Take], stride: usize) -> Result<Advance> {
    let count = network.channels();
    let zeros = || vec![0.0; count];
    let mut advance = Advance { amplitudes: zeros(), channels: zeros(), hertz: zeros(), ..Advance::default() };
    let (mut weight, mut strongest) = (0.0, 0.0);
    for take in takes {
        let rows = rows_of(take, false);
        let frames = rows.len() / COLUMNS;
        for frame in (REACH..frames.saturating_sub(REACH + 1)).step_by(stride) {
            let hips = |frame: usize| take.poses.hips[frame].with_y(0.0);
            let movement: Vec3 = hips(frame + REACH) - hips(frame - REACH);
            let secs = 2.0 * REACH as f32 / FPS as f32;
            let root = GroundPose::from_root(take.poses.hips[frame], take.poses.pose(frame)[0]);
            // A side step or a turn on the spot is not a walk.
            let is_forward = (root.rotation() * Vec3::Z).dot(movement) > MIN_FORWARD * movement.length();
            if !WALKING_SPEEDS.contains(&(movement.length() / secs)) || !is_forward {
                continue;
            }
            let (current, next) = (network.encode(&rows, frame)?, network.encode(&rows, frame + 1)?);
            let (mut max_amplitude, mut strongest_advances) = (0.0, 0.0);
            for (channel, (current, next)) in current.iter().zip(&next).enumerate() {
                let advances = f32::from(u8::from(wrap(next.phase - current.phase) > 0.0));
                advance.amplitudes[channel] += current.amplitude;
                advance.hertz[channel] += current.frequency;
                advance.channels[channel] += advances;
                advance.weighted += current.amplitude * advances;
                weight += current.amplitude;
                if current.amplitude > max_amplitude {
                    (max_amplitude, strongest_advances) = (current.amplitude, advances);
                }
            }
            strongest += strongest_advances;
            advance.frames += 1;
        }
    }
    let frames = advance.frames.max(1) as f32;
    advance.strongest = strongest / frames;
    advance.weighted /= f32::max(weight, 1e-6);
    for sums in [&mut advance.amplitudes, &mut advance.channels, &mut advance.hertz] {
        sums.iter_mut().for_each(|sum| *sum /= frames);
    }
    Ok(advance)
}
