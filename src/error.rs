//! The error type of the crate: each variant says what is wrong, where, and how to fix it.

use std::borrow::Cow;

/// Length to which quoted names are shortened, characters.
const MAX_NAME_LENGTH: usize = 64;
/// Length to which messages are shortened, characters.
const MAX_MESSAGE_LENGTH: usize = 2000;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// All errors that user input can cause. `Display` writes one sentence for people; [`Error::code`] returns a stable
/// identifier for programs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A BVH file violates the format. Line and column count from 1; column in bytes.
    #[error("line {line}, column {column}: {}", clean(message))]
    Bvh {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What was found and what was expected, and how to fix it.
        message: String,
    },
    /// A limit is exceeded. Limits are public constants next to the code that they protect.
    #[error("{what}: {found} exceeds the limit of {limit}")]
    Limit {
        /// The exceeded quantity.
        what: &'static str,
        /// Its value.
        found: u64,
        /// Its largest accepted value.
        limit: u64,
    },
    /// A skeleton is not a forest in parents-first order.
    #[error("joint {joint} ({}): {}", quoted(name), clean(message))]
    Skeleton {
        /// Joint index.
        joint: usize,
        /// Joint name.
        name: String,
        /// Description of the fault.
        message: String,
    },
    /// A clip's arrays do not fit its skeleton, or hold values that are not finite.
    #[error("clip {}: {}", quoted(clip), clean(message))]
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
    /// A role that an operation needs is not mapped, or a mapping is wrong.
    #[error("{}{}", if clip.is_empty() { String::new() } else { format!("clip {}: ", quoted(clip)) }, clean(message))]
    Rig {
        /// Clip name; empty if the mapping belongs to a skeleton without a clip.
        clip: String,
        /// The missing or doubtful role, and how to correct it.
        message: String,
    },
    /// An option is out of its range.
    #[error("option {option}: {}", clean(message))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its range, and the value that was passed.
        message: String,
    },
    /// A GLB could not be read or written.
    #[error("GLB: {}", clean(message))]
    Glb {
        /// Description and location of the fault.
        message: String,
    },
    /// A file cannot be read or written, or has unexpected contents.
    #[error("{}: {}", clean(path), clean(message))]
    File {
        /// Path of the file.
        path: String,
        /// Description of the fault, and how to fix it.
        message: String,
    },
    /// The weights of a network cannot be loaded.
    #[error("weights: {}", clean(message))]
    Weights {
        /// Description of the fault in the file, and how to fix it.
        message: String,
    },
    /// A requested device for networks is missing or lost.
    #[error("device: {}", clean(message))]
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

/// Quotes a name from a file or a caller for messages: shortened to 64 characters, with unprintable characters replaced
/// by U+FFFD.
pub fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(MAX_NAME_LENGTH + 8);
    text.push('"');
    text.extend(name.chars().take(MAX_NAME_LENGTH).map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }));
    text.push_str(if name.chars().nth(MAX_NAME_LENGTH).is_some() { "…\"" } else { "\"" });
    text
}

/// Shortens a message, which may quote a file or a caller, to 2,000 characters, and replaces unprintable characters by
/// U+FFFD.
fn clean(message: &str) -> Cow<'_, str> {
    if message.len() <= MAX_MESSAGE_LENGTH && !message.contains(is_unprintable) {
        return Cow::Borrowed(message);
    }
    let mut text: String =
        message.chars().take(MAX_MESSAGE_LENGTH).map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }).collect();
    if message.chars().nth(MAX_MESSAGE_LENGTH).is_some() {
        text.push('…');
    }
    Cow::Owned(text)
}

/// Returns whether a character is unprintable: a control character (such as the start of a terminal escape sequence), a
/// mark of writing direction, a byte order mark, or a line or paragraph separator.
fn is_unprintable(c: char) -> bool {
    let is_mark_or_separator = matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    );
    c.is_control() || is_mark_or_separator
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
    fn errors_contain_no_escape_sequences_and_no_long_names() {
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
