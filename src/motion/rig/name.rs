//! Joint names: words, side, and scores for each role of a limb.

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
}

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
];

/// Body words, used to split names without separators ("leftupleg", "lknee", "upperarm").
const BODY_WORDS: &[&str] = &[
    "left", "right", "up", "upper", "lo", "low", "lower", "fore", "arm", "leg", "hand", "wrist", "foot", "feet",
    "ankle", "toe", "toes", "ball", "knee", "shin", "calf", "thigh", "femur", "tibia", "hip", "hips", "pelvis", "butt",
    "buttock", "collar", "clavicle", "scapula", "shoulder", "shldr", "elbow", "spine", "chest", "neck", "head",
    "torso", "abdomen", "waist", "back", "base", "joint", "bone", "end", "nub", "twist", "roll", "eye", "jaw", "thumb",
    "index", "middle", "ring", "pinky", "finger", "fingers", "tail", "front", "rear", "hind", "paw", "root", "top",
    "site", "humerus", "radius", "ulna", "bend",
];

/// Reads the evidence from a joint's name.
pub fn read_hint(name: &str) -> Hint {
    let mut words = split_name(name);
    if is_vertebra(&words) {
        return Hint::default();
    }
    let side = take_side(&mut words);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let (arm, leg) = (has(&["arm"]), has(&["leg"]));
    let upper = has(&["up", "upper", "u"]);
    let lower = has(&["lo", "low", "lower"]);
    let fore = has(&["fore", "f"]);
    let mut hint = Hint { side, extra: has(EXTRA_WORDS), ..Hint::default() };
    hint.quadruped =
        has(&["paw", "hoof"]) || (has(&["front", "rear", "hind", "back"]) && (leg || has(&["foot", "toe"])));
    hint.hips = side.is_none() && !hint.extra && has(&["hips", "hip", "pelvis"]);
    hint.neck = has(&["neck"]);
    hint.head = has(&["head"]) && !hint.extra && !has(&["top"]);
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
        max_score(&[(has(&["foot", "ankle"]), 1.0), (has(&["feet"]), 0.8)]),
        // A "foot" below an "ankle" is the ball of the foot (SMPL).
        max_score(&[(has(&["toe", "toes", "ball"]), 1.0), (has(&["foot"]), 0.6)]),
    ];
    hint.arm = [
        max_score(&[(has(&["clavicle", "collar"]), 1.0), (has(&["shoulder", "shldr"]), 0.9), (has(&["scapula"]), 0.8)]),
        max_score(&[
            ((arm && upper) || has(&["humerus"]), 1.0),
            (plain_arm, 0.9),
            (has(&["shoulder", "shldr"]) && !has(&["clavicle", "collar"]), 0.8),
        ]),
        max_score(&[(has(&["elbow", "radius", "ulna"]) || (arm && (lower || fore)), 1.0), (plain_arm, 0.3)]),
        max_score(&[(has(&["hand", "wrist"]), 1.0)]),
    ];
    hint
}

/// Returns the side and the remaining words of a name. The names of opposite joints differ only in the side.
pub fn split_side(name: &str) -> (Option<Side>, Vec<String>) {
    let mut words = split_name(name);
    let side = if is_vertebra(&words) { None } else { take_side(&mut words) };
    (side, words)
}

/// Splits a name into lower-case words: at separators, case changes and digits, and between body words. Leaves out the
/// namespace and the prefix `mixamorig`.
fn split_name(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let letters: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let previous = i.checked_sub(1).map(|i| letters[i]);
        let next = letters.get(i + 1).copied();
        let starts_word = match previous {
            Some(b) if c.is_ascii_digit() != b.is_ascii_digit() => true,
            Some(b) if c.is_uppercase() => b.is_lowercase() || next.is_some_and(char::is_lowercase),
            _ => false,
        };
        if !c.is_alphanumeric() || starts_word {
            parts.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
    }
    let mut words = Vec::new();
    let parts = parts.iter().map(|part| part.strip_prefix("mixamorig").unwrap_or(part));
    for part in parts.filter(|part| !part.is_empty()) {
        match part {
            // OptiTrack: LUArm, RFArm.
            "lu" | "lf" | "ru" | "rf" => words.extend([part[..1].to_owned(), part[1..].to_owned()]),
            _ => match split_word(part) {
                Some(pieces) => words.extend(pieces.into_iter().map(str::to_owned)),
                None => words.push(part.to_owned()),
            },
        }
    }
    words
}

/// Splits a word without separators into body words; `l` or `r` is allowed at either end.
fn split_word(word: &str) -> Option<Vec<&str>> {
    fn split_body_words(remainder: &str) -> Option<Vec<&str>> {
        if remainder.is_empty() {
            return Some(Vec::new());
        }
        // Names are user input, so the search must end soon: the longest prefix is tried first, and `MAX_LENGTH` bounds
        // the name.
        let mut prefixes: Vec<&&str> = BODY_WORDS.iter().filter(|word| remainder.starts_with(**word)).collect();
        prefixes.sort_by_key(|word| std::cmp::Reverse(word.len()));
        prefixes.into_iter().find_map(|word| {
            let mut pieces = vec![&remainder[..word.len()]];
            pieces.extend(split_body_words(&remainder[word.len()..])?);
            Some(pieces)
        })
    }
    const MAX_LENGTH: usize = 32;
    if word.len() > MAX_LENGTH || !word.is_ascii() || word.len() < 3 || EXTRA_WORDS.contains(&word) {
        return None;
    }
    if let Some(pieces) = split_body_words(word) {
        return Some(pieces);
    }
    // "legl" starts with l too, but its side is at the end.
    if word.starts_with(['l', 'r'])
        && let Some(body_words) = split_body_words(&word[1..])
    {
        let mut pieces = vec![&word[..1]];
        pieces.extend(body_words);
        return Some(pieces);
    }
    if word.ends_with(['l', 'r']) {
        let mut pieces = split_body_words(&word[..word.len() - 1])?;
        pieces.push(&word[word.len() - 1..]);
        return Some(pieces);
    }
    None
}

/// Removes the words that state a side, and returns the first side.
fn take_side(words: &mut Vec<String>) -> Option<Side> {
    let side_of = |word: &str| match word {
        "left" | "l" | "lft" | "lt" => Some(Side::Left),
        "right" | "r" | "rgt" | "rt" => Some(Side::Right),
        _ => None,
    };
    let side = words.iter().find_map(|word| side_of(word));
    words.retain(|word| side_of(word).is_none());
    side
}

/// Returns whether the words name a vertebra: Xsens names its spine joints L5, L3, T12, T8. "L5" is not on the left.
fn is_vertebra(words: &[String]) -> bool {
    matches!(words, [.., letter, number]
        if words.len() <= 2 && matches!(letter.as_str(), "l" | "t" | "c") && number.bytes().all(|b| b.is_ascii_digit()))
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
