//! What the result of a condition says about approvals and about other conditions.
//!
//! A condition that reads an approval's answer, or another condition's result, is evaluated with each value
//! that this can have, null among them for a step that was skipped or failed; everything else that it reads is
//! unknown. A result that only the approved answer can lead to implies the approval, and one that it
//! cannot lead to implies that there was none.

use plan_model::{Outcomes, Reference, Segment, StepConfig, StepKind, ValueType};
use serde_json::Value;

use crate::facts::{Facts, Site};

/// One implication: where `condition` comes out as `result`, `outcome` came out as `holds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Implied {
    /// The approval or condition that is read.
    pub(crate) outcome: usize,
    /// The condition that reads it.
    pub(crate) condition: usize,
    /// The result of the condition.
    pub(crate) result: bool,
    /// Whether the approval was given, or the condition that is read held; else it was or did not.
    pub(crate) holds: bool,
}

/// Every implication, by what is read.
pub(super) fn of(facts: &Facts<'_>) -> Vec<Implied> {
    let mut all = Vec::new();
    for read in &facts.uses {
        let (Site::Expression, Some(condition)) = (read.site, read.step) else {
            continue;
        };
        let Some((outcome, [yes, no])) = answers(facts, read.reference, read.source()) else {
            continue;
        };
        let Some(StepConfig::Condition(config)) = facts.step(condition).map(|step| &step.config)
        else {
            continue;
        };
        let with = |value: &Value| {
            config
                .expression
                .outcomes(&|other| (other == read.reference).then(|| value.clone()))
        };
        let (yes, no, absent) = (with(&yes), with(&no), with(&Value::Null));
        for result in [true, false] {
            let given = yes.can_be(result);
            let not_given = no.can_be(result) || absent.can_be(result);
            if given != not_given {
                all.push(Implied {
                    outcome,
                    condition,
                    result,
                    holds: given,
                });
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The approval or condition whose outcome a reference reads, with the values of both outcomes. `source` is the step
/// that it reads first.
pub(crate) fn answers(
    facts: &Facts<'_>,
    reference: &Reference,
    source: Option<usize>,
) -> Option<(usize, [Value; 2])> {
    let source = source?;
    // most that is read is neither
    if !matches!(
        facts.kind(source)?,
        StepKind::HumanInteraction | StepKind::Condition
    ) {
        return None;
    }
    let [Segment::Name(field)] = reference.first().segments.as_slice() else {
        return None;
    };
    if !reference.otherwise().is_empty() {
        return None;
    }
    match &facts.step(source)?.config {
        StepConfig::HumanInteraction(ask)
            if ask.approval_required && ask.response_field.as_str() == field =>
        {
            let declared = facts.declared_output(source, field);
            // as the machine delivers it: a word where the output is declared as a string
            let is_text = declared.is_some_and(|output| output.value_type == ValueType::String);
            let values = if is_text {
                ["approved".into(), "rejected".into()]
            } else {
                [true.into(), false.into()]
            };
            Some((source, values))
        }
        StepConfig::Condition(_) if field == "result" => {
            Some((source, [true.into(), false.into()]))
        }
        _ => None,
    }
}

/// What a condition comes to in every run, as far as its expression alone says.
pub(crate) fn decided(facts: &Facts<'_>, condition: usize) -> Option<bool> {
    // the stand-in for an expression that could not be read says nothing
    let expression = || {
        crate::facts::step_pointer(condition)
            .join("config")
            .join("expression")
    };
    if facts.has_unread() && facts.is_unread(&expression()) {
        return None;
    }
    match &facts.step(condition)?.config {
        StepConfig::Condition(config) => {
            let outcomes: Outcomes = config.expression.outcomes(&|_| None);
            outcomes.only()
        }
        _ => None,
    }
}
