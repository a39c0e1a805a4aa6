//! Whether a failed attempt is followed by another one, and when.

use std::time::Duration;

use plan_run::event::AttemptOutcome;
use plan_run::{Effect, FailureClass, RetryAdvice, StepStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, failure};

fn retrying(tool: &str, retry: &Value) -> Driver {
    Driver::new(&json!([call("a", tool, &[], &json!({ "retry": retry }))]))
}

fn three() -> Value {
    json!({ "max_attempts": 3, "delay_secs": 2, "jitter": false })
}

/// Whether a failure of this class and effect is followed by another attempt.
fn repeats(tool: &str, retry: &Value, class: FailureClass, effect: Effect) -> bool {
    let mut run = retrying(tool, retry);
    run.settle("a", Err(failure(class, effect)));
    let again = matches!(run.outcomes("a").as_slice(), [AttemptOutcome::Retrying(_)]);
    assert_eq!(again, run.of("a") == StepStatus::Running);
    again
}

#[test]
fn transient_timeout_and_rate_limited_are_repeated_unless_the_plan_says_otherwise() {
    for class in [
        FailureClass::Transient,
        FailureClass::Timeout,
        FailureClass::RateLimited,
    ] {
        assert!(repeats("read", &three(), class, Effect::Unknown), "{class}");
    }
    for class in [
        FailureClass::Permission,
        FailureClass::OutputContract,
        FailureClass::Internal,
        FailureClass::Panicked,
        FailureClass::InvalidArguments,
    ] {
        assert!(!repeats("read", &three(), class, Effect::None), "{class}");
    }
}

#[test]
fn retry_on_names_the_classes() {
    let mut retry = three();
    retry["retry_on"] = json!(["not_found"]);
    assert!(repeats(
        "read",
        &retry,
        FailureClass::NotFound,
        Effect::None
    ));
    assert!(!repeats(
        "read",
        &retry,
        FailureClass::Transient,
        Effect::None
    ));
}

#[test]
fn what_is_not_safe_to_repeat_is_repeated_only_where_nothing_was_done() {
    for (tool, after_unknown) in [
        ("read", true),
        ("put", true),
        ("keyed", true),
        ("send", false),
    ] {
        assert!(
            repeats(tool, &three(), FailureClass::Transient, Effect::None),
            "{tool}"
        );
        assert_eq!(
            repeats(tool, &three(), FailureClass::Transient, Effect::Unknown),
            after_unknown,
            "{tool}"
        );
    }
}

#[test]
fn the_next_attempt_waits_for_its_time_and_keeps_its_key() {
    let mut run = retrying("read", &three());
    let key = |run: &Driver| {
        let call = run
            .machine
            .effect(&"a".parse().unwrap(), run.attempt("a"), &|_| None)
            .unwrap();
        call.key().clone()
    };
    let first = key(&run);
    run.settle("a", Err(failure(FailureClass::Transient, Effect::None)));
    assert!(run.in_flight().is_empty());
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(2)))
    );
    run.after(1999);
    assert!(run.in_flight().is_empty());
    run.after(1);
    assert_eq!(run.attempt("a"), 2);
    assert_eq!(key(&run), first);
}

#[test]
fn attempts_end_with_the_last_one_and_all_are_on_record() {
    let mut run = retrying("read", &three());
    for _ in 0..3 {
        run.settle("a", Err(failure(FailureClass::Transient, Effect::None)))
            .after(2000);
    }
    assert_eq!(run.statuses(), "failed: a failed");
    assert_eq!(run.machine.record().step("a").unwrap().attempts.len(), 3);
}

#[test]
fn the_other_side_may_ask_for_a_longer_wait() {
    let mut run = retrying("read", &three());
    let failed = failure(FailureClass::RateLimited, Effect::None);
    run.settle(
        "a",
        Err(failed
            .clone()
            .with_retry(RetryAdvice::After(Duration::from_secs(30)))),
    );
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(30)))
    );
    run.after(30_000).settle(
        "a",
        Err(failed.with_retry(RetryAdvice::After(Duration::from_millis(1)))),
    );
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(2))),
        "but not for a shorter one"
    );
}

#[test]
fn the_other_side_may_say_that_trying_again_is_vain() {
    let mut run = retrying("read", &three());
    let failed = failure(FailureClass::Transient, Effect::None).with_retry(RetryAdvice::Never);
    run.settle("a", Err(failed));
    assert_eq!(run.statuses(), "failed: a failed");
}

#[test]
fn jitter_is_drawn_by_the_driver_and_kept_in_the_journal() {
    let retry = json!({ "max_attempts": 2, "delay_secs": 8 });
    let mut run = retrying("read", &retry);
    run.settle("a", Err(failure(FailureClass::Transient, Effect::None)));
    let due = run.now.plus(Duration::from_secs(4));
    assert_eq!(run.machine.due(), Some(due), "the test driver draws a half");
    assert_eq!(run.replayed().due(), Some(due));
}

#[test]
fn a_journal_that_ends_between_failure_and_schedule_goes_on() {
    let mut run = retrying("read", &three());
    run.settle("a", Err(failure(FailureClass::Transient, Effect::None)));
    // the schedule was the last record
    run.journal.pop();
    run.machine = run.replayed();
    run.pump();
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(2)))
    );
}
