//! Any text: references, templates and expressions parse or say why not, and what parses is written back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plan_model::{Expression, Limits, Reference, Template};
use serde_json::Value;

fuzz_target!(|text: &str| {
    match Reference::parse(text) {
        Ok(reference) => assert_eq!(Reference::parse(&reference.to_string()), Ok(reference)),
        Err(error) => assert!(error.at <= text.len()),
    }
    if let Ok(template) = Template::parse(Value::from(text)) {
        assert_eq!(Template::parse(template.to_value()), Ok(template));
    }
    match Expression::parse(text, &Limits::default()) {
        Ok(expression) => assert_eq!(expression.source(), text),
        Err(error) => assert!(error.range.start <= error.range.end),
    }
});
