//! Damaged copies of files, determined by a seed.

use kinestitch::method::random::Random;

/// Numbers at the limits of formats.
const EDGES: [u32; 8] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f61_b1e6]; // the last is 3e38
/// Words with a special meaning in text formats.
const WORDS: [&[u8]; 10] =
    [b"1e300", b"-1", b"nan", b"{", b"}", b"\"", b"999999999999", b"Frames: 1e9", b"\xef\xbb\xbf", b"\0"];

/// Generator of damaged copies.
pub struct Mutants(Random);

impl Mutants {
    /// Each seed gives different damage.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    fn below(&mut self, count: usize) -> usize {
        (self.0.uniform() * count as f32) as usize % count.max(1)
    }

    /// A copy with one to four changes, which may include parts of `others`.
    pub fn of(&mut self, file: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for _ in 0..=self.below(4) {
            // Half of the changes are in the header.
            let reach = if self.below(2) == 0 { bytes.len().min(600) } else { bytes.len() };
            let at = self.below(reach);
            match self.below(7) {
                0 => bytes.truncate(at),
                1 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                2 if !bytes.is_empty() => bytes[at] = self.below(256) as u8,
                3 => put(&mut bytes, at, &EDGES[self.below(EDGES.len())].to_le_bytes()),
                4 => drop(bytes.splice(at..at, WORDS[self.below(WORDS.len())].iter().copied())),
                5 => {
                    let end = (at + self.below(64)).min(bytes.len());
                    drop(bytes.drain(at..end));
                }
                _ => {
                    let other = &others[self.below(others.len())];
                    let from = self.below(other.len());
                    let end = (from + self.below(200)).min(other.len());
                    put(&mut bytes, at, &other[from..end]);
                }
            }
        }
        bytes
    }
}

/// Overwrites bytes, up to the end of the file.
fn put(bytes: &mut [u8], at: usize, part: &[u8]) {
    bytes[at..].iter_mut().zip(part).for_each(|(byte, new)| *byte = *new);
}
