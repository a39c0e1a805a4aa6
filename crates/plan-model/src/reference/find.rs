//! Text that looks like a plan reference, where none is read: code, keys, names of tools.

use std::ops::Range;

use super::parse::KINDS;

/// A piece of text that a person may have meant as a plan reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LooksLikeReference {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// How it is spelled.
    pub spelling: Spelling,
}

/// How a piece of text spells a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spelling {
    /// `${step.a.x}`
    Braced,
    /// `$step.a.x`
    Shell,
}

/// Every piece of `text` that begins like a plan reference, in order.
///
/// Only the words of the grammar count: `${HOME}` and `$1` do not. The text is
/// not taken for a template, so `$${` hides nothing but itself.
///
/// ```
/// use plan_model::{Spelling, plan_references};
///
/// let found: Vec<_> = plan_references("echo ${HOME} ${step.a.x} $input.b").collect();
/// assert_eq!(found.len(), 2);
/// assert_eq!(found[0].range, 13..24);
/// assert_eq!(found[1].spelling, Spelling::Shell);
/// ```
pub fn plan_references(text: &str) -> impl Iterator<Item = LooksLikeReference> {
    text.match_indices('$')
        .filter_map(move |(start, _)| starting_at(text, start))
}

fn starting_at(text: &str, start: usize) -> Option<LooksLikeReference> {
    let rest = text.get(start + 1..)?;
    let (spelling, inside) = match rest.strip_prefix('{') {
        Some(_) if text.get(..start)?.ends_with('$') => return None,
        Some(inside) => (Spelling::Braced, inside.trim_start()),
        None => (Spelling::Shell, rest),
    };
    let path = KINDS.iter().find_map(|kind| inside.strip_prefix(kind))?;
    let after = path.strip_prefix(['.', '['])?;
    if spelling == Spelling::Shell && !after.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let length = match spelling {
        // one that is not closed ends where the next one begins, so that each byte is looked at once
        Spelling::Braced => {
            let path = path.split("${").next().unwrap_or(path);
            path.find(['}', '\n']).map_or(path.len(), |at| {
                at + usize::from(path.get(at..).is_some_and(|end| end.starts_with('}')))
            })
        }
        Spelling::Shell => path
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']')))
            .unwrap_or(path.len()),
    };
    let end = text.len() - path.len() + length;
    Some(LooksLikeReference {
        range: start..end,
        spelling,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        plan_references(text)
            .map(|found| text.get(found.range).unwrap())
            .collect()
    }

    #[test]
    fn words_of_the_grammar_are_found() {
        assert_eq!(
            found("a ${step.x.y} b ${ input.z }c"),
            ["${step.x.y}", "${ input.z }"]
        );
        assert_eq!(found("${step[\"a b\"].x}"), ["${step[\"a b\"].x}"]);
        assert_eq!(
            found("${env.HOME} ${secret.K}"),
            ["${env.HOME}", "${secret.K}"]
        );
        assert_eq!(found("$step.a.x, $input.b"), ["$step.a.x", "$input.b"]);
        assert_eq!(found("${step.a\nnext"), ["${step.a"]);
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in [
            "${HOME}",
            "$100-$200",
            "$1",
            "${steps.a}",
            "${step}",
            "$${step.a.x}",
            "$step",
            "$input. Next",
            "{{step.a}}",
            "$",
            "${",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
