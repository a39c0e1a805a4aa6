//! The shape of a catalog file, for its JSON Schema alone: the reader is in `catalog/document`.

#![expect(dead_code, reason = "these types are only described, never made")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::policy::SandboxLimits;

/// The tools, models, languages and agents of a host.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(super) struct Catalog {
    /// The version of this format. With it, tools are allowlisted unless they say otherwise.
    #[schemars(extend("const" = 1))]
    planwright: Option<u64>,
    tools: Option<Vec<Tool>>,
    /// Absent: any model name is taken.
    models: Option<Vec<Model>>,
    /// Beside the built-in ones: python, bash, sh, javascript.
    languages: Option<BTreeMap<String, Language>>,
    agents: Option<BTreeMap<String, Agent>>,
}

/// A tool.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tool {
    /// Matched byte for byte.
    name: String,
    description: Option<String>,
    /// JSON Schema of the arguments object.
    input_schema: Option<Schema>,
    /// JSON Schema of the result.
    output_schema: Option<Schema>,
    effects: Option<Effects>,
    idempotency_key: Option<IdempotencyKey>,
    output_trust: Option<Trust>,
    /// Arguments that untrusted values should not reach.
    sensitive_arguments: Option<Vec<String>>,
    /// Arguments that are code, shell, SQL or a URL.
    code_arguments: Option<Vec<String>>,
    /// Arguments that take secrets.
    secret_arguments: Option<Vec<String>>,
    /// Calls at one time.
    #[schemars(range(min = 1))]
    max_concurrency: Option<u64>,
    #[schemars(range(min = 0))]
    timeout_secs: Option<f64>,
    allowlisted: Option<bool>,
    config: Option<Config>,
}

/// A JSON Schema.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Schema {
    Object(BTreeMap<String, Value>),
    Boolean(bool),
}

/// What a call may do to the world. What is not said is assumed the careful way.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Effects {
    read_only: Option<bool>,
    idempotent: Option<bool>,
    destructive: Option<bool>,
    open_world: Option<bool>,
}

/// Where the tool takes its idempotency key.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum IdempotencyKey {
    Word(IdempotencyWord),
    Header(Header),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum IdempotencyWord {
    None,
    Env,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Header {
    header: String,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Trust {
    Trusted,
    Untrusted,
}

/// How the host runs the tool.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Config {
    Subprocess(Subprocess),
    Http(Http),
    Mcp(Mcp),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Subprocess {
    kind: SubprocessKind,
    command: String,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    working_dir: Option<String>,
    pass_arguments: Option<PassArguments>,
    capture_status: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum SubprocessKind {
    Subprocess,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum PassArguments {
    Env,
    Stdin,
    None,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Http {
    kind: HttpKind,
    base_url: Option<String>,
    method: Option<Method>,
    /// Below `base_url`; `{argument}` stands for a value, which stays one segment.
    path_template: Option<String>,
    /// In place of both; as a whole it may be one `{argument}`.
    url: Option<String>,
    /// Absent: the arguments that stand nowhere else, where the method has no body.
    query: Option<BTreeMap<String, String>>,
    /// `${secret.NAME}` is a secret of the host.
    headers: Option<BTreeMap<String, String>>,
    /// Absent: `json` for POST, PUT and PATCH.
    body: Option<Body>,
    output: Option<HttpOutput>,
    /// Whether a status of failure is a result rather than a failure.
    capture_status: Option<bool>,
    #[schemars(range(min = 1, max = 67_108_864))]
    max_response_bytes: Option<u64>,
    #[schemars(range(min = 0, max = 20))]
    max_redirects: Option<u64>,
    /// Hosts that redirects may lead to beside the tool's own; `*.example.com` stands for every host below.
    redirect_hosts: Option<Vec<String>>,
    /// Whether a redirect may lead from https to http.
    allow_downgrade: Option<bool>,
    /// Whether servers of this machine and its networks may be called.
    allow_private: Option<bool>,
    /// Statuses that are likely to pass, beside 425, 500, 502, 503 and 504.
    #[schemars(inner(range(min = 400, max = 599)))]
    retry_statuses: Option<Vec<u64>>,
    #[schemars(range(min = 0))]
    timeout_secs: Option<f64>,
}

/// What is sent: the arguments that stand nowhere else, or what is written out here.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Body {
    Word(BodyWord),
    Json(JsonBody),
    Form(FormBody),
    Text(TextBody),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum BodyWord {
    Json,
    Form,
    None,
}

/// A text that is one `{argument}` takes the value with its type.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct JsonBody {
    json: Value,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FormBody {
    form: BTreeMap<String, String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TextBody {
    text: String,
}

/// `auto`: the body where it is JSON, else `{status, headers, body}`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum HttpOutput {
    Auto,
    Json,
    Text,
    Response,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum HttpKind {
    Http,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "UPPERCASE")]
enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

/// A tool of an MCP server; the adapter knows its own fields.
#[derive(JsonSchema)]
struct Mcp {
    kind: McpKind,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum McpKind {
    Mcp,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Model {
    name: String,
    provider: Option<String>,
    base_url: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Language {
    /// The interpreter.
    command: String,
    args: Option<Vec<String>>,
    /// Variables of the host's environment that scripts see.
    env_pass: Option<Vec<String>>,
    /// Folders that scripts may read.
    read_roots: Option<Vec<String>>,
    network: Option<bool>,
    /// Before those of the policy.
    limits: Option<SandboxLimits>,
    /// `trusted`: its scripts read only what they are handed, and are as trusted as that.
    output_trust: Option<Trust>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Agent {
    kind: AgentKind,
    /// Needed for `subprocess`.
    command: Option<String>,
    args: Option<Vec<String>>,
    /// Variables of the host that a `subprocess` is given.
    env_pass: Option<Vec<String>>,
    /// Files and folders that a `subprocess` may read beside the granted roots.
    read_roots: Option<Vec<String>>,
    /// Files and folders that a `subprocess` may read and write beside the granted roots.
    write_roots: Option<Vec<String>>,
    model: Option<String>,
    /// Whether a `subprocess` may reach the network.
    network: Option<bool>,
    /// Of a `subprocess`, before those of the policy.
    limits: Option<SandboxLimits>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum AgentKind {
    Subprocess,
    Loop,
}
