//! P510 invalid-retry: a number of attempts or a delay that makes no sense.

use plan_model::{Pointer, Retry, Seconds, Step, StepKind};

use super::place;
use crate::facts::Facts;
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P510",
    "invalid-retry",
    Severity::Error,
    include_str!("../../rules/P510-invalid-retry.md"),
    Check::Step(check),
);

/// A week: whoever waits longer wants a schedule, not a retry.
const LONGEST_DELAY: Seconds = Seconds::from_secs(7 * 24 * 60 * 60);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    if let Some(retry) = &step.retry {
        let place = place::step(index).join("retry");
        check_attempts(step, retry, &place, facts.limits.attempts, findings);
        check_delays(retry, &place, findings);
    }
}

fn check_attempts(
    step: &Step,
    retry: &Retry,
    place: &Pointer,
    limit: u64,
    findings: &mut Findings,
) {
    let attempts = retry.max_attempts;
    let place = place.join("max_attempts");
    let kind = step.config.kind();
    if attempts == 0 {
        let message = format!("no attempt at all is left to {}", quoted(&step.id));
        findings.add(RULE.at(place, message).expected(range(limit)));
    } else if attempts > limit {
        let message = format!("{attempts} attempts are over the limit of {limit}");
        findings.add(RULE.at(place, message).expected(range(limit)));
    } else if attempts > 1 && !has_attempts(kind) {
        let message = format!("a {kind} step has nothing to attempt again");
        findings.add(RULE.at(place, message).help(advice(kind)));
    }
}

fn check_delays(retry: &Retry, place: &Pointer, findings: &mut Findings) {
    let delays = [
        ("delay_secs", Some(retry.delay_secs)),
        ("max_delay_secs", retry.max_delay_secs),
    ];
    for (field, delay) in delays {
        if let Some(delay) = delay.filter(|delay| *delay > LONGEST_DELAY) {
            let message = format!("a delay of {delay} seconds is over a week");
            findings.add(
                RULE.at(place.join(field), message)
                    .expected(Expected::Range(format!("0 to {LONGEST_DELAY} seconds"))),
            );
        }
    }
}

/// Whether a step of this kind makes attempts of its own.
fn has_attempts(kind: StepKind) -> bool {
    match kind {
        StepKind::ToolCall | StepKind::CodeCall | StepKind::PromptCall | StepKind::AgentCall => {
            true
        }
        StepKind::HumanInteraction | StepKind::Condition | StepKind::FanOut | StepKind::FanIn => {
            false
        }
    }
}

fn advice(kind: StepKind) -> &'static str {
    match kind {
        StepKind::FanOut => "put the retry on the steps of the body",
        _ => "put the retry on the step whose work can fail",
    }
}

fn range(limit: u64) -> Expected {
    Expected::Range(format!("1 to {limit} attempts"))
}
