//! From templates back to JSON values.

use serde_json::Value;

use super::{Template, TextPart};

/// The value that parses to this template.
pub(super) fn value(template: &Template) -> Value {
    match template {
        Template::Literal(literal) => escaped(literal),
        Template::Reference(reference) => Value::String(reference.to_string()),
        Template::Text(parts) => Value::String(text(parts)),
        Template::Array(items) => items.iter().map(value).collect(),
        Template::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), value(member)))
                .collect(),
        ),
    }
}

fn escaped(literal: &Value) -> Value {
    match literal {
        Value::String(text) => {
            let mut escaped = String::with_capacity(text.len());
            escape(text, &mut escaped);
            Value::String(escaped)
        }
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), escaped(member)))
                .collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => literal.clone(),
    }
}

fn text(parts: &[TextPart]) -> String {
    let (mut written, mut literal) = (String::new(), String::new());
    for part in parts {
        match part {
            TextPart::Literal(text) => literal.push_str(text),
            TextPart::Reference(reference) => {
                escape(&literal, &mut written);
                // dollars at the end now stand before the reference's brace
                let dollars = literal.len() - literal.trim_end_matches('$').len();
                written.extend(std::iter::repeat_n('$', dollars));
                written.push_str(&reference.to_string());
                literal.clear();
            }
        }
    }
    escape(&literal, &mut written);
    written
}

/// Doubles each dollar of a run that stands right before `{`.
fn escape(text: &str, written: &mut String) {
    let mut rest = text;
    while let Some(found) = rest.find("${") {
        let (before, from) = rest.split_at(found);
        let dollars = before.len() - before.trim_end_matches('$').len() + 1;
        written.push_str(before);
        written.extend(std::iter::repeat_n('$', dollars));
        written.push_str("${");
        rest = from.get("${".len()..).unwrap_or_default();
    }
    written.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_parsed_is_written_back() {
        for text in [
            "plain",
            "$${x}",
            "a $${x} ${input.a} $$${input.b}$ {",
            "${input.a}",
            "$$$${input.a}",
            "$5 ${input.a}",
        ] {
            let template = Template::parse(json!([text])).unwrap();
            assert_eq!(template.to_value(), json!([text]));
        }
    }

    #[test]
    fn a_literal_that_looks_like_a_reference_is_escaped() {
        let literal = Template::Literal(json!({ "a": "${input.x}", "b": "$$${", "c": "$" }));
        assert_eq!(
            literal.to_value(),
            json!({ "a": "$${input.x}", "b": "$$$$$${", "c": "$" })
        );
        assert_eq!(Template::parse(literal.to_value()), Ok(literal));
    }
}
