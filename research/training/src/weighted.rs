//! Weighted random choice.

use rand::Rng;
use rand::rngs::StdRng;

/// Items that are drawn at random in proportion to their weights.
#[derive(Debug, Clone)]
pub struct Weighted<T> {
    items: Vec<T>,
    /// Cumulative weights.
    ends: Vec<f64>,
}

impl<T> Weighted<T> {
    /// Creates a choice from items with their weights. The weights need not sum to 1; items of weight 0 are left out.
    pub fn new(items: impl IntoIterator<Item = (f64, T)>) -> Self {
        let (mut drawable, mut ends, mut total) = (Vec::new(), Vec::new(), 0.0);
        for (weight, item) in items.into_iter().filter(|(weight, _)| *weight > 0.0) {
            total += weight;
            ends.push(total);
            drawable.push(item);
        }
        Self { items: drawable, ends }
    }

    /// Returns all items with a positive weight.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Draws the index of a random item; 0 if there are no items.
    pub fn draw(&self, rng: &mut StdRng) -> usize {
        let Some(total) = self.ends.last() else { return 0 };
        let target = rng.random_range(0.0..*total);
        self.ends.partition_point(|end| *end <= target).min(self.items.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn items_are_drawn_in_proportion_to_their_weights() {
        let items = Weighted::new([(3.0, 'a'), (0.0, 'b'), (1.0, 'c')]);
        assert_eq!(items.items(), ['a', 'c']);
        let mut rng = StdRng::seed_from_u64(1);
        let first = (0..4000).filter(|_| items.draw(&mut rng) == 0).count();
        assert!((2900..3100).contains(&first), "{first}");
        assert_eq!(Weighted::<char>::new([]).draw(&mut rng), 0);
    }
}
