//! Tools that are servers: what they are sent, where calls go, and what comes of answers.

mod answers;
mod configs;
mod failures;
mod places;
mod redirects;
mod requests;
mod runs;

use std::sync::Arc;

use plan_exec::{Tool, ToolError};
use plan_model::{ToolName, ToolSpec};
use plan_tools::{ConfigError, HostLookup, HttpTool};
use serde_json::{Map, Value};

use crate::context::context;

/// The specification of a tool with this config, and whatever members `more` has of those of `config`.
fn spec(config: Value, more: Value) -> ToolSpec {
    let mut members = object(config);
    members.insert("kind".to_owned(), "http".into());
    members.extend(object(more));
    let mut spec = ToolSpec::named(ToolName::new("t").unwrap());
    spec.config = Some(Value::Object(members));
    spec
}

/// A tool that may call this machine.
fn tool(config: Value) -> HttpTool {
    let local = serde_json::json!({"allow_private": true});
    HttpTool::new(spec(config, local)).expect("the config is good")
}

/// As [`tool`], for which every host is what `lookup` says.
fn tool_with(config: Value, lookup: Arc<dyn HostLookup>) -> HttpTool {
    tool(config).with_lookup(lookup)
}

fn refused(config: Value) -> ConfigError {
    HttpTool::new(spec(config, Value::Object(Map::new()))).expect_err("the config is refused")
}

async fn call(tool: &HttpTool, arguments: Value) -> Result<Value, ToolError> {
    let output = tool.call(object(arguments), &context()).await?;
    Ok(output.value)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is not an object"),
    }
}
