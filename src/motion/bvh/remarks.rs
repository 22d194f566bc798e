//! Repairs of a damaged file, for the user: one sentence for each kind of damage, with the first line of it.

use std::fmt::Write;

/// Kinds of damage that the reader repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    /// A value that is not a number.
    Value,
    /// A number with a decimal comma.
    Comma,
    /// Rows that are written on several lines, or several on one.
    Wrapped,
    /// A row with too few numbers.
    Short,
    /// A row with too many numbers.
    Long,
    /// A line without any number.
    Text,
}

impl Damage {
    /// Returns what was done, for the first line of the damage and the number of other places. `detail`: the value
    /// or the numbers of the first place.
    fn describe(self, detail: &str) -> String {
        match self {
            Self::Value => format!("{detail} is not a number; it was interpolated from the rows before and after"),
            Self::Comma => format!("{detail} has a comma, which was read as a decimal point"),
            Self::Wrapped => {
                "the row does not fill exactly one line; rows were joined by their number of values".into()
            }
            Self::Short => format!("the row has {detail} numbers; the frame was interpolated"),
            Self::Long => format!("the row has {detail} numbers; those at its end were left out"),
            Self::Text => "the line is a comment or holds no numbers; it was skipped".into(),
        }
    }
}

/// Sentences for the user, and counts of damage.
#[derive(Debug, Clone, Default)]
pub(super) struct Remarks {
    sentences: Vec<String>,
    damage: Vec<(Damage, usize, String, usize)>,
    /// Contents of the file that the clip lacks.
    pub left_out: Vec<String>,
}

impl Remarks {
    /// Adds a sentence.
    pub(super) fn push(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// Counts damage. `line` and `detail` are used only for the first of its kind.
    pub(super) fn count(&mut self, damage: Damage, line: impl FnOnce() -> usize, detail: impl FnOnce() -> String) {
        match self.damage.iter_mut().find(|(kind, ..)| *kind == damage) {
            Some((_, _, _, count)) => *count += 1,
            None => self.damage.push((damage, line(), detail(), 1)),
        }
    }

    /// Returns the sentences, and what was left out.
    pub(super) fn finish(self) -> (Vec<String>, Vec<String>) {
        let mut sentences = self.sentences;
        for (damage, line, detail, count) in self.damage {
            let mut sentence = format!("line {line}: {}", damage.describe(&detail));
            if count > 1 {
                let _ = write!(sentence, " (and the same at {} more places)", count - 1);
            }
            sentences.push(sentence);
        }
        (sentences, self.left_out)
    }
}
