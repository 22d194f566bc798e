//! Writing FBX: the container, and scenes that are not consistent. Readers of other programs judge the files in
//! pkg/test/fbx-out.test.mjs.

use crate::common::fixtures::{fixture_clip, fixture_paths, read};
use glam::{Mat4, Quat, Vec3};
use kinestitch::Error;
use kinestitch::motion::fbx::scene::{Cluster, Mesh, Node, Scene, Track};
use kinestitch::motion::fbx::{write, write_scene};

fn scene() -> Scene {
    let node = |name: &str, parent| Node {
        name: name.to_owned(),
        parent,
        translation: Vec3::Y,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
        is_bone: true,
    };
    let cluster = Cluster { node: 1, weights: vec![(0, 1.0), (1, 0.5), (2, 1.0)], bind: Mat4::IDENTITY };
    Scene {
        name: "scene".to_owned(),
        fps: 30.0,
        frames: 2,
        nodes: vec![node("a", None), node("b\0c", Some(0))],
        tracks: vec![Track { node: 0, rotations: Some(vec![Quat::IDENTITY; 2]), translations: None }],
        meshes: vec![Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            clusters: vec![cluster],
            ..Mesh::default()
        }],
    }
}

fn assert_container(bytes: &[u8]) {
    assert_eq!(bytes[..23], *b"Kaydara FBX Binary  \0\x1a\0");
    assert_eq!(bytes[23..27], 7400u32.to_le_bytes());
}

#[test]
fn clips_and_scenes_are_written_as_version_7_4() {
    for path in fixture_paths() {
        assert_container(&write(&read(&path)).unwrap());
    }
    assert_container(&write_scene(&scene()).unwrap());
    let still = fixture_clip("ada-walk");
    let empty = kinestitch::Clip::new("empty", still.skeleton().clone(), 0.1, Vec::new(), Vec::new()).unwrap();
    assert_container(&write(&empty).unwrap());
}

/// Breaks a scene.
type Change = fn(&mut Scene);

#[test]
fn scenes_that_are_not_consistent_are_refused() {
    let faults: [(&str, Change); 9] = [
        ("rate", |scene| scene.fps = f64::NAN),
        ("rate", |scene| scene.fps = 0.0),
        ("parent", |scene| scene.nodes[0].parent = Some(1)),
        ("finite", |scene| scene.nodes[1].translation.x = f32::NAN),
        ("track", |scene| scene.tracks[0].node = 7),
        ("track", |scene| scene.frames = 3),
        ("mesh", |scene| scene.meshes[0].triangles[0][2] = 3),
        ("mesh", |scene| scene.meshes[0].clusters[0].node = 2),
        ("too long", |scene| scene.fps = 1e-12),
    ];
    for (message, change) in faults {
        let mut broken = scene();
        change(&mut broken);
        match write_scene(&broken) {
            Err(Error::Clip { message: found, .. }) => assert!(found.contains(message), "{found}"),
            other => panic!("{message}: {:?}", other.map(|bytes| bytes.len())),
        }
    }
}
