//! Finds the cheapest path through a table of errors (Viterbi algorithm). Changing the column has a price.

/// Error of a cell that the path avoids if possible.
pub const FORBIDDEN: f32 = 1e3;
/// Price of moving by one column between two rows, in units of the errors. Signals are about 1, so mean square errors
/// of good fits are below 0.1.
const PRICE: f32 = 0.01;

/// Returns one column for each row of `errors`, [rows × columns], with the least sum of errors and prices.
pub fn cheapest(errors: &[f32], columns: usize) -> Vec<usize> {
    let rows = errors.len() / columns;
    let mut from = vec![0u16; errors.len()];
    let mut costs = vec![0.0f32; columns];
    for (row, from) in errors.chunks_exact(columns).zip(from.chunks_exact_mut(columns)) {
        let lowest = costs.iter().copied().fold(f32::INFINITY, f32::min);
        for (column, (cost, from)) in costs.iter_mut().zip(from.iter_mut()).enumerate() {
            *cost -= lowest;
            *from = column as u16;
        }
        // The cheapest path to a column comes from the same column or over a neighbour. Two passes, to the right and to
        // the left, reach each column from all others.
        for column in 1..columns {
            relax(&mut costs, from, column - 1, column);
        }
        for column in (1..columns).rev() {
            relax(&mut costs, from, column, column - 1);
        }
        costs.iter_mut().zip(row).for_each(|(cost, error)| *cost += error);
    }
    let mut column = (0..columns).min_by(|&x, &y| costs[x].total_cmp(&costs[y])).unwrap_or_default();
    let mut path = vec![0; rows];
    for row in (0..rows).rev() {
        path[row] = column;
        column = usize::from(from[row * columns + column]);
    }
    path
}

/// Replaces the path to a column by the path over its neighbour if that is cheaper.
fn relax(costs: &mut [f32], from: &mut [u16], neighbour: usize, column: usize) {
    if costs[neighbour] + PRICE < costs[column] {
        costs[column] = costs[neighbour] + PRICE;
        from[column] = from[neighbour];
    }
}

#[cfg(test)]
mod tests {
    use super::cheapest;

    #[test]
    fn changes_the_column_only_if_the_gain_exceeds_the_price() {
        let flicker = [[0.0, 0.005], [0.005, 0.0], [0.0, 0.005]];
        assert_eq!(cheapest(flicker.as_flattened(), 2), [0, 0, 0]);
        let change = [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(cheapest(change.as_flattened(), 3), [0, 0, 2, 2]);
        assert!(cheapest(&[], 4).is_empty());
    }
}
