//! `run` and `runs`: exit codes, the record, and what is on which stream.

use serde_json::{Value, json};

use crate::command::Folder;
use crate::plans::{plan, prepared, tool_call};

fn run(folder: &Folder, code: i32) -> Value {
    folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .expect(code)
        .json()
}

#[test]
fn a_good_run_ends_with_its_record() {
    let folder = prepared(json!([]));
    let mut document = plan(json!([
        tool_call("a", "say", json!({"text": "${input.topic}"}), &[]),
        tool_call("b", "note", json!({"text": "${step.a.said}"}), &[]),
    ]));
    document["inputs"] = json!([{"name": "topic", "value_type": "string"}]);
    document["outputs"] = json!([{"name": "said", "source": "${step.a.said}"}]);
    folder.write_json("plan.json", &document);
    let ended = folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--input",
            "topic=1.0",
            "--run-id",
            "r1",
            "--json",
        ])
        .expect(0);
    assert_eq!(ended.run_id(), "r1");
    let record = ended.json();
    assert_eq!(record["run_id"], "r1");
    assert_eq!(record["status"], "succeeded");
    assert_eq!(record["plan"]["name"], "a plan");
    assert_eq!(record["inputs"], json!({"topic": "1.0"}));
    assert_eq!(record["outputs"], json!({"said": "1.0"}));
    assert_eq!(record["steps"]["a"]["status"], "succeeded");
    assert_eq!(
        record["steps"]["a"]["attempts"].as_array().unwrap().len(),
        1
    );
    assert_eq!(record["waiting"], json!([]));
    assert_eq!(
        std::fs::read_to_string(folder.at("notes")).unwrap(),
        "1.0\n"
    );
    let words = folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--input",
            "topic=\"x\"",
            "--run-id",
            "r2",
        ])
        .expect(0);
    assert_eq!(words.stdout, "said: \"x\"\n");
    assert!(words.stderr.contains("a: started"), "{}", words.stderr);
    let again = folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--input",
            "topic=x",
            "--run-id",
            "r1",
        ])
        .expect(2);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
}

#[test]
fn inputs_come_from_a_file_and_the_command_line_wins() {
    let folder = prepared(json!([]));
    let mut document = plan(json!([tool_call(
        "a",
        "say",
        json!({"text": "${input.topic}"}),
        &[]
    )]));
    document["inputs"] = json!([{"name": "topic", "value_type": "string"}]);
    folder.write_json("plan.json", &document);
    folder.write_json("inputs.json", &json!({"topic": "file"}));
    let said = |args: &[&str], input: &[u8]| {
        let mut all = vec!["run", "plan.json", "--tools", "tools.yaml", "--json"];
        all.extend(args);
        let mut child = folder
            .command(&all)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        let output = child.wait_with_output().unwrap();
        let record: Value = serde_json::from_slice(&output.stdout).unwrap();
        record["steps"]["a"]["outputs"]["said"].clone()
    };
    assert_eq!(said(&["--inputs", "inputs.json"], b""), "file");
    assert_eq!(
        said(&["--inputs", "inputs.json", "--input", "topic=line"], b""),
        "line"
    );
    assert_eq!(said(&["--inputs", "-"], br#"{"topic": "stdin"}"#), "stdin");
}

#[test]
fn a_refused_plan_runs_nothing_and_prints_the_report() {
    let folder = prepared(json!([
        tool_call("a", "note", json!({"text": "x"}), &[]),
        tool_call("b", "missing", json!({}), &["a"]),
    ]));
    let report = run(&folder, 1);
    assert_eq!(report["valid"], false);
    assert_eq!(report["findings"][0]["code"], "P301");
    assert!(!folder.at("notes").exists());
    assert!(!folder.at(".planwright").exists(), "nothing was stored");
}

#[test]
fn a_failed_run_exits_with_3_and_says_why() {
    let folder = prepared(json!([
        tool_call("a", "fail", json!({}), &[]),
        tool_call("b", "note", json!({"text": "x"}), &["a"]),
    ]));
    let record = run(&folder, 3);
    assert_eq!(record["status"], "failed");
    assert_eq!(record["failure"]["class"], "exit_status");
    assert_eq!(record["steps"]["b"]["status"], "skipped");
    assert!(!folder.at("notes").exists());
    let words = folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml"])
        .expect(3);
    assert!(words.stderr.contains("exit code 9"), "{}", words.stderr);
}

#[test]
fn tools_that_this_build_has_not_are_refused_before_the_run() {
    let folder = prepared(json!([
        tool_call("n", "note", json!({"text": "x"}), &[]),
        tool_call("a", "page", json!({}), &["n"]),
    ]));
    folder.write(
        "mcp.yaml",
        format!(
            "{}  - name: page\n    config: {{kind: mcp, server: x}}\n",
            crate::plans::CATALOG
        ),
    );
    folder
        .planwright(["check", "plan.json", "--tools", "mcp.yaml"])
        .expect(0);
    let ended = folder
        .planwright(["run", "plan.json", "--tools", "mcp.yaml"])
        .expect(2);
    assert!(ended.stderr.contains("kind `mcp`"), "{}", ended.stderr);
    assert!(!folder.at("notes").exists());
}

fn script() -> Value {
    json!([{"id": "s", "name": "s", "depends_on": [],
            "config": {"type": "CODE_CALL", "language": "sh", "inline": "echo \"{\\\"sum\\\": $1}\"", "args": ["3"], "env": {}},
            "outputs": [{"name": "sum", "value_type": "integer"}]}])
}

#[test]
fn a_script_runs_in_a_sandbox_where_the_kernel_has_one_and_else_needs_a_word_about_it() {
    let support = planwright::tools::process::Support::of_this_system();
    let whole = support.files() && support.tcp();
    let folder = prepared(script());
    let args = ["run", "plan.json", "--tools", "tools.yaml", "--json"];
    if whole {
        let ran = folder.planwright(args).expect(0).json();
        let held = &ran["steps"]["s"]["attempts"][0]["confinement"];
        assert_eq!(held["mode"], "required");
        let parts = held["held"].as_array().unwrap();
        assert!(parts.contains(&json!("files")) && parts.contains(&json!("network")));
        let shown = folder.planwright(["runs", "show", ran["run_id"].as_str().unwrap()]);
        assert!(shown.expect(0).stderr.contains("succeeded, in a sandbox"));
    } else {
        let refused = folder.planwright(args).expect(2);
        let way = "sandbox: {mode: best_effort}";
        assert!(refused.stderr.contains(way), "{}", refused.stderr);
    }
    for mode in ["best_effort", "best-effort", "off"] {
        let ended = folder
            .planwright([
                "run",
                "plan.json",
                "--tools",
                "tools.yaml",
                "--sandbox",
                mode,
                "--json",
            ])
            .expect(0);
        assert_eq!(ended.json()["steps"]["s"]["outputs"]["sum"], 3);
        assert_eq!(
            ended.stderr.contains("without a whole sandbox"),
            mode != "off" && !whole,
            "{}",
            ended.stderr
        );
    }
    folder.write("policy.yaml", "sandbox: {mode: best_effort}\n");
    folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
        ])
        .expect(0);
}

