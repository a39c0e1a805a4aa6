//! How long the list of a fan-out can be, as far as the plan and its tools say.
//!
//! A list that stands in the plan is counted. One that is made at run time is as
//! long as its schema allows: schemas are checked when the value exists.

use plan_model::{Path, Reference, Root, Segment, StepConfig};
use serde_json::Value;

use super::Facts;

/// How many lists that are made of lists are looked through.
const MOST_NESTED: usize = 16;

/// The most elements of a list; `None` where nothing bounds it.
pub(super) fn of_reference(facts: &Facts<'_>, list: &Reference, step: usize) -> Option<u64> {
    of_paths(facts, list, step, MOST_NESTED)
}

fn of_paths(facts: &Facts<'_>, list: &Reference, step: usize, depth: usize) -> Option<u64> {
    let mut most = 0;
    for path in list.paths() {
        most = of_path(facts, path, step, depth)?.max(most);
    }
    Some(most)
}

fn of_path(facts: &Facts<'_>, path: &Path, step: usize, depth: usize) -> Option<u64> {
    let depth = depth.checked_sub(1)?;
    let segments = path.segments.as_slice();
    match &path.root {
        Root::Config(key) => {
            let mut value = facts.plan.config.get(key)?;
            for segment in segments {
                value = match segment {
                    Segment::Name(name) => value.get(name.as_str())?,
                    Segment::Index(index) => value.get(*index)?,
                };
            }
            Some(value.as_array()?.len() as u64)
        }
        Root::Input(name) => {
            let (_, input) = facts.input(name.as_str())?;
            most_of(&input.schema.as_ref()?.0, segments)
        }
        Root::Step(id) => {
            let from = facts.index_of(id)?;
            let [Segment::Name(output), rest @ ..] = segments else {
                return None;
            };
            of_output(facts, from, output, rest, depth)
        }
        Root::Item(name) => {
            let mut owners = std::iter::successors(facts.owner(step), |step| facts.owner(*step));
            let (owner, over) = owners.by_ref().take(facts.limits.depth).find_map(|owner| {
                match &facts.step(owner)?.config {
                    StepConfig::FanOut(fan) if fan.item_var == *name => Some((owner, &fan.over)),
                    _ => None,
                }
            })?;
            if !over.otherwise().is_empty() {
                return None;
            }
            // an element of the list, whichever it is
            let mut inner = over.first().clone();
            inner.segments.push(Segment::Index(0));
            inner.segments.extend(segments.iter().cloned());
            match inner.root {
                Root::Config(_) => None,
                _ => of_path(facts, &inner, owner, depth),
            }
        }
        Root::Secret(_) => None,
    }
}

fn of_output(
    facts: &Facts<'_>,
    step: usize,
    output: &str,
    rest: &[Segment],
    depth: usize,
) -> Option<u64> {
    let config = &facts.step(step)?.config;
    let by_kind = match config {
        StepConfig::FanOut(fan) if rest.is_empty() && matches!(output, "results" | "errors") => {
            of_paths(facts, &fan.over, step, depth)
        }
        StepConfig::FanIn(fan) if rest.is_empty() && fan.collect_field == *output => {
            Some(fan.from_steps.len() as u64)
        }
        StepConfig::PromptCall(call) if call.output_field == *output => {
            most_of(&call.output_schema.as_ref()?.0, rest)
        }
        StepConfig::ToolCall(_) => facts.tool(step).and_then(|tool| {
            let schema = tool.output.as_ref()?.schema();
            let member = Segment::Name(output.to_owned());
            let path: Vec<Segment> = std::iter::once(member)
                .chain(rest.iter().cloned())
                .collect();
            most_of(schema, &path)
        }),
        _ => None,
    };
    let declared = facts.declared_output(step, output);
    let by_plan = declared
        .and_then(|output| output.schema.as_ref())
        .and_then(|schema| most_of(&schema.0, rest));
    // both are checked when the value exists
    by_kind.into_iter().chain(by_plan).min()
}

/// The most elements of what a path leads to in a value of this schema.
fn most_of(root: &Value, path: &[Segment]) -> Option<u64> {
    let mut schema = deref(root, root)?;
    for segment in path {
        let inner = match segment {
            Segment::Name(name) => schema.get("properties")?.get(name.as_str())?,
            // the first elements may have schemas of their own
            Segment::Index(_) if schema.get("prefixItems").is_some() => return None,
            Segment::Index(_) => schema.get("items").filter(|items| !items.is_array())?,
        };
        schema = deref(root, inner)?;
    }
    let limit = schema.get("maxItems").and_then(Value::as_u64);
    let all = schema.get("allOf").and_then(Value::as_array);
    let parts = all.into_iter().flatten();
    let of_parts = parts.filter_map(|part| deref(root, part)?.get("maxItems")?.as_u64());
    limit.into_iter().chain(of_parts).min()
}

/// The schema itself, or what it refers to inside its own document.
fn deref<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Value> {
    let mut schema = schema;
    for _ in 0..MOST_NESTED {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        // what stands beside a reference holds as well, and is the stricter of the two by chance only
        if schema.get("maxItems").is_some() {
            return Some(schema);
        }
        schema = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}
