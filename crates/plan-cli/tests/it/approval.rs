//! Questions that outlive the process which asked them.

use serde_json::{Value, json};

use crate::command::Folder;
use crate::plans::{approval, prepared, tool_call};

fn waiting(steps: Value) -> (Folder, String) {
    let folder = prepared(steps);
    let ended = folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .expect(4);
    let record = ended.json();
    assert_eq!(record["status"], "waiting");
    let run = record["run_id"].as_str().unwrap().to_owned();
    (folder, run)
}

fn gated() -> (Folder, String) {
    waiting(json!([
        tool_call("before", "note", json!({"text": "before"}), &[]),
        approval("gate", "Go on?", &["before"]),
        tool_call("after", "note", json!({"text": "after"}), &["gate"]),
    ]))
}

fn notes(folder: &Folder) -> String {
    std::fs::read_to_string(folder.at("notes")).unwrap_or_default()
}

#[test]
fn an_approval_in_another_process_goes_on_where_it_stopped() {
    let (folder, run) = gated();
    assert_eq!(notes(&folder), "before\n");
    folder.planwright(["resume", &run]).expect(4);
    let record = folder
        .planwright(["resume", &run, "--answer", "gate=approve", "--json"])
        .expect(0)
        .json();
    assert_eq!(record["status"], "succeeded");
    assert_eq!(record["steps"]["gate"]["outputs"], json!({"ok": true}));
    assert_eq!(notes(&folder), "before\nafter\n");
    // a finished run is shown as it ended
    let again = folder.planwright(["resume", &run, "--json"]).expect(0);
    assert_eq!(again.json()["status"], "succeeded");
    assert_eq!(notes(&folder), "before\nafter\n");
    let late = folder
        .planwright(["resume", &run, "--answer", "gate=approve"])
        .expect(2);
    assert!(late.stderr.contains("no open question"), "{}", late.stderr);
}

#[test]
fn a_rejection_cancels_the_run() {
    let (folder, run) = gated();
    let record = folder
        .planwright(["resume", &run, "--answer", "gate=reject", "--json"])
        .expect(5)
        .json();
    assert_eq!(record["status"], "cancelled");
    assert_eq!(notes(&folder), "before\n");
    folder.planwright(["resume", &run]).expect(5);
}

#[test]
fn a_cancel_answer_cancels_the_run() {
    let (folder, run) = gated();
    folder
        .planwright(["resume", &run, "--answer", "gate=cancel"])
        .expect(5);
}

#[test]
fn case_34_no_text_passes_an_approval() {
    let (folder, run) = gated();
    for text in ["no, absolutely not", "yes", "approve", "true"] {
        let answer = format!("gate=text:{text}");
        folder
            .planwright(["resume", &run, "--answer", &answer])
            .expect(2);
    }
    assert_eq!(notes(&folder), "before\n");
}

#[test]
fn answers_that_mean_nothing_are_refused_before_any_is_given() {
    let (folder, run) = gated();
    for (answer, complaint) in [
        ("gate=maybe", "is no answer"),
        ("gate", "has no `=`"),
        ("=approve", "has no `=`"),
        ("other=approve", "no open question"),
        ("before=approve", "no open question"),
    ] {
        let ended = folder
            .planwright([
                "resume",
                &run,
                "--answer",
                "gate=approve",
                "--answer",
                answer,
            ])
            .expect(2);
        assert!(
            ended.stderr.contains(complaint),
            "{answer}: {}",
            ended.stderr
        );
    }
    let twice = folder
        .planwright([
            "resume",
            &run,
            "--answer",
            "gate=approve",
            "--answer",
            "gate=reject",
        ])
        .expect(2);
    assert!(twice.stderr.contains("answered twice"), "{}", twice.stderr);
    assert_eq!(notes(&folder), "before\n");
}

#[test]
fn case_34_parallel_questions_are_told_apart() {
    let question = |id: &str| {
        json!({"id": id, "name": id, "depends_on": [],
               "config": {"type": "HUMAN_INTERACTION", "prompt": format!("{id}?"), "response_field": "text"},
               "outputs": [{"name": "text", "value_type": "string"}]})
    };
    let (folder, run) = waiting(json!([question("left"), question("right")]));
    let record = folder
        .planwright(["runs", "show", &run, "--json"])
        .expect(0)
        .json();
    let ids: Vec<&str> = record["waiting"]
        .as_array()
        .unwrap()
        .iter()
        .map(|request| request["request_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    let by_id = format!("{}=text:a=b ${{step.right.text}}", ids[0]);
    folder
        .planwright(["resume", &run, "--answer", &by_id])
        .expect(4);
    let record = folder
        .planwright(["resume", &run, "--answer", "right=text:", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        record["steps"]["left"]["outputs"]["text"],
        "a=b ${step.right.text}"
    );
    assert_eq!(record["steps"]["right"]["outputs"]["text"], "");
}

#[test]
fn a_waiting_run_is_cancelled_from_another_process() {
    let (folder, run) = gated();
    let record = folder
        .planwright(["cancel", &run, "--reason", "enough", "--json"])
        .expect(0)
        .json();
    assert_eq!(record["status"], "cancelled");
    let again = folder.planwright(["cancel", &run]).expect(2);
    assert!(again.stderr.contains("has ended"), "{}", again.stderr);
    folder.planwright(["resume", &run, "--json"]).expect(5);
}

#[test]
fn case_49_a_tool_that_is_gone_stops_the_resume_before_any_effect() {
    let (folder, run) = gated();
    folder.write("tools.yaml", "planwright: 1\ntools: []\n");
    let ended = folder.planwright(["resume", &run, "--answer", "gate=approve"]);
    assert!(
        [1, 2].contains(&ended.code),
        "{}: {}",
        ended.code,
        ended.stderr
    );
    assert!(ended.stderr.contains("note"), "{}", ended.stderr);
    assert_eq!(notes(&folder), "before\n");
    folder.write("elsewhere.yaml", crate::plans::CATALOG);
    folder
        .planwright([
            "resume",
            &run,
            "--tools",
            "elsewhere.yaml",
            "--answer",
            "gate=approve",
        ])
        .expect(0);
}
