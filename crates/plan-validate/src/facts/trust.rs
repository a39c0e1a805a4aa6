//! Which values of a plan nobody vouches for, and where they come from.
//!
//! Literals, config and secrets are trusted, so are the caller's inputs and
//! people's answers unless the policy says otherwise. Outputs of tools are as
//! the catalog says; a model's answer, a condition's result and whatever a
//! `FAN_IN` or a `FAN_OUT` collects are as what they are made of; an agent's
//! answer is untrusted, and so is a script's output, since a script reads more
//! than it is handed, unless the catalog vouches for its language.
//! An approval endorses the values that its prompt shows, for what can only
//! start after it.
//!
//! One sweep in the order of the graph, made when it is first asked for. What
//! decides *whether* a step runs is not followed, only what its values hold.

mod inflow;
mod shown;
mod way;

use plan_model::{OnItemError, Path, Reference, Root, Segment, StepConfig, StepId, Trust};

use super::{Facts, Site};
use crate::policy::UntrustedSource;
use shown::Shown;

pub(crate) use inflow::Inflow;
pub(crate) use way::Way;

/// Why the values of a plan are not trusted; whatever it does not name is.
#[derive(Debug)]
pub(crate) struct Distrust {
    /// For each step: why its outputs are not.
    outputs: Vec<Option<Why>>,
    /// For each step whose outputs are not: the source of that.
    sources: Vec<Option<Cause>>,
    /// For each step in a body: why what its failures tell is not. For each fan-out: why what those
    /// in its body tell is not.
    failures: Vec<Option<Cause>>,
    /// For each fan-out: why its items are not; `None` where nobody has asked yet.
    #[expect(
        clippy::option_option,
        reason = "not asked yet, trusted, or not trusted"
    )]
    items: Vec<Option<Option<Cause>>>,
    shown: Shown,
}

/// Why the outputs of a step are not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The step is a source: nobody vouches for what it brings in.
    Source,
    /// It passes on what it reads or collects.
    From(Cause),
}

/// The nearest place on the way from a value back to its untrusted source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// An output of a step.
    Output(usize),
    /// The failures that a fan-out collects.
    Failures(usize),
    /// An item of a fan-out.
    Item(usize),
    /// An input of the plan.
    Input(usize),
}

