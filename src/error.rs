//! The error type of the crate: each variant says what is wrong, where, and how to fix it.

use std::borrow::Cow;

/// Longest quoted name, characters.
const LONGEST_NAME: usize = 64;
/// Longest message, characters.
const LONGEST_MESSAGE: usize = 2000;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// All errors that user input can cause. `Display` writes one sentence for people; [`Error::code`] returns a stable
/// identifier for programs.
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
        /// Found value, expected value, and how to fix it.
        message: String,
    },
    /// A limit is exceeded (limits are public constants next to the code they protect).
    #[error("{what}: {found} is over the limit of {limit}")]
    Limit {
        /// The exceeded quantity.
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
        /// Description of the fault.
        message: String,
    },
    /// A clip's arrays do not fit its skeleton, or hold values that are not finite.
    #[error("clip {}: {}", quoted(clip), tidy(message))]
    Clip {
        /// Clip name.
        clip: String,
        /// Description of the fault.
        message: String,
    },
    /// A clip is shorter than an operation needs.
    #[error("clip {} has {frames} frames, at least {needed} are needed; trim less or use a longer clip", quoted(clip))]
    TooShort {
        /// Clip name.
        clip: String,
        /// Number of frames of the clip, after trimming.
        frames: usize,
        /// Number of frames that the operation needs.
        needed: usize,
    },
    /// A rig could not be mapped where a mapping is needed.
    #[error("{}{}", if clip.is_empty() { String::new() } else { format!("clip {}: ", quoted(clip)) }, tidy(message))]
    Rig {
        /// Clip name; empty if the mapping belongs to a skeleton without a clip.
        clip: String,
        /// The missing or doubtful role, and how to correct it.
        message: String,
    },
    /// An option is out of its range.
    #[error("option {option}: {}", tidy(message))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its range and the given value.
        message: String,
    },
    /// A GLB could not be read or written.
    #[error("GLB: {}", tidy(message))]
    Glb {
        /// Description and location of the fault.
        message: String,
    },
    /// A file cannot be read or written, or has unexpected contents.
    #[error("{}: {}", tidy(path), tidy(message))]
    File {
        /// Path of the file.
        path: String,
        /// Description of the fault, and how to fix it.
        message: String,
    },
    /// The weights of a network cannot be loaded.
    #[error("weights: {}", tidy(message))]
    Weights {
        /// Description of the fault in the file, and how to fix it.
        message: String,
    },
    /// A requested device for networks is missing or lost.
    #[error("device: {}", tidy(message))]
    Device {
        /// The missing device, and how to fix it.
        message: String,
    },
    /// The caller stopped the computation.
    #[error("aborted")]
    Aborted,
}

impl Error {
    /// Returns a stable kebab-case identifier for programs: the `code` of the npm package's errors.
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

/// Quotes a name from a file or a caller for messages: at most 64 characters, with control characters replaced by
/// U+FFFD.
pub fn quoted(name: &str) -> String {
    let mut shown = String::with_capacity(LONGEST_NAME + 8);
    shown.push('"');
    shown.extend(name.chars().take(LONGEST_NAME).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }));
    shown.push_str(if name.chars().nth(LONGEST_NAME).is_some() { "…\"" } else { "\"" });
    shown
}

/// Shortens a message, which may quote a file or a caller, to 2,000 characters, and replaces control characters
/// by U+FFFD.
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

/// Returns whether a character is invisible: a control character (such as the start of a terminal escape sequence), a
/// mark of writing direction, or a line or paragraph separator.
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
