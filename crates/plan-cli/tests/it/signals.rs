//! Ctrl-C cancels, SIGTERM stops and leaves the run resumable.

use std::io::Read;

use serde_json::json;

use crate::command::{Folder, Running};
use crate::plans::{prepared, tool_call};

/// A run whose first step holds, started and holding.
pub(crate) fn holding() -> (Folder, Running, String) {
    let folder = prepared(json!([
        tool_call("hold", "hold", json!({}), &[]),
        tool_call("after", "note", json!({"text": "after"}), &["hold"]),
    ]));
    let made = std::process::Command::new("mkfifo")
        .arg(folder.at("hold"))
        .status()
        .unwrap();
    assert!(made.success());
    let mut running = folder.start(["run", "plan.json", "--tools", "tools.yaml", "--json"]);
    let line = running.line_with("run ").expect("the run is named");
    let run = line.trim().strip_prefix("run ").unwrap().to_owned();
    let mut said = String::new();
    std::fs::File::open(folder.at("hold"))
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "held\n");
    (folder, running, run)
}

#[test]
fn case_41_ctrl_c_cancels_the_run() {
    let (folder, running, run) = holding();
    running.signal("INT");
    let ended = running.end().expect(5);
    let record = ended.json();
    assert_eq!(record["status"], "cancelled");
    assert_eq!(record["steps"]["hold"]["status"], "cancelled");
    assert!(!folder.at("notes").exists());
    folder.planwright(["resume", &run]).expect(5);
}

#[test]
fn sigterm_stops_and_the_run_can_be_resumed() {
    let (folder, running, run) = holding();
    running.signal("TERM");
    let ended = running.end().expect(4);
    assert!(ended.stderr.contains("resume"), "{}", ended.stderr);
    // the call was not safe to repeat, so a person decides
    let record = folder
        .planwright(["resume", &run, "--json"])
        .expect(4)
        .json();
    assert_eq!(record["steps"]["hold"]["status"], "in_doubt");
    for (decision, complaint) in [
        ("hold=perhaps", "is no decision"),
        ("hold=succeeded:[]", "not an object"),
        ("hold=succeeded:{", "outputs of `hold`"),
        ("a b=retry", "not a step path"),
    ] {
        let refused = folder
            .planwright(["resume", &run, "--in-doubt", decision])
            .expect(2);
        assert!(
            refused.stderr.contains(complaint),
            "{decision}: {}",
            refused.stderr
        );
    }
    folder
        .planwright(["resume", &run, "--in-doubt", "after=retry"])
        .expect(2);
    let record = folder
        .planwright([
            "resume",
            &run,
            "--in-doubt",
            "hold=succeeded:{\"stdout\": \"by hand\"}",
            "--json",
        ])
        .expect(0)
        .json();
    assert_eq!(record["steps"]["hold"]["outputs"]["stdout"], "by hand");
    assert_eq!(
        std::fs::read_to_string(folder.at("notes")).unwrap(),
        "after\n"
    );
}

#[test]
fn a_call_in_doubt_that_is_marked_failed_fails_the_run() {
    let (folder, running, run) = holding();
    running.signal("TERM");
    running.end().expect(4);
    folder
        .planwright(["resume", &run, "--in-doubt", "hold=failed"])
        .expect(3);
    assert!(!folder.at("notes").exists());
}
