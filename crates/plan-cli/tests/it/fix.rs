//! `check --fix`, and the formats for other programs.

use std::fs;

use serde_json::{Value, json};

use crate::command::Folder;

const TWICE: &str = "{ \"steps\": [\n  {\"name\": \"a\",   \"tool\": \"say\"},\n  {\"name\": \"b\", \"tool\": \"say\", \"after\": [\"a\",  \"a\"]}\n]}\n";
const ONCE: &str = "{ \"steps\": [\n  {\"name\": \"a\",   \"tool\": \"say\"},\n  {\"name\": \"b\", \"tool\": \"say\", \"after\": [\"a\"]}\n]}\n";

fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.path().join("plan.json"), TWICE).unwrap();
    folder
}

fn text(folder: &Folder) -> String {
    fs::read_to_string(folder.path().join("plan.json")).unwrap()
}

#[test]
fn a_fix_is_made_in_the_file_and_shown() {
    let folder = folder();
    let ended = folder.planwright(["check", "plan.json", "--fix"]).expect(0);
    assert_eq!(text(&folder), ONCE);
    insta::assert_snapshot!(ended.stdout, @r#"
    --- plan.json
    +++ plan.json
    @@ -1,4 +1,4 @@
     { "steps": [
       {"name": "a",   "tool": "say"},
    -  {"name": "b", "tool": "say", "after": ["a",  "a"]}
    +  {"name": "b", "tool": "say", "after": ["a"]}
     ]}
    "#);
    assert!(!ended.stderr.contains("P206"), "{}", ended.stderr);
    let again = folder.planwright(["check", "plan.json", "--fix"]).expect(0);
    assert_eq!(again.stdout, "");
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "nothing is left beside it: {files:?}");
}

#[test]
fn what_stays_wrong_is_the_exit_code() {
    let folder = folder();
    folder.write_json("tools.json", &json!({"planwright": 1, "tools": []}));
    let ended = folder
        .planwright(["check", "plan.json", "--tools", "tools.json", "--fix"])
        .expect(1);
    assert_eq!(text(&folder), ONCE);
    assert!(ended.stderr.contains("P301"), "{}", ended.stderr);
}

#[test]
fn a_text_that_is_no_plan_stays_as_it_is() {
    let folder = folder();
    fs::write(folder.path().join("plan.json"), [b'{', 0xff, b'}']).unwrap();
    folder.planwright(["check", "plan.json", "--fix"]).expect(1);
    let bytes = fs::read(folder.path().join("plan.json")).unwrap();
    assert_eq!(bytes, [b'{', 0xff, b'}']);
}

#[test]
fn of_standard_input_the_fixed_text_is_printed() {
    let folder = folder();
    let ended = folder
        .planwright_with(["check", "-", "--fix"], TWICE.as_bytes())
        .expect(0);
    assert_eq!(ended.stdout, ONCE);
    assert!(
        ended.stderr.contains("+++ standard input"),
        "{}",
        ended.stderr
    );
    let report = folder
        .planwright_with(
            ["check", "-", "--fix", "--format", "json"],
            TWICE.as_bytes(),
        )
        .expect(0)
        .json();
    assert_eq!(report["fixed_text"], ONCE);
    assert_eq!(report["fixed"][0]["code"], "P206");
    assert_eq!(report["fixed"][0]["pointer"], "/steps/1/after/1");
    let mixed = ["check", "-", "--fix", "--format", "sarif"];
    folder.planwright_with(mixed, TWICE.as_bytes()).expect(2);
}

#[test]
fn the_report_of_a_fixed_file_is_that_of_the_new_text() {
    let folder = folder();
    let report = folder
        .planwright(["check", "plan.json", "--fix", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(report["valid"], true);
    assert_eq!(report["findings"], json!([]));
    assert_eq!(report["fixed"].as_array().unwrap().len(), 1);
    assert_eq!(text(&folder), ONCE);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_refused_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder();
    symlink("plan.json", folder.path().join("link.json")).unwrap();
    let ended = folder.planwright(["check", "link.json", "--fix"]).expect(2);
    assert!(ended.stderr.contains("symbolic link"), "{}", ended.stderr);
    assert_eq!(text(&folder), TWICE);
    let file = folder.path().join("plan.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    folder.planwright(["check", "plan.json", "--fix"]).expect(0);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn findings_come_as_sarif() {
    let folder = folder();
    let log = folder
        .planwright(["check", "plan.json", "--format", "sarif"])
        .expect(0)
        .json();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "P206");
    assert_eq!(result["level"], "warning");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "plan.json");
    assert_eq!(location["region"]["startLine"], 3);
    assert!(result["fixes"].is_array());
}

#[test]
fn findings_come_for_a_model() {
    let folder = folder();
    folder.write_json(
        "tools.json",
        &json!({"planwright": 1, "tools": [{"name": "tell"}]}),
    );
    let ended = folder
        .planwright([
            "check",
            "plan.json",
            "--tools",
            "tools.json",
            "--format",
            "model",
        ])
        .expect(1);
    assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let codes: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["code"])
        .collect();
    assert_eq!(codes, ["P301", "P206"], "errors come first");
    assert_eq!(report["more"], 0);
    assert_eq!(report["findings"][0]["one_of"], json!(["tell"]));
}
