//! Properties of reading and writing BVH that must hold for any skeleton and any rotation.

use glam::{DQuat, Quat, Vec3};
use kinestitch::motion::bvh::{parse, write};
use kinestitch::motion::skeleton::FileSpace;
use kinestitch::{Channel, Clip, Joint, Skeleton};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

const POSITIONS: [Channel; 3] = [Channel::Xposition, Channel::Yposition, Channel::Zposition];
const ROTATIONS: [Channel; 3] = [Channel::Xrotation, Channel::Yrotation, Channel::Zrotation];

/// Returns every sequence of distinct rotation channels: the empty one, 3 with one channel, 6 with two, 6 with three.
fn orders() -> Vec<Vec<Channel>> {
    let mut orders = vec![Vec::new()];
    for length in 1..=3 {
        let shorter: Vec<_> = orders.iter().filter(|order: &&Vec<_>| order.len() == length - 1).cloned().collect();
        for order in shorter {
            for channel in ROTATIONS.into_iter().filter(|channel| !order.contains(channel)) {
                orders.push(order.iter().copied().chain([channel]).collect());
            }
        }
    }
    assert_eq!(orders.len(), 16);
    orders
}

fn degrees_between(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    (4.0 * (0.5 * (a - b).length().min((a + b).length())).asin()).to_degrees()
}

fn rotation_about(channel: Channel, degrees: f64) -> DQuat {
    match channel {
        Channel::Xrotation => DQuat::from_rotation_x(degrees.to_radians()),
        Channel::Yrotation => DQuat::from_rotation_y(degrees.to_radians()),
        _ => DQuat::from_rotation_z(degrees.to_radians()),
    }
}

/// Creates a clip with one joint that has these rotation channels; metres.
fn one_joint(channels: Vec<Channel>, rotations: Vec<Quat>) -> Clip {
    let joint = Joint {
        name: "Root".into(),
        parent: None,
        offset: Vec3::ZERO,
        channels,
        position_mode: Default::default(),
        end_sites: vec![Vec3::Y],
    };
    let space = FileSpace { metres_per_unit: 1.0, ..Default::default() };
    let skeleton = Arc::new(Skeleton::new(vec![joint], space).unwrap());
    let translations = vec![Vec3::ZERO; rotations.len()];
    Clip::new("one", skeleton, 0.04, rotations, translations).unwrap()
}

/// Generates angles in degrees, often near a multiple of 90, where gimbals lock.
fn angle() -> impl Strategy<Value = f64> {
    let near_quarter = (-4i32..=4, -1e-6..1e-6f64).prop_map(|(quarter, error)| f64::from(quarter) * 90.0 + error);
    prop_oneof![-400.0..400.0f64, near_quarter, (-8i32..=8).prop_map(|quarter| f64::from(quarter) * 90.0)]
}

