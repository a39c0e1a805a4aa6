//! `CONDITION`.

use super::{Decoder, Field, Place};
use crate::{Condition, Expression};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> Option<Condition> {
    let [_, expression, true_steps, false_steps] = cx.object(
        at,
        "a condition, as an object",
        [
            Field::required("type"),
            Field::required("expression"),
            Field::optional("true_steps"),
            Field::optional("false_steps"),
        ],
    );
    let expression = cx
        .expression(expression)
        .or_else(|| Expression::parse("true", &cx.limits).ok());
    Some(Condition {
        expression: expression?,
        true_steps: cx.list(true_steps, "step ids", Decoder::step_use),
        false_steps: cx.list(false_steps, "step ids", Decoder::step_use),
    })
}
