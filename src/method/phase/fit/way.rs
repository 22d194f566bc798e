//! The cheapest path through a table of errors (Viterbi), with a price for changing columns.

/// Error of a cell to be avoided where possible.
pub const FORBIDDEN: f32 = 1e3;
/// Price of moving by one column between two rows, in units of the errors. Signals are about 1, so mean square errors
/// of good fits are below 0.1.
const PRICE: f32 = 0.01;

/// One column for every row of `errors`, [rows × columns], with the least sum of errors and prices.
pub fn cheapest(errors: &[f32], columns: usize) -> Vec<usize> {
    let rows = errors.len() / columns;
    let mut from = vec![0u16; errors.len()];
    let mut costs = vec![0.0f32; columns];
    for (row, from) in errors.chunks_exact(columns).zip(from.chunks_exact_mut(columns)) {
        let least = costs.iter().copied().fold(f32::INFINITY, f32::min);
        for (column, (cost, from)) in costs.iter_mut().zip(from.iter_mut()).enumerate() {
            *cost -= least;
            *from = column as u16;
        }
        // The cheapest way to a column is from itself or its neighbour's cheapest: two passes reach every column from
        // every other.
        for column in 1..columns {
            step(&mut costs, from, column - 1, column);
        }
        for column in (1..columns).rev() {
            step(&mut costs, from, column, column - 1);
        }
        costs.iter_mut().zip(row).for_each(|(cost, error)| *cost += error);
    }
    let mut column = (0..columns).min_by(|&x, &y| costs[x].total_cmp(&costs[y])).unwrap_or_default();
    let mut way = vec![0; rows];
    for row in (0..rows).rev() {
        way[row] = column;
        column = usize::from(from[row * columns + column]);
    }
    way
}

fn step(costs: &mut [f32], from: &mut [u16], here: usize, there: usize) {
    if costs[here] + PRICE < costs[there] {
        costs[there] = costs[here] + PRICE;
        from[there] = from[here];
    }
}

#[cfg(test)]
mod tests {
    use super::cheapest;

    #[test]
    fn stays_where_a_gain_is_less_than_its_price_and_moves_where_it_is_more() {
        let flicker = [[0.0, 0.005], [0.005, 0.0], [0.0, 0.005]];
        assert_eq!(cheapest(flicker.as_flattened(), 2), [0, 0, 0]);
        let change = [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(cheapest(change.as_flattened(), 3), [0, 0, 2, 2]);
        assert!(cheapest(&[], 4).is_empty());
    }
}
