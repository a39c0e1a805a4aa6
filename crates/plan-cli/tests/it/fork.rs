//! `fork`: a new run from steps of one that has ended.

use serde_json::{Value, json};

use crate::command::Folder;
use crate::plans::{prepared, tool_call};

/// A finished run `r1` of two notes and what was said before.
fn ended() -> Folder {
    let folder = prepared(json!([
        tool_call("a", "say", json!({"text": "hi"}), &[]),
        tool_call("b", "note", json!({"text": "${step.a.said}"}), &[]),
        tool_call("c", "note", json!({"text": "end"}), &["b"]),
    ]));
    let run = [
        "run",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--run-id",
        "r1",
    ];
    folder.planwright(run).expect(0);
    folder
}

fn notes(folder: &Folder) -> String {
    std::fs::read_to_string(folder.at("notes")).unwrap()
}

#[test]
fn a_fork_runs_again_from_its_steps_and_leaves_the_run_as_it_was() {
    let folder = ended();
    assert_eq!(notes(&folder), "hi\nend\n");
    let before = folder.planwright(["runs", "show", "r1", "--json"]).json();
    let fork = ["fork", "r1", "--from", "c", "--run-id", "r2", "--json"];
    let fork = folder.planwright(fork).expect(0);
    assert_eq!(fork.run_id(), "r2");
    let record: Value = fork.json();
    assert_eq!(record["run_id"], "r2");
    assert_eq!(record["forked_from"], "r1");
    assert_eq!(record["status"], "succeeded");
    let attempts = |step: &str| record["steps"][step]["attempts"].as_array().unwrap().len();
    assert_eq!((attempts("b"), attempts("c")), (1, 2));
    assert_eq!(notes(&folder), "hi\nend\nend\n");
    let after = folder.planwright(["runs", "show", "r1", "--json"]).json();
    assert_eq!(before, after);
    let both = folder
        .planwright(["fork", "r2", "--from", "b", "c"])
        .expect(0);
    assert!(both.run_id() != "r2");
    assert_eq!(notes(&folder), "hi\nend\nend\nhi\nend\n");
}

#[test]
fn a_preview_says_what_would_run_again_and_runs_nothing() {
    let folder = ended();
    let preview = ["fork", "r1", "--from", "b", "--preview", "--json"];
    let preview = folder.planwright(preview).expect(0).json();
    assert_eq!(
        preview,
        json!({"reset": ["b", "c"], "kept": ["a"], "may_repeat": ["b", "c"]})
    );
    let words = folder.planwright(["fork", "r1", "--from", "b", "--preview"]);
    assert_eq!(
        words.expect(0).stdout,
        "runs again: b, c\nis kept: a\nwas called before, and is called again: b, c\n"
    );
    assert_eq!(notes(&folder), "hi\nend\n");
    let runs = folder.planwright(["runs", "list", "--json"]).json();
    assert_eq!(runs["runs"].as_array().map_or(0, Vec::len), 1, "{runs}");
}

#[test]
fn a_fork_that_cannot_be_says_why() {
    let folder = ended();
    for (args, says) in [
        (
            &["fork", "r1", "--from", "z"][..],
            "the plan has no step `z`",
        ),
        (&["fork", "r1", "--from", "1 2"][..], "`1 2` is no step"),
        (&["fork", "r1"][..], "--from"),
        (&["fork", "none", "--from", "a"][..], "none"),
        (
            &["fork", "r1", "--from", "a", "--secrets", "nowhere.json"][..],
            "nowhere.json",
        ),
        (
            &["fork", "r1", "--from", "a", "--run-id", "r1"][..],
            "already exists",
        ),
    ] {
        let refused = folder.run(args).expect(2);
        assert!(
            refused.stderr.contains(says),
            "{args:?}: {}",
            refused.stderr
        );
        assert_eq!(refused.stdout, "");
    }
    assert_eq!(notes(&folder), "hi\nend\n");
}
