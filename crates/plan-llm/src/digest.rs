//! By what a request is known again.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::ModelRequest;

/// The SHA-256 of a request: the same for the same request, in every process and release.
///
/// Written as 64 hexadecimal digits. Taken over the request as JSON without blanks
/// and with sorted names, so that no feature of a JSON library changes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestDigest(String);

impl RequestDigest {
    /// The digest of a request.
    pub fn of(request: &ModelRequest) -> Self {
        let mut text = String::new();
        // a request is made of texts, numbers and JSON, which always have a JSON form
        if let Ok(value) = serde_json::to_value(request) {
            write(&value, &mut text);
        }
        let mut digits = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            // writing to a String does not fail
            let _ = write!(digits, "{byte:02x}");
        }
        Self(digits)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Recurses over the value, as everything that has read it did.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFormat, ToolOffer};

    #[test]
    fn the_order_of_members_is_no_difference_and_anything_said_is_one() {
        let of = |schema: Value| {
            RequestDigest::of(&ModelRequest::new("m").with_user("hello").with_format(
                AnswerFormat::JsonSchema {
                    name: "a".into(),
                    schema,
                },
            ))
        };
        let first = of(json!({"type": "object", "required": ["a"]}));
        assert_eq!(first, of(json!({"required": ["a"], "type": "object"})));
        assert_ne!(first, of(json!({"type": "object", "required": ["b"]})));
        assert_eq!(first.as_str().len(), 64);
    }

    #[test]
    fn every_part_of_a_request_is_in_its_digest() {
        let plain = ModelRequest::new("m").with_user("hello");
        let others = [
            ModelRequest::new("n").with_user("hello"),
            plain.clone().with_user("hello"),
            plain.clone().with_system("be brief"),
            plain.clone().with_max_tokens(5),
            plain.clone().with_temperature(0.5),
            plain.clone().with_format(AnswerFormat::JsonObject),
            plain
                .clone()
                .with_tool(ToolOffer::new("t", "", json!({"type": "object"}))),
        ];
        for other in others {
            assert_ne!(
                RequestDigest::of(&plain),
                RequestDigest::of(&other),
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_digest_stays_what_it_is_over_releases() {
        let request = ModelRequest::new("m").with_system("s").with_user("hello");
        let text = r#"{"messages":[{"user":{"text":"hello"}}],"model":"m","system":"s"}"#;
        let mut written = String::new();
        write(&serde_json::to_value(&request).unwrap(), &mut written);
        assert_eq!(written, text);
    }
}
