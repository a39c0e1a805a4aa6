//! Lines and columns.

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset in a text that became no document.
    ///
    /// Looks at all of the text before it; [`super::Document::position_of`] answers from a table.
    pub fn in_text(text: &str, offset: usize) -> Self {
        Lines::new(text.as_bytes()).position(text.as_bytes(), offset)
    }
}

/// Bytes between two counts of characters.
const STRIDE: usize = 4096;

/// Where lines begin, and how many characters come before every 4 KiB.
///
/// A lookup costs a binary search and two counts over at most 4 KiB each, so
/// that many findings in one endless line stay cheap.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    characters: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            (1..)
                .zip(text)
                .filter(|(_, byte)| **byte == b'\n')
                .map(|(after, _)| after),
        );
        let mut characters = vec![0];
        let mut before = 0;
        for block in text.chunks(STRIDE) {
            before += count(block);
            characters.push(before);
        }
        Self { starts, characters }
    }

    pub(crate) fn position(&self, text: &[u8], offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied()
            .unwrap_or(0);
        let column = self
            .characters_before(text, offset)
            .saturating_sub(self.characters_before(text, start))
            + 1;
        Position { line, column }
    }

    fn characters_before(&self, text: &[u8], offset: usize) -> usize {
        let block = offset / STRIDE;
        let whole = self.characters.get(block).copied().unwrap_or(0);
        whole + text.get(block * STRIDE..offset).map_or(0, count)
    }
}

/// The characters that begin in some bytes of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let text = "a\nßé{x\r\n\n";
        let at = |offset| {
            let position = Position::in_text(text, offset);
            (position.line, position.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(1), (1, 2));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(4), (2, 2));
        assert_eq!(at(6), (2, 3));
        assert_eq!(at(text.len()), (4, 1));
        assert_eq!(at(10_000), (4, 1));
    }

    #[test]
    fn columns_are_right_across_the_stride() {
        let text = format!("x\n{}!", "é".repeat(5_000));
        assert_eq!(
            Position::in_text(&text, text.len() - 1),
            Position {
                line: 2,
                column: 5_001
            }
        );
    }
}
