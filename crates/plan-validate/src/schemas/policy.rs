//! The shape of a policy file, for its JSON Schema alone: the reader is in `policy/document`.

#![expect(dead_code, reason = "these types are only described, never made")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

/// What a host allows plans to do. What is left out is unrestricted.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(super) struct Policy {
    /// The version of this format.
    #[schemars(extend("const" = 1))]
    planwright: Option<u64>,
    #[schemars(extend("type" = "array"))]
    tools: Option<Vec<String>>,
    #[schemars(extend("type" = "array"))]
    models: Option<Vec<String>>,
    #[schemars(extend("type" = "array"))]
    languages: Option<Vec<String>>,
    #[schemars(extend("type" = "array"))]
    agents: Option<Vec<String>>,
    #[schemars(extend("type" = "array"))]
    secrets: Option<Vec<String>>,
    /// Absolute folders; `[]`: none beside the run's own.
    #[schemars(extend("type" = "array"))]
    roots: Option<Vec<String>>,
    /// For each tool and argument what it may be.
    arguments: Option<BTreeMap<String, BTreeMap<String, Rule>>>,
    limits: Option<Limits>,
    /// For each code or name of a rule its severity. Errors stay errors.
    severities: Option<BTreeMap<String, Severity>>,
    require_approval: Option<RequireApproval>,
    /// What an untrusted value in a sensitive argument means.
    untrusted: Option<Untrusted>,
    /// What is untrusted beside the outputs of tools, scripts and agents.
    untrusted_sources: Option<Vec<UntrustedSource>>,
    sandbox: Option<Sandbox>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Rule {
    Any(Any),
    Exact(Exact),
    OneOf(OneOf),
    Range(RangeRule),
    Subpath(Subpath),
    Url(UrlRule),
    Schema(SchemaRule),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Any {
    Any,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Exact {
    exact: Value,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct OneOf {
    #[schemars(length(min = 1))]
    one_of: Vec<Value>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RangeRule {
    range: Range,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Range {
    min: Option<f64>,
    max: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Subpath {
    /// An absolute folder.
    subpath: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct UrlRule {
    url: Url,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Url {
    #[schemars(length(min = 1), inner(regex(pattern = "^[A-Za-z][A-Za-z0-9+.-]*$")))]
    schemes: Vec<String>,
    /// `*.example.com` stands for every host below.
    #[schemars(
        length(min = 1),
        inner(regex(pattern = r"^(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$"))
    )]
    hosts: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SchemaRule {
    schema: Schema,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Schema {
    Object(BTreeMap<String, Value>),
    Boolean(bool),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the file has these names")]
struct Limits {
    max_tool_calls: Option<u64>,
    max_model_tokens: Option<u64>,
    #[schemars(range(min = 0))]
    max_wall_secs: Option<f64>,
    #[schemars(range(min = 1))]
    max_concurrency: Option<u64>,
    max_fan_out_items: Option<u64>,
    max_steps: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Severity {
    Error,
    Warning,
    Note,
    Off,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RequireApproval {
    effects: Option<Vec<Effect>>,
    tools: Option<Vec<String>>,
    /// What it means where no approval step of the plan gives it; `ask` unless said otherwise.
    without: Option<Unapproved>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Unapproved {
    Ask,
    Deny,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Effect {
    Write,
    Destructive,
    OpenWorld,
    Code,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Untrusted {
    Ask,
    Deny,
    Allow,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum UntrustedSource {
    Inputs,
    Answers,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sandbox {
    mode: Option<Mode>,
    /// Bounds on what scripts and agents use, where their language or agent has none of its own.
    limits: Option<SandboxLimits>,
}

/// Bounds on what each process of a script or an agent uses.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SandboxLimits {
    /// Seconds of processor time: 3,600.
    #[schemars(range(min = 1))]
    cpu_secs: Option<u64>,
    /// Mebibytes of memory: 2,048.
    #[schemars(range(min = 1))]
    memory_mib: Option<u64>,
    /// Mebibytes of each file that is written: 4,096.
    #[schemars(range(min = 1))]
    file_mib: Option<u64>,
    /// Files that are open at once: 1,024.
    #[schemars(range(min = 1))]
    open_files: Option<u64>,
    /// Processes and threads beside those that the system has already: 4,096.
    #[schemars(range(min = 1))]
    processes: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Mode {
    Required,
    BestEffort,
    Off,
}
