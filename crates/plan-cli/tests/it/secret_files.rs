//! `--secrets`: a file or a folder in place of the environment.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::command::{Ended, Folder};
use crate::plans::{CATALOG, prepared, tool_call};

const CANARY: &str = "canary-77c1d04b3e5f2e9a";

/// A plan that asks a person, and then logs in with a secret.
fn folder() -> Folder {
    let login = tool_call(
        "login",
        "login",
        json!({"token": "${secret.API_TOKEN}"}),
        &["ask"],
    );
    let folder = prepared(json!([
        {"id": "ask", "name": "ask", "config": {"type": "HUMAN_INTERACTION", "prompt": "Which?", "response_field": "which"}},
        login,
    ]));
    let tool = format!(
        "  - name: login\n    secret_arguments: [token]\n    config: {{kind: subprocess, command: sh, args: [\"-c\", \"test \\\"$PLANWRIGHT_ARG_TOKEN\\\" = {CANARY}\"]}}\n"
    );
    folder.write("tools.yaml", format!("{CATALOG}{tool}"));
    folder.write("policy.yaml", "secrets: [API_TOKEN]\n");
    folder
}

fn secrets(folder: &Folder, name: &str, value: &str, mode: u32) {
    folder.write(name, format!("API_TOKEN: {value}\n"));
    let path = folder.at(name);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn start(folder: &Folder, more: &[&str]) -> Ended {
    let run = [
        "run",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--policy",
        "policy.yaml",
        "--run-id",
        "r",
    ];
    folder.run(&[&run[..], more].concat())
}

fn go_on(folder: &Folder, more: &[&str]) -> Ended {
    let resume = ["resume", "r", "--json", "--answer", "ask=text:this one"];
    folder.run(&[&resume[..], more].concat())
}

fn status(record: &Value) -> &Value {
    &record["steps"]["login"]["status"]
}

#[test]
fn a_run_and_its_resumes_take_secrets_from_a_file() {
    let folder = folder();
    secrets(&folder, "secrets.yaml", CANARY, 0o600);
    let started = start(&folder, &["--secrets", "secrets.yaml"]).expect(4);
    assert!(!started.stderr.contains("warning"), "{}", started.stderr);
    // the run remembers where they are, and not what they are
    let ended = go_on(&folder, &[]).expect(0);
    assert_eq!(*status(&ended.json()), "succeeded");
    assert!(!format!("{}{}", ended.stdout, ended.stderr).contains(CANARY));
}

#[test]
fn another_file_may_be_named_when_it_goes_on() {
    let folder = folder();
    secrets(&folder, "old.yaml", "stale-5f2e9a77c1d0", 0o600);
    start(&folder, &["--secrets", "old.yaml"]).expect(4);
    std::fs::create_dir(folder.at("new")).unwrap();
    secrets(&folder, "new/other", "x", 0o600);
    folder.write("new/API_TOKEN", format!("{CANARY}\n"));
    let closed = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder.at("new"), closed).unwrap();
    let ended = go_on(&folder, &["--secrets", "new"]).expect(0);
    assert_eq!(*status(&ended.json()), "succeeded");
}

#[test]
fn a_file_takes_the_place_of_the_environment() {
    let folder = folder();
    folder.write("none.json", "{}");
    start(&folder, &["--secrets", "none.json"]).expect(4);
    let ended = folder
        .command(["resume", "r", "--json", "--answer", "ask=text:this one"])
        .env("API_TOKEN", CANARY)
        .output()
        .unwrap();
    let record: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(record["steps"]["login"]["failure"]["class"], "auth");
}

#[test]
fn a_file_that_others_may_read_is_warned_of() {
    let folder = folder();
    secrets(&folder, "secrets.yaml", CANARY, 0o644);
    let started = start(&folder, &["--secrets", "secrets.yaml"]).expect(4);
    let warning = "are open to others (mode 644)";
    assert!(started.stderr.contains(warning), "{}", started.stderr);
    let ended = go_on(&folder, &[]).expect(0);
    assert!(ended.stderr.contains(warning), "{}", ended.stderr);
}

#[test]
fn secrets_that_cannot_be_read_are_a_matter_of_usage() {
    let folder = folder();
    let absent = start(&folder, &["--secrets", "absent.yaml"]).expect(2);
    assert!(absent.stderr.contains("absent.yaml"), "{}", absent.stderr);
    folder.write("list.yaml", format!("- {CANARY}\n"));
    let list = start(&folder, &["--secrets", "list.yaml"]).expect(2);
    assert!(
        list.stderr.contains("are not one JSON or YAML object"),
        "{}",
        list.stderr
    );
    assert!(!list.stderr.contains(CANARY), "{}", list.stderr);
    // nothing was started, and one that goes on says how to name others
    secrets(&folder, "secrets.yaml", CANARY, 0o600);
    start(&folder, &["--secrets", "secrets.yaml"]).expect(4);
    std::fs::remove_file(folder.at("secrets.yaml")).unwrap();
    let gone = go_on(&folder, &[]).expect(2);
    assert!(
        gone.stderr.contains("`--secrets` names others"),
        "{}",
        gone.stderr
    );
}
