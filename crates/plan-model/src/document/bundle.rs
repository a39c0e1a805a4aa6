//! A bundle: a plan with the tools it was exported with.

use serde_json::Value;

use crate::{Plan, Pointer};

use super::decode::{Decoder, Field, Place, read_plan};
use super::read::steps_within_limit;

/// The plan of a bundle, and its tools as written.
pub(crate) fn read_bundle(
    cx: &mut Decoder,
    at: &Place<'_, '_>,
) -> (Option<Plan>, Option<(Pointer, Value)>) {
    let plan = at.member("plan");
    if let Some(plan) = &plan
        && !steps_within_limit(cx, plan)
    {
        return (None, None);
    }
    let [format_version, exported_at, app_version, plan, tools] = cx.object(
        at,
        "a bundle, as an object",
        [
            Field::required("format_version"),
            Field::optional("exported_at"),
            Field::optional("app_version"),
            Field::required("plan"),
            Field::optional("tools"),
        ],
    );
    cx.version_one(format_version);
    cx.text(exported_at);
    cx.text(app_version);
    let tools = tools.and_then(|tools| {
        if !tools.is_array() {
            cx.wrong_shape(&tools, "an array of tools", &[]);
            return None;
        }
        Some((tools.pointer(), tools.node.to_value()))
    });
    (plan.map(|plan| read_plan(cx, &plan)), tools)
}
