//! The part of a source that a finding shows: a few lines, each cut around the place.

use std::ops::Range;

/// The most lines of one place; of a longer one the first are shown.
const MOST_LINES: usize = 6;
/// The most bytes of one line that are shown before and after the place.
const CONTEXT: usize = 60;
/// The most bytes of the place itself in one line.
const MOST_PLACE: usize = 120;

/// The most bytes of a line that is shown whole.
const WHOLE_LINE: usize = 240;

/// A part of a source, and where the place is in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) place: Range<usize>,
    /// Whether the beginning of the first line is missing, so that its columns do not count.
    pub(super) is_shifted: bool,
}

/// Cuts the lines of a place out of a source. Time and memory do not depend on how long a line is,
/// beyond finding its ends.
pub(super) fn cut(source: &str, place: Range<usize>) -> Excerpt {
    let start = floor(source, place.start);
    let end = floor(source, place.end).max(start);
    let line_start = before(source, start).rfind('\n').map_or(0, |at| at + 1);
    let mut excerpt = Excerpt {
        text: String::new(),
        place: 0..0,
        is_shifted: false,
    };
    let mut at = line_start;
    for line in 0..MOST_LINES {
        let rest = source.get(at..).unwrap_or_default();
        let line_end = at + rest.find('\n').unwrap_or(rest.len());
        let from = start.max(at).min(line_end);
        let to = end.min(line_end).max(from);
        let first = line == 0;
        push_line(&mut excerpt, source, (at, line_end), (from, to), first);
        if end <= line_end || line_end >= source.len() {
            break;
        }
        excerpt.text.push('\n');
        at = line_end + 1;
    }
    if excerpt.text.ends_with('\n') {
        excerpt.text.pop();
    }
    excerpt.place.end = excerpt.place.end.min(excerpt.text.len());
    excerpt
}

fn push_line(
    excerpt: &mut Excerpt,
    source: &str,
    (line_start, line_end): (usize, usize),
    (from, to): (usize, usize),
    first: bool,
) {
    let (head, shown_to, tail) = if line_end - line_start <= WHOLE_LINE {
        (line_start, to, line_end)
    } else {
        let shown_to = floor(source, to.min(from.saturating_add(MOST_PLACE))).max(from);
        (
            floor(source, from.saturating_sub(CONTEXT)).max(line_start),
            shown_to,
            floor(source, shown_to.saturating_add(CONTEXT).min(line_end)).max(shown_to),
        )
    };
    if head > line_start {
        excerpt.text.push('…');
        excerpt.is_shifted |= first;
    }
    push(&mut excerpt.text, source.get(head..from));
    if first {
        excerpt.place.start = excerpt.text.len();
    }
    push(&mut excerpt.text, source.get(from..shown_to));
    excerpt.place.end = excerpt.text.len();
    push(&mut excerpt.text, source.get(shown_to..tail));
    if tail < line_end {
        excerpt.text.push('…');
    }
}

/// Adds text of the source; what would steer a terminal is shown as a stand-in of the same length.
fn push(into: &mut String, part: Option<&str>) {
    for c in part.unwrap_or_default().chars() {
        match c {
            '\t' => into.push(' '),
            '\r' => {}
            c if crate::text::unprintable(c) => into.push('\u{fffd}'),
            c => into.push(c),
        }
    }
}

fn before(source: &str, at: usize) -> &str {
    source.get(..at).unwrap_or_default()
}

/// The nearest character boundary at or before `at`.
fn floor(source: &str, at: usize) -> usize {
    let at = at.min(source.len());
    (0..=at)
        .rev()
        .find(|at| source.is_char_boundary(*at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_many_bytes_is_cut_around_the_place() {
        let source = format!("{}HERE{}", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let excerpt = cut(&source, (1 << 20)..(1 << 20) + 4);
        assert!(excerpt.text.len() < 200);
        assert_eq!(excerpt.text.get(excerpt.place.clone()), Some("HERE"));
    }

    #[test]
    fn a_place_of_many_lines_shows_the_first() {
        let source = "x\n".repeat(100);
        let excerpt = cut(&source, 0..200);
        assert_eq!(excerpt.text.lines().count(), MOST_LINES);
    }

    #[test]
    fn offsets_inside_a_character_or_past_the_end_are_fine() {
        for place in [0..1, 1..2, 2..3, 5..9, 90..100] {
            let excerpt = cut("aü\nü", place);
            assert!(excerpt.text.get(excerpt.place.clone()).is_some());
        }
        assert_eq!(cut("", 0..0).text, "");
    }
}
