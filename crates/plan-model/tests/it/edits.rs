//! Edits of a text leave all of it as it was written but what they are about.

use plan_model::document::{Document, parse};
use plan_model::edit::{Edit, EditError, edited};
use plan_model::{Limits, Pointer};
use proptest::prelude::*;
use serde_json::{Value, json};

fn document(text: &str) -> Document {
    let parsed = parse(text.as_bytes(), &Limits::default());
    parsed.document.expect("the text is JSON")
}

fn at(pointer: &str) -> Pointer {
    Pointer::parse(pointer).unwrap()
}

fn set(pointer: &str, value: Value) -> Edit {
    Edit::Set {
        pointer: at(pointer),
        value,
    }
}

fn remove(pointer: &str) -> Edit {
    Edit::Remove {
        pointer: at(pointer),
    }
}

const LIST: &str = r#"{
  "after": [
    "a",   "b",
    "c"
  ],
  "empty": [ ],
  "one": {"x":1}
}
"#;

fn check(edits: &[Edit], before: &str, after: &str) {
    assert!(LIST.contains(before), "{before}");
    let expected = LIST.replace(before, after);
    assert_eq!(edited(&document(LIST), edits).unwrap(), expected);
}

#[test]
fn what_is_removed_takes_its_comma_along() {
    check(&[remove("/after/0")], "\"a\",   \"b\"", "\"b\"");
    check(&[remove("/after/1")], "\"a\",   \"b\"", "\"a\"");
    check(&[remove("/after/2")], "\"b\",\n    \"c\"", "\"b\"");
    check(
        &[remove("/after/0"), remove("/after/2")],
        "\"a\",   \"b\",\n    \"c\"",
        "\"b\"",
    );
    check(
        &[remove("/after/0"), remove("/after/1"), remove("/after/2")],
        "[\n    \"a\",   \"b\",\n    \"c\"\n  ]",
        "[]",
    );
    check(&[remove("/one")], ",\n  \"one\": {\"x\":1}", "");
    check(&[remove("/one/x")], "{\"x\":1}", "{}");
}

#[test]
fn what_is_put_in_is_laid_out_as_its_neighbours() {
    check(&[set("/after/1", json!(7))], "\"b\"", "7");
    check(&[set("/after/-", json!("d"))], "\"c\"", "\"c\",\n    \"d\"");
    check(&[set("/empty/0", json!([1, 2]))], "[ ]", "[[1, 2]]");
    check(&[set("/one/y", json!(null))], "1}", "1, \"y\": null}");
    check(
        &[set("/new", json!({"b": 1, "a": 2}))],
        "\"one\": {\"x\":1}",
        "\"one\": {\"x\":1},\n  \"new\": {\"a\": 2, \"b\": 1}",
    );
    let tight = edited(&document("{\"a\":[1]}"), &[set("/a/-", json!({"k": [2]}))]);
    assert_eq!(tight.unwrap(), "{\"a\":[1,{\"k\":[2]}]}");
}

#[test]
fn edits_of_one_text_do_not_shift_each_other() {
    check(
        &[
            remove("/after/2"),
            set("/after/-", json!("d")),
            set("/after/0", json!("z")),
        ],
        "\"a\",   \"b\",\n    \"c\"",
        "\"z\",   \"b\",\n    \"d\"",
    );
}

#[test]
fn what_cannot_be_done_is_refused() {
    let refused = |edits: &[Edit]| edited(&document(LIST), edits).unwrap_err();
    assert_eq!(refused(&[remove("")]), EditError::WholeDocument);
    for edit in [
        remove("/after/3"),
        set("/after/x", json!(1)),
        set("/no/x", json!(1)),
    ] {
        let nowhere = EditError::Nowhere(edit.pointer().clone());
        assert_eq!(refused(&[edit]), nowhere);
    }
    for two in [
        [remove("/one"), set("/one/x", json!(2))],
        [remove("/one"), set("/one/y", json!(2))],
        [set("/one/y", json!(1)), set("/one/y", json!(2))],
        [set("/after/0", json!(1)), set("/after/0", json!(2))],
        [set("/after/3", json!(1)), set("/after/3", json!(2))],
    ] {
        assert!(matches!(refused(&two), EditError::Overlaps(_)), "{two:?}");
    }
    let twice = [remove("/one"), remove("/one")];
    assert!(
        edited(&document(LIST), &twice).is_ok(),
        "one edit, said twice"
    );
}

