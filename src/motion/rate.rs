//! Frame rates from rounded frame times: files write 30 frames per second as 0.0333333, 0.033333 or 0.03333. A frame time
//! that differs more, such as 0.0333, is a rate of its own: here 30.03.

/// Video rates that are not whole numbers.
const VIDEO_RATES: [f64; 3] = [24_000.0 / 1_001.0, 30_000.0 / 1_001.0, 60_000.0 / 1_001.0];
/// Numbers of decimals to which files round their frame times.
const DECIMALS: [i32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// Relative tolerance for frame times with more decimals: these were computed, not rounded. From 5 ms on, all frame
/// times count as having at most eight decimals ([`fps_from_frame_time`]).
const COMPUTED_PRECISION: f64 = 1e-9;
/// Largest relative tolerance, however few the decimals. Over a minute, a larger one would move the last frame by more
/// than a third of a frame at 30 frames per second; and 0.0417 seconds would be 23.976 frames per second.
const MAX_TOLERANCE: f64 = 1.5e-4;

/// Returns the whole rate or video rate whose frame time equals this one within the rounding of its decimals; else the
/// inverse of the frame time.
pub fn fps_from_frame_time(frame_time_secs: f64) -> f64 {
    // The relative tolerance also accepts decimals in single precision. From 5 ms on, it exceeds half a unit of the
    // eighth decimal.
    let has_decimals = |decimals: &i32| {
        let scaled = frame_time_secs * 10f64.powi(*decimals);
        (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1e-3)
    };
    // Some files truncate instead of rounding: the error is up to one unit of the last decimal.
    let decimals = DECIMALS.iter().find(|decimals| has_decimals(decimals));
    let unit = decimals.map_or(0.0, |&decimals| 10f64.powi(-decimals));
    let tolerance = |unit: f64| unit.clamp(COMPUTED_PRECISION * frame_time_secs, MAX_TOLERANCE * frame_time_secs);
    let exact = 1.0 / frame_time_secs;
    let error = |rate: f64| (1.0 / rate - frame_time_secs).abs();
    let whole = exact.round().max(1.0);
    if error(whole) <= tolerance(0.5 * unit) {
        return whole;
    }
    let candidates = [whole].into_iter().chain(VIDEO_RATES);
    let nearest = candidates.min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(exact);
    if error(nearest) <= tolerance(unit) { nearest } else { exact }
}

#[cfg(test)]
mod tests {
    use super::fps_from_frame_time;

    #[test]
    fn rounded_frame_times_give_exact_rates() {
        let cases = [
            (0.0333333, 30.0),
            (0.033333, 30.0),
            (0.03333, 30.0),
            (0.033333333333333, 30.0),
            (0.00833333, 120.0),
            (0.0083333, 120.0),
            (0.016667, 60.0),
            (0.04, 25.0),
            (0.041667, 24.0),
            (0.0333667, 30_000.0 / 1_001.0),
            (0.041708, 24_000.0 / 1_001.0),
            (1.0 / 72.0, 72.0),
            (0.01, 100.0),
            (1.0 / 30.0, 30.0),
        ];
        for (seconds, fps) in cases {
            assert_eq!(fps_from_frame_time(seconds), fps, "{seconds}");
        }
    }

    #[test]
    fn other_frame_times_give_their_inverse() {
        for seconds in [0.03, 0.033, 0.0333, 0.0334, 0.01666, 0.0167, 0.0417, 0.0345678, 1.0 / 30.2, 0.5, 2.5] {
            assert_eq!(fps_from_frame_time(seconds), 1.0 / seconds, "{seconds}");
        }
    }
}
