//! Tools that are programs: what they are given, and what comes of what they print.

use plan_exec::{Dispatched, Tool, ToolError, ToolOutput};
use plan_model::{IdempotencyKeySupport, ToolName, ToolSpec};
use plan_run::FailureClass;
use plan_tools::SubprocessTool;
use serde_json::{Value, json};

use crate::context::context;

fn tool(config: Value) -> SubprocessTool {
    let mut spec = ToolSpec::named(ToolName::new("t").unwrap());
    spec.config = Some(config);
    SubprocessTool::new(spec, "/").expect("the config is good")
}

/// A shell that runs `script`, given its arguments in the way that `more` says.
fn sh(script: &str, more: Value) -> SubprocessTool {
    let mut config = json!({"kind": "subprocess", "command": "sh", "args": ["-c", script]});
    if let (Value::Object(config), Value::Object(more)) = (&mut config, more) {
        config.extend(more);
    }
    tool(config)
}

async fn call(tool: &SubprocessTool, arguments: Value) -> Result<ToolOutput, ToolError> {
    let Value::Object(arguments) = arguments else {
        panic!("an object");
    };
    tool.call(arguments, &context()).await
}

#[tokio::test]
async fn one_json_object_is_the_result() {
    let tool = sh(
        r#"echo ' {"a": [1, null], "b": {"c": "d"}} '; echo said >&2"#,
        json!({}),
    );
    let output = call(&tool, json!({})).await.unwrap();
    assert_eq!(output.value, json!({"a": [1, null], "b": {"c": "d"}}));
    assert_eq!(output.stderr.as_deref(), Some("said\n"));
}

#[tokio::test]
async fn anything_else_is_text() {
    for printed in [
        "plain text",
        "[1, 2]",
        "{\"a\": 1} {\"b\": 2}",
        "{broken",
        "",
    ] {
        let tool =
            tool(json!({"kind": "subprocess", "command": "printf", "args": ["%s", "{text}"]}));
        let output = call(&tool, json!({"text": printed})).await.unwrap();
        assert_eq!(
            output.value,
            json!({"stdout": printed, "stderr": "", "exit_code": 0})
        );
    }
}

#[tokio::test]
async fn arguments_go_by_environment_under_both_names() {
    let tool = sh(
        r#"printf '%s|%s|%s' "$PLANWRIGHT_ARGS" "$PLANWRIGHT_ARG_TWO_WORDS" "$INXM_ARG_TWO_WORDS""#,
        json!({}),
    );
    let output = call(&tool, json!({"two-words": "a b", "n": 1}))
        .await
        .unwrap();
    assert_eq!(
        output.value["stdout"],
        r#"{"n":1,"two-words":"a b"}|a b|a b"#
    );
}

