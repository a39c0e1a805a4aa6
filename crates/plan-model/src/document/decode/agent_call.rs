//! `AGENT_CALL`.

use super::tool_call::tool_name;
use super::{Decoder, Field, Place};
use crate::{AgentCall, Template};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> AgentCall {
    let [
        _,
        objective,
        working_dir,
        agent,
        tools,
        max_turns,
        timeout_secs,
    ] = cx.object(
        at,
        "an agent call, as an object",
        [
            Field::required("type"),
            Field::required("objective"),
            Field::required("working_dir"),
            Field::optional("agent"),
            Field::optional("tools"),
            Field::optional("max_turns"),
            Field::optional("timeout_secs"),
        ],
    );
    let empty = || Template::Literal("".into());
    AgentCall {
        objective: cx.text_template(objective).unwrap_or_else(empty),
        working_dir: cx.text_template(working_dir).unwrap_or_else(empty),
        agent: cx.host_name(agent, "an agent name"),
        tools: tools.map(|tools| cx.list(Some(tools), "tool names", tool_name)),
        max_turns: cx.whole(max_turns, 0),
        timeout_secs: cx.seconds(timeout_secs),
    }
}
