//! Names that are close to a misspelt one.

/// What other formats call a field, and what this one does.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("depends_on", "after"),
    ("dependencies", "after"),
    ("after", "depends_on"),
    ("dependencies", "depends_on"),
    ("args", "arguments"),
    ("parameters", "arguments"),
    ("arguments", "args"),
    ("parameters", "args"),
    ("kind", "type"),
];

/// The names that are close to `written`, the closest first; ties in the order given.
pub(crate) fn close_names<'n>(
    written: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<&'n str> {
    let mut close: Vec<_> = names
        .into_iter()
        .filter_map(|name| Some((distance(written, name)?, name)))
        .collect();
    close.sort_by_key(|(distance, _)| *distance);
    close.into_iter().map(|(_, name)| name).collect()
}

/// How far two names are apart; `None` when they are not close.
///
/// Case and the marks between words count nothing. Names are close when a third
/// of their letters differ, or when they begin alike up to an ending.
pub(crate) fn distance(written: &str, name: &str) -> Option<usize> {
    // no name of the format is longer than half of this
    if written.len() > 64 {
        return None;
    }
    if OTHER_WORDS.contains(&(written, name)) {
        return Some(0);
    }
    let (written, name) = (letters(written), letters(name));
    let longest = written.len().max(name.len());
    let alike = written
        .iter()
        .zip(&name)
        .take_while(|(a, b)| a == b)
        .count();
    let begins = alike >= 4 && alike + 1 >= written.len().min(name.len());
    let distance = edits(&written, &name);
    (distance <= (longest / 3).max(1) || begins).then_some(distance)
}

fn letters(name: &str) -> Vec<char> {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last = None;
    for (count, &x) in (1..).zip(a) {
        let mut next = Vec::with_capacity(row.len());
        next.push(count);
        let mut left = count;
        let mut last_y = None;
        for (index, &y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX);
            let mut cost = (at(&row, index) + usize::from(x != y))
                .min(at(&row, index + 1) + 1)
                .min(left + 1);
            if last == Some(y) && last_y == Some(x) && index >= 1 {
                cost = cost.min(at(&before, index - 1).saturating_add(1));
            }
            next.push(cost);
            left = cost;
            last_y = Some(y);
        }
        last = Some(x);
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_close_and_other_words_are_not() {
        let fields = ["approval_required", "prompt", "response_field", "on_reject"];
        assert_eq!(
            close_names("aproval_required", fields),
            ["approval_required"]
        );
        assert_eq!(close_names("onReject", fields), ["on_reject"]);
        assert_eq!(close_names("pormpt", fields), ["prompt"]);
        assert_eq!(close_names("args", ["tool", "arguments"]), ["arguments"]);
        assert_eq!(close_names("retries", ["retry", "name"]), ["retry"]);
        assert_eq!(close_names("colour", fields), [""; 0]);
        assert_eq!(close_names("", fields), [""; 0]);
    }

    #[test]
    fn swaps_count_once() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(edits(&chars("abcd"), &chars("abdc")), 1);
        assert_eq!(edits(&chars("abcd"), &chars("badc")), 2);
        assert_eq!(edits(&chars(""), &chars("abc")), 3);
        assert_eq!(edits(&chars("kitten"), &chars("sitting")), 3);
    }
}
