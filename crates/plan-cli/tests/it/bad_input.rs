//! Bad input of every kind: a clear message or findings, exit 1 or 2, never a panic.

use serde_json::json;

use crate::command::{Ended, Folder};
use crate::plans::{plan, prepared, tool_call};

/// The last line of standard error that says what is wrong.
fn complaint(ended: &Ended) -> String {
    ended
        .stderr
        .lines()
        .rfind(|line| line.starts_with("error"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn files_that_are_no_plan_are_refused_by_every_command() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    folder.write("binary", [0_u8, 159, 146, 150, 255, 7]);
    folder.write("empty", "");
    folder.write("yaml", "a: [1, 2]\nb:\n  - c\n");
    folder.write("half.json", "{\"metadata\": {");
    folder.write("list.json", "[1, 2]");
    folder.write("bomb.json", "[".repeat(100_000));
    for command in ["check", "graph", "run"] {
        for (file, code) in [
            ("missing.json", 2),
            (".", 2),
            ("binary", 1),
            ("empty", 1),
            ("yaml", 1),
            ("half.json", 1),
            ("list.json", 1),
            ("bomb.json", 1),
        ] {
            let ended = folder.planwright([command, file]);
            assert_eq!(ended.code, code, "{command} {file}\n{}", ended.stderr);
            assert!(!ended.stderr.trim().is_empty(), "{command} {file} says why");
            assert!(ended.stderr.len() < 20_000, "{command} {file} is brief");
        }
    }
}

#[test]
fn a_document_over_the_limit_is_one_finding() {
    let folder = Folder::new();
    folder.write("large.json", vec![b' '; 17 << 20]);
    let report = folder
        .planwright(["check", "large.json", "--format", "json"])
        .expect(1)
        .json();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["code"], "P106");
}

#[test]
fn bad_catalogs_and_policies_are_refused() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    folder.write("bad.yaml", "planwright: 1\ntools:\n  - nme: x\n");
    folder.write("worse.yaml", "tools: [\n");
    folder.write("twice.yaml", "planwright: 1\ntools: []\ntools: []\n");
    folder.write("large.yaml", vec![b'#'; 17 << 20]);
    for file in [
        "bad.yaml",
        "worse.yaml",
        "twice.yaml",
        "missing.yaml",
        ".",
        "large.yaml",
    ] {
        for flag in ["--tools", "--policy"] {
            let ended = folder
                .planwright(["check", "plan.json", flag, file])
                .expect(2);
            assert!(
                complaint(&ended).starts_with("error: "),
                "{flag} {file}: {}",
                ended.stderr
            );
        }
    }
    let ended = folder
        .planwright(["check", "plan.json", "--tools", "bad.yaml"])
        .expect(2);
    assert!(
        ended.stderr.contains("bad.yaml:3:5: P901"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_store_url_that_is_none_is_refused() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    for url in [
        "",
        "sqlite:",
        "mysql://x",
        "postgres://x/y",
        "./state.db",
        "sqlite:/proc/x/y",
    ] {
        let run = ["run", "plan.json", "--tools", "tools.yaml", "--store", url];
        let ended = folder.planwright(run).expect(2);
        assert!(!complaint(&ended).is_empty(), "{url}: {}", ended.stderr);
        let ended = folder
            .planwright(["runs", "list", "--store", url])
            .expect(2);
        assert!(!complaint(&ended).is_empty(), "{url}: {}", ended.stderr);
    }
    folder.write(
        "state.db",
        "this is no database, and longer than a header of one would be. ".repeat(40),
    );
    let ended = folder
        .planwright(["runs", "list", "--store", "sqlite:state.db"])
        .expect(2);
    assert!(!complaint(&ended).is_empty(), "{}", ended.stderr);
}

#[test]
fn runs_that_are_not_there_are_named() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    for args in [["resume", "nobody"], ["cancel", "nobody"]] {
        let ended = folder.planwright(args).expect(2);
        assert!(complaint(&ended).contains("no store"), "{}", ended.stderr);
    }
    folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml"])
        .expect(0);
    for args in [
        vec!["resume", "nobody"],
        vec!["cancel", "nobody"],
        vec!["runs", "show", "nobody"],
    ] {
        let output = folder.command(&args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?} {stderr}");
        assert!(stderr.contains("`nobody`"), "{args:?} {stderr}");
    }
    for bad in ["a/b", "..", "", "a b", &"x".repeat(200)] {
        let ended = folder.planwright(["resume", bad]).expect(2);
        assert!(complaint(&ended).contains("run id"), "{}", ended.stderr);
    }
}

#[test]
fn command_lines_that_make_no_sense_exit_with_2() {
    let folder = Folder::new();
    for args in [
        vec![],
        vec!["nonsense"],
        vec!["check"],
        vec!["check", "--format", "xml", "x"],
        vec!["run", "x", "--sandbox", "maybe"],
        vec!["schema", "nothing"],
        vec!["explain", "P999"],
        vec!["explain", ""],
        vec!["run", "-", "--inputs", "-"],
        vec!["schema", "policy", "--tools", "x"],
    ] {
        let output = folder.command(&args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused_all_at_once() {
    let folder = prepared(json!([]));
    let mut document = plan(json!([tool_call(
        "a",
        "say",
        json!({"text": "${input.topic}"}),
        &[]
    )]));
    document["inputs"] = json!([
        {"name": "topic", "value_type": "string"},
        {"name": "count", "value_type": "integer"},
    ]);
    folder.write_json("plan.json", &document);
    let report = folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--input",
            "count=\"many\"",
            "--input",
            "tpic=x",
            "--json",
        ])
        .expect(1);
    assert!(!folder.at("notes").exists());
    let findings = report.json()["findings"].clone();
    let codes: Vec<&str> = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    for code in ["P903", "P904", "P905"] {
        assert!(codes.contains(&code), "{codes:?}");
    }
    for (input, code) in [("count=1", 1), ("topic", 2), ("count={", 2), ("=1", 1)] {
        let ended = folder.planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--input",
            input,
        ]);
        assert_eq!(ended.code, code, "{input}: {}", ended.stderr);
    }
    for (name, text) in [
        ("list.json", "[]"),
        ("bad.json", "{"),
        ("twice.json", r#"{"topic": "a", "topic": "b"}"#),
    ] {
        folder.write(name, text);
        let ended = folder
            .planwright([
                "run",
                "plan.json",
                "--tools",
                "tools.yaml",
                "--inputs",
                name,
            ])
            .expect(2);
        assert!(complaint(&ended).contains(name), "{}", ended.stderr);
    }
}

#[test]
fn case_43_nothing_that_a_terminal_obeys_gets_out() {
    let folder = prepared(json!([]));
    let nasty = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}x";
    let mut document = plan(json!([tool_call("a", "missing", json!({}), &[])]));
    document["name"] = json!(nasty);
    document["steps"][0]["name"] = json!(nasty);
    document["steps"][0][nasty] = json!(nasty);
    folder.write_json("plan.json", &document);
    folder.write("raw.json", format!("{{\"name\": \"{nasty}\"}}"));
    folder.write("raw.yaml", format!("tools: '{nasty}'\n"));
    let commands: [&[&str]; 8] = [
        &["check", "plan.json"],
        &["check", "plan.json", "--format", "json"],
        &["check", "raw.json"],
        &["check", "raw.json", "--format", "json"],
        &["check", "plan.json", "--tools", "raw.yaml"],
        &["graph", "plan.json"],
        &["run", "plan.json", "--tools", "tools.yaml"],
        &["check", nasty],
    ];
    for args in commands {
        let output = folder.command(args).output().unwrap();
        for stream in [output.stdout, output.stderr] {
            let text = String::from_utf8(stream).unwrap();
            assert!(
                !text.chars().any(|character| character == '\u{1b}'
                    || character == '\u{9b}'
                    || character == '\u{7}'
                    || character == '\u{202e}'),
                "{args:?}: {text:?}"
            );
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    let mut child = folder.command(["schema", "plan"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("fault"), "{stderr}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn case_43_what_a_tool_prints_does_not_reach_the_terminal_as_it_is() {
    let folder = prepared(json!([tool_call("a", "nasty", json!({}), &[])]));
    let script = "printf '\\033[31mred\\377'; printf '\\033]0;title\\007'; printf 'run r: succeeded\\n%05000d' 7 >&2; exit 3";
    folder.write(
        "tools.yaml",
        format!(
            "planwright: 1\ntools:\n  - name: nasty\n    config: {{kind: subprocess, command: sh, args: {}}}\n",
            json!(["-c", script])
        ),
    );
    let run = ["run", "plan.json", "--tools", "tools.yaml", "--run-id", "r"];
    let ended = folder.run(&run).expect(3);
    assert!(!ended.stderr.contains('\u{1b}'), "{:?}", ended.stderr);
    assert!(!ended.stderr.lines().any(|line| line == "run r: succeeded"));
    assert!(ended.stderr.contains("more characters"), "{}", ended.stderr);
    let shown = folder.planwright(["runs", "show", "r", "--json"]).expect(0);
    assert!(!shown.stdout.contains('\u{1b}'));
    let tail = shown.json()["steps"]["a"]["stdout"].clone();
    assert_eq!(tail, "\u{1b}[31mred\u{fffd}\u{1b}]0;title\u{7}");
}
