//! Plans, and what each of their steps will come to.

use plan_validate::{Context, Policy, ValidatedPlan, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::links::wire;
use crate::harness::{catalog, document};

/// What a generated step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Send,
    Slow,
    Code,
    Ask,
    Gate,
    Condition(bool),
}

/// A generated step: what it waits for is chosen among the steps before it.
#[derive(Debug, Clone)]
pub(super) struct Part {
    kind: Kind,
    after: Vec<prop::sample::Index>,
    join: &'static str,
    on_error: &'static str,
    branch: Option<(prop::sample::Index, bool)>,
    retries: bool,
}

/// A plan, and which of its steps fail.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    parts: Vec<Part>,
    policy: &'static str,
    /// Steps that fail, and how often they are transient before that.
    pub(super) failing: Vec<(usize, u32)>,
}

impl Sample {
    /// The plan, unless a rule refuses it.
    pub(super) fn plan(&self) -> Option<ValidatedPlan> {
        let text = document(&self.steps(), &self.more());
        check(&text, &Context::new(&catalog(), &Policy::default())).ok()
    }

    /// How many times a step is to fail before anything else, and whether it ever succeeds.
    pub(super) fn fate(&self, id: &str) -> (u32, bool) {
        let index: usize = id.trim_start_matches('s').parse().unwrap();
        let fate = self
            .failing
            .iter()
            .find(|(step, _)| step % self.parts.len() == index);
        fate.map_or((0, true), |(_, transient)| (*transient, false))
    }

    fn more(&self) -> Value {
        let outputs = self
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.kind == Kind::Read);
        let outputs = outputs.map(|(index, _)| json!({ "name": format!("o{index}"), "source": format!("${{step.s{index}.v}}") }));
        json!({
            "failure_policy": self.policy,
            "inputs": [{ "name": "yes", "value_type": "boolean", "default": true }],
            "outputs": outputs.collect::<Vec<_>>(),
        })
    }

    fn steps(&self) -> Value {
        let mut steps: Vec<Value> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let conditions: Vec<usize> = (0..index)
                .filter(|before| matches!(self.parts[*before].kind, Kind::Condition(_)))
                .collect();
            let after = wire(index, &part.after, part.branch, &conditions, &mut steps);
            steps.push(step(index, part, &after));
        }
        Value::Array(steps)
    }
}

fn step(index: usize, part: &Part, after: &[String]) -> Value {
    let arguments = json!({ "seen": after.first().map(|id| format!("${{step.{id}}}")) });
    let config = match part.kind {
        Kind::Read => json!({ "type": "TOOL_CALL", "tool": "read", "arguments": arguments }),
        Kind::Send => json!({ "type": "TOOL_CALL", "tool": "send", "arguments": arguments }),
        Kind::Slow => json!({ "type": "TOOL_CALL", "tool": "slow", "arguments": {} }),
        Kind::Code => json!({ "type": "CODE_CALL", "language": "python", "inline": "pass" }),
        Kind::Ask | Kind::Gate => json!({
            "type": "HUMAN_INTERACTION", "prompt": "Well?", "response_field": "r",
            "approval_required": part.kind == Kind::Gate, "on_reject": "continue",
        }),
        Kind::Condition(side) => json!({
            "type": "CONDITION", "expression": format!("${{input.yes}} == {side}"),
            "true_steps": [], "false_steps": [],
        }),
    };
    let retries = part.retries && matches!(part.kind, Kind::Read | Kind::Send | Kind::Slow);
    let mut step = json!({
        "id": format!("s{index}"), "name": "n", "config": config, "depends_on": after, "outputs": [],
        "join": part.join, "on_error": part.on_error,
    });
    if retries {
        step["retry"] = json!({ "max_attempts": 3, "delay_secs": 1 });
    }
    step
}

fn part() -> impl Strategy<Value = Part> {
    let kind = prop_oneof![
        4 => Just(Kind::Read),
        2 => Just(Kind::Send),
        1 => Just(Kind::Slow),
        1 => Just(Kind::Code),
        1 => Just(Kind::Ask),
        1 => Just(Kind::Gate),
        2 => any::<bool>().prop_map(Kind::Condition),
    ];
    (
        kind,
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop_oneof![3 => Just("all"), 2 => Just("any"), 1 => Just("settled")],
        prop_oneof![2 => Just("fail"), 1 => Just("continue")],
        prop::option::weighted(0.4, (any::<prop::sample::Index>(), any::<bool>())),
        any::<bool>(),
    )
        .prop_map(|(kind, after, join, on_error, branch, retries)| Part {
            kind,
            after,
            join,
            on_error,
            branch,
            retries,
        })
}

pub(super) fn sample(policy: &'static str) -> impl Strategy<Value = Sample> {
    (
        prop::collection::vec(part(), 1..12),
        prop::collection::vec((0..12_usize, 0..3_u32), 0..4),
    )
        .prop_map(move |(parts, failing)| Sample {
            parts,
            policy,
            failing,
        })
}

#[test]
fn most_generated_plans_are_accepted() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let accepted = (0..100)
        .filter(|_| {
            sample("stop")
                .new_tree(&mut runner)
                .unwrap()
                .current()
                .plan()
                .is_some()
        })
        .count();
    assert!(accepted > 50, "the laws look at {accepted} of 100 plans");
}
