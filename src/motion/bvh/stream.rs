//! Reads a file in pieces, so that a long file need not be in memory at once and a caller may stop between pieces.

use crate::error::Result;
use crate::motion::bvh::scan::{Scanner, count_line_ends};
use crate::motion::bvh::{Head, Parsed, ReadOptions, check_size};

/// Reads a BVH file piece by piece; the result and the errors are those of [`super::read`].
///
/// It stores the motion of the rows read so far, and the text that is not parsed yet. Pieces may end anywhere.
pub struct Reader {
    name: String,
    size: usize,
    options: ReadOptions,
    head: Option<Head>,
    /// Bytes that are not parsed yet: the last, incomplete row; before the header is parsed, all bytes so far.
    pending: Vec<u8>,
    /// The header is parsed again when `pending` has this length: twice its length at the last attempt, so that the
    /// total work is linear.
    next_attempt: usize,
    /// Number of lines already parsed.
    lines: usize,
}

impl Reader {
    /// Creates a reader for a file of `size` bytes: the length of all pieces together, which is not checked.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] over [`super::MAX_BYTES`], [`crate::Error::Option`] for an option out of its range.
    pub fn new(name: impl Into<String>, size: usize, options: ReadOptions) -> Result<Self> {
        check_size(size)?;
        options.check()?;
        Ok(Self { name: name.into(), size, options, head: None, pending: Vec::new(), next_attempt: 0, lines: 0 })
    }

    /// Reads the next piece.
    ///
    /// # Errors
    /// Errors of [`super::read`] in the rows. An error in the header is returned by this call, by a later one, or
    /// by [`Reader::finish`]: as soon as it is certain that later pieces cannot change it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.head.is_none() {
            if self.pending.len() < self.next_attempt {
                return Ok(());
            }
            self.next_attempt = 2 * self.pending.len();
            let mut scan = Scanner::beginning(&self.pending);
            match Head::read(&mut scan, self.size, &self.options) {
                // The header counts only if bytes follow it: otherwise its last number may be incomplete.
                Ok(head) if scan.remaining() > 0 => {
                    self.head = Some(head);
                    let end = scan.position();
                    self.discard(end);
                }
                Err(error) if scan.has_complete_line() => return Err(error),
                _ => return Ok(()),
            }
        } else if !bytes.iter().any(|&b| b == b'\n' || b == b'\r') {
            // At most one row has become complete: one whose CR was the last byte of the previous piece. A later piece
            // with a line end, or `finish`, reads it. Without this return, each piece of a very long line would search
            // all of `pending` for a line end.
            return Ok(());
        }
        if let Some(head) = &mut self.head {
            let end = complete_lines(&self.pending);
            head.rows.read(&mut Scanner::resume(&self.pending[..end], self.lines), &mut head.remarks)?;
            self.discard(end);
        }
        Ok(())
    }

    /// Returns the clip after the last piece.
    ///
    /// # Errors
    /// Those of [`super::read`].
    pub fn finish(self) -> Result<Parsed> {
        let Some(mut head) = self.head else { return super::read(&self.name, &self.pending, &self.options) };
        head.rows.read(&mut Scanner::resume(&self.pending, self.lines), &mut head.remarks)?;
        head.finish(&self.name)
    }

    /// Removes the first `end` pending bytes, which are parsed.
    fn discard(&mut self, end: usize) {
        self.lines += count_line_ends(&self.pending[..end]);
        self.pending.drain(..end);
    }
}

/// Returns the number of bytes up to the end of the last complete line. A CR at the very end may be half of a CRLF.
fn complete_lines(bytes: &[u8]) -> usize {
    let is_line_end = |&b: &u8| b == b'\n' || b == b'\r';
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    bytes.iter().rposition(is_line_end).map_or(0, |index| index + 1)
}
