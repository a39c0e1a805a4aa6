//! `HUMAN_INTERACTION`.

use super::output::output_name;
use super::{Decoder, Field, Place};
use crate::{HumanInteraction, Template};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> HumanInteraction {
    let [_, prompt, response_field, approval_required, on_reject] = cx.object(
        at,
        "a human interaction, as an object",
        [
            Field::required("type"),
            Field::required("prompt"),
            Field::required("response_field"),
            Field::optional("approval_required"),
            Field::optional("on_reject"),
        ],
    );
    HumanInteraction {
        prompt: cx
            .text_template(prompt)
            .unwrap_or_else(|| Template::Literal("".into())),
        response_field: output_name(cx, response_field),
        approval_required: cx.truth(approval_required).unwrap_or(false),
        on_reject: cx.word(on_reject).unwrap_or_default(),
    }
}
