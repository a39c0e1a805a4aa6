//! Which calls the policy wants a person to approve.

use plan_model::{StepConfig, ToolName};

use crate::catalog::CatalogTool;
use crate::facts::Facts;
use crate::policy::EffectKind;
use crate::text::quoted;

/// Why the policy wants a call approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demand {
    /// What the policy names.
    subject: Subject,
    /// Whether the call is known to be of that kind, by its name or by what the host declares of it.
    pub(crate) declared: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    Tool(ToolName),
    Effect(EffectKind),
}

/// Why the policy wants the call of a step approved; `None` where it does not, or there is no call.
///
/// A declared effect comes before one that is only assumed.
pub(crate) fn of(facts: &Facts<'_>, step: usize) -> Option<Demand> {
    let required = &facts.policy.require_approval;
    if required.tools.is_empty() && required.effects.is_empty() {
        return None;
    }
    match &facts.step(step)?.config {
        StepConfig::ToolCall(_) => of_tool(facts, facts.tool(step)?),
        StepConfig::CodeCall(_) => of_code(facts),
        StepConfig::AgentCall(call) => of_code(facts).or_else(|| {
            // what an agent may call it may call without asking
            let tools = call.tools.iter().flatten();
            let mut demands: Vec<Demand> = tools
                .filter_map(|name| of_tool(facts, facts.catalog.tool(name)?))
                .collect();
            demands.sort_by_key(|demand| !demand.declared);
            demands.into_iter().next()
        }),
        StepConfig::PromptCall(_)
        | StepConfig::HumanInteraction(_)
        | StepConfig::Condition(_)
        | StepConfig::FanOut(_)
        | StepConfig::FanIn(_) => None,
    }
}

fn of_code(facts: &Facts<'_>) -> Option<Demand> {
    let effects = &facts.policy.require_approval.effects;
    effects.contains(&EffectKind::Code).then_some(Demand {
        subject: Subject::Effect(EffectKind::Code),
        declared: true,
    })
}

fn of_tool(facts: &Facts<'_>, tool: &CatalogTool) -> Option<Demand> {
    let required = &facts.policy.require_approval;
    if required.tools.contains(&tool.spec.name) {
        return Some(Demand {
            subject: Subject::Tool(tool.spec.name.clone()),
            declared: true,
        });
    }
    let effects = tool.spec.effects;
    // what only reads destroys nothing, unless the host says that it does
    let destroys =
        effects.destructive.holds && (effects.destructive.declared || !effects.read_only.holds);
    let kinds = [
        (
            EffectKind::Destructive,
            destroys,
            effects.destructive.declared,
        ),
        (
            EffectKind::OpenWorld,
            effects.open_world.holds,
            effects.open_world.declared,
        ),
        (
            EffectKind::Write,
            !effects.read_only.holds,
            effects.read_only.declared,
        ),
    ];
    let demanded = kinds
        .into_iter()
        .filter(|(kind, holds, _)| *holds && required.effects.contains(kind));
    let (kind, _, declared) = demanded.min_by_key(|(_, _, declared)| !declared)?;
    Some(Demand {
        subject: Subject::Effect(kind),
        declared,
    })
}

impl Demand {
    /// As the reason why a person is asked.
    pub(crate) fn asks(&self) -> String {
        format!("the policy asks before {}", self.calls())
    }

    /// Which calls the policy wants approved.
    pub(crate) fn calls(&self) -> String {
        match &self.subject {
            Subject::Tool(tool) => format!("each call of {}", quoted(tool)),
            Subject::Effect(EffectKind::Destructive) => "calls that may destroy".to_owned(),
            Subject::Effect(EffectKind::OpenWorld) => "calls that reach the open world".to_owned(),
            Subject::Effect(EffectKind::Write) => "calls that change something".to_owned(),
            Subject::Effect(EffectKind::Code) => "code runs".to_owned(),
        }
    }

    /// What the policy refuses where no approval comes first.
    pub(crate) fn denied(&self) -> String {
        match &self.subject {
            Subject::Tool(tool) => format!("calls of {}", quoted(tool)),
            Subject::Effect(EffectKind::Code) => "code".to_owned(),
            Subject::Effect(_) => self.calls(),
        }
    }
}
