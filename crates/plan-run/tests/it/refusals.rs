//! Events and plans that the machine refuses.

use plan_run::{
    CreateRefused, Effect, Event, EventKind, FailureClass, Machine, NewRun, Refused, RunId,
    SkipReason,
};
use serde_json::{Map, Value, json};

use crate::harness::{Driver, call, call_with, failure, path, plan};

fn chain() -> Driver {
    Driver::new(&json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({}))
    ]))
}

fn refuse(run: &Driver, kind: EventKind) -> Refused {
    let mut machine = run.machine.clone();
    let refused = machine.apply(&Event { at: run.now, kind }).unwrap_err();
    assert_eq!(
        machine.record(),
        run.machine.record(),
        "a refused event changes nothing"
    );
    refused
}

/// The event by which the machine proposed the start of a step.
fn start_of(run: &Driver, id: &str) -> EventKind {
    let mut events = run
        .journal
        .iter()
        .map(|bytes| plan_run::decode(bytes).unwrap().kind);
    events
        .find(
            |event| matches!(event, EventKind::AttemptStarted(started) if started.step == path(id)),
        )
        .unwrap()
}

#[test]
fn an_attempt_starts_once() {
    let run = chain();
    let refused = refuse(&run, start_of(&run, "a"));
    assert_eq!(
        refused.to_string(),
        "`attempt_started` cannot befall step `a`, which is running"
    );
}

#[test]
fn an_attempt_has_the_number_and_generation_that_follow() {
    let mut run = Driver::new(&json!([call("a", "read", &[], &json!({}))]));
    let EventKind::AttemptStarted(mut started) = start_of(&run, "a") else {
        unreachable!()
    };
    run.crash();
    let ended = EventKind::AttemptEnded {
        step: path("a"),
        attempt: 1,
        outcome: plan_run::event::AttemptOutcome::Interrupted,
    };
    assert_eq!(
        refuse(&run, ended),
        Refused::WrongAttempt {
            step: path("a"),
            expected: 2,
            actual: 1
        }
    );
    run.push(EventKind::AttemptEnded {
        step: path("a"),
        attempt: 2,
        outcome: plan_run::event::AttemptOutcome::Interrupted,
    });
    assert_eq!(
        refuse(&run, EventKind::AttemptStarted(started.clone())),
        Refused::WrongAttempt {
            step: path("a"),
            expected: 3,
            actual: 1
        }
    );
    started.attempt = 3;
    started.generation = 1;
    assert_eq!(
        refuse(&run, EventKind::AttemptStarted(started)),
        Refused::WrongGeneration {
            expected: 0,
            actual: 1
        }
    );
}

#[test]
fn what_waits_for_others_neither_starts_nor_is_skipped() {
    let run = chain();
    let EventKind::AttemptStarted(mut started) = start_of(&run, "a") else {
        unreachable!()
    };
    started.step = path("b");
    assert!(matches!(
        refuse(&run, EventKind::AttemptStarted(started)),
        Refused::WrongPhase { .. }
    ));
    let skip = |reason| EventKind::StepSkipped {
        step: path("b"),
        reason,
    };
    assert!(matches!(
        refuse(&run, skip(SkipReason::NotTaken)),
        Refused::WrongPhase { .. }
    ));
    assert!(matches!(
        refuse(&run, skip(SkipReason::RunFailed)),
        Refused::WrongReason { .. }
    ));
}

#[test]
fn nothing_starts_in_a_run_that_is_ending() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &[], &json!({}))
    ]);
    let mut run = Driver::with(
        &steps,
        &json!({ "limits": { "max_concurrency": 1 } }),
        json!({}),
    );
    let machine = run.machine.clone();
    let mut events = machine.settle(&path("a"), 1, Ok(json!({}).into()), run.now, 0.0);
    run.push(events.remove(0));
    let next = run.machine.next(run.now);
    let cancel = run.machine.cancel(crate::harness::somebody(), "");
    run.push(cancel);
    assert_eq!(
        refuse(&run, next[0].clone()),
        Refused::RunEnding { step: path("b") }
    );
}

#[test]
fn a_retry_does_not_start_before_its_time() {
    let retry = json!({ "retry": { "max_attempts": 2, "delay_secs": 9, "jitter": false } });
    let mut run = Driver::new(&json!([call("a", "read", &[], &retry)]));
    run.settle("a", Err(failure(FailureClass::Transient, Effect::None)));
    let due_at = run.machine.due().unwrap();
    let EventKind::AttemptStarted(mut started) = start_of(&run, "a") else {
        unreachable!()
    };
    started.attempt = 2;
    assert_eq!(
        refuse(&run, EventKind::AttemptStarted(started)),
        Refused::NotDue {
            step: path("a"),
            due_at
        }
    );
}

