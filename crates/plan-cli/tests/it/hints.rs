//! What the command says next: the line to type, the file that was meant.

use serde_json::json;

use crate::command::Folder;
use crate::plans::{approval, plan, prepared, tool_call};

fn gated() -> Folder {
    prepared(json!([
        tool_call("a", "say", json!({"text": "x"}), &[]),
        approval("gate", "Go on?", &["a"]),
    ]))
}

const RUN: [&str; 6] = ["run", "plan.json", "--tools", "tools.yaml", "--run-id", "r"];

#[test]
fn a_store_may_be_a_bare_file_name() {
    let folder = gated();
    let mut args = RUN.to_vec();
    args.extend(["--store", "sqlite:runs.db"]);
    folder.run(&args).expect(4);
    assert!(folder.at("runs.db").exists());
}

#[test]
fn the_resume_hint_repeats_a_store_that_is_not_the_usual_one() {
    for (url, hint) in [
        (None, "planwright resume r --answer 'gate=approve'"),
        (
            Some("sqlite:my runs.db"),
            "planwright resume r --store 'sqlite:my runs.db' --answer 'gate=approve'",
        ),
        (Some("memory:"), "kept in memory"),
    ] {
        let folder = gated();
        let mut args = RUN.to_vec();
        args.extend(url.into_iter().flat_map(|url| ["--store", url]));
        let ended = folder.run(&args).expect(4);
        assert!(ended.stderr.contains(hint), "{url:?}: {}", ended.stderr);
        assert_eq!(ended.stderr.contains("memory"), url == Some("memory:"));
    }
}

#[test]
fn a_path_in_place_of_a_store_is_told_its_url() {
    let folder = gated();
    let ended = folder
        .planwright(["runs", "list", "--store", "./state.db"])
        .expect(2);
    assert!(
        ended.stderr.contains("did you mean `sqlite:./state.db`?"),
        "{}",
        ended.stderr
    );
}

