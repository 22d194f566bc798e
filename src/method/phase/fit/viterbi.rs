//! Finds the cheapest path through a table of errors (Viterbi algorithm). Rows of the table are frames, columns are
//! candidate frequencies. The path has one column in each row; changing the column has a price.

/// Error of a frequency whose fit exceeds the amplitude limit. It is finite, because all frequencies of a frame may
/// exceed the limit, and the costs of paths must remain comparable then.
pub const NO_FIT_ERROR: f32 = 1e3;
/// Price of moving by one column between two rows, in the unit of the errors: mean squares of signals with a variance
/// of about 1. Errors of good fits are below 0.1.
const PRICE: f32 = 0.01;

/// Returns the path with the least sum of errors and prices: the column of each row, `[rows]`. `errors`:
/// [rows × columns].
pub fn cheapest_path(errors: &[f32], columns: usize) -> Vec<usize> {
    let rows = errors.len() / columns;
    // Column of the previous row from which the cheapest path to a cell comes.
    let mut back_pointers = vec![0u16; errors.len()];
    // Cost of the cheapest path to each column of the current row.
    let mut costs = vec![0.0f32; columns];
    for (row_errors, row_pointers) in errors.chunks_exact(columns).zip(back_pointers.chunks_exact_mut(columns)) {
        let lowest = costs.iter().copied().fold(f32::INFINITY, f32::min);
        for (column, (cost, pointer)) in costs.iter_mut().zip(row_pointers.iter_mut()).enumerate() {
            // Keeps the costs small, because f32 loses precision in large sums. Only their differences matter.
            *cost -= lowest;
            *pointer = column as u16;
        }
        // The cheapest path to a column comes from the same column or through a neighbouring column. Two passes, to the
        // right and to the left, reach each column from all others.
        for column in 1..columns {
            relax(&mut costs, row_pointers, column - 1, column);
        }
        for column in (1..columns).rev() {
            relax(&mut costs, row_pointers, column, column - 1);
        }
        costs.iter_mut().zip(row_errors).for_each(|(cost, error)| *cost += error);
    }
    let mut column = (0..columns).min_by(|&x, &y| costs[x].total_cmp(&costs[y])).unwrap_or_default();
    let mut path = vec![0; rows];
    for row in (0..rows).rev() {
        path[row] = column;
        column = usize::from(back_pointers[row * columns + column]);
    }
    path
}

/// Replaces the path to a column by the path through its neighbour if that is cheaper.
fn relax(costs: &mut [f32], pointers: &mut [u16], neighbour: usize, column: usize) {
    if costs[neighbour] + PRICE < costs[column] {
        costs[column] = costs[neighbour] + PRICE;
        pointers[column] = pointers[neighbour];
    }
}

#[cfg(test)]
mod tests {
    use super::cheapest_path;

    #[test]
    fn changes_the_column_only_if_the_gain_exceeds_the_price() {
        let flicker = [[0.0, 0.005], [0.005, 0.0], [0.0, 0.005]];
        assert_eq!(cheapest_path(flicker.as_flattened(), 2), [0, 0, 0]);
        let change = [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(cheapest_path(change.as_flattened(), 3), [0, 0, 2, 2]);
        assert!(cheapest_path(&[], 4).is_empty());
    }
}
