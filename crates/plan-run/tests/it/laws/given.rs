//! What a grant says about approvals of the plan holds in every execution.

use plan_model::ToolName;
use plan_run::{Answer, AttemptSuccess, Effect, Failure, FailureClass, RequestKind, RunStatus};
use plan_validate::{Approval, Context, Policy, ValidatedPlan, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::links::wire;
use crate::harness::{Driver, catalog, document, failure, path};

/// What a generated step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Call,
    /// An approval: whether its answer is a word, and whether a rejection ends the run.
    Gate {
        word: bool,
        ends: bool,
    },
    /// A condition of this form.
    Condition(usize),
}

/// Conditions that read an approval whose answer is a boolean.
const BOOLEAN: [&str; 9] = [
    "${G}",
    "!${G}",
    "${G} == true",
    "${G} != true",
    "${G} && input.yes",
    "${G} || input.yes",
    "${G} ? input.yes : false",
    "has(${G})",
    "!(${G} == false)",
];
/// Conditions that read one whose answer is a word.
const WORD: [&str; 4] = [
    "${G} == \"approved\"",
    "${G} != \"rejected\"",
    "${G} in [\"approved\", \"yes\"]",
    "${G} == \"approved\" || input.yes",
];
/// Conditions that read another condition.
const RESULT: [&str; 2] = ["${G}", "!${G}"];

#[derive(Debug, Clone)]
struct Part {
    kind: Kind,
    reads: prop::sample::Index,
    after: Vec<prop::sample::Index>,
    join: &'static str,
    on_error: &'static str,
    branch: Option<(prop::sample::Index, bool)>,
}

#[derive(Debug, Clone)]
struct Gated {
    parts: Vec<Part>,
    policy: &'static str,
}

impl Gated {
    /// The plan under a policy that wants every call approved, unless a rule refuses it.
    fn plan(&self) -> Option<ValidatedPlan> {
        let more = json!({
            "failure_policy": self.policy,
            "inputs": [{ "name": "yes", "value_type": "boolean" }],
        });
        let policy = Policy::default().require_approval_of(ToolName::new("put").unwrap());
        let text = document(&self.steps(), &more);
        check(&text, &Context::new(&catalog(), &policy)).ok()
    }

    fn steps(&self) -> Value {
        let mut steps: Vec<Value> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let conditions: Vec<usize> = (0..index)
                .filter(|before| matches!(self.parts[*before].kind, Kind::Condition(_)))
                .collect();
            let after = wire(index, &part.after, part.branch, &conditions, &mut steps);
            let mut step = json!({
                "id": format!("s{index}"), "name": "n", "config": self.config(index, part),
                "depends_on": after, "join": part.join, "on_error": part.on_error,
            });
            if let Kind::Gate { word, .. } = part.kind {
                step["timeout_secs"] = json!(60);
                if word {
                    step["outputs"] = json!([{ "name": "r", "value_type": "string" }]);
                }
            }
            steps.push(step);
        }
        Value::Array(steps)
    }

    fn config(&self, index: usize, part: &Part) -> Value {
        match part.kind {
            Kind::Call => json!({ "type": "TOOL_CALL", "tool": "put", "arguments": {} }),
            Kind::Gate { ends, .. } => json!({
                "type": "HUMAN_INTERACTION", "prompt": "Well?", "response_field": "r",
                "approval_required": true, "on_reject": if ends { "cancel" } else { "continue" },
            }),
            Kind::Condition(form) => json!({
                "type": "CONDITION", "expression": self.expression(index, part, form),
                "true_steps": [], "false_steps": [],
            }),
        }
    }

    fn expression(&self, index: usize, part: &Part, form: usize) -> String {
        let readable: Vec<usize> = (0..index)
            .filter(|before| self.parts[*before].kind != Kind::Call)
            .collect();
        if readable.is_empty() {
            return "input.yes".to_owned();
        }
        let read = readable[part.reads.index(readable.len())];
        let (forms, field): (&[&str], _) = match self.parts[read].kind {
            Kind::Gate { word: true, .. } => (&WORD, "r"),
            Kind::Gate { word: false, .. } => (&BOOLEAN, "r"),
            Kind::Condition(_) | Kind::Call => (&RESULT, "result"),
        };
        forms[form % forms.len()].replace("${G}", &format!("${{step.s{read}.{field}}}"))
    }
}

