//! Hand-written BVH text: accepted files, and rejected files with the position of the error.

use crate::common::fixtures::{fixture_clip, fixture_paths, repository};
use glam::{Quat, Vec3};
use kinestitch::motion::bvh::{MAX_DEPTH, MAX_JOINTS, Parsed, ReadOptions, parse, write};
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::skeleton::{FileSpace, PositionMode, UpAxis};
use kinestitch::motion::source::Source;
use kinestitch::motion::space::Unit;
use kinestitch::{Channel, Clip, Error, Skeleton};
use std::fmt::Write;
use std::sync::Arc;

/// Hips, a leg and a head, in centimetres; nine channels.
const BODY: &str = "HIERARCHY
ROOT mixamorig:Hips
{
  OFFSET 0 95 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Leg
  {
    OFFSET 10 -90 0
    CHANNELS 3 Yrotation Xrotation Zrotation
  }
  JOINT Head
  {
    OFFSET 0 60 0
    End Site
    {
      OFFSET 0 20 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
1 95 3 10 20 30 40 50 60
1.5e0 9.5E+001 -3 +10. .5 -0 40 50 60
";

fn read(text: &str) -> Parsed {
    parse("text", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Reads a text that must be rejected by a strict reader. Returns the line, column and message of the error.
fn rejected(text: impl AsRef<[u8]>) -> (usize, usize, String) {
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    match kinestitch::motion::bvh::read("text", text.as_ref(), &strict) {
        Err(Error::Bvh { line, column, message }) => (line, column, message),
        other => panic!("expected an error with a position, not {other:?}"),
    }
}

#[test]
fn the_usual_parts_are_read() {
    let Parsed { clip, unit, source } = read(BODY);
    let joints = clip.skeleton().joints();
    assert_eq!((unit, source.warnings.len(), clip.frames()), (Unit::Centimetre, 0, 2));
    assert_eq!(clip.frame_time_secs(), 0.0333333);
    assert_eq!(joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["mixamorig:Hips", "Left Leg", "Head"]);
    assert_eq!(joints[1].channels, [Channel::Yrotation, Channel::Xrotation, Channel::Zrotation]);
    assert_eq!(joints[2].end_sites, [Vec3::new(0.0, 0.2, 0.0)]);
    assert_eq!(clip.translations(), [Vec3::new(0.01, 0.95, 0.03), Vec3::new(0.015, 0.95, -0.03)]);
}

#[test]
fn spelling_does_not_matter() {
    let plain = read(BODY).clip;
    let variants = [
        ("CRLF", BODY.replace('\n', "\r\n")),
        ("CR", BODY.replace('\n', "\r")),
        ("tabs", BODY.replace(' ', "\t").replace("Left\tLeg", "Left Leg")),
        ("byte order mark", format!("\u{feff}{BODY}")),
        ("blank lines", BODY.replace('\n', "\n \n\n")),
        ("trailing blanks", BODY.replace('\n', " \t\n")),
        ("no last line end", BODY.trim_end().to_owned()),
        ("brace on the joint's line", BODY.replace("\n  {", " {").replace("Hips\n{", "Hips{")),
        (
            "lower case",
            BODY.replace("OFFSET", "offset").replace("CHANNELS", "Channels").replace("End Site", "End site"),
        ),
        ("channel names", BODY.replace("Xrotation", "XROTATION").replace("Yposition", "yPosition")),
        ("spaces around colons", BODY.replace("Frames:", "Frames :").replace("Time: ", "Time:")),
    ];
    for (what, text) in variants {
        let Parsed { clip, source: Source { warnings, .. }, .. } = read(&text);
        assert_eq!((&clip, &warnings[..]), (&plain, &[][..]), "{what}");
    }
}

#[test]
fn the_number_of_rows_overrides_the_frame_count() {
    for count in ["0", "1", "3", "4000000"] {
        let parsed = read(&BODY.replace("Frames: 2", &format!("Frames: {count}")));
        assert_eq!(parsed.clip.frames(), 2);
        assert!(
            parsed.source.warnings[0].contains(count) && parsed.source.warnings[0].contains("2 rows"),
            "{:?}",
            parsed.source.warnings
        );
    }
}

#[test]
fn a_hierarchy_alone_is_a_clip_without_frames() {
    let parsed = read(BODY.split("MOTION").next().unwrap());
    assert_eq!((parsed.clip.frames(), parsed.source.warnings.len()), (0, 1));
}

#[test]
fn several_roots_and_equal_names() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } ROOT a { OFFSET 0 0 50 CHANNELS 1 Yposition }
        MOTION Frames: 1 Frame Time: 0.01\n90 7\n";
    let Parsed { clip, source: Source { warnings, .. }, .. } = read(text);
    assert_eq!(clip.skeleton().joints().iter().filter(|joint| joint.parent.is_none()).count(), 2);
    assert!(warnings.iter().any(|w| w.contains("several joints")));
    // Axes without channels keep the offset.
    assert_eq!(clip.translations()[1], Vec3::new(0.0, 0.07, 0.5));
    assert!((clip.rotations()[0].x - 0.5f32.sqrt()).abs() < 1e-6);
}

#[test]
fn position_channels_that_stay_zero_are_added_to_the_offset() {
    let bone = |values: &str| {
        let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        format!(
            "HIERARCHY ROOT Hips {{ OFFSET 0 0 0 {channels} JOINT Leg {{ OFFSET 3 -90 0 {channels} JOINT Foot {{ \
             OFFSET 0 -90 2 {channels} }} }} }}
            MOTION\nFrames: 1\nFrame Time: 0.01\n5 95 5 0 0 0 {values}\n"
        )
    };
    let added = read(&bone("0 0 0 0 0 0 0 0.1 0 0 0 0")).clip;
    assert_eq!(added.skeleton().joints()[2].position_mode, PositionMode::Add);
    assert_eq!(added.translations()[1..], [Vec3::new(0.03, -0.9, 0.0), Vec3::new(0.0, -0.899, 0.02)]);
    let replaced = read(&bone("3 -90 0 0 0 0 0 -89.9 2 0 0 0")).clip;
    assert_eq!(replaced.skeleton().joints()[2].position_mode, PositionMode::Replace);
    assert_eq!(replaced.translations()[1..], added.translations()[1..]);
    assert_eq!(read(&write(&added).unwrap()).clip, added);
}

#[test]
fn z_up_axes_and_other_units_are_detected_and_kept() {
    let mut files = 0;
    for file in fixture_paths() {
        let clip = parse("clip", &std::fs::read(&file).unwrap()).unwrap().clip;
        for up in [UpAxis::Y, UpAxis::Z] {
            for metres_per_unit in [0.001, 0.01, 0.0254, 1.0] {
                let space = FileSpace { metres_per_unit, up };
                let skeleton = Arc::new(Skeleton::new(clip.skeleton().joints().to_vec(), space).unwrap());
                let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
                let in_space = Clip::new("clip", skeleton, clip.frame_time_secs(), rotations, translations).unwrap();
                let text = write(&in_space).unwrap();
                let what = format!("{} {space:?}", file.display());
                let stated = parse("clip", text.as_bytes()).unwrap().clip;
                assert_eq!(stated.skeleton(), in_space.skeleton(), "{what}");
                // The blanks at the end of a line state unit and axis; without them, evidence decides.
                let text = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
                let back = parse("clip", text.as_bytes()).unwrap();
                // The only ambiguous case: the numbers of a dog in inches are those of a cat in centimetres.
                let is_dog = clip.skeleton().joints().iter().any(|joint| joint.name.to_lowercase().contains("tail"));
                if is_dog && metres_per_unit == 0.0254 {
                    assert!(back.source.warnings[0].contains("unit unclear"), "{what}");
                    continue;
                }
                assert_eq!(
                    (back.unit, back.clip.skeleton().space()),
                    (Unit::from_scale(metres_per_unit), space),
                    "{what}"
                );
                assert_eq!(back.clip.skeleton(), in_space.skeleton(), "{what}");
                assert_eq!(back.clip.translations(), in_space.translations(), "{what}");
            }
        }
        files += 1;
    }
    assert!(files > 0);
}

#[test]
fn a_body_that_lies_along_z_stays_on_the_floor_below_y() {
    let walk = fixture_clip("ada-walk");
    let mut lying = walk.trimmed(0..2).unwrap();
    let (joints, width) = (lying.joints(), lying.skeleton().translated().len());
    // Tipped forwards, so that the head is at +z; three metres from the origin.
    let tip = Quat::from_rotation_x(1.4);
    lying.rotations_mut().iter_mut().step_by(joints).for_each(|rotation| *rotation = tip * *rotation);
    let lowest = world_positions(&lying).iter().map(|point| point.y).fold(f32::INFINITY, f32::min);
    let shift = Vec3::new(0.0, -lowest, 3.0);
    lying.translations_mut().iter_mut().step_by(width).for_each(|position| *position += shift);
    let read = parse("clip", write(&lying).unwrap().as_bytes()).unwrap().clip;
    assert_eq!(read.skeleton().space().up, UpAxis::Y);
}

#[test]
fn malformed_files_are_rejected_with_the_position_of_the_error() {
    let replaced = |from: &str, to: &str| rejected(BODY.replace(from, to));
    let cases = [
        (rejected(""), (1, 1), "empty"),
        (rejected(" \n\n"), (3, 1), "empty"),
        (rejected(b"\xff\xfeH\0I\0"), (1, 1), "UTF-16"),
        (rejected(b"PK\x03\x04\0\0\0\xff"), (1, 1), "expected HIERARCHY"),
        (rejected([0u8; 5000]), (1, 1), "expected HIERARCHY"),
        (rejected("HIERARCHY"), (1, 10), "expected ROOT"),
        (rejected("HIERARCHY\nMOTION"), (2, 1), "expected ROOT"),
        (rejected("HIERARCHY\nROOT\n{"), (2, 1), "needs a name"),
        (rejected("HIERARCHY\nROOT a\nOFFSET 0 0 0"), (3, 1), "expected {"),
        (rejected("HIERARCHY\nROOT a {\n}"), (2, 1), "no OFFSET"),
        (rejected("HIERARCHY ROOT a { OFFSET 0 0 0 }\nrest"), (2, 1), "expected ROOT or MOTION"),
        (replaced("OFFSET 0 60 0", "OFFSET 0 60"), (14, 5), "expected a number"),
        (replaced("OFFSET 0 60 0", "OFFSET 0 60 0 7"), (13, 19), "expected OFFSET, CHANNELS"),
        (replaced("OFFSET 0 60 0", "OFFSET 0 60 0\nOFFSET 0 60 0"), (14, 1), "second OFFSET"),
        (replaced("CHANNELS 3", "CHANNELS 2"), (9, 36), "found \"Zrotation\""),
        (replaced("CHANNELS 3", "CHANNELS 4"), (10, 3), "expected 4 channel names"),
        (replaced("CHANNELS 3", "CHANNELS 2000000000"), (9, 14), "at most 6"),
        (replaced("CHANNELS 3", "CHANNELS three"), (9, 14), "whole number"),
        (replaced("CHANNELS 3 Yrotation", "CHANNELS 3 Wrotation"), (9, 16), "Wrotation"),
        (replaced("CHANNELS 3 Yrotation", "CHANNELS 3 Zrotation"), (9, 36), "twice"),
        (replaced("MOTION", "MOTTO"), (20, 1), "expected ROOT or MOTION"),
        (replaced("Frames: 2\n", ""), (21, 1), "expected \"Frames:\""),
        (replaced("Frames: 2", "Frames: 2.5"), (21, 9), "whole number"),
        (replaced("Frames: 2", "Frames: 2000000000"), (21, 9), "at most"),
        (replaced("Frame Time: 0.0333333", "Frame Time: 0"), (22, 13), "Frame Time must be"),
        (replaced("Frame Time: 0.0333333", "Frame Time: -1"), (22, 13), "Frame Time must be"),
        (replaced("0.0333333", "0,0333333"), (22, 13), "comma"),
        (replaced("1 95 3", "1 95,5 3"), (23, 3), "comma"),
        (replaced("1 95 3", "1 NaN 3"), (23, 3), "not a finite"),
        (replaced("1 95 3", "1 -1.#IND 3"), (23, 3), "not a finite"),
        (replaced("1 95 3", "1 inf 3"), (23, 3), "not a finite"),
        (replaced("1 95 3", "1 1e300 3"), (23, 3), "too large"),
        (replaced("1 95 3", "1 1e999999999999 3"), (23, 3), "too large"),
        (replaced("1 95 3", "1 95x 3"), (23, 3), "expected a number"),
        (replaced("1 95 3", "1 95e 3"), (23, 3), "expected a number"),
        (replaced("1 95 3", "1 - 3"), (23, 3), "expected a number"),
        (replaced("1 95 3", "1 95"), (23, 1), "8 numbers; the hierarchy has 9"),
        (replaced("1 95 3", "1 95 3 4"), (23, 25), "has more than 9"),
        (rejected(&BODY[..BODY.len() - 9]), (24, 1), "cut off"),
        (rejected("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"), (5, 1), "the file ends inside \"a\""),
    ];
    for ((line, column, message), position, expected) in cases {
        assert!(message.contains(expected), "{message} (expected: {expected})");
        assert_eq!((line, column), position, "{message}");
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_rejected_or_complete() {
    for end in 0..BODY.len() {
        // Only texts with complete rows, or a complete hierarchy, may be accepted.
        if let Ok(parsed) = parse("cut", &BODY.as_bytes()[..end]) {
            assert!(!parsed.source.warnings.is_empty() || parsed.clip.frames() == 2, "{}", &BODY[..end]);
        }
    }
}

#[test]
fn files_with_too_many_joints_or_frames_are_rejected() {
    let deep = |depth: usize| {
        let mut text = String::from("HIERARCHY\n");
        for joint in 0..depth {
            let kind = if joint == 0 { "ROOT" } else { "JOINT" };
            writeln!(text, "{kind} j{joint} {{ OFFSET 0 1 0 CHANNELS 1 Xrotation").unwrap();
        }
        text + &"}".repeat(depth)
    };
    assert!(rejected(deep(10_000)).2.contains("deep"));
    let clip = read(&deep(MAX_DEPTH)).clip;
    assert_eq!(read(&write(&clip).unwrap()).clip.skeleton(), clip.skeleton());

    let joint = |j| format!("JOINT j{j} {{ OFFSET 0 1 0 }}\n");
    let wide =
        |joints: usize| format!("HIERARCHY ROOT r {{ OFFSET 0 0 0\n{} }}", (1..joints).map(joint).collect::<String>());
    assert!(rejected(wide(MAX_JOINTS + 1)).2.contains("joints"));
    // A small text with a large result: thousands of joints without channels, and one number per row.
    let rows = wide(MAX_JOINTS).replacen("OFFSET 0 0 0", "OFFSET 0 0 0 CHANNELS 1 Xrotation", 1);
    let text = format!("{rows}\nMOTION\nFrames: 4000000\nFrame Time: 0.01\n{}", "0\n".repeat(20_000));
    assert!(matches!(parse("grows", text.as_bytes()), Err(Error::Limit { .. })));
}

#[test]
fn missing_channels_are_added_when_values_need_them() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation JOINT b { OFFSET 0 50 0 \
        CHANNELS 2 Xrotation Yrotation } }
        MOTION\nFrames: 1\nFrame Time: 0.01\n10 20 30\n";
    let mut clip = read(text).clip;
    assert!(write(&clip).unwrap().contains("CHANNELS 1 Xrotation\n"));
    clip.translations_mut()[0] = Vec3::new(1.0, 2.0, 3.0);
    clip.rotations_mut()[1] = glam::Quat::from_rotation_z(1.0);
    let back = read(&write(&clip).unwrap()).clip;
    assert_eq!(back.translations(), clip.translations());
    assert!(back.rotations()[1].angle_between(clip.rotations()[1]) < 1e-3);
    assert_eq!(back.skeleton().joints()[1].channels.len(), 3);
}

#[test]
fn names_keep_spaces_that_are_not_ascii() {
    let text = "HIERARCHY ROOT \u{a0}a b\u{a0} { OFFSET 0 0 0 CHANNELS 1 Xrotation JOINT c { OFFSET 0 50 0 } }
        MOTION\nFrames: 1\nFrame Time: 0.01\n10\n";
    let clip = read(text).clip;
    assert_eq!(clip.skeleton().joints()[0].name, "\u{a0}a b\u{a0}");
    assert_eq!(read(&write(&clip).unwrap()).clip.skeleton(), clip.skeleton());
}

#[test]
fn fuzz_seeds_round_trip() {
    let seeds = repository("fuzz/seeds");
    for seed in std::fs::read_dir(seeds).unwrap().flatten() {
        let clip = parse("seed", &std::fs::read(seed.path()).unwrap()).unwrap().clip;
        let back = read(&write(&clip).unwrap()).clip;
        assert_eq!(
            (back.skeleton(), back.translations()),
            (clip.skeleton(), clip.translations()),
            "{}",
            seed.path().display()
        );
    }
}
