//! BVH files as other programs write them: one file of each kind of fault, with the right values. The files were made
//! from the walk of the gait generator (`tests/fixtures/ada-walk.bvh`).

use crate::common::fixtures::{fixture_clip, repository};
use glam::{Quat, Vec3};
use kinestitch::motion::bvh::{Parsed, ReadOptions, parse, read, write};
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::skeleton::{FileSpace, PositionMode, UpAxis};
use kinestitch::motion::space::Unit;
use kinestitch::{Clip, Error, Joint, Skeleton};
use std::sync::Arc;

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(repository("tests/fixtures/cases").join(format!("{name}.bvh"))).unwrap()
}

fn case(name: &str) -> Parsed {
    parse(name, &bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the largest distance between the joints of two clips, metres.
fn distance(a: &Clip, b: &Clip) -> f32 {
    assert_eq!((a.joints(), a.frames()), (b.joints(), b.frames()));
    world_positions(a).iter().zip(world_positions(b)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

fn lowest(clip: &Clip) -> f32 {
    world_positions(clip).iter().map(|point| point.y).fold(f32::MAX, f32::min)
}

fn unit_and_up(parsed: &Parsed) -> (Unit, UpAxis) {
    (parsed.unit, parsed.clip.skeleton().space().up)
}

/// Removes the statement of a file that Kinestitch wrote: the blanks at the ends of its lines.
fn without_statement(text: &str) -> String {
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn a_body_whose_rest_pose_stands_along_y_is_y_up_however_it_lies() {
    for name in ["swim-in-place", "crawl-low"] {
        let parsed = case(name);
        assert_eq!(unit_and_up(&parsed), (Unit::Centimetre, UpAxis::Y), "{name}");
        let reason = parsed.source.reasons.unwrap().up;
        assert!(reason.contains("rest pose"), "{name}: {reason}");
    }
}

#[test]
fn a_body_whose_rest_pose_stands_along_z_is_z_up_whatever_its_names() {
    let parsed = case("mmd-names-zup");
    assert_eq!(unit_and_up(&parsed), (Unit::Centimetre, UpAxis::Z));
    assert!(distance(&parsed.clip, &fixture_clip("ada-walk")) < 1e-4);
}

#[test]
fn root_channels_relative_to_the_offset_are_added_to_it() {
    let parsed = case("root-relative");
    assert_eq!(parsed.clip.skeleton().joints()[0].position_mode, PositionMode::Add);
    assert!((lowest(&parsed.clip) - 0.02).abs() < 0.01, "{}", lowest(&parsed.clip));
    let replaced = ReadOptions { root_offset: Some(PositionMode::Replace), ..ReadOptions::default() };
    assert!(lowest(&read("replaced", &bytes("root-relative"), &replaced).unwrap().clip) < -0.9);
}

#[test]
fn units_are_found_from_lengths_without_known_names() {
    let walk = fixture_clip("ada-walk");
    for (name, unit) in
        [("inch-femur", Unit::Inch), ("decimetre", Unit::Decimetre), ("zero-offsets-metres", Unit::Metre)]
    {
        let parsed = case(name);
        assert_eq!(unit_and_up(&parsed), (unit, UpAxis::Y), "{name}");
        assert!(distance(&parsed.clip, &walk) < 1e-3, "{name}: {}", distance(&parsed.clip, &walk));
    }
}

#[test]
fn options_correct_what_was_guessed() {
    let options =
        ReadOptions { unit: Some(0.0254), up: Some(UpAxis::Z), root: Some("Hips".into()), ..ReadOptions::default() };
    let parsed = read("walk", &bytes("hold-2s"), &options).unwrap();
    assert_eq!(unit_and_up(&parsed), (Unit::Inch, UpAxis::Z));
    let reasons = parsed.source.reasons.unwrap();
    assert_eq!((reasons.unit.as_str(), reasons.up.as_str()), ("inch: given by the caller", "Z: given by the caller"));
    for options in [
        ReadOptions { unit: Some(0.0), ..ReadOptions::default() },
        ReadOptions { unit: Some(f64::NAN), ..ReadOptions::default() },
        ReadOptions { root: Some("Nobody".into()), ..ReadOptions::default() },
    ] {
        let error = read("walk", &bytes("hold-2s"), &options).unwrap_err();
        assert!(matches!(error, Error::Option { .. }), "{error}");
    }
}

#[test]
fn of_two_people_the_first_is_read_and_both_are_offered() {
    let walk = fixture_clip("ada-walk");
    let first = case("two-people");
    assert_eq!(first.source.bodies, ["P1_Hips", "P2_Hips"]);
    assert!(first.source.warnings[0].contains("2 bodies"), "{:?}", first.source.warnings);
    assert_eq!(first.source.left_out.len(), 1);
    assert!(distance(&first.clip, &walk) < 1e-4);
    let root = |name: &str| ReadOptions { root: Some(name.to_owned()), ..ReadOptions::default() };
    let second = read("second", &bytes("two-people"), &root("P2_Hips")).unwrap();
    assert_eq!((second.clip.joints(), second.clip.frames()), (walk.joints(), walk.frames()));
    assert_eq!(second.clip.skeleton().joints()[0].name, "P2_Hips");
    assert_eq!(read("two-people", &bytes("two-people"), &root("P1_Hips")).unwrap().clip, first.clip);
}

#[test]
fn two_people_below_one_root_are_offered() {
    let text = String::from_utf8(bytes("two-people")).unwrap();
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let bodies = hierarchy.replace("HIERARCHY", "").replace("ROOT", "JOINT");
    let text = format!("HIERARCHY\nROOT Scene\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{bodies}}}\nMOTION{motion}");
    let parsed = parse("scene", text.as_bytes()).unwrap();
    assert_eq!(parsed.source.bodies, ["P1_Hips", "P2_Hips"]);
    let options = ReadOptions { root: Some("P2_Hips".into()), ..ReadOptions::default() };
    let second = read("scene", text.as_bytes(), &options).unwrap().clip;
    let names: Vec<&str> = second.skeleton().joints().iter().take(2).map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["Scene", "P2_Hips"]);
}

#[test]
fn a_prop_beside_a_body_is_no_second_body() {
    let text = String::from_utf8(bytes("hold-2s")).unwrap();
    let prop = "ROOT Ball\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\n";
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let (header, rows) = motion.split_at(motion.find("Frame Time:").unwrap());
    let (time, rows) = rows.split_once('\n').unwrap();
    let rows: String = rows.lines().map(|row| format!("{row} 1 2 3\n")).collect();
    let parsed = parse("ball", format!("{hierarchy}{prop}MOTION{header}{time}\n{rows}").as_bytes()).unwrap();
    assert!(parsed.source.bodies.is_empty() && parsed.source.left_out.is_empty());
    assert_eq!(parsed.clip.joints(), 23);
}

#[test]
fn damaged_files_are_read_with_a_message_and_refused_by_a_strict_reader() {
    let walk = fixture_clip("ada-walk");
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    for (name, frames, message) in [
        ("cut-last-row", 128, "line 263: the last row has"),
        ("one-nan", 129, "is not a number; it was interpolated"),
        ("wrapped-rows", 5, "line 135"),
        ("frames-decimal", 129, "line 133"),
        ("comment-lines", 129, "line 1: the line is a comment"),
    ] {
        let Parsed { clip, source, .. } = case(name);
        assert_eq!(clip.frames(), frames, "{name}");
        assert!(source.warnings.iter().any(|warning| warning.contains(message)), "{name}: {:?}", source.warnings);
        let error = distance(&clip, &walk.trimmed(0..frames).unwrap());
        assert!(error < if name == "one-nan" { 0.015 } else { 1e-4 }, "{name}: {error} m");
        assert!(matches!(read(name, &bytes(name), &strict), Err(Error::Bvh { .. })), "{name}");
    }
}

/// Replaces the first occurrence of a text, which must be there.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn other_damage_of_the_same_kinds_is_read() {
    let walk = fixture_clip("ada-walk");
    let text = String::from_utf8(std::fs::read(repository("tests/fixtures/ada-walk.bvh")).unwrap()).unwrap();
    let row = text.lines().nth(160).unwrap();
    let time = text.lines().find(|line| line.starts_with("Frame Time:")).unwrap();
    let frames = text.lines().find(|line| line.starts_with("Frames:")).unwrap();
    let (first, rest) = row.split_once(' ').unwrap();
    let short = row.rsplit_once(' ').unwrap().0;
    let crlf = text.replace('\n', "\r\n");
    // Every row on three lines, but not at a fixed number of values.
    let (head, rows) = text.split_at(text.find(time).unwrap() + time.len() + 1);
    let values: Vec<&str> = rows.split_whitespace().collect();
    let flowing: String = values.chunks(25).map(|line| line.join(" ") + "\n").collect();
    let scaled = text.replace(
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation",
        "CHANNELS 9 Xposition Yposition Zposition Zrotation Yrotation Xrotation Xscale Yscale Zscale",
    );
    let (scaled_head, _) = scaled.split_at(scaled.find(time).unwrap() + time.len() + 1);
    let scaled_row = |row: &str| {
        let mut values: Vec<&str> = row.split(' ').collect();
        values.splice(6..6, ["1", "1", "1"]);
        values.join(" ") + "\n"
    };
    for (what, damaged) in [
        ("a word", replaced(&text, row, &format!("{first} broken {}", rest.split_once(' ').unwrap().1))),
        ("infinite", replaced(&text, row, &format!("-1.#IND {rest}"))),
        ("a short row", replaced(&text, row, short)),
        ("a long row", replaced(&text, row, &format!("{row} 7 8"))),
        ("a word before a row", replaced(&text, row, &format!("row {row}"))),
        ("a comma", replaced(&text, first, &first.replace('.', ","))),
        ("flowing rows", format!("{head}{flowing}")),
        ("control characters", format!("{text}\x1a\0\0")),
        ("CRLF and a comment", crlf.replace("MOTION\r\n", "// recorded today\r\nMOTION\r\n# rows\r\n")),
        ("a footer", format!("{text}END OF FILE\n")),
        ("scales", format!("{scaled_head}{}", rows.lines().map(scaled_row).collect::<String>())),
        ("no frames", replaced(&text, &format!("{frames}\n"), "")),
        ("a decimal number of frames", replaced(&text, frames, "Frames: 1.29e2")),
        ("a negative number of frames", replaced(&text, frames, "Frames: -1")),
        ("no frame time", replaced(&text, time, "Frame Time: 0")),
        ("a comma in the frame time", replaced(&text, time, "Frame Time: 0,0333333")),
        ("a unit after the frame time", replaced(&text, time, "Frame Time: 0.0333333 seconds")),
        ("too many channels", replaced(&text, "CHANNELS 3", "CHANNELS 2")),
    ] {
        let Parsed { clip, source, .. } =
            parse(what, damaged.as_bytes()).unwrap_or_else(|error| panic!("{what}: {error}"));
        let messages = source.warnings.len() + source.left_out.len();
        assert!(messages > 0, "{what}: nothing is said");
        let error = distance(&clip, &walk);
        let is_interpolated = ["a word", "infinite", "a short row"].contains(&what);
        assert!(error < if is_interpolated { 0.01 } else { 1e-4 }, "{what}: {error} m");
        assert!((clip.fps() - 30.0).abs() < 1e-6, "{what}: {}", clip.fps());
    }
}

#[test]
fn damage_at_many_places_is_said_once() {
    let text = String::from_utf8(bytes("hold-2s")).unwrap();
    let damaged = text.replace("-0.874497 91.563547", "nan 91.563547");
    let Parsed { source, .. } = parse("damaged", damaged.as_bytes()).unwrap();
    assert_eq!(source.warnings.len(), 1, "{:?}", source.warnings);
    assert!(source.warnings[0].contains("59 more places"), "{:?}", source.warnings);
}

#[test]
fn what_kinestitch_writes_is_read_identically_whatever_its_motion() {
    let names = ["swim-in-place", "crawl-low", "mmd-names-zup", "root-relative", "inch-femur", "zero-offsets-metres"];
    let clips = names.map(|name| case(name).clip).into_iter().chain(["ada-idle", "cleo-trot"].map(fixture_clip));
    for clip in clips {
        for (unit, up) in [(0.0254, UpAxis::Z), (1.0, UpAxis::Y), (0.37, UpAxis::Z), (0.001, UpAxis::Y)] {
            // The data of the file, read as something else: a giant, a bird that lies on its side.
            let text = without_statement(&write(&clip).unwrap());
            let options = ReadOptions { unit: Some(unit), up: Some(up), ..ReadOptions::default() };
            let odd = read(&clip.name, text.as_bytes(), &options).unwrap().clip;
            let again = parse(&clip.name, write(&odd).unwrap().as_bytes()).unwrap();
            assert_eq!(odd.skeleton(), again.clip.skeleton(), "{}", clip.name);
            assert_eq!(odd.translations(), again.clip.translations(), "{}", clip.name);
            assert!(again.source.reasons.unwrap().up.contains("Kinestitch"));
        }
    }
}

#[test]
fn rates_are_those_of_the_frame_time() {
    for (name, frames, fps) in
        [("bvh-59.94fps", 240, 59.94), ("bvh-23.976fps", 240, 23.976), ("ft-0.0167", 300, 59.88), ("hold-2s", 60, 30.0)]
    {
        let clip = case(name).clip;
        assert_eq!(clip.frames(), frames);
        assert!((clip.fps() - fps).abs() < 1e-3, "{name}: {}", clip.fps());
        let again = parse(name, write(&clip).unwrap().as_bytes()).unwrap().clip;
        assert_eq!((again.frames(), again.fps()), (frames, clip.fps()), "{name}");
    }
}

#[test]
fn a_spin_is_written_as_one_continuous_curve() {
    let clip = case("spin-720").clip;
    let text = write(&clip).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip_while(|line| !line.starts_with("Frame Time"))
        .skip(1)
        .map(|line| line.split(' ').map(|value| value.parse().unwrap()).collect())
        .collect();
    // Columns 3 to 5 are the root's z, y and x.
    let yaw: Vec<f64> = rows.iter().map(|row| row[4]).collect();
    assert!(yaw.windows(2).all(|pair| (pair[1] - pair[0] - 6.0).abs() < 1e-3), "{yaw:?}");
    assert!((yaw[yaw.len() - 1] - 768.0).abs() < 1e-3);
    let largest = rows.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]).skip(3).map(|(a, b)| (a - b).abs()));
    assert!(largest.fold(0.0, f64::max) < 60.0);
    assert!(distance(&clip, &parse("again", text.as_bytes()).unwrap().clip) < 1e-5);
}

