//! Plans and catalogs of the tests.

use serde_json::{Value, json};

use crate::command::Folder;

pub(crate) const PLAN_ID: &str = "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90";

/// A native plan of these steps.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers write the value in place"
)]
pub(crate) fn plan(steps: Value) -> Value {
    json!({
        "metadata": {"id": PLAN_ID, "version": 1,
                     "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"},
        "name": "a plan",
        "inputs": [],
        "config": {},
        "steps": steps,
        "outputs": [],
    })
}

/// A call of a tool.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers write the value in place"
)]
pub(crate) fn tool_call(id: &str, tool: &str, arguments: Value, after: &[&str]) -> Value {
    json!({"id": id, "name": id, "config": {"type": "TOOL_CALL", "tool": tool, "arguments": arguments},
           "depends_on": after, "outputs": []})
}

/// A question that only an approval passes.
pub(crate) fn approval(id: &str, prompt: &str, after: &[&str]) -> Value {
    json!({"id": id, "name": id,
           "config": {"type": "HUMAN_INTERACTION", "prompt": prompt, "response_field": "ok", "approval_required": true},
           "depends_on": after, "outputs": [{"name": "ok", "value_type": "boolean"}]})
}

/// `say` prints its text as a result, `note` appends its text to the file `notes`, `hold` waits for the
/// reader of the named pipe `hold`, `fail` fails.
pub(crate) const CATALOG: &str = r#"
planwright: 1
tools:
  - name: say
    input_schema: {type: object, properties: {text: {type: string}}, required: [text], additionalProperties: false}
    effects: {read_only: true}
    config: {kind: subprocess, command: sh, args: [-c, 'printf "{\"said\": \"%s\"}" "$PLANWRIGHT_ARG_TEXT"']}
  - name: note
    input_schema: {type: object, properties: {text: {type: string}}, required: [text], additionalProperties: false}
    config: {kind: subprocess, command: sh, args: [-c, 'echo "$PLANWRIGHT_ARG_TEXT" >> notes']}
  - name: hold
    config: {kind: subprocess, command: sh, args: [-c, 'echo held > hold; sleep 1000']}
  - name: fail
    config: {kind: subprocess, command: sh, args: [-c, 'echo why >&2; exit 9']}
"#;

/// Writes a plan and the catalog.
pub(crate) fn prepared(steps: Value) -> Folder {
    let folder = Folder::new();
    folder.write_json("plan.json", &plan(steps));
    folder.write("tools.yaml", CATALOG);
    folder
}
