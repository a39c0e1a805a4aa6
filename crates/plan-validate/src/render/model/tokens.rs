//! How many tokens a text is at most, for the byte-pair vocabularies in use.

/// A careful estimate: words of letters at three letters a token, every other character one, two
/// outside of ASCII. A single blank before a word costs nothing.
pub(super) fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut run = (Kind::Blank, 0_usize);
    for c in text.chars() {
        let kind = Kind::of(c);
        if kind == run.0 {
            run.1 += 1;
        } else {
            count += run.0.cost(run.1);
            run = (kind, 1);
        }
    }
    count + run.0.cost(run.1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Blank,
    Mark,
    Foreign,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            ' ' => Self::Blank,
            c if c.is_ascii() => Self::Mark,
            _ => Self::Foreign,
        }
    }

    /// The tokens of so many characters of this kind in a row.
    fn cost(self, length: usize) -> usize {
        match self {
            // short words are one token each in every vocabulary
            Self::Letter if length <= 4 => 1,
            Self::Letter => length.div_ceil(3),
            Self::Digit => length,
            Self::Blank => length / 2,
            Self::Mark => length,
            Self::Foreign => length * 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn dense_text_costs_more_than_prose() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("there is no tool"), 2 + 1 + 1 + 1);
        assert_eq!(tokens("{\"a\":1}"), 7);
        assert_eq!(tokens("größe"), 1 + 2 * 2 + 1);
        assert_eq!(tokens("0123456789"), 10);
    }
}
