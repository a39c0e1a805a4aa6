//! Every plan of `examples/plans` does what its description says.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{Ended, Folder};

/// What a command of an example prints, and its exit code.
fn expected(plan: &str) -> (i32, Value) {
    match plan {
        "hello" => (0, json!({"greeting": "Hello, world!"})),
        "parallel" => (0, json!({"longer": "left"})),
        "branch" => (
            0,
            json!({"words": 2, "to_many": "Hello, everybody!", "to_one": null}),
        ),
        "each" => (
            0,
            json!({
                "words": [1, 3, 2],
                "verdicts": ["left", "right"],
                "lists": [[1, 3, 2], ["left", "right"]],
            }),
        ),
        "approval" => (4, json!({})),
        "script" => (0, json!({"sum": 42})),
        "planner" => (0, json!({})),
        "refused" => (1, Value::Null),
        other => panic!("`{other}` has no expectation: add it here"),
    }
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plans")
}

/// A copy of the examples: one of them writes beside its catalog.
fn examples() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let mut plans = Vec::new();
    for entry in std::fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        // what somebody's run of an example wrote is no part of it, and folders have plans of their own
        if name == "published.txt" || path.is_dir() {
            continue;
        }
        folder.write(name, std::fs::read(&path).unwrap());
        if let Some(plan) = name.strip_suffix(".json") {
            plans.push(plan.to_owned());
        }
    }
    plans.sort();
    (folder, plans)
}

fn on_example(folder: &Folder, command: &str, plan: &str, more: &[&str]) -> Ended {
    let file = format!("{plan}.json");
    let mut args = vec![
        command,
        &file,
        "--tools",
        "tools.yaml",
        "--policy",
        "policy.yaml",
    ];
    args.extend(more);
    folder.run(&args)
}

#[test]
fn every_example_checks_and_runs_as_described() {
    let (folder, plans) = examples();
    assert_eq!(plans.len(), 8, "{plans:?}");
    for plan in &plans {
        let (code, outputs) = expected(plan);
        let checked = on_example(&folder, "check", plan, &["--format", "json"]);
        let report = checked.expect(i32::from(code == 1)).json();
        assert_eq!(report["valid"], code != 1, "{plan}: {report:#}");
        let ended = on_example(&folder, "run", plan, &["--json"]).expect(code);
        if code != 1 {
            assert_eq!(ended.json()["outputs"], outputs, "{plan}");
            assert_eq!(report["findings"], json!([]), "{plan} is without a blemish");
        }
    }
}

#[test]
fn the_refused_example_has_every_mistake_that_it_promises() {
    let (folder, _) = examples();
    let report = on_example(&folder, "check", "refused", &["--format", "json"]).json();
    let mut codes: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    codes.sort_unstable();
    assert_eq!(codes, ["P103", "P203", "P301", "P304", "P402"]);
}

#[test]
fn the_approval_example_publishes_only_what_was_approved() {
    for (answer, code, published) in [
        ("review=approve", 0, "Hello, world!\n"),
        ("review=reject", 5, ""),
    ] {
        let (folder, _) = examples();
        let run = on_example(&folder, "run", "approval", &[])
            .expect(4)
            .run_id();
        assert!(!folder.at("published.txt").exists());
        folder
            .planwright(["resume", &run, "--answer", answer])
            .expect(code);
        let text = std::fs::read_to_string(folder.at("published.txt")).unwrap_or_default();
        assert_eq!(text, published, "{answer}");
    }
}

#[test]
fn every_folder_has_a_plan_that_checks() {
    for entry in std::fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let folder = Folder::new();
        let at = |name: &str| path.join(name).display().to_string();
        let (policy, catalog) = (at("policy.yaml"), at("tools.yaml"));
        let (plan, tools) = if path.join("bundle.json").exists() {
            (at("bundle.json"), vec![])
        } else {
            (at("plan.json"), vec!["--tools", &catalog])
        };
        let mut check = vec!["check", &plan, "--policy", &policy, "--format", "json"];
        check.extend(&tools);
        let report = folder.run(&check).expect(0).json();
        assert_eq!(report["valid"], true, "{plan}");
        assert!(report["grant"].is_object(), "{plan}");
    }
}
