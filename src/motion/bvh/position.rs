//! Decides whether position channels replace a joint's OFFSET or add to it. Programs differ and files do not say.

use crate::motion::skeleton::PositionMode;
use glam::Vec3;

/// Evidence from one joint with position channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    /// Values stay at zero, and the offset is not zero.
    Add,
    /// Values stay near the offset.
    Replace,
    /// Neither.
    Neither,
}

/// Shorter offsets are no evidence, metres.
const MIN_OFFSET: f32 = 1e-3;

/// Compares a joint's offset with the values of its channels over the clip, metres.
pub(super) fn classify(offset: Vec3, values: impl Iterator<Item = Vec3>) -> Vote {
    let length = offset.length();
    if length < MIN_OFFSET {
        return Vote::Neither;
    }
    let (mut near_zero, mut near_offset, mut any) = (true, true, false);
    for value in values {
        any = true;
        near_zero &= value.length() < 0.05 * length;
        near_offset &= value.distance(offset) < 0.5 * length;
        if !near_zero && !near_offset {
            return Vote::Neither;
        }
    }
    match any {
        true if near_zero => Vote::Add,
        true => Vote::Replace,
        false => Vote::Neither,
    }
}

/// The mode of joints written by one program. A tie gives the more common `Replace`.
pub(super) fn choose_mode(votes: impl Iterator<Item = Vote>) -> PositionMode {
    let weigh = |vote| match vote {
        Vote::Add => 1,
        Vote::Replace => -1,
        Vote::Neither => 0,
    };
    let balance: i64 = votes.map(weigh).sum();
    if balance > 0 { PositionMode::Add } else { PositionMode::Replace }
}
