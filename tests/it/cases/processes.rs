//! Runs whose work is in real processes.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use planwright::run::{Effect, FailureClass};
use planwright::{PrincipalName, RunStatus};
use serde_json::{Value, json};

use super::host::{Host, sh, statuses, step, with};

fn no_tools() -> Value {
    json!({"planwright": 1, "tools": []})
}

/// A subprocess tool that takes text on standard input.
#[expect(
    clippy::needless_pass_by_value,
    reason = "tests write the arguments in place"
)]
fn tool(name: &str, command: &str, args: Value) -> Value {
    json!({
        "name": name, "effects": {"read_only": true},
        "config": with(json!({"kind": "subprocess", "command": command}), json!({"args": args})),
    })
}

#[tokio::test]
async fn case_26_five_scripts_that_wait_for_each_other_all_end() {
    let host = Host::new(&no_tools());
    let meet = host.folder.path().join("meet");
    std::fs::create_dir(&meet).unwrap();
    // each goes on once all five are there, so one after another they would never end
    let script = "touch \"$1/$2\"; while [ \"$(ls \"$1\" | wc -l)\" -lt 5 ]; do sleep 0.01; done";
    let steps: Vec<Value> = (0..5)
        .map(|at| {
            let args = json!({"args": [meet.display().to_string(), format!("{at}")]});
            let mut step = with(sh(&format!("s{at}"), script), json!({"timeout_secs": 60}));
            step["config"] = with(step["config"].clone(), args);
            step
        })
        .collect();
    let record = host.run(&steps).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
}

#[tokio::test]
async fn case_27_a_program_that_fails_dies_or_is_gone_is_a_failed_step() {
    let catalog = json!({"planwright": 1, "tools": [
        tool("fails", "sh", json!(["-c", "echo why >&2; exit 3"])),
        tool("dies", "sh", json!(["-c", "kill -9 $$"])),
        tool("gone", "/no/such/program", json!([])),
        tool("after", "sh", json!(["-c", "echo {}"])),
    ]});
    let host = Host::new(&catalog);
    for (name, class, said) in [
        ("fails", FailureClass::ExitStatus, "3"),
        ("dies", FailureClass::ExitStatus, "signal"),
        ("gone", FailureClass::MissingInterpreter, "/no/such/program"),
    ] {
        let after = step("b", "TOOL_CALL", json!({"tool": "after", "arguments": {}}));
        let record = host
            .run(&[
                step("a", "TOOL_CALL", json!({"tool": name, "arguments": {}})),
                with(after, json!({"depends_on": ["a"]})),
            ])
            .await;
        assert_eq!(record.status(), RunStatus::Failed, "{name}");
        let failure = record.failure().unwrap();
        assert_eq!(failure.class, class, "{name}: {}", failure.message);
        assert!(failure.message.contains(said), "{}", failure.message);
        assert_eq!(statuses(&record), "a failed, b skipped", "{name}");
    }
}

#[tokio::test]
async fn case_31_a_script_with_much_input_ends_or_is_told_why_not() {
    let host = Host::new(&no_tools());
    let megabyte = "x".repeat(1 << 20);
    let stdin = |id: &str, inline: &str| {
        let mut step = with(sh(id, inline), json!({"timeout_secs": 3}));
        step["config"]["stdin"] = json!(megabyte);
        step
    };
    let began = Instant::now();
    let record = host.run(&[stdin("echo", "cat")]).await;
    assert!(began.elapsed() < Duration::from_secs(30));
    match record.failure() {
        None => assert_eq!(record.status(), RunStatus::Succeeded),
        // what is printed has a bound, and the machine may be slow
        Some(failure) => assert!(
            [FailureClass::LimitExceeded, FailureClass::Timeout].contains(&failure.class),
            "{failure:?}"
        ),
    }
    let record = host.run(&[stdin("deaf", "exit 0")]).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );

    let mut long = sh("long", "echo \"${#1}\"");
    long["config"]["args"] = json!(["x".repeat(200_000)]);
    let record = host.run(&[long]).await;
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::InvalidArguments, "{failure:?}");
    assert_eq!(failure.effect, Effect::None);
    assert!(
        failure.message.contains("200000") || failure.message.contains("131072"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn case_31_a_script_that_never_ends_is_over_at_its_time() {
    let host = Host::new(&no_tools());
    let endless = with(
        sh("endless", "echo begun; sleep 1000"),
        json!({"timeout_secs": 1}),
    );
    let began = Instant::now();
    let record = host.run(&[endless]).await;
    assert!(began.elapsed() >= Duration::from_secs(1));
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
}

/// Waits until a process holds the pipe open, and gives its reading end.
async fn held(pipe: &Path) -> BufReader<std::fs::File> {
    let pipe = pipe.to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let mut pipe = BufReader::new(std::fs::File::open(pipe).unwrap());
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        pipe
    });
    opened.await.unwrap()
}

#[tokio::test]
async fn case_41_cancelling_ends_scripts_programs_and_agents_with_all_that_they_started() {
    // a child in the background, and one that ignores what it is politely told
    let script = |pipe: &Path| {
        format!(
            "exec 9>'{}'; trap '' TERM; echo ready >&9; sleep 1000 & (trap '' TERM; sleep 1000)",
            pipe.display()
        )
    };
    for kind in ["CODE_CALL", "TOOL_CALL", "AGENT_CALL"] {
        let pipes = tempfile::tempdir().unwrap();
        let pipe = pipes.path().join("alive");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let run = script(&pipe);
        let catalog = json!({
            "planwright": 1,
            "tools": [tool("t", "sh", json!(["-c", run]))],
            "agents": {"coder": {"kind": "subprocess", "command": "sh", "args": ["-c", run, "agent", "{objective}"]}},
        });
        let host = Host::new(&catalog);
        let stuck = match kind {
            "CODE_CALL" => sh("stuck", &run),
            "TOOL_CALL" => step("stuck", kind, json!({"tool": "t", "arguments": {}})),
            _ => step(
                "stuck",
                kind,
                json!({"objective": "mend it", "agent": "coder", "working_dir": ".", "tools": []}),
            ),
        };
        let later = with(sh("later", "exit 1"), json!({"depends_on": ["stuck"]}));
        let plan = host.check(&super::host::plan(&[stuck, later], json!({})));
        let executor = host.executor().grace(Duration::from_millis(100));
        let run = executor
            .start(plan, planwright::exec::Inputs::none())
            .await
            .unwrap();
        let mut pipe = held(&pipe).await;
        run.cancel(PrincipalName::new("ada").unwrap(), "enough")
            .await
            .unwrap();
        let record = run.wait().await.unwrap();
        assert_eq!(record.status(), RunStatus::Cancelled, "{kind}");
        assert_eq!(
            statuses(&record),
            "stuck cancelled, later skipped",
            "{kind}"
        );
        // the pipe ends only when nobody holds it any more
        let ended = tokio::task::spawn_blocking(move || pipe.read_to_string(&mut String::new()));
        ended.await.unwrap().unwrap();
    }
}
