//! A secret goes to the tool that may have it, and nowhere else.

use std::path::Path;

use serde_json::json;

use crate::command::Folder;
use crate::plans::{CATALOG, prepared, tool_call};

const CANARY: &str = "canary-5f2e9a77c1d04b3e";
/// What scripts make of it.
const ENCODED: &str = "Y2FuYXJ5LTVmMmU5YTc3YzFkMDRiM2U";

fn guarded() -> Folder {
    let token = || json!({"token": "${secret.API_TOKEN}"});
    let mut leak = tool_call("leak", "leak", token(), &["login", "script"]);
    leak["join"] = json!("settled");
    let folder = prepared(json!([
        tool_call("login", "login", token(), &[]),
        leak,
        {"id": "script", "name": "script", "depends_on": ["login"],
            "config": {"type": "CODE_CALL", "language": "sh", "args": [], "env": {"TOKEN": "${secret.API_TOKEN}"},
                "inline": "echo \"it is $TOKEN\"; printf %s \"$TOKEN\" | base64 -w0 >&2; exit 5"},
            "on_error": "continue"},
    ]));
    let tool = |name: &str, script: &str| {
        let args = json!(["-c", script]);
        format!(
            "  - name: {name}\n    secret_arguments: [token]\n    effects: {{read_only: true}}\n    config: {{kind: subprocess, command: sh, args: {args}}}\n"
        )
    };
    let login = tool(
        "login",
        "test \"$PLANWRIGHT_ARG_TOKEN\" = canary-5f2e9a77c1d04b3e",
    );
    let leak = tool(
        "leak",
        "echo \"{\\\"said\\\": \\\"it is $PLANWRIGHT_ARG_TOKEN\\\"}\"; echo \"oh: $PLANWRIGHT_ARG_TOKEN\" >&2; exit 4",
    );
    folder.write("tools.yaml", format!("{CATALOG}{login}{leak}"));
    folder.write("policy.yaml", "secrets: [API_TOKEN]\n");
    folder
}

/// Every file below a folder that holds the secret, the catalog apart.
fn holders(folder: &Path) -> Vec<String> {
    let mut pending = vec![folder.to_owned()];
    let mut holders = Vec::new();
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.file_name().unwrap() != "tools.yaml"
                && [CANARY, ENCODED].iter().any(|canary| {
                    let bytes = std::fs::read(&path).unwrap();
                    bytes
                        .windows(canary.len())
                        .any(|window| window == canary.as_bytes())
                })
            {
                holders.push(path.display().to_string());
            }
        }
    }
    holders
}

#[test]
fn case_42_a_secret_is_in_no_file_and_on_no_stream() {
    let folder = guarded();
    let sandbox = ["--sandbox", "best_effort"];
    let commands: [&[&str]; 5] = [
        &[
            "check",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
            "--grant",
        ],
        &[
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
            "--run-id",
            "words",
        ],
        &[
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
            "--run-id",
            "r",
            "--json",
        ],
        &["runs", "show", "r", "--json"],
        &["runs", "show", "r"],
    ];
    for args in commands {
        let more = if args[0] == "run" { &sandbox[..] } else { &[] };
        let output = folder
            .command(args.iter().chain(more))
            .env("API_TOKEN", CANARY)
            .env("PLANWRIGHT_LOG", "trace")
            .output()
            .unwrap();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            assert!(
                !text.contains(CANARY) && !text.contains(ENCODED),
                "{args:?}: {text}"
            );
        }
    }
    assert_eq!(holders(folder.path()), [""; 0]);
    let record = folder
        .planwright(["runs", "show", "r", "--json"])
        .expect(0)
        .json();
    // the tool had the value, and what it said of it is told without it
    assert_eq!(record["steps"]["login"]["status"], "succeeded");
    let said = record["steps"]["leak"]["failure"]["stderr_tail"]
        .as_str()
        .unwrap();
    assert!(said.starts_with("oh: "), "{said}");
    let script = &record["steps"]["script"]["attempts"][0]["failure"];
    assert_eq!(script["stdout_tail"], "it is ***\n");
    assert!(
        script["stderr_tail"].as_str().unwrap().starts_with("***"),
        "{script}"
    );
}

#[test]
fn case_42_a_secret_that_is_not_there_is_named_and_a_plan_may_not_fish() {
    let folder = guarded();
    let run = ["run", "plan.json", "--tools", "tools.yaml", "--json"];
    let report = folder.run(&run).expect(1).json();
    assert_eq!(report["findings"][0]["code"], "P302");
    let mut with_policy = run.to_vec();
    with_policy.extend(["--policy", "policy.yaml"]);
    let record = folder.run(&with_policy).expect(3).json();
    let message = record["steps"]["login"]["failure"]["message"]
        .as_str()
        .unwrap();
    assert!(message.contains("API_TOKEN"), "{message}");
}
