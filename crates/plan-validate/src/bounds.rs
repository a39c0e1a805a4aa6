//! The most that a plan can do, counted before it runs.
//!
//! Of branches that exclude each other the larger one counts, retries and items
//! count in full, and every sum saturates.

mod amounts;
mod items;
mod shares;
mod wall;

use plan_model::{Seconds, StepConfig, StepId, StepKind};
use serde::{Serialize, Serializer};

use crate::facts::Facts;
use crate::grant::{Approval, Grant, SiteGrant};
use amounts::Amounts;
use items::Items;

pub(crate) use shares::{Share, shares};

/// The most that a plan can do. Every number is an upper bound, retries and items included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Bounds {
    /// Steps of the plan.
    pub steps: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Questions to models.
    pub model_calls: u64,
    /// Tokens of their answers; absent where a step sets no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Attempts of all kinds.
    pub attempts: u64,
    /// Items of all fan-outs.
    pub items: u64,
    /// Driven time, waiting for people not counted; absent where some effect has no timeout.
    ///
    /// It is about effects and the pauses between their attempts, in a run that nothing interrupts; what the
    /// executor itself takes is not in it. A tool that asks for a longer pause before a retry than the plan
    /// has can stretch it. In JSON a number of seconds.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "seconds")]
    pub wall_secs: Option<Seconds>,
    /// Questions to people.
    pub ask_count: u64,
    /// What a person will be asked, in plan order.
    pub asks: Vec<Ask>,
}

/// Something that a person will be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ask {
    /// The step that asks.
    pub step: StepId,
    /// Why.
    pub reason: String,
}

/// How lists of unknown length are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// As long as the limits allow.
    Most,
    /// As one item: what the plan does in any case.
    One,
}

/// Counts a plan.
pub(crate) fn count(facts: &Facts<'_>, unknown: Unknown) -> Bounds {
    let items = Items::of(facts, unknown);
    let most = amounts::most(facts, &|index| {
        facts
            .step(index)
            .map_or(Amounts::NONE, |step| Amounts::of(step, index, &items))
    });
    Bounds {
        steps: facts.plan.steps.len() as u64,
        tool_calls: most.tool_calls,
        model_calls: most.model_calls,
        tokens: most.tokens,
        attempts: most.attempts,
        items: most.items,
        wall_secs: wall::most(facts, &items),
        ask_count: 0,
        asks: Vec::new(),
    }
}

impl Bounds {
    /// With what a person will be asked under a grant.
    pub(crate) fn with_asks(mut self, facts: &Facts<'_>, grant: &Grant) -> Self {
        let asks = |site: &SiteGrant| matches!(site.approval, Approval::AskAtCall(_));
        let asks_at_calls = grant.sites().values().any(asks);
        // most grants ask nowhere at a call: then the steps that ask are those of one kind
        let asking = if asks_at_calls {
            (0..facts.plan.steps.len()).collect()
        } else {
            facts.of_kind(StepKind::HumanInteraction).to_vec()
        };
        for step in asking.iter().filter_map(|step| facts.step(*step)) {
            let site = asks_at_calls.then(|| grant.site(&step.id)).flatten();
            let reason = match (&step.config, site) {
                (StepConfig::HumanInteraction(ask), _) if ask.approval_required => {
                    "the plan asks for an approval".to_owned()
                }
                (StepConfig::HumanInteraction(_), _) => "the plan asks a question".to_owned(),
                (_, Some(site)) => match &site.approval {
                    Approval::AskAtCall(reason) => reason.clone(),
                    _ => continue,
                },
                _ => continue,
            };
            self.asks.push(Ask {
                step: step.id.clone(),
                reason,
            });
        }
        if !self.asks.is_empty() {
            self.ask_count = self.count_asks(facts);
        }
        self
    }

    /// How often somebody is asked: once for each item, and for one of two branches.
    fn count_asks(&self, facts: &Facts<'_>) -> u64 {
        let mut asking = vec![false; facts.plan.steps.len()];
        for step in self.asks.iter().filter_map(|ask| facts.index_of(&ask.step)) {
            if let Some(asks) = asking.get_mut(step) {
                *asks = true;
            }
        }
        let items = Items::of(facts, Unknown::Most);
        amounts::most(facts, &|index| {
            let mut amounts = Amounts::NONE;
            if asking.get(index).copied().unwrap_or(false) {
                amounts.asks = items.times(index);
            }
            amounts
        })
        .asks
    }
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn seconds<S: Serializer>(span: &Option<Seconds>, serializer: S) -> Result<S::Ok, S::Error> {
    match span.map(Seconds::as_millis) {
        Some(millis) if millis % 1000 == 0 => serializer.serialize_u64(millis / 1000),
        #[expect(
            clippy::cast_precision_loss,
            reason = "a bound of some thousand years is rounded"
        )]
        Some(millis) => serializer.serialize_f64(millis as f64 / 1000.0),
        None => serializer.serialize_none(),
    }
}
