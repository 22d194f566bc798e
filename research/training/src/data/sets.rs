//! The sets file: rules that assign files to data sets, splits, subjects and styles by their names.

use crate::checkpoint::read_json;
use kinestitch::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Split of a recording. All windows of a recording are in one split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Used for training and the neighbour search.
    Train,
    /// Used to choose checkpoints and compare designs.
    Validation,
    /// Used for the final score.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Split; 3] = [Split::Train, Split::Validation, Split::Test];

    /// Returns the name in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Validation => "validation",
            Split::Test => "test",
        }
    }
}

/// Condition on the captures of a file name: capture name → globs. Each named capture must match at least one of its
/// globs.
pub type Rule = BTreeMap<String, Vec<String>>;

/// A data set of the sets file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Name of the set.
    pub name: String,
    /// Weight set of the networks that may be trained on these recordings: `open` or `research`.
    pub weights: String,
    /// Licence of the recordings.
    pub licence: String,
    /// Attribution required by the licence.
    pub credit: String,
    /// Character: `biped` or `dog`.
    pub character: String,
    /// Name of a folder that the path of every file must contain, for sets whose file names are not distinctive.
    #[serde(default)]
    pub folder: Option<String>,
    /// Pattern of the file name without extension: text, and captures in braces (`{subject}_{style}`).
    pub file: String,
    /// Subject, if the pattern has no capture for it.
    #[serde(default)]
    pub subject: Option<String>,
    /// Style, if the pattern has no capture for it.
    #[serde(default)]
    pub style: Option<String>,
    /// Number of lead frames: frames without motion at the start, at the file's frame rate.
    #[serde(default)]
    pub lead: usize,
    /// Files with another number of lead frames.
    #[serde(default)]
    pub leads: Vec<Lead>,
    /// Rules of the validation split. A file that also matches the test split belongs to the test split.
    #[serde(default)]
    pub validation: Vec<Rule>,
    /// Rules of the test split.
    #[serde(default)]
    pub test: Vec<Rule>,
}

/// Lead frames of some files of a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// Rule that selects the files.
    #[serde(rename = "of")]
    pub rule: Rule,
    /// Number of lead frames.
    pub frames: usize,
}

/// Labels of a recording, from the sets file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Name of the set.
    pub set: String,
    /// Train, validation or test split.
    pub split: Split,
    /// Performer; unique within the set. `?` if unknown.
    pub subject: String,
    /// Name of the style; `neutral` if unknown.
    pub style: String,
    /// Character: `biped` or `dog`.
    pub character: String,
    /// Number of lead frames without motion, at the file's frame rate.
    pub lead: usize,
}

/// All data sets for training.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sets(pub Vec<Set>);

impl Sets {
    /// Reads a sets file (JSON).
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, or if a set lacks a field or has an unknown one.
    pub fn read(path: &Path) -> Result<Self> {
        read_json(path)
    }

    /// Returns a set by name.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name.
    pub fn set(&self, name: &str) -> Result<&Set> {
        self.0.iter().find(|set| set.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|set| set.name.as_str()).collect();
            Error::Option { option: "sets", message: format!("\"{name}\" is not one of {}", names.join(", ")) }
        })
    }

    /// Labels a file by its path; `None` if it belongs to no set.
    pub fn label(&self, path: &Path) -> Option<Label> {
        let name = path.file_stem()?.to_str()?;
        self.0.iter().find_map(|set| {
            let in_folder =
                |folder: &String| path.components().any(|component| component.as_os_str() == folder.as_str());
            if !set.folder.as_ref().is_none_or(in_folder) {
                return None;
            }
            let captures = captures(&set.file, name)?;
            let any_matches = |rules: &[Rule]| rules.iter().any(|rule| matches(rule, &captures));
            let split = match (any_matches(&set.test), any_matches(&set.validation)) {
                (true, _) => Split::Test,
                (_, true) => Split::Validation,
                _ => Split::Train,
            };
            let value = |capture: &str, constant: &Option<String>, default: &str| {
                captures.get(capture).copied().or(constant.as_deref()).unwrap_or(default).to_owned()
            };
            let exception = set.leads.iter().find(|lead| matches(&lead.rule, &captures));
            let lead = exception.map_or(set.lead, |lead| lead.frames);
            Some(Label {
                set: set.name.clone(),
                split,
                subject: value("subject", &set.subject, "?"),
                style: value("style", &set.style, "neutral"),
                character: set.character.clone(),
                lead,
            })
        })
    }
}

