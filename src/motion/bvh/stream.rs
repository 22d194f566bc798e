//! Reading in pieces: a long file need not lie in memory as a whole, and a caller may stop between pieces.

use crate::error::Result;
use crate::motion::bvh::scan::{Scanner, line_ends};
use crate::motion::bvh::{Head, Parsed, check_size};

/// Reads a BVH file piece by piece; the result and the errors are those of [`super::parse`].
///
/// Holds the numbers read so far and the piece at hand, cut anywhere; never the text of the rows before.
pub struct Reader {
    name: String,
    size: usize,
    head: Option<Head>,
    /// What is not read yet: all of the head, or the last row as far as it goes.
    pending: Vec<u8>,
    /// Length of `pending` at which the head is tried again: twice what was not enough, so that the work stays linear.
    enough: usize,
    /// Lines read and gone.
    lines: usize,
}

impl Reader {
    /// For a file of `size` bytes.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] over [`super::MAX_BYTES`].
    pub fn new(name: impl Into<String>, size: usize) -> Result<Self> {
        check_size(size)?;
        Ok(Self { name: name.into(), size, head: None, pending: Vec::new(), enough: 0, lines: 0 })
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// Those of [`super::parse`] in the rows. What is wrong before the rows is told by [`Reader::finish`]: until then it
    /// may be that the piece ends there.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.head.is_none() {
            if self.pending.len() < self.enough {
                return Ok(());
            }
            self.enough = 2 * self.pending.len();
            let mut scan = Scanner::new(&self.pending);
            match Head::read(&mut scan, self.size) {
                // With something behind it, so that the last number is whole.
                Ok(head) if scan.remaining() > 0 => {
                    self.head = Some(head);
                    let end = scan.at();
                    self.forget(end);
                }
                _ => return Ok(()),
            }
        } else if !bytes.iter().any(|&b| b == b'\n' || b == b'\r') {
            // No line ends here; do not look through all of a long one again.
            return Ok(());
        }
        if let Some(head) = &mut self.head {
            let end = whole_lines(&self.pending);
            head.rows.read(&mut Scanner::resume(&self.pending[..end], self.lines))?;
            self.forget(end);
        }
        Ok(())
    }

    /// The clip, after the last piece.
    ///
    /// # Errors
    /// Those of [`super::parse`].
    pub fn finish(self) -> Result<Parsed> {
        let Some(mut head) = self.head else { return super::parse(&self.name, &self.pending) };
        head.rows.read(&mut Scanner::resume(&self.pending, self.lines))?;
        head.finish(&self.name)
    }

    fn forget(&mut self, end: usize) {
        self.lines += line_ends(&self.pending[..end]);
        self.pending.drain(..end);
    }
}

/// Bytes up to the end of the last whole line. A CR at the very end may be half of a CRLF.
fn whole_lines(bytes: &[u8]) -> usize {
    let ends = |&b: &u8| b == b'\n' || b == b'\r';
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    bytes.iter().rposition(ends).map_or(0, |at| at + 1)
}
