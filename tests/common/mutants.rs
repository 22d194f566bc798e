//! Damaged copies of files, determined by a seed.

use kinestitch::method::random::Random;

/// Numbers at the limits of formats; the last is 3e38 in single precision.
const EDGES: [u32; 8] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f61_b1e6];
/// Words with a special meaning in text formats.
const WORDS: [&[u8]; 10] =
    [b"1e300", b"-1", b"nan", b"{", b"}", b"\"", b"999999999999", b"Frames: 1e9", b"\xef\xbb\xbf", b"\0"];

/// Generator of damaged copies of files.
pub struct Mutants(Random);

impl Mutants {
    /// Creates a generator. Each seed gives different damage.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Returns a copy with one to four changes. Some changes overwrite bytes with those of `others`, which must not be
    /// empty.
    pub fn mutate(&mut self, file: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for _ in 0..=self.0.below(4) {
            // Half of the changes are in the header.
            let reach = if self.0.below(2) == 0 { bytes.len().min(600) } else { bytes.len() };
            let offset = self.0.below(reach);
            match self.0.below(7) {
                0 => bytes.truncate(offset),
                1 if !bytes.is_empty() => bytes[offset] ^= 1 << self.0.below(8),
                2 if !bytes.is_empty() => bytes[offset] = self.0.below(256) as u8,
                3 => overwrite(&mut bytes, offset, &EDGES[self.0.below(EDGES.len())].to_le_bytes()),
                4 => drop(bytes.splice(offset..offset, WORDS[self.0.below(WORDS.len())].iter().copied())),
                5 => {
                    let end = (offset + self.0.below(64)).min(bytes.len());
                    drop(bytes.drain(offset..end));
                }
                _ => {
                    let other = &others[self.0.below(others.len())];
                    let start = self.0.below(other.len());
                    let end = (start + self.0.below(200)).min(other.len());
                    overwrite(&mut bytes, offset, &other[start..end]);
                }
            }
        }
        bytes
    }
}

/// Overwrites bytes from an offset on, at most up to the end of the file.
fn overwrite(bytes: &mut [u8], offset: usize, new_bytes: &[u8]) {
    bytes[offset..].iter_mut().zip(new_bytes).for_each(|(byte, new)| *byte = *new);
}
