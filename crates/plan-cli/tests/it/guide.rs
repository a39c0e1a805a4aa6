//! The program of the guide runs as it stands there.

use serde_json::json;

use crate::command::Folder;
use crate::plans::{plan, tool_call};

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