#[test]
fn a_member_that_stands_there_twice_goes_with_both() {
    let text = r#"{"a": 1, "b": 2, "\u0061": 3}"#;
    assert_eq!(
        edited(&document(text), &[remove("/a")]).unwrap(),
        r#"{"b": 2}"#
    );
}

/// JSON text of a value with odd blanks.
fn spelled(value: &Value, blanks: &mut impl Iterator<Item = &'static str>) -> String {
    let mut blank = || blanks.next().unwrap_or_default();
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| spelled(item, blanks)).collect();
            bracketed("[", "]", &items, blanks)
        }
        Value::Object(members) => {
            let mut all = Vec::new();
            for (name, member) in members {
                let name = Value::from(name.as_str());
                let (before, after) = (blanks.next(), blanks.next());
                let member = spelled(member, blanks);
                all.push(format!(
                    "{name}{}:{}{member}",
                    before.unwrap_or_default(),
                    after.unwrap_or_default()
                ));
            }
            bracketed("{", "}", &all, blanks)
        }
        scalar => format!("{}{scalar}{}", blank(), blank()),
    }
}

fn bracketed(
    open: &str,
    close: &str,
    items: &[String],
    blanks: &mut impl Iterator<Item = &'static str>,
) -> String {
    let comma = format!(
        "{},{}",
        blanks.next().unwrap_or_default(),
        blanks.next().unwrap_or_default()
    );
    format!(
        "{open}{}{}{close}",
        items.join(&comma),
        blanks.next().unwrap_or_default()
    )
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        any::<i32>().prop_map(Value::from),
        "[a-zü\"\\\\]{0,4}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c/~é]{1,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every place of a value, and a new one in each array and object.
fn places(value: &Value, at: &Pointer, into: &mut Vec<(Pointer, bool)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                into.push((at.join(index), true));
                places(item, &at.join(index), into);
            }
            into.push((at.join("-"), false));
        }
        Value::Object(members) => {
            for (name, member) in members {
                into.push((at.join(name), true));
                places(member, &at.join(name), into);
            }
            into.push((at.join("new"), false));
        }
        _ => {}
    }
}

/// What the edits make of the value, one after the other: what is set first, removals from the last.
fn applied(mut value: Value, edits: &[Edit]) -> Value {
    let mut removals: Vec<&Edit> = Vec::new();
    for edit in edits {
        match edit {
            Edit::Set { .. } => edit.clone().apply(&mut value).expect("the place is there"),
            Edit::Remove { .. } => removals.push(edit),
        }
    }
    removals.sort_by(|a, b| b.pointer().cmp(a.pointer()));
    removals.dedup();
    for edit in removals {
        edit.clone().apply(&mut value).expect("the place is there");
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_the_text_are_those_of_the_value(
        before in value(),
        blanks in prop::collection::vec(prop::sample::select(vec!["", " ", "\n  ", "\t"]), 1..12),
        picks in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(value())), 1..6),
    ) {
        let text = spelled(&before, &mut blanks.iter().copied().cycle());
        let document = document(&text);
        prop_assert_eq!(document.to_value(), before.clone());
        let mut all = Vec::new();
        places(&before, &Pointer::root(), &mut all);
        prop_assume!(!all.is_empty());
        let mut edits = Vec::new();
        for (index, new) in picks {
            let (pointer, is_there) = index.get(&all).clone();
            edits.push(match new {
                Some(value) => Edit::Set { pointer, value },
                None if is_there => Edit::Remove { pointer },
                None => continue,
            });
        }
        match edited(&document, &edits) {
            Ok(text) => {
                let parsed = parse(text.as_bytes(), &Limits::default());
                let problems = format!("{:?}", parsed.problems);
                let after = parsed.document.map(|document| document.to_value());
                prop_assert_eq!(after, Some(applied(before, &edits)), "{} {}", text, problems);
            }
            Err(error) => prop_assert!(matches!(error, EditError::Overlaps(_)), "{error}"),
        }
    }
}
