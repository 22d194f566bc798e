//! `Frames: N` and `Frame Time: secs`, after MOTION.

use crate::error::Result;
use crate::motion::bvh::lenient;
use crate::motion::bvh::remarks::Remarks;
use crate::motion::bvh::scan::{Scanner, quote_word};
use crate::motion::bvh::{DEFAULT_FRAME_TIME_SECS, MAX_FRAME_TIME_SECS, MAX_FRAMES, MIN_FRAME_TIME_SECS};

/// Reads the header. Returns the number of frames, `None` if it is not stated, and the frame time, seconds.
pub(super) fn read(scan: &mut Scanner, strict: bool, remarks: &mut Remarks) -> Result<(Option<u64>, f64)> {
    if strict {
        let frames = read_frames(scan)?;
        return Ok((Some(frames), read_frame_time(scan)?));
    }
    scan.skip_comments(remarks);
    let start = scan.position();
    let frames = match read_frames(scan) {
        Ok(frames) => Some(frames),
        Err(error) if !scan.has_complete_line() => return Err(error),
        Err(_) => {
            scan.rewind(start);
            repair_frames(scan, remarks)
        }
    };
    scan.skip_comments(remarks);
    let start = scan.position();
    match read_frame_time(scan) {
        Ok(secs) => Ok((frames, secs)),
        Err(error) if !scan.has_complete_line() => Err(error),
        Err(_) => {
            scan.rewind(start);
            Ok((frames, repair_frame_time(scan, remarks)))
        }
    }
}

fn read_frames(scan: &mut Scanner) -> Result<u64> {
    read_label(scan, &["Frames"])?;
    scan.skip_space();
    let start = scan.position();
    let frames = scan.read_count()?;
    if frames > MAX_FRAMES {
        return Err(scan.fail_at(start, format!("{frames} frames: at most {MAX_FRAMES} are accepted")));
    }
    Ok(frames)
}

fn read_frame_time(scan: &mut Scanner) -> Result<f64> {
    read_label(scan, &["Frame", "Time"])?;
    scan.skip_space();
    let start = scan.position();
    let secs = scan.read_number()?;
    if !(MIN_FRAME_TIME_SECS..=MAX_FRAME_TIME_SECS).contains(&secs) {
        let message =
            format!("Frame Time must be seconds from {MIN_FRAME_TIME_SECS} to {MAX_FRAME_TIME_SECS}, not {secs}");
        return Err(scan.fail_at(start, message));
    }
    scan.skip_blanks();
    if !scan.is_line_end() {
        return Err(scan.fail("expected the end of the line after Frame Time"));
    }
    Ok(secs)
}

/// Reads a damaged line `Frames:`. A line with another beginning is not read.
fn repair_frames(scan: &mut Scanner, remarks: &mut Remarks) -> Option<u64> {
    let (start, line) = (scan.position(), scan.line(scan.position()));
    if read_label(scan, &["Frames"]).is_err() {
        scan.rewind(start);
        remarks.push(format!("line {line}: the line \"Frames:\" is missing; all rows were read"));
        return None;
    }
    let word = scan.skip_line().trim_ascii();
    let is_count = |value: &f64| (0.0..=MAX_FRAMES as f64).contains(value) && value.fract() == 0.0;
    let frames = lenient::number(word).or_else(|| lenient::number_with_comma(word)).filter(is_count);
    let read = frames.map_or("all rows were read".to_owned(), |frames| format!("it was read as {frames}"));
    remarks.push(format!("line {line}: {} is not a whole number of frames; {read}", quote_word(word)));
    frames.map(|frames| frames as u64)
}

/// Reads a damaged line `Frame Time:`. A line with another beginning is not read.
fn repair_frame_time(scan: &mut Scanner, remarks: &mut Remarks) -> f64 {
    let (start, line) = (scan.position(), scan.line(scan.position()));
    if read_label(scan, &["Frame", "Time"]).is_err() {
        scan.rewind(start);
        remarks.push(format!("line {line}: the line \"Frame Time:\" is missing; 30 frames per second were taken"));
        return DEFAULT_FRAME_TIME_SECS;
    }
    scan.skip_blanks();
    let rest = scan.skip_line();
    let word = rest.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let is_valid = |secs: &f64| (MIN_FRAME_TIME_SECS..=MAX_FRAME_TIME_SECS).contains(secs);
    let secs = lenient::number(word).or_else(|| lenient::number_with_comma(word)).filter(is_valid);
    remarks.push(match secs {
        Some(secs) => format!("line {line}: {} was read as {secs} seconds", quote_word(rest.trim_ascii())),
        None => {
            format!("line {line}: {} is no frame time; 30 frames per second were taken", quote_word(rest.trim_ascii()))
        }
    });
    secs.unwrap_or(DEFAULT_FRAME_TIME_SECS)
}

/// Reads words and a colon; spaces before the colon are optional.
fn read_label(scan: &mut Scanner, words: &[&str]) -> Result<()> {
    scan.skip_space();
    let start = scan.position();
    for word in words {
        scan.skip_blanks();
        if !scan.skip_literal(word) {
            let found = quote_word(scan.peek_word());
            return Err(scan.fail_at(start, format!("expected \"{}:\", found {found}", words.join(" "))));
        }
    }
    scan.skip_blanks();
    if !scan.skip_literal(":") {
        return Err(scan.fail(format!("expected \":\" after \"{}\"", words.join(" "))));
    }
    Ok(())
}