/// Returns a clip with the same motion on a skeleton whose bones lie along x at rest, as in LAFAN1.
fn laid_along_x(clip: &Clip, up: UpAxis) -> Clip {
    let joints = clip.skeleton().joints();
    let main_child = |joint: usize| clip.skeleton().children(joint).map(|child| joints[child].offset).next();
    let turn = |joint: usize| match main_child(joint).and_then(|offset| offset.try_normalize()) {
        Some(offset) => Quat::from_rotation_arc(Vec3::X, offset),
        None => Quat::IDENTITY,
    };
    let turns: Vec<Quat> = (0..joints.len()).map(turn).collect();
    let parent_turn = |joint: usize| joints[joint].parent.map_or(Quat::IDENTITY, |parent| turns[parent]);
    let relaid = joints.iter().enumerate().map(|(index, joint)| Joint {
        offset: parent_turn(index).inverse() * joint.offset,
        end_sites: joint.end_sites.iter().map(|&site| turns[index].inverse() * site).collect(),
        ..joint.clone()
    });
    let skeleton = Skeleton::new(relaid.collect(), FileSpace { metres_per_unit: 0.01, up }).unwrap();
    let local = |(index, rotation): (usize, &Quat)| {
        let joint = index % joints.len();
        (parent_turn(joint).inverse() * *rotation * turns[joint]).normalize()
    };
    let rotations = clip.rotations().iter().enumerate().map(local).collect();
    let translations = clip.translations().to_vec();
    Clip::new("laid", Arc::new(skeleton), clip.frame_time_secs(), rotations, translations).unwrap()
}

#[test]
fn the_floor_of_the_motion_decides_where_the_rest_pose_lies_along_x() {
    for name in ["ada-walk", "ada-jog", "ada-run"] {
        let walk = fixture_clip(name);
        for up in [UpAxis::Y, UpAxis::Z] {
            let clip = laid_along_x(&walk, up);
            assert!(distance(&clip, &walk) < 1e-4, "{}", distance(&clip, &walk));
            // Names that say nothing.
            let text = without_statement(&write(&clip).unwrap());
            let plain = text.lines().enumerate().map(|(index, line)| match line.trim_start().split_once(' ') {
                Some((keyword @ ("JOINT" | "ROOT"), _)) => format!("{keyword} part{index}\n"),
                _ => format!("{line}\n"),
            });
            let parsed = parse("plain", plain.collect::<String>().as_bytes()).unwrap();
            let reason = parsed.source.reasons.unwrap().up;
            assert_eq!(parsed.clip.skeleton().space().up, up, "{name}: {reason}");
            assert!(reason.contains("stands still"), "{name}: {reason}");
        }
    }
}
