//! References as other systems write them. Here they are text.
//!
//! ```text
//! {{a.out}}  {{ input.topic }}     templates
//! $a  $a.out  $a.out$  $[a.out]    shells, NESTFUL
//! $1  #E1                          LLMCompiler, ReWOO: the first step
//! <node-0>  <GENERATED>-0          TaskBench, HuggingGPT: the first step
//! ```

/// The most bytes between the marks of one form.
const LONGEST: usize = 128;

/// A piece of text in a foreign form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreign<'t> {
    /// As it is spelled.
    pub(super) spelled: &'t str,
    /// What it names there.
    pub(super) target: Target<'t>,
}

/// What a foreign form names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target<'t> {
    /// A path that begins with a name.
    Path(&'t str),
    /// A step, counted from zero.
    Position(usize),
    /// A number after a dollar sign: a step counted from one, or money.
    Dollar(usize),
}

/// Whether a text holds a mark that begins a foreign form.
pub(super) fn has_mark(text: &str) -> bool {
    text.bytes()
        .any(|byte| matches!(byte, b'$' | b'{' | b'<' | b'#'))
}

/// The first piece of a text in a foreign form.
pub(super) fn first(text: &str) -> Option<Foreign<'_>> {
    text.char_indices()
        .filter(|(_, mark)| matches!(mark, '$' | '{' | '<' | '#'))
        .find_map(|(at, _)| starting_at(text, at))
}

/// The foreign form that a text is, blanks at its ends aside.
pub(super) fn whole(text: &str) -> Option<Foreign<'_>> {
    let text = text.trim();
    starting_at(text, 0).filter(|foreign| foreign.spelled == text)
}

fn starting_at(text: &str, at: usize) -> Option<Foreign<'_>> {
    let rest = text.get(at..)?;
    let after_word = text
        .get(..at)
        .is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '$'));
    let (length, target) = if let Some(inside) = rest.strip_prefix("{{") {
        braces(inside)?
    } else if let Some(inside) = rest.strip_prefix('<') {
        angles(inside)?
    } else if let Some(inside) = rest.strip_prefix('#') {
        evidence(inside).filter(|_| !after_word)?
    } else {
        dollar(rest.strip_prefix('$')?).filter(|_| !after_word)?
    };
    Some(Foreign {
        spelled: rest.get(..length)?,
        target,
    })
}

/// After `{{`.
fn braces(inside: &str) -> Option<(usize, Target<'_>)> {
    let end = near(inside).find("}}").filter(|end| *end <= LONGEST)?;
    let path = inside.get(..end)?.trim();
    let name = path.strip_prefix('$').unwrap_or(path);
    (!name.is_empty()).then_some((end + "{{}}".len(), Target::Path(name)))
}

/// After `<`.
fn angles(inside: &str) -> Option<(usize, Target<'_>)> {
    let (digits_at, closed) = if inside.starts_with("GENERATED>-") {
        ("GENERATED>-".len(), false)
    } else if inside.starts_with("node-") || inside.starts_with("node_") {
        ("node-".len(), true)
    } else {
        return None;
    };
    let digits = digits(inside.get(digits_at..)?);
    let number = digits.parse().ok()?;
    let end = digits_at + digits.len();
    if closed && !inside.get(end..)?.starts_with('>') {
        return None;
    }
    Some((1 + end + usize::from(closed), Target::Position(number)))
}

/// After `#`.
fn evidence(inside: &str) -> Option<(usize, Target<'_>)> {
    let digits = digits(inside.strip_prefix('E')?);
    let number: usize = digits.parse().ok()?;
    let end = 1 + digits.len();
    let ends = !inside.get(end..)?.starts_with(char::is_alphanumeric);
    ends.then_some((1 + end, Target::Position(number.checked_sub(1)?)))
}

/// After `$`.
fn dollar(inside: &str) -> Option<(usize, Target<'_>)> {
    let number = digits(inside);
    if !number.is_empty() {
        let number_end = 1 + number.len();
        return Some((number_end, Target::Dollar(number.parse().ok()?)));
    }
    if let Some(bracketed) = inside.strip_prefix('[') {
        let end = near(bracketed).find(']').filter(|end| *end <= LONGEST)?;
        // a path may hold an index of its own
        let index = bracketed.get(end + 1..)?.starts_with(']');
        let path = bracketed.get(..end + usize::from(index))?;
        let is_path = path.starts_with(char::is_alphabetic);
        return is_path.then_some((end + usize::from(index) + "$[]".len(), Target::Path(path)));
    }
    if !inside.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let plain = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'));
    let end = inside.find(plain).unwrap_or(inside.len());
    let path = inside.get(..end)?.trim_end_matches(['.', '-', '[']);
    // `$var1.Exchange Rate$`
    let dotted = path.contains('.');
    if let Some(end) = near(inside)
        .find('$')
        .filter(|end| dotted && *end <= LONGEST)
    {
        let path = inside.get(..end)?;
        if !path.contains(['\n', '{', '"']) {
            return Some((end + "$$".len(), Target::Path(path)));
        }
    }
    Some((1 + path.len(), Target::Path(path)))
}

/// The part of a text in which the end of a form is looked for.
fn near(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST + 4))
        .unwrap_or(text)
}

fn digits(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Option<(&str, Target<'_>)> {
        first(text).map(|foreign| (foreign.spelled, foreign.target))
    }

    #[test]
    fn every_form_is_found_within_text() {
        use Target::{Dollar, Path, Position};
        for (text, form, target) in [
            ("see {{ a.out }}!", "{{ a.out }}", Path("a.out")),
            ("see $a.out, then", "$a.out", Path("a.out")),
            (
                "5 * $var1.Exchange Rate$",
                "$var1.Exchange Rate$",
                Path("var1.Exchange Rate"),
            ),
            (
                "$[Image-to-Text.output]",
                "$[Image-to-Text.output]",
                Path("Image-to-Text.output"),
            ),
            ("$[a.out[0]]", "$[a.out[0]]", Path("a.out[0]")),
            ("$100-$200", "$100", Dollar(100)),
            ("from #E1.", "#E1", Position(0)),
            ("<node-2>.text", "<node-2>", Position(2)),
            ("<GENERATED>-3", "<GENERATED>-3", Position(3)),
            ("in $HOME/x", "$HOME", Path("HOME")),
        ] {
            assert_eq!(spelled(text), Some((form, target)), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_form() {
        for text in [
            "", "a $ b", "{}", "{{}}", "<b>", "#E1F2A3", "C#E1", "US$5", "${HOME}", "$", "<node->",
            "a < b", "$$x",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn a_whole_string_may_have_blanks_at_its_ends() {
        assert!(whole(" {{a}} ").is_some());
        assert!(whole("$100-$200").is_none());
        assert!(whole("<node-1> and more").is_none());
    }
}
