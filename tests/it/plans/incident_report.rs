//! An incident: written up, approved and closed.

use plan_testkit::Call;
use planwright::llm::{ModelError, ModelRequest, ModelResponse};
use planwright::run::Request;
use planwright::{Answer, RunStatus, ToolError};
use serde_json::{Value, json};

use super::stage::{CANARY, Stage, Work, World};
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
    Ok(match call.tool.as_str() {
        "get_incident" => {
            json!({"title": "Checkout was down", "services": ["api", "worker", "db"]})
        }
        "acknowledge" if argument("token") != CANARY => {
            return Err(ToolError::permanent("who are you"));
        }
        "channel_history" => json!({"messages": [
            {"at": "10:07", "text": "rolled back"}, {"at": "10:00", "text": "checkout is red"},
        ]}),
        "read_logs" if argument("service") == "db" && call.attempt == 1 => {
            return Err(ToolError::transient("the log server is busy"));
        }
        "read_logs" => json!({"lines": [
            "10:00 ok", "10:01 ok", format!("10:02 {} has no connection left", argument("service")),
        ]}),
        "read_metrics" => {
            let rate = if argument("service") == "api" {
                0.4
            } else {
                0.01
            };
            json!({"error_rate": rate, "p99_ms": 180})
        }
        "take_profile" => json!({"url": "https://profiles.example.com/1"}),
        "search_incidents" => json!({"incidents": [{"id": "INC-7", "title": "Like it"}]}),
        "create_page" => json!({"url": "https://wiki.example.com/inc-42"}),
        "open_ticket" => json!({"id": format!("T-{}", argument("title").len())}),
        "close_incident" => json!({"closed": true}),
        _ => json!({}),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of a model")]
fn model(request: &ModelRequest) -> Result<ModelResponse, ModelError> {
    let text = request.last_user_text().unwrap_or_default();
    Ok(match request.model.as_str() {
        "judge" => ModelResponse::json(json!({
            "is_enough": text.contains("number 3"), "cause": "no limit on connections",
        })),
        _ if text.starts_with("List") => {
            ModelResponse::json(json!(["Limit connections", "Alert earlier"]))
        }
        _ if text.starts_with("Why number") => {
            let number = text.chars().nth("Why number ".len()).unwrap_or_default();
            ModelResponse::text(format!("number {number}"))
        }
        _ if text.starts_with("Write") => {
            ModelResponse::text("# Checkout was down\n\nConnections ran out.")
        }
        _ => ModelResponse::text("It ran out of connections."),
    })
}

fn agent(objective: &str) -> Work {
    assert!(
        objective.contains("- 10:00 checkout is red\n- 10:07 rolled back"),
        "{objective}"
    );
    (None, "connections ran out")
}

fn person(request: &Request) -> Answer {
    match request.step.step().as_str() {
        "commander" => Answer::Text("A deploy doubled the connections.".to_owned()),
        "hand_back" => Answer::Text("I will.".to_owned()),
        _ => Answer::Approve,
    }
}

#[tokio::test]
async fn a_bundle_runs_from_its_own_tools_to_a_closed_incident() {
    let stage = Stage::new("incident-report", world());
    let ended = stage.run().await;
    let told = view::record(&ended.record);
    assert!(!told.contains(CANARY));
    insta::assert_snapshot!(told, @r#"
    Incident report: succeeded
    get_incident: succeeded, services ["api","worker","db"], title "Checkout was down"
    acknowledge: succeeded
    history: succeeded, messages [{"at":"10:07","text":"rolled back"},{"at":"10:00","text":"c… and 17 more
    gather: succeeded, results ["It ran out of connections.","It ran out of connections.","… and 28 more
    gather[0]/logs: succeeded, lines ["10:00 ok","10:01 ok","10:02 api has no connection left"]
    gather[0]/shorten: succeeded, text "api has no connection left\nok"
    gather[0]/metrics: succeeded, error_rate 0.4, p99_ms 180
    gather[0]/is_hot: succeeded, result true
    gather[0]/profile: succeeded, url "https://profiles.example.com/1"
    gather[0]/summary: succeeded, text "It ran out of connections."
    gather[1]/logs: succeeded, lines ["10:00 ok","10:01 ok","10:02 worker has no connection left"… and 1 more
    gather[1]/shorten: succeeded, text "worker has no connection left\nok"
    gather[1]/metrics: succeeded, error_rate 0.01, p99_ms 180
    gather[1]/is_hot: succeeded, result false
    gather[1]/profile: skipped, not_taken
    gather[1]/summary: succeeded, text "It ran out of connections."
    gather[2]/logs: succeeded in 2 attempts, lines ["10:00 ok","10:01 ok","10:02 db has no connection left"]
    gather[2]/shorten: succeeded, text "db has no connection left\nok"
    gather[2]/metrics: succeeded, error_rate 0.01, p99_ms 180
    gather[2]/is_hot: succeeded, result false
    gather[2]/profile: skipped, not_taken
    gather[2]/summary: succeeded, text "It ran out of connections."
    merge: succeeded, text "api: It ran out of connections.\nworker: It ran out of conn… and 41 more
    timeline: succeeded, text "- 10:00 checkout is red\n- 10:07 rolled back"
    guess: succeeded, cause "connections ran out"
    commander: succeeded by ada, answer "A deploy doubled the connections."
    whys: succeeded, results [{"verdict":{"cause":"no limit on connections","is_enough":f… and 138 more
    whys[0]/why: succeeded, answer "number 1"
    whys[0]/judge: succeeded, verdict {"cause":"no limit on connections","is_enough":false}
    whys[1]/why: succeeded, answer "number 2"
    whys[1]/judge: succeeded, verdict {"cause":"no limit on connections","is_enough":false}
    whys[2]/why: succeeded, answer "number 3"
    whys[2]/judge: succeeded, verdict {"cause":"no limit on connections","is_enough":true}
    similar: succeeded, incidents [{"id":"INC-7","title":"Like it"}]
    evidence: succeeded, parts [["It ran out of connections.","It ran out of connections.",… and 229 more
    draft: succeeded
    names: succeeded, found false
    has_names: succeeded, result true
    hand_back: skipped, not_taken
    approve: succeeded by ada, decision "approved"
    publish: succeeded, url "https://wiki.example.com/inc-42"
    actions: succeeded, list ["Limit connections","Alert earlier"]
    tickets: succeeded, results ["T-17","T-13"]
    tickets[0]/ticket: succeeded, id "T-17"
    tickets[1]/ticket: succeeded, id "T-13"
    close: succeeded, closed true
    => report "https://wiki.example.com/inc-42"
    => tickets ["T-17","T-13"]
    "#);
    insta::assert_snapshot!(view::attempts(&ended.record), @"acknowledge 1, actions 1, close 1, draft 1, get_incident 1, guess 1, history 1, judge 3, logs 4, merge 1, metrics 3, names 1, profile 1, publish 1, shorten 3, similar 1, summary 3, ticket 2, timeline 1, why 3");
    assert_eq!(
        ended.questions(),
        ["approval approve", "question commander"]
    );
    // a string where the plan declares one
    assert_eq!(
        ended.record.step("approve").unwrap().outputs["decision"],
        "approved"
    );
    // `until` held on the third of five
    assert_eq!(ended.record.step("whys").unwrap().items.len(), 3);
}

#[tokio::test]
async fn a_report_that_names_people_goes_back_to_its_author() {
    fn names(request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        match request.last_user_text() {
            Some(text) if text.starts_with("Write") => {
                Ok(ModelResponse::text("bo@example.com did it"))
            }
            _ => model(request),
        }
    }
    let stage = Stage::new(
        "incident-report",
        World {
            model: names,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Succeeded);
    assert_eq!(
        ended.questions(),
        ["question commander", "question hand_back"]
    );
    let published = stage.log.of("create_page");
    assert!(published.is_empty());
}

#[tokio::test]
async fn a_why_that_never_ends_fails_the_run_and_says_so() {
    fn endless(request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        match request.model.as_str() {
            "judge" => Ok(ModelResponse::json(
                json!({"is_enough": false, "cause": ""}),
            )),
            _ => model(request),
        }
    }
    let stage = Stage::new(
        "incident-report",
        World {
            model: endless,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Failed);
    let whys = ended.record.step("whys").unwrap();
    assert_eq!(whys.items.len(), 5);
    insta::assert_snapshot!(whys.failure.as_ref().unwrap().message, @"`until` (`step.judge.verdict.is_enough == true`) held for none of the 5 items");
}
