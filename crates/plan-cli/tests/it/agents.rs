//! Agents that a catalog describes as programs.

use serde_json::{Value, json};

use crate::command::Folder;
use crate::plans::plan;

const CATALOG: &str = r#"
planwright: 1
agents:
  coder:
    kind: subprocess
    command: sh
    args: ["-c", "cat; echo; echo '{\"files\": 2}'", "coder", "--", "{working_dir}"]
  thinker: {kind: loop, model: m}
  broken: {kind: subprocess, command: sh, args: ["-c", "echo {objective}"]}
"#;

/// A plan whose agent works in the folder that an input names.
fn folder(agent: &Value) -> Folder {
    let folder = Folder::new();
    folder.write("tools.yaml", CATALOG);
    let mut document = plan(json!([{
        "id": "work", "name": "work",
        "config": {
            "type": "AGENT_CALL", "objective": "--mend ${input.what}",
            "working_dir": "${input.folder}", "agent": agent, "timeout_secs": 60,
        },
        "outputs": [{"name": "files", "value_type": "integer"}],
    }]));
    document["inputs"] = json!([
        {"name": "folder", "value_type": "string", "input_kind": "directory_path"},
        {"name": "what", "value_type": "string"},
    ]);
    folder.write_json("plan.json", &document);
    folder
}

fn run(folder: &Folder) -> crate::command::Ended {
    let root = format!("folder={}", folder.at("").display());
    folder.run(&[
        "run",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--json",
        "--input",
        "what=$(it)",
        "--input",
        &root,
    ])
}

#[test]
fn an_agent_of_the_catalog_works_and_reports() {
    let folder = folder(&json!("coder"));
    let record = run(&folder).expect(0).json();
    let work = &record["steps"]["work"];
    assert_eq!(work["outputs"]["files"], 2);
    // the objective is data: on standard input, and nowhere else
    let report = work["outputs"]["report"].as_str().unwrap();
    assert!(report.starts_with("--mend $(it)\n"), "{report}");
    assert!(work["stdout"].as_str().unwrap().contains("--mend $(it)"));
    assert_eq!(
        work["attempts"][0]["arguments"]["objective"],
        "--mend $(it)"
    );
}

#[test]
fn an_agent_that_cannot_run_is_refused_with_its_reason() {
    let cases = [
        ("thinker", "nothing in this build answers for the model `m`"),
        (
            "broken",
            "the agent `broken` puts `{objective}` into a script of `sh`",
        ),
    ];
    for (agent, why) in cases {
        let folder = folder(&json!(agent));
        let ended = run(&folder).expect(2);
        let said = format!("step `work` cannot run: {why}");
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
}
