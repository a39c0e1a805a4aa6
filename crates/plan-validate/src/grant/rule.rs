//! What one argument may be.

use std::fmt;

use plan_model::{Reference, Schema, Template, TextPart, canonical_json, text_of};
use serde_json::{Map, Number, Value};

use crate::catalog::{CompiledSchema, Quote};
use crate::path;
use crate::text;

/// What one argument of a call may be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ArgRule {
    /// Exactly this value.
    Exact(Value),
    /// The value that a reference reads at the call, if the inner rule takes it.
    From(Reference, Box<ArgRule>),
    /// The value that the plan builds around references.
    Built(Template),
    /// One of these values.
    OneOf(Vec<Value>),
    /// A number in this range, both ends included.
    Range {
        /// The least.
        min: Option<Number>,
        /// The most.
        max: Option<Number>,
    },
    /// An absolute path in this folder, without `..`.
    Subpath(String),
    /// A URL of one of these schemes at one of these hosts; `*.example.com` stands for every host below.
    Url {
        /// The schemes.
        schemes: Vec<String>,
        /// The hosts.
        hosts: Vec<String>,
    },
    /// A value that this schema accepts.
    Schema(Schema),
    /// What all of these take.
    All(Vec<ArgRule>),
    /// Anything.
    Any,
}

/// Reads a reference at the moment of the call; `None` where it cannot be read.
pub(super) type Resolve<'r> = &'r dyn Fn(&Reference) -> Option<Value>;

impl ArgRule {
    /// Whether the rule takes a value, and why not, as a clause.
    ///
    /// # Errors
    /// The reason, without the value itself.
    pub fn permits(&self, value: &Value, resolve: Resolve<'_>) -> Result<(), String> {
        match self {
            Self::Exact(exact) if same(exact, value) => Ok(()),
            Self::Exact(_) => Err("is not the value in the plan".to_owned()),
            Self::From(reference, within) => {
                let read = resolve(reference)
                    .ok_or_else(|| format!("cannot be compared: {reference} has no value"))?;
                if !is_rendition(&read, value) {
                    return Err(format!("is not the value of {reference}"));
                }
                within.permits(value, resolve)
            }
            Self::Built(template) => {
                let built = build(template, resolve)
                    .ok_or_else(|| "cannot be compared: a reference has no value".to_owned())?;
                if same(&built, value) {
                    Ok(())
                } else {
                    Err("is not what the plan builds".to_owned())
                }
            }
            Self::OneOf(values) if values.iter().any(|known| same(known, value)) => Ok(()),
            Self::OneOf(_) => Err("is none of the allowed values".to_owned()),
            Self::Range { min, max } => {
                let number = value.as_number().ok_or("is not a number")?;
                let below = min.as_ref().is_some_and(|min| less(number, min));
                let above = max.as_ref().is_some_and(|max| less(max, number));
                if below || above {
                    return Err("is outside the allowed range".to_owned());
                }
                Ok(())
            }
            Self::Subpath(root) => match value.as_str() {
                Some(path) if path::is_inside(path, root) => Ok(()),
                _ => Err(format!("is not a path in {}", text::quoted(root))),
            },
            Self::Url { schemes, hosts } => match value.as_str().and_then(split_url) {
                Some((scheme, host))
                    if schemes
                        .iter()
                        .any(|known| known.eq_ignore_ascii_case(scheme))
                        && hosts.iter().any(|known| is_host(known, host)) =>
                {
                    Ok(())
                }
                _ => Err("is not a URL of an allowed scheme and host".to_owned()),
            },
            Self::Schema(schema) => {
                let compiled = CompiledSchema::compile(&schema.0, &plan_model::Limits::default())
                    .map_err(|fault| fault.to_string())?;
                match compiled.violations(value, Quote::Masked).first() {
                    None => Ok(()),
                    Some(violation) => Err(format!("does not fit: {}", violation.message)),
                }
            }
            Self::All(rules) => rules
                .iter()
                .try_for_each(|rule| rule.permits(value, resolve)),
            Self::Any => Ok(()),
        }
    }

    /// The rule that takes what both take.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (rule, Self::Any) | (Self::Any, rule) => rule,
            (Self::All(mut rules), other) => {
                rules.push(other);
                Self::All(rules)
            }
            (rule, other) => Self::All(vec![rule, other]),
        }
    }
}

/// The value that a template has under `resolve`. Recurses as deep as the plan is nested.
fn build(template: &Template, resolve: Resolve<'_>) -> Option<Value> {
    Some(match template {
        Template::Literal(value) => value.clone(),
        Template::Reference(reference) => resolve(reference)?,
        Template::Text(parts) => {
            let mut text = String::new();
            for part in parts {
                match part {
                    TextPart::Literal(literal) => text.push_str(literal),
                    TextPart::Reference(reference) => {
                        text.push_str(&text_of(&resolve(reference)?));
                    }
                }
            }
            Value::String(text)
        }
        Template::Array(items) => items
            .iter()
            .map(|item| build(item, resolve))
            .collect::<Option<Vec<Value>>>()?
            .into(),
        Template::Object(members) => members
            .iter()
            .map(|(name, member)| Some((name.clone(), build(member, resolve)?)))
            .collect::<Option<Map<String, Value>>>()?
            .into(),
    })
}

/// Whether two values are the same JSON: `1.0` is `1`, as everywhere in a plan.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b,
        _ => a == b || canonical_json(a) == canonical_json(b),
    }
}

