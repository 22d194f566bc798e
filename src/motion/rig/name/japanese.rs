//! Japanese names of body parts, as MikuMikuDance models use them.

/// Body parts and their English words, the longest names first: "手首" (wrist) comes before "手" (hand).
const TERMS: &[(&str, &str)] = &[
    ("全ての親", "root"),
    ("センター", "center"),
    ("グルーブ", "groove"),
    ("キャンセル", "helper"),
    ("つま先", "toe"),
    ("足先", "toe"),
    ("足首", "ankle"),
    ("太もも", "thigh"),
    ("すね", "shin"),
    ("ひざ", "knee"),
    ("上半身", "upper spine"),
    ("下半身", "lower body"),
    ("手首", "wrist"),
    ("ひじ", "elbow"),
    ("人差指", "index"),
    ("人差し指", "index"),
    ("人指", "index"),
    ("親指", "thumb"),
    ("中指", "middle"),
    ("薬指", "ring"),
    ("小指", "pinky"),
    ("両目", "both eyes"),
    ("下顎", "jaw"),
    ("あご", "jaw"),
    ("ダミー", "prop"),
    ("調整", "helper"),
    ("補助", "helper"),
    ("捩り", "twist"),
    ("捩", "twist"),
    ("膝", "knee"),
    ("肘", "elbow"),
    ("足", "leg"),
    ("腕", "arm"),
    ("肩", "shoulder"),
    ("手", "hand"),
    ("腰", "waist"),
    ("胸", "bust"),
    ("首", "neck"),
    ("頭", "head"),
    ("目", "eye"),
    ("顎", "jaw"),
    ("髪", "hair"),
    ("耳", "ear"),
    ("舌", "tongue"),
    ("歯", "teeth"),
    ("左", "left"),
    ("右", "right"),
];

/// Returns the English words of a name in Japanese, separated by spaces; `None` for a name without Japanese letters.
/// Full-width letters and digits become ASCII. A "D" after a body part marks a copy of the joint, and "P" and "C" its
/// helpers.
pub fn translate(name: &str) -> Option<String> {
    let is_japanese =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff5e}');
    if !name.chars().any(is_japanese) {
        return None;
    }
    let mut text = String::new();
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some((term, words)) = TERMS.iter().find(|(term, _)| rest.starts_with(term)) {
            text.extend([" ", words, " "]);
            rest = &rest[term.len()..];
            if matches!(rest, "D" | "P" | "C" | "Ｄ" | "Ｐ" | "Ｃ" | "EX") {
                text.push_str("helper");
                rest = "";
            }
            continue;
        }
        // The full-width forms of the ASCII letters and digits lie 0xFEE0 above them.
        let narrow = match letter {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
            _ => letter,
        };
        text.push(narrow);
        rest = &rest[letter.len_utf8()..];
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn the_longest_term_counts_and_copies_are_helpers() {
        let words = |name: &str| translate(name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        for (name, expected) in [
            ("左足首", "left ankle"),
            ("左足", "left leg"),
            ("左人指１", "left index 1"),
            ("右腕捩", "right arm twist"),
            ("左足ＩＫ", "left leg IK"),
            ("左足D", "left leg helper"),
            ("上半身2", "upper spine 2"),
        ] {
            assert_eq!(words(name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(translate("LeftLeg"), None);
    }
}
