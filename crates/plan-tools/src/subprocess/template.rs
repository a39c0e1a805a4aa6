//! `{argument}` in an element of a command line.

use plan_exec::ToolError;
use serde_json::{Map, Value};

/// A piece of an element.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Argument(&'a str),
}

/// The arguments that an element names.
pub(crate) fn names(element: &str) -> impl Iterator<Item = &str> {
    pieces(element).into_iter().filter_map(|piece| match piece {
        Piece::Argument(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// The command line of one call.
pub(crate) fn fill_all(
    elements: &[String],
    arguments: &Map<String, Value>,
) -> Result<Vec<String>, ToolError> {
    let mut filled = Vec::with_capacity(elements.len());
    // after a literal `--` no program takes an option
    let mut options_ended = false;
    for element in elements {
        if let Some(text) = fill(element, arguments, options_ended)? {
            filled.push(text);
        }
        options_ended |= element == "--";
    }
    Ok(filled)
}

/// One element; `None` when an argument that it names is absent or null.
fn fill(
    element: &str,
    arguments: &Map<String, Value>,
    options_ended: bool,
) -> Result<Option<String>, ToolError> {
    let mut text = String::new();
    for piece in pieces(element) {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Argument(name) => {
                let Some(value) = arguments.get(name).filter(|value| !value.is_null()) else {
                    return Ok(None);
                };
                let at_start = text.is_empty();
                let value = rendered(value);
                if at_start && value.starts_with('-') && !options_ended {
                    return Err(ToolError::invalid_arguments(format!(
                        "the value of `{name}` starts with `-` and would be taken for an option"
                    )));
                }
                text.push_str(&value);
            }
        }
    }
    Ok(Some(text))
}

/// A value as text: a string as it is, everything else as compact JSON.
pub(super) fn rendered(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Splits an element at `{name}`; `{{name}}` is the text `{name}`, any other brace is text.
fn pieces(element: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = element;
    while let Some((before, after)) = rest.split_once('{') {
        let (doubled, inner) = match after.strip_prefix('{') {
            Some(inner) => (true, inner),
            None => (false, after),
        };
        let closing = if doubled { "}}" } else { "}" };
        let name = inner.split_once(closing).filter(|(name, _)| is_name(name));
        pieces.push(Piece::Text(before));
        let Some((name, tail)) = name else {
            pieces.push(Piece::Text("{"));
            rest = after;
            continue;
        };
        if doubled {
            pieces.extend([Piece::Text("{"), Piece::Text(name), Piece::Text("}")]);
        } else {
            pieces.push(Piece::Argument(name));
        }
        rest = tail;
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|next| next.is_ascii_alphanumeric() || next == '_' || next == '-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(elements: &[&str], arguments: Value) -> Result<Vec<String>, String> {
        let elements: Vec<String> = elements.iter().map(ToString::to_string).collect();
        let Value::Object(arguments) = arguments else {
            panic!("an object");
        };
        fill_all(&elements, &arguments).map_err(|error| error.message)
    }

    #[test]
    fn a_value_stays_one_element() {
        let filled = line(
            &["{word}", "--name={word}", "{count}x{flag}", "{list}"],
            json!({"word": "two words; $(rm) `x`", "count": 3, "flag": true, "list": [1, "a"]}),
        );
        let expected = [
            "two words; $(rm) `x`",
            "--name=two words; $(rm) `x`",
            "3xtrue",
            "[1,\"a\"]",
        ];
        assert_eq!(filled.unwrap(), expected);
    }

    #[test]
    fn a_value_is_not_filled_again() {
        let filled = line(&["{a}"], json!({"a": "{b}", "b": "never"}));
        assert_eq!(filled.unwrap(), ["{b}"]);
    }

    #[test]
    fn other_braces_are_text() {
        let elements = [
            "{}",
            "{{word}}",
            "{ x }",
            "{1}",
            "a{",
            "}",
            "{\"k\": 1}",
            "{{",
            "{{{x}}}",
        ];
        let filled = line(&elements, json!({"x": "v"}));
        assert_eq!(
            filled.unwrap(),
            [
                "{}",
                "{word}",
                "{ x }",
                "{1}",
                "a{",
                "}",
                "{\"k\": 1}",
                "{{",
                "{{x}}"
            ]
        );
    }

    #[test]
    fn a_value_cannot_turn_into_an_option() {
        for value in [json!("-rf"), json!("--help"), json!("-"), json!(-5)] {
            let refused = line(&["{word}"], json!({"word": value})).unwrap_err();
            insta::allow_duplicates! {
                insta::assert_snapshot!(refused, @"the value of `word` starts with `-` and would be taken for an option");
            }
            assert!(line(&["{empty}{word}"], json!({"empty": "", "word": value})).is_err());
            let text = rendered(&value);
            assert_eq!(
                line(&["--", "{word}"], json!({"word": value})).unwrap(),
                ["--", &text]
            );
            assert!(line(&["--word={word}"], json!({"word": value})).is_ok());
        }
    }

    #[test]
    fn a_value_cannot_end_the_options_itself() {
        assert!(line(&["{a}", "{b}"], json!({"a": "--", "b": "-x"})).is_err());
    }

    #[test]
    fn an_absent_argument_takes_its_element_along() {
        let filled = line(&["run", "{a}", "--b={b}"], json!({"a": null}));
        assert_eq!(filled.unwrap(), ["run"]);
    }
}
