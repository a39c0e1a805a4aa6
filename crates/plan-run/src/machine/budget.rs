//! Bounds on the whole run: its deadline, its driven time, its calls, its tokens, what it delivers.

use std::time::Duration;

use plan_model::Timestamp;

use super::Machine;
use crate::event::{Budget, EventKind};
use crate::{Effect, Failure, FailureClass, RunStatus};

impl Budget {
    /// Whether crossing it stops work in flight too.
    pub(super) fn stops_work(self) -> bool {
        match self {
            Self::ToolCalls | Self::ModelTokens | Self::OutputBytes => false,
            Self::WallTime | Self::Deadline => true,
        }
    }

    /// What a run that crossed it says.
    pub(super) fn failure(self, limit: u64) -> Failure {
        let message = match self {
            Self::ToolCalls => format!("the run may make {limit} tool calls and would make more"),
            Self::ModelTokens => {
                format!("the run may use {limit} tokens of models and would use more")
            }
            Self::OutputBytes => {
                format!("what its steps deliver may come to {limit} bytes, and came to more")
            }
            Self::WallTime => {
                let span = plan_model::Seconds::from_millis(limit);
                format!("the run was driven for the {span} seconds that it may take")
            }
            Self::Deadline => {
                let at = Timestamp::from_millis(i64::try_from(limit).unwrap_or(i64::MAX));
                format!("the run had not ended by its deadline, {at}")
            }
        };
        Failure::new(FailureClass::LimitExceeded, message).with_effect(Effect::None)
    }
}

impl Machine {
    /// The budget that is crossed at `now`, once.
    pub(super) fn crossed(&self, now: Timestamp) -> Option<EventKind> {
        if self.has_stopped_work() {
            return None;
        }
        if let Some(deadline) = self.state.created.deadline
            && now >= deadline
            && self.state.left > 0
        {
            let limit = u64::try_from(deadline.as_millis()).unwrap_or(0);
            return Some(EventKind::BudgetCrossed {
                budget: Budget::Deadline,
                limit,
            });
        }
        if let Some(limit) = self.layout.max_model_tokens
            && self.tokens_used() > limit
            && self.state.ending.is_none()
        {
            return Some(EventKind::BudgetCrossed {
                budget: Budget::ModelTokens,
                limit,
            });
        }
        let limit = self.layout.max_output_bytes;
        if self.state.output_bytes > limit && self.state.ending.is_none() {
            return Some(EventKind::BudgetCrossed {
                budget: Budget::OutputBytes,
                limit,
            });
        }
        let left = self.wall_left()?;
        if self.state.status() == RunStatus::Running
            && self.state.left > 0
            && now.since(self.state.driven_to) >= left
        {
            let limit = self.layout.max_wall.map_or(0, |span| {
                u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
            });
            return Some(EventKind::BudgetCrossed {
                budget: Budget::WallTime,
                limit,
            });
        }
        None
    }

    /// When a budget will be crossed if nothing happens before.
    pub(super) fn budget_due(&self) -> Option<Timestamp> {
        if self.has_stopped_work() {
            return None;
        }
        let wall = self
            .wall_left()
            .filter(|_| self.state.status() == RunStatus::Running)
            .map(|left| self.state.driven_to.plus(left));
        [self.state.created.deadline, wall]
            .into_iter()
            .flatten()
            .min()
    }

    /// Driven time that is left.
    fn wall_left(&self) -> Option<Duration> {
        self.layout
            .max_wall
            .map(|span| span.saturating_sub(self.state.driven))
    }

    /// Whether work in flight is being stopped already.
    fn has_stopped_work(&self) -> bool {
        self.state
            .ending
            .as_ref()
            .is_some_and(|stopping| stopping.abort)
    }
}
