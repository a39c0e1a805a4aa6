//! Laws of fan-outs: nested, with conditions, failures and retries in their bodies.

use plan_run::{
    AttemptSuccess, Decision, Effect, EventKind, Failure, FailureClass, Machine, RunRecord,
    RunStatus, StepPath, decode,
};
use plan_validate::ValidatedPlan;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::harness::{Driver, call_with, condition, failure, fan, plan, replay, step, with};

/// A fan-out within another one, and which of its steps fail.
#[derive(Debug, Clone)]
struct Nest {
    lists: Vec<Vec<u8>>,
    parallel: (u8, u8),
    collects: (bool, bool),
    goes_on: (bool, bool, bool),
    policy: &'static str,
    join: &'static str,
    seed: u64,
    /// Of seven steps so many fail.
    failing: u64,
}

fn nest(policy: &'static str) -> impl Strategy<Value = Nest> {
    (
        prop::collection::vec(prop::collection::vec(0..9_u8, 0..4), 0..4),
        (1..4_u8, 1..4_u8),
        any::<(bool, bool)>(),
        any::<(bool, bool, bool)>(),
        prop_oneof![Just("all"), Just("any"), Just("settled")],
        any::<u64>(),
        0..4_u64,
    )
        .prop_map(
            move |(lists, parallel, collects, goes_on, join, seed, failing)| Nest {
                lists,
                parallel,
                collects,
                goes_on,
                policy,
                join,
                seed,
                failing,
            },
        )
}

fn on_error(goes_on: bool) -> &'static str {
    if goes_on { "continue" } else { "fail" }
}

impl Nest {
    fn plan(&self) -> ValidatedPlan {
        let config = |item: &str, parallel: u8, collects: bool| {
            let on_item_error = if collects { "collect" } else { "fail" };
            json!({ "item_var": item, "max_parallel": parallel, "on_item_error": on_item_error })
        };
        let outer = config("list", self.parallel.0, self.collects.0);
        let inner = config("row", self.parallel.1, self.collects.1);
        let body = ["a", "inner", "b"];
        let retry = json!({ "retry": { "max_attempts": 2, "delay_secs": 1 } });
        let steps = json!([
            with(
                fan("outer", "${conf.lists}", &body, &outer),
                &json!({ "on_error": on_error(self.goes_on.0) })
            ),
            with(
                call_with("a", "read", &json!({ "of": "${item.list}" })),
                &retry
            ),
            with(
                fan("inner", "${item.list}", &["send", "odd", "d"], &inner),
                &json!({ "on_error": on_error(self.goes_on.1), "depends_on": ["a"] })
            ),
            with(
                call_with(
                    "send",
                    "send",
                    &json!({ "row": "${item.row}", "a": "${step.a.v}" })
                ),
                &json!({ "on_error": on_error(self.goes_on.2) })
            ),
            condition("odd", "item.row % 2 == 1", &["d"], &[], &[]),
            with(
                call_with("d", "read", &json!({ "of": "${step.send}" })),
                &with(retry, &json!({ "depends_on": ["odd"] }))
            ),
            with(
                call_with("b", "slow", &json!({ "all": "${step.inner}" })),
                &json!({ "join": self.join })
            ),
            with(
                call_with("sum", "read", &json!({ "all": "${step.outer}" })),
                &json!({ "join": "settled" })
            ),
            with(
                step(
                    "all",
                    json!({
                        "type": "FAN_IN", "from_steps": ["sum", "outer"], "collect_field": "list"
                    }),
                    &[]
                ),
                &json!({ "join": "settled" })
            ),
        ]);
        let more = json!({
            "config": { "lists": self.lists },
            "failure_policy": self.policy,
            "outputs": [{ "name": "all", "source": "${step.all.list}" }],
        });
        plan(&steps, &more)
    }

