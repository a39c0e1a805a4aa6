//! Fan-outs driven by a real executor.

use std::time::Duration;

use plan_exec::{Inputs, Resume, ToolError};
use plan_run::{Decision, FailureClass, RunStatus, StepPath};
use plan_testkit::{Gate, Scripted};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, begun, call, object, plan_with, registry, somebody, with};

/// A fan-out `each` over these rows, whose body calls `t` with the row.
fn over(rows: &Value, config: Value) -> Value {
    let each = json!({
        "type": "FAN_OUT", "over": "${conf.rows}", "item_var": "row", "spawn_steps": ["get"],
    });
    plan_with(
        &[
            json!({"id": "each", "name": "each", "config": with(each, config)}),
            call("get", "t", json!({"row": "${item.row}"})),
        ],
        json!({"config": {"rows": rows}}),
    )
}

fn outputs(record: &plan_run::RunRecord) -> Value {
    Value::Object((*record.step("each").unwrap().outputs).clone())
}

#[tokio::test(start_paused = true)]
async fn case_26_items_overlap_up_to_max_parallel() {
    for (parallel, millis) in [(1, 1000), (3, 400), (9, 200)] {
        let lab = Lab::new();
        let tool = Scripted::tool("t")
            .read_only()
            .after(Duration::from_millis(200));
        let text = over(&json!([0, 1, 2, 3, 4]), json!({"max_parallel": parallel}));
        let began = Instant::now();
        let record = lab.run(&text, &registry([&tool])).await;
        assert_eq!(began.elapsed(), Duration::from_millis(millis), "{parallel}");
        assert_eq!(tool.log().peak(), parallel.min(5));
        assert_eq!(
            outputs(&record),
            json!({"results": [{"row": 0}, {"row": 1}, {"row": 2}, {"row": 3}, {"row": 4}]})
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_items_run_in_order() {
    let lab = Lab::new();
    let tool = Scripted::tool("t").read_only();
    let rows: Vec<usize> = (0..1000).collect();
    let text = over(&json!(rows), json!({"max_parallel": 32}));
    let record = lab.run(&text, &registry([&tool])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let results = &record.step("each").unwrap().outputs["results"];
    assert!((0..1000).all(|index| results[index]["row"] == index));
    assert_eq!(record.step("each").unwrap().items.len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn case_30_a_body_steps_own_timeout_and_retries_hold_for_each_item() {
    let lab = Lab::new();
    let stuck = |call: &plan_testkit::Call| call.arguments["row"] == 1 && call.attempt == 1;
    let tool = Scripted::tool("t").read_only().answers(move |call| {
        if stuck(call) {
            return Err(ToolError::transient("busy"));
        }
        Ok(json!({"row": call.arguments["row"]}))
    });
    let mut text = over(&json!([0, 1]), json!({"max_parallel": 2}));
    text["steps"][1]["retry"] = json!({"max_attempts": 2, "delay_secs": 3, "jitter": false});
    let began = Instant::now();
    let record = lab.run(&text, &registry([&tool])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(began.elapsed(), Duration::from_secs(3));
    let attempts = |path: &str| {
        let path: StepPath = path.parse().unwrap();
        record.step_at(&path).unwrap().attempts.len()
    };
    assert_eq!((attempts("each[0]/get"), attempts("each[1]/get")), (1, 2));

    let lab = Lab::new();
    let hangs = Scripted::tool("t").read_only().hangs();
    let mut text = over(&json!([0]), json!({"on_item_error": "collect"}));
    text["steps"][1]["timeout_secs"] = json!(2);
    let record = lab.run(&text, &registry([&hangs])).await;
    let errors = &record.step("each").unwrap().outputs["errors"];
    assert_eq!(errors[0]["class"], "timeout");
}

#[tokio::test(start_paused = true)]
async fn case_30_every_attempt_of_every_item_is_on_record() {
    let lab = Lab::new();
    // the first wait hangs, and the first call of item 1 is refused for now
    let tool = Scripted::tool("t").read_only().answers(|call| {
        match (&call.arguments["row"], call.attempt) {
            (row, 1) if *row == 1 => Err(ToolError::transient("busy")),
            (row, _) => Ok(json!({"row": row})),
        }
    });
    let hangs = Scripted::tool("h").read_only().hangs().returns(json!({}));
    let mut text = over(&json!([0, 1]), json!({"spawn_steps": ["wait", "get"]}));
    text["steps"][1]["retry"] = json!({"max_attempts": 3, "delay_secs": 2, "jitter": false});
    let wait = with(
        call("wait", "h", json!({"row": "${item.row}"})),
        json!({"timeout_secs": 5, "retry": {"max_attempts": 2, "delay_secs": 0}}),
    );
    text["steps"].as_array_mut().unwrap().push(wait);
    let record = lab.run(&text, &registry([&tool, &hangs])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let told = |path: &str| {
        let step = record.step_at(&path.parse().unwrap()).unwrap();
        let attempts = step.attempts.iter().map(|attempt| {
            let end = attempt.end.as_ref().unwrap();
            let class = end.failure.as_ref().map(|failure| failure.class.as_str());
            let seconds = end.at.since(attempt.started_at).as_secs();
            let row = &attempt.arguments["row"];
            format!(
                "{} {row} {seconds} s {}",
                attempt.attempt,
                class.unwrap_or("ok")
            )
        });
        attempts.collect::<Vec<_>>()
    };
    assert_eq!(told("each[0]/wait"), ["1 0 5 s timeout", "2 0 0 s ok"]);
    assert_eq!(told("each[0]/get"), ["1 0 0 s ok"]);
    assert_eq!(told("each[1]/wait"), ["1 1 0 s ok"]);
    assert_eq!(told("each[1]/get"), ["1 1 0 s transient", "2 1 0 s ok"]);
    // and so it is read again, by anybody
    let read = plan_exec::read_run(&lab.store, record.run_id())
        .await
        .unwrap();
    assert_eq!(read, record);
}

#[tokio::test(start_paused = true)]
async fn case_33_until_that_holds_on_the_third_of_five_stops_there_and_one_that_never_does_fails() {
    for (wanted, calls, status) in [(2, 3, RunStatus::Succeeded), (7, 5, RunStatus::Failed)] {
        let lab = Lab::new();
        let tool = Scripted::tool("t").read_only();
        let until = format!("step.get.row == {wanted}");
        let text = over(&json!([0, 1, 2, 3, 4]), json!({"until": until}));
        let record = lab.run(&text, &registry([&tool])).await;
        assert_eq!(record.status(), status);
        let each = record.step("each").unwrap();
        assert_eq!((each.items.len(), tool.calls().len()), (calls, calls));
        if status == RunStatus::Succeeded {
            let results = json!([{"row": 0}, {"row": 1}, {"row": 2}]);
            assert_eq!(outputs(&record), json!({"results": results}));
            continue;
        }
        let failure = each.failure.as_ref().unwrap();
        assert_eq!(
            failure.message,
            "`until` (`step.get.row == 7`) held for none of the 5 items"
        );
        let told = record.failure().unwrap();
        assert_eq!(
            (&told.message, told.class),
            (&failure.message, failure.class)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn case_29_no_step_is_open_after_an_empty_list_and_branches_of_items() {
    for rows in [json!([]), json!([1, 2, 3])] {
        let lab = Lab::new();
        let tool = Scripted::tool("t").read_only();
        let mut text = over(&rows, json!({"spawn_steps": ["odd", "get", "other"]}));
        let steps = text["steps"].as_array_mut().unwrap();
        let branch = json!({
            "type": "CONDITION", "expression": "item.row % 2 == 1",
            "true_steps": ["get"], "false_steps": ["other"],
        });
        steps.push(json!({"id": "odd", "name": "odd", "config": branch}));
        steps[1]["depends_on"] = json!(["odd"]);
        steps.push(with(
            call("other", "t", json!({})),
            json!({"depends_on": ["odd"]}),
        ));
        let after = json!({"depends_on": ["each"], "join": "settled"});
        steps.push(with(call("after", "t", json!({})), after));
        let record = lab.run(&text, &registry([&tool])).await;
        assert_eq!(
            record.status(),
            RunStatus::Succeeded,
            "{:?}",
            record.failure()
        );
        for (path, step) in record.all_steps() {
            assert!(step.status.is_ended(), "{path} is {}", step.status);
        }
        let items = rows.as_array().unwrap().len();
        assert_eq!(tool.calls().len(), items + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_fan_out_out_of_time_stops_its_calls_and_nothing_else() {
    let lab = Lab::new();
    let stuck = Scripted::tool("t").lingers(json!({}));
    let slow = Scripted::tool("slow")
        .read_only()
        .after(Duration::from_secs(9));
    let mut text = over(&json!([0, 1, 2]), json!({"max_parallel": 2}));
    text["steps"][0]["timeout_secs"] = json!(4);
    text["steps"][0]["on_error"] = json!("continue");
    let steps = text["steps"].as_array_mut().unwrap();
    steps.push(call("beside", "slow", json!({})));
    let began = Instant::now();
    let record = lab.run(&text, &registry([&stuck, &slow])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(began.elapsed(), Duration::from_secs(9));
    let failure = record.step("each").unwrap().failure.clone().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(stuck.calls().len(), 2);
    assert_eq!(stuck.log().running(), 0);
}

#[tokio::test(start_paused = true)]
async fn case_41_cancelling_stops_the_calls_of_every_item() {
    let lab = Lab::new();
    let stuck = Scripted::tool("t").lingers(json!({}));
    let text = over(&json!([0, 1, 2]), json!({"max_parallel": 2}));
    let run = lab.start(&text, &registry([&stuck])).await;
    while stuck.log().running() < 2 {
        tokio::task::yield_now().await;
    }
    run.cancel(somebody(), "enough").await.unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    for (path, step) in record.all_steps() {
        assert!(step.status.is_ended(), "{path} is {}", step.status);
    }
    assert_eq!((stuck.calls().len(), stuck.log().running()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn case_51_finished_items_survive_a_failure() {
    let lab = Lab::new();
    let broken = Scripted::tool("t").answers(|call| match &call.arguments["row"] {
        row if *row == 2 => {
            Err(ToolError::permanent("no such row").dispatched(plan_exec::Dispatched::No))
        }
        row => Ok(json!({"was": row})),
    });
    let text = over(&json!([0, 1, 2, 3]), json!({}));
    let run = lab.start(&text, &registry([&broken])).await;
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Failed);
    let mended = Scripted::tool("t").answers(|call| Ok(json!({"is": call.arguments["row"]})));
    let executor = lab.executor(&registry([&mended]));
    let preview = executor.preview(run.id()).await.unwrap();
    let reset: Vec<String> = preview.reset.iter().map(ToString::to_string).collect();
    assert_eq!(reset, ["each", "each[2]/get"]);
    let again = executor
        .resume_as(run.id(), Resume::WorldFixed)
        .await
        .unwrap();
    let record = again.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(
        outputs(&record)["results"],
        json!([{"was": 0}, {"was": 1}, {"is": 2}, {"is": 3}])
    );
    assert_eq!(
        begun(&lab.journal(run.id()).await),
        [
            ("each[0]/get".to_owned(), 1),
            ("each[1]/get".to_owned(), 1),
            ("each[2]/get".to_owned(), 1),
            ("each[2]/get".to_owned(), 2),
            ("each[3]/get".to_owned(), 1),
        ]
    );
}

#[test]
fn case_45_a_killed_run_goes_on_with_its_items_and_asks_about_unsafe_calls_by_item() {
    let lab = Lab::manual();
    let gate = Gate::new();
    let before = Scripted::tool("t")
        .returns(json!({"n": 0}))
        .returns(json!({}))
        .past(&gate);
    let text = over(&json!([0, 1, 2]), json!({}));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let run = runtime.block_on(async {
        let tools = registry([&before]);
        let plan = lab.check(&text, &tools);
        let run = lab
            .executor(&tools)
            .start(plan, Inputs::none())
            .await
            .unwrap();
        gate.arrived(1).await;
        run.id().clone()
    });
    runtime.shutdown_background();
    lab.after_the_claim();
    let after = Scripted::tool("t").returns(json!({"n": 2}));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let executor = lab.executor(&registry([&after]));
        let record = executor.resume(&run).await.unwrap().wait().await.unwrap();
        assert_eq!(record.status(), RunStatus::Waiting);
        assert_eq!(after.calls(), []);
        let decision = Decision::MarkSucceeded(object(json!({"n": 1})).into());
        let step: StepPath = "each[1]/get".parse().unwrap();
        executor
            .decide(&run, step, decision, somebody())
            .await
            .unwrap();
        let record = executor.resume(&run).await.unwrap().wait().await.unwrap();
        assert_eq!(record.status(), RunStatus::Succeeded);
        assert_eq!(
            outputs(&record)["results"],
            json!([{"n": 0}, {"n": 1}, {"n": 2}])
        );
    });
    assert_eq!(before.calls().len(), 2);
    assert_eq!(after.calls().len(), 1);
}
