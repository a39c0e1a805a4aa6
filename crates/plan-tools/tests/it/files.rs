//! Catalog and policy files: what loads, what is refused, and where the fault is.

use std::path::PathBuf;

use plan_model::ToolName;
use plan_tools::{FileError, UnavailableReason, load_catalog, load_policy};
use plan_validate::policy::SandboxMode;
use tempfile::TempDir;

/// A folder with one file.
struct Written {
    _dir: TempDir,
    path: PathBuf,
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> Written {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Written { _dir: dir, path }
}

/// The error's text and findings, without the folder.
fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let written = file(name, bytes);
    let error = load_catalog(&written.path).expect_err("the file is refused");
    let mut text = error.to_string();
    for finding in error.findings() {
        text = format!("{text}\n{finding}");
    }
    let folder = written.path.parent().unwrap();
    let real = folder.canonicalize().unwrap();
    text.replace(&format!("{}/", real.display()), "")
        .replace(&format!("{}/", folder.display()), "")
}

const YAML: &str = "\
planwright: 1
tools:
  - name: upper
    description: Say it loud
    input_schema:
      type: object
      properties: {text: {type: string}}
      required: [text]
      additionalProperties: false
    effects: {read_only: true}
    config:
      kind: subprocess
      command: tr
      args: [a-z, A-Z]
      pass_arguments: stdin
languages:
  ruby: {command: ruby, args: [-w]}
";

#[test]
fn a_yaml_catalog_is_the_same_as_its_json() {
    let yaml = file("tools.yaml", YAML);
    let json = file(
        "tools.json",
        r#"{"planwright": 1, "tools": [{"name": "upper", "description": "Say it loud",
            "input_schema": {"type": "object", "properties": {"text": {"type": "string"}},
                             "required": ["text"], "additionalProperties": false},
            "effects": {"read_only": true},
            "config": {"kind": "subprocess", "command": "tr", "args": ["a-z", "A-Z"], "pass_arguments": "stdin"}}],
            "languages": {"ruby": {"command": "ruby", "args": ["-w"]}}}"#,
    );
    let (yaml, json) = (
        load_catalog(&yaml.path).unwrap(),
        load_catalog(&json.path).unwrap(),
    );
    let name = ToolName::new("upper").unwrap();
    let spec = |file: &plan_tools::CatalogFile| file.catalog().tool(&name).unwrap().spec.clone();
    assert_eq!(spec(&yaml), spec(&json));
    assert_eq!(yaml.catalog().languages(), json.catalog().languages());
    assert_eq!(yaml.folder(), yaml.path().parent().unwrap());
}

#[test]
fn a_name_without_a_known_ending_is_read_by_its_content() {
    assert!(load_catalog(&file("catalog", YAML).path).is_ok());
    assert!(load_catalog(&file("catalog", "\n {\"planwright\": 1}").path).is_ok());
}

#[test]
fn what_is_no_file_says_so() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(
        load_catalog(dir.path()),
        Err(FileError::NotAFile { .. })
    ));
    assert!(matches!(
        load_catalog(dir.path().join("none")),
        Err(FileError::Read { .. })
    ));
}

#[test]
fn a_file_over_the_limit_is_not_read_to_its_end() {
    let large = file("tools.yaml", vec![b'#'; 17 << 20]);
    assert!(matches!(
        load_catalog(&large.path),
        Err(FileError::TooLarge { .. })
    ));
}

#[test]
fn faults_of_yaml_have_a_line() {
    insta::assert_snapshot!(
        refusal("tools.yaml", "planwright: 1\ntools: []\ntools: []\n"),
        @"`tools.yaml` line 3, column 1: duplicate mapping key `tools` is not allowed here"
    );
    insta::assert_snapshot!(refusal("tools.yaml", "tools: [\n"), @"`tools.yaml` line 1, column 8: unclosed bracket '['");
    insta::assert_snapshot!(refusal("tools.yaml", b"\x00\xff\xfe"), @"`tools.yaml` line 1, column 2: the text is not UTF-8");
}

#[test]
fn faults_of_json_have_a_line() {
    insta::assert_snapshot!(
        refusal("tools.json", "{\"planwright\": 1,\n \"tools\": [],\n \"tools\": []}"),
        @r"
        `tools.json` has one finding
        3:2: P102 /tools: the member `tools` is there twice; the first one is at 2:2
        "
    );
    insta::assert_snapshot!(refusal("tools.json", "{\"planwright\": 1,"), @r"
    `tools.json` has one finding
    1:18: P101 /planwright: the document ends too early
    ");
    insta::assert_snapshot!(refusal("tools.json", ""), @r"
    `tools.json` has one finding
    1:1: P101 : the document ends too early
    ");
}

#[test]
fn findings_of_a_yaml_catalog_stand_at_their_lines() {
    let text = "planwright: 1\ntools:\n  - name: a\n    confg: {}\n  - name: a\n  - description: no name\n  - name: b\n    config: {kind: subprocess, comand: x}\n";
    insta::assert_snapshot!(refusal("tools.yaml", text), @r"
    `tools.yaml` has 5 findings
    4:12: P901 /tools/0/confg: the field `confg` is not known here, `config` is
    5:11: P901 /tools/1/name: two tools are called `a`; the first one is at 3:11; help: rename one of them, or take it out
    6:5: P901 /tools/2: the field `name` is missing
    8:13: P901 /tools/3/config: the field `command` is missing
    8:40: P901 /tools/3/config/comand: the field `comand` is not known here, `command` is
    ");
}

#[test]
fn an_empty_file_is_no_catalog() {
    insta::assert_snapshot!(refusal("tools.yaml", ""), @r"
    `tools.yaml` has one finding
    1:1: P901 : `null` is not an object
    ");
}

#[test]
fn tools_that_cannot_run_here_are_named() {
    let written = file(
        "tools.yaml",
        "planwright: 1\ntools:\n  - name: page\n    config: {kind: mcp, server: x}\n  - name: shell\n    config: {kind: subprocess, command: sh, args: [-c, 'echo {word}']}\n  - name: plain\n    config: {kind: subprocess, command: 'true'}\n",
    );
    let tools = load_catalog(&written.path)
        .unwrap()
        .tools(SandboxMode::Off)
        .unwrap();
    let told: Vec<String> = tools.unavailable.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    the tool `page` is of kind `mcp`, which is not available here; kinds that are: `http`, `subprocess`
    the tool `shell` puts `{word}` into a script of `sh`, where its value would run as code
    ");
    assert!(matches!(
        tools.unavailable[0].reason,
        UnavailableReason::Kind { .. }
    ));
    assert!(
        tools
            .registry
            .tool(&ToolName::new("plain").unwrap())
            .is_some()
    );
    assert!(
        tools
            .registry
            .tool(&ToolName::new("page").unwrap())
            .is_none()
    );
}

#[test]
fn a_policy_file_is_read_and_refused_alike() {
    let good = file("policy.yaml", "sandbox: {mode: best_effort}\n");
    assert_eq!(
        load_policy(&good.path).unwrap().sandbox,
        SandboxMode::BestEffort
    );
    let bad = file("policy.yaml", "sandbox: {mode: maybe}\nsandbx: {}\n");
    let error = load_policy(&bad.path).unwrap_err();
    let told: Vec<String> = error.findings().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    1:17: P902 /sandbox/mode: `maybe` is none of `required`, `best_effort`, `off`
    2:9: P902 /sandbx: the field `sandbx` is not known here, `sandbox` is
    ");
}
