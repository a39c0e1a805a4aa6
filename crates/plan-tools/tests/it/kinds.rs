//! Kinds of tools that a host adds.

use std::sync::Arc;

use plan_exec::{Tool, ToolContext, ToolError, ToolOutput};
use plan_model::{ToolName, ToolSpec};
use plan_tools::{
    CatalogEntry, EntryRefused, ToolKind, ToolKinds, UnavailableReason, load_catalog,
};
use plan_validate::policy::SandboxMode;
use serde_json::{Map, Value, json};

use crate::context::context;

/// `kind: echo`, with what it says.
#[derive(Debug)]
struct EchoKind;

#[derive(Debug)]
struct Echo {
    spec: ToolSpec,
    word: String,
}

impl ToolKind for EchoKind {
    fn word(&self) -> &'static str {
        "echo"
    }

    fn make(&self, entry: &CatalogEntry<'_>) -> Result<Arc<dyn Tool>, EntryRefused> {
        let config = entry
            .config()
            .ok_or_else(|| EntryRefused::new(["has no `config`"]))?;
        let member = |name: &str| config.get(name).and_then(Value::as_str);
        let missing: Vec<String> = ["word", "place"]
            .iter()
            .filter(|name| member(name).is_none())
            .map(|name| format!("has no `{name}` in its `config`"))
            .collect();
        match member("word") {
            Some(word) if missing.is_empty() => Ok(Arc::new(Echo {
                spec: entry.spec().clone(),
                word: format!(
                    "{word} from {} in {}",
                    entry.name(),
                    entry.folder().is_absolute()
                ),
            })),
            _ => Err(EntryRefused::new(missing)),
        }
    }
}

#[async_trait::async_trait]
impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: Map<String, Value>, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(json!(self.word).into())
    }
}

fn written(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tools.yaml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

const CATALOG: &str = "planwright: 1\ntools:\n  - {name: good, config: {kind: echo, word: hello, place: here}}\n  - {name: bad, config: {kind: echo}}\n  - {name: far, config: {kind: mcp, server: x}}\n";

#[tokio::test]
async fn a_host_adds_a_kind() {
    let (_folder, path) = written(CATALOG);
    let file = ToolKinds::built_in()
        .with(EchoKind)
        .load_catalog(&path)
        .unwrap();
    let tools = file.tools(SandboxMode::Off).unwrap();
    let good = tools
        .registry
        .tool(&ToolName::new("good").unwrap())
        .unwrap();
    let said = good.call(Map::new(), &context()).await.unwrap();
    assert_eq!(said.value, json!("hello from good in true"));
    let told: Vec<String> = tools.unavailable.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    the tool `bad` has no `word` in its `config`; has no `place` in its `config`
    the tool `far` is of kind `mcp`, which is not available here; kinds that are: `echo`, `http`, `subprocess`
    ");
    assert!(matches!(
        tools.unavailable[0].reason,
        UnavailableReason::Entry(_)
    ));
}

#[test]
fn a_kind_that_nobody_added_is_a_finding_that_names_the_others() {
    let (_folder, path) = written(CATALOG);
    let told = |error: plan_tools::FileError| {
        let findings: Vec<String> = error.findings().iter().map(ToString::to_string).collect();
        findings.join("\n")
    };
    insta::assert_snapshot!(told(load_catalog(&path).unwrap_err()), @r"
    3:33: P901 /tools/0/config/kind: `echo` is none of `subprocess`, `http`, `mcp`
    4:32: P901 /tools/1/config/kind: `echo` is none of `subprocess`, `http`, `mcp`
    ");
    let (_folder, path) = written("planwright: 1\ntools:\n  - {name: a, config: {kind: ecko}}\n");
    let file = ToolKinds::built_in().with(EchoKind).load_catalog(&path);
    insta::assert_snapshot!(told(file.unwrap_err()), @"3:30: P901 /tools/0/config/kind: `ecko` is none of `subprocess`, `http`, `mcp`, `echo`");
}
