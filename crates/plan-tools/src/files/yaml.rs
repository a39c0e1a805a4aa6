//! YAML into the same tree as JSON, with the place of every value.
//!
//! Booleans are `true` and `false` alone, a key stands once, custom tags and
//! numbers that are not exact are refused, aliases are bounded.

use std::fmt;

use plan_model::{Limits, Pointer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Spanned, UserMessageFormatter};

/// The reader recurses once per level and needs some 40 KiB for it in a debug build.
const STACK: usize = 16 << 20;
/// Nodes of one file, aliases counted where they are used.
const NODES: usize = 250_000;
/// Whole numbers from here on are not all exact in a binary fraction.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Why a text is no YAML that can be used.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) message: String,
}

/// Where the values of a YAML text are.
#[derive(Debug)]
pub(super) struct Places(Node);

impl Places {
    /// The line and column of the value at a pointer; of the deepest part of it that exists otherwise.
    pub(super) fn find(&self, pointer: &Pointer) -> (u64, u64) {
        let mut node = &self.0;
        for segment in pointer.segments() {
            let below = match &node.kind {
                Kind::Scalar(_) => None,
                Kind::List(elements) => segment.parse().ok().and_then(|at: usize| elements.get(at)),
                Kind::Object(members) => members
                    .iter()
                    .find(|(name, _)| *name == *segment)
                    .map(|(_, node)| node),
            };
            match below {
                Some(below) => node = below,
                None => break,
            }
        }
        (node.line, node.column)
    }
}

/// Reads one document.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<(Value, Places), Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| fault_at(bytes, error.valid_up_to()))?;
    // on a stack of its own, as the caller's may be small
    let node = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("planwright-yaml".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || parse(text, limits))
            .map_err(|error| unread(&error.to_string()))?
            .join()
            .map_err(|_| unread("the text cannot be read"))?
    })?;
    Ok((node.to_value(), Places(node)))
}

fn parse(text: &str, limits: &Limits) -> Result<Node, Fault> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: limits.depth,
            max_nodes: NODES,
            max_documents: 2,
        },
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let (line, column) = error
            .location()
            .map_or((1, 1), |place| (place.line(), place.column()));
        let message = error
            .without_snippet()
            .render_with_formatter(&UserMessageFormatter);
        Fault {
            line,
            column,
            message: without_place(&message),
        }
    })
}

/// The message up to the place, which stands before it.
fn without_place(message: &str) -> String {
    let clause = message
        .split_once(" at line ")
        .map_or(message, |(clause, _)| clause);
    clause.to_owned()
}

fn fault_at(bytes: &[u8], offset: usize) -> Fault {
    let before = bytes.get(..offset).unwrap_or_default();
    let line = before.split(|&byte| byte == b'\n').count();
    let column = before
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    Fault {
        line: line as u64,
        column: column.len() as u64 + 1,
        message: "the text is not UTF-8".to_owned(),
    }
}

fn unread(message: &str) -> Fault {
    Fault {
        line: 1,
        column: 1,
        message: message.to_owned(),
    }
}

/// A value and where it starts.
#[derive(Debug)]
struct Node {
    line: u64,
    column: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scalar(Value),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Recurses as deep as the text was allowed to nest.
    fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(elements) => elements.iter().map(Self::to_value).collect(),
            Kind::Object(members) => members
                .iter()
                .map(|(name, node)| (name.clone(), node.to_value()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Kind>::deserialize(deserializer)?;
        Ok(Self {
            line: spanned.referenced.line(),
            column: spanned.referenced.column(),
            kind: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Scalar(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Kind, E> {
        if value.abs() >= EXACT {
            return Err(E::custom(
                "the number cannot be held exactly; quote it to have text",
            ));
        }
        Number::from_f64(value)
            .map(|number| Kind::Scalar(number.into()))
            .ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Scalar(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Kind, E> {
        Ok(Kind::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Kind::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Kind::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        read(text.as_bytes(), &Limits::default()).unwrap().0
    }

    fn fault(text: &[u8]) -> String {
        let fault = read(text, &Limits::default()).unwrap_err();
        format!("{}:{}: {}", fault.line, fault.column, fault.message)
    }

    #[test]
    fn scalars_are_those_of_json() {
        let text =
            "[1, -1, 2.5, true, null, ~, yes, no, on, 0123, 1_000, 12:30, 2020-01-01, \"1\"]";
        let expected =
            r#"[1,-1,2.5,true,null,null,"yes","no","on","0123","1_000","12:30","2020-01-01","1"]"#;
        assert_eq!(value(text).to_string(), expected);
    }

    #[test]
    fn aliases_and_merges_are_resolved() {
        let text = "base: &b {k: 1}\nuse: *b\nmerged:\n  <<: *b\n  z: 2\n";
        let expected = r#"{"base":{"k":1},"merged":{"k":1,"z":2},"use":{"k":1}}"#;
        assert_eq!(value(text).to_string(), expected);
    }

    #[test]
    fn what_json_could_not_say_is_refused() {
        insta::assert_snapshot!(fault(b"a: 1\n'a': 2\n"), @"2:1: duplicate mapping key `a` is not allowed here");
        insta::assert_snapshot!(fault(b"a: .nan"), @"1:4: value `.nan` is not a finite number");
        insta::assert_snapshot!(fault(b"a: 1e400"), @"1:4: value `1e400` is not a finite number");
        insta::assert_snapshot!(fault(b"a: 18446744073709551616"), @"1:4: the number cannot be held exactly; quote it to have text");
        insta::assert_snapshot!(fault(b"a: !secret x"), @"1:12: unsupported tag `!secret`");
        insta::assert_snapshot!(fault(b"[a, b]: x"), @"1:1: expected string scalar");
        insta::assert_snapshot!(fault(b"a: 1\n---\nb: 2\n"), @"3:1: only single YAML document expected but multiple found");
        insta::assert_snapshot!(fault(b"a: 1\n  b: 2"), @"2:4: mapping values are not allowed in this context");
        insta::assert_snapshot!(fault(b"a: 1\nb: \xff"), @"2:4: the text is not UTF-8");
    }

    #[test]
    fn nesting_is_bounded_and_needs_no_large_stack_of_the_caller() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let bounded = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || {
                assert!(read(nested(64).as_bytes(), &Limits::default()).is_ok());
                for text in [nested(65), nested(100_000), "- ".repeat(10_000)] {
                    assert!(read(text.as_bytes(), &Limits::default()).is_err());
                }
            })
            .unwrap();
        bounded.join().unwrap();
    }

    #[test]
    fn aliases_cannot_multiply_without_bound() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let uses = vec![format!("*a{}", level - 1); 10].join(", ");
            text = format!("{text}a{level}: &a{level} [{uses}]\n");
        }
        assert!(fault(text.as_bytes()).contains("too large or too complex"));
    }

    #[test]
    fn places_are_those_of_the_text() {
        let (_, places) = read(
            b"tools:\n  - name: a\n    config: {kind: x}\n",
            &Limits::default(),
        )
        .unwrap();
        let tools = Pointer::root().join("tools");
        let config = tools.join(0).join("config");
        assert_eq!(places.find(&config.join("kind")), (3, 20));
        assert_eq!(places.find(&config.join("missing").join("deeper")), (3, 13));
        assert_eq!(places.find(&tools.join(7)), (2, 3));
    }
}
