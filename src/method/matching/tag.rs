//! Tags: the use of a clip, from its name.

use serde::{Deserialize, Serialize};

/// Use of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tag {
    /// Standing, walking, running, turning: frames that the search may choose.
    Locomotion,
    /// A single action, such as a jump or a wave, which is played as a whole when it is requested.
    Action,
}

/// Words of standing and moving, lower case.
const LOCOMOTION: [&str; 22] = [
    "idle",
    "stand",
    "breathing",
    "breathe",
    "walk",
    "walking",
    "run",
    "running",
    "jog",
    "jogging",
    "sprint",
    "sprinting",
    "trot",
    "trotting",
    "gallop",
    "canter",
    "strafe",
    "locomotion",
    "turn",
    "backward",
    "start",
    "stop",
];
/// Words of actions; a name with one of them is no locomotion: a walk that jumps is a jump.
const ACTIONS: [&str; 22] = [
    "jump", "attack", "punch", "kick", "shoot", "death", "die", "hit", "dance", "wave", "sit", "sitting", "roll",
    "fall", "dodge", "climb", "swim", "slash", "sword", "pickup", "eat", "emote",
];

/// Returns the tags of clips by their names. If no name speaks of locomotion, as in a library of recordings, all clips
/// are locomotion.
pub fn from_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<Tag> {
    let is_locomotion = |name: &str| {
        let words = words(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        has(&LOCOMOTION) && !has(&ACTIONS)
    };
    if !names.clone().any(is_locomotion) {
        return names.map(|_| Tag::Locomotion).collect();
    }
    names.map(|name| if is_locomotion(name) { Tag::Locomotion } else { Tag::Action }).collect()
}

/// Splits a name into lower-case words, at characters that are no letters and where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        after_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_game_pack_give_locomotion_and_actions() {
        let names = ["Idle", "Walking", "Running", "WalkJump", "Dance", "Sword_Attack", "Walk_Formal_Loop", "Standing"];
        let tags = from_names(names.iter().copied());
        let locomotion: Vec<&str> =
            names.iter().zip(tags).filter(|(_, tag)| *tag == Tag::Locomotion).map(|(name, _)| *name).collect();
        assert_eq!(locomotion, ["Idle", "Walking", "Running", "Walk_Formal_Loop"]);
    }

    #[test]
    fn clips_without_words_are_all_locomotion() {
        assert_eq!(from_names(["16_01", "35_02"].into_iter()), [Tag::Locomotion; 2]);
    }
}