#[test]
fn a_run_does_not_end_before_its_steps() {
    let run = chain();
    let ended = EventKind::RunEnded {
        status: plan_run::RunStatus::Failed,
        outputs: Map::new().into(),
        failure: None,
    };
    assert_eq!(
        refuse(&run, ended),
        Refused::NotOver {
            status: plan_run::RunStatus::Failed,
            open: 2
        }
    );
}

#[test]
fn an_unknown_step_is_refused() {
    let run = chain();
    for step in ["x", "a[0]/b"] {
        let skipped = EventKind::StepSkipped {
            step: path(step),
            reason: SkipReason::NotTaken,
        };
        assert!(matches!(
            refuse(&run, skipped),
            Refused::UnknownStep { .. } | Refused::WrongReason { .. }
        ));
    }
}

#[test]
fn a_branch_is_taken_by_a_condition_alone() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &[], &json!({}))
    ]);
    let mut run = Driver::with(
        &steps,
        &json!({ "limits": { "max_concurrency": 1 } }),
        json!({}),
    );
    run.pump();
    let branch = EventKind::BranchTaken {
        step: path("b"),
        result: true,
    };
    assert!(matches!(refuse(&run, branch), Refused::WrongKind { .. }));
}

#[test]
fn inputs_that_do_not_fit_are_all_named_before_the_run_exists() {
    let inputs = json!({ "inputs": [
        { "name": "n", "value_type": "integer" }, { "name": "m", "value_type": "string" },
    ] });
    let plan = plan(&json!([call("a", "read", &[], &json!({}))]), &inputs);
    let Value::Object(supplied) = json!({ "n": "x", "k": 1 }) else {
        unreachable!()
    };
    let refused =
        Machine::create(&plan, NewRun::new(RunId::new("r").unwrap(), supplied)).unwrap_err();
    let CreateRefused::Inputs(findings) = refused else {
        panic!("{refused}")
    };
    assert_eq!(findings.len(), 3);
}

#[test]
fn case_47_a_journal_is_of_one_plan_only() {
    let run = chain();
    let other = plan(&json!([call("a", "read", &[], &json!({}))]), &json!({}));
    let first = plan_run::decode(&run.journal[0]).unwrap();
    assert!(matches!(
        Machine::new(other, &first),
        Err(Refused::OtherPlan { .. })
    ));
    assert!(matches!(
        Machine::replay(run.plan.clone(), []),
        Err(Refused::Empty)
    ));
    let second = plan_run::decode(&run.journal[1]).unwrap();
    assert!(matches!(
        Machine::new(run.plan.clone(), &second),
        Err(Refused::NotCreated)
    ));
}

#[test]
fn an_effect_without_its_secret_is_no_call() {
    let steps = json!([call_with("a", "read", &json!({ "key": "${secret.KEY}" }))]);
    let secrets = [plan_model::SecretName::new("KEY").unwrap()];
    let policy = plan_validate::Policy::default().allow_secrets(secrets);
    let mut read = plan_model::ToolSpec::named(plan_model::ToolName::new("read").unwrap());
    read.secret_arguments = vec!["key".to_owned()];
    let catalog = plan_validate::ToolCatalog::builder()
        .tool(read)
        .build()
        .unwrap();
    let text = crate::harness::document(&steps, &json!({}));
    let plan =
        plan_validate::check(&text, &plan_validate::Context::new(&catalog, &policy)).unwrap();
    let run = Driver::start(plan, json!({}), |_| {});
    let missing = run.machine.effect(&path("a"), 1, &|_| None).unwrap_err();
    assert_eq!(
        (missing.class, missing.effect),
        (FailureClass::InvalidArguments, Effect::None)
    );
    let call = run
        .machine
        .effect(&path("a"), 1, &|_| Some("canary".to_owned()))
        .unwrap();
    let plan_run::EffectCall::Tool(call) = call else {
        panic!("a tool is called")
    };
    assert_eq!(call.arguments["key"], "canary");
    let journal = run.journal.concat();
    assert!(
        !String::from_utf8(journal).unwrap().contains("canary"),
        "it is in no record"
    );
}