    fn draw(&self, path: &StepPath) -> u64 {
        let bytes = path.to_string();
        let mixed = bytes.bytes().fold(self.seed | 1, |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        mixed >> 20
    }

    fn succeeds(&self, path: &StepPath) -> bool {
        self.draw(path) % 7 >= self.failing
    }

    /// What an attempt comes to: the same whatever the interleaving.
    fn result(&self, path: &StepPath, earlier: usize) -> Result<AttemptSuccess, Failure> {
        let is_repeated = matches!(path.step().as_str(), "a" | "d");
        if is_repeated && earlier == 0 && self.draw(path).is_multiple_of(5) {
            return Err(failure(FailureClass::Transient, Effect::None));
        }
        if self.succeeds(path) {
            Ok(json!({ "v": path.to_string() }).into())
        } else {
            Err(failure(FailureClass::Permission, Effect::None))
        }
    }

    fn begin(&self) -> Driver {
        Driver::start(self.plan(), json!({}), |_| {})
    }

    /// One thing happens, as `choice` says.
    fn turn(&self, run: &mut Driver, choice: u16) {
        let started = run.machine.started();
        let doubts = run.machine.in_doubt();
        let open = started.len() + doubts.len() + usize::from(run.machine.due().is_some());
        assert!(open > 0, "nothing is open: {}", run.statuses());
        let at = usize::from(choice) % open;
        if let Some((path, attempt)) = started.get(at) {
            let earlier = usize::try_from(attempt - 1).unwrap();
            let result = self.result(path, earlier);
            run.settle_attempt(&path.to_string(), *attempt, result);
        } else if let Some((path, _)) = doubts.get(at - started.len()) {
            let decision = if self.succeeds(path) {
                let outputs = Map::from_iter([("v".to_owned(), json!(path.to_string()))]);
                Decision::MarkSucceeded(outputs.into())
            } else if run.machine.ending().is_some() {
                Decision::MarkFailed
            } else {
                Decision::Retry
            };
            run.decide(&path.to_string(), decision);
        } else {
            run.now = run.machine.due().unwrap();
            run.pump();
        }
    }

    fn drive(&self, mut run: Driver, choices: &[u16]) -> Driver {
        for choice in choices.iter().cycle().take(4000) {
            if run.status().is_finished() {
                return run;
            }
            self.turn(&mut run, *choice);
        }
        panic!("the run goes on for ever: {}", run.statuses());
    }
}

/// What two runs must agree on: every step of every item, and what it delivered.
fn result(run: &Driver) -> Vec<(String, String, Value)> {
    let record = run.machine.record();
    let steps = record.all_steps();
    steps
        .iter()
        .map(|(path, step)| {
            let status = format!("{:?}", step.status);
            (path.to_string(), status, json!(*step.outputs))
        })
        .collect()
}

fn is_whole(run: &Driver) -> Result<(), TestCaseError> {
    prop_assert!(run.status().is_finished(), "{}", run.statuses());
    for (path, step) in run.machine.record().all_steps() {
        prop_assert!(step.status.is_ended(), "`{path}`: {}", run.statuses());
    }
    prop_assert!(run.machine.next(run.now).is_empty());
    prop_assert_eq!(run.machine.due(), None);
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 48)
}

