//! Joint names: words, side, and scores for each role of a limb.

mod japanese;
mod words;

use words::{is_vertebra, side_of, take_side};
pub use words::{split_name, split_side};

/// Side of the body that a name states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Right,
}

/// Evidence from a name. The scores, from 0 (no) to 1 (certain), are in the order of the limb's roles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hint {
    /// Side that the name states, if any.
    pub side: Option<Side>,
    /// Scores of thigh, shin, foot, toe.
    pub leg: [f32; 4],
    /// Scores of clavicle, upper arm, forearm, hand.
    pub arm: [f32; 4],
    /// Whether it names hips or a pelvis, without a side.
    pub hips: bool,
    /// Whether it names a neck.
    pub neck: bool,
    /// Whether it names a head, not the end of a head ("head top").
    pub head: bool,
    /// Whether it names a leg of a quadruped ("front leg", "hind foot", "paw").
    pub quadruped: bool,
    /// Whether it names something outside the canonical body: finger, eye, twist helper, End Site, control.
    pub extra: bool,
    /// Whether it names a part of a hand: a finger, a palm.
    pub finger: bool,
    /// Whether it names a part of a face: an eye, the jaw, the face itself.
    pub face: bool,
    /// Whether it names a part of the trunk: hips, spine, chest.
    pub trunk: bool,
    /// Whether it names one of several joints between the ends of a limb, so that the name does not tell which of them
    /// bends the limb ("leg_L0_1_jnt" of mGear).
    pub segment: bool,
}

/// Words that set [`Hint::finger`].
const FINGER_WORDS: &[&str] = &[
    "thumb",
    "index",
    "middle",
    "mid",
    "ring",
    "pinky",
    "pinkie",
    "little",
    "finger",
    "fingers",
    "digit",
    "palm",
    "carpal",
    "metacarpal",
];
/// Words that set [`Hint::face`].
const FACE_WORDS: &[&str] = &["face", "nose", "eye", "eyes", "jaw", "tongue", "lid", "brow", "cheek", "lip", "teeth"];
/// Words that set [`Hint::trunk`].
const TRUNK_WORDS: &[&str] =
    &["hips", "hip", "pelvis", "spine", "chest", "torso", "abdomen", "waist", "thorax", "body", "belly"];

/// Words of joints that only place, scale or twist other joints. Stems of names leave them out, see [`read_stem`].
const HELPER_WORDS: &[&str] = &[
    "assimp",
    "fbx",
    "translation",
    "rotation",
    "pre",
    "post",
    "prerotation",
    "postrotation",
    "scaling",
    "scale",
    "geometric",
    "pivot",
    "offset",
    "ofs",
    "grp",
    "group",
    "null",
    "zero",
    "buffer",
    "space",
    "srt",
    "sdk",
    "con",
    "cns",
    "loc",
    "helper",
    "dummy",
];

/// Words whose presence sets [`Hint::extra`].
const EXTRA_WORDS: &[&str] = &[
    "face",
    "nose",
    "eye",
    "eyes",
    "jaw",
    "thumb",
    "index",
    "middle",
    "ring",
    "pinky",
    "finger",
    "fingers",
    "tongue",
    "hair",
    "breast",
    "bust",
    "tail",
    "ear",
    "lid",
    "brow",
    "cheek",
    "lip",
    "teeth",
    "nub",
    "end",
    "effector",
    "site",
    "ik",
    "pole",
    "target",
    "ctrl",
    "control",
    "twist",
    "roll",
    "prop",
    "weapon",
    "skirt",
    "palm",
    "carpal",
    "metacarpal",
    "tip",
    "helper",
    "corrective",
    "cape",
    "wing",
    "leaf",
    "share",
    "part",
    "pinkie",
    "little",
    "digit",
    "look",
    "grip",
    "slot",
    "socket",
    "attach",
    "effect",
    "support",
    "cancel",
];