#[test]
fn runs_are_listed_and_shown() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    run(&folder, 0);
    folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--run-id",
            "second",
        ])
        .expect(0);
    let runs = folder
        .planwright(["runs", "list", "--json"])
        .expect(0)
        .json();
    let runs = runs["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0]["run_id"], "second");
    assert_eq!(runs[0]["status"], "succeeded");
    assert_eq!(runs[0]["plan"]["name"], "a plan");
    let one = folder
        .planwright(["runs", "list", "--limit", "1", "--json"])
        .expect(0)
        .json();
    assert_eq!(one["runs"].as_array().unwrap().len(), 1);
    let none = folder
        .planwright(["runs", "list", "--status", "failed", "--json"])
        .expect(0)
        .json();
    assert_eq!(none, json!({"runs": [], "unreadable": []}));
    let words = folder.planwright(["runs", "list"]).expect(0).stdout;
    assert_eq!(words.lines().count(), 2, "{words}");
    let record = folder
        .planwright(["runs", "show", "second", "--json"])
        .expect(0)
        .json();
    assert_eq!(record["run_id"], "second");
    assert_eq!(record["steps"]["a"]["outputs"], json!({"said": "x"}));
}

#[test]
fn a_run_in_memory_leaves_nothing() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--store",
            "memory:",
        ])
        .expect(0);
    assert!(!folder.at(".planwright").exists());
}

#[test]
fn items_stand_in_the_record_and_are_told_by_their_path() {
    let folder = prepared(json!([]));
    let mut document = plan(json!([
        {"id": "each", "name": "each", "config": {
            "type": "FAN_OUT", "over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a"],
            "max_parallel": 2, "on_item_error": "collect",
        }},
        tool_call("a", "say", json!({"text": "${item.row}"}), &[]),
    ]));
    document["config"] = json!({"rows": ["x", "y"]});
    folder.write_json("plan.json", &document);
    let args = [
        "run",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--run-id",
        "r1",
        "--json",
    ];
    let ended = folder.planwright(args).expect(0);
    let record = ended.json();
    let each = &record["steps"]["each"];
    assert_eq!(record["steps"].as_object().unwrap().len(), 1);
    assert_eq!(each["outputs"]["errors"], json!([]));
    assert_eq!(each["items"][1]["index"], 1);
    assert_eq!(each["items"][1]["status"], "succeeded");
    assert_eq!(
        each["items"][1]["steps"]["a"]["attempts"][0]["arguments"],
        json!({"text": "y"})
    );
    let shown = folder.planwright(["runs", "show", "r1"]).expect(0);
    assert!(
        shown.stderr.contains("each  succeeded, items: 2 succeeded"),
        "{}",
        shown.stderr
    );
}
