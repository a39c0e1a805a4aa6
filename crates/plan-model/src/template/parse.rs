//! From JSON values to templates.

use serde_json::{Map, Value};

use super::{Template, TextPart};
use crate::reference::Parser;
use crate::{Names, Pointer, ReferenceError};

/// Parses a value, and collects every malformed reference.
pub(super) fn template(
    value: Value,
    names: &mut dyn Names,
) -> Result<Template, Vec<(Pointer, ReferenceError)>> {
    if !mentions(&value) {
        return Ok(Template::Literal(value));
    }
    let mut reader = Reader {
        at: Pointer::root(),
        names,
        errors: Vec::new(),
        further: 0,
    };
    let template = reader.value(value);
    if reader.further > 0 {
        reader.names.further(reader.further);
    }
    if reader.errors.is_empty() {
        Ok(template)
    } else {
        Err(reader.errors)
    }
}

/// Whether some string of the value holds `${`: most values do not, and stay as they are.
fn mentions(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(mentions),
        Value::Object(members) => members.values().any(mentions),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

struct Reader<'n> {
    at: Pointer,
    names: &'n mut dyn Names,
    errors: Vec<(Pointer, ReferenceError)>,
    further: usize,
}

/// The most malformed references of one value that are told one by one.
const MOST_ERRORS: usize = 1_000;

impl Reader<'_> {
    // recursion is bounded by the depth that values may have
    fn value(&mut self, value: Value) -> Template {
        match value {
            Value::String(text) if text.contains("${") => self.text(&text),
            Value::Array(items) => self.array(items),
            Value::Object(members) => self.object(members),
            other => Template::Literal(other),
        }
    }

    fn array(&mut self, items: Vec<Value>) -> Template {
        let mut parsed = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.at.push(index);
            parsed.push(self.value(item));
            self.at.pop();
        }
        if parsed.iter().any(|item| item.as_literal().is_none()) {
            return Template::Array(parsed);
        }
        Template::Literal(parsed.into_iter().filter_map(into_literal).collect())
    }

    fn object(&mut self, members: Map<String, Value>) -> Template {
        let mut parsed = Vec::with_capacity(members.len());
        for (name, member) in members {
            self.at.push(&name);
            let member = self.value(member);
            self.at.pop();
            parsed.push((name, member));
        }
        if parsed
            .iter()
            .any(|(_, member)| member.as_literal().is_none())
        {
            return Template::Object(parsed.into_iter().collect());
        }
        let members = parsed
            .into_iter()
            .filter_map(|(name, member)| Some((name, into_literal(member)?)));
        Template::Literal(Value::Object(members.collect()))
    }

    fn text(&mut self, text: &str) -> Template {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(found) = rest.find("${") {
            let (before, from) = rest.split_at(found);
            // `find` meets the last dollar of a run: the others stand at the end of what is before it
            let plain = before.trim_end_matches('$');
            let dollars = before.len() - plain.len() + 1;
            literal.push_str(plain);
            literal.extend(std::iter::repeat_n('$', dollars / 2));
            if dollars.is_multiple_of(2) {
                literal.push('{');
                rest = from.get("${".len()..).unwrap_or_default();
                continue;
            }
            let offset = text.len() - from.len();
            let mut parser = Parser::new(from, &self.at, self.names);
            match parser.braced() {
                Ok(reference) => {
                    rest = parser.rest();
                    if !literal.is_empty() {
                        parts.push(TextPart::Literal(std::mem::take(&mut literal)));
                    }
                    parts.push(TextPart::Reference(reference));
                }
                Err(error) => {
                    rest = from.get("${".len()..).unwrap_or_default();
                    let error = ReferenceError {
                        at: error.at + offset,
                        ..error
                    };
                    if self.errors.len() < MOST_ERRORS {
                        self.errors.push((self.at.clone(), error));
                    } else {
                        self.further += 1;
                    }
                }
            }
        }
        literal.push_str(rest);
        if parts.is_empty() {
            return Template::Literal(Value::String(literal));
        }
        if !literal.is_empty() {
            parts.push(TextPart::Literal(literal));
        }
        match <[TextPart; 1]>::try_from(parts) {
            Ok([TextPart::Reference(reference)]) => Template::Reference(reference),
            Ok(parts) => Template::Text(parts.into()),
            Err(parts) => Template::Text(parts),
        }
    }
}

fn into_literal(template: Template) -> Option<Value> {
    match template {
        Template::Literal(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parts(text: &str) -> String {
        match Template::parse(json!(text)) {
            Ok(Template::Literal(value)) => format!("literal {value}"),
            Ok(Template::Reference(reference)) => format!("whole {reference}"),
            Ok(Template::Text(parts)) => parts
                .iter()
                .map(|part| match part {
                    TextPart::Literal(text) => format!("{text:?}"),
                    TextPart::Reference(reference) => reference.to_string(),
                })
                .collect::<Vec<_>>()
                .join(" + "),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn case_19_dollars_that_begin_no_reference_stay_text() {
        for text in [
            "$100-$200",
            "{{x}}",
            "$1",
            "$",
            "$$",
            "a$",
            "$ {x}",
            "{$}",
            "<node-1>",
        ] {
            assert_eq!(
                Template::parse(json!(text)),
                Ok(Template::Literal(json!(text)))
            );
        }
    }

    #[test]
    fn a_string_that_is_one_reference_is_told_from_text_around_it() {
        assert_eq!(parts("${input.a}"), "whole ${input.a}");
        assert_eq!(parts(" ${input.a}"), "\" \" + ${input.a}");
        assert_eq!(parts("${input.a}${input.b}"), "${input.a} + ${input.b}");
        assert_eq!(parts("x ${input.a} y"), "\"x \" + ${input.a} + \" y\"");
        assert_eq!(parts(r#"${step.a["}"]}!"#), "${step.a[\"}\"]} + \"!\"");
    }

    #[test]
    fn dollars_before_a_brace_are_read_in_pairs() {
        assert_eq!(parts("$${input.a}"), r#"literal "${input.a}""#);
        assert_eq!(parts("$${HOME} ${input.a}"), "\"${HOME} \" + ${input.a}");
        assert_eq!(parts("$$${input.a}"), "\"$\" + ${input.a}");
        assert_eq!(parts("$$$${input.a}"), r#"literal "$${input.a}""#);
    }

    #[test]
    fn every_malformed_reference_is_reported_where_it_stands() {
        let value =
            json!({ "a": ["fine", "x ${HOME} y ${"], "b": { "c/d": "${input.ok} ${step}" } });
        let errors = Template::parse(value).unwrap_err();
        let shown: Vec<String> = errors
            .iter()
            .map(|(pointer, error)| format!("{pointer}@{} {error}", error.at))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        /a/1@4 `HOME` is none of `input`, `conf`, `step`, `item` and `secret`
        /a/1@14 a reference begins with one of `input`, `conf`, `step`, `item` and `secret`
        /b/c~1d@18 `step` takes a name, as in `step.NAME`
        "#);
    }

    #[test]
    fn literals_beside_references_are_kept_whole() {
        let template = Template::parse(json!([[1, { "a": "$${x}" }], "${input.a}", null])).unwrap();
        let Template::Array(items) = &template else {
            panic!("{template:?}");
        };
        assert_eq!(items[0], Template::Literal(json!([1, { "a": "${x}" }])));
        assert_eq!(items[2], Template::Literal(Value::Null));
    }
}
