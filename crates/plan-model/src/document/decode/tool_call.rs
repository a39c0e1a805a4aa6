//! `TOOL_CALL`.

use super::{Decoder, Field, Place};
use crate::{ToolCall, ToolName};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> ToolCall {
    let [_, tool, arguments] = cx.object(
        at,
        "a tool call, as an object",
        [
            Field::required("type"),
            Field::required("tool"),
            Field::optional("arguments"),
        ],
    );
    ToolCall {
        tool: tool.map_or_else(|| ToolName::unchecked(""), |tool| tool_name(cx, &tool)),
        arguments: cx.templates(arguments, "an object of arguments", Decoder::template),
    }
}

pub(crate) fn tool_name(cx: &mut Decoder, at: &Place<'_, '_>) -> ToolName {
    cx.host_name(Some(*at), "a tool name")
        .unwrap_or_else(|| ToolName::unchecked(""))
}
