//! Forward kinematics: identities that hold for any skeleton and pose.

use glam::{Quat, Vec3};
use kinestitch::motion::fk::{Pose, world_positions};
use kinestitch::motion::skeleton::FileSpace;
use kinestitch::{Clip, Joint, Skeleton};
use proptest::prelude::*;
use std::sync::Arc;

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

fn rotation() -> impl Strategy<Value = Quat> {
    (vector(1.0), -3.0..3.0f32)
        .prop_filter_map("no axis", |(axis, angle)| Some(Quat::from_axis_angle(axis.try_normalize()?, angle)))
}

/// Generates the joints of one tree: parent, offset, local rotation.
fn tree() -> impl Strategy<Value = Vec<(usize, Vec3, Quat)>> {
    prop::collection::vec((any::<prop::sample::Index>(), vector(0.5), rotation()), 1..20).prop_map(|joints| {
        let parent = |i: usize, index: prop::sample::Index| if i == 0 { 0 } else { index.index(i) };
        joints
            .into_iter()
            .enumerate()
            .map(|(i, (index, offset, rotation))| (parent(i, index), offset, rotation))
            .collect()
    })
}

fn clip(tree: &[(usize, Vec3, Quat)]) -> Clip {
    let joint = |(i, &(parent, offset, _)): (usize, &(usize, Vec3, Quat))| Joint {
        name: format!("j{i}"),
        parent: (i > 0).then_some(parent),
        offset,
        channels: Vec::new(),
        position_mode: Default::default(),
        end_sites: Vec::new(),
    };
    let skeleton = Skeleton::new(tree.iter().enumerate().map(joint).collect(), FileSpace::default()).unwrap();
    let rotations = tree.iter().map(|&(_, _, rotation)| rotation).collect();
    Clip::new("tree", Arc::new(skeleton), 0.1, rotations, vec![tree[0].1]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Without rotations, a joint is at the sum of its ancestors' offsets.
    #[test]
    fn positions_at_rest_are_sums_of_offsets(mut tree in tree()) {
        tree.iter_mut().for_each(|(_, _, rotation)| *rotation = Quat::IDENTITY);
        let positions = world_positions(&clip(&tree));
        for (i, &(parent, offset, _)) in tree.iter().enumerate() {
            let expected = if i == 0 { offset } else { positions[parent] + offset };
            prop_assert!(positions[i].distance(expected) < 1e-5);
        }
    }

    /// Bones keep their lengths, and removing the parent's world rotation restores the offset and the local rotation.
    #[test]
    fn offsets_and_local_rotations_are_restored_from_world_space(tree in tree()) {
        let pose = Pose::from_clip(&clip(&tree), 0);
        for (i, &(parent, offset, rotation)) in tree.iter().enumerate().skip(1) {
            let to_parent = pose.world_rotations[parent].inverse();
            let position = to_parent * (pose.world_positions[i] - pose.world_positions[parent]);
            prop_assert!(position.distance(offset) < 1e-4);
            prop_assert!((to_parent * pose.world_rotations[i]).dot(rotation).abs() > 1.0 - 1e-5);
        }
    }

    /// Moving the root moves the body rigidly.
    #[test]
    fn the_root_moves_the_whole_body(tree in tree(), rotation in rotation(), position in vector(9.0)) {
        let pose = Pose::from_clip(&clip(&tree), 0);
        let mut moved = tree.clone();
        moved[0] = (0, position, rotation * tree[0].2);
        let moved_pose = Pose::from_clip(&clip(&moved), 0);
        for (a, b) in pose.world_positions.iter().zip(&moved_pose.world_positions) {
            prop_assert!((rotation * (*a - tree[0].1) + position).distance(*b) < 1e-4);
        }
    }
}