fn quaternion() -> impl Strategy<Value = Quat> {
    let any = [-1.0..1.0f32, -1.0..1.0f32, -1.0..1.0f32, -1.0..1.0f32];
    any.prop_filter_map("too short", |v| {
        let q = Quat::from_array(v);
        (q.length() > 0.1).then(|| q.normalize())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Channels a b c mean R_a · R_b · R_c, for every order and number of channels.
    #[test]
    fn angles_are_read_as_the_product_of_rotations(degrees in [angle(), angle(), angle()]) {
        for order in orders() {
            let mut text = format!("HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS {}", order.len());
            order.iter().for_each(|channel| write!(text, " {channel:?}").unwrap());
            text += " }\nMOTION\nFrames: 1\nFrame Time: 0.1\n";
            degrees.iter().take(order.len()).for_each(|degrees| write!(text, "{degrees:.12} ").unwrap());
            let clip = parse("order", text.as_bytes()).unwrap().clip;
            let factors = order.iter().zip(degrees).map(|(&channel, degrees)| rotation_about(channel, degrees));
            let expected = factors.fold(DQuat::IDENTITY, |product, factor| product * factor);
            for &rotation in clip.rotations() {
                prop_assert!(rotation.is_normalized());
                prop_assert!(degrees_between(rotation, expected.as_quat()) < 2e-5, "{order:?}");
            }
        }
    }

    /// Any rotation is restored with any order of channels; missing channels are added.
    #[test]
    fn rotations_are_restored_in_every_order(
        rotations in prop::collection::vec(quaternion(), 1..4),
        locked in [angle(), angle()],
    ) {
        for order in orders() {
            let mut rotations = rotations.clone();
            if let [a, b, ..] = order[..] {
                let locking = rotation_about(a, locked[0]) * rotation_about(b, 90.0);
                rotations.push((locking * rotation_about(a, locked[1] * 1e-6)).as_quat());
            }
            let text = write(&one_joint(order.clone(), rotations.clone())).unwrap();
            let back = parse("back", text.as_bytes()).unwrap().clip;
            prop_assert_eq!(back.frames(), rotations.len());
            for (written, read) in rotations.iter().zip(back.rotations()) {
                prop_assert!(degrees_between(*written, *read) < 1e-4, "{order:?}: {written} {read}");
            }
        }
    }

    /// Signs do not jump from one frame to the next.
    #[test]
    fn signs_are_continuous(rotations in prop::collection::vec(quaternion(), 2..20)) {
        let back = parse("signs", write(&one_joint(ROTATIONS.to_vec(), rotations)).unwrap().as_bytes()).unwrap().clip;
        prop_assert!(back.rotations()[0].w >= 0.0);
        prop_assert!(back.rotations().windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0));
    }

    #[test]
    fn quaternion_products_are_associative_and_keep_lengths(
        a in quaternion(),
        b in quaternion(),
        c in quaternion(),
        v in [-9.0..9.0f32, -9.0..9.0f32, -9.0..9.0f32],
    ) {
        let v = Vec3::from_array(v);
        prop_assert!(degrees_between(a * (b * c), (a * b) * c) < 1e-4);
        prop_assert!(degrees_between(a * a.inverse(), Quat::IDENTITY) < 1e-4);
        prop_assert!(((a * b) * v).distance(a * (b * v)) < 1e-4);
        prop_assert!(((a * v).length() - v.length()).abs() < 1e-4);
        prop_assert!((-a * v).distance(a * v) < 1e-5);
    }

    /// Parse → write → parse returns the result of the first parse, for generated files.
    #[test]
    fn generated_files_round_trip(file in file()) {
        let parsed = parse("generated", file.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{file}"));
        let (clip, text) = (&parsed.clip, write(&parsed.clip).unwrap());
        let back = parse("generated", text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}")).clip;
        prop_assert_eq!(clip.skeleton(), back.skeleton());
        prop_assert_eq!(clip.frame_time_secs().to_bits(), back.frame_time_secs().to_bits());
        prop_assert_eq!(bits(clip.translations()), bits(back.translations()));
        prop_assert_eq!(clip.frames(), back.frames());
        for (a, b) in clip.rotations().iter().zip(back.rotations()) {
            prop_assert!(degrees_between(*a, *b) < 1e-4);
        }
        // Written again, the text has nearly the same length: only the digits of angles differ, by rounding.
        prop_assert!(text.len().abs_diff(write(&back).unwrap().len()) <= text.len() / 20 + 20);
    }

    /// The parser never panics, and its errors contain a line and column.
    #[test]
    fn errors_of_damaged_files_have_a_valid_position(
        file in file(),
        position in 0.0..1.0f64,
        bytes in prop::collection::vec(any::<u8>(), 0..4),
        cut in any::<bool>(),
    ) {
        let mut damaged = file.into_bytes();
        let start = (position * damaged.len() as f64) as usize;
        let end = if cut { damaged.len() } else { (start + bytes.len()).min(damaged.len()) };
        damaged.splice(start..end, bytes);
        if let Err(error) = parse("damaged", &damaged)
            && let kinestitch::Error::Bvh { line, column, .. } = error
        {
            let text: String = damaged.iter().map(|&b| char::from(b.min(127))).collect();
            let lines: Vec<String> = text.replace("\r\n", " \n").split(['\r', '\n']).map(str::to_owned).collect();
            prop_assert!(line >= 1 && line <= lines.len() && column >= 1 && column <= lines[line - 1].len() + 1);
        }
    }
}

fn bits(vectors: &[Vec3]) -> Vec<[u32; 3]> {
    vectors.iter().map(|v| v.to_array().map(f32::to_bits)).collect()
}

/// Generates decimal numbers as found in files: fixed, integer, scientific, signed zero.
fn decimal(range: f64) -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (-range..range).prop_map(|v| format!("{v:.6}")),
        1 => (-range..range).prop_map(|v| format!("{v:.0}")),
        1 => (-range..range).prop_map(|v| format!("{v:.7e}")),
        1 => (-1e-9..1e-9f64).prop_map(|v| format!("{v:e}")),
        1 => Just("-0.0".to_owned()),
        1 => Just("0".to_owned()),
    ]
}

