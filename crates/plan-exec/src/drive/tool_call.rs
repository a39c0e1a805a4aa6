//! `TOOL_CALL`: one call of a tool.

use plan_run::{FailureClass, ToolEffect};

use crate::drive::Drive;
use crate::drive::dispatch::Takeoff;
use crate::drive::outcome::{Reach, Returned};
use crate::drive::path_arguments::PathArguments;
use crate::spans;

impl Drive {
    /// Calls the tool of an attempt.
    pub(super) fn call_tool(&mut self, takeoff: Takeoff, effect: ToolEffect) {
        let ToolEffect {
            tool, arguments, ..
        } = effect;
        let Some(implementation) = self.shared.tools.tool(&tool).cloned() else {
            let message = format!("nothing implements the tool `{tool}`");
            self.ground(takeoff, FailureClass::ToolNotFound, message);
            return;
        };
        let reads_only = |tool: &plan_model::ToolSpec| tool.effects.read_only.holds;
        let reach = if self.plan.tool(takeoff.step.step()).is_some_and(reads_only) {
            Reach::ReadOnly
        } else {
            Reach::Writes
        };
        let span = spans::tool(&takeoff.span, takeoff.attempt, &tool);
        let cx = takeoff.cx.clone();
        let paths = PathArguments::of(self.plan.catalog_tool(takeoff.step.step()), &self.facts);
        let turn = self.shared.turns.at(&tool);
        let mine = turn.clone();
        let call = async move {
            paths.check(&arguments).await?;
            let _turn = mine.wait().await;
            implementation
                .call(arguments, &cx)
                .await
                .map(Returned::Tool)
        };
        self.fly_in_turn(takeoff, reach, (span, turn), call);
    }
}
