//! Requirement for networks that fill gaps: filling a mirrored gap gives the mirrored motion.

use super::fixtures::fixture;
use glam::Vec3;
use kinestitch::body::canonical::Fit;
use kinestitch::body::mirror::opposite_role;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::method::filler::BodyMotion;
use kinestitch::motion::vector::mirror_point;

/// Fills a gap of 15 frames in a walk, original and mirrored, by `fill(past, target, offsets, side)`; side 1 is
/// mirrored. Asserts that the results mirror each other.
pub fn assert_mirrored_result(fill: impl Fn(&Poses, &Poses, &[Vec3; ROLES], usize) -> BodyMotion) {
    let (walk, rig) = fixture("ada-walk");
    let clip = Fit::new(&walk, &rig).unwrap().convert(&walk).unwrap();
    let offsets: [Vec3; ROLES] = std::array::from_fn(|role| clip.skeleton().joints()[role].offset);
    let mirrored_offsets: [Vec3; ROLES] = std::array::from_fn(|role| mirror_point(offsets[opposite_role(role)]));
    let (past, target) = (Poses::from_clip(&clip, 10..20), Poses::from_clip(&clip, 35..36));
    let original = fill(&past, &target, &offsets, 0);
    let mirrored = fill(&past.mirrored(), &target.mirrored(), &mirrored_offsets, 1);
    let restored = mirrored.poses.mirrored();
    let distance = original.poses.hips.iter().zip(&restored.hips).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let rotations = original.poses.rotations.iter().zip(&restored.rotations);
    let rotation_error = rotations.map(|(a, b)| 1.0 - a.dot(*b).abs()).fold(0.0, f32::max);
    assert!(distance < 1e-3 && rotation_error < 1e-3, "{distance} m, {rotation_error}");
    for (row, mirrored_row) in original.contacts.chunks_exact(4).zip(mirrored.contacts.chunks_exact(4)) {
        // Columns: left heel, left toe, right heel, right toe.
        assert!(
            (0..4).all(|column| (row[column] - mirrored_row[(column + 2) % 4]).abs() < 1e-2),
            "{row:?} {mirrored_row:?}"
        );
    }
}
