//! The result of a check as JSON: a stable contract.

use plan_model::StepId;
use serde_json::{Map, Value, json};

use crate::check::PlanRejected;
use crate::validated::ValidatedPlan;

/// The result of a check as JSON.
///
/// `{valid, plan: {id, version, name, digest}, grant, bounds, parallel_groups, edges, findings, truncated}`;
/// of a refused plan `{valid, plan: {digest}?, findings, truncated}`.
#[must_use]
pub fn json(result: Result<&ValidatedPlan, &PlanRejected>) -> Value {
    match result {
        Ok(plan) => accepted(plan),
        Err(rejected) => {
            let mut members = Map::new();
            members.insert("valid".to_owned(), false.into());
            if let Some(digest) = rejected.digest() {
                members.insert("plan".to_owned(), json!({"digest": digest.to_string()}));
            }
            members.insert("findings".to_owned(), to_value(rejected.findings()));
            members.insert("truncated".to_owned(), rejected.truncated().into());
            Value::Object(members)
        }
    }
}

fn accepted(validated: &ValidatedPlan) -> Value {
    let plan = validated.plan();
    let graph = validated.graph();
    let id = |step: &usize| plan.steps.get(*step).map(|step| step.id.as_str());
    let groups: Vec<Vec<&str>> = graph
        .groups()
        .iter()
        .map(|group| group.iter().filter_map(id).collect())
        .collect();
    let edges: Map<String, Value> = plan
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let dependencies: Vec<&str> = graph.dependencies(index).iter().filter_map(id).collect();
            (StepId::to_string(&step.id), json!(dependencies))
        })
        .collect();
    json!({
        "valid": true,
        "plan": {
            "id": plan.metadata.id.to_string(),
            "version": plan.metadata.version,
            "name": plan.name,
            "digest": validated.digest().to_string(),
        },
        "grant": to_value(validated.grant()),
        "bounds": to_value(validated.bounds()),
        "parallel_groups": groups,
        "edges": edges,
        "findings": to_value(validated.warnings()),
        "truncated": validated.truncated(),
    })
}

/// Our own types always serialise: their keys are texts and their numbers are finite.
fn to_value<T: serde::Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
