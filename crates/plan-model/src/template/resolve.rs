//! Following references into values.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{ResolveError, Scope, ScopeValue, Template, TextPart};
use crate::{Path, Reference, Segment};

/// Names that an error lists at most.
const LISTED: usize = 10;
/// Characters of a name that an error shows at most.
const SHOWN: usize = 64;

/// The text that a value becomes inside a text: a string as it is, null as
/// nothing, anything else as compact JSON with sorted keys.
pub fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(crate::canonical_json(other)),
    }
}

/// The value of a template, or every path that leads nowhere.
pub(super) fn value(template: &Template, scope: &dyn Scope) -> Result<Value, Vec<ResolveError>> {
    let mut errors = Vec::new();
    let value = resolved(template, scope, &mut errors);
    if errors.is_empty() {
        Ok(value)
    } else {
        Err(errors)
    }
}

fn resolved(template: &Template, scope: &dyn Scope, errors: &mut Vec<ResolveError>) -> Value {
    match template {
        Template::Literal(literal) => literal.clone(),
        Template::Reference(reference) => match reference.resolve(scope) {
            Ok(value) => value.into_owned(),
            Err(error) => {
                errors.push(error);
                Value::Null
            }
        },
        Template::Text(parts) => {
            let mut text = String::new();
            for part in parts {
                match part {
                    TextPart::Literal(literal) => text.push_str(literal),
                    TextPart::Reference(reference) => match reference.resolve(scope) {
                        Ok(value) => text.push_str(&text_of(&value)),
                        Err(error) => errors.push(error),
                    },
                }
            }
            Value::String(text)
        }
        Template::Array(items) => items
            .iter()
            .map(|item| resolved(item, scope, errors))
            .collect(),
        Template::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), resolved(member, scope, errors)))
                .collect(),
        ),
    }
}

impl Reference {
    /// The value that the reference reads: that of its first path whose step succeeded, or
    /// whose input is not null; null when there is none.
    ///
    /// A skipped step reads as null, whatever is read of it.
    ///
    /// # Errors
    /// When the path that counts leads nowhere.
    pub fn resolve<'a>(&self, scope: &'a dyn Scope) -> Result<Cow<'a, Value>, ResolveError> {
        if self.otherwise().is_empty() {
            let root = read_root(self.first(), scope)?;
            return follow(self.first(), root);
        }
        for path in self.paths() {
            match read_root(path, scope)? {
                ScopeValue::Absent | ScopeValue::Value(Value::Null) => {}
                root => return follow(path, root),
            }
        }
        Ok(Cow::Owned(Value::Null))
    }

    /// Whether the reference reads something that is there: false when its step was skipped, its
    /// input is null, or its path leads nowhere.
    pub fn leads_somewhere(&self, scope: &dyn Scope) -> bool {
        for path in self.paths() {
            match scope.root(path) {
                None => return false,
                Some(ScopeValue::Absent | ScopeValue::Value(Value::Null)) => {}
                Some(root) => return follow(path, root).is_ok(),
            }
        }
        false
    }
}

fn read_root<'a>(path: &Path, scope: &'a dyn Scope) -> Result<ScopeValue<'a>, ResolveError> {
    scope
        .root(path)
        .ok_or_else(|| nowhere(path, format!("there is no `{}` here", path.root)))
}

fn follow<'a>(path: &Path, root: ScopeValue<'a>) -> Result<Cow<'a, Value>, ResolveError> {
    let mut segments = path.segments.iter();
    let mut value = match root {
        ScopeValue::Absent => return Ok(Cow::Owned(Value::Null)),
        ScopeValue::Value(value) => value,
        ScopeValue::Outputs(outputs) => match segments.next() {
            None => return Ok(Cow::Owned(Value::Object(outputs.clone()))),
            Some(segment) => member(outputs, segment)
                .ok_or_else(|| nowhere(path, format!("`{}` {}", path.root, has(outputs))))?,
        },
    };
    while let Some(segment) = segments.next() {
        let next = match (value, segment) {
            (Value::Object(members), _) => member(members, segment),
            (Value::Array(items), Segment::Index(index)) => items.get(*index),
            _ => None,
        };
        value = next.ok_or_else(|| {
            let read = path.segments.len() - segments.len() - 1;
            let place = Path {
                root: path.root.clone(),
                segments: path.segments.iter().take(read).cloned().collect(),
            };
            nowhere(path, format!("`{place}` {}", what_is(value, segment)))
        })?;
    }
    Ok(Cow::Borrowed(value))
}

fn member<'a>(members: &'a Map<String, Value>, segment: &Segment) -> Option<&'a Value> {
    match segment {
        Segment::Name(name) => members.get(name),
        Segment::Index(_) => None,
    }
}

fn nowhere(path: &Path, found: String) -> ResolveError {
    ResolveError {
        path: path.to_string(),
        found,
    }
}

fn what_is(value: &Value, wanted: &Segment) -> String {
    match value {
        Value::Null => "is null".to_owned(),
        Value::Bool(_) => "is a boolean".to_owned(),
        Value::Number(_) => "is a number".to_owned(),
        Value::String(_) => "is a string".to_owned(),
        Value::Array(items) => match wanted {
            Segment::Name(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("is an array, whose elements are read as `[{name}]`")
            }
            _ => format!("is an array of {} elements", items.len()),
        },
        Value::Object(members) => has(members),
    }
}

