//! Plans of any size.

use serde_json::{Value, json};

/// A plan of `steps` steps in groups of ten, two of each ten conditions with two branches of a call each.
///
/// ```text
/// call ─ condition ┬ call ┬ call ─ call ─ call or approval ─ condition ┬ call ┬ next group
///                  └ call ┘                                            └ call ┘
/// ```
///
/// What follows two branches runs after any of them and reads the one that ran. One group in five asks a person.
pub(crate) fn mixed(steps: usize) -> String {
    let steps: Vec<Value> = (0..steps).map(mixed_step).collect();
    plan(&json!([{"name": "topic", "value_type": "string"}]), &steps)
}

fn mixed_step(index: usize) -> Value {
    let (group, place) = (index / 10, index % 10);
    let asks = group % 5 == 4;
    match place {
        0 if group == 0 => work(index, &[], &json!("the title of ${input.topic}")),
        0 | 4 => joined(index),
        1 => {
            let read = format!("step.s{}", index - 1);
            choice(
                index,
                &format!("{read}.count > 5 && {read}.title != \"none\""),
            )
        }
        2 => work(index, &[index - 1], &title_of(index - 2)),
        3 => work(index, &[index - 2], &title_of(index - 3)),
        6 if asks => approval(index),
        7 if asks => choice(index, &format!("step.s{}.approved", index - 1)),
        7 => choice(index, &format!("step.s{}.count >= 100", index - 1)),
        8 => work(index, &[index - 1], &title_of(index - 3)),
        9 => work(index, &[index - 2], &title_of(index - 4)),
        _ => work(index, &[index - 1], &title_of(index - 1)),
    }
}

/// A call after any of the two branches before it, which reads the one that ran.
fn joined(index: usize) -> Value {
    let (yes, no) = (index - 2, index - 1);
    let read = format!("${{step.s{yes}.title ?? step.s{no}.title}}");
    let mut step = work(index, &[yes, no], &json!(read));
    step["join"] = json!("any");
    step
}

/// A condition whose branches are the two steps after it.
fn choice(index: usize, expression: &str) -> Value {
    json!({
        "id": format!("s{index}"), "name": format!("Is it enough? {index}"),
        "depends_on": ids(&[index - 1]), "outputs": [],
        "config": {
            "type": "CONDITION", "expression": expression,
            "true_steps": ids(&[index + 1]), "false_steps": ids(&[index + 2]),
        },
    })
}

fn approval(index: usize) -> Value {
    json!({
        "id": format!("s{index}"), "name": format!("May it go on? {index}"),
        "depends_on": ids(&[index - 1]),
        "outputs": [{"name": "approved", "value_type": "boolean"}],
        "config": {
            "type": "HUMAN_INTERACTION", "prompt": format!("Go on with ${{step.s{}.title}}?", index - 1),
            "response_field": "approved", "approval_required": true, "on_reject": "continue",
        },
    })
}

fn work(index: usize, after: &[usize], title: &Value) -> Value {
    json!({
        "id": format!("s{index}"), "name": format!("Work {index}"), "description": "One of many calls.",
        "depends_on": ids(after),
        "outputs": [{"name": "title", "value_type": "string"}, {"name": "count", "value_type": "integer"}],
        "config": {
            "type": "TOOL_CALL", "tool": "work",
            "arguments": {"title": title, "amount": index, "label": "a label of some length"},
        },
        "timeout_secs": 30,
    })
}

fn title_of(step: usize) -> Value {
    json!(format!("${{step.s{step}.title}}"))
}

fn ids(steps: &[usize]) -> Vec<String> {
    steps.iter().map(|step| format!("s{step}")).collect()
}

/// Each step after the one before it.
pub(crate) fn chain(steps: usize) -> String {
    plan(
        &json!([]),
        &(0..steps)
            .map(|index| noop(index, index.checked_sub(1)))
            .collect::<Vec<_>>(),
    )
}

/// Every step after the first one alone.
pub(crate) fn fan(steps: usize) -> String {
    plan(
        &json!([]),
        &(0..steps)
            .map(|index| noop(index, (index > 0).then_some(0)))
            .collect::<Vec<_>>(),
    )
}

/// One fan-out over so many items, with one call in its body.
pub(crate) fn items(count: usize) -> String {
    let (inputs, steps) = each(count, 1);
    plan(&inputs, &steps)
}

/// One fan-out over so many items with so many calls in its body, and a question after it.
pub(crate) fn items_and_a_question(count: usize, calls: usize) -> String {
    let (inputs, mut steps) = each(count, calls);
    steps.push(json!({
        "id": "ask", "name": "Enough?", "depends_on": ["each"],
        "config": {"type": "HUMAN_INTERACTION", "prompt": "Enough?", "response_field": "said"},
    }));
    plan(&inputs, &steps)
}

fn each(count: usize, calls: usize) -> (Value, Vec<Value>) {
    let body: Vec<usize> = (0..calls).collect();
    let fan_out = json!({
        "id": "each", "name": "Each", "outputs": [],
        "config": {
            "type": "FAN_OUT", "over": "${input.rows}", "item_var": "row", "spawn_steps": ids(&body), "max_parallel": 64,
        },
    });
    let calls = body.iter().map(|index| noop(*index, index.checked_sub(1)));
    let steps = std::iter::once(fan_out).chain(calls).collect();
    let rows: Vec<usize> = (0..count).collect();
    (
        json!([{"name": "rows", "value_type": "array", "default": rows}]),
        steps,
    )
}

fn noop(index: usize, after: Option<usize>) -> Value {
    json!({
        "id": format!("s{index}"), "name": "Nothing", "outputs": [],
        "depends_on": ids(after.as_slice()),
        "config": {"type": "TOOL_CALL", "tool": "noop", "arguments": {}},
    })
}

fn plan(inputs: &Value, steps: &[Value]) -> String {
    json!({
        "metadata": {
            "id": "0f4c4f1e-6a3b-4d0e-8f6b-2f6a1c9d7e55", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        },
        "name": "A plan of the bench", "inputs": inputs, "config": {}, "steps": steps, "outputs": [],
    })
    .to_string()
}
