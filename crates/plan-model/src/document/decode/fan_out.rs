//! `FAN_OUT`.

use super::output::stand_in;
use super::{Decoder, Field, Place};
use crate::{FanOut, ItemName};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> FanOut {
    let [
        _,
        over,
        item_var,
        spawn_steps,
        until,
        max_parallel,
        on_item_error,
    ] = cx.object(
        at,
        "a fan-out, as an object",
        [
            Field::required("type"),
            Field::required("over"),
            Field::required("item_var"),
            Field::required("spawn_steps"),
            Field::optional("until"),
            Field::optional("max_parallel"),
            Field::optional("on_item_error"),
        ],
    );
    FanOut {
        over: cx.list_source(over).unwrap_or_else(stand_in),
        item_var: cx
            .identifier(item_var, "an item name")
            .unwrap_or_else(|| ItemName::unchecked("")),
        spawn_steps: cx.list(spawn_steps, "step ids", Decoder::step_use),
        until: cx.expression(until),
        max_parallel: cx.whole(max_parallel, 0).unwrap_or(1),
        on_item_error: cx.word(on_item_error).unwrap_or_default(),
    }
}