fn any_nest() -> impl Strategy<Value = Nest> {
    prop_oneof![nest("stop"), nest("finish_independent")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_ending_gives_the_same_items_and_results(
        nest in any_nest(), first in choices(), second in choices(),
    ) {
        let one = nest.drive(nest.begin(), &first);
        let two = nest.drive(nest.begin(), &second);
        if nest.policy == "finish_independent" || one.status() == RunStatus::Succeeded {
            prop_assert_eq!(result(&one), result(&two));
        }
        prop_assert_eq!(one.status(), two.status());
    }

    #[test]
    fn how_many_items_run_at_one_time_changes_no_result(nest in any_nest(), order in choices()) {
        let many = nest.drive(nest.begin(), &order);
        let alone = Nest { parallel: (1, 1), ..nest.clone() };
        let one = alone.drive(alone.begin(), &order);
        if nest.policy == "finish_independent" || one.status() == RunStatus::Succeeded {
            prop_assert_eq!(result(&one), result(&many));
        }
        prop_assert_eq!(one.status(), many.status());
    }

    #[test]
    fn results_stand_in_the_order_of_the_list(nest in nest("finish_independent"), order in choices()) {
        let nest = Nest { failing: 0, join: "all", ..nest };
        let run = nest.drive(nest.begin(), &order);
        let expected: Vec<Value> = (0..nest.lists.len())
            .map(|index| json!({ "v": format!("outer[{index}]/b") }))
            .collect();
        prop_assert_eq!(&run.outputs_of("outer")["results"], &Value::Array(expected));
    }

    #[test]
    fn a_finished_run_has_no_open_step_in_any_item(
        nest in any_nest(),
        order in choices(),
        crash_at in prop::option::of(0..20_usize),
        cancel_at in prop::option::of(0..20_usize),
    ) {
        let mut run = nest.begin();
        for (turn, choice) in order.iter().cycle().take(4000).enumerate() {
            if run.status().is_finished() {
                break;
            }
            if crash_at == Some(turn) {
                run.crash();
            } else if cancel_at == Some(turn) {
                run.cancel();
            } else {
                nest.turn(&mut run, *choice);
            }
        }
        is_whole(&run)?;
        prop_assert_eq!(run.replayed().record(), run.machine.record());
    }

    #[test]
    fn a_failed_run_resumes_to_what_it_would_have_been_and_repeats_nothing(
        nest in any_nest(), order in choices(),
    ) {
        let mended = Nest { failing: 0, ..nest.clone() };
        let expected = mended.drive(mended.begin(), &order);
        let mut run = nest.drive(nest.begin(), &order);
        let Ok(resumption) = run.machine.resumption() else { return Ok(()) };
        let before = run.journal.len();
        run.push(resumption.event());
        run.pump();
        let run = mended.drive(run, &order);
        is_whole(&run)?;
        prop_assert_eq!(result(&run), result(&expected));
        for bytes in &run.journal[before..] {
            if let EventKind::AttemptStarted(started) = decode(bytes).unwrap().kind {
                prop_assert!(!resumption.kept.contains(&started.step), "{} ran again", started.step);
            }
        }
        prop_assert_eq!(run.replayed().record(), run.machine.record());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn case_45_a_run_with_items_goes_on_from_every_record_of_its_journal(
        nest in any_nest(), order in choices(),
    ) {
        let whole = nest.drive(nest.begin(), &order);
        let mut walked = Machine::new(whole.plan.clone(), &decode(&whole.journal[0]).unwrap()).unwrap();
        for cut in 1..=whole.journal.len() {
            let prefix = &whole.journal[..cut];
            if cut > 1 {
                walked.apply(&decode(&prefix[cut - 1]).unwrap()).unwrap();
            }
            let again = replay(&whole.plan, prefix);
            prop_assert_eq!(walked.record(), again.record());
            // also for eyes that have no catalog
            let events = prefix.iter().map(|bytes| decode(bytes).unwrap());
            let read = RunRecord::replay(whole.plan.plan().clone(), events).unwrap();
            prop_assert_eq!(&walked.record(), &read);
            prop_assert_eq!(
                format!("{:?}", walked.next(whole.now)),
                format!("{:?}", again.next(whole.now))
            );
            let mut run = Driver {
                machine: again,
                journal: prefix.to_vec(),
                now: whole.now,
                plan: whole.plan.clone(),
            };
            run.crash();
            let run = nest.drive(run, &order);
            is_whole(&run)?;
            if nest.policy == "finish_independent" || whole.status() == RunStatus::Succeeded {
                prop_assert_eq!(result(&run), result(&whole));
            }
        }
    }
}
