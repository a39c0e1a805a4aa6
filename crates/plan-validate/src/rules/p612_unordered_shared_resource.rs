//! P612 unordered-shared-resource: two steps that nothing orders name one path, and one of them writes it.
//!
//! One finding for a path. Steps of which only one can run in a run are no such pair.

mod order;
mod touch;

use std::collections::BTreeMap;

use plan_model::edit::Edit;
use serde_json::Value;

use super::{further, name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use order::Order;
use touch::Touch;

pub(super) const RULE: Rule = Rule::new(
    "P612",
    "unordered-shared-resource",
    Severity::Warning,
    include_str!("../../rules/P612-unordered-shared-resource.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut touched: BTreeMap<String, Vec<Touch<'_>>> = BTreeMap::new();
    touch::each(facts, &mut |path, touch| {
        touched.entry(path).or_default().push(touch);
    });
    let mut order = Order::default();
    for (path, mut touches) in touched {
        if touches.iter().any(|touch| touch.writes) {
            // in a cycle nothing has an order, and that has its finding
            let Some(()) = order.sort(facts, &mut touches) else {
                return;
            };
            if let Some(pair) = order.unordered(facts, &touches) {
                findings.add(told(facts, &path, pair, &touches));
            }
        }
    }
}

fn told(facts: &Facts<'_>, path: &str, pair: (Touch<'_>, Touch<'_>), all: &[Touch<'_>]) -> Finding {
    let (first, second) = match pair {
        (a, b) if a.step <= b.step => (a, b),
        (a, b) => (b, a),
    };
    let path = quoted(path);
    let writer = if second.writes { second } else { first };
    let others = all
        .iter()
        .filter(|touch| !touch.is(&first) && !touch.is(&second));
    let others = others.map(|touch| (touch.pointer(), touch.verb()));
    if first.step == second.step {
        let message = format!(
            "{} writes {path} for several items at one time",
            name::of(facts, writer.step)
        );
        let finding = RULE
            .at(writer.pointer(), message)
            .help("let every item have a path of its own, or run one item at a time");
        return further::places(finding, others);
    }
    let message = format!(
        "{} {} {path} and {} {} it, and nothing says which comes first",
        name::of(facts, second.step),
        second.verb(),
        name::of(facts, first.step),
        first.verb(),
    );
    let finding = RULE
        .at(second.pointer(), message)
        .related(first.pointer(), first.verb());
    further::places(with_edge(facts, finding, first.step, second.step), others)
}

/// Suggests that the later one waits for the earlier one, where both could have such an edge.
fn with_edge(facts: &Facts<'_>, finding: Finding, first: usize, second: usize) -> Finding {
    let (Some(before), Some(after)) = (facts.step(first), facts.step(second)) else {
        return finding;
    };
    if facts.owner(first) != facts.owner(second) || facts.origin.is_positional(second) {
        return finding;
    }
    let waited = after.depends_on.iter().chain([&before.id]);
    let waited: Vec<Value> = waited.map(|id| id.as_str().into()).collect();
    finding.suggest(
        format!("let {} wait for {}", quoted(&after.id), quoted(&before.id)),
        Applicability::MaybeIncorrect,
        Some(Edit::Set {
            pointer: place::step(second).join("depends_on"),
            value: waited.into(),
        }),
    )
}
