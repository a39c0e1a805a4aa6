//! Credentials that stand in the plan itself.

use std::ops::Range;

use plan_model::{CodeSource, Pointer, StepConfig};
use serde_json::Value;

use super::RULE;
use crate::credential;
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rules::{literal_text, place};
use crate::visit::Visit;

pub(super) fn check_plan(facts: &Facts<'_>, findings: &mut Findings) {
    let mut see = |at: &Pointer, text: &str, whole: bool| look(at, text, whole, findings);
    for (index, input) in facts.plan.inputs.iter().enumerate() {
        if let Some(default) = &input.default {
            each_text(default, &mut place::input(index).join("default"), &mut see);
        }
    }
    for (key, value) in &facts.plan.config {
        let mut at = Pointer::root().join("config").join(key);
        each_text(value, &mut at, &mut see);
    }
}

pub(super) fn check_step(_: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    literal_text::of_step(index, step, credential::may_hold, &mut |literal| {
        look(literal.pointer, literal.text, literal.whole, findings);
    });
    if let StepConfig::CodeCall(call) = &step.config
        && let CodeSource::Inline(source) = &call.source
        && credential::may_hold(source)
    {
        look(&place::config(index, "inline"), source, true, findings);
    }
}

fn look(at: &Pointer, text: &str, whole: bool, findings: &mut Findings) {
    if let Some((finding, part)) = finding(at, text) {
        // what stands between references has no bytes of its own in the string
        findings.add(if whole { finding.within(part) } else { finding });
    }
}

/// The finding, and the bytes of the text that it is about.
fn finding(at: &Pointer, text: &str) -> Option<(Finding, Range<usize>)> {
    let found = credential::all(text);
    let first = found.first()?;
    let message = format!("the text looks as if it held {}", first.kind);
    // what is known of it, and nothing of what stands around it
    let known = text.get(..first.hidden.start)?;
    let word = known.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let known: String = known.get(word..)?.chars().rev().take(40).collect();
    let known: String = known.chars().rev().collect();
    let finding = RULE
        .at(at.clone(), message)
        .severity(Severity::Warning)
        .actual(&format!("{known}***"));
    let help = "give it to the host as a secret, and write `${secret.NAME}` here";
    Some((finding.help(help), first.hidden.clone()))
}

/// Calls `see` for every string. Recurses as deep as the document is nested, which the reader bounds.
fn each_text(value: &Value, at: &mut Pointer, see: &mut dyn FnMut(&Pointer, &str, bool)) {
    match value {
        Value::String(text) => see(at, text, true),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push(index);
                each_text(item, at, see);
                at.pop();
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                at.push(name);
                each_text(member, at, see);
                at.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
