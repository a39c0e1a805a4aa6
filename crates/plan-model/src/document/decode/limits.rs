//! The most that a run of a plan may use.

use super::{Decoder, Field, Place};
use crate::PlanLimits;

pub(super) fn read(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> PlanLimits {
    let Some(at) = at else {
        return PlanLimits::default();
    };
    let [
        max_tool_calls,
        max_model_tokens,
        max_wall_secs,
        max_concurrency,
        max_fan_out_items,
        max_steps,
    ] = cx.object(
        &at,
        "an object of limits",
        [
            Field::optional("max_tool_calls"),
            Field::optional("max_model_tokens"),
            Field::optional("max_wall_secs"),
            Field::optional("max_concurrency"),
            Field::optional("max_fan_out_items"),
            Field::optional("max_steps"),
        ],
    );
    PlanLimits {
        max_tool_calls: cx.whole(max_tool_calls, 0),
        max_model_tokens: cx.whole(max_model_tokens, 0),
        max_wall_secs: cx.seconds(max_wall_secs),
        max_concurrency: cx.whole(max_concurrency, 0),
        max_fan_out_items: cx.whole(max_fan_out_items, 0),
        max_steps: cx.whole(max_steps, 0),
    }
}
