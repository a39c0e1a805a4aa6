//! A release: approved and published, or red and looked into.

use plan_testkit::Call;
use planwright::llm::{ModelError, ModelRequest, ModelResponse};
use planwright::run::Request;
use planwright::{Answer, RunStatus, ToolError};
use serde_json::{Value, json};

use super::stage::{Stage, Work, World};
use super::view;

pub(crate) fn world() -> World {
    World {
        tool,
        model,
        agent,
        person,
    }
}

fn tool(call: &Call) -> Result<Value, ToolError> {
    let argument = |name: &str| call.arguments[name].as_str().unwrap_or_default();
    let part = |name: &str| {
        argument(name)
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    Ok(match call.tool.as_str() {
        "repo_log" if argument("repository") == "acme/docs" && call.attempt == 1 => {
            return Err(ToolError::transient("the server closed the connection"));
        }
        "repo_log" => {
            let name = part("repository");
            let wire = json!({"id": "e2", "title": "Change the wire format"});
            let commits = [json!({"id": "c1", "title": format!("Mend {name}")})];
            let more = (name == "engine").then_some(wire);
            json!({"commits": commits.into_iter().chain(more).collect::<Vec<_>>()})
        }
        "build_component" => {
            let name = part("repository");
            json!({
                "artifact": format!("https://registry.example.com/{name}-1.4.0"),
                "digest": format!("sha256:{:08x}", name.len()),
            })
        }
        "run_tests" if argument("platform") == "mac" && call.attempt == 1 => {
            return Err(ToolError::transient("the machine went to sleep"));
        }
        "run_tests" => json!({"failed": 0}),
        "scan_artifact" => json!({"findings": [{"id": "CVE-1", "severity": "low"}]}),
        "deploy" => json!({"url": "https://staging.example.com"}),
        "probe" if call.arguments["number"].as_u64() < Some(3) => json!({"status": 503}),
        "probe" => json!({"status": 200}),
        "publish_artifact" => json!({"url": argument("artifact")}),
        "create_tag" => json!({"tag": format!("{}-{}", argument("component"), argument("tag"))}),
        _ => json!({}),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of a model")]
fn model(request: &ModelRequest) -> Result<ModelResponse, ModelError> {
    let text = request.last_user_text().unwrap_or_default();
    Ok(match request.model.as_str() {
        "fast" => ModelResponse::json(json!({
            "breaking": text.contains("wire format"),
            "summary": if text.contains("wire format") { "A new wire format" } else { "Mended" },
        })),
        _ => ModelResponse::text("1.4.0 is out."),
    })
}

fn agent(_objective: &str) -> Work {
    let call = (
        "repo_log",
        json!({"repository": "acme/engine", "since": "1.3.2"}),
    );
    (
        Some(call),
        "I looked. {\"cause\": \"e2 changed the wire format\"}",
    )
}

fn person(request: &Request) -> Answer {
    match request.step.step().as_str() {
        "ask_migration" => Answer::Text("Run `acme migrate` once.".to_owned()),
        _ => Answer::Approve,
    }
}

#[tokio::test]
async fn a_green_release_is_published_once_it_and_each_artifact_are_approved() {
    let stage = Stage::new("release-train", world());
    let ended = stage.run().await;
    insta::assert_snapshot!(view::record(&ended.record), @r##"
    Release train: succeeded
    changes: succeeded, results [{"sorted":{"breaking":true,"summary":"A new wire format"}},… and 98 more
    changes[0]/list_changes: succeeded, commits [{"id":"c1","title":"Mend engine"},{"id":"e2","title":"Chang… and 20 more
    changes[0]/sort_changes: succeeded, sorted {"breaking":true,"summary":"A new wire format"}
    changes[1]/list_changes: succeeded, commits [{"id":"c1","title":"Mend console"}]
    changes[1]/sort_changes: succeeded, sorted {"breaking":false,"summary":"Mended"}
    changes[2]/list_changes: succeeded in 2 attempts, commits [{"id":"c1","title":"Mend docs"}]
    changes[2]/sort_changes: succeeded, sorted {"breaking":false,"summary":"Mended"}
    notes: succeeded, breaking true, markdown "# 1.4.0\n\n- A new wire format\n- Mended\n- Mended"
    is_breaking: succeeded, result true
    ask_migration: succeeded by ada, text "Run `acme migrate` once."
    no_migration: skipped, not_taken
    draft: succeeded, announcement "1.4.0 is out."
    candidates: succeeded, results [{"artifact":"https://registry.example.com/engine-1.4.0","co… and 293 more
    candidates[0]/build: succeeded, artifact "https://registry.example.com/engine-1.4.0", digest "sha256:00000006"
    candidates[0]/matrix: succeeded, errors [], results [0,0]
    candidates[0]/matrix[0]/test: succeeded, failed 0
    candidates[0]/matrix[1]/test: succeeded in 2 attempts, failed 0
    candidates[0]/scan: succeeded, findings [{"id":"CVE-1","severity":"low"}]
    candidates[0]/verdict: succeeded, candidate {"artifact":"https://registry.example.com/engine-1.4.0","com… and 57 more
    candidates[1]/build: succeeded, artifact "https://registry.example.com/console-1.4.0", digest "sha256:00000007"
    candidates[1]/matrix: succeeded, errors [], results [0,0]
    candidates[1]/matrix[0]/test: succeeded, failed 0
    candidates[1]/matrix[1]/test: succeeded in 2 attempts, failed 0
    candidates[1]/scan: succeeded, findings [{"id":"CVE-1","severity":"low"}]
    candidates[1]/verdict: succeeded, candidate {"artifact":"https://registry.example.com/console-1.4.0","co… and 59 more
    candidates[2]/build: succeeded, artifact "https://registry.example.com/docs-1.4.0", digest "sha256:00000004"
    candidates[2]/matrix: succeeded, errors [], results [0,0]
    candidates[2]/matrix[0]/test: succeeded, failed 0
    candidates[2]/matrix[1]/test: succeeded in 2 attempts, failed 0
    candidates[2]/scan: succeeded, findings [{"id":"CVE-1","severity":"low"}]
    candidates[2]/verdict: succeeded, candidate {"artifact":"https://registry.example.com/docs-1.4.0","compo… and 53 more
    gate: succeeded, green true, red "", releases [{"artifact":"https://registry.example.com/engine-1.4.0","co… and 254 more, shown "https://registry.example.com/engine-1.4.0 sha256:00000006\n… and 116 more
    is_green: succeeded, result true
    investigate: skipped, not_taken
    report_red: skipped, not_taken
    stage: succeeded, url "https://staging.example.com"
    healthy: succeeded, results [503,503,200]
    healthy[0]/probe: succeeded, status 503
    healthy[1]/probe: succeeded, status 503
    healthy[2]/probe: succeeded, status 200
    approve: succeeded by ada, approved true
    rollout: succeeded, results ["engine-1.4.0","console-1.4.0","docs-1.4.0"]
    rollout[0]/publish: succeeded by ada, url "https://registry.example.com/engine-1.4.0"
    rollout[0]/tag: succeeded, tag "engine-1.4.0"
    rollout[1]/publish: succeeded by ada, url "https://registry.example.com/console-1.4.0"
    rollout[1]/tag: succeeded, tag "console-1.4.0"
    rollout[2]/publish: succeeded by ada, url "https://registry.example.com/docs-1.4.0"
    rollout[2]/tag: succeeded, tag "docs-1.4.0"
    gathered: succeeded, parts [[{"artifact":"https://registry.example.com/engine-1.4.0","c… and 355 more
    manifest: succeeded, manifest {"components":3,"tags":["engine-1.4.0","console-1.4.0","docs… and 27 more
    announce: succeeded
    => announcement "1.4.0 is out."
    => manifest {"components":3,"tags":["engine-1.4.0","console-1.4.0","docs… and 27 more
    => red ""
    "##);
    insta::assert_snapshot!(view::attempts(&ended.record), @"announce 1, build 3, draft 1, gate 1, list_changes 4, manifest 1, notes 1, probe 3, publish 3, scan 3, sort_changes 3, stage 1, tag 3, test 9, verdict 3");
    assert_eq!(
        ended.questions(),
        [
            "approval approve",
            "effect rollout[0]/publish",
            "effect rollout[1]/publish",
            "effect rollout[2]/publish",
            "question ask_migration",
        ]
    );
    // an approval shows what it approves
    let shown = |request: &&Request| request.step.step().as_str() == "approve";
    let prompt = &ended.asked.iter().find(shown).unwrap().prompt;
    assert!(
        prompt.contains("https://registry.example.com/console-1.4.0 sha256:00000007"),
        "{prompt}"
    );
    // the plan allows itself eight effects at a time
    assert!(stage.log.peak() <= 8);
}

#[tokio::test]
async fn a_red_candidate_is_looked_into_and_nothing_is_published() {
    fn red(call: &Call) -> Result<Value, ToolError> {
        match call.tool.as_str() {
            "run_tests" if call.arguments["artifact"].to_string().contains("engine") => {
                Ok(json!({"failed": 2}))
            }
            "scan_artifact" => Ok(json!({"findings": [{"id": "CVE-2", "severity": "high"}]})),
            _ => tool(call),
        }
    }
    let stage = Stage::new(
        "release-train",
        World {
            tool: red,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Succeeded);
    assert_eq!(ended.questions(), ["question ask_migration"]);
    let red = "engine: 4 tests failed, CVE-2; console: CVE-2; docs: CVE-2";
    assert_eq!(ended.record.outputs()["red"], red);
    let said = stage.log.of("post_message");
    assert_eq!(said.len(), 1);
    assert_eq!(
        said[0].arguments["text"],
        "1.4.0 stops here: e2 changed the wire format"
    );
    for never in ["deploy", "publish_artifact", "create_tag"] {
        assert!(stage.log.of(never).is_empty(), "{never}");
    }
    insta::assert_snapshot!(view::attempts(&ended.record), @"build 3, draft 1, gate 1, investigate 1, list_changes 4, notes 1, report_red 1, scan 3, sort_changes 3, test 8, verdict 3");
}

#[tokio::test]
async fn a_candidate_that_was_not_tested_everywhere_is_red() {
    fn untested(call: &Call) -> Result<Value, ToolError> {
        match call.tool.as_str() {
            "run_tests" if call.arguments["platform"] == "mac" => {
                Err(ToolError::transient("no machine is free"))
            }
            _ => tool(call),
        }
    }
    let stage = Stage::new(
        "release-train",
        World {
            tool: untested,
            ..world()
        },
    );
    let ended = stage.run().await;
    let red = "engine: not tested everywhere; console: not tested everywhere; docs: not tested everywhere";
    assert_eq!(ended.record.outputs()["red"], red);
    // the failure stays with its item, after all of its attempts
    let path = "candidates[1]/matrix[1]/test".parse().unwrap();
    assert_eq!(ended.record.step_at(&path).unwrap().attempts.len(), 2);
    assert_eq!(ended.record.status(), RunStatus::Succeeded);
}

#[tokio::test]
async fn a_release_that_is_rejected_publishes_nothing() {
    fn rejects(request: &Request) -> Answer {
        match request.step.step().as_str() {
            "approve" => Answer::Reject,
            _ => person(request),
        }
    }
    let stage = Stage::new(
        "release-train",
        World {
            person: rejects,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Cancelled);
    assert!(stage.log.of("publish_artifact").is_empty());
    let open = ended
        .record
        .all_steps()
        .into_iter()
        .filter(|(_, step)| !step.status.is_ended());
    assert_eq!(open.count(), 0);
}