/// Whether `value` is what was read, or the text of a scalar that was read.
fn is_rendition(read: &Value, value: &Value) -> bool {
    same(read, value)
        || (matches!(read, Value::Bool(_) | Value::Number(_))
            && value.as_str().is_some_and(|text| text_of(read) == text))
}

/// Whether one number is less than another; exact for integers.
pub(crate) fn less(a: &Number, b: &Number) -> bool {
    let exact = |n: &Number| {
        n.as_i64()
            .map(i128::from)
            .or_else(|| n.as_u64().map(i128::from))
    };
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

/// The scheme and host of an absolute URL; `None` where anything about it could be read two ways.
pub(super) fn split_url(url: &str) -> Option<(&str, &str)> {
    if url
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || c == '\\')
    {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    if authority.contains('@') || authority.contains('%') {
        return None;
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        Some(_) => return None,
        None => authority,
    };
    let plain = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    plain.then_some((scheme, host))
}

pub(super) fn is_host(known: &str, host: &str) -> bool {
    match known.strip_prefix("*.") {
        Some(parent) => host
            .len()
            .checked_sub(parent.len() + 1)
            .and_then(|at| host.split_at_checked(at))
            .is_some_and(|(_, end)| {
                end.strip_prefix('.')
                    .is_some_and(|end| end.eq_ignore_ascii_case(parent))
            }),
        None => known.eq_ignore_ascii_case(host),
    }
}

/// The rule in words: what follows "may be".
impl fmt::Display for ArgRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => write!(f, "{value}"),
            Self::From(reference, within) if **within == Self::Any => {
                write!(f, "the value of {reference}")
            }
            Self::From(reference, within) => {
                write!(f, "the value of {reference}, if it is {within}")
            }
            Self::Built(template) => write!(f, "{} with its values filled in", template.to_value()),
            Self::OneOf(values) => {
                f.write_str("one of")?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{} {value}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Self::Range { min, max } => match (min, max) {
                (Some(min), Some(max)) => write!(f, "a number from {min} to {max}"),
                (Some(min), None) => write!(f, "a number of at least {min}"),
                (None, Some(max)) => write!(f, "a number of at most {max}"),
                (None, None) => f.write_str("a number"),
            },
            Self::Subpath(root) => write!(f, "a path in {root}"),
            Self::Url { schemes, hosts } => {
                write!(f, "a URL of {} at {}", schemes.join(", "), hosts.join(", "))
            }
            Self::Schema(schema) => write!(f, "a value of the schema {}", schema.0),
            Self::All(rules) => {
                for (index, rule) in rules.iter().enumerate() {
                    write!(f, "{}{rule}", if index == 0 { "" } else { ", and " })?;
                }
                Ok(())
            }
            Self::Any => f.write_str("anything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn permits(rule: &ArgRule, value: &Value) -> bool {
        rule.permits(value, &|_| None).is_ok()
    }

    #[test]
    fn a_url_is_read_one_way_or_refused() {
        let rule = ArgRule::Url {
            schemes: vec!["https".to_owned()],
            hosts: vec!["example.com".to_owned(), "*.example.org".to_owned()],
        };
        for url in [
            "https://example.com/a",
            "https://EXAMPLE.com",
            "https://example.com:8443/?q",
            "https://a.b.example.org/",
        ] {
            assert!(permits(&rule, &json!(url)), "{url}");
        }
        for url in [
            "http://example.com/",
            "https://example.com@evil.test/",
            "https://example.com.evil.test/",
            "https://evil.test/example.com",
            "https://evil.test\\@example.com/",
            "https://notexample.org/",
            "https://example.org/",
            "https:example.com",
            "https://example.com%2eevil.test/",
            "https:// example.com/",
        ] {
            assert!(!permits(&rule, &json!(url)), "{url}");
        }
    }

    #[test]
    fn a_range_compares_large_integers_exactly() {
        let rule = ArgRule::Range {
            min: None,
            max: Some(9_007_199_254_740_993_u64.into()),
        };
        assert!(permits(&rule, &json!(9_007_199_254_740_993_u64)));
        assert!(!permits(&rule, &json!(9_007_199_254_740_994_u64)));
        assert!(!permits(&rule, &json!("1")));
    }

    #[test]
    fn a_number_is_its_value_however_it_is_written() {
        let rule = ArgRule::Exact(json!({"n": [1, 2]}));
        assert!(permits(&rule, &json!({"n": [1.0, 2]})));
        assert!(!permits(&rule, &json!({"n": [1.5, 2]})));
        assert!(!permits(&rule, &json!({"n": ["1", 2]})));
        assert!(permits(&ArgRule::OneOf(vec![json!(3)]), &json!(3.0)));
    }

    #[test]
    fn a_path_must_stay_in_its_folder() {
        let rule = ArgRule::Subpath("/data".to_owned());
        assert!(permits(&rule, &json!("/data/a")));
        for path in ["/data/../etc", "/database", "data/a", "/data/./../x"] {
            assert!(!permits(&rule, &json!(path)), "{path}");
        }
    }

    #[test]
    fn a_rule_that_cannot_read_its_reference_takes_nothing() {
        let reference: Reference = "${input.to}".parse().unwrap();
        let rule = ArgRule::From(reference, Box::new(ArgRule::Any));
        assert!(!permits(&rule, &json!("alice")));
        assert!(
            rule.permits(&json!("alice"), &|_| Some(json!("alice")))
                .is_ok()
        );
        assert!(rule.permits(&json!("5"), &|_| Some(json!(5))).is_ok());
        assert!(rule.permits(&json!(5), &|_| Some(json!("5"))).is_err());
    }
}
