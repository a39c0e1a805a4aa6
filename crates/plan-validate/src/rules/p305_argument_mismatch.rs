//! P305 argument-mismatch: an argument that the tool's schema does not take.

mod literal;
mod reference;

use serde_json::{Map, Value};

use super::call;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P305",
    "argument-mismatch",
    Severity::Error,
    include_str!("../../rules/P305-argument-mismatch.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut arguments = Value::Object(Map::new());
    for call in call::calls(facts) {
        if call.tool.input.is_some() {
            literal::check(&call, &mut arguments, findings);
        }
    }
    reference::check(facts, findings);
}