/// Says which members there are, in sorted order and capped.
fn has(members: &Map<String, Value>) -> String {
    if members.is_empty() {
        return "has no members".to_owned();
    }
    let mut listed: Vec<String> = crate::digest::sorted(members)
        .take(LISTED)
        .map(|(name, _)| {
            let shown: String = name.chars().take(SHOWN).collect();
            let cut = if shown.len() < name.len() { "…" } else { "" };
            format!("`{shown}{cut}`")
        })
        .collect();
    if members.len() > LISTED {
        listed.push(format!("{} more", members.len() - LISTED));
    }
    let last = listed.pop().unwrap_or_default();
    if listed.is_empty() {
        format!("has {last}")
    } else {
        format!("has {} and {last}", listed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Root;
    use serde_json::json;

    struct World(Value);

    impl Scope for World {
        fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
            let value = self.0.get(path.root.kind())?.get(path.root.name())?;
            Some(match (&path.root, value) {
                (Root::Step(_), Value::Object(outputs)) => ScopeValue::Outputs(outputs),
                (Root::Step(_), _) => ScopeValue::Absent,
                _ => ScopeValue::Value(value),
            })
        }
    }

    fn world() -> World {
        World(json!({
            "input": { "n": 5, "none": null, "list": [1, "two"], "who": { "name": "Ada" } },
            "step": {
                "done": { "text": "hi", "nil": null, "raw": "${input.n} $${x}", "b": true, "a": { "z": 1, "y": 2 } },
                "skipped": null
            },
            "item": { "row": { "id": 7 } },
            "secret": { "KEY": "s3cret" }
        }))
    }

    fn resolved(template: Value) -> Result<Value, String> {
        Template::parse(template)
            .unwrap()
            .resolve(&world())
            .map_err(|errors| {
                errors
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("\n")
            })
    }

    #[test]
    fn a_whole_reference_keeps_the_type() {
        assert_eq!(resolved(json!("${input.n}")), Ok(json!(5)));
        assert_eq!(resolved(json!("${input.list}")), Ok(json!([1, "two"])));
        assert_eq!(resolved(json!("${input.list[1]}")), Ok(json!("two")));
        assert_eq!(resolved(json!("${input.none}")), Ok(Value::Null));
        assert_eq!(
            resolved(json!({ "k": ["${item.row.id}"] })),
            Ok(json!({ "k": [7] }))
        );
        assert_eq!(resolved(json!("${step.done}")).unwrap()["text"], "hi");
    }

    #[test]
    fn values_are_rendered_into_text() {
        assert_eq!(
            resolved(json!(
                "n=${input.n} none=${input.none} a=${step.done.a} t=${step.done.text} b=${step.done.b}"
            )),
            Ok(json!(r#"n=5 none= a={"y":2,"z":1} t=hi b=true"#))
        );
    }

    #[test]
    fn case_35_values_are_never_scanned_again() {
        assert_eq!(
            resolved(json!("${step.done.raw}")),
            Ok(json!("${input.n} $${x}"))
        );
        assert_eq!(
            resolved(json!("<${step.done.raw}>")),
            Ok(json!("<${input.n} $${x}>"))
        );
    }

    #[test]
    fn the_first_that_counts_is_taken() {
        assert_eq!(
            resolved(json!("${step.skipped.x ?? step.done.text}")),
            Ok(json!("hi"))
        );
        assert_eq!(resolved(json!("${input.none ?? input.n}")), Ok(json!(5)));
        assert_eq!(
            resolved(json!("${input.none.deep ?? input.n}")),
            Ok(json!(5))
        );
        assert_eq!(
            resolved(json!("${step.skipped.x ?? input.none}")),
            Ok(Value::Null)
        );
        // a step that succeeded with null has succeeded
        assert_eq!(
            resolved(json!("${step.done.nil ?? input.n}")),
            Ok(Value::Null)
        );
        assert_eq!(resolved(json!("${step.skipped.x.y[0]}")), Ok(Value::Null));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_what_is_there() {
        let errors = resolved(json!([
            "${step.done.txt}",
            "${step.done.text.length}",
            "${step.done.nil.x}",
            "x ${input.list[2]} y",
            "${input.list.0}",
            "${input.who.age}",
            "${input.missing}",
            "${step.done[0]}"
        ]))
        .unwrap_err();
        insta::assert_snapshot!(errors, @r#"
        `step.done.txt` leads nowhere: `step.done` has `a`, `b`, `nil`, `raw` and `text`
        `step.done.text.length` leads nowhere: `step.done.text` is a string
        `step.done.nil.x` leads nowhere: `step.done.nil` is null
        `input.list[2]` leads nowhere: `input.list` is an array of 2 elements
        `input.list.0` leads nowhere: `input.list` is an array, whose elements are read as `[0]`
        `input.who.age` leads nowhere: `input.who` has `name`
        `input.missing` leads nowhere: there is no `input.missing` here
        `step.done[0]` leads nowhere: `step.done` has `a`, `b`, `nil`, `raw` and `text`
        "#);
    }

    #[test]
    fn what_is_listed_is_capped() {
        let members: Map<String, Value> = (0..30)
            .map(|n| (format!("k{n:02}{}", "x".repeat(100)), Value::Null))
            .collect();
        let listed = has(&members);
        assert!(listed.len() < 1_000, "{listed}");
        assert!(listed.ends_with("and 20 more"), "{listed}");
    }
}