fn part() -> impl Strategy<Value = Part> {
    let gate = (any::<bool>(), any::<bool>()).prop_map(|(word, ends)| Kind::Gate { word, ends });
    let kind = prop_oneof![
        3 => Just(Kind::Call),
        2 => gate,
        3 => (0..36_usize).prop_map(Kind::Condition),
    ];
    (
        kind,
        any::<prop::sample::Index>(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop_oneof![4 => Just("all"), 2 => Just("any"), 1 => Just("settled")],
        prop_oneof![2 => Just("fail"), 1 => Just("continue")],
        prop::option::weighted(0.5, (any::<prop::sample::Index>(), any::<bool>())),
    )
        .prop_map(|(kind, reads, after, join, on_error, branch)| Part {
            kind,
            reads,
            after,
            join,
            on_error,
            branch,
        })
}

fn gated() -> impl Strategy<Value = Gated> {
    (
        prop::collection::vec(part(), 2..10),
        prop_oneof![Just("stop"), Just("finish_independent")],
    )
        .prop_map(|(parts, policy)| Gated { parts, policy })
}

/// The steps that the grant lets go unasked, each with the approval that it relies on.
fn given(plan: &ValidatedPlan) -> Vec<(String, String)> {
    let sites = plan.grant().sites().iter();
    sites
        .filter_map(|(step, site)| match &site.approval {
            Approval::GivenBy(approval) => Some((step.to_string(), approval.to_string())),
            Approval::NotNeeded | Approval::AskAtCall(_) => None,
        })
        .collect()
}

/// What runs was approved, and nobody is asked a second time.
fn holds(run: &Driver, given: &[(String, String)]) -> Result<(), TestCaseError> {
    let in_flight = run.in_flight();
    for (step, approval) in given {
        if in_flight.contains(step) {
            let outputs = run.outputs_of(approval);
            let approved = outputs.get("r");
            let approved = approved == Some(&json!(true)) || approved == Some(&json!("approved"));
            prop_assert!(approved, "`{step}` runs unapproved: {}", run.statuses());
        }
        let record = run.machine.record();
        let failure = record.step(step).and_then(|step| step.failure.as_deref());
        let refused = failure.is_some_and(|it| it.class == FailureClass::RefusedByGrant);
        prop_assert!(!refused, "`{step}` is refused: {}", run.statuses());
        let asked = run.machine.requests();
        let asked = asked.iter().find(|request| request.step == path(step));
        prop_assert!(
            asked.is_none(),
            "`{step}` is asked about: {}",
            run.statuses()
        );
    }
    Ok(())
}

/// One thing that can happen next.
fn turn(run: &mut Driver, choice: u16) {
    let started = run.machine.started();
    let asked: Vec<_> = run
        .machine
        .requests()
        .iter()
        .map(|request| (request.step.clone(), request.kind))
        .collect();
    let open = started.len() + asked.len();
    let (at, how) = (usize::from(choice) % open.max(1), choice >> 8);
    if let Some((step, attempt)) = started.get(at) {
        let result: Result<AttemptSuccess, Failure> = match how % 4 {
            0 => Err(failure(FailureClass::Permission, Effect::None)),
            _ => Ok(json!({}).into()),
        };
        run.settle_attempt(step.step().as_str(), *attempt, result);
    } else if let Some((step, kind)) = asked.get(at.saturating_sub(started.len())) {
        let answer = match (kind, how % 4) {
            (RequestKind::Effect, _) | (_, 0 | 1) => Answer::Approve,
            (_, 2) => Answer::Reject,
            // nobody answers in time
            _ => {
                run.after(61_000);
                return;
            }
        };
        run.answer(step.step().as_str(), answer);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn case_22_a_call_whose_approval_is_given_never_runs_without_it(
        gated in gated(),
        yes in any::<bool>(),
        choices in prop::collection::vec(any::<u16>(), 40),
    ) {
        let Some(plan) = gated.plan() else { return Ok(()) };
        let given = given(&plan);
        let mut run = Driver::start(plan, json!({ "yes": yes }), |_| {});
        let mut resumed = 0;
        for choice in choices.iter().cycle().take(200) {
            holds(&run, &given)?;
            if run.status() == RunStatus::Failed && resumed < 3 {
                let Ok(again) = run.machine.resumption() else { break };
                run.push(again.event());
                run.pump();
                resumed += 1;
            } else if run.status().is_finished() {
                break;
            } else {
                turn(&mut run, *choice);
            }
        }
        holds(&run, &given)?;
    }
}

#[test]
fn many_generated_plans_have_an_approval_that_is_given() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let plans = (0..400).map(|_| gated().new_tree(&mut runner).unwrap().current().plan());
    let accepted: Vec<ValidatedPlan> = plans.flatten().collect();
    let relying = accepted
        .iter()
        .filter(|plan| !given(plan).is_empty())
        .count();
    assert!(
        accepted.len() > 100 && relying > 30,
        "of 400 plans {} are accepted and {relying} rely on an approval",
        accepted.len()
    );
}
