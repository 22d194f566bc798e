//! Exact nearest neighbours among a few thousand projected windows.
//!
//! Rows are kept in the order of their first column, in which they differ most. A search goes outwards from the query's place
//! in that order and ends where the first column alone is farther than the best; of a row it reads only as many columns as it
//! takes to be farther. Frames that follow each other have neighbours that do: the last best is where the next search begins.

/// Columns that are compared before a row is given up.
const LANES: usize = 8;

/// Rows to be near to.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// [rows × width], in the order of the first column.
    rows: Vec<f32>,
    columns: usize,
    /// Columns, filled up with zeros to whole lanes.
    width: usize,
}

impl Neighbours {
    /// Of `rows`, [rows × columns].
    pub fn new(rows: Vec<f32>, columns: usize) -> Self {
        let width = columns.next_multiple_of(LANES);
        let mut order: Vec<&[f32]> = rows.chunks_exact(columns).collect();
        order.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut padded = Vec::with_capacity(order.len() * width);
        for row in order {
            padded.extend_from_slice(row);
            padded.resize(padded.len().next_multiple_of(width), 0.0);
        }
        Self { rows: padded, columns, width }
    }

    /// Columns of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Distance of each query to its nearest row; `queries` is [queries × columns], neighbours of each other one after the
    /// other. Infinite where there is no row.
    pub fn distances(&self, queries: &[f32]) -> Vec<f32> {
        let mut query = vec![0.0; self.width];
        let mut last = None;
        let mut found = Vec::with_capacity(queries.len() / self.columns);
        for row in queries.chunks_exact(self.columns) {
            query[..self.columns].copy_from_slice(row);
            let (at, square) = self.nearest(&query, last);
            last = Some(at);
            found.push(square.sqrt());
        }
        found
    }

    fn row(&self, index: usize) -> &[f32] {
        &self.rows[index * self.width..][..self.width]
    }

    /// The nearest row and its squared distance; `hint` is one that may be near.
    fn nearest(&self, query: &[f32], hint: Option<usize>) -> (usize, f32) {
        let mut best = (0, f32::INFINITY);
        let try_row = |best: &mut (usize, f32), index: usize| {
            let square = distance(query, self.row(index), best.1);
            if square < best.1 {
                *best = (index, square);
            }
        };
        if let Some(hint) = hint.filter(|hint| *hint < self.len()) {
            try_row(&mut best, hint);
        }
        let gap = |index: usize| (self.rows[index * self.width] - query[0]).powi(2);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.rows[middle * self.width] < query[0] { low = middle + 1 } else { high = middle }
        }
        // Outwards, the nearer side first.
        let (mut below, mut above) = (low, low);
        loop {
            let down = if below > 0 { gap(below - 1) } else { f32::INFINITY };
            let up = if above < self.len() { gap(above) } else { f32::INFINITY };
            if down.min(up) >= best.1 || down.min(up) == f32::INFINITY {
                return best;
            }
            if down < up {
                below -= 1;
                try_row(&mut best, below);
            } else {
                try_row(&mut best, above);
                above += 1;
            }
        }
    }
}

/// Squared distance, or some number beyond `most` where it is beyond.
fn distance(a: &[f32], b: &[f32], most: f32) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        let mut squares = [0.0_f32; LANES];
        for lane in 0..LANES {
            squares[lane] = (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
        sum += squares.iter().sum::<f32>();
        if sum >= most {
            return sum;
        }
    }
    sum
}
