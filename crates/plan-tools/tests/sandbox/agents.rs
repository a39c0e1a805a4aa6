//! Agents that are programs, held as scripts are.

use std::net::TcpListener;

use plan_exec::{AgentRunner, AgentTask, Dispatched, ToolError};
use plan_model::AgentName;
use plan_run::{AgentReport, FailureClass, Restraint};
use plan_tools::SubprocessAgent;
use plan_tools::process::Support;
use plan_validate::policy::{SandboxMode, SandboxPolicy};
use plan_validate::{AgentKind, AgentSpec};

use crate::cases::Lab;

/// An agent that runs a shell script of its own.
fn agent(script: &str) -> AgentSpec {
    let mut spec = AgentSpec::new(AgentName::new("coder").unwrap(), AgentKind::Subprocess);
    spec.command = Some("bash".to_owned());
    spec.args = ["-c", script, "coder", "--", "{max_turns}"]
        .map(str::to_owned)
        .to_vec();
    spec
}

async fn run_on(
    support: Support,
    sandbox: impl Into<SandboxPolicy>,
    lab: &Lab,
    spec: &AgentSpec,
) -> Result<AgentReport, ToolError> {
    let agent = SubprocessAgent::new(spec, "/").unwrap();
    let cx = lab.context();
    agent
        .sandbox(sandbox)
        .on(support)
        .run(AgentTask::new("do it", "."), &cx)
        .await
}

async fn run(lab: &Lab, spec: &AgentSpec) -> Result<AgentReport, ToolError> {
    run_on(Support::of_this_system(), SandboxMode::Required, lab, spec).await
}

pub(crate) async fn an_agent_is_held_as_a_script_is() {
    let lab = Lab::new();
    let secret = lab.secret();
    let secret = secret.display();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for script in [
        format!("cat {secret}"),
        format!("echo x > {secret}"),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
        "ls /".to_owned(),
    ] {
        let failed = run(&lab, &agent(&script)).await.unwrap_err();
        assert_eq!(failed.class, FailureClass::ExitStatus, "{script}");
        assert!(!failed.stdout_tail.unwrap_or_default().contains("canary"));
    }
    assert_eq!(std::fs::read_to_string(lab.secret()).unwrap(), "canary");
    let spec = agent("cat > mine; cat mine; echo $TMPDIR > $TMPDIR/x; ls $TMPDIR");
    assert_eq!(run(&lab, &spec).await.unwrap().report, "do itx");
}

pub(crate) async fn an_agent_is_given_more_on_purpose() {
    let lab = Lab::new();
    let folder = lab.folder.path().join("state");
    std::fs::create_dir(&folder).unwrap();
    let secret = lab.secret().display().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "cat {secret}; echo -n kept > {0}/it; cat {0}/it; exec 3<>/dev/tcp/127.0.0.1/{port}; echo -n in; ! echo x > {secret}",
        folder.display()
    );
    let mut spec = agent(&script);
    spec.read_roots = vec![secret];
    spec.write_roots = vec![folder.display().to_string()];
    spec.network = true;
    assert_eq!(run(&lab, &spec).await.unwrap().report, "canarykeptin");
}

pub(crate) async fn an_agent_is_held_to_the_bounds_of_its_entry() {
    let lab = Lab::new();
    let mut spec = agent("ulimit -t; ulimit -n");
    spec.limits.cpu_secs = Some(9);
    let done = run_on(
        Support::of_this_system(),
        SandboxMode::BestEffort,
        &lab,
        &spec,
    );
    assert_eq!(done.await.unwrap().report, "9\n1024");
}

pub(crate) async fn a_kernel_that_cannot_hold_an_agent_does_not_run_it_where_a_sandbox_is_required()
{
    let lab = Lab::new();
    let spec = agent("echo ran | tee ran");
    let on = |mode| run_on(Support::none(), mode, &lab, &spec);
    let refused = on(SandboxMode::Required).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::Permission);
    assert_eq!(refused.dispatched, Dispatched::No);
    assert!(!lab.folder.path().join("scratch/ran").exists());
    assert_eq!(on(SandboxMode::BestEffort).await.unwrap().report, "ran");
    assert_eq!(on(SandboxMode::Off).await.unwrap().report, "ran");
    let held = SubprocessAgent::available(&spec, SandboxMode::BestEffort).unwrap();
    assert_eq!(
        held.held.contains(&Restraint::Files),
        Support::of_this_system().files()
    );
}
