//! Agents that are programs: what they are given, and what they cannot do.

use plan_exec::{AgentRunner, AgentTask, Dispatched, ToolError};
use plan_model::AgentName;
use plan_run::{AgentReport, FailureClass};
use plan_tools::{ConfigError, SubprocessAgent};
use plan_validate::{AgentKind, AgentSpec, SandboxMode};

use crate::context::context;
use crate::process::{Watch, wait_until_gone, wait_until_ready};

fn spec(command: &str, args: &[&str]) -> AgentSpec {
    let mut spec = AgentSpec::new(AgentName::new("coder").unwrap(), AgentKind::Subprocess);
    spec.command = Some(command.to_owned());
    spec.args = args.iter().map(ToString::to_string).collect();
    spec
}

/// Held as far as the machine of the tests can; what is held is tried elsewhere.
fn made(spec: &AgentSpec) -> SubprocessAgent {
    let agent = SubprocessAgent::new(spec, "/").unwrap();
    agent.sandbox(SandboxMode::BestEffort)
}

/// The report of an agent that was given an objective.
async fn run(spec: &AgentSpec, objective: &str) -> Result<AgentReport, ToolError> {
    let dir = tempfile::tempdir().unwrap();
    let cx = context().with_scratch(dir.path());
    let agent = made(spec);
    agent.run(AgentTask::new(objective, "."), &cx).await
}

#[tokio::test]
async fn an_objective_is_one_argument_whatever_is_in_it() {
    let objective = "mend it; $(rm -rf /) `x` \"quoted\"\nand more";
    let print = spec("printf", &["[%s]", "{objective}"]);
    let done = run(&print, objective).await.unwrap();
    assert_eq!(done.report, format!("[{objective}]"));
    assert_eq!(done.transcript, Some(format!("[{objective}]")));
}

#[tokio::test]
async fn without_a_place_in_its_arguments_an_objective_is_on_standard_input() {
    for objective in ["mend it", "--dangerous", "- a list\n- of things"] {
        let done = run(&spec("cat", &[]), objective).await.unwrap();
        assert_eq!(done.report, objective);
    }
    let literal = run(&spec("cat", &["--", "-"]), "--help").await.unwrap();
    assert_eq!(literal.report, "--help");
}

#[tokio::test]
async fn an_objective_never_becomes_an_option() {
    for objective in ["--version", "-n", "-"] {
        let refused = run(&spec("printf", &["{objective}"]), objective)
            .await
            .unwrap_err();
        assert_eq!(refused.class, FailureClass::InvalidArguments);
        assert_eq!(refused.dispatched, Dispatched::No);
        assert_eq!(
            refused.message,
            "the objective starts with `-` and would be taken for an option: write `--` before \
             `{objective}`, or leave it out and it goes to standard input"
        );
        let ended = run(&spec("printf", &["--", "%s", "{objective}"]), objective).await;
        assert_eq!(ended.unwrap().report, objective);
        let joined = run(&spec("printf", &["%s", "--task={objective}"]), objective).await;
        assert_eq!(joined.unwrap().report, format!("--task={objective}"));
    }
}

#[test]
fn an_objective_never_becomes_a_script() {
    let script = SubprocessAgent::new(&spec("sh", &["-c", "echo {objective}"]), "/");
    assert!(matches!(script, Err(ConfigError::ValueInScript { .. })));
    let piped = SubprocessAgent::new(&spec("sh", &[]), "/");
    assert!(matches!(piped, Err(ConfigError::ArgumentsAsScript { .. })));
    let nothing = SubprocessAgent::new(
        &AgentSpec::new(AgentName::new("a").unwrap(), AgentKind::Subprocess),
        "/",
    );
    assert!(matches!(nothing, Err(ConfigError::NoCommand)));
}

#[tokio::test]
async fn its_environment_is_what_the_catalog_passes_on() {
    let mut shows = spec("sh", &["-c", "env | sort", "agent", "{objective}"]);
    let done = run(&shows, "x").await.unwrap();
    let names = |report: &str| {
        let lines = report.lines().filter_map(|line| line.split_once('='));
        lines.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    let shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let own: Vec<_> = names(&done.report)
        .into_iter()
        .filter(|name| !shell.contains(&name.as_str()))
        .collect();
    assert_eq!(
        own,
        [
            "PATH",
            "PLANWRIGHT_ATTEMPT",
            "PLANWRIGHT_IDEMPOTENCY_KEY",
            "PLANWRIGHT_OUTPUTS",
            "PLANWRIGHT_RUN",
            "PLANWRIGHT_STEP",
            "TMPDIR"
        ]
    );
    shows.env_pass = vec!["CARGO_MANIFEST_DIR".into(), "NO_SUCH_VARIABLE".into()];
    let done = run(&shows, "x").await.unwrap();
    assert!(names(&done.report).contains(&"CARGO_MANIFEST_DIR".to_owned()));
}

#[tokio::test]
async fn it_works_in_a_folder_that_the_run_was_granted() {
    let dir = tempfile::tempdir().unwrap();
    let root = tempfile::tempdir().unwrap();
    let agent = made(&spec("pwd", &["-P"]));
    let cx = context()
        .with_scratch(dir.path())
        .with_roots(vec![root.path().to_owned()]);
    let granted = root.path().canonicalize().unwrap();
    let task = AgentTask::new("x", granted.display().to_string());
    let done = agent.run(task, &cx).await.unwrap();
    assert_eq!(done.report, granted.display().to_string());
    let refused = agent
        .run(AgentTask::new("x", "/etc"), &cx)
        .await
        .unwrap_err();
    assert_eq!(refused.class, FailureClass::RefusedByGrant);
    assert_eq!(refused.dispatched, Dispatched::No);
}

#[tokio::test]
async fn another_exit_code_is_a_failure_with_what_was_said() {
    let fails = spec(
        "sh",
        &[
            "-c",
            "echo so far; echo why >&2; exit 3",
            "agent",
            "{objective}",
        ],
    );
    let error = run(&fails, "x").await.unwrap_err();
    assert_eq!(error.class, FailureClass::ExitStatus);
    let message = &error.message;
    assert!(
        message.starts_with("the agent ended with exit code 3"),
        "{message}"
    );
    assert_eq!(error.stdout_tail.as_deref(), Some("so far\n"));
    assert_eq!(error.stderr_tail.as_deref(), Some("why\n"));
    assert_eq!(error.dispatched, Dispatched::Yes);
    let missing = run(&spec("no-such-agent", &[]), "x").await.unwrap_err();
    assert_eq!(missing.class, FailureClass::MissingInterpreter);
    assert_eq!(missing.dispatched, Dispatched::No);
}

#[tokio::test]
async fn case_46b_a_dropped_agent_leaves_no_process() {
    let watch = Watch::new();
    let dir = tempfile::tempdir().unwrap();
    let cx = context()
        .with_scratch(dir.path())
        .with_roots(vec![watch.folder()]);
    let script = watch.held_by("sleep 1000 & sleep 1000");
    let agent = spec("sh", &["-c", &script, "agent", "{objective}"]);
    let agent = made(&agent);
    let running = tokio::spawn(async move { agent.run(AgentTask::new("x", "."), &cx).await });
    let opened = tokio::task::spawn_blocking({
        let watch = watch.clone();
        move || watch.open()
    });
    let mut pipe = opened.await.unwrap();
    wait_until_ready(&mut pipe);
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    wait_until_gone(pipe);
}
