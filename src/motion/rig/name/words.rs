//! Words of a joint's name, and the side that it states.

use super::{EXTRA_WORDS, Side, japanese};

/// Body words, used to split names without separators ("leftupleg", "lknee", "upperarm").
const BODY_WORDS: &[&str] = &[
    "left", "right", "up", "upper", "lo", "low", "lower", "fore", "arm", "leg", "hand", "wrist", "foot", "feet",
    "ankle", "toe", "toes", "ball", "knee", "shin", "calf", "thigh", "femur", "tibia", "hip", "hips", "pelvis", "butt",
    "buttock", "collar", "clavicle", "scapula", "shoulder", "shldr", "elbow", "spine", "chest", "neck", "head",
    "torso", "abdomen", "waist", "back", "base", "joint", "bone", "end", "nub", "twist", "roll", "eye", "jaw", "thumb",
    "index", "middle", "ring", "pinky", "finger", "fingers", "tail", "front", "rear", "hind", "paw", "root", "top",
    "site", "humerus", "radius", "ulna", "bend",
];

/// Returns the side and the remaining words of a name. The names of opposite joints differ only in the side.
pub fn split_side(name: &str) -> (Option<Side>, Vec<String>) {
    let mut words = split_name(name);
    let side = if is_vertebra(&words) { None } else { take_side(&mut words) };
    (side, words)
}

/// Splits a name into lower-case words: at separators, case changes and digits, and between body words. Leaves out the
/// namespace and the prefix `mixamorig`, and translates Japanese.
pub fn split_name(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let translated = japanese::translate(name);
    let name = translated.as_deref().unwrap_or(name);
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

/// Returns the side that a word states.
pub fn side_of(word: &str) -> Option<Side> {
    match word {
        "left" | "l" | "lft" | "lt" | "le" => Some(Side::Left),
        "right" | "r" | "rgt" | "rt" | "ri" => Some(Side::Right),
        _ => None,
    }
}

/// Removes the words that state a side, and returns the first side.
pub fn take_side(words: &mut Vec<String>) -> Option<Side> {
    let side = words.iter().find_map(|word| side_of(word));
    words.retain(|word| side_of(word).is_none());
    side
}

/// Returns whether the words name a vertebra: Xsens names its spine joints L5, L3, T12, T8. "L5" is not on the left.
pub fn is_vertebra(words: &[String]) -> bool {
    matches!(words, [.., letter, number]
        if words.len() <= 2 && matches!(letter.as_str(), "l" | "t" | "c") && number.bytes().all(|b| b.is_ascii_digit()))
}
