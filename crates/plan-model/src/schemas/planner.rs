//! The shape of a planner's list.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::native::HostName;

/// What an agent's planner emits: tool calls in the order in which they follow each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct PlannerList {
    /// What the plan is to reach.
    objective: Option<String>,
    /// Who planned; not read.
    planner: Option<Value>,
    /// What the planner said of risks; not read.
    risk: Option<Value>,
    steps: Vec<Step>,
}

/// One call of one tool.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step {
    /// What `after` and references call the step: printable text; `step_N` unless said otherwise.
    name: Option<Name>,
    tool: HostName,
    /// May hold references such as `${step.NAME.OUTPUT}`.
    args: Option<BTreeMap<String, Value>>,
    after: Option<After>,
    description: Option<String>,
}

/// Printable text of at most 256 bytes without blanks at its ends; blank is absence.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^(\\s*|\\S|\\S[^\\p{Cc}]{0,254}\\S)$"))]
struct Name(String);

/// Names of the steps that end first: `[]` is none, and absence is the step before.
#[derive(JsonSchema)]
#[schemars(extend("anyOf" = after()))]
struct After(Value);

fn after() -> Value {
    let name = json!({ "type": "string", "pattern": "\\S" });
    json!([name, { "type": "array", "items": name }])
}
