//! `PROMPT_CALL`.

use super::output::output_name;
use super::{Decoder, Field, Place};
use crate::{ModelName, PromptCall, Template};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> PromptCall {
    let [
        _,
        model,
        system_prompt,
        user_prompt,
        output_field,
        output_schema,
        max_tokens,
        temperature,
    ] = cx.object(
        at,
        "a prompt call, as an object",
        [
            Field::required("type"),
            Field::required("model"),
            Field::optional("system_prompt"),
            Field::required("user_prompt"),
            Field::required("output_field"),
            Field::optional("output_schema"),
            Field::optional("max_tokens"),
            Field::optional("temperature"),
        ],
    );
    PromptCall {
        model: cx
            .host_name(model, "a model name")
            .unwrap_or_else(|| ModelName::unchecked("")),
        system_prompt: cx.text_template(system_prompt),
        user_prompt: cx
            .text_template(user_prompt)
            .unwrap_or_else(|| Template::Literal("".into())),
        output_field: output_name(cx, output_field),
        output_schema: cx.schema(output_schema),
        max_tokens: cx.whole(max_tokens, 0),
        temperature: cx.number(temperature),
    }
}
