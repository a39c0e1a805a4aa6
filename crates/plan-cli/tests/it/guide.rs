//! The program of the guide runs as it stands there.

use serde_json::json;

use crate::command::Folder;
use crate::plans::{plan, tool_call};

#[test]
fn the_servers_of_the_guide_can_be_called() {
    let guide = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/guide/http-tools.md"
    );
    let text = std::fs::read_to_string(guide).unwrap();
    let yaml: Vec<&str> = text
        .split("```yaml\n")
        .skip(1)
        .filter_map(|part| part.split("```").next())
        .collect();
    let [catalog, policy] = yaml[..] else {
        panic!("the guide has a catalog and a policy");
    };
    let folder = Folder::new();
    folder.write("tools.yaml", catalog);
    folder.write("policy.yaml", policy);
    // a lack of an implementation would be told before a secret is asked for
    for (tool, arguments, class) in [
        ("find_issue", json!({"number": 7}), "auth"),
        ("comment", json!({"text": "x"}), "invalid_arguments"),
        (
            "fetch_page",
            json!({"page": "https://me@a.example.com/"}),
            "",
        ),
        ("fetch_page", json!({"page": "https://example.org/"}), ""),
    ] {
        folder.write_json(
            "plan.json",
            &plan(json!([tool_call("a", tool, arguments, &[])])),
        );
        let run = [
            "run",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
            "--store",
            "memory:",
            "--json",
        ];
        let report = folder
            .planwright(run)
            .expect(if class.is_empty() { 1 } else { 3 })
            .json();
        match class {
            "" => assert_eq!(report["findings"][0]["code"], "P607", "{report}"),
            class => assert_eq!(report["failure"]["class"], class, "{report}"),
        }
    }
}

#[test]
fn the_guides_catalog_file_works() {
    let guide = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/guide/write-a-tool.md"
    );
    let text = std::fs::read_to_string(guide).unwrap();
    let (_, rest) = text
        .split_once("```yaml\n")
        .expect("the guide has a catalog");
    let (catalog, _) = rest.split_once("```").unwrap();
    let folder = Folder::new();
    folder.write("tools.yaml", catalog);
    let call = tool_call(
        "count",
        "count_words",
        json!({"text": "three short words"}),
        &[],
    );
    folder.write_json("plan.json", &plan(json!([call])));
    let record = folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .expect(0)
        .json();
    assert_eq!(record["steps"]["count"]["outputs"]["words"], 3);
}
