//! `check` beside the parse of the same bytes.

use std::hint::black_box;
use std::time::Duration;

use planwright::model::{Limits, Schema};
use planwright::{Context, Policy, ToolCatalog, ToolName, ToolSpec, check};
use serde_json::{Value, json};

use super::measure::{Effort, Table, beside, median};
use super::plans;

pub(crate) fn rows(table: &mut Table) {
    let catalog = catalog();
    let policy = Policy::default();
    let mut per_step = Vec::new();
    for steps in [100, 1_000, 10_000] {
        let name = format!("check {steps} steps");
        if !table.wants(&name) {
            continue;
        }
        let text = plans::mixed(steps);
        let context = Context::new(&catalog, &policy);
        let (ours, parse) = beside(
            Effort::Usual,
            &mut || drop(black_box(check(black_box(&text), &context).unwrap())),
            &mut || {
                drop(black_box(
                    serde_json::from_slice::<Value>(black_box(text.as_bytes())).unwrap(),
                ));
            },
        );
        per_step.push((steps, ours / u32::try_from(steps).unwrap()));
        let bound = if steps == 10_000 { "4x" } else { "" };
        table.time(&name, ours, ("serde_json::Value", parse), bound);
    }
    if let [.., (1_000, thousand), (10_000, ten_thousand)] = per_step.as_slice() {
        table.time(
            "check one step of 10,000",
            *ten_thousand,
            ("one of 1,000", *thousand),
            "1.5x",
        );
    }
    refusal(table, &catalog, &policy);
}

fn refusal(table: &mut Table, catalog: &ToolCatalog, policy: &Policy) {
    let name = "check refuses 200,000 steps";
    if table.wants(name) {
        let text = plans::chain(200_000);
        assert!(text.len() > Limits::default().document_bytes);
        let context = Context::new(catalog, policy);
        let ours: Duration = median(|| {
            black_box(check(black_box(&text), &context).unwrap_err());
        });
        table.figure(name, format!("{ours:.2?}"), "100 ms");
    }
}

pub(crate) fn catalog() -> ToolCatalog {
    let mut spec = ToolSpec::named(ToolName::new("work").unwrap());
    spec.input_schema = Some(Schema(json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "maxLength": 200},
            "amount": {"type": "integer", "minimum": 0},
            "label": {"type": "string"},
        },
        "required": ["title", "amount"], "additionalProperties": false,
    })));
    spec.output_schema = Some(Schema(json!({
        "type": "object",
        "properties": {"title": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["title", "count"], "additionalProperties": false,
    })));
    let noop = ToolSpec::named(ToolName::new("noop").unwrap());
    ToolCatalog::builder()
        .tool(spec)
        .tool(noop)
        .build()
        .unwrap()
}
