//! Filling a mirrored gap gives the mirrored motion.

use super::common::fixture;
use glam::Vec3;
use kinestitch::body::canonical::Fit;
use kinestitch::body::mirror::{flip, opposite};
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::method::filler::BodyMotion;

/// Fills a gap of 15 frames in a walk, original and mirrored, by `fill(past, target, offsets, side)`; side 1 is
/// mirrored. Asserts that the results mirror each other.
pub fn is_even_handed(fill: impl Fn(&Poses, &Poses, &[Vec3; ROLES], usize) -> BodyMotion) {
    let (walk, rig) = fixture("ada-walk");
    let clip = Fit::of(&walk, &rig).unwrap().canonical(&walk).unwrap();
    let offsets: [Vec3; ROLES] = std::array::from_fn(|role| clip.skeleton().joints()[role].offset);
    let lopsided: [Vec3; ROLES] = std::array::from_fn(|role| flip(offsets[opposite(role)]));
    let (past, target) = (Poses::of(&clip, 10..20), Poses::of(&clip, 35..36));
    let plain = fill(&past, &target, &offsets, 0);
    let other = fill(&past.mirrored(), &target.mirrored(), &lopsided, 1);
    let back = other.poses.mirrored();
    let off = plain.poses.hips.iter().zip(&back.hips).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let turned = plain.poses.rotations.iter().zip(&back.rotations);
    let turned = turned.map(|(a, b)| 1.0 - a.dot(*b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-3 && turned < 1e-3, "{off} m, {turned}");
    for (row, other) in plain.contacts.chunks_exact(4).zip(other.contacts.chunks_exact(4)) {
        assert!((0..4).all(|part| (row[part] - other[(part + 2) % 4]).abs() < 1e-2), "{row:?} {other:?}");
    }
}
