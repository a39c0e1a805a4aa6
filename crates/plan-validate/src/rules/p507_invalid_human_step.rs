//! P507 invalid-human-step: a question without words, or an answer that no reference can name.

use plan_model::{StepConfig, Template};
use serde_json::Value;

use super::place;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P507",
    "invalid-human-step",
    Severity::Error,
    include_str!("../../rules/P507-invalid-human-step.md"),
    Check::Step(check),
);

fn check(_: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let StepConfig::HumanInteraction(human) = &step.config else {
        return;
    };
    match &human.prompt {
        Template::Literal(Value::String(text)) if text.trim().is_empty() => {
            findings.add(RULE.at(
                place::config(index, "prompt"),
                format!("{} asks nothing: its prompt is blank", quoted(&step.id)),
            ));
        }
        Template::Literal(Value::String(_)) | Template::Reference(_) | Template::Text(_) => {}
        Template::Literal(_) | Template::Array(_) | Template::Object(_) => {
            findings.add(RULE.at(place::config(index, "prompt"), "a prompt is text"));
        }
    }
    let field = human.response_field.as_str();
    if field != field.trim() {
        findings.add(RULE.at(
            place::config(index, "response_field"),
            format!("the answer's name {} has blanks at its ends", quoted(field)),
        ));
    }
}
