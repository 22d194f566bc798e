//! Weighted random choice.

use rand::Rng;
use rand::rngs::StdRng;

/// Items with weights.
#[derive(Debug, Clone)]
pub struct Weighted<T> {
    items: Vec<T>,
    /// Cumulative weights.
    ends: Vec<f64>,
}

impl<T> Weighted<T> {
    /// Items with weights, which need not sum to 1. Items without weight are left out.
    pub fn new(items: impl IntoIterator<Item = (f64, T)>) -> Self {
        let (mut kept, mut ends, mut total) = (Vec::new(), Vec::new(), 0.0);
        for (weight, item) in items.into_iter().filter(|(weight, _)| *weight > 0.0) {
            total += weight;
            ends.push(total);
            kept.push(item);
        }
        Self { items: kept, ends }
    }

    /// All items.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Index of a random item; 0 if there is none.
    pub fn draw(&self, rng: &mut StdRng) -> usize {
        let Some(total) = self.ends.last() else { return 0 };
        let at = rng.random_range(0.0..*total);
        self.ends.partition_point(|end| *end <= at).min(self.items.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn each_is_drawn_as_often_as_its_weight_says() {
        let things = Weighted::new([(3.0, 'a'), (0.0, 'b'), (1.0, 'c')]);
        assert_eq!(things.items(), ['a', 'c']);
        let mut rng = StdRng::seed_from_u64(1);
        let first = (0..4000).filter(|_| things.draw(&mut rng) == 0).count();
        assert!((2900..3100).contains(&first), "{first}");
        assert_eq!(Weighted::<char>::new([]).draw(&mut rng), 0);
    }
}