/// A generated joint.
#[derive(Debug, Clone)]
struct JointText {
    /// Distance to the parent in the list of joints. Zero, or more than the joint's own index, makes a root.
    up: usize,
    offset: Vec<String>,
    end_sites: Vec<Vec<String>>,
    channels: Vec<Channel>,
}

fn joint_text(scale: f64) -> impl Strategy<Value = JointText> {
    let vector = || prop::collection::vec(decimal(scale), 3);
    let channels = prop::sample::subsequence([POSITIONS, ROTATIONS].concat(), 0..=6).prop_shuffle();
    (0..6usize, vector(), prop::collection::vec(vector(), 0..3), channels)
        .prop_map(|(up, offset, end_sites, channels)| JointText { up, offset, end_sites, channels })
}

/// Generates complete files with up to 11 joints, at the scales of metres, centimetres and millimetres.
fn file() -> impl Strategy<Value = String> {
    prop_oneof![Just(0.5), Just(50.0), Just(500.0)]
        .prop_flat_map(|scale| {
            let rows = prop::collection::vec(prop::collection::vec(decimal(scale), 72), 0..5);
            (
                prop::collection::vec(joint_text(scale), 1..12),
                rows,
                0.001..0.1f64,
                prop::sample::select(vec!["\n", "\r\n", "\r"]),
            )
        })
        .prop_map(|(joints, rows, frame_time, end)| text(&joints, &rows, frame_time).replace('\n', end))
}

fn text(joints: &[JointText], rows: &[Vec<String>], frame_time: f64) -> String {
    fn write_joint(out: &mut String, joints: &[JointText], parents: &[Option<usize>], index: usize, width: &mut usize) {
        let joint = &joints[index];
        let kind = if parents[index].is_none() { "ROOT" } else { "JOINT" };
        write!(
            out,
            "{kind} ns:Joint {index}\n{{\n OFFSET\t{}\n CHANNELS {}",
            joint.offset.join(" "),
            joint.channels.len()
        )
        .unwrap();
        joint.channels.iter().for_each(|channel| write!(out, " {channel:?}").unwrap());
        out.push('\n');
        *width += joint.channels.len();
        for site in &joint.end_sites {
            write!(out, "End Site\n{{\nOFFSET {}\n}}\n", site.join("  ")).unwrap();
        }
        for child in (index + 1..joints.len()).filter(|&child| parents[child] == Some(index)) {
            write_joint(out, joints, parents, child, width);
        }
        out.push_str("}\n");
    }
    let parents: Vec<Option<usize>> =
        joints.iter().enumerate().map(|(i, joint)| (joint.up > 0).then(|| i.checked_sub(joint.up)).flatten()).collect();
    let mut out = String::from("HIERARCHY\n");
    let mut width = 0;
    for root in (0..joints.len()).filter(|&i| parents[i].is_none()) {
        write_joint(&mut out, joints, &parents, root, &mut width);
    }
    let rows = if width == 0 { &[] } else { rows };
    write!(out, "MOTION\nFrames: {}\nFrame Time: {frame_time}\n", rows.len()).unwrap();
    for row in rows {
        out.push_str(&row[..width.min(row.len())].join(" "));
        out.push('\n');
    }
    out
}
