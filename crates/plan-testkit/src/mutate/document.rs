//! Faults of the text and of its shape: P1xx.

use serde_json::{Value, json};

use super::plant::at;
use super::{Mutator, Place};
use crate::case::Case;
use crate::generate::Random;
use crate::within::text;

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P101", "cut-off", |case, _| {
        let mut bytes = case.bytes();
        bytes.pop();
        whole(case, bytes)
    }),
    Mutator::new("P101", "second-document", |case, _| {
        let mut bytes = case.bytes();
        bytes.extend(b" {}");
        whole(case, bytes)
    }),
    Mutator::new("P101", "byte-order-mark", |case, _| {
        let mut bytes = b"\xEF\xBB\xBF".to_vec();
        bytes.extend(case.bytes());
        whole(case, bytes)
    }),
    Mutator::new("P101", "not-utf8", |case, random| {
        let mut bytes = case.bytes();
        let middle = bytes.len() / 4 + random.below(bytes.len() / 2);
        bytes.insert(middle, 0xFF);
        whole(case, bytes)
    }),
    Mutator::new("P101", "not-a-number", |case, _| {
        case.rewrite("\"sizes\":[1,", "\"sizes\":[NaN,")?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P101", "lone-surrogate", |case, _| {
        case.rewrite("\"generated\"", "\"gen\\ud800erated\"")?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P101", "control-character", |case, _| {
        case.rewrite("\"generated\"", "\"gen\u{1}erated\"")?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P102", "repeat-key", |case, _| {
        case.rewrite(
            "\"name\":\"generated\"",
            "\"name\":\"generated\",\"name\":\"generated\"",
        )?;
        at("/name")
    }),
    Mutator::new("P102", "repeat-key-with-escapes", |case, _| {
        case.rewrite(
            "\"name\":\"generated\"",
            "\"name\":\"generated\",\"n\\u0061me\":\"other\"",
        )?;
        at("/name")
    }),
    Mutator::new("P103", "unknown-field", |case, random| {
        let step = case.some_step(random, |_| true)?;
        case.set(&format!("/steps/{step}"), "retries", json!(3))?;
        at(format!("/steps/{step}/retries"))
    }),
    Mutator::new("P103", "misspelt-gate", |case, random| {
        let step = case.some_kind(random, "HUMAN_INTERACTION")?;
        case.set(
            &format!("/steps/{step}/config"),
            "aproval_required",
            json!(true),
        )?;
        at(format!("/steps/{step}/config/aproval_required"))
    }),
    Mutator::new("P103", "misspelt-required-field", |case, random| {
        let step = case.some_kind(random, "PROMPT_CALL")?;
        let config = case.object(&format!("/steps/{step}/config"))?;
        let prompt = config.remove("user_prompt")?;
        config.insert("user_promt".to_owned(), prompt);
        at(format!("/steps/{step}/config/user_promt"))
    }),
    Mutator::new("P104", "wrong-type", |case, random| {
        let step = case.some_step(random, |_| true)?;
        case.set(&format!("/steps/{step}"), "timeout_secs", json!("10"))?;
        at(format!("/steps/{step}/timeout_secs"))
    }),
    Mutator::new("P104", "missing-field", |case, random| {
        let step = case.some_step(random, |_| true)?;
        case.object(&format!("/steps/{step}"))?.remove("name")?;
        at(format!("/steps/{step}"))
    }),
    Mutator::new("P104", "unknown-kind", |case, random| {
        let step = case.some_kind(random, "TOOL_CALL")?;
        case.set(&format!("/steps/{step}/config"), "type", json!("SLEEP"))?;
        at(format!("/steps/{step}/config/type"))
    }),
    Mutator::new("P104", "unknown-word", |case, random| {
        let step = case.some_step(random, |_| true)?;
        case.set(&format!("/steps/{step}"), "join", json!("most"))?;
        at(format!("/steps/{step}/join"))
    }),
    Mutator::new("P105", "integer-out-of-range", |case, _| {
        case.rewrite("\"sizes\":[1,", "\"sizes\":[184467440737095516160,")?;
        at("/config/sizes/0")
    }),
    Mutator::new("P105", "too-many-digits", |case, _| {
        case.rewrite("\"sizes\":[1,", "\"sizes\":[0.1234567890123456789,")?;
        at("/config/sizes/0")
    }),
    Mutator::new("P105", "too-great", |case, _| {
        case.rewrite("\"sizes\":[1,", "\"sizes\":[1e400,")?;
        at("/config/sizes/0")
    }),
    Mutator::new("P106", "nest-too-deep", |case, _| {
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        case.set("/config", "deep", deep)?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P107", "id-with-a-blank", |case, _| {
        let step = case.add_call("anything", json!({}))?;
        case.set(&format!("/steps/{step}"), "id", json!("find it"))?;
        at(format!("/steps/{step}/id"))
    }),
    Mutator::new("P107", "reserved-word", |case, _| {
        let input = case.add_input(json!({"name": "true", "value_type": "string"}), json!("x"))?;
        at(format!("/inputs/{input}/name"))
    }),
    Mutator::new("P108", "turn-the-reading-order", |case, random| {
        let step = case.some_kind(random, "HUMAN_INTERACTION")?;
        let pointer = format!("/steps/{step}/config");
        let prompt = format!(
            "Pay \u{202e}001\u{202c}? {}",
            text(&case.document, &format!("{pointer}/prompt"))
        );
        case.set(&pointer, "prompt", json!(prompt))?;
        at(format!("{pointer}/prompt"))
    }),
    Mutator::new("P109", "prose-around", |case, random| {
        let fence = if random.chance(50) {
            ("```json\n", "\n```\nThat is all.")
        } else {
            ("", "")
        };
        case.text =
            Some(format!("Here is the plan:\n{}{}{}", fence.0, case.text(), fence.1).into_bytes());
        case.is_answer = true;
        at("")
    }),
    Mutator::new("P110", "read-the-environment", environment),
];

#[expect(clippy::unnecessary_wraps, reason = "what every mutator ends with")]
fn whole(case: &mut Case, bytes: Vec<u8>) -> Option<Place> {
    case.text = Some(bytes);
    Some(Place::Somewhere)
}

fn environment(case: &mut Case, random: &mut Random) -> Option<Place> {
    let step = match case.some_step(random, |step| text(step, "/config/tool") == "login") {
        Some(step) => step,
        None => case.add_call("login", json!({}))?,
    };
    let pointer = format!("/steps/{step}/config/arguments");
    case.set(&pointer, "token", Value::from("${env.TOKEN}"))?;
    at(format!("{pointer}/token"))
}
