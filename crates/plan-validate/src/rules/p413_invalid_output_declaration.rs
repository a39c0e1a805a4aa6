//! P413 invalid-output-declaration: declared outputs that the step cannot deliver.
//!
//! A declaration contradicts the closed output schema of its tool, or what its
//! kind of step delivers, or leaves out the kind's own output. Scripts and
//! agents print what they like: nothing is known of theirs.

mod deliveries;

use plan_model::edit::Edit;
use plan_model::{Output, Shape, Step, ValueType};

use super::place;
use crate::candidates::ranked;
use crate::facts::Facts;
use crate::finding::{Applicability, Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;
use deliveries::{Deliveries, Delivery};

pub(super) const RULE: Rule = Rule::new(
    "P413",
    "invalid-output-declaration",
    Severity::Error,
    include_str!("../../rules/P413-invalid-output-declaration.md"),
    Check::Step(check),
);

/// Outputs of one step that get candidates.
const MOST_RANKED: usize = 100;

fn check<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let is_unread = || facts.has_unread() && facts.is_unread(&place::step(index).join("config"));
    if step.outputs.is_empty() || is_unread() {
        return;
    }
    let deliveries = Deliveries::of(facts, index, step);
    let is_complete = check_own(index, step, &deliveries, findings);
    for (at, output) in step.outputs.iter().enumerate() {
        let declared = Shape::declared(output.value_type, output.schema.as_ref());
        if check_schema(facts, (index, at), output, &declared, findings) && is_complete {
            check_output((index, at), step, output, &declared, &deliveries, findings);
        }
    }
}

/// Whether the kind's own output is among the declared ones, where the kind has one.
fn check_own(
    index: usize,
    step: &Step,
    deliveries: &Deliveries<'_>,
    findings: &mut Findings,
) -> bool {
    let Some(own) = deliveries.own else {
        return true;
    };
    if step.outputs.iter().any(|output| output.name == *own) {
        return true;
    }
    let message = format!(
        "a {} step delivers {}, which is not declared",
        step.config.kind(),
        quoted(own)
    );
    let outputs = place::step(index).join("outputs");
    findings.add(match step.outputs.as_slice() {
        [_] => {
            let name = outputs.join(0).join("name");
            let edit = Edit::Set {
                pointer: name.clone(),
                value: own.into(),
            };
            RULE.at(name, message).suggest(
                format!("call it {}", quoted(own)),
                Applicability::MaybeIncorrect,
                Some(edit),
            )
        }
        _ => RULE
            .at(outputs, message)
            .help(format!("declare {} too", quoted(own))),
    });
    false
}

/// Whether some value fits the declaration.
fn check_schema(
    facts: &Facts<'_>,
    (index, at): (usize, usize),
    output: &Output,
    declared: &Shape,
    findings: &mut Findings,
) -> bool {
    // a place is spelled out only for a finding
    let field = |field| place::step_output(index, at).join(field);
    if let Some(Err(fault)) = facts.output_schema(index, at) {
        let message = format!("of the output {}, {fault}", quoted(&output.name));
        findings.add(RULE.at(field("schema"), message));
        return false;
    }
    if declared.is_nothing() {
        let name = quoted(&output.name);
        let message = format!("no value of the type of the output {name} fits its schema");
        let finding = RULE.at(field("schema"), message);
        findings.add(finding.related(field("value_type"), "the type"));
        return false;
    }
    true
}

fn check_output(
    (index, at): (usize, usize),
    step: &Step,
    output: &Output,
    declared: &Shape,
    deliveries: &Deliveries<'_>,
    findings: &mut Findings,
) {
    let field = |field| place::step_output(index, at).join(field);
    let delivered = match deliveries.get(output.name.as_str(), step.outputs.len() == 1) {
        Delivery::Shape(shape) => shape,
        Delivery::Unknown => return,
        Delivery::Never => {
            let message = format!(
                "{} delivers {}, and never {}",
                quoted(&step.id),
                deliveries.listed(),
                quoted(&output.name),
            );
            let mut finding = RULE.at(field("name"), message);
            // each compares every name
            if at < MOST_RANKED {
                let names: Vec<&str> = deliveries.names().collect();
                finding = finding.candidates(ranked(output.name.as_str(), names));
            }
            findings.add(finding);
            return;
        }
    };
    if declared.meet(&delivered).is_nothing() {
        let message = format!(
            "the output {} is declared as {}, and {} delivers {}",
            quoted(&output.name),
            declared.describe(),
            quoted(&step.id),
            delivered.describe(),
        );
        let place = match output.value_type {
            ValueType::Any => field("schema"),
            _ => field("value_type"),
        };
        findings.add(
            RULE.at(place, message)
                .expected(Expected::Type(delivered.describe())),
        );
    }
}
