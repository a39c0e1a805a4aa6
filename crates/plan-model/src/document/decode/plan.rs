//! A native plan.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Decoder, Field, Place, input, limits, metadata, output, step};
use crate::document::tree::NodeRef;
use crate::id::{IMPORTED_MAX, check_identifier};
use crate::{ConfigKey, Plan, StepId};

/// Reads a plan whose number of steps was found to be within the limit.
pub(crate) fn read_plan(cx: &mut Decoder, at: &Place<'_, '_>) -> Plan {
    let [
        format,
        metadata,
        name,
        description,
        inputs,
        config,
        steps,
        outputs,
        limits,
        failure_policy,
    ] = cx.object(
        at,
        "a plan, as an object",
        [
            Field::optional("format"),
            Field::required("metadata"),
            Field::required("name"),
            Field::optional("description"),
            Field::optional("inputs"),
            Field::optional("config"),
            Field::required("steps"),
            Field::optional("outputs"),
            Field::optional("limits"),
            Field::optional("failure_policy"),
        ],
    );
    cx.version_one(format);
    note_odd_ids(cx, steps.as_ref());
    Plan {
        metadata: metadata::read(cx, metadata),
        name: cx.text(name).unwrap_or_default(),
        description: cx.text(description),
        inputs: cx.list(inputs, "inputs", input::read),
        config: config_values(cx, config),
        steps: cx.list(steps, "steps", step::read),
        outputs: cx.list(outputs, "plan outputs", output::read_published),
        limits: limits::read(cx, limits),
        failure_policy: cx.word(failure_policy).unwrap_or_default(),
    }
}

/// An id outside the grammar is one problem: references to it are not another.
fn note_odd_ids(cx: &mut Decoder, steps: Option<&Place<'_, '_>>) {
    let Some(steps) = steps else { return };
    for step in steps.elements() {
        if let Some(id) = step.node.member("id").and_then(NodeRef::as_text)
            && check_identifier(id, IMPORTED_MAX).is_err()
        {
            cx.step_names.insert(id.to_owned(), StepId::unchecked(id));
        }
    }
}

fn config_values(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> BTreeMap<ConfigKey, Value> {
    let mut values = BTreeMap::new();
    let Some(at) = at else { return values };
    if !at.is_object() {
        cx.wrong_shape(&at, "an object of config values", &[]);
    }
    for (key, place) in at.members() {
        let name = cx.member_name(&place, key, "a config key");
        if let Some(value) = cx.value(Some(place)) {
            values.entry(name).or_insert(value);
        }
    }
    values
}
