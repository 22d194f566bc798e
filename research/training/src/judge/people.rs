//! Splits the performers of recordings into two halves.

use crate::data::{Recording, Split};
use std::collections::BTreeMap;

/// Two disjoint halves of the people with training recordings. Both halves have about the same number of frames. The
/// split depends only on the people's names and the lengths of their recordings.
pub struct Halves {
    /// Half and number of frames of each person.
    people: BTreeMap<String, (usize, usize)>,
}

/// Returns the name of a recording's performer: data set and subject. It is the same in both conversions of the CMU
/// data set.
pub fn name(recording: &Recording) -> String {
    let set = if recording.set == "cmu-asf" { "cmu" } else { &recording.set };
    format!("{set} {}", recording.subject)
}

impl Halves {
    /// Splits the people of some recordings.
    pub fn new<'a>(recordings: impl Iterator<Item = &'a Recording>) -> Self {
        let mut frames: BTreeMap<String, usize> = BTreeMap::new();
        for recording in recordings.filter(|recording| recording.split == Split::Train && is_biped(recording)) {
            *frames.entry(name(recording)).or_default() += recording.clip.frames();
        }
        let mut order: Vec<(String, usize)> = frames.into_iter().collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let (mut people, mut sums) = (BTreeMap::new(), [0, 0]);
        for (person, frames) in order {
            let half = usize::from(sums[1] < sums[0]);
            sums[half] += frames;
            people.insert(person, (half, frames));
        }
        Self { people }
    }

    /// Returns the training recordings of the people in a half.
    pub fn recordings<'a>(&self, all: &'a [Recording], half: usize) -> Vec<&'a Recording> {
        let is_in_half = |recording: &&Recording| recording.split == Split::Train && self.half(recording) == Some(half);
        all.iter().filter(is_in_half).filter(|recording| is_biped(recording)).collect()
    }

    /// Returns the recordings of people outside a half: people of the other half, and people of the same data sets who
    /// have no training recordings. Recordings of the test split are left out.
    pub fn other_recordings<'a>(&self, all: &'a [Recording], half: usize) -> Vec<&'a Recording> {
        let sets: Vec<&str> = self.people.keys().filter_map(|person| person.split(' ').next()).collect();
        let is_outside = |recording: &&Recording| {
            let is_in_sets = name(recording).split(' ').next().is_some_and(|set| sets.contains(&set));
            is_in_sets && recording.split != Split::Test && self.half(recording) != Some(half) && is_biped(recording)
        };
        all.iter().filter(is_outside).collect()
    }

    /// Returns the half of a recording's performer; `None` for people without training recordings.
    pub fn half(&self, recording: &Recording) -> Option<usize> {
        self.people.get(&name(recording)).map(|(half, _)| *half)
    }

    /// Lists the names of the people in a half.
    pub fn names(&self, half: usize) -> Vec<String> {
        self.people.iter().filter(|(_, (assigned, _))| *assigned == half).map(|(name, _)| name.clone()).collect()
    }

    /// Formats a readable list of the people in each half.
    pub fn report(&self) -> String {
        let line = |half: usize| {
            let people = self.people.iter().filter(|(_, (assigned, _))| *assigned == half);
            let names: Vec<String> = people.map(|(name, (_, frames))| format!("{name} ({frames})")).collect();
            format!("half {half}: {}", names.join(", "))
        };
        format!("{}\n{}", line(0), line(1))
    }
}

fn is_biped(recording: &Recording) -> bool {
    recording.character == "biped"
}