/// Matches a name against a pattern and returns the captures; `None` if the name does not match. Captures are
/// non-greedy and not empty.
fn captures<'a>(pattern: &'a str, name: &'a str) -> Option<BTreeMap<&'a str, &'a str>> {
    let mut captures = BTreeMap::new();
    let (mut pattern, mut name) = (pattern, name);
    while !pattern.is_empty() {
        let Some(capture_onwards) = pattern.strip_prefix('{') else {
            let length = pattern.find('{').unwrap_or(pattern.len());
            name = name.strip_prefix(&pattern[..length])?;
            pattern = &pattern[length..];
            continue;
        };
        let (capture, tail) = capture_onwards.split_once('}')?;
        let literal = &tail[..tail.find('{').unwrap_or(tail.len())];
        let first_length = name.chars().next()?.len_utf8();
        let end = if literal.is_empty() { name.len() } else { first_length + name[first_length..].find(literal)? };
        captures.insert(capture, &name[..end]);
        (pattern, name) = (tail, &name[end..]);
    }
    name.is_empty().then_some(captures)
}

/// Checks whether captures fulfil a rule.
fn matches(rule: &Rule, captures: &BTreeMap<&str, &str>) -> bool {
    rule.iter().all(|(capture, globs)| {
        captures.get(capture.as_str()).is_some_and(|value| globs.iter().any(|pattern| glob(pattern, value)))
    })
}

/// Checks whether a value matches a glob pattern (`*` for any text).
pub fn glob(pattern: &str, value: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == value,
        Some((prefix, tail_pattern)) => value.strip_prefix(prefix).is_some_and(|tail| {
            (0..=tail.len())
                .filter(|&start| tail.is_char_boundary(start))
                .any(|start| glob(tail_pattern, &tail[start..]))
        }),
    }
}

/// Returns the value of the longest glob pattern that matches a name.
pub fn longest_match<'a, T>(globs: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    let matches = globs.iter().filter(|(pattern, _)| glob(pattern, name));
    matches.max_by_key(|(pattern, _)| pattern.len()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(path: &str) -> Label {
        let sets = Sets::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../recipes/sets.json"))).unwrap();
        sets.label(Path::new(path)).unwrap_or_else(|| panic!("{path} belongs to no set"))
    }

    #[test]
    fn file_names_give_set_subject_style_and_split() {
        let labels = |path| {
            let Label { set, split, subject, style, character, lead } = label(path);
            (set, split, subject, style, character, lead)
        };
        let text = str::to_owned;
        let train = Split::Train;
        assert_eq!(labels("walk4_subject1.bvh"), (text("lafan1"), train, text("1"), text("neutral"), text("biped"), 0));
        assert_eq!(label("push1_subject4.bvh").split, Split::Test);
        let cut = |subject| label(&format!("lafan1-cuts/walk2_subject{subject}_proud.bvh"));
        assert_eq!((cut(1).set, cut(1).subject, cut(4).split), (text("lafan1-cuts"), text("1"), Split::Test));
        assert_eq!(label("cmu-climb/01_02.bvh").set, "cmu-climb");
        let elderly = labels("x/dataset-2_walk-turn-left_elderly_011.bvh");
        assert_eq!(elderly, (text("bandai"), train, text("?"), text("elderly"), text("biped"), 0));
        assert_eq!(label("dataset-2_walk_normal_010.bvh").split, Split::Test);
        assert_eq!(label("dataset-2_walk_normal_015.bvh").split, Split::Validation);
        assert_eq!((label("cmu_daz/08/08_01.bvh").split, label("cmu_daz/08/08_01.bvh").lead), (Split::Test, 9));
        assert_eq!((label("cmu-asf/16_11.bvh").set, label("cmu-asf/16_11.bvh").lead), (text("cmu-asf"), 0));
        assert_eq!((label("100style/Neutral_ID.bvh").lead, label("100style/Neutral_FW.bvh").lead), (655, 480));
        assert_eq!(label("mann_dog/D1_007_KAN01_001.bvh").character, "dog");
        // Both conversions of a CMU recording are in the same split.
        for clip in ["14_02", "14_09", "14_20"] {
            let [daz, asf] = ["cmu_daz/14", "cmu-asf"].map(|folder| label(&format!("{folder}/{clip}.bvh")).split);
            assert_eq!(daz, asf, "{clip}");
        }
    }

    #[test]
    fn captures_and_globs_match_whole_names() {
        assert_eq!(captures("a_{x}_{y}", "a_b_c_d").unwrap(), BTreeMap::from([("x", "b"), ("y", "c_d")]));
        assert!(captures("a_{x}", "a_").is_none() && captures("{x}_b", "a_bc").is_none());
        assert_eq!(captures("{x}_b", "é_b").unwrap(), BTreeMap::from([("x", "é")]));
        assert!(glob("*7", "17") && glob("1*", "1") && glob("a*c", "abc") && !glob("a*c", "abd") && !glob("7", "17"));
    }
}
