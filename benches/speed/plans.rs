//! Plans of any size.

use serde_json::{Value, json};

/// A plan of `steps` steps, a fifth of them conditions: groups of four calls in a chain and a condition on the last.
pub(crate) fn mixed(steps: usize) -> String {
    let rows: Vec<Value> = (0..steps)
        .map(|index| {
            let before = index.checked_sub(1);
            if index % 5 == 4 {
                json!({
                    "id": format!("s{index}"), "name": format!("Is it enough? {index}"),
                    "depends_on": [format!("s{}", index - 1)], "outputs": [],
                    "config": {
                        "type": "CONDITION",
                        "expression": format!("step.s{}.count > 5 && step.s{}.title != \"none\"", index - 1, index - 1),
                        "true_steps": [], "false_steps": [],
                    },
                })
            } else {
                let reads = before.filter(|before| before % 5 != 4);
                let title = reads.map_or_else(|| json!("first"), |step| json!(format!("${{step.s{step}.title}}")));
                json!({
                    "id": format!("s{index}"), "name": format!("Work {index}"), "description": "One of many calls.",
                    "depends_on": before.map(|before| format!("s{before}")).into_iter().collect::<Vec<_>>(),
                    "outputs": [{"name": "title", "value_type": "string"}, {"name": "count", "value_type": "integer"}],
                    "config": {
                        "type": "TOOL_CALL", "tool": "work",
                        "arguments": {"title": title, "amount": index, "label": "a label of some length"},
                    },
                    "timeout_secs": 30,
                })
            }
        })
        .collect();
    plan(&rows)
}

/// Each step after the one before it.
pub(crate) fn chain(steps: usize) -> String {
    plan(
        &(0..steps)
            .map(|index| noop(index, index.checked_sub(1)))
            .collect::<Vec<_>>(),
    )
}

/// Every step after the first one alone.
pub(crate) fn fan(steps: usize) -> String {
    plan(
        &(0..steps)
            .map(|index| noop(index, (index > 0).then_some(0)))
            .collect::<Vec<_>>(),
    )
}

fn noop(index: usize, after: Option<usize>) -> Value {
    json!({
        "id": format!("s{index}"), "name": "Nothing", "outputs": [],
        "depends_on": after.map(|after| format!("s{after}")).into_iter().collect::<Vec<_>>(),
        "config": {"type": "TOOL_CALL", "tool": "noop", "arguments": {}},
    })
}

fn plan(steps: &[Value]) -> String {
    json!({
        "metadata": {
            "id": "0f4c4f1e-6a3b-4d0e-8f6b-2f6a1c9d7e55", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        },
        "name": "A plan of the bench", "inputs": [], "config": {}, "steps": steps, "outputs": [],
    })
    .to_string()
}
