//! Frame rates from rounded frame times: files write 30 frames per second as 0.0333333, 0.033333 or 0.0333.

/// Video rates that are not whole numbers.
const VIDEO: [f64; 3] = [24_000.0 / 1_001.0, 30_000.0 / 1_001.0, 60_000.0 / 1_001.0];
/// Numbers of decimals to which files round frame times.
const DIGITS: [i32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// Relative precision of frame times with more decimals: these were computed, not rounded.
const COMPUTED: f64 = 1e-9;
/// Largest relative change of a rate, however few the decimals.
const FARTHEST: f64 = 2e-3;

/// The whole or usual rate whose frame time, rounded to the same decimals, equals this one; else exactly its inverse.
pub fn fps_from_frame_time(frame_time_secs: f64) -> f64 {
    let is_whole = |digits: &i32| {
        let scaled = frame_time_secs * 10f64.powi(*digits);
        (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1e-3)
    };
    // Some files truncate instead of rounding: the error is up to one unit of the last decimal.
    let digits = DIGITS.iter().find(|digits| is_whole(digits));
    let unit = digits.map_or(0.0, |&digits| 10f64.powi(-digits));
    let reach = unit.clamp(COMPUTED * frame_time_secs, FARTHEST * frame_time_secs);
    let exact = 1.0 / frame_time_secs;
    let away = |rate: f64| (1.0 / rate - frame_time_secs).abs();
    let usual = [exact.round().max(1.0)].into_iter().chain(VIDEO);
    let nearest = usual.min_by(|&a, &b| away(a).total_cmp(&away(b))).unwrap_or(exact);
    if away(nearest) <= reach { nearest } else { exact }
}

#[cfg(test)]
mod tests {
    use super::fps_from_frame_time;

    #[test]
    fn rounded_frame_times_are_their_rates() {
        let cases = [
            (0.0333333, 30.0),
            (0.033333, 30.0),
            (0.03333, 30.0),
            (0.0333, 30.0),
            (0.033333333333333, 30.0),
            (0.00833333, 120.0),
            (0.0083333, 120.0),
            (0.016667, 60.0),
            (0.01666, 60.0),
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
    fn what_is_no_usual_rate_is_kept() {
        for seconds in [0.03, 0.033, 0.0345678, 1.0 / 30.2, 0.5, 2.5] {
            assert_eq!(fps_from_frame_time(seconds), 1.0 / seconds, "{seconds}");
        }
    }
}
