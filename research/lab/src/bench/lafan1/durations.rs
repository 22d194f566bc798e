//! Foot skate of gaps whose duration differs from the recording's: Table 7 of Tang et al. 2022.

use super::Method;
use super::score::weighted_skate;
use crate::Outcome;
use crate::report::Report;
use crate::window::{PAST, Window};

/// Length of the removed part of the recording, frames.
const GAP: usize = 30;
/// From twice this number of generated frames per duration on, windows are left out, so that at least this number and
/// fewer than twice as many remain.
const MAX_FRAMES: usize = 100_000;
/// Cell for a gap too long for the method.
const NONE: &str = "–";

/// Adds the table. The truth row is the recording at its own pace.
pub fn table(windows: &[Window], methods: &[(&str, Method)], durations: &[usize], report: &mut Report) -> Outcome {
    let every = |frames: usize| (windows.len() * frames / MAX_FRAMES).max(1);
    let head = durations.iter().map(|&frames| {
        let speed = (GAP as f32 / frames as f32 * 100.0).round() / 100.0;
        format!("{frames} ({speed}×, {} windows)", windows.len().div_ceil(every(frames)))
    });
    let caption = format!("Foot skate, cm a frame: {GAP} frames of the recording filled with another number of frames");
    report.table(caption, std::iter::once("method".to_owned()).chain(head));
    let mut is_left_out = false;
    for (name, method) in methods {
        let cells: Outcome<Vec<String>> = durations
            .iter()
            .map(|&frames| {
                let (mut sum, mut count) = (0.0, 0.0);
                for window in windows.iter().step_by(every(frames)) {
                    let gap = match *name {
                        "truth" => window.world(PAST..PAST + GAP),
                        _ => match method(&window.with_gap_length(GAP, frames), frames) {
                            Err(error) if is_refused(error.as_ref()) => return Ok(NONE.to_owned()),
                            gap => gap?,
                        },
                    };
                    sum += weighted_skate(&window.world(PAST - 1..PAST), &gap);
                    count += 1.0;
                }
                Ok(format!("{:.3}", sum / count))
            })
            .collect();
        let cells = cells?;
        is_left_out |= cells.iter().any(|cell| cell == NONE);
        report.row(std::iter::once((*name).to_owned()).chain(cells));
    }
    if is_left_out {
        report.note(format!("{NONE}: more frames than the method fills at once"));
    }
    Ok(())
}

/// Whether the error means that the gap is too long for the method.
fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(kinestitch::Error::Option { option: "frames", .. }))
}
