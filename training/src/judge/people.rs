//! Splits the performers of recordings into two halves.

use crate::data::{Recording, Split};
use std::collections::BTreeMap;

/// Two disjoint halves of the people with training recordings. Both have about the same number of frames. The split
/// depends only on names and lengths.
pub struct Halves {
    /// Half and number of frames of each person.
    people: BTreeMap<String, (usize, usize)>,
}

/// Returns the name of a recording's performer. It is the same in both conversions of the CMU data set.
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

    /// Returns the training recordings of a half's people.
    pub fn recordings<'a>(&self, all: &'a [Recording], half: usize) -> Vec<&'a Recording> {
        let own = |recording: &&Recording| recording.split == Split::Train && self.half(recording) == Some(half);
        all.iter().filter(own).filter(|recording| is_biped(recording)).collect()
    }

    /// Returns the recordings of people outside a half, without the test split: people of the other half, and people of
    /// the same data sets who have validation recordings only.
    pub fn strangers<'a>(&self, all: &'a [Recording], half: usize) -> Vec<&'a Recording> {
        let sets: Vec<&str> = self.people.keys().filter_map(|person| person.split(' ').next()).collect();
        let strange = |recording: &&Recording| {
            let known = name(recording).split(' ').next().is_some_and(|set| sets.contains(&set));
            known && recording.split != Split::Test && self.half(recording) != Some(half) && is_biped(recording)
        };
        all.iter().filter(strange).collect()
    }

    /// Returns the half of a recording's performer; `None` for people without training recordings.
    pub fn half(&self, recording: &Recording) -> Option<usize> {
        self.people.get(&name(recording)).map(|(half, _)| *half)
    }

    /// Lists the names of a half's people.
    pub fn names(&self, half: usize) -> Vec<String> {
        self.people.iter().filter(|(_, (own, _))| *own == half).map(|(name, _)| name.clone()).collect()
    }

    /// Formats a readable list of the people in each half.
    pub fn report(&self) -> String {
        let line = |half: usize| {
            let own = self.people.iter().filter(|(_, (own, _))| *own == half);
            let names: Vec<String> = own.map(|(name, (_, frames))| format!("{name} ({frames})")).collect();
            format!("half {half}: {}", names.join(", "))
        };
        format!("{}\n{}", line(0), line(1))
    }
}

fn is_biped(recording: &Recording) -> bool {
    recording.character == "biped"
}
