//! Rows of differing length in one allocation.

/// A list for each step.
#[derive(Debug, Clone)]
pub(super) struct Table<T> {
    /// Where each row ends in `items`.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Table<T> {
    /// A table of `rows` rows, from pairs of row and item that are sorted by row.
    pub(super) fn from_sorted(rows: usize, pairs: impl IntoIterator<Item = (usize, T)>) -> Self {
        let mut ends = vec![0; rows];
        let mut items = Vec::new();
        for (row, item) in pairs {
            items.push(item);
            if let Some(end) = ends.get_mut(row) {
                *end = items.len();
            }
        }
        // an empty row ends where the one before it does
        let mut last = 0;
        for end in &mut ends {
            last = last.max(*end);
            *end = last;
        }
        Self { ends, items }
    }

    /// The items of a row; none for a row that the table does not have.
    pub(super) fn row(&self, row: usize) -> &[T] {
        let start = row
            .checked_sub(1)
            .and_then(|before| self.ends.get(before).copied())
            .unwrap_or(0);
        let end = self.ends.get(row).copied().unwrap_or(0);
        self.items.get(start..end).unwrap_or_default()
    }
}
