//! Filters that others smooth motion with, applied to each rotation (as quaternions with continuous signs) and each
//! translation by itself.

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::method::phase::butterworth::low_pass;
use kinestitch::motion::quat::with_nearest_sign;

/// A filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    /// Butterworth of second order, forwards and backwards; cut-off frequency in hertz.
    Butterworth(f64),
    /// One-Euro (Casiez 2012): least cut-off frequency in hertz, and speed coefficient. It is causal.
    OneEuro(f64, f64),
    /// Savitzky-Golay of third order over this many frames to each side.
    SavitzkyGolay(usize),
}

impl Filter {
    pub fn name(self) -> String {
        match self {
            Filter::Butterworth(hertz) => format!("Butterworth {hertz} Hz"),
            Filter::OneEuro(hertz, speed) => format!("One-Euro {hertz} Hz, {speed}"),
            Filter::SavitzkyGolay(reach) => format!("Savitzky-Golay, {} frames", 2 * reach + 1),
        }
    }

    /// Filters a clip.
    pub fn apply(self, clip: &Clip) -> Clip {
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        let mut filtered = clip.clone();
        for joint in 0..joints {
            let mut track: Vec<Quat> = (0..clip.frames()).map(|f| clip.rotations()[f * joints + joint]).collect();
            for frame in 1..track.len() {
                track[frame] = with_nearest_sign(track[frame], track[frame - 1]);
            }
            let axes = [0, 1, 2, 3].map(|axis| {
                self.filter(&track.iter().map(|q| f64::from(q.to_array()[axis])).collect::<Vec<_>>(), clip.fps())
            });
            for frame in 0..clip.frames() {
                let values = [0, 1, 2, 3].map(|axis| axes[axis][frame] as f32);
                filtered.rotations_mut()[frame * joints + joint] = Quat::from_array(values).normalize();
            }
        }
        for slot in 0..width {
            let axes = [0, 1, 2].map(|axis| {
                let track = (0..clip.frames()).map(|f| f64::from(clip.translations()[f * width + slot][axis]));
                self.filter(&track.collect::<Vec<_>>(), clip.fps())
            });
            for frame in 0..clip.frames() {
                filtered.translations_mut()[frame * width + slot] =
                    Vec3::from_array([0, 1, 2].map(|axis| axes[axis][frame] as f32));
            }
        }
        filtered
    }

    fn filter(self, values: &[f64], fps: f64) -> Vec<f64> {
        match self {
            Filter::Butterworth(hertz) => low_pass(values, fps, hertz),
            Filter::OneEuro(hertz, speed) => one_euro(values, fps, hertz, speed),
            Filter::SavitzkyGolay(reach) => savitzky_golay(values, reach as isize),
        }
    }
}

fn one_euro(values: &[f64], fps: f64, least_cutoff: f64, speed_coefficient: f64) -> Vec<f64> {
    let alpha = |cutoff: f64| 1.0 / (1.0 + fps / (std::f64::consts::TAU * cutoff));
    let (mut smooth, mut speed) = (values.first().copied().unwrap_or_default(), 0.0);
    let mut previous = smooth;
    let step = |value: &f64| {
        speed += alpha(1.0) * ((value - previous) * fps - speed);
        smooth += alpha(least_cutoff + speed_coefficient * speed.abs()) * (value - smooth);
        previous = *value;
        smooth
    };
    values.iter().map(step).collect()
}

/// Third order over 2 · reach + 1 values; values beyond the ends are reflected about them.
fn savitzky_golay(values: &[f64], reach: isize) -> Vec<f64> {
    let (m, last) = (reach as f64, values.len() as isize - 1);
    let at = |index: isize| {
        let inside = index.clamp(0, last);
        let mirrored = (2 * inside - index).clamp(0, last);
        2.0 * values[inside as usize] * f64::from(u8::from(inside != index))
            - values[mirrored as usize] * if inside == index { -1.0 } else { 1.0 }
    };
    let norm = (2.0 * m + 3.0) * (2.0 * m + 1.0) * (2.0 * m - 1.0) / 3.0;
    let weight = |d: isize| (3.0 * m * m + 3.0 * m - 1.0 - 5.0 * (d * d) as f64) / norm;
    (0..=last).map(|frame| (-reach..=reach).map(|d| weight(d) * at(frame + d)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savitzky_golay_keeps_cubics_inside() {
        let values: Vec<f64> = (0..40).map(|x| (f64::from(x) / 10.0).powi(3) - f64::from(x)).collect();
        let smooth = savitzky_golay(&values, 4);
        assert!((4..36).all(|frame| (smooth[frame] - values[frame]).abs() < 1e-9), "{smooth:?}");
    }

    #[test]
    fn one_euro_keeps_a_constant() {
        assert!(one_euro(&[2.0; 30], 30.0, 1.0, 0.1).iter().all(|value| (value - 2.0).abs() < 1e-12));
    }
}
