//! Values above the limits of the readers are rejected by the writers, with joint and frame in the message.

use glam::{Quat, Vec3};
use kinestitch::motion::build::{Bone, build_clip};
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode, Skeleton};
use kinestitch::motion::{bvh, glb};
use kinestitch::{Clip, Error};
use std::sync::Arc;

/// Creates a clip of a root and a moving child, three frames. `offset` of the child, and `distance` of the child in the
/// last frame, are in metres.
fn two_bones(offset: f32, distance: f32, fps: f64) -> kinestitch::Result<Clip> {
    let bone = |name: &str, parent, y: f32, moves| Bone {
        name: name.to_owned(),
        parent,
        offset: Vec3::Y * y,
        has_translation: moves,
    };
    let bones = vec![bone("root", None, 0.0, true), bone("hips", Some(0), offset, true)];
    let mut translations = vec![Vec3::ZERO; 6];
    translations[5].z = distance;
    build_clip("made", bones, fps, vec![Quat::IDENTITY; 6], translations)
}

#[test]
fn lengths_above_the_limit_are_rejected_with_joint_and_frame() {
    // Clips built from arrays are written in metres.
    for distance in [1.01e9, 1e20, f32::MAX] {
        let error = bvh::write(&two_bones(0.9, -distance, 30.0).unwrap()).unwrap_err();
        assert_eq!(error.code(), "clip");
        let text = error.to_string();
        assert!(text.contains("\"made\"") && text.contains("\"hips\"") && text.contains("in frame 2"), "{text}");
    }
    let text = bvh::write(&two_bones(1e10, 0.0, 30.0).unwrap()).unwrap_err().to_string();
    assert!(text.contains("\"hips\"") && text.contains("at rest"), "{text}");

    let error = glb::write(&two_bones(0.9, 1.1e9, 30.0).unwrap()).unwrap_err();
    assert_eq!(error.code(), "glb");
    assert!(error.to_string().contains("\"hips\"") && error.to_string().contains("in frame 2"), "{error}");
    assert_eq!(glb::write(&two_bones(f32::MAX, 0.0, 30.0).unwrap()).unwrap_err().code(), "glb");
}

#[test]
fn lengths_up_to_the_limit_are_written_and_read() {
    for distance in [1e7, 9.99e6, 0.0] {
        let clip = two_bones(0.9, distance, 30.0).unwrap();
        let reread = bvh::parse("made", bvh::write(&clip).unwrap().as_bytes()).unwrap().clip;
        let found = reread.translations()[5].z;
        assert!((found - distance).abs() <= distance * 1e-6, "{found} {distance}");
        glb::write(&clip).unwrap();
    }
    // Files with the largest accepted values, in units of the file; the conversion to metres rounds them.
    for (offset, y) in [("0 9e8 0", "9e8"), ("0 1e9 0", "1e9"), ("0 1e9 0", "-1e9"), ("0 0.9 0", "999999999.9")] {
        let text = format!(
            "HIERARCHY ROOT a {{ OFFSET {offset} CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
            JOINT b {{ OFFSET {offset} CHANNELS 3 Xposition Yposition Zposition }} }}
            MOTION\nFrames: 2\nFrame Time: .01\n0 {y} 0 0 0 0 0 {y} 0\n0 {y} 0 0 0 0 0 {y} 0\n"
        );
        let clip = bvh::parse("large", text.as_bytes()).unwrap().clip;
        bvh::parse("again", bvh::write(&clip).unwrap().as_bytes()).unwrap();
    }
}

#[test]
fn frame_times_and_joint_counts_above_the_limits_are_rejected() {
    for fps in [1e-3, 1e6] {
        let error = bvh::write(&two_bones(0.9, 0.0, fps).unwrap()).unwrap_err();
        assert!(error.to_string().contains("resample"), "{error}");
    }
    let error = glb::write(&two_bones(0.9, 0.0, 1e-39).unwrap()).unwrap_err();
    assert!(error.code() == "glb" && error.to_string().contains("frame time"), "{error}");

    let chain = |length: usize| {
        let bone = |index: usize| Bone {
            name: format!("j{index}"),
            parent: index.checked_sub(1),
            offset: Vec3::Y,
            has_translation: false,
        };
        build_clip("chain", (0..length).map(bone).collect(), 30.0, vec![Quat::IDENTITY; length], vec![Vec3::ZERO])
            .unwrap()
    };
    bvh::parse("chain", bvh::write(&chain(bvh::MAX_DEPTH)).unwrap().as_bytes()).unwrap();
    assert!(matches!(bvh::write(&chain(bvh::MAX_DEPTH + 1)), Err(Error::Limit { .. })));
}

#[test]
fn glb_files_hold_a_limited_number_of_joints_even_without_visible_bones() {
    let clip = |count: usize| {
        let joint = |index: usize| Joint {
            name: format!("j{index}"),
            parent: (index > 0).then_some(0),
            offset: Vec3::ZERO,
            channels: Vec::new(),
            position_mode: PositionMode::Replace,
            end_sites: Vec::new(),
        };
        let skeleton = Skeleton::new((0..count).map(joint).collect(), FileSpace::default()).unwrap();
        Clip::new("many", Arc::new(skeleton), 1.0 / 30.0, vec![Quat::IDENTITY; count], vec![Vec3::ZERO]).unwrap()
    };
    glb::write(&clip(glb::MAX_JOINTS)).unwrap();
    let error = glb::write(&clip(glb::MAX_JOINTS + 1)).unwrap_err();
    assert!(error.code() == "glb" && error.to_string().contains("65537 joints"), "{error}");
}