#[test]
fn refused_inputs_leave_neither_a_run_nor_a_store() {
    let folder = prepared(json!([]));
    let mut document = plan(json!([tool_call(
        "a",
        "say",
        json!({"text": "${input.t}"}),
        &[]
    )]));
    document["inputs"] = json!([{"name": "t", "value_type": "string"}]);
    folder.write_json("plan.json", &document);
    let ended = folder.run(&RUN).expect(1);
    assert!(!ended.stderr.contains("run r"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("--input NAME=JSON"),
        "{}",
        ended.stderr
    );
    assert!(!folder.at(".planwright").exists());
    // the report is the one of `check`, with all its members
    let report = ended.json();
    assert_eq!(report["valid"], false);
    assert_eq!(report["plan"]["name"], "a plan");
    assert_eq!(report["edges"], json!({"a": []}));
    assert_eq!(report["findings"][0]["code"], "P904");
}

#[test]
fn files_in_each_others_place_are_told_apart() {
    let folder = gated();
    let plan_as_catalog = folder
        .planwright(["check", "plan.json", "--tools", "plan.json"])
        .expect(2);
    assert!(
        plan_as_catalog.stderr.contains("this looks like a plan"),
        "{}",
        plan_as_catalog.stderr
    );
    let catalog_as_plan = folder.planwright(["check", "tools.yaml"]).expect(1);
    assert!(
        catalog_as_plan.stderr.contains("a plan is JSON"),
        "{}",
        catalog_as_plan.stderr
    );
}

#[test]
fn a_list_read_as_a_plan_gets_findings() {
    let folder = gated();
    folder.write_json(
        "list.json",
        &json!({"steps": [{"name": "a", "tool": "say", "args": {"text": "x"}}]}),
    );
    for (file, kind) in [
        ("list.json", "plan"),
        ("plan.json", "planner"),
        ("list.json", "bundle"),
    ] {
        let report = folder
            .planwright(["check", file, "--as", kind, "--format", "json"])
            .expect(1)
            .json();
        assert!(
            !report["findings"].as_array().unwrap().is_empty(),
            "{file} as {kind}"
        );
    }
}

#[test]
fn a_bundle_whose_tools_are_bad_is_refused_with_a_report() {
    let folder = gated();
    let steps = json!([tool_call("a", "twice", json!({}), &[])]);
    let tool = json!({"name": "twice", "allowlisted": true, "config": {"kind": "subprocess", "command": "true"}});
    let bundle = json!({"format_version": 1, "exported_at": "2026-01-01T00:00:00Z", "app_version": "1",
                        "plan": plan(steps), "tools": [tool, tool]});
    folder.write_json("bundle.json", &bundle);
    for args in [
        vec!["check", "bundle.json", "--format", "json"],
        vec!["run", "bundle.json", "--json"],
    ] {
        let report = folder.run(&args).expect(1).json();
        assert_eq!(report["valid"], false, "{args:?}");
        assert_eq!(report["findings"][0]["code"], "P901", "{args:?}");
    }
    for (format, place) in [
        ("sarif", "/runs/0/results/0/ruleId"),
        ("model", "/findings/0/code"),
    ] {
        let report = folder.run(&["check", "bundle.json", "--format", format]);
        let report = report.expect(1).json();
        assert_eq!(report.pointer(place), Some(&json!("P901")), "{report}");
    }
}

#[test]
fn a_model_that_nothing_answers_for_is_a_refusal_with_a_way_out() {
    let folder = prepared(json!([{
        "id": "ask", "name": "ask", "depends_on": [], "outputs": [],
        "config": {"type": "PROMPT_CALL", "model": "m", "user_prompt": "hello", "output_field": "text"},
    }]));
    folder
        .planwright(["check", "plan.json", "--tools", "tools.yaml"])
        .expect(0);
    let ended = folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .expect(2);
    let said = [
        "step `ask` cannot run: nothing in this build answers for the model `m`",
        "`Executor::model`",
    ];
    for text in said {
        assert!(ended.stderr.contains(text), "{}", ended.stderr);
    }
    // nothing was started
    assert!(!folder.at(".planwright").exists());
}

#[test]
fn a_shown_run_names_every_step_in_plan_order() {
    let folder = prepared(json!([
        tool_call("zebra", "say", json!({"text": "x"}), &[]),
        tool_call("ant", "fail", json!({}), &["zebra"]),
        tool_call("bee", "say", json!({"text": "x"}), &["ant"]),
    ]));
    folder.run(&RUN).expect(3);
    let shown = folder.planwright(["runs", "show", "r"]).expect(0);
    let steps: Vec<&str> = shown
        .stderr
        .lines()
        .filter(|line| line.starts_with("  "))
        .collect();
    assert_eq!(
        steps,
        [
            "  zebra  succeeded",
            "  ant    failed",
            "  bee    skipped (run_failed)"
        ]
    );
    assert_eq!(shown.stdout, "");
}

#[test]
fn scripts_without_a_sandbox_are_told_of_wherever_the_run_is_seen() {
    let folder = prepared(json!([
        {"id": "s", "name": "s", "depends_on": [], "outputs": [],
         "config": {"type": "CODE_CALL", "language": "sh", "inline": "echo x", "args": [], "env": {}}},
        approval("gate", "Go on?", &["s"]),
    ]));
    let support = planwright::tools::process::Support::of_this_system();
    let whole = support.files() && support.tcp();
    let mut args = RUN.to_vec();
    args.extend(["--sandbox", "best_effort"]);
    for args in [args, vec!["runs", "show", "r"], vec!["resume", "r"]] {
        let ended = folder.run(&args);
        assert!(
            ended.stderr.contains("without a whole sandbox") != whole,
            "{args:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_run_is_shown_and_cancelled_where_its_catalog_is_gone() {
    let folder = gated();
    folder.run(&RUN).expect(4);
    std::fs::remove_file(folder.at("tools.yaml")).unwrap();
    let shown = folder
        .planwright(["runs", "show", "r", "--json"])
        .expect(0)
        .json();
    assert_eq!(shown["steps"]["a"]["outputs"]["said"], "x");
    let refused = folder.planwright(["cancel", "r"]).expect(2);
    assert!(
        refused.stderr.contains("the wish is kept"),
        "{}",
        refused.stderr
    );
    folder.write("tools.yaml", crate::plans::CATALOG);
    folder.planwright(["resume", "r"]).expect(5);
}

#[test]
fn a_long_run_keeps_no_file_and_no_dead_child() {
    // the parent of a tool's process is the command itself
    let count = "echo \"{\\\"files\\\": $(ls /proc/$PPID/fd | wc -l), \\\"dead\\\": $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v me=$PPID '$3 == \"Z\" && $4 == me' | wc -l)}\"";
    let mut steps = vec![tool_call("first", "count", json!({}), &[])];
    let mut before = "first".to_owned();
    for at in 0..60 {
        let id = format!("s{at}");
        steps.push(tool_call(&id, "say", json!({"text": "x"}), &[&before]));
        before = id;
    }
    steps.push(tool_call("last", "count", json!({}), &[&before]));
    let folder = prepared(json!(steps));
    folder.write(
        "tools.yaml",
        format!(
            "{}  - name: count\n    config: {{kind: subprocess, command: sh, args: {}}}\n",
            crate::plans::CATALOG,
            json!(["-c", count])
        ),
    );
    let mut args = RUN.to_vec();
    args.push("--json");
    let record = folder.run(&args).expect(0).json();
    let counted = |step: &str, what: &str| {
        record["steps"][step]["outputs"][what]
            .as_u64()
            .unwrap_or_else(|| panic!("{}", record["steps"][step]))
    };
    assert_eq!(counted("last", "dead"), 0);
    // a connection of the store may have been opened in between
    assert!(counted("last", "files") <= counted("first", "files") + 4);
}