/// Reads the evidence from a joint's name.
pub fn read_hint(name: &str) -> Hint {
    let mut words = split_name(name);
    if is_vertebra(&words) {
        return Hint { trunk: true, ..Hint::default() };
    }
    if let Some(hint) = read_component(&words) {
        return hint;
    }
    let side = take_side(&mut words);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let (arm, leg) = (has(&["arm"]), has(&["leg"]));
    let upper = has(&["up", "upper", "u"]);
    let lower = has(&["lo", "low", "lower"]);
    let fore = has(&["fore", "f"]);
    let mut hint = Hint { side, extra: has(EXTRA_WORDS) || has(HELPER_WORDS), ..Hint::default() };
    (hint.finger, hint.face, hint.trunk) = (has(FINGER_WORDS), has(FACE_WORDS), has(TRUNK_WORDS));
    hint.quadruped =
        has(&["paw", "hoof"]) || (has(&["front", "rear", "hind", "back"]) && (leg || has(&["foot", "toe"])));
    hint.hips = side.is_none() && !hint.extra && has(&["hips", "hip", "pelvis"]);
    // XNALara: "head neck lower" is the neck, "head neck upper" the head.
    let is_upper_neck = has(&["head"]) && upper;
    hint.neck = has(&["neck"]) && !is_upper_neck;
    hint.head = has(&["head"]) && !hint.extra && !has(&["top"]) && !hint.neck;
    // Front legs of a quadruped get no leg scores: the legs of the rig are the legs at the hips, the hind legs.
    if side.is_none() || hint.extra || hint.quadruped && has(&["front"]) {
        return hint;
    }
    let max_score = |scores: &[(bool, f32)]| scores.iter().filter(|s| s.0).map(|s| s.1).fold(0.0, f32::max);
    let plain_leg = leg && !upper && !lower && !fore;
    let plain_arm = arm && !upper && !lower && !fore;
    hint.leg = [
        max_score(&[
            (has(&["thigh", "femur"]) || (leg && upper), 1.0),
            (has(&["hip", "hips"]), if has(&["joint"]) { 0.3 } else { 0.8 }),
            (has(&["butt", "buttock"]), 0.2),
            (plain_leg, 0.5),
        ]),
        max_score(&[(has(&["knee", "shin", "calf", "tibia"]) || (leg && (lower || fore)), 1.0), (plain_leg, 0.9)]),
        max_score(&[(has(&["foot", "ankle", "talocrural"]), 1.0), (has(&["feet"]), 0.8)]),
        // A "foot" below an "ankle" is the ball of the foot (SMPL).
        max_score(&[(has(&["toe", "toes", "ball", "metatarsophalangeal"]), 1.0), (has(&["foot"]), 0.6)]),
    ];
    hint.arm = [
        max_score(&[
            (has(&["clavicle", "collar", "sternoclavicular"]), 1.0),
            (has(&["shoulder", "shldr"]), 0.9),
            (has(&["scapula"]), 0.8),
        ]),
        max_score(&[
            ((arm && upper) || has(&["humerus"]), 1.0),
            (plain_arm, 0.9),
            (has(&["shoulder", "shldr"]) && !has(&["clavicle", "collar"]), 0.8),
        ]),
        max_score(&[(has(&["elbow", "radius", "ulna"]) || (arm && (lower || fore)), 1.0), (plain_arm, 0.3)]),
        max_score(&[(has(&["hand", "wrist", "radiocarpal"]), 1.0)]),
    ];
    hint
}

/// Reads a name of mGear: part, side with the index of the component, and index in the chain ("leg_L0_0_jnt"). The last
/// joint of a chain is named "end"; the joints between it and the first one include twist joints. `None` for other
/// names.
fn read_component(words: &[String]) -> Option<Hint> {
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let [part, side, component, index, ..] = words else { return None };
    let side = side_of(side).filter(|_| is_number(component))?;
    let scores = match (index.as_str(), is_number(index)) {
        ("end", _) if matches!(part.as_str(), "leg" | "arm") => [0.0, 0.0, 1.0],
        ("0", _) => [1.0, 0.0, 0.0],
        (_, true) => [0.0, 0.9, 0.0],
        _ => return None,
    };
    let hint = Hint { side: Some(side), segment: scores[1] > 0.0, ..Hint::default() };
    let [first, middle, last] = scores;
    match part.as_str() {
        "leg" => Some(Hint { leg: [first, middle, last, 0.0], ..hint }),
        "arm" => Some(Hint { arm: [0.0, first, middle, last], ..hint }),
        _ => None,
    }
}

/// Returns whether a name is that of a control, or of a joint that only places or twists others.
pub fn is_helper(name: &str) -> bool {
    const CONTROLS: &[&str] = &[
        "ik",
        "pole",
        "target",
        "ctrl",
        "control",
        "twist",
        "roll",
        "part",
        "share",
        "corrective",
        "end",
        "nub",
        "site",
        "effector",
        "support",
        "cancel",
        "root",
        "pelvis",
        "hip",
        "buttock",
    ];
    split_name(name).iter().any(|word| CONTROLS.contains(&word.as_str()) || HELPER_WORDS.contains(&word.as_str()))
}

/// Returns side and words of a name without the words of helpers: joints of one body part that lie at one place, such
/// as a joint and its pivots, have equal stems.
pub fn read_stem(name: &str) -> (Option<Side>, Vec<String>) {
    let (side, mut words) = split_side(name);
    words.retain(|word| !HELPER_WORDS.contains(&word.as_str()));
    (side, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_begin_or_end_with_its_side() {
        for (names, expected) in [(["lleg", "legl", "LEGL"], "left leg"), (["rleg", "legr", "LEGR"], "right leg")] {
            for name in names {
                assert_eq!(read_hint(name), read_hint(expected), "{name}");
            }
        }
    }

    #[test]
    fn names_without_separators_are_split() {
        // CMU's ASF files, and Mixamo's names in lower case.
        for (name, expected) in [
            ("lradius", "left radius"),
            ("rfingers", "right fingers"),
            ("mixamoriglefthand", "left hand"),
            ("mixamorig:LeftHand", "left hand"),
        ] {
            assert_eq!(read_hint(name), read_hint(expected), "{name}");
        }
        assert_eq!(read_hint("lradius").arm[2], 1.0);
        assert!(read_hint("rfingers").extra);
    }
}
