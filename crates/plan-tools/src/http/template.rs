//! `{argument}` and `${secret.NAME}` in a text of a catalog.

use plan_exec::{Dispatched, ToolContext, ToolError};
use plan_model::SecretName;
use plan_run::{FailureClass, RetryAdvice};
use serde_json::{Map, Value};

use super::problem::HttpProblem;

/// A text with places for the values of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Argument(String),
    Secret(SecretName),
}

/// What a call fills its templates with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) cx: &'a ToolContext,
}

impl Values<'_> {
    /// An argument; `None` where it is absent or null.
    pub(super) fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    fn secret(&self, name: &SecretName) -> Result<String, ToolError> {
        let secret = self.cx.secret(name).ok_or_else(|| {
            ToolError::new(
                FailureClass::Auth,
                format!("the host did not lend the secret `{name}`"),
            )
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::No)
        })?;
        Ok(secret.expose().to_owned())
    }
}

impl Template {
    /// Reads a text: `{{name}}` and `$${` are literal, any other brace is text.
    ///
    /// # Errors
    /// A `${…}` that is no secret.
    pub(super) fn parse(text: &str) -> Result<Self, HttpProblem> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            if let Some(before) = before.strip_suffix("$$") {
                push(&mut pieces, before);
                push(&mut pieces, "${");
                rest = after;
            } else if let Some(before) = before.strip_suffix('$') {
                let closed = after.split_once('}');
                let named = closed.and_then(|(inner, tail)| {
                    let name = inner.strip_prefix("secret.")?.parse().ok()?;
                    Some((name, tail))
                });
                let Some((name, tail)) = named else {
                    let inner = closed.map_or(after, |(inner, _)| inner);
                    return Err(HttpProblem::Reference {
                        text: format!("${{{inner}}}"),
                    });
                };
                push(&mut pieces, before);
                pieces.push(Piece::Secret(name));
                rest = tail;
            } else {
                push(&mut pieces, before);
                let (doubled, inner) = match after.strip_prefix('{') {
                    Some(inner) => (true, inner),
                    None => (false, after),
                };
                let closing = if doubled { "}}" } else { "}" };
                let name = inner.split_once(closing).filter(|(name, _)| is_name(name));
                match name {
                    Some((name, tail)) if doubled => {
                        push(&mut pieces, &format!("{{{name}}}"));
                        rest = tail;
                    }
                    Some((name, tail)) => {
                        pieces.push(Piece::Argument(name.to_owned()));
                        rest = tail;
                    }
                    None => {
                        push(&mut pieces, "{");
                        rest = after;
                    }
                }
            }
        }
        push(&mut pieces, rest);
        Ok(Self(pieces))
    }

    /// The arguments that it names.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Argument(name) => Some(name.as_str()),
            Piece::Text(_) | Piece::Secret(_) => None,
        })
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &SecretName> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Secret(name) => Some(name),
            Piece::Text(_) | Piece::Argument(_) => None,
        })
    }

    /// The text, where nothing is to be filled in.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The argument that it is as a whole.
    pub(super) fn whole_argument(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Argument(name)] => Some(name),
            _ => None,
        }
    }

    /// The text of one call, its values as `render` has them; `None` where an argument is absent or null.
    ///
    /// # Errors
    /// A secret that was not lent.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        render: impl Fn(&str) -> String,
    ) -> Result<Option<String>, ToolError> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Argument(name) => match values.argument(name) {
                    Some(value) => text.push_str(&render(&rendered(value))),
                    None => return Ok(None),
                },
                Piece::Secret(name) => text.push_str(&render(&values.secret(name)?)),
            }
        }
        Ok(Some(text))
    }
}

/// Text joins the text before it.
fn push(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(last)) => last.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// A value as text: a string as it is, everything else as compact JSON.
pub(super) fn rendered(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text as one part of a URL: nothing in it can end the part.
pub(super) fn encoded(text: &str) -> String {
    const HEX: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or('0');
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.extend(['%', digit(byte >> 4), digit(byte & 0xF)]);
        }
    }
    out
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
    use plan_exec::Secret;
    use plan_model::StepId;
    use plan_run::{IdempotencyKey, RunId};
    use serde_json::json;

    use super::*;

    fn filled(text: &str, arguments: Value) -> Option<String> {
        let Value::Object(arguments) = arguments else {
            panic!("an object");
        };
        let cx = ToolContext::detached(
            RunId::new("run-1").unwrap(),
            StepId::new("one").unwrap(),
            IdempotencyKey::new("key-1").unwrap(),
        )
        .with_secret("KEY".parse().unwrap(), Secret::new("s3cr3t"));
        let values = Values {
            arguments: &arguments,
            cx: &cx,
        };
        Template::parse(text)
            .unwrap()
            .fill(values, str::to_owned)
            .unwrap()
    }

    #[test]
    fn values_and_secrets_take_their_places_once() {
        let arguments = json!({"a": "{b}${secret.KEY}", "b": 2, "n": null});
        for (text, expected) in [
            ("x{a}y", Some("x{b}${secret.KEY}y")),
            ("Bearer ${secret.KEY}", Some("Bearer s3cr3t")),
            ("$${secret.KEY} {{a}} {b}", Some("${secret.KEY} {a} 2")),
            ("{} { a } {1} a{ }", Some("{} { a } {1} a{ }")),
            ("{n}", None),
            ("{absent}", None),
            ("", Some("")),
        ] {
            assert_eq!(
                filled(text, arguments.clone()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn only_secrets_are_references() {
        for text in ["${input.a}", "${secret.}", "${secret.KEY", "a ${b} c"] {
            let read = Template::parse(text);
            assert!(
                matches!(read, Err(HttpProblem::Reference { .. })),
                "{text}: {read:?}"
            );
        }
    }

    #[test]
    fn nothing_in_a_value_ends_its_part_of_a_url() {
        assert_eq!(
            encoded("a/b?c#d&e=f %25\r\né"),
            "a%2Fb%3Fc%23d%26e%3Df%20%2525%0D%0A%C3%A9"
        );
        assert_eq!(encoded("Az09-._~"), "Az09-._~");
    }
}
