//! A run that has ended goes on as another one.

use std::time::Duration;

use plan_model::{StepId, ToolName};
use plan_run::event::Trigger;
use plan_run::{
    Answer, Event, EventKind, ForkRefused, Machine, NewRun, Refused, RunId, RunStatus, encode,
};
use plan_validate::Policy;
use serde_json::{Value, json};

use crate::harness::{
    Driver, call, call_with, condition, fan, path, plan_under, replay, step, with,
};

fn ids(steps: &[&str]) -> Vec<StepId> {
    let id = |step: &&str| StepId::new(step).unwrap();
    steps.iter().map(id).collect()
}

/// The run that goes on from these steps of another, an hour later.
fn fork(run: &Driver, from: &[&str]) -> Driver {
    let fork = run.machine.fork(&ids(from)).unwrap();
    let inputs = run.machine.created().inputs.clone();
    let mut new = NewRun::new(RunId::new("run-2").unwrap(), (*inputs).clone());
    new.trigger = Trigger::Fork;
    let now = run.now.plus(Duration::from_hours(1));
    let created = Event {
        at: now,
        kind: Machine::create(&run.plan, new).unwrap(),
    };
    let mut journal = run.journal.clone();
    journal[0] = encode(&created);
    let mut forked = Driver {
        plan: run.plan.clone(),
        machine: replay(&run.plan, &journal),
        now,
        journal,
    };
    forked.push(fork.event());
    forked.pump();
    forked
}

