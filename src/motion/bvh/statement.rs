//! The statement of a file that Kinestitch wrote: its unit, its vertical axis and its position modes, which a BVH file
//! cannot state otherwise. So it is read back identically, whatever its motion.
//!
//! It is a run of blanks at the end of the first OFFSET line, where every reader skips blanks: a tab is 1, a space 0.
//! [`SIGNATURE`]; then one bit each for Z up, roots that add to OFFSET, other joints that add to it; three bits for the
//! unit (the index in [`UNITS`], or 7, followed by the 64 bits of its metres); one bit of parity. A program that
//! rewrites the file drops it.

use crate::motion::skeleton::{PositionMode, UpAxis};

/// Unit, axis and position modes of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statement {
    pub up: UpAxis,
    pub metres_per_unit: f64,
    /// Position mode of roots.
    pub roots: PositionMode,
    /// Position mode of other joints.
    pub others: PositionMode,
}

/// First bits of every statement.
const SIGNATURE: [bool; 5] = [true, false, true, true, false];
/// Units with a code of their own, metres.
const UNITS: [f64; 7] = [0.01, 1.0, 0.0254, 0.001, 0.1, 0.3048, 0.0254 / 0.45];
/// Code of other units.
const OTHER_UNIT: usize = UNITS.len();

impl Statement {
    /// Returns the blanks.
    pub(super) fn encode(self) -> String {
        let mut bits = SIGNATURE.to_vec();
        bits.extend([self.up == UpAxis::Z, self.roots == PositionMode::Add, self.others == PositionMode::Add]);
        let code = UNITS.iter().position(|&unit| unit == self.metres_per_unit).unwrap_or(OTHER_UNIT);
        bits.extend((0..3).map(|bit| code >> bit & 1 == 1));
        if code == OTHER_UNIT {
            let unit = self.metres_per_unit.to_bits();
            bits.extend((0..64).map(|bit| unit >> bit & 1 == 1));
        }
        bits.push(is_odd(&bits));
        bits.iter().map(|&bit| if bit { '\t' } else { ' ' }).collect()
    }

    /// Reads the blanks at the end of a line; `None` for all that no statement is.
    pub(super) fn decode(blanks: &[u8]) -> Option<Self> {
        if blanks.iter().any(|byte| !b" \t".contains(byte)) {
            return None;
        }
        let bits: Vec<bool> = blanks.iter().map(|&byte| byte == b'\t').collect();
        let (&parity, bits) = bits.split_last()?;
        let content = bits.strip_prefix(&SIGNATURE)?;
        let [z_up, roots_add, others_add, unit @ ..] = content else { return None };
        let (code, unit) = unit.split_at_checked(3)?;
        let number = |bits: &[bool]| bits.iter().rev().fold(0u64, |value, &bit| value << 1 | u64::from(bit));
        let metres_per_unit = match (UNITS.get(number(code) as usize), unit.len()) {
            (Some(&unit), 0) => unit,
            (None, 64) => f64::from_bits(number(unit)),
            _ => return None,
        };
        let mode = |add: bool| if add { PositionMode::Add } else { PositionMode::Replace };
        let is_valid = parity == is_odd(bits) && metres_per_unit.is_finite() && metres_per_unit > 0.0;
        is_valid.then_some(Self {
            up: if *z_up { UpAxis::Z } else { UpAxis::Y },
            metres_per_unit,
            roots: mode(*roots_add),
            others: mode(*others_add),
        })
    }
}

fn is_odd(bits: &[bool]) -> bool {
    bits.iter().filter(|&&bit| bit).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read_back_and_other_blanks_are_none() {
        for up in [UpAxis::Y, UpAxis::Z] {
            for metres_per_unit in UNITS.into_iter().chain([0.37, 1e-5]) {
                for roots in [PositionMode::Replace, PositionMode::Add] {
                    let statement = Statement { up, metres_per_unit, roots, others: PositionMode::Replace };
                    let mut blanks = statement.encode().into_bytes();
                    assert_eq!(Statement::decode(&blanks), Some(statement));
                    blanks.push(b' ');
                    assert_eq!(Statement::decode(&blanks), None);
                }
            }
        }
        for blanks in ["", " ", "\t", "    ", "\t\t\t\t", " \t \t \t \t \t "] {
            assert_eq!(Statement::decode(blanks.as_bytes()), None, "{blanks:?}");
        }
    }
}
