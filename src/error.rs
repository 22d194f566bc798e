//! The one error type: each variant says what is wrong, where, and what to do about it.

use std::borrow::Cow;

/// Letters of a quoted name at most.
const LONGEST_NAME: usize = 64;
/// Letters of a message at most.
const LONGEST_MESSAGE: usize = 2000;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong on user input. `Display` is one sentence for people,
/// [`Error::code`] a stable word for programs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A BVH file breaks the format. Line and column count from 1; column in bytes.
    #[error("line {line}, column {column}: {}", tidy(message))]
    Bvh {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What was found, what was expected, what to do.
        message: String,
    },
    /// A named limit is exceeded (limits are public constants beside what they protect).
    #[error("{what}: {found} is over the limit of {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// The size found.
        found: u64,
        /// The largest size accepted.
        limit: u64,
    },
    /// A skeleton is not a forest in parents-first order.
    #[error("joint {joint} ({}): {}", quoted(name), tidy(message))]
    Skeleton {
        /// Joint index.
        joint: usize,
        /// Joint name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A clip's arrays do not fit its skeleton, or hold values that are not finite.
    #[error("clip {}: {}", quoted(clip), tidy(message))]
    Clip {
        /// Clip name.
        clip: String,
        /// What is wrong with it.
        message: String,
    },
    /// A clip is shorter than an operation needs.
    #[error("clip {} has {frames} frames, at least {needed} are needed; trim less or use a longer clip", quoted(clip))]
    TooShort {
        /// Clip name.
        clip: String,
        /// Frames it has, after trimming.
        frames: usize,
        /// Frames it needs.
        needed: usize,
    },
    /// A rig could not be mapped where a mapping is needed.
    #[error("{}{}", if clip.is_empty() { String::new() } else { format!("clip {}: ", quoted(clip)) }, tidy(message))]
    Rig {
        /// Clip name; empty where the mapping of a skeleton, not of a clip, is at fault.
        clip: String,
        /// Which role is missing or doubtful, and how to correct it.
        message: String,
    },
    /// An option is out of its range.
    #[error("option {option}: {}", tidy(message))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its range and what was given.
        message: String,
    },
    /// A GLB could not be read or written.
    #[error("GLB: {}", tidy(message))]
    Glb {
        /// What is wrong, and where.
        message: String,
    },
    /// A file cannot be read or written, or holds something else than was expected.
    #[error("{}: {}", tidy(path), tidy(message))]
    File {
        /// Path of the file.
        path: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// A network's weights do not load.
    #[error("weights: {}", tidy(message))]
    Weights {
        /// What is wrong with the file, and what to do.
        message: String,
    },
    /// A device that networks were to run on is missing or lost.
    #[error("device: {}", tidy(message))]
    Device {
        /// What is missing, and what to do.
        message: String,
    },
    /// The caller asked to stop.
    #[error("aborted")]
    Aborted,
}

impl Error {
    /// Stable, kebab-case word for programs: the `code` of the npm package's errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Bvh { .. } => "bvh",
            Error::Limit { .. } => "limit",
            Error::Skeleton { .. } => "skeleton",
            Error::Clip { .. } => "clip",
            Error::TooShort { .. } => "too-short",
            Error::Rig { .. } => "rig",
            Error::Option { .. } => "option",
            Error::Glb { .. } => "glb",
            Error::File { .. } => "file",
            Error::Weights { .. } => "weights",
            Error::Device { .. } => "device",
            Error::Aborted => "aborted",
        }
    }
}

/// A name of a file's or a caller's as messages show it: in quotation marks, at most 64 letters, and U+FFFD in place of what
/// acts on a terminal instead of being seen.
pub fn quoted(name: &str) -> String {
    let mut shown = String::with_capacity(LONGEST_NAME + 8);
    shown.push('"');
    shown.extend(name.chars().take(LONGEST_NAME).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }));
    shown.push_str(if name.chars().nth(LONGEST_NAME).is_some() { "…\"" } else { "\"" });
    shown
}

/// A message that may hold texts of others: at most 2,000 letters, without what acts on a terminal.
fn tidy(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_MESSAGE && !message.contains(is_unseen) {
        return Cow::Borrowed(message);
    }
    let mut shown: String =
        message.chars().take(LONGEST_MESSAGE).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect();
    if message.chars().nth(LONGEST_MESSAGE).is_some() {
        shown.push('…');
    }
    Cow::Owned(shown)
}

/// Controls (escape sequences of terminals begin with one), marks of writing direction, line and paragraph separators.
fn is_unseen(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    c.is_control() || is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_printable() {
        assert_eq!(quoted("Hips"), "\"Hips\"");
        assert_eq!(quoted("a\u{1b}[31mb\n\u{9b}\u{202e}c"), "\"a\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}c\"");
        assert_eq!(quoted(&"é".repeat(64)).chars().count(), 66);
        assert_eq!(quoted(&"é".repeat(10_000_000)).chars().count(), 67);
    }

    #[test]
    fn no_error_passes_on_escapes_or_long_names() {
        let long = "\u{1b}[2J".repeat(1_000_000);
        let (path, name, clip, message) = (long.clone(), long.clone(), long.clone(), long);
        let errors = [
            Error::Bvh { line: 1, column: 1, message: message.clone() },
            Error::Skeleton { joint: 0, name, message: message.clone() },
            Error::Clip { clip: clip.clone(), message: message.clone() },
            Error::TooShort { clip: clip.clone(), frames: 0, needed: 1 },
            Error::Rig { clip, message: message.clone() },
            Error::Option { option: "fps", message: message.clone() },
            Error::Glb { message: message.clone() },
            Error::File { path, message: message.clone() },
            Error::Weights { message: message.clone() },
            Error::Device { message },
        ];
        for error in errors {
            let text = error.to_string();
            assert!(!text.contains('\u{1b}') && text.chars().count() < 4100, "{}", error.code());
        }
    }
}
