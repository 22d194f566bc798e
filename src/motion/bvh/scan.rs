//! Bytes → words and numbers, with positions for errors. ASCII whitespace separates words; a brace is always a word.

use crate::error::{Error, Result, quoted};
use crate::motion::bvh::MAX_VALUE;
use std::cell::Cell;

/// A cursor over the file. Line and column are computed only for errors.
pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) position: usize,
    /// A byte offset and its line, from which [`Scanner::line`] counts on.
    known_line: Cell<(usize, usize)>,
    /// Whether `bytes` reach to the end of the file; if not, a word at their end may be incomplete.
    is_whole: bool,
}

/// Byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Powers of ten that a double holds exactly (Clinger 1990: a mantissa of at most 2^53, multiplied or divided by
/// one of them, is rounded only once).
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl<'a> Scanner<'a> {
    /// Creates a scanner of a file, positioned after a UTF-8 byte order mark.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: byte_order_mark(bytes), known_line: Cell::new((0, 1)), is_whole: true }
    }

    /// Creates a scanner of the beginning of a file.
    pub(super) fn beginning(bytes: &'a [u8]) -> Self {
        Self { is_whole: false, ..Self::new(bytes) }
    }

    /// Creates a scanner of a file's remaining bytes, after `lines_before` lines.
    pub(super) fn resume(bytes: &'a [u8], lines_before: usize) -> Self {
        Self { bytes, position: 0, known_line: Cell::new((0, 1 + lines_before)), is_whole: true }
    }

    /// Refuses files that begin with a byte order mark of UTF-16.
    pub(super) fn reject_utf16(&self) -> Result<()> {
        if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
            return Err(self.fail("the file is UTF-16: save it as UTF-8"));
        }
        Ok(())
    }

    /// Returns the byte offset of the cursor, for a later [`Scanner::fail_at`].
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Returns the number of bytes not read yet.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// Returns whether the next line with a word is complete: more bytes after the last one cannot change it.
    pub(super) fn has_complete_line(&self) -> bool {
        let mut remaining = self.bytes[self.position..].iter().copied().skip_while(|&byte| is_space(byte));
        self.is_whole || remaining.any(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Moves the cursor to a byte offset of [`Scanner::position`].
    pub(super) fn rewind(&mut self, position: usize) {
        self.position = position;
    }

    /// Returns the line of a byte offset, from 1. LF, CRLF and CR end lines. In sequence, all calls together read the
    /// bytes once.
    #[cold]
    pub(super) fn line(&self, position: usize) -> usize {
        let (mut start, mut line) = self.known_line.get();
        if position < start {
            // Only a position before the last error is earlier, at most by a line or two.
            while start > position {
                start -= 1;
                line -= usize::from(self.ends_line(start));
            }
        } else {
            line += (start..position.min(self.bytes.len())).filter(|&index| self.ends_line(index)).count();
        }
        self.known_line.set((position, line));
        line
    }

    fn ends_line(&self, index: usize) -> bool {
        let byte = self.bytes[index];
        byte == b'\n' || (byte == b'\r' && self.bytes.get(index + 1) != Some(&b'\n'))
    }

    /// Returns the next byte without reading it.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// Skips whitespace, line ends included.
    pub(super) fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.position += 1;
        }
    }

    /// Skips whitespace up to the end of the line.
    #[inline(always)]
    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | 0x0b | 0x0c) = self.peek() {
            self.position += 1;
        }
    }

    /// Returns whether the line or the file ends at the cursor.
    #[inline(always)]
    pub(super) fn is_line_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r'))
    }

    /// Reads the next word, across line ends: a brace, or a run of other characters. Empty at the end of the file.
    pub(super) fn read_word(&mut self) -> &'a [u8] {
        self.skip_space();
        let start = self.position;
        if let Some(b'{' | b'}') = self.peek() {
            self.position += 1;
        } else {
            while self.peek().is_some_and(|b| !is_space(b) && b != b'{' && b != b'}') {
                self.position += 1;
            }
        }
        &self.bytes[start..self.position]
    }

    /// Returns the next word without reading it.
    pub(super) fn peek_word(&mut self) -> &'a [u8] {
        self.skip_space();
        let start = self.position;
        let word = self.read_word();
        self.position = start;
        word
    }

    /// Reads a joint's name: the line up to its end or an opening brace, trimmed. A name may contain spaces.
    pub(super) fn read_name(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.position;
        while self.peek().is_some_and(|b| !matches!(b, b'\n' | b'\r' | b'{')) {
            self.position += 1;
        }
        self.bytes[start..self.position].trim_ascii_end()
    }

    /// Reads a word that must be `expected` (any case).
    pub(super) fn read_keyword(&mut self, expected: &str) -> Result<()> {
        self.skip_space();
        let start = self.position;
        let word = self.read_word();
        if word.eq_ignore_ascii_case(expected.as_bytes()) {
            return Ok(());
        }
        Err(self.fail_at(start, format!("expected {expected}, found {}", quote_word(word))))
    }

    /// Reads `text` (any case) if it is next, and returns whether it was.
    pub(super) fn skip_literal(&mut self, text: &str) -> bool {
        let remaining = &self.bytes[self.position..];
        let matches = remaining.len() >= text.len() && remaining[..text.len()].eq_ignore_ascii_case(text.as_bytes());
        if matches {
            self.position += text.len();
        }
        matches
    }

    /// Reads the next number, across line ends; it must be finite and within ±[`MAX_VALUE`].
    #[inline(never)]
    pub(super) fn read_number(&mut self) -> Result<f64> {
        self.skip_space();
        self.read_number_here()
    }

    /// Reads the number that starts at the cursor.
    #[inline(always)]
    pub(super) fn read_number_here(&mut self) -> Result<f64> {
        let start = self.position;
        let bytes = self.bytes;
        let mut index = start;
        let is_negative = matches!(bytes.get(index), Some(b'-'));
        if let Some(b'-' | b'+') = bytes.get(index) {
            index += 1;
        }
        let mut mantissa = 0u64;
        let first = index;
        while let Some(digit) = digit(bytes, index) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            index += 1;
        }
        let mut digits = index - first;
        let mut exponent = 0i32;
        if let Some(b'.') = bytes.get(index) {
            index += 1;
            let first = index;
            while let Some(digit) = digit(bytes, index) {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
                index += 1;
            }
            digits += index - first;
            exponent = -i32::try_from(index - first).unwrap_or(i32::MAX);
        }
        if digits > 0
            && let Some(b'e' | b'E') = bytes.get(index)
        {
            let Some((value, end)) = decimal_exponent(bytes, index + 1) else { return Err(self.not_a_number()) };
            exponent = exponent.saturating_add(value);
            index = end;
        }
        let is_word_end = bytes.get(index).is_none_or(|&b| is_space(b) || b == b'{' || b == b'}');
        if digits == 0 || !is_word_end {
            return Err(self.not_a_number());
        }
        let magnitude = if digits <= 19 && mantissa <= 1 << 53 && (-22..=22).contains(&exponent) {
            let tens = TENS[exponent.unsigned_abs() as usize];
            if exponent < 0 { mantissa as f64 / tens } else { mantissa as f64 * tens }
        } else {
            parse_exactly(&bytes[first..index])
        };
        if magnitude > MAX_VALUE {
            return Err(
                self.fail(format!("{} is too large: at most {MAX_VALUE:e} is accepted", quote_word(self.token())))
            );
        }
        self.position = index;
        Ok(if is_negative { -magnitude } else { magnitude })
    }

    /// Reads a non-negative integer.
    pub(super) fn read_count(&mut self) -> Result<u64> {
        self.skip_space();
        let start = self.position;
        let word = self.read_word();
        let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
        value.ok_or_else(|| self.fail_at(start, format!("expected a whole number, found {}", quote_word(word))))
    }

    /// Returns the bytes from the cursor to the next whitespace.
    fn token(&self) -> &'a [u8] {
        let remaining = &self.bytes[self.position..];
        &remaining[..remaining.iter().position(|&b| is_space(b)).unwrap_or(remaining.len())]
    }

    #[cold]
    fn not_a_number(&self) -> Error {
        let token = self.token();
        let has_comma = token.contains(&b',') && token.iter().all(|b| b.is_ascii_digit() || b"+-.,eE".contains(b));
        let lower = token.to_ascii_lowercase();
        let message = if has_comma {
            format!("{} has a comma: use a point for decimals, and spaces between numbers", quote_word(token))
        } else if lower.windows(3).any(|w| w == b"nan" || w == b"inf" || w == b"ind") {
            format!("{} is not a finite number: the program that wrote the file made an error here", quote_word(token))
        } else {
            format!("expected a number, found {}", quote_word(token))
        };
        self.fail(message)
    }

    /// Creates an error at the cursor.
    pub(super) fn fail(&self, message: impl Into<String>) -> Error {
        self.fail_at(self.position, message)
    }

    /// Creates an error at a byte offset.
    #[cold]
    pub(super) fn fail_at(&self, position: usize, message: impl Into<String>) -> Error {
        let position = position.min(self.bytes.len());
        let start = (0..position).rev().find(|&index| self.ends_line(index)).map(|index| index + 1);
        // Editors do not count the byte order mark as a column.
        let start = start.unwrap_or_else(|| byte_order_mark(&self.bytes[..position]));
        Error::Bvh { line: self.line(position), column: position - start + 1, message: message.into() }
    }
}

