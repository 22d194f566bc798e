//! Computes the signal that sinusoids are fitted to (eq. 5, 6), and the window of each frame (N of eq. 4).

use super::butterworth::low_pass;
use std::ops::Range;

/// Length of the window of eq. 5 (W), and of eq. 4 (N) if there is no cycle of contacts, seconds.
pub const WINDOW_SECS: f64 = 1.0;
/// Cut-off of the low-pass, hertz (as in the paper; the authors' code uses 4).
pub const CUTOFF: f64 = 3.25;
/// Shortest and longest N, seconds.
const CYCLE_SECS: [f64; 2] = [0.4, 2.0];
/// Smallest number of frames in a window.
const MIN_FRAMES: usize = 5;

/// Computes G of eq. 6, `[frames]`: contacts minus their mean, divided by their standard deviation, both over the
/// second around each frame, then low-passed. Before the low-pass, the value is zero if the contact does not change in
/// that second.
pub fn contact_signal(contact: &[bool], fps: f64) -> Vec<f64> {
    let half_window = (WINDOW_SECS * fps / 2.0).round() as usize;
    let mut running_counts = Vec::with_capacity(contact.len() + 1);
    running_counts.push(0.0);
    running_counts.extend(contact.iter().scan(0.0, |sum, &touches| {
        *sum += f64::from(u8::from(touches));
        Some(*sum)
    }));
    let normalized: Vec<f64> = (0..contact.len())
        .map(|frame| {
            let window = frame.saturating_sub(half_window)..(frame + half_window + 1).min(contact.len());
            let mean = (running_counts[window.end] - running_counts[window.start]) / window.len() as f64;
            let deviation = (mean * (1.0 - mean)).sqrt();
            if deviation > 0.0 { (f64::from(u8::from(contact[frame])) - mean) / deviation } else { 0.0 }
        })
        .collect();
    low_pass(&normalized, fps, CUTOFF)
}

/// Returns the window of each frame: about one cycle of contacts around the frame, or one second without a cycle. At
/// the ends of the motion, the window keeps its length and is shifted inwards.
pub fn windows(contact: &[bool], fps: f64) -> Vec<Range<usize>> {
    let frames = contact.len();
    let cycle_secs = cycle_durations(contact, fps);
    let mut sums = vec![0.0];
    sums.extend(cycle_secs.iter().scan(0.0, |sum, &secs| {
        *sum += secs;
        Some(*sum)
    }));
    let half_window = (WINDOW_SECS * fps / 2.0).round() as usize;
    (0..frames)
        .map(|frame| {
            // Smoothed, because a window length that jumps between frames would make the phase jump.
            let neighbourhood = frame.saturating_sub(half_window)..(frame + half_window + 1).min(frames);
            let secs = (sums[neighbourhood.end] - sums[neighbourhood.start]) / neighbourhood.len() as f64;
            let length = ((secs * fps).round() as usize).max(MIN_FRAMES).min(frames);
            let start = frame.saturating_sub(length / 2).min(frames - length);
            start..start + length
        })
        .collect()
}

/// Returns the duration of the cycle at each frame, seconds: the mean of the time between the beginnings of the
/// adjacent contacts and of the time between their ends.
fn cycle_durations(contact: &[bool], fps: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0u32); contact.len()];
    for begins in [true, false] {
        let changes: Vec<usize> =
            (1..contact.len()).filter(|&frame| contact[frame] == begins && contact[frame - 1] != begins).collect();
        for pair in changes.windows(2) {
            let secs = (pair[1] - pair[0]) as f64 / fps;
            // A rest between two walks is not a cycle.
            if secs <= CYCLE_SECS[1] {
                for sum in &mut sums[pair[0]..pair[1]] {
                    *sum = (sum.0 + secs.max(CYCLE_SECS[0]), sum.1 + 1);
                }
            }
        }
    }
    sums.into_iter().map(|(sum, count)| if count > 0 { sum / f64::from(count) } else { WINDOW_SECS }).collect()
}

#[cfg(test)]
mod tests {
    use super::{contact_signal, windows};

    /// Returns `count` steps: each has `contact` frames with contact, then `swing` frames without contact.
    fn steps(contact: usize, swing: usize, count: usize) -> Vec<bool> {
        (0..count * (contact + swing)).map(|frame| frame % (contact + swing) < contact).collect()
    }

    #[test]
    fn short_contacts_become_high_peaks() {
        let peak = |contact: &[bool]| contact_signal(contact, 60.0).into_iter().fold(f64::MIN, f64::max);
        assert!(peak(&steps(12, 48, 8)) > 1.3 * peak(&steps(30, 30, 8)));
    }

    #[test]
    fn constant_contact_gives_no_signal() {
        for value in [true, false] {
            assert!(contact_signal(&[value; 90], 30.0).iter().all(|g| *g == 0.0));
        }
        assert!(contact_signal(&[], 30.0).is_empty() && windows(&[], 30.0).is_empty());
    }

    #[test]
    fn windows_are_one_cycle_long_and_stay_inside() {
        let contact = steps(20, 16, 10);
        let windows = windows(&contact, 60.0);
        assert_eq!(windows[180].len(), 36);
        assert_eq!(windows[180], 162..198);
        assert!(windows.iter().all(|window| window.len() >= 30 && window.end <= contact.len()));
        assert_eq!(windows[0].start, 0);
        assert_eq!(super::windows(&[false; 200], 30.0)[100].len(), 30);
        assert_eq!(super::windows(&[true; 3], 30.0)[1], 0..3);
    }
}
