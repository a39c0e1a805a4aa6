//! The plan of the suite: one agent, in the run's own folder.

use serde_json::{Value, json};

/// A plan with an agent that has this objective and may call `look`.
pub(super) fn task(objective: &str, more: Value) -> Value {
    let mut config = json!({
        "type": "AGENT_CALL", "agent": "it", "objective": objective, "working_dir": ".",
        "tools": ["look"],
    });
    if let (Some(config), Value::Object(more)) = (config.as_object_mut(), more) {
        config.extend(more);
    }
    json!({
        "metadata": {
            "id": "6a0f4a4e-3f0e-4f6c-9a53-0f3c4d0f6a11", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        },
        "name": "an agent at work",
        "steps": [{"id": "work", "name": "work", "config": config}],
        "outputs": [{"name": "report", "source": "${step.work.report}"}],
    })
}
