//! A planner's list: what an agent's planner emits.

use crate::{
    Join, Metadata, OnError, Plan, PlanId, PlanLimits, PlanStatus, Step, StepConfig, StepId,
    Template, Timestamp, ToolCall, ToolName, canonical_json,
};

use super::decode::{Decoder, Field, Place, describe, tool_name};
use super::names::{NAME, assign, check_name};
use super::origin::{Edges, StepOrigin};
use super::tree::Kind;
use super::{EdgePolicy, ProblemKind};

/// The plan that a list stands for, and where its steps come from.
///
/// The id names the canonical bytes of the list, so that one list is one plan.
pub(crate) fn read_planner_list(
    cx: &mut Decoder,
    at: &Place<'_, '_>,
    policy: EdgePolicy,
) -> (Plan, Vec<StepOrigin>) {
    let [objective, _, _, steps] = cx.object(
        at,
        "a planner's list, as an object",
        [
            Field::optional("objective"),
            Field::optional("planner"),
            Field::optional("risk"),
            Field::required("steps"),
        ],
    );
    let intent = cx.text(objective);
    let (steps, origins) =
        steps.map_or_else(Default::default, |steps| read_steps(cx, &steps, policy));
    let plan = Plan {
        metadata: metadata(at, intent.clone()),
        name: intent
            .as_deref()
            .and_then(|intent| intent.lines().map(str::trim).find(|line| !line.is_empty()))
            .map_or_else(|| "planner's list".to_owned(), title),
        description: None,
        inputs: Vec::new(),
        config: std::collections::BTreeMap::new(),
        steps,
        outputs: Vec::new(),
        limits: PlanLimits::default(),
        failure_policy: crate::FailurePolicy::default(),
    };
    (plan, origins)
}

fn metadata(at: &Place<'_, '_>, intent: Option<String>) -> Metadata {
    Metadata {
        id: PlanId::of_bytes(canonical_json(&at.node.to_value()).as_bytes()),
        version: 1,
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
        compiled_by: None,
        intent,
        parent_plan_id: None,
        parent_version: None,
        status: PlanStatus::default(),
        solution_design: None,
    }
}

/// The first line of an objective, as the name of its plan.
fn title(line: &str) -> String {
    const LENGTH: usize = 80;
    match line.char_indices().nth(LENGTH) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

fn read_steps(
    cx: &mut Decoder,
    at: &Place<'_, '_>,
    policy: EdgePolicy,
) -> (Vec<Step>, Vec<StepOrigin>) {
    let names: Vec<Option<&str>> = at.elements().map(|step| name_of(&step)).collect();
    let (ids, by_name) = assign(&names);
    cx.step_names = by_name
        .into_iter()
        .map(|(name, id)| (name.to_owned(), id))
        .collect();
    let mut origins = Vec::with_capacity(ids.len());
    let mut before: Option<&StepId> = None;
    let mut ids = ids.iter().zip(names);
    let steps = cx.list(Some(*at), "steps", |cx, step| {
        // INVARIANT: there is an id for each element
        let (id, name) = ids
            .next()
            .map_or((None, None), |(id, name)| (Some(id), name));
        let unnamed = StepId::unchecked("");
        let (step, origin) = read_step(cx, step, id.unwrap_or(&unnamed), name, before, policy);
        origins.push(origin);
        before = id;
        step
    });
    (steps, origins)
}

/// The name of a step, when it has one that is not blank.
fn name_of<'d>(step: &Place<'d, '_>) -> Option<&'d str> {
    step.node
        .member("name")?
        .as_text()
        .filter(|name| !name.trim().is_empty())
}

fn read_step(
    cx: &mut Decoder,
    at: &Place<'_, '_>,
    id: &StepId,
    written: Option<&str>,
    before: Option<&StepId>,
    policy: EdgePolicy,
) -> (Step, StepOrigin) {
    let [name, tool, args, after, description] = cx.object(
        at,
        "a step, as an object",
        [
            Field::optional("name"),
            Field::required("tool"),
            Field::optional("args"),
            Field::nullable("after"),
            Field::optional("description"),
        ],
    );
    read_name(cx, name);
    let call = ToolCall {
        tool: tool.map_or_else(|| ToolName::unchecked(""), |tool| tool_name(cx, &tool)),
        arguments: cx.templates(args, "an object of arguments", Decoder::template),
    };
    let is_silent = after.is_none();
    let by_data = policy == EdgePolicy::DataFlow && is_silent && reads_a_step(&call);
    let (depends_on, edges) = match (after, before) {
        (Some(after), _) => read_after(cx, &after),
        (None, Some(before)) if !by_data => (vec![before.clone()], Edges::Position),
        (None, _) => (Vec::new(), Edges::Silent),
    };
    let step = Step {
        id: id.clone(),
        name: written.map_or_else(|| id.to_string(), str::to_owned),
        description: cx.text(description),
        config: StepConfig::ToolCall(call),
        depends_on,
        outputs: Vec::new(),
        timeout_secs: None,
        retry: None,
        join: Join::default(),
        on_error: OnError::default(),
    };
    let is_named = written.is_some();
    (step, StepOrigin { is_named, edges })
}

fn read_name(cx: &mut Decoder, at: Option<Place<'_, '_>>) {
    const WHAT: &str = "a step name";
    let Some(at) = at else { return };
    let Some(text) = at.node.as_text() else {
        cx.wrong_shape(&at, "text", &[]);
        return;
    };
    if cx.refuse_reference(&at, text, WHAT) || text.trim().is_empty() {
        return;
    }
    if let Err(error) = check_name(text) {
        cx.invalid_name(&at, WHAT, text, (error, NAME));
    }
}

fn reads_a_step(call: &ToolCall) -> bool {
    let mut found = false;
    for argument in call.arguments.values() {
        Template::each_reference(argument, &mut |_, reference| {
            found |= reference.steps().next().is_some();
        });
    }
    found
}

/// What `after` names. Unknown, repeated and own names are edges too, for others to judge.
fn read_after(cx: &mut Decoder, at: &Place<'_, '_>) -> (Vec<StepId>, Edges) {
    if at.is_array() {
        let entries = at.elements().map(|entry| read_entry(cx, &entry)).collect();
        (entries, Edges::List)
    } else if at.node.as_text().is_some() {
        (vec![read_entry(cx, at)], Edges::Text)
    } else {
        invalid_edge(cx, at);
        (Vec::new(), Edges::Silent)
    }
}

fn read_entry(cx: &mut Decoder, at: &Place<'_, '_>) -> StepId {
    let text = at.node.as_text().unwrap_or_default();
    if text.trim().is_empty() {
        invalid_edge(cx, at);
        return StepId::unchecked("");
    }
    if cx.refuse_reference(at, text, "a step name") {
        return StepId::unchecked("");
    }
    match cx.step_names.get(text) {
        Some(id) => id.clone(),
        None => StepId::unchecked(text),
    }
}

fn invalid_edge(cx: &mut Decoder, at: &Place<'_, '_>) {
    cx.stand_in(at);
    if at.node.kind() != Kind::Inexact {
        let actual = describe(at.node);
        cx.report(at, ProblemKind::InvalidEdgeValue { actual });
    }
}
