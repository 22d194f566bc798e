//! Reading of damaged text: comments, numbers that are none, values without a line structure.

use crate::motion::bvh::MAX_VALUE;
use crate::motion::bvh::remarks::{Damage, Remarks};
use crate::motion::bvh::scan::{Scanner, is_space, quote_word};

/// First bytes of comments.
const COMMENTS: [&[u8]; 4] = [b"#", b"//", b";", b"%"];

impl<'a> Scanner<'a> {
    /// Skips whitespace and lines that are comments.
    pub(super) fn skip_comments(&mut self, remarks: &mut Remarks) {
        loop {
            self.skip_space();
            let start = self.position;
            if !COMMENTS.iter().any(|comment| self.bytes[start..].starts_with(comment)) {
                return;
            }
            remarks.count(Damage::Text, || self.line(start), String::new);
            self.skip_line();
        }
    }

    /// Skips the remaining line, and returns it without its end.
    pub(super) fn skip_line(&mut self) -> &'a [u8] {
        let start = self.position;
        while !self.is_line_end() {
            self.position += 1;
        }
        &self.bytes[start..self.position]
    }

    /// Reads the blanks up to the next other byte.
    pub(super) fn read_blanks(&mut self) -> &'a [u8] {
        let start = self.position;
        self.skip_blanks();
        &self.bytes[start..self.position]
    }

    /// Reads the values of a line. A value that is not a number, or beyond [`MAX_VALUE`], is NaN. `None` for a line
    /// without any number.
    pub(super) fn read_values(&mut self, remarks: &mut Remarks) -> Option<Vec<f64>> {
        let start = self.position;
        let line = self.skip_line();
        let mut values = Vec::new();
        let (mut first_bad, mut first_comma) = (None, None);
        for word in line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()) {
            let value = number(word).or_else(|| {
                let value = number_with_comma(word)?;
                first_comma.get_or_insert(word);
                Some(value)
            });
            if value.is_none() {
                first_bad.get_or_insert(word);
            }
            values.push(value.unwrap_or(f64::NAN));
        }
        let is_comment = COMMENTS.iter().any(|comment| line.trim_ascii_start().starts_with(comment));
        if is_comment || values.iter().all(|value| value.is_nan()) {
            remarks.count(Damage::Text, || self.line(start), String::new);
            return None;
        }
        for (damage, word) in [(Damage::Value, first_bad), (Damage::Comma, first_comma)] {
            if let Some(word) = word {
                remarks.count(damage, || self.line(start), || quote_word(word));
            }
        }
        Some(values)
    }
}

/// Parses a finite number within ±[`MAX_VALUE`].
pub(super) fn number(word: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    (value.abs() <= MAX_VALUE).then_some(value)
}

/// Parses a number whose decimals follow a comma.
pub(super) fn number_with_comma(word: &[u8]) -> Option<f64> {
    let commas = word.iter().filter(|&&byte| byte == b',').count();
    let has_point = word.contains(&b'.');
    (commas == 1 && !has_point)
        .then(|| word.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect::<Vec<u8>>())
        .and_then(|word| number(&word))
}