#[tokio::test]
async fn arguments_go_by_standard_input_as_one_line() {
    let tool = sh(
        "cat; env | grep -c ARG_ || true",
        json!({"pass_arguments": "stdin"}),
    );
    let output = call(&tool, json!({"b": "x".repeat(100_000), "a": 1}))
        .await
        .unwrap();
    let text = output.value["stdout"].as_str().unwrap();
    assert!(text.starts_with(r#"{"a":1,"b":"xxx"#), "{text:.40}");
    assert!(text.ends_with("\"}\n0\n"));
}

#[tokio::test]
async fn arguments_go_nowhere_else_where_the_tool_says_so() {
    let tool = sh(
        "cat; env | grep -c ARG || true",
        json!({"pass_arguments": "none"}),
    );
    let output = call(&tool, json!({"a": 1})).await.unwrap();
    assert_eq!(output.value["stdout"], "0\n");
}

#[tokio::test]
async fn no_shell_reads_a_value() {
    let tool = tool(json!({"kind": "subprocess", "command": "printf", "args": ["%s", "{text}"]}));
    let text = "$(id) `id` ; rm -rf / && 'x' \"y\" $HOME\n*";
    let output = call(&tool, json!({"text": text})).await.unwrap();
    assert_eq!(output.value["stdout"], text);
}

#[tokio::test]
async fn a_value_that_would_be_an_option_is_refused_before_anything_runs() {
    let tool = tool(json!({"kind": "subprocess", "command": "ls", "args": ["{path}"]}));
    let error = call(&tool, json!({"path": "--help"})).await.unwrap_err();
    assert_eq!(error.class, FailureClass::InvalidArguments);
    assert_eq!(error.dispatched, Dispatched::No);
}

#[tokio::test]
async fn what_the_host_declared_wins_over_arguments() {
    let tool = sh(
        r#"printf '%s %s' "$PLANWRIGHT_ARG_A" "$OWN""#,
        json!({"env": {"PLANWRIGHT_ARG_A": "host", "OWN": "yes"}}),
    );
    let output = call(&tool, json!({"a": "plan"})).await.unwrap();
    assert_eq!(output.value["stdout"], "host yes");
}

#[tokio::test]
async fn nothing_of_the_hosts_environment_is_inherited_but_the_path() {
    let tool = tool(json!({"kind": "subprocess", "command": "env", "pass_arguments": "none"}));
    let output = call(&tool, json!({})).await.unwrap();
    let names: Vec<&str> = output.value["stdout"]
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert_eq!(names, ["PATH"]);
}

#[tokio::test]
async fn the_idempotency_key_is_given_to_tools_that_take_one() {
    let mut spec = ToolSpec::named(ToolName::new("t").unwrap());
    spec.idempotency_key = IdempotencyKeySupport::Env;
    spec.config = Some(json!({"kind": "subprocess", "command": "sh",
        "args": ["-c", "printf '%s' \"$PLANWRIGHT_IDEMPOTENCY_KEY\""]}));
    let tool = SubprocessTool::new(spec, "/").unwrap();
    assert_eq!(
        call(&tool, json!({})).await.unwrap().value["stdout"],
        "key-1"
    );
}

#[tokio::test]
async fn another_exit_code_is_a_failure_with_the_tails() {
    let error = call(&sh("echo out; echo why >&2; exit 3", json!({})), json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.class, FailureClass::ExitStatus);
    assert_eq!(error.message, "the program ended with exit code 3");
    assert_eq!(error.stdout_tail.as_deref(), Some("out\n"));
    assert_eq!(error.stderr_tail.as_deref(), Some("why\n"));
    assert_eq!(error.details.as_deref(), Some(&json!({"exit_code": 3})));
    let error = call(&sh("kill -9 $$", json!({})), json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.message, "the program was ended by signal 9");
    assert_eq!(error.details.as_deref(), Some(&json!({"exit_code": 137})));
}

#[tokio::test]
async fn a_captured_status_is_a_result() {
    let capture = json!({"capture_status": true});
    let output = call(&sh("echo out; exit 3", capture.clone()), json!({}))
        .await
        .unwrap();
    assert_eq!(
        output.value,
        json!({"stdout": "out\n", "stderr": "", "exit_code": 3})
    );
    let output = call(
        &sh(r#"echo '{"a": 1}'; exit 3"#, capture.clone()),
        json!({}),
    )
    .await
    .unwrap();
    assert_eq!(output.value, json!({"a": 1, "exit_code": 3}));
    let own = call(&sh(r#"echo '{"exit_code": "own"}'"#, capture), json!({}))
        .await
        .unwrap();
    assert_eq!(own.value, json!({"exit_code": "own"}));
}

#[tokio::test]
async fn too_much_output_is_a_clear_failure() {
    let tool = sh("head -c 1100000 /dev/zero | tr '\\0' x", json!({}));
    let error = call(&tool, json!({})).await.unwrap_err();
    assert_eq!(error.class, FailureClass::LimitExceeded);
    insta::assert_snapshot!(error.message, @"the program printed 1100000 bytes, more than a value may have");
    assert_eq!(error.stdout_tail.unwrap().len(), 256 << 10);
}

#[tokio::test]
async fn a_missing_program_is_told_from_one_that_failed() {
    let error = call(
        &tool(json!({"kind": "subprocess", "command": "no-such-program"})),
        json!({}),
    )
    .await
    .unwrap_err();
    assert_eq!(error.class, FailureClass::MissingInterpreter);
    assert_eq!(error.dispatched, Dispatched::No);
    insta::assert_snapshot!(error.message, @"there is no program `no-such-program`");
}

#[tokio::test]
async fn a_relative_command_and_folder_are_the_catalogs() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("tool.sh");
    std::fs::write(&script, "#!/bin/sh\npwd -P\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    let mut spec = ToolSpec::named(ToolName::new("t").unwrap());
    spec.config = Some(json!({"kind": "subprocess", "command": "./tool.sh", "working_dir": "sub"}));
    let tool = SubprocessTool::new(spec, dir.path()).unwrap();
    let output = call(&tool, json!({})).await.unwrap();
    let expected = dir.path().canonicalize().unwrap().join("sub");
    assert_eq!(
        output.value["stdout"].as_str().unwrap().trim(),
        expected.to_str().unwrap()
    );
}
