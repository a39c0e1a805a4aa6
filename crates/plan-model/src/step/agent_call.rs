//! `AGENT_CALL`: an objective for an agent, under a part of the grant.

use crate::site::{Site, Source, VisitSource};
use crate::{AgentName, Seconds, Template, ToolName};

/// Hands an objective to an agent.
///
/// Outputs are the declared ones, from the agent's final JSON object, and `report`.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentCall {
    /// What the agent is to reach.
    pub objective: Template,
    /// Where the agent works.
    pub working_dir: Template,
    /// The agent, configured by the catalog; absent: the host's default.
    pub agent: Option<AgentName>,
    /// The tools that the agent may call; absent: none.
    pub tools: Option<Vec<ToolName>>,
    /// The most turns of its loop.
    pub max_turns: Option<u64>,
    /// The most that one attempt may take.
    pub timeout_secs: Option<Seconds>,
}

impl AgentCall {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        visit(
            &[&"objective"],
            Site::Objective,
            Source::Template(&self.objective),
        );
        visit(
            &[&"working_dir"],
            Site::WorkingDir,
            Source::Template(&self.working_dir),
        );
    }
}
