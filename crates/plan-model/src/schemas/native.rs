//! The shape of a native plan.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};

/// A plan: what it takes, the steps it makes, what it publishes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Plan {
    /// The version of the format.
    #[schemars(extend("enum" = [1, null]))]
    format: Option<u64>,
    metadata: Metadata,
    /// What a person calls the plan.
    name: String,
    /// What the plan is for.
    description: Option<String>,
    /// What a run must or may be given.
    inputs: Option<Vec<Input>>,
    /// Constants that steps read as `${conf.KEY}`.
    #[schemars(extend("propertyNames" = { "$ref": "#/$defs/Identifier" }))]
    config: Option<BTreeMap<String, Value>>,
    /// The steps; their order is also the order of ready steps.
    steps: Vec<Step>,
    /// What a finished run publishes.
    outputs: Option<Vec<PlanOutput>>,
    limits: Option<Limits>,
    /// What a failed step means for the steps that do not depend on it.
    failure_policy: Option<FailurePolicy>,
}

/// Who a plan is, and where it came from.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Metadata {
    /// The identity over all versions.
    id: Uuid,
    /// Counts from 1.
    #[schemars(range(min = 1))]
    version: u64,
    created_at: Time,
    updated_at: Time,
    /// The model that compiled it.
    compiled_by: Option<String>,
    /// What the person asked for.
    intent: Option<String>,
    parent_plan_id: Option<Uuid>,
    #[schemars(range(min = 1))]
    parent_version: Option<u64>,
    status: Option<Status>,
    /// Prose that explains the solution.
    solution_design: Option<String>,
}

/// One value that a run is given, read as `${input.NAME}`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Input {
    name: Identifier,
    description: Option<String>,
    value_type: Option<ValueType>,
    schema: Option<Schema>,
    /// Whether a run without it is refused; true unless said otherwise.
    required: Option<bool>,
    /// The value of a run that supplies none.
    default: Option<Value>,
    input_kind: Option<InputKind>,
    /// Whether the value is masked in every view.
    sensitive: Option<bool>,
}

/// One step.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step {
    id: Identifier,
    name: String,
    description: Option<String>,
    config: Config,
    /// Steps that must end first, beside those that references name.
    depends_on: Option<Vec<String>>,
    outputs: Option<Vec<Output>>,
    timeout_secs: Option<Seconds>,
    retry: Option<Retry>,
    join: Option<Join>,
    on_error: Option<OnError>,
}

/// What a step does.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
enum Config {
    /// Calls a tool.
    ToolCall {
        tool: HostName,
        /// May hold references such as `${input.NAME}` and `${step.ID.OUTPUT}`.
        arguments: Option<BTreeMap<String, Value>>,
    },
    /// Runs a script.
    #[schemars(extend("oneOf" = one_source()))]
    CodeCall {
        language: HostName,
        inline: Option<String>,
        file: Option<String>,
        args: Option<Vec<String>>,
        stdin: Option<String>,
        env: Option<BTreeMap<String, String>>,
        working_dir: Option<String>,
        timeout_secs: Option<Seconds>,
    },
    /// Asks a model once.
    PromptCall {
        model: HostName,
        system_prompt: Option<String>,
        user_prompt: String,
        output_field: HostName,
        output_schema: Option<Schema>,
        max_tokens: Option<u64>,
        temperature: Option<f64>,
    },
    /// Hands an objective to an agent.
    AgentCall {
        objective: String,
        working_dir: String,
        agent: Option<HostName>,
        /// The tools that the agent may call; none unless said otherwise.
        tools: Option<Vec<HostName>>,
        max_turns: Option<u64>,
        timeout_secs: Option<Seconds>,
    },
    /// Asks a person.
    HumanInteraction {
        prompt: String,
        response_field: HostName,
        approval_required: Option<bool>,
        on_reject: Option<OnReject>,
    },
    /// Chooses a branch.
    Condition {
        expression: String,
        true_steps: Option<Vec<String>>,
        false_steps: Option<Vec<String>>,
    },
    /// Runs steps once for each item of a list.
    FanOut {
        /// `STEP.OUTPUT` or a reference.
        over: String,
        item_var: Identifier,
        spawn_steps: Vec<String>,
        until: Option<String>,
        max_parallel: Option<u64>,
        on_item_error: Option<OnItemError>,
    },
    /// Collects outputs into a list.
    FanIn {
        from_steps: Vec<String>,
        collect_field: HostName,
    },
}

/// Exactly one of `inline` and `file` is there; null is absence.
fn one_source() -> Value {
    json!([
        { "required": ["inline"], "properties": { "inline": { "type": "string" }, "file": { "type": "null" } } },
        { "required": ["file"], "properties": { "file": { "type": "string" }, "inline": { "type": "null" } } }
    ])
}

/// One value that a step delivers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Output {
    name: HostName,
    description: Option<String>,
    value_type: Option<ValueType>,
    schema: Option<Schema>,
}

/// One value that a finished run publishes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlanOutput {
    name: HostName,
    description: Option<String>,
    /// Exactly one reference to a step, such as `${step.ID.OUTPUT}`.
    source: String,
}

/// How a failed attempt is repeated.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Retry {
    /// All attempts, the first included.
    max_attempts: u64,
    delay_secs: Seconds,
    backoff: Option<bool>,
    max_delay_secs: Option<Seconds>,
    jitter: Option<bool>,
    retry_on: Option<Vec<RetryClass>>,
}

/// The most that a run may use.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Limits {
    max_tool_calls: Option<u64>,
    max_model_tokens: Option<u64>,
    max_wall_secs: Option<Seconds>,
    max_concurrency: Option<u64>,
    max_fan_out_items: Option<u64>,
    max_steps: Option<u64>,
}

/// A letter or `_`, then letters, digits, `_` and `-`, at most 64; no reserved word.
#[derive(JsonSchema)]
#[schemars(
    extend("pattern" = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"),
    extend("not" = { "enum": crate::id::RESERVED })
)]
struct Identifier(String);

/// Any text without control characters, up to 256 bytes.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[^\\p{Cc}]{1,256}$"))]
pub(super) struct HostName(String);

#[derive(JsonSchema)]
#[schemars(extend("format" = "uuid"))]
struct Uuid(String);

#[derive(JsonSchema)]
#[schemars(extend("format" = "date-time"))]
struct Time(String);

/// Seconds from 0, with at most three decimals.
#[derive(JsonSchema)]
#[schemars(extend("minimum" = 0))]
struct Seconds(f64);

/// A JSON Schema.
#[derive(JsonSchema)]
#[schemars(extend("type" = ["object", "boolean"]))]
struct Schema(Value);

macro_rules! words {
    ($($name:ident: $($value:ident)+;)+) => {$(
        #[derive(JsonSchema)]
        #[schemars(rename_all = "snake_case")]
        enum $name { $($value),+ }
    )+};
}

words! {
    ValueType: String Number Integer Boolean Object Array Any;
    InputKind: Value FilePath OutputFilePath DirectoryPath;
    Status: Draft Published;
    FailurePolicy: Stop FinishIndependent;
    Join: All Any Settled;
    OnError: Fail Continue;
    OnReject: Cancel Continue;
    OnItemError: Fail Collect;
    RetryClass: Transient RateLimited Timeout Auth Permission NotFound EndpointDown ExitStatus
        OutputContract ModelRefused ModelTruncated;
}