/// Returns the length of the UTF-8 byte order mark at the start of `bytes`; 0 if there is none.
fn byte_order_mark(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Counts line ends: LF, CRLF and CR.
pub(super) fn count_line_ends(bytes: &[u8]) -> usize {
    let is_lone_cr = |pair: &&[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    bytes.iter().filter(|&&b| b == b'\n').count()
        + bytes.windows(2).filter(is_lone_cr).count()
        + usize::from(bytes.last() == Some(&b'\r'))
}

/// Parses a number that the fast path does not cover, correctly rounded. The bytes are ASCII digits, point and
/// exponent.
#[cold]
fn parse_exactly(bytes: &[u8]) -> f64 {
    std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY)
}

/// Reads an exponent at `index`: a sign, if there is one, and digits. Returns the exponent and the index after it;
/// `None` without digits.
#[inline(always)]
fn decimal_exponent(bytes: &[u8], mut index: usize) -> Option<(i32, usize)> {
    let is_negative = matches!(bytes.get(index), Some(b'-'));
    if let Some(b'-' | b'+') = bytes.get(index) {
        index += 1;
    }
    let first = index;
    let mut value = 0i32;
    while let Some(digit) = digit(bytes, index) {
        value = value.saturating_mul(10).saturating_add(digit as i32);
        index += 1;
    }
    (index > first).then_some((if is_negative { -value } else { value }, index))
}

#[inline(always)]
fn digit(bytes: &[u8], index: usize) -> Option<u64> {
    let value = bytes.get(index)?.wrapping_sub(b'0');
    (value < 10).then_some(u64::from(value))
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Quotes a word for an error message.
pub(super) fn quote_word(word: &[u8]) -> String {
    if word.is_empty() {
        return "the end of the file".to_owned();
    }
    // `quoted` shortens the word; the limit only bounds the conversion of long words.
    quoted(&String::from_utf8_lossy(&word[..word.len().min(512)]))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_byte_order_mark_is_not_counted_in_columns() {
        for text in ["x", "\u{feff}x"] {
            let error = Scanner::new(text.as_bytes()).read_number().unwrap_err();
            assert!(matches!(error, Error::Bvh { line: 1, column: 1, .. }), "{error}");
        }
    }

    proptest! {
        /// Every path through the parser gives the double nearest to the text.
        #[test]
        fn numbers_are_correctly_rounded(text in "[+-]?([0-9]{1,24}\\.?|[0-9]{0,12}\\.[0-9]{1,24})([eE][+-]?[0-9]{1,3})?") {
            let expected: f64 = text.parse().unwrap();
            match Scanner::new(text.as_bytes()).read_number() {
                Ok(found) => prop_assert_eq!(found.to_bits(), expected.to_bits()),
                Err(_) => prop_assert!(expected.abs() > MAX_VALUE),
            }
        }
    }
}
