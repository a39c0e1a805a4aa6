//! The inputs of a run, resolved and checked before the run exists.

mod paths;

use std::collections::BTreeSet;

use plan_model::{Input, InputKind, Pointer};
use serde_json::{Map, Value};

use crate::candidates;
use crate::catalog::Quote;
use crate::finding::{Expected, Finding};
use crate::rules::{MISSING_INPUT, UNKNOWN_INPUT, WRONG_INPUT};
use crate::text;
use crate::validated::{ValidatedPlan, is_of_type};

pub use paths::PathProblem;

/// Fills in and checks what a run is given. Pointers lead into `supplied`.
///
/// A supplied null or empty text defers to a declared default; an optional
/// input without a default is null. Every declared input is in the result.
///
/// # Errors
/// Every finding, of the rules P903 to P905. Values of sensitive inputs are not in them.
pub fn check_inputs(
    plan: &ValidatedPlan,
    supplied: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Finding>> {
    check_inputs_with(plan, supplied, &|_, _| None)
}

/// As [`check_inputs`], on a host that can look at its file system.
///
/// `look` is asked about each input that is a path of some kind, and says what is
/// wrong with the path; its answers are findings like all others.
///
/// # Errors
/// Every finding, of the rules P903 to P905. Values of sensitive inputs are not in them.
pub fn check_inputs_with(
    plan: &ValidatedPlan,
    supplied: Map<String, Value>,
    look: &dyn Fn(InputKind, &str) -> Option<PathProblem>,
) -> Result<Map<String, Value>, Vec<Finding>> {
    let mut supplied = supplied;
    let mut findings = Vec::new();
    let mut values = Map::new();
    for (index, input) in plan.plan().inputs.iter().enumerate() {
        let name = input.name.as_str();
        let given = supplied.remove(name).unwrap_or(Value::Null);
        let at = Pointer::root().join(name);
        let value = match (&input.default, is_blank(&given)) {
            (Some(default), true) => default.clone(),
            _ if given.is_null() && input.required => {
                findings.push(missing(input, at));
                continue;
            }
            _ => given,
        };
        if value.is_null() && !input.required {
            values.insert(name.to_owned(), value);
            continue;
        }
        match wrong(plan, index, &value, &at, look) {
            wrong if wrong.is_empty() => {
                values.insert(name.to_owned(), value);
            }
            wrong => findings.extend(wrong),
        }
    }
    let known: Vec<&str> = plan.plan().inputs.iter().map(|i| i.name.as_str()).collect();
    let unknown: BTreeSet<String> = supplied.into_iter().map(|(name, _)| name).collect();
    for name in unknown {
        let message = format!("the plan has no input {}", text::quoted(&name));
        let at = Pointer::root().join(&name);
        let ranked = candidates::ranked(&name, known.iter().copied());
        findings.push(UNKNOWN_INPUT.at(at, message).candidates(ranked));
    }
    if findings.is_empty() {
        return Ok(values);
    }
    findings.sort_by(|a, b| (&a.pointer, a.code).cmp(&(&b.pointer, b.code)));
    Err(findings)
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn missing(input: &Input, at: Pointer) -> Finding {
    let name = text::quoted(&input.name);
    let finding = MISSING_INPUT.at(
        at,
        format!("the input {name} is required and was not given"),
    );
    let finding = finding.expected(Expected::Type(
        text::value_type(input.value_type).to_owned(),
    ));
    match &input.description {
        Some(description) => finding.help(text::capped(description)),
        None => finding,
    }
}

fn wrong(
    plan: &ValidatedPlan,
    index: usize,
    value: &Value,
    at: &Pointer,
    look: &dyn Fn(InputKind, &str) -> Option<PathProblem>,
) -> Vec<Finding> {
    let Some(input) = plan.plan().inputs.get(index) else {
        return Vec::new();
    };
    let name = text::quoted(&input.name);
    let quote = if input.sensitive {
        Quote::Masked
    } else {
        Quote::Shown
    };
    if text::depth_exceeds(value, plan_model::Limits::default().depth) {
        let message = format!("the input {name} is nested too deep");
        return vec![WRONG_INPUT.at(at.clone(), message)];
    }
    if !is_of_type(value, input.value_type) {
        let expected = text::value_type(input.value_type);
        let message = format!(
            "the input {name} is {}, not {expected}",
            plan_model::json_type(value)
        );
        let mut finding = WRONG_INPUT
            .at(at.clone(), message)
            .expected(Expected::Type(expected.to_owned()));
        if quote == Quote::Shown {
            finding = finding.actual(&value.to_string());
        }
        return vec![finding];
    }
    let mut findings = Vec::new();
    if input.input_kind != InputKind::Value {
        if let Some(problem) = paths::problem(input, value, plan.policy()) {
            return vec![WRONG_INPUT.at(at.clone(), format!("the input {name} {problem}"))];
        }
        if let Some(path) = value.as_str()
            && let Some(problem) = look(input.input_kind, path)
        {
            let message = match quote {
                Quote::Shown => format!("the input {name}: {} {problem}", text::quoted(path)),
                Quote::Masked => format!("the input {name}: the path {problem}"),
            };
            findings.push(WRONG_INPUT.at(at.clone(), message));
        }
    }
    let Some(Ok(schema)) = plan.schemas().input(index) else {
        return findings;
    };
    let violations = schema.violations(value, quote).into_iter();
    findings.extend(violations.map(|violation| {
        let mut at = at.clone();
        violation.pointer.segments().for_each(|s| at.push(s));
        let finding = WRONG_INPUT.at(at, format!("the input {name}: {}", violation.message));
        match violation.expected {
            Some(expected) => finding.expected(expected),
            None => finding,
        }
    }));
    findings
}
