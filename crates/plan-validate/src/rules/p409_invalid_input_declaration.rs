//! P409 invalid-input-declaration: an input that no value fits, or that its own default does not fit.

use plan_model::{Input, InputKind, Shape, ValueType};

use super::place;
use crate::catalog::Quote;
use crate::facts::Facts;
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P409",
    "invalid-input-declaration",
    Severity::Error,
    include_str!("../../rules/P409-invalid-input-declaration.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for (index, input) in facts.plan.inputs.iter().enumerate() {
        check_kind(index, input, findings);
        // a default is held against a declaration that stands
        if check_schema(facts, index, input, findings) {
            check_default(facts, index, input, findings);
        }
    }
}

/// A path is text.
fn check_kind(index: usize, input: &Input, findings: &mut Findings) {
    let is_text = matches!(input.value_type, ValueType::String | ValueType::Any);
    if input.input_kind != InputKind::Value && !is_text {
        let message = format!(
            "the input {} names a path, and a path is text",
            quoted(&input.name)
        );
        let finding = RULE.at(place::input(index).join("value_type"), message);
        findings.add(finding.expected(Expected::Type("string".to_owned())));
    }
}

/// Whether some value fits the declaration.
fn check_schema(facts: &Facts<'_>, index: usize, input: &Input, findings: &mut Findings) -> bool {
    let place = place::input(index).join("schema");
    let name = quoted(&input.name);
    if let Some(Err(fault)) = facts.input_schema(index) {
        findings.add(RULE.at(place, format!("of the input {name}, {fault}")));
        return false;
    }
    let declared = Shape::declared(input.value_type, input.schema.as_ref());
    if declared.is_nothing() {
        let message = format!("no value of the type of the input {name} fits its schema");
        let value_type = place::input(index).join("value_type");
        findings.add(RULE.at(place, message).related(value_type, "the type"));
    }
    !declared.is_nothing()
}

fn check_default(facts: &Facts<'_>, index: usize, input: &Input, findings: &mut Findings) {
    let Some(default) = &input.default else {
        return;
    };
    let place = place::input(index).join("default");
    let name = quoted(&input.name);
    let declared = Shape::declared(input.value_type, None);
    if !declared.admits(default) {
        let message = format!("the default of the input {name} is of another type");
        let finding = RULE.at(place, message);
        findings.add(finding.expected(Expected::Type(declared.describe())));
        return;
    }
    let quote = if input.sensitive {
        Quote::Masked
    } else {
        Quote::Shown
    };
    if let Some(Ok(schema)) = facts.input_schema(index) {
        for violation in schema.violations(default, quote) {
            let mut place = place.clone();
            violation
                .pointer
                .segments()
                .for_each(|segment| place.push(segment));
            let message = format!("the default of the input {name}: {}", violation.message);
            let mut finding = RULE.at(place, message);
            finding.expected = violation.expected;
            findings.add(finding);
        }
    }
}