impl Distrust {
    /// Looks at every step once.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let count = facts.plan.steps.len();
        let mut distrust = Self {
            outputs: vec![None; count],
            sources: vec![None; count],
            failures: vec![None; count],
            items: vec![None; count],
            shown: Shown::of(facts),
        };
        // a plan with a cycle has its own finding, and no order
        for &step in facts.graph.order().unwrap_or_default() {
            distrust.visit(facts, step);
        }
        distrust
    }

    /// Why what a step reads by this reference is not trusted; `None` where it is.
    pub(crate) fn cause(
        &self,
        facts: &Facts<'_>,
        step: usize,
        reference: &Reference,
    ) -> Option<Cause> {
        let paths = reference.paths().enumerate();
        paths
            .filter_map(|(at, path)| Some((at, self.cause_of(facts, step, path)?)))
            .find(|(at, _)| !self.shown.endorses(facts, step, reference, *at))
            .map(|(_, cause)| cause)
    }

    fn visit(&mut self, facts: &Facts<'_>, step: usize) {
        let Some(data) = facts.step(step) else { return };
        self.find_items(facts, step);
        let first_read = |distrust: &Self| {
            let mut uses = facts.uses_of(step).iter();
            // what ends a fan-out decides, and becomes no value
            uses.find_map(|read| match read.site {
                Site::Until => None,
                _ => distrust.cause(facts, step, read.reference),
            })
        };
        let outputs = match &data.config {
            StepConfig::ToolCall(_) => {
                let trusted = facts
                    .tool(step)
                    .is_some_and(|tool| tool.spec.output_trust == Trust::Trusted);
                (!trusted).then_some(Why::Source)
            }
            StepConfig::CodeCall(call) => {
                let language = facts.catalog.languages().get(&call.language);
                match language.map(|language| language.output_trust) {
                    Some(Trust::Trusted) => first_read(self).map(Why::From),
                    Some(Trust::Untrusted) | None => Some(Why::Source),
                }
            }
            StepConfig::PromptCall(_) | StepConfig::Condition(_) => first_read(self).map(Why::From),
            StepConfig::AgentCall(_) => Some(Why::Source),
            StepConfig::HumanInteraction(ask) => {
                let sources = &facts.policy.untrusted_sources;
                let untrusted = sources.contains(&UntrustedSource::Answers);
                (untrusted && !ask.approval_required).then_some(Why::Source)
            }
            StepConfig::FanOut(fan) => {
                let last = fan.spawn_steps.last();
                let last = last.and_then(|id| self.cause_of_step(facts, id, None));
                last.map(Why::From)
            }
            StepConfig::FanIn(fan) => {
                let mut sources = fan.from_steps.iter();
                let cause = sources.find_map(|id| self.cause_of_step(facts, id, None));
                cause.map(Why::From)
            }
        };
        let source = outputs.map(|why| match why {
            Why::Source => Cause::Output(step),
            Why::From(cause) => self.source_of(cause),
        });
        if let (Some(slot), Some(known)) = (self.outputs.get_mut(step), self.sources.get_mut(step))
        {
            (*slot, *known) = (outputs, source);
        }
        let failures = if matches!(data.config, StepConfig::FanOut(_)) {
            let mut body = facts.graph.body(step).iter();
            body.find_map(|step| self.of_failure(facts, *step))
        } else if facts.owner(step).is_some() {
            // a failure may tell of all that a step reads or makes
            let own = outputs.map(|_| Cause::Output(step));
            own.or_else(|| first_read(self))
        } else {
            None
        };
        if let Some(slot) = self.failures.get_mut(step) {
            *slot = failures;
        }
    }

    /// Finds out what the items around a step are: its body comes before a fan-out in the order.
    fn find_items(&mut self, facts: &Facts<'_>, step: usize) {
        let is_known = |distrust: &Self, owner: usize| {
            let items = distrust.items.get(owner);
            items.is_none_or(Option::is_some)
        };
        let around = std::iter::successors(Some(step), |step| facts.owner(*step));
        let mut unknown: Vec<usize> = around
            .take_while(|owner| *owner == step || !is_known(self, *owner))
            // in a plan of n steps a longer chain goes around in a ring
            .take(facts.plan.steps.len())
            .collect();
        while let Some(owner) = unknown.pop() {
            let Some(StepConfig::FanOut(fan)) = facts.step(owner).map(|step| &step.config) else {
                continue;
            };
            let cause = self.cause(facts, owner, &fan.over);
            if let Some(slot) = self.items.get_mut(owner) {
                *slot = Some(cause);
            }
        }
    }

    fn cause_of(&self, facts: &Facts<'_>, step: usize, path: &Path) -> Option<Cause> {
        match &path.root {
            Root::Config(_) | Root::Secret(_) => None,
            Root::Input(name) => {
                let sources = &facts.policy.untrusted_sources;
                if !sources.contains(&UntrustedSource::Inputs) {
                    return None;
                }
                facts
                    .input(name.as_str())
                    .map(|(index, _)| Cause::Input(index))
            }
            Root::Step(id) => self.cause_of_step(facts, id, path.segments.first()),
            Root::Item(name) => {
                let owner = item_owner(facts, step, name.as_str())?;
                self.of_items(owner).map(|_| Cause::Item(owner))
            }
        }
    }

    fn of_items(&self, fan_out: usize) -> Option<Cause> {
        self.items.get(fan_out).copied().flatten().flatten()
    }

    /// Of one output, or of all of them.
    fn cause_of_step(
        &self,
        facts: &Facts<'_>,
        id: &StepId,
        output: Option<&Segment>,
    ) -> Option<Cause> {
        let step = facts.index_of(id)?;
        let output = match output {
            Some(Segment::Name(name)) => Some(name.as_str()),
            Some(Segment::Index(_)) | None => None,
        };
        let results = || self.why(step).map(|_| Cause::Output(step));
        let failures = || self.why_failures(step).map(|_| Cause::Failures(step));
        let collects = matches!(
            facts.step(step).map(|step| &step.config),
            Some(StepConfig::FanOut(fan)) if fan.on_item_error == OnItemError::Collect
        );
        match output {
            _ if !collects => results(),
            Some("errors") => failures(),
            Some("results") => results(),
            Some(_) | None => results().or_else(failures),
        }
    }

    fn why(&self, step: usize) -> Option<Why> {
        self.outputs.get(step).copied().flatten()
    }

    fn why_failures(&self, step: usize) -> Option<Cause> {
        self.failures.get(step).copied().flatten()
    }

    /// The place before one on the way; `None` at the source.
    fn before(&self, cause: Cause) -> Option<Cause> {
        match cause {
            Cause::Input(_) => None,
            Cause::Output(step) => match self.why(step)? {
                Why::Source => None,
                Why::From(cause) => Some(cause),
            },
            Cause::Failures(fan_out) => self.why_failures(fan_out),
            Cause::Item(fan_out) => self.of_items(fan_out),
        }
    }

    /// The far end of the way.
    fn source_of(&self, cause: Cause) -> Cause {
        let mut at = cause;
        // lists and failures lead out of, or into, one fan-out after the other, and then to a step
        for _ in 0..=self.outputs.len() {
            match at {
                Cause::Input(_) => return at,
                Cause::Output(step) => {
                    return self.sources.get(step).copied().flatten().unwrap_or(at);
                }
                Cause::Failures(_) | Cause::Item(_) => match self.before(at) {
                    Some(next) => at = next,
                    None => return at,
                },
            }
        }
        at
    }

    /// Why what the failure of a body step tells is not trusted.
    fn of_failure(&self, facts: &Facts<'_>, step: usize) -> Option<Cause> {
        let inside = self.why_failures(step);
        match facts.step(step).map(|step| &step.config) {
            Some(StepConfig::FanOut(_)) => {
                let results = self.why(step).map(|_| Cause::Output(step));
                let items = || self.of_items(step).map(|_| Cause::Item(step));
                let inside = || inside.map(|_| Cause::Failures(step));
                results.or_else(items).or_else(inside)
            }
            _ => inside,
        }
    }
}

/// The fan-out whose item a step reads by this name, the innermost first.
fn item_owner(facts: &Facts<'_>, step: usize, name: &str) -> Option<usize> {
    let mut around = std::iter::successors(facts.owner(step), |owner| facts.owner(*owner))
        // in a plan of n steps a longer chain goes around in a ring
        .take(facts.plan.steps.len());
    around.find(|owner| match facts.step(*owner).map(|step| &step.config) {
        Some(StepConfig::FanOut(fan)) => fan.item_var == *name,
        _ => false,
    })
}
