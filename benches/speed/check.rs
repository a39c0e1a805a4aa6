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
    let context = Context::new(&catalog, &policy);
    for steps in [100, 1_000, 10_000] {
        let name = format!("check {steps} steps");
        if !table.wants(&name) {
            continue;
        }
        let text = plans::mixed(steps);
        let (ours, parse) = beside(Effort::Usual, &mut || checked(&text, &context), &mut || {
            parsed(&text);
        });
        let bound = if steps == 10_000 { "4x" } else { "" };
        table.time(&name, ours, ("serde_json::Value", parse), bound);
    }
    growth(table, &context);
    refusal(table, &catalog, &policy);
}

/// What a step costs more in a long plan than in a short one, both in turns; and beside it the plain parse, whose
/// growth is that of the machine's memory.
fn growth(table: &mut Table, context: &Context<'_>) {
    let (long, short) = (plans::mixed(10_000), plans::mixed(1_000));
    let mut row = |name: &str, work: &dyn Fn(&str), bound| {
        if table.wants(name) {
            let (of_long, of_short) = beside(Effort::Usual, &mut || work(&long), &mut || {
                (0..10).for_each(|_| work(&short));
            });
            let each = (of_long / 10_000, of_short / 10_000);
            table.time(name, each.0, ("one of 1,000", each.1), bound);
        }
    };
    row(
        "check one step of 10,000",
        &|text| checked(text, context),
        "1.5x",
    );
    row("parse one step of 10,000", &parsed, "");
}

fn parsed(text: &str) {
    drop(black_box(
        serde_json::from_slice::<Value>(black_box(text.as_bytes())).unwrap(),
    ));
}

fn checked(text: &str, context: &Context<'_>) {
    drop(black_box(check(black_box(text), context).unwrap()));
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
