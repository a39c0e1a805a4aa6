//! A call's paths are held inside what the run was granted, links followed.

use std::path::PathBuf;

use plan_exec::{Inputs, inputs};
use plan_run::{Effect, FailureClass};
use plan_testkit::Scripted;
use plan_validate::{Policy, Roots};
use serde_json::{Value, json};

use crate::lab::{Lab, call, plan_with, registry};

/// A folder of one test with a granted folder, a file outside of it, and links from one to the other.
struct World(PathBuf);

impl World {
    fn new(name: &str) -> Self {
        let base =
            std::env::temp_dir().join(format!("plan-exec-args-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&base));
        std::fs::create_dir_all(base.join("granted")).unwrap();
        std::fs::create_dir_all(base.join("other")).unwrap();
        std::fs::write(base.join("other/file"), "x").unwrap();
        std::fs::write(base.join("granted/file"), "x").unwrap();
        let world = Self(base.canonicalize().unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink(world.0.join("other"), world.0.join("granted/link")).unwrap();
        world
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn tool() -> Scripted {
    Scripted::tool("work").declared(|spec| {
        spec.input_schema = Some(plan_model::Schema(json!({"type": "object", "properties": {
            "from": {"type": "string", "x-path-kind": "file_path"},
            "all": {"type": "array", "items": {"type": "string"}, "x-path-kind": "file_path"},
            "to": {"type": "string", "x-inxm-input-kind": "output_file_path"},
            "note": {"type": "string"},
        }})));
    })
}

/// How often the tool was called, and the failure's message where it was refused.
async fn run(policy: Policy, arguments: Value, inputs: Inputs) -> Option<String> {
    let lab = Lab::with_policy(policy);
    let work = tool();
    let tools = registry([&work]);
    let text = plan_with(
        &[call("a", "work", arguments)],
        json!({"inputs": [
            {"name": "folder", "value_type": "string", "input_kind": "directory_path", "required": false},
            {"name": "file", "value_type": "string", "input_kind": "file_path", "required": false},
        ]}),
    );
    let run = lab
        .executor(&tools)
        .start(lab.check(&text, &tools), inputs)
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    let failure = record.failure().map(|failure| {
        assert_eq!(failure.class, FailureClass::RefusedByGrant, "{failure}");
        assert_eq!(failure.effect, Effect::None);
        failure.message.clone()
    });
    assert_eq!(work.calls().len(), usize::from(failure.is_none()));
    failure
}

#[tokio::test]
async fn case_07_a_path_argument_that_leaves_the_roots_is_refused_at_the_call() {
    let world = World::new("leaves");
    let inputs = || inputs! {"folder": world.path("granted")};
    for (argument, path, fits) in [
        ("from", world.path("granted/file"), true),
        ("to", world.path("granted/new/deep"), true),
        ("from", world.path("granted/../granted/file"), true),
        ("from", "notes/a.md".to_owned(), true),
        ("note", "/etc/passwd".to_owned(), true),
        ("from", world.path("other/file"), false),
        ("from", world.path("granted/../other/file"), false),
        ("from", world.path("granted/link/file"), false),
        ("to", world.path("granted/link/new"), false),
        ("to", world.path("granted-too"), false),
        ("from", "/etc/passwd".to_owned(), false),
        ("from", "a/../../b".to_owned(), false),
    ] {
        let refused = run(Policy::default(), json!({argument: path}), inputs()).await;
        assert_eq!(refused.is_none(), fits, "{argument} {path}: {refused:?}");
    }
    let several = json!({"all": [world.path("granted/file"), world.path("other/file")]});
    let refused = run(Policy::default(), several, inputs()).await.unwrap();
    assert!(
        refused.contains("other/file") && refused.contains("`roots` of the policy"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_file_that_the_caller_named_may_be_passed_on() {
    let world = World::new("named");
    let named = inputs! {"file": world.path("other/file")};
    let passed = run(Policy::default(), json!({"from": "${input.file}"}), named).await;
    assert_eq!(passed, None);
}

#[tokio::test]
async fn a_policy_that_lists_no_roots_holds_no_path() {
    let world = World::new("anywhere");
    let policy = Policy::default().roots(Roots::Unrestricted);
    let arguments = json!({"from": world.path("other/file")});
    assert_eq!(run(policy, arguments, Inputs::none()).await, None);
}
