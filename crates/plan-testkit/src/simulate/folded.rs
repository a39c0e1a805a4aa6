//! A second reading of a journal, which knows nothing of the machine's own.

use std::collections::{BTreeMap, BTreeSet};

use plan_run::event::{AttemptOutcome, Consequence, ItemsExpanded};
use plan_run::{Decision, EventKind, RequestId, SkipReason, StepPath};

/// How a step ended, by the events alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Succeeded,
    Failed,
    Skipped(SkipReason),
    Cancelled,
}

/// What a journal says of the steps, up to some entry.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) ended: BTreeMap<StepPath, Ended>,
    /// What conditions came to.
    pub(crate) chosen: BTreeMap<StepPath, bool>,
    /// Attempts that have not ended.
    pub(crate) open: BTreeMap<StepPath, u32>,
    /// Requests that nobody answered and nobody withdrew.
    pub(crate) asking: BTreeMap<StepPath, RequestId>,
    /// Whether the run has ended.
    pub(crate) is_over: bool,
}

impl Folded {
    /// Takes in one more event.
    pub(crate) fn take(&mut self, kind: &EventKind) {
        let ended = match kind {
            EventKind::AttemptStarted(started) => {
                self.open.insert(started.step.clone(), started.attempt);
                None
            }
            EventKind::AttemptEnded { step, outcome, .. } => {
                self.open.remove(step);
                match outcome {
                    AttemptOutcome::Succeeded(_) => Some((step, Ended::Succeeded)),
                    AttemptOutcome::Failed(_) => Some((step, Ended::Failed)),
                    AttemptOutcome::Cancelled(_) => Some((step, Ended::Cancelled)),
                    AttemptOutcome::Retrying(_) | AttemptOutcome::Interrupted => None,
                }
            }
            EventKind::Decided { step, decision, .. } => {
                self.open.remove(step);
                match decision {
                    Decision::Retry => None,
                    Decision::MarkSucceeded(_) => Some((step, Ended::Succeeded)),
                    Decision::MarkFailed => Some((step, Ended::Failed)),
                }
            }
            EventKind::RetryDropped { step, .. } => Some((step, Ended::Failed)),
            EventKind::StepSkipped { step, reason } => Some((step, Ended::Skipped(*reason))),
            EventKind::StepFailed { step, .. } => {
                self.asking.remove(step);
                Some((step, Ended::Failed))
            }
            EventKind::BranchTaken { step, result } => {
                self.chosen.insert(step.clone(), *result);
                Some((step, Ended::Succeeded))
            }
            EventKind::ItemsExpanded(expanded) => {
                self.expands(expanded);
                None
            }
            EventKind::ListCollected { step, .. } => Some((step, Ended::Succeeded)),
            EventKind::FanOutDropped { step, .. } => Some((step, Ended::Failed)),
            EventKind::RequestOpened(request) => {
                self.asking.insert(request.step.clone(), request.id.clone());
                None
            }
            EventKind::RequestAnswered(answered) => {
                self.asking.remove(&answered.step);
                match answered.consequence {
                    Consequence::Delivers(_) => Some((&answered.step, Ended::Succeeded)),
                    Consequence::Rejects | Consequence::Cancels => {
                        Some((&answered.step, Ended::Cancelled))
                    }
                    Consequence::Permits => None,
                }
            }
            EventKind::RequestWithdrawn { step, .. } => {
                self.asking.remove(step);
                Some((step, Ended::Cancelled))
            }
            EventKind::RunResumed { reset, .. } => {
                if !reset.is_empty() {
                    self.starts_anew(reset);
                }
                None
            }
            EventKind::RunEnded { .. } => {
                self.is_over = true;
                None
            }
            _ => None,
        };
        if let Some((step, how)) = ended {
            self.ended.insert(step.clone(), how);
        }
    }

    /// Only the items that are kept go on with what they have.
    fn expands(&mut self, expanded: &ItemsExpanded) {
        let depth = expanded.step.items().len();
        let is_new = |step: &StepPath| {
            let item = step.items().get(depth).map(|(_, index)| index);
            step.is_inside(&expanded.step) && item.is_some_and(|at| !expanded.kept.contains(at))
        };
        self.ended.retain(|step, _| !is_new(step));
        self.chosen.retain(|step, _| !is_new(step));
    }

    fn starts_anew(&mut self, reset: &[StepPath]) {
        let reset: BTreeSet<&StepPath> = reset.iter().collect();
        self.is_over = false;
        self.ended.retain(|step, _| !reset.contains(step));
        self.chosen.retain(|step, _| !reset.contains(step));
    }
}

/// An event in a line of a trace.
pub(crate) fn line(kind: &EventKind) -> String {
    let name = kind.name();
    let step = kind.step().map(ToString::to_string).unwrap_or_default();
    let more = match kind {
        EventKind::AttemptStarted(started) => format!("#{}", started.attempt),
        EventKind::AttemptEnded {
            attempt, outcome, ..
        } => {
            let how = match outcome {
                AttemptOutcome::Succeeded(_) => "succeeded".to_owned(),
                AttemptOutcome::Failed(failure) => format!("failed, {}", failure.class),
                AttemptOutcome::Retrying(failure) => format!("failed for now, {}", failure.class),
                AttemptOutcome::Cancelled(_) => "cancelled".to_owned(),
                AttemptOutcome::Interrupted => "interrupted".to_owned(),
            };
            format!("#{attempt} {how}")
        }
        EventKind::RetryScheduled { due_at, .. } => format!("at {due_at}"),
        EventKind::StepSkipped { reason, .. } => reason.to_string(),
        EventKind::StepFailed { failure, .. } => failure.to_string(),
        EventKind::BranchTaken { result, .. } => result.to_string(),
        EventKind::RequestOpened(request) => format!("{} {}", request.kind, request.id),
        EventKind::RequestAnswered(answered) => format!("{:?}", answered.answer),
        EventKind::InDoubtFound { attempt, .. } | EventKind::LateResult { attempt, .. } => {
            format!("#{attempt}")
        }
        EventKind::Decided { decision, .. } => match decision {
            Decision::Retry => "retry".to_owned(),
            Decision::MarkSucceeded(_) => "succeeded".to_owned(),
            Decision::MarkFailed => "failed".to_owned(),
        },
        EventKind::ItemsExpanded(expanded) => format!("{} items", expanded.count),
        EventKind::UntilEvaluated { index, result, .. } => format!("[{index}] {result}"),
        EventKind::BudgetCrossed { budget, .. } => format!("{budget:?}"),
        EventKind::RunResumed {
            generation, reset, ..
        } => format!("generation {generation}, reset {reset:?}"),
        EventKind::RunEnded { status, .. } => status.to_string(),
        _ => String::new(),
    };
    format!("{name} {step} {more}").trim_end().to_owned()
}
