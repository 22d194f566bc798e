//! Decides whether position channels replace a joint's OFFSET or add to it. Programs differ in this, and files do not
//! state it.

use crate::motion::skeleton::PositionMode;
use glam::Vec3;

/// Mode that the values of one joint with position channels support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    /// All values are near zero, and the offset is not.
    Add,
    /// All values are near the offset.
    Replace,
    /// Neither mode: the values decide nothing.
    Neither,
}

/// Length below which an offset decides nothing, metres: both modes then give nearly the same motion.
const MIN_OFFSET: f32 = 1e-3;

/// Compares a joint's offset with the values of its position channels in all frames, metres.
pub(super) fn classify(offset: Vec3, values: impl Iterator<Item = Vec3>) -> Vote {
    let length = offset.length();
    if length < MIN_OFFSET {
        return Vote::Neither;
    }
    let (mut all_near_zero, mut all_near_offset, mut has_values) = (true, true, false);
    for value in values {
        has_values = true;
        all_near_zero &= value.length() < 0.05 * length;
        all_near_offset &= value.distance(offset) < 0.5 * length;
        if !all_near_zero && !all_near_offset {
            return Vote::Neither;
        }
    }
    match has_values {
        true if all_near_zero => Vote::Add,
        true => Vote::Replace,
        false => Vote::Neither,
    }
}

/// Returns the mode with more votes, which applies to all joints that voted, because one program wrote them; `None` for
/// a tie.
pub(super) fn choose_mode(votes: impl Iterator<Item = Vote>) -> Option<PositionMode> {
    let weight = |vote| match vote {
        Vote::Add => 1,
        Vote::Replace => -1,
        Vote::Neither => 0,
    };
    let balance: i64 = votes.map(weight).sum();
    match balance {
        0 => None,
        1.. => Some(PositionMode::Add),
        _ => Some(PositionMode::Replace),
    }
}
