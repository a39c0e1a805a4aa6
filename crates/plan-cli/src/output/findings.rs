//! Findings, for people and for programs.

use std::collections::BTreeMap;
use std::io::Write;

use planwright::model::{Digest, Graph, Plan};
use planwright::validate::render::{Colour, json, model, pretty, sarif};
use planwright::validate::{Finding, PlanRejected, Severity, ValidatedPlan};
use serde_json::{Value, json};

use super::text::plain;
use super::{colourful, say};
use crate::input::Input;

/// Writes findings with excerpts of their source to standard error.
pub(crate) fn show_findings(findings: &[Finding], truncated: usize, input: &Input) {
    if !findings.is_empty() {
        let text = input.text();
        // colours are control sequences: where the source holds some itself, none are let through
        let colour = colourful() && plain(&text).len() == text.len();
        let choice = if colour {
            Colour::Always
        } else {
            Colour::Never
        };
        let report = pretty(findings, &input.name, &text, choice);
        let report = if colour {
            report.into()
        } else {
            plain(&report)
        };
        let _ = writeln!(std::io::stderr().lock(), "{}", report.trim_end());
    }
    if truncated > 0 {
        say(format!("and {truncated} more findings"));
    }
}

/// Writes why a plan is refused: every finding, and a line that sums them up.
pub(crate) fn show_rejected(rejected: &PlanRejected, input: &Input) {
    show_findings(rejected.findings(), rejected.truncated(), input);
    let errors = rejected
        .findings()
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .count();
    let plural = if errors == 1 { "" } else { "s" };
    say(format!(
        "error: `{}` is refused: {errors} error{plural}",
        input.name
    ));
}

/// `{valid, plan, grant, bounds, parallel_groups, edges, findings, truncated}`.
///
/// Of a refused plan there is no grant and there are no bounds; its name and its
/// edges are those that could be read.
pub(crate) fn check_json(
    plan: Option<&Plan>,
    checked: Result<&ValidatedPlan, &PlanRejected>,
) -> Value {
    let mut report = json(checked);
    if let (Err(rejected), Value::Object(members)) = (checked, &mut report) {
        if let Value::Object(read) = unchecked_json(plan) {
            for name in ["plan", "grant", "bounds", "parallel_groups", "edges"] {
                members.insert(name.to_owned(), read.get(name).cloned().unwrap_or_default());
            }
        }
        if let Some(plan) = plan {
            members.insert("plan".to_owned(), identity(plan, rejected.digest()));
        }
    }
    report
}

/// The findings as SARIF.
pub(crate) fn sarif_of(findings: &[Finding], truncated: usize, input: &Input) -> Value {
    sarif(findings, truncated, &input.name, &input.text())
}

/// The findings for a repair prompt.
pub(crate) fn model_of(findings: &[Finding], truncated: usize) -> Value {
    model(findings, truncated)
}

/// What a check found, and how many findings more there are.
pub(crate) fn findings_of<'c>(
    checked: Result<&'c ValidatedPlan, &'c PlanRejected>,
) -> (&'c [Finding], usize) {
    match checked {
        Ok(plan) => (plan.warnings(), plan.truncated()),
        Err(rejected) => (rejected.findings(), rejected.truncated()),
    }
}

/// A finding as it stands in a report.
pub(crate) fn finding_json(finding: &Finding) -> Value {
    // a finding is plain data: it always has a JSON form
    serde_json::to_value(finding).unwrap_or_default()
}

/// The report of a plan that is refused for what came with it: its inputs, its bundle's tools.
pub(crate) fn refusal_json(mut report: Value, findings: Vec<Value>) -> Value {
    if let Value::Object(members) = &mut report {
        members.insert("valid".to_owned(), false.into());
        members.insert("findings".to_owned(), findings.into());
        members.insert("truncated".to_owned(), 0.into());
    }
    report
}

/// The report of a plan that was read and not checked.
pub(crate) fn unchecked_json(plan: Option<&Plan>) -> Value {
    let graph = plan.map(Graph::new);
    let drawn = plan.zip(graph.as_ref());
    json!({
        "valid": false,
        "plan": plan.map(|plan| identity(plan, None)),
        "grant": null,
        "bounds": null,
        "parallel_groups": drawn.map_or_else(Vec::new, |(plan, graph)| groups(plan, graph)),
        "edges": drawn.map_or_else(BTreeMap::new, |(plan, graph)| edges(plan, graph)),
        "findings": [],
        "truncated": 0,
    })
}

fn identity(plan: &Plan, digest: Option<Digest>) -> Value {
    json!({
        "id": plan.metadata.id,
        "version": plan.metadata.version,
        "name": plan.name,
        "digest": digest.map(|digest| digest.to_string()),
    })
}

fn groups<'a>(plan: &'a Plan, graph: &Graph) -> Vec<Vec<&'a str>> {
    graph
        .groups()
        .iter()
        .map(|group| group.iter().filter_map(|&step| id(plan, step)).collect())
        .collect()
}

/// What every step waits for.
fn edges<'a>(plan: &'a Plan, graph: &Graph) -> BTreeMap<&'a str, Vec<&'a str>> {
    (0..plan.steps.len())
        .filter_map(|step| {
            let before = graph.dependencies(step);
            Some((
                id(plan, step)?,
                before.iter().filter_map(|&step| id(plan, step)).collect(),
            ))
        })
        .collect()
}

fn id(plan: &Plan, step: usize) -> Option<&str> {
    plan.steps.get(step).map(|step| step.id.as_str())
}
