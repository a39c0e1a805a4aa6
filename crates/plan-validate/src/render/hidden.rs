//! A source without what must not be shown: credentials, and the defaults of sensitive inputs.

use std::borrow::Cow;
use std::ops::Range;

use plan_model::document::{Document, parse};
use plan_model::{Limits, Pointer};
use serde_json::Value;

use crate::credential;

/// The source with stars in place of what must not be shown. Every other byte stays where it is.
pub(super) fn hide(source: &str) -> Cow<'_, str> {
    let found = credential::all(source).into_iter();
    let mut hidden: Vec<Range<usize>> = found.map(|credential| credential.hidden).collect();
    if source.contains("\"sensitive\"") {
        hidden.extend(sensitive(source));
    }
    if hidden.is_empty() {
        return Cow::Borrowed(source);
    }
    hidden.sort_by_key(|range| (range.start, range.end));
    let (mut shown, mut from) = (String::with_capacity(source.len()), 0);
    for range in hidden {
        let start = range.start.max(from);
        shown.push_str(source.get(from..start).unwrap_or_default());
        for c in source.get(start..range.end).unwrap_or_default().chars() {
            match c {
                '"' | '\n' | ' ' => shown.push(c),
                c => shown.extend(std::iter::repeat_n('*', c.len_utf8())),
            }
        }
        from = from.max(range.end);
    }
    shown.push_str(source.get(from..).unwrap_or_default());
    Cow::Owned(shown)
}

/// The defaults of sensitive inputs, where the source is a plan or a bundle.
fn sensitive(source: &str) -> Vec<Range<usize>> {
    let Some(document) = parse(source.as_bytes(), &Limits::default()).document else {
        return Vec::new();
    };
    let plans = [Pointer::root(), Pointer::root().join("plan")];
    let inputs = plans.iter().map(|plan| plan.join("inputs"));
    inputs
        .flat_map(|inputs| defaults(&document, &inputs))
        .collect()
}

fn defaults(document: &Document, inputs: &Pointer) -> Vec<Range<usize>> {
    let Some(Value::Array(list)) = document.value_at(inputs) else {
        return Vec::new();
    };
    let is_sensitive = |input: &Value| {
        input.get("sensitive") == Some(&Value::Bool(true)) && input.get("default").is_some()
    };
    let sensitive = list.iter().enumerate().filter(|(_, it)| is_sensitive(it));
    let spans = sensitive.map(|(at, _)| document.span_of(&inputs.join(at).join("default")));
    spans.map(|span| span.start..span.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_leaves_every_other_byte_in_its_place() {
        let plan = r#"{"inputs": [{"name": "k", "sensitive": true, "default": {"größe": "x y"}}, {"default": "seen"}], "a": "AKIAIOSFODNN7EXAMPLE"}"#;
        let shown = hide(plan);
        insta::assert_snapshot!(shown, @r#"{"inputs": [{"name": "k", "sensitive": true, "default": *"*******"* "* *"*}, {"default": "seen"}], "a": "AKIA****************"}"#);
        assert_eq!(shown.len(), plan.len());
        for plain in [
            "no plan, \"sensitive\" all the same",
            "",
            "{\"sensitive\": 1}",
        ] {
            assert!(matches!(hide(plain), Cow::Borrowed(_)));
        }
    }
}
