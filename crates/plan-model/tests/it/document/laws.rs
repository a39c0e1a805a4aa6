//! Laws of reading and writing.

use plan_model::document::{
    Document, DocumentKind, EdgePolicy, Position, ReadOptions, extract_plan, parse, read,
};
use plan_model::{Digest, Limits, Plan, canonical_json};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{reading_as, strategy};

fn read_back(text: &str) -> Plan {
    let options = reading_as(DocumentKind::Plan);
    let parsed = parse(text.as_bytes(), &options.limits);
    assert_eq!(parsed.problems, []);
    let read = read(&parsed.document.unwrap(), &options);
    assert_eq!(read.problems, []);
    assert!(read.unread.is_empty());
    read.plan.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_plan_that_was_written_is_read_back(plan in strategy::plan()) {
        let written = plan.to_json();
        let again = read_back(&written.to_string());
        prop_assert_eq!(&again, &plan);
        prop_assert_eq!(again.digest(), plan.digest());
        prop_assert_eq!(plan.to_canonical_json(), canonical_json(&written));
        prop_assert_eq!(again.to_json(), written);
    }

    #[test]
    fn the_digest_is_that_of_the_canonical_document(plan in strategy::plan()) {
        let mut document = plan.to_json();
        let metadata = document["metadata"].as_object_mut().unwrap();
        for member in ["status", "created_at", "updated_at"] {
            metadata.remove(member);
        }
        prop_assert_eq!(plan.digest(), Digest::of_json(&document));
    }

    #[test]
    fn a_document_of_a_value_is_that_value(value in any_value()) {
        let limits = Limits::default();
        let parsed = Document::from_value(&value, &limits);
        prop_assert_eq!(&parsed.problems, &[]);
        let document = parsed.document.unwrap();
        prop_assert_eq!(canonical_json(&document.to_value()), canonical_json(&value));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in json_like(), edges in any::<bool>()) {
        read_any(text.as_bytes(), edges);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in any::<Vec<u8>>()) {
        read_any(&bytes, false);
    }

    #[test]
    fn what_serde_json_refuses_is_refused(text in json_like()) {
        let parsed = parse(text.as_bytes(), &Limits::default());
        if let Some(document) = parsed.document {
            let theirs = serde_json::from_str::<Value>(&text);
            // only numbers out of range and repeated members are read differently
            if parsed.problems.is_empty() {
                prop_assert_eq!(canonical_json(&document.to_value()), canonical_json(&theirs.unwrap()));
            }
        } else {
            prop_assert!(serde_json::from_str::<Value>(&text).is_err(), "{}", text);
        }
    }
}

/// Reads bytes in every way; all places it names must be in the text.
fn read_any(bytes: &[u8], edges: bool) {
    let text = String::from_utf8_lossy(bytes);
    let (span, _) = extract_plan(&text);
    assert!(text.get(span.start..span.end).is_some());
    let mut options = ReadOptions::default();
    options.edges = if edges {
        EdgePolicy::DataFlow
    } else {
        EdgePolicy::Position
    };
    let parsed = parse(bytes, &options.limits);
    for problem in &parsed.problems {
        assert!(problem.span.start <= problem.span.end && problem.span.end <= bytes.len());
        Position::in_text(&text, problem.span.start);
    }
    let Some(document) = parsed.document else {
        assert_eq!(parsed.problems.is_empty(), parsed.further > 0);
        return;
    };
    for kind in [
        DocumentKind::Auto,
        DocumentKind::Plan,
        DocumentKind::Bundle,
        DocumentKind::Planner,
    ] {
        options.kind = kind;
        let read = read(&document, &options);
        for problem in &read.problems {
            assert!(text.get(problem.span.start..problem.span.end).is_some());
            document.position_of(problem.span.start);
            document.span_of(&problem.pointer);
            document.key_span_of(&problem.pointer);
        }
        for place in &read.unread {
            read.origin.locate(place);
        }
        if let Some(plan) = &read.plan {
            plan.digest();
            plan.to_json();
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Pieces of JSON and of plans, strung together.
fn json_like() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "null",
        "true",
        "false",
        "1",
        "-0",
        "1.0",
        "1e400",
        "0.1",
        "18446744073709551616",
        "\"steps\"",
        "\"name\"",
        "\"tool\"",
        "\"args\"",
        "\"after\"",
        "\"config\"",
        "\"type\"",
        "\"TOOL_CALL\"",
        "\"metadata\"",
        "\"plan\"",
        "\"a\"",
        "\"${step.a.b}\"",
        "\"${\"",
        "\"\\u00e9\"",
        "\"\\ud800\"",
        "\"é\"",
        " ",
        "\n",
        "```json\n",
        "prose",
        "{\"steps\": [",
        "{\"name\": \"a\", \"tool\": \"t\"},",
        "]}",
    ];
    let piece = prop_oneof![
        9 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop_oneof![
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat()),
        any_value().prop_map(|value| value.to_string()),
        any_value().prop_map(|value| json!({ "steps": [{ "tool": value, "after": value, "args": value }] }).to_string()),
        any_value().prop_map(|value| json!({ "metadata": value, "name": value, "inputs": value, "config": value,
            "steps": [{ "id": value, "config": value, "outputs": value, "retry": value }], "outputs": [value] }).to_string()),
    ]
}

#[test]
fn reading_needs_no_more_than_the_stack_of_a_thread() {
    let nested = |depth: usize| format!("{}1{}", "{\"a\":[".repeat(depth), "]}".repeat(depth));
    let texts = [
        nested(32),
        nested(50_000),
        format!(
            "{{\"steps\": [{{\"tool\": \"t\", \"args\": {}}}]}}",
            nested(30)
        ),
        format!("{{\"steps\": [{}]}}", nested(31)),
        "[".repeat(1_000_000),
        "\"".repeat(10_001),
    ];
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            for text in &texts {
                read_any(text.as_bytes(), true);
            }
        })
        .unwrap()
        .join()
        .unwrap();
}