fn texts(paths: &[plan_run::StepPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

fn chain() -> Value {
    json!([
        call("a", "send", &[], &json!({})),
        call("b", "send", &["a"], &json!({})),
        call("c", "read", &["b"], &json!({})),
    ])
}

fn ended() -> Driver {
    let mut run = Driver::new(&chain());
    run.succeed("a", json!({ "v": 1 }))
        .succeed("b", json!({ "v": 2 }))
        .succeed("c", json!({ "v": 3 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    run
}

#[test]
fn a_fork_keeps_what_is_before_its_steps_and_runs_these_and_what_follows() {
    let run = ended();
    let plan = run.machine.fork(&ids(&["b"])).unwrap();
    assert_eq!(texts(&plan.reset), ["b", "c"]);
    assert_eq!(texts(&plan.kept), ["a"]);
    // its call was made, and is made again
    assert_eq!(texts(&plan.may_repeat), ["b"]);
    let mut other = fork(&run, &["b"]);
    assert_eq!(other.in_flight(), ["b"]);
    other
        .succeed("b", json!({ "v": 20 }))
        .succeed("c", json!({ "v": 30 }));
    assert_eq!(
        other.statuses(),
        "succeeded: a succeeded, b succeeded, c succeeded"
    );
    assert_eq!(other.outputs_of("a")["v"], 1);
    assert_eq!(other.outputs_of("b")["v"], 20);
    let record = other.machine.record();
    assert_eq!(record.run_id().as_str(), "run-2");
    assert_eq!(record.forked_from().unwrap().as_str(), "run-1");
    // the one before is as it was
    assert_eq!(run.outputs_of("b")["v"], 2);
    assert_eq!(run.machine.record().forked_from(), None);
}

#[test]
fn calls_of_a_fork_have_keys_of_their_own() {
    let run = ended();
    let other = fork(&run, &["b"]);
    let keys = |run: &Driver, id: &str| -> Vec<String> {
        let events = run
            .journal
            .iter()
            .map(|bytes| plan_run::decode(bytes).unwrap());
        let keys = events.filter_map(|event| match event.kind {
            EventKind::AttemptStarted(started) if started.step == path(id) => {
                Some(started.key.to_string())
            }
            _ => None,
        });
        keys.collect()
    };
    let (before, after) = (keys(&run, "b"), keys(&other, "b"));
    assert_eq!(before[..], after[..1]);
    assert_ne!(after[0], after[1]);
    // a second fork is another run yet
    let again = fork(&other_ended(other), &["b"]);
    assert_eq!(keys(&again, "b").len(), 3);
}

fn other_ended(mut run: Driver) -> Driver {
    run.succeed("b", json!({})).succeed("c", json!({}));
    run
}

#[test]
fn a_fork_of_a_failed_or_cancelled_run_also_runs_what_did_not_succeed() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        call("x", "read", &[], &json!({})),
        call("y", "read", &["x"], &json!({})),
    ]);
    let mut failed = Driver::new(&steps);
    failed
        .succeed("a", json!({}))
        .succeed("x", json!({}))
        .fail("b")
        .succeed("y", json!({}));
    assert_eq!(failed.status(), RunStatus::Failed);
    let mut other = fork(&failed, &["y"]);
    assert_eq!(other.in_flight(), ["b", "y"]);
    other.succeed("b", json!({})).succeed("y", json!({}));
    assert_eq!(other.status(), RunStatus::Succeeded);

    let mut cancelled = Driver::new(&steps);
    cancelled
        .succeed("a", json!({}))
        .succeed("x", json!({}))
        .cancel();
    for id in ["b", "y"] {
        let stopped =
            crate::harness::failure(plan_run::FailureClass::Cancelled, plan_run::Effect::None);
        cancelled.settle(id, Err(stopped));
    }
    assert_eq!(cancelled.status(), RunStatus::Cancelled);
    let mut other = fork(&cancelled, &["a"]);
    assert_eq!(other.in_flight(), ["a", "y"]);
    other
        .succeed("a", json!({}))
        .succeed("b", json!({}))
        .succeed("y", json!({}));
    assert_eq!(other.status(), RunStatus::Succeeded);
    assert!(other.machine.record().cancelled().is_none());
}

#[test]
fn only_a_run_that_has_ended_is_forked_and_only_from_its_steps() {
    let run = Driver::new(&chain());
    assert_eq!(
        run.machine.fork(&ids(&["a"])),
        Err(ForkRefused::NotEnded(RunStatus::Running))
    );
    let run = ended();
    assert_eq!(run.machine.fork(&[]), Err(ForkRefused::NoStep));
    let unknown = ids(&["nowhere"]);
    assert_eq!(
        run.machine.fork(&unknown),
        Err(ForkRefused::UnknownStep(unknown[0].clone()))
    );
}

#[test]
fn a_run_that_is_no_fork_does_not_go_on_from_anothers_end() {
    let mut run = ended();
    let kind = run.machine.fork(&ids(&["b"])).unwrap().event();
    let event = Event { at: run.now, kind };
    assert_eq!(run.machine.apply(&event), Err(Refused::NoFork));
    let mut other = fork(&run, &["b"]);
    assert_eq!(other.machine.apply(&event), Err(Refused::NoFork), "it runs");
}

#[test]
fn a_body_step_starts_anew_in_every_item_and_a_fan_out_with_all_of_its_items() {
    let steps = json!([
        fan("each", "${conf.rows}", &["get", "put"], &json!({})),
        call("get", "read", &[], &json!({})),
        call("put", "read", &["get"], &json!({})),
    ]);
    let more = json!({ "config": { "rows": ["x", "y"] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    for item in 0..2 {
        run.succeed(&format!("each[{item}]/get"), json!({}))
            .succeed(&format!("each[{item}]/put"), json!({ "v": item }));
    }
    assert_eq!(run.status(), RunStatus::Succeeded);
    let plan = run.machine.fork(&ids(&["put"])).unwrap();
    assert_eq!(texts(&plan.reset), ["each", "each[0]/put", "each[1]/put"]);
    assert_eq!(texts(&plan.kept), ["each[0]/get", "each[1]/get"]);
    let mut other = fork(&run, &["put"]);
    other
        .succeed("each[0]/put", json!({ "v": 10 }))
        .succeed("each[1]/put", json!({ "v": 11 }));
    let results = other.outputs_of("each")["results"].clone();
    assert_eq!(results, json!([{ "v": 10 }, { "v": 11 }]));
    let whole = fork(&run, &["each"]);
    assert_eq!(whole.in_flight(), ["each[0]/get"]);
}

#[test]
fn a_fork_may_take_the_other_branch() {
    let steps = json!([
        call("look", "read", &[], &json!({})),
        condition("is", "${step.look.v} > 1", &["yes"], &["no"], &["look"]),
        call("yes", "read", &["is"], &json!({})),
        call("no", "read", &["is"], &json!({})),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("look", json!({ "v": 1 }))
        .succeed("no", json!({}));
    let mut other = fork(&run, &["look"]);
    other
        .succeed("look", json!({ "v": 2 }))
        .succeed("yes", json!({}));
    assert_eq!(
        other.statuses(),
        "succeeded: look succeeded, is succeeded, yes succeeded, no skipped(not_taken)"
    );
}

#[test]
fn a_fork_has_budgets_of_its_own() {
    let limits = json!({ "limits": { "max_tool_calls": 3, "max_wall_secs": 10 } });
    let mut run = Driver::with(&chain(), &limits, json!({}));
    run.after(3_000)
        .succeed("a", json!({}))
        .succeed("b", json!({}))
        .after(3_000)
        .succeed("c", json!({}));
    let mut other = fork(&run, &["a"]);
    let all = other.now.plus(Duration::from_secs(10));
    assert_eq!(other.machine.due(), Some(all));
    other
        .succeed("a", json!({}))
        .succeed("b", json!({}))
        .succeed("c", json!({}));
    assert_eq!(other.status(), RunStatus::Succeeded);
}

#[test]
fn an_approval_that_the_policy_asks_for_holds_for_one_run() {
    let approve = json!({
        "type": "HUMAN_INTERACTION", "prompt": "Send to ${input.to}?", "response_field": "ok",
        "approval_required": true,
    });
    let steps = json!([
        call("look", "read", &[], &json!({})),
        step("may", approve, &["look"]),
        with(
            call_with("send", "send", &json!({ "to": "${input.to}" })),
            &json!({ "depends_on": ["may"] })
        ),
        call("after", "read", &["send"], &json!({})),
    ]);
    let more = json!({ "inputs": [{ "name": "to", "value_type": "string" }] });
    let send = ToolName::new("send").unwrap();
    for (policy, asked) in [
        (Policy::default(), false),
        (Policy::default().require_approval_of(send), true),
    ] {
        let plan = plan_under(&steps, &more, &policy);
        let mut run = Driver::start(plan, json!({ "to": "ada" }), |_| {});
        run.succeed("look", json!({}))
            .answer("may", Answer::Approve);
        run.succeed("send", json!({})).succeed("after", json!({}));
        assert_eq!(run.status(), RunStatus::Succeeded);
        // from behind the call nobody is asked
        assert_eq!(fork(&run, &["after"]).in_flight(), ["after"]);
        let mut other = fork(&run, &["send"]);
        if asked {
            assert_eq!(other.status(), RunStatus::Waiting);
            other.answer("may", Answer::Approve);
        }
        assert_eq!(other.in_flight(), ["send"]);
    }
}

#[test]
fn a_forked_run_reopens_and_fails_and_is_resumed_as_any_other() {
    let mut other = fork(&ended(), &["b"]);
    other.crash();
    assert_eq!(other.of("b"), plan_run::StepStatus::InDoubt);
    other.decide("b", plan_run::Decision::Retry).fail("b");
    assert_eq!(other.status(), RunStatus::Failed);
    let resumed = other.machine.resumption().unwrap().event();
    other.push(resumed);
    other.pump();
    other.succeed("b", json!({})).succeed("c", json!({}));
    assert_eq!(other.status(), RunStatus::Succeeded);
    assert_eq!(
        other.machine.record().forked_from().unwrap().as_str(),
        "run-1"
    );
}
