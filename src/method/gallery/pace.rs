//! Duration classes of paths: slow, medium, fast (section 4.2).

/// Duration class of a path, relative to all paths of its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// The longest durations.
    Slow,
    /// Medium durations.
    Medium,
    /// The shortest durations.
    Fast,
}

impl Pace {
    /// All paces, in menu order.
    pub const ALL: [Pace; 3] = [Pace::Slow, Pace::Medium, Pace::Fast];

    /// Returns the name of the pace in options.
    pub fn name(self) -> &'static str {
        match self {
            Pace::Slow => "slow",
            Pace::Medium => "medium",
            Pace::Fast => "fast",
        }
    }

    /// Returns the pace with this name; `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.name() == name)
    }
}

/// Number of iterations of K-means; few are needed in one dimension.
const ITERATIONS: usize = 24;

/// Classifies durations by K-means with three means. Returns one pace for each duration, in the same order. If there
/// are fewer than three different durations, all are medium.
pub fn classify(durations: &[usize]) -> Vec<Pace> {
    let mut sorted: Vec<f32> = durations.iter().map(|&steps| steps as f32).collect();
    sorted.sort_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() < 3 {
        return vec![Pace::Medium; durations.len()];
    }
    // The initial means are the middles of the thirds, so no group is empty at first, and the means keep their order.
    let mut means = [1, 3, 5].map(|sixth| distinct[distinct.len() * sixth / 6]);
    let nearest = |means: &[f32; 3], value: f32| {
        let mut best = 0;
        for group in 1..3 {
            if (value - means[group]).abs() < (value - means[best]).abs() {
                best = group;
            }
        }
        best
    };
    for _ in 0..ITERATIONS {
        let (mut sums, mut counts) = ([0.0_f32; 3], [0.0_f32; 3]);
        for &value in &sorted {
            let group = nearest(&means, value);
            sums[group] += value;
            counts[group] += 1.0;
        }
        for group in 0..3 {
            if counts[group] > 0.0 {
                means[group] = sums[group] / counts[group];
            }
        }
    }
    const FASTEST_FIRST: [Pace; 3] = [Pace::Fast, Pace::Medium, Pace::Slow];
    durations.iter().map(|&steps| FASTEST_FIRST[nearest(&means, steps as f32)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_clusters_are_three_paces() {
        let durations = [61, 30, 31, 59, 120, 33, 118, 60, 125];
        let paces = classify(&durations);
        for (steps, pace) in durations.iter().zip(paces) {
            let expected = match steps {
                ..40 => Pace::Fast,
                ..80 => Pace::Medium,
                _ => Pace::Slow,
            };
            assert_eq!(pace, expected, "{steps}");
        }
    }

    #[test]
    fn fewer_than_three_durations_are_medium() {
        assert_eq!(classify(&[]), []);
        assert_eq!(classify(&[30, 30, 60]), [Pace::Medium; 3]);
        assert_eq!(Pace::from_name("fast"), Some(Pace::Fast));
        assert_eq!(Pace::from_name("quick"), None);
    }
}
