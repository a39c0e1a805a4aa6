//! Inputs that are paths are looked at before the run exists.

use std::path::{Path, PathBuf};

use plan_exec::{Inputs, StartError, inputs};
use plan_run::RunStatus;
use plan_testkit::Scripted;
use plan_validate::{Policy, Roots};
use serde_json::{Value, json};

use crate::lab::{Lab, call, plan_with, registry};

/// A folder of one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("plan-exec-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str) -> String {
        std::fs::write(self.0.join(name), "kept").unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn text() -> Value {
    plan_with(
        &[call("a", "work", json!({}))],
        json!({"inputs": [
            {"name": "source", "value_type": "string", "input_kind": "file_path"},
            {"name": "target", "value_type": "string", "input_kind": "output_file_path"},
            {"name": "folder", "value_type": "string", "input_kind": "directory_path"},
            {"name": "count", "value_type": "integer", "default": 1},
        ]}),
    )
}

/// What a start with these inputs is refused for.
async fn refused(lab: &Lab, inputs: Inputs) -> Vec<String> {
    let tools = registry([&Scripted::tool("work")]);
    let plan = lab.check(&text(), &tools);
    match lab.executor(&tools).start(plan, inputs).await {
        Err(StartError::InputsRejected { findings }) => findings
            .iter()
            .map(|finding| format!("{} {}", finding.code, finding.message))
            .collect(),
        Err(other) => panic!("{other}"),
        Ok(run) => {
            assert_eq!(run.wait().await.unwrap().status(), RunStatus::Succeeded);
            Vec::new()
        }
    }
}

#[tokio::test]
async fn paths_of_the_right_kind_are_fine_and_stay_as_they_are() {
    let (lab, folder) = (Lab::new(), Folder::new("right"));
    let file = folder.file("in");
    for target in [folder.path("new"), folder.file("old")] {
        let inputs = inputs! {"source": file, "target": target, "folder": folder.path("")};
        assert_eq!(refused(&lab, inputs).await, [""; 0]);
    }
    assert!(!Path::new(&folder.path("new")).exists());
    assert_eq!(std::fs::read_to_string(folder.path("old")).unwrap(), "kept");
}

#[tokio::test]
async fn everything_that_is_wrong_with_the_inputs_is_said_at_once() {
    let (lab, folder) = (Lab::new(), Folder::new("wrong"));
    let (file, gone) = (folder.file("in"), folder.path("gone"));
    let inputs = inputs! {
        "source": gone, "target": format!("{gone}/out"), "folder": file, "count": "three", "more": 1
    };
    assert_eq!(
        refused(&lab, inputs).await,
        [
            "P905 the input `count` is a string, not an integer".to_owned(),
            format!("P905 the input `folder`: `{file}` is no folder"),
            "P903 the plan has no input `more`".to_owned(),
            format!("P905 the input `source`: `{gone}` does not exist"),
            format!(
                "P905 the input `target`: `{gone}/out` would be in a folder that does not exist"
            ),
        ]
    );
    let inputs = inputs! {"source": folder.path(""), "target": folder.path("")};
    assert_eq!(
        refused(&lab, inputs).await,
        [
            "P904 the input `folder` is required and was not given".to_owned(),
            format!("P905 the input `source`: `{}` is no file", folder.path("")),
            format!("P905 the input `target`: `{}` is no file", folder.path("")),
        ]
    );
}

#[tokio::test]
async fn a_path_outside_of_the_folders_that_the_policy_lists_is_refused() {
    let folder = Folder::new("roots");
    let listed = folder.path("listed");
    std::fs::create_dir_all(Path::new(&listed).join("inner")).unwrap();
    let (outside, inside) = (folder.file("in"), folder.file("listed/in"));
    let lab = Lab::with_policy(Policy::default().roots(Roots::Listed(vec![listed.clone()])));
    let target = format!("{listed}/out");
    let is_folder = "P905 the input `folder` is a folder outside of those that the policy lists";
    for (given, fits) in [
        (listed.clone(), true),
        (format!("{listed}/inner"), true),
        (folder.path(""), false),
        (format!("{listed}/../listed"), false),
    ] {
        let inputs =
            inputs! {"source": inside.clone(), "target": target.clone(), "folder": given.clone()};
        let expected: &[&str] = if fits { &[] } else { &[is_folder] };
        assert_eq!(refused(&lab, inputs).await, expected, "{given}");
    }
    let inputs = inputs! {"source": outside, "target": folder.path("out"), "folder": "/"};
    assert_eq!(
        refused(&lab, inputs).await,
        [
            is_folder,
            "P905 the input `source` is a file outside of the folders that the policy lists",
            "P905 the input `target` is a file outside of the folders that the policy lists",
        ]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn case_07_a_link_out_of_the_folders_that_the_policy_lists_is_refused() {
    let folder = Folder::new("links");
    let listed = folder.path("listed");
    std::fs::create_dir_all(&listed).unwrap();
    folder.file("in");
    let link = |to: &str, name: &str| {
        let name = Path::new(&listed).join(name);
        std::os::unix::fs::symlink(folder.path(to), &name).unwrap();
        name.display().to_string()
    };
    let lab = Lab::with_policy(Policy::default().roots(Roots::Listed(vec![listed.clone()])));
    let (file, up) = (link("in", "file"), link("", "up"));
    let inputs =
        inputs! {"source": file.clone(), "target": format!("{up}/out"), "folder": up.clone()};
    let out = "leads out of the folders that the policy lists";
    assert_eq!(
        refused(&lab, inputs).await,
        [
            format!("P905 the input `folder`: `{up}` {out}"),
            format!("P905 the input `source`: `{file}` {out}"),
            format!("P905 the input `target`: `{up}/out` {out}"),
        ]
    );
}
