//! `kind: http`: the shapes; what the texts mean is checked by the tool.

use plan_model::Pointer;
use serde_json::Value;

use super::text_map;
use crate::decode::{Decoder, Fields};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const OUTPUTS: [&str; 4] = ["auto", "json", "text", "response"];
const BODIES: [&str; 3] = ["json", "form", "none"];

/// The most bytes of an answer, and redirects, that a catalog may allow.
pub(crate) const MOST_RESPONSE_BYTES: u64 = 64 << 20;
pub(crate) const MOST_REDIRECTS: u64 = 20;

pub(super) fn check(decoder: &mut Decoder, fields: &mut Fields) {
    for name in ["base_url", "path_template", "url"] {
        fields.read(name, |value, at| decoder.string(value, at));
    }
    let words = METHODS.map(|method| (method, ()));
    fields.read("method", |value, at| decoder.word(value, at, &words));
    text_map(decoder, fields.take("query"));
    text_map(decoder, fields.take("headers"));
    if let Some((at, value)) = fields.take("body") {
        body(decoder, value, &at);
    }
    let words = OUTPUTS.map(|output| (output, ()));
    fields.read("output", |value, at| decoder.word(value, at, &words));
    for name in ["capture_status", "allow_downgrade", "allow_private"] {
        fields.read(name, |value, at| decoder.boolean(value, at));
    }
    fields.read("max_response_bytes", |value, at| {
        whole(decoder, &value, at, (1, MOST_RESPONSE_BYTES))
    });
    fields.read("max_redirects", |value, at| {
        whole(decoder, &value, at, (0, MOST_REDIRECTS))
    });
    if let Some((at, value)) = fields.take("redirect_hosts") {
        decoder.strings(value, &at);
    }
    if let Some((at, value)) = fields.take("retry_statuses") {
        for (at, status) in decoder.array(value, &at) {
            whole(decoder, &status, &at, (400, 599));
        }
    }
    fields.read("timeout_secs", |value, at| decoder.seconds(&value, at));
}

/// A word, or an object with one of `json`, `form`, `text`.
fn body(decoder: &mut Decoder, value: Value, at: &Pointer) {
    if value.is_string() {
        decoder.word(value, at, &BODIES.map(|word| (word, ())));
        return;
    }
    let given = value.clone();
    let Some(mut fields) = decoder.object(value, at) else {
        return;
    };
    let json = fields.take_any("json").is_some();
    let form = fields.take("form");
    let text = fields.take("text");
    if usize::from(json) + usize::from(form.is_some()) + usize::from(text.is_some()) != 1 {
        decoder.wrong(
            at,
            "an object with one of `json`, `form` and `text`",
            &given,
        );
    }
    text_map(decoder, form);
    if let Some((at, value)) = text {
        decoder.string(value, &at);
    }
    fields.finish(decoder);
}

fn whole(
    decoder: &mut Decoder,
    value: &Value,
    at: &Pointer,
    (least, most): (u64, u64),
) -> Option<u64> {
    let count = value
        .as_u64()
        .filter(|count| (least..=most).contains(count));
    if count.is_none() {
        decoder.wrong(at, &format!("a whole number from {least} to {most}"), value);
    }
    count
}
