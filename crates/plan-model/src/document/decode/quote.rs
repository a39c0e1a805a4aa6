//! What a reference was meant to be whose names hold what ends a plain name.

use std::collections::BTreeMap;

use crate::reference::Parser;
use crate::{Names, Pointer, StepId};

/// The most bytes that are looked at.
const LONGEST: usize = 1_024;

/// The most names that are put in quotes.
const MOST_NAMES: usize = 8;

/// Takes any name for a step's.
struct AnyStep;

impl Names for AnyStep {
    fn step(&mut self, name: &str) -> Option<StepId> {
        (!name.is_empty()).then(|| StepId::unchecked(name))
    }
}

/// The reference around a fault, with the names in quotes that hold blanks or marks.
///
/// A name goes as far as the longest step name that stands there, or else up to
/// the next mark of the grammar. `None` where that does not make it a reference.
pub(super) fn in_quotes(
    text: &str,
    fault: usize,
    steps: &BTreeMap<String, StepId>,
) -> Option<String> {
    let start = text.get(..fault)?.rfind("${")?;
    let rest = text.get(start..)?;
    let mut written = rest.get(..rest.floor_char_boundary(LONGEST))?.to_owned();
    let mut fault = fault - start;
    for _ in 0..MOST_NAMES {
        written = quote(&written, fault, steps)?;
        let (root, mut any) = (Pointer::root(), AnyStep);
        let mut parser = Parser::new(&written, &root, &mut any);
        match parser.braced() {
            Ok(_) => return written.get(..parser.at()).map(str::to_owned),
            Err(error) => fault = error.at,
        }
    }
    None
}

/// Puts the name in quotes that the fault stands in.
fn quote(written: &str, fault: usize, steps: &BTreeMap<String, StepId>) -> Option<String> {
    let dot = written.get(..fault)?.rfind('.')?;
    let (path, rest) = (written.get(..dot)?, written.get(dot + 1..)?);
    let read = fault - dot - 1;
    let goes_past = |name: &str| name.len() > read;
    let known = || {
        let names = steps.keys().map(String::as_str);
        names
            .filter(|name| goes_past(name) && rest.strip_prefix(*name).is_some_and(ends_a_name))
            .max_by_key(|name| name.len())
    };
    let is_step = path.trim_end().strip_suffix("step").is_some_and(|before| {
        before.ends_with(['{', '?']) || before.ends_with(char::is_whitespace)
    });
    let plain = || {
        let end = rest.find(['.', '[', ']', '{', '}', '?', '"'])?;
        rest.get(..end)
            .map(str::trim_end)
            .filter(|name| goes_past(name))
    };
    let name = is_step.then(known).flatten().or_else(plain)?;
    let quoted = serde_json::to_string(name).ok()?;
    Some(format!("{path}[{quoted}]{}", rest.get(name.len()..)?))
}

fn ends_a_name(rest: &str) -> bool {
    let blanks = rest.trim_start();
    blanks.starts_with(['.', '[', '}']) || blanks.starts_with("??")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reference;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let steps = ["Image Editing", "Why? Now", "a.b c"].map(|name| {
            let id = StepId::unchecked(name);
            (name.to_owned(), id)
        });
        let reference = text.get(text.find("${").unwrap()..).unwrap();
        let error = Reference::parse(reference).unwrap_err();
        let fault = error.at + text.len() - reference.len();
        assert_eq!(
            in_quotes(text, fault, &BTreeMap::from(steps)).as_deref(),
            expected
        );
    }

    #[test]
    fn names_with_blanks_or_marks_are_put_in_quotes() {
        check(
            "see ${step.Image Editing.url} and ${input.a}",
            Some(r#"${step["Image Editing"].url}"#),
        );
        check("${step.Image Editing}", Some(r#"${step["Image Editing"]}"#));
        check("${step.Why? Now.x}", Some(r#"${step["Why? Now"].x}"#));
        check(
            "${step.Image Editing.page title ?? input.a}",
            Some(r#"${step["Image Editing"]["page title"] ?? input.a}"#),
        );
        check("${step.some other[0]}", Some(r#"${step["some other"][0]}"#));
    }

    #[test]
    fn what_no_quotes_mend_is_left_alone() {
        for text in [
            "${HOME}",
            "${step}",
            "${step.Image Editing.url",
            "${step.a ? b}",
            "${step.a.x",
            "${input.9 lives}",
            "${step.a[x y]}",
        ] {
            check(text, None);
        }
    }
}
