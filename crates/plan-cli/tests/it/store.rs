//! Versions of plans: an edited file under the same version, and `--bump`.

use serde_json::json;

use crate::plans::{plan, prepared, tool_call};

#[test]
fn case_47_an_edited_plan_of_the_same_version_is_refused_until_it_is_bumped() {
    let folder = prepared(json!([tool_call("a", "say", json!({"text": "x"}), &[])]));
    let run = ["run", "plan.json", "--tools", "tools.yaml", "--json"];
    folder.planwright(run).expect(0);
    folder.planwright(run).expect(0);
    folder.write_json(
        "plan.json",
        &plan(json!([tool_call("a", "say", json!({"text": "y"}), &[])])),
    );
    let refused = folder.planwright(run).expect(2);
    assert!(refused.stderr.contains("--bump"), "{}", refused.stderr);
    let bumped = folder
        .planwright([
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--json",
            "--bump",
        ])
        .expect(0);
    assert_eq!(bumped.json()["plan"]["version"], 2);
    assert_eq!(bumped.json()["steps"]["a"]["outputs"]["said"], "y");
    let runs = folder
        .planwright(["runs", "list", "--json"])
        .expect(0)
        .json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 3);
}
