//! Events as bytes.

use plan_model::Timestamp;
use plan_run::{DecodeError, Event, EventKind, SkipReason, decode, encode};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::path;

fn sample() -> Event {
    Event {
        at: Timestamp::from_millis(1_767_225_600_001),
        kind: EventKind::StepSkipped {
            step: path("a"),
            reason: SkipReason::NotTaken,
        },
    }
}

#[test]
fn an_event_is_one_versioned_json_object() {
    insta::assert_snapshot!(
        String::from_utf8(encode(&sample())).unwrap(),
        @r#"{"v":1,"at":"2026-01-01T00:00:00.001Z","event":{"step_skipped":{"step":"a","reason":"not_taken"}}}"#
    );
}

#[test]
fn what_an_older_release_would_misread_has_a_higher_version() {
    let step = "each".parse::<plan_run::StepPath>().unwrap();
    for kind in [
        EventKind::ItemsStopped { step: step.clone() },
        EventKind::ListCollected {
            step: step.clone(),
            count: 2,
        },
        EventKind::StepSkipped {
            step,
            reason: SkipReason::ItemFailed,
        },
    ] {
        let at = Timestamp::from_millis(1);
        let text = String::from_utf8(encode(&Event { at, kind })).unwrap();
        assert!(text.starts_with(r#"{"v":2,"#), "{text}");
    }
}

#[test]
fn unknown_members_are_ignored() {
    let bytes = br#"{"new":[{}],"v":1,"at":"2026-01-01T00:00:00.001Z","event":{"step_skipped":{"step":"a","why":{"x":1},"reason":"not_taken"}},"z":null}"#;
    assert_eq!(decode(bytes).unwrap(), sample());
}

#[test]
fn a_newer_record_is_told_from_a_damaged_one() {
    let newer = br#"{"v":3,"at":"2026-01-01T00:00:00Z","event":{"step_teleported":{}}}"#;
    assert_eq!(
        decode(newer),
        Err(DecodeError::Newer {
            found: 3,
            supported: 2
        })
    );
    for damaged in [
        &b"{}"[..],
        b"",
        b"{\"v\":1",
        b"\xff\xfe",
        br#"{"v":1,"at":"now","event":{}}"#,
    ] {
        assert!(
            matches!(decode(damaged), Err(DecodeError::Unreadable { .. })),
            "{damaged:?}"
        );
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |n| n.is_finite())
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_comes_back_as_it_was_written(value in value(), millis in 0..4_102_444_800_000_i64) {
        let Value::Object(outputs) = json!({ "value": value }) else { unreachable!() };
        let event = Event {
            at: Timestamp::from_millis(millis),
            kind: EventKind::RunEnded {
                status: plan_run::RunStatus::Succeeded,
                outputs: outputs.into(),
                failure: None,
            },
        };
        prop_assert_eq!(decode(&encode(&event)).unwrap(), event);
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
    }
}
