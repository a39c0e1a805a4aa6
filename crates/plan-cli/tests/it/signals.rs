//! Ctrl-C cancels, SIGTERM stops and leaves the run resumable.

use std::io::Read;

use serde_json::json;

use crate::command::{Folder, Running};
use crate::plans::{CATALOG, prepared, tool_call};

/// A run whose first step holds, started and holding.
pub(crate) fn holding() -> (Folder, Running, String) {
    holding_on("echo held > hold; sleep 1000")
}

/// The same, where holding is this script.
fn holding_on(script: &str) -> (Folder, Running, String) {
    let folder = prepared(json!([
        tool_call("hold", "hold", json!({}), &[]),
        tool_call("after", "note", json!({"text": "after"}), &["hold"]),
    ]));
    let catalog = CATALOG.replace("echo held > hold; sleep 1000", &script.replace('\'', "''"));
    folder.write("tools.yaml", catalog);
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
fn case_41_a_second_ctrl_c_stops_at_once_and_loses_nothing() {
    let (folder, mut running, run) = holding_on("trap '' TERM; echo held > hold; sleep 1000");
    running.signal("INT");
    running
        .line_with("press Ctrl-C again")
        .expect("it says what a second one does");
    running.signal("INT");
    let aborted = running.end();
    let record = aborted.json();
    assert_eq!(record["run_id"], run.as_str());
    if record["status"] == "cancelled" {
        // on a slow machine the first one had done its work before the second arrived
        aborted.expect(5);
    } else {
        // nobody knows what the call had done, so the run ends only when somebody says
        aborted.expect(4);
        let waiting = folder.planwright(["resume", &run, "--json"]).expect(4);
        assert_eq!(waiting.json()["steps"]["hold"]["status"], "in_doubt");
        folder
            .planwright(["resume", &run, "--in-doubt", "hold=failed"])
            .expect(5);
    }
    let ended = folder
        .planwright(["runs", "show", &run, "--json"])
        .expect(0);
    assert_eq!(ended.json()["status"], "cancelled");
    assert!(!folder.at("notes").exists());
    assert!(no_process_of(&folder), "a child survived");
}

/// Whether no process works in this folder, as its tools do.
fn no_process_of(folder: &Folder) -> bool {
    let here = folder.path().canonicalize().unwrap();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("cwd")).ok())
        .all(|cwd| cwd != here)
}

#[test]
fn sigterm_stops_and_the_run_can_be_resumed() {
    let (folder, running, run) = holding();
    running.signal("TERM");
    let ended = running.end().expect(4);
    assert!(ended.stderr.contains("resume"), "{}", ended.stderr);
    assert_eq!(ended.json()["status"], "running");
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
