//! The names of channels.

use crate::error::Result;
use crate::motion::bvh::hierarchy::is_keyword;
use crate::motion::bvh::remarks::Remarks;
use crate::motion::bvh::scan::{Scanner, quote_word};
use crate::motion::skeleton::Channel;

/// Names of channels as the writer spells them; the reader accepts upper and lower case.
pub(super) const NAMES: [(&str, Channel); 6] = [
    ("Xposition", Channel::Xposition),
    ("Yposition", Channel::Yposition),
    ("Zposition", Channel::Zposition),
    ("Xrotation", Channel::Xrotation),
    ("Yrotation", Channel::Yrotation),
    ("Zrotation", Channel::Zrotation),
];
/// Channels that some programs write and a clip does not have.
const SCALES: [&str; 3] = ["Xscale", "Yscale", "Zscale"];

/// Reads the number of channels and their names, after the word CHANNELS. A column that is not read is `None`.
pub(super) fn read(scan: &mut Scanner, strict: bool, remarks: &mut Remarks) -> Result<Vec<Option<Channel>>> {
    scan.skip_space();
    let start = scan.position();
    let count = scan.read_count()?;
    let limit = if strict { 6 } else { 9 };
    if count > limit {
        return Err(scan.fail_at(start, format!("{count} channels: a joint has at most {limit}")));
    }
    let mut columns = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let Some(column) = read_one(scan, count, &columns, strict, remarks)? else { break };
        columns.push(column);
    }
    while !strict && columns.len() < limit as usize && is_channel(scan.peek_word()) {
        let Some(column) = read_one(scan, count, &columns, strict, remarks)? else { break };
        columns.push(column);
    }
    if columns.len() as u64 != count {
        let line = scan.line(start);
        remarks.push(format!("line {line}: CHANNELS states {count}, but {} are named; these were read", columns.len()));
    }
    Ok(columns)
}

/// Reads one name. `None`: the word is no channel, and was not read.
fn read_one(
    scan: &mut Scanner,
    count: u64,
    columns: &[Option<Channel>],
    strict: bool,
    remarks: &mut Remarks,
) -> Result<Option<Option<Channel>>> {
    scan.skip_space();
    let start = scan.position();
    let word = scan.read_word();
    if !strict && SCALES.iter().any(|name| is_keyword(word, name)) {
        let phrase = "scale channels: a clip has no scales";
        if !remarks.left_out.iter().any(|known| known == phrase) {
            remarks.left_out.push(phrase.to_owned());
        }
        return Ok(Some(None));
    }
    let Some(&(_, channel)) = NAMES.iter().find(|(name, _)| is_keyword(word, name)) else {
        // The first word that is no channel: a joint's next item follows, so fewer channels are named than counted.
        if !strict && !columns.is_empty() && [&b"JOINT"[..], b"End", b"}"].contains(&word) {
            scan.rewind(start);
            return Ok(None);
        }
        let message =
            format!("expected {count} channel names such as Xposition or Zrotation, found {}", quote_word(word));
        return Err(scan.fail_at(start, message));
    };
    if columns.contains(&Some(channel)) {
        if strict {
            return Err(scan.fail_at(start, format!("{} is listed twice", quote_word(word))));
        }
        remarks.push(format!(
            "line {}: {} is listed twice; its first column is read",
            scan.line(start),
            quote_word(word)
        ));
        return Ok(Some(None));
    }
    Ok(Some(Some(channel)))
}

fn is_channel(word: &[u8]) -> bool {
    NAMES.iter().map(|(name, _)| name).chain(&SCALES).any(|name| is_keyword(word, name))
}
