//! Scripts: where they run, what they see, and what keeps them from running.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_exec::{CodeOutput, CodeRequest, CodeRunner, Dispatched, ScriptSource, ToolError};
use plan_model::LanguageName;
use plan_run::FailureClass;
use plan_tools::ProcessCodeRunner;
use plan_validate::ToolCatalog;
use plan_validate::policy::SandboxMode;

use crate::context::context;

fn script(language: &str, text: &str) -> CodeRequest {
    CodeRequest {
        language: LanguageName::new(language).unwrap(),
        source: ScriptSource::Inline(text.to_owned()),
        args: Vec::new(),
        stdin: None,
        env: BTreeMap::new(),
        working_dir: None,
        timeout: None,
    }
}

async fn run(code: CodeRequest) -> Result<CodeOutput, ToolError> {
    run_in(SandboxMode::Off, code).await
}

async fn run_in(sandbox: SandboxMode, code: CodeRequest) -> Result<CodeOutput, ToolError> {
    let dir = tempfile::tempdir().unwrap();
    let cx = context().with_scratch(dir.path());
    let runner = ProcessCodeRunner::new(&ToolCatalog::default().with_built_in_languages(), sandbox);
    let output = runner.run(code, &cx).await;
    let left = std::fs::read_dir(dir.path().join(".scripts"))
        .map(Iterator::count)
        .unwrap_or_default();
    assert_eq!(left, 0, "the script's file is removed");
    output
}

#[tokio::test]
async fn every_built_in_language_runs() {
    for (language, text) in [
        ("python", "print('hi')"),
        ("py", "print('hi')"),
        ("bash", "[[ a == a ]] && echo hi"),
        ("sh", "echo hi"),
        ("shell", "echo hi"),
        ("javascript", "console.log('hi')"),
        ("node", "console.log('hi')"),
    ] {
        let output = run(script(language, text)).await.unwrap();
        assert_eq!(
            (output.stdout.as_str(), output.exit_code),
            ("hi\n", 0),
            "{language}"
        );
    }
}

#[tokio::test]
async fn arguments_input_and_environment_arrive() {
    let mut code = script("sh", r#"printf '%s|%s|' "$1" "$VAR"; cat"#);
    code.args = vec!["-x $(id)".to_owned()];
    code.stdin = Some("text".to_owned());
    code.env.insert("VAR".to_owned(), "value".to_owned());
    assert_eq!(run(code).await.unwrap().stdout, "-x $(id)|value|text");
}

#[tokio::test]
async fn a_script_is_on_no_command_line() {
    let code = script("sh", "# canary-7f3a\ncat /proc/$$/cmdline | tr '\\0' ' '");
    let line = run(code).await.unwrap().stdout;
    assert!(!line.contains("canary"), "{line}");
}

#[tokio::test]
async fn another_exit_code_is_a_result_of_the_runner() {
    let output = run(script("sh", "echo out; echo err >&2; exit 7"))
        .await
        .unwrap();
    assert_eq!(output.exit_code, 7);
    assert_eq!(output.stderr, "err\n");
    assert_eq!(
        run(script("sh", "kill -9 $$")).await.unwrap().exit_code,
        137
    );
}

#[tokio::test]
async fn a_script_runs_in_the_scratch_folder() {
    let output = run(script("sh", "echo x > made; ls")).await.unwrap();
    assert_eq!(output.stdout, "made\n");
}

#[tokio::test]
async fn case_07_a_working_directory_outside_is_refused() {
    for path in ["/etc", "../..", "sub/../../../etc", "/"] {
        let mut code = script("sh", "pwd");
        code.working_dir = Some(path.to_owned());
        let error = run(code).await.unwrap_err();
        assert!(
            matches!(
                error.class,
                FailureClass::RefusedByGrant | FailureClass::NotFound
            ),
            "{path}: {error:?}"
        );
        assert_eq!(error.dispatched, Dispatched::No);
    }
}

#[tokio::test]
async fn a_script_file_outside_is_refused() {
    let mut code = script("sh", "");
    code.source = ScriptSource::File("/etc/passwd".to_owned());
    let error = run(code).await.unwrap_err();
    assert_eq!(error.class, FailureClass::RefusedByGrant);
    insta::assert_snapshot!(error.message, @"the script `/etc/passwd` is outside of what the run was granted; a directory input or `roots` of the policy would grant it");
}

#[tokio::test]
async fn a_link_out_of_the_scratch_folder_leads_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc", dir.path().join("link")).unwrap();
    let cx = context().with_scratch(dir.path());
    let runner = ProcessCodeRunner::new(
        &ToolCatalog::default().with_built_in_languages(),
        SandboxMode::Off,
    );
    let mut code = script("sh", "pwd");
    code.working_dir = Some("link".to_owned());
    let error = runner.run(code, &cx).await.unwrap_err();
    assert_eq!(error.class, FailureClass::RefusedByGrant);
}

#[tokio::test]
async fn case_31_a_script_past_its_time_is_killed_and_its_output_kept() {
    let mut code = script("sh", "echo begun; sleep 1000 & sleep 1000");
    code.timeout = Some(Duration::from_millis(500));
    let error = run(code).await.unwrap_err();
    assert_eq!(error.class, FailureClass::Timeout);
    assert_eq!(error.dispatched, Dispatched::Yes);
}

#[tokio::test]
async fn a_language_without_its_interpreter_says_so() {
    let error = run(script("cobol", "DISPLAY 'HI'.")).await.unwrap_err();
    assert_eq!(error.class, FailureClass::MissingInterpreter);
    insta::assert_snapshot!(error.message, @"the catalog has no language `cobol`");
}
