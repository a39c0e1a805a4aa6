//! `FAN_IN`.

use super::output::output_name;
use super::{Decoder, Field, Place};
use crate::FanIn;

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> FanIn {
    let [_, from_steps, collect_field] = cx.object(
        at,
        "a fan-in, as an object",
        [
            Field::required("type"),
            Field::required("from_steps"),
            Field::required("collect_field"),
        ],
    );
    FanIn {
        from_steps: cx.list(from_steps, "step ids", Decoder::step_use),
        collect_field: output_name(cx, collect_field),
    }
}
