//! What happens in a run, as it happens: a live view on a terminal, plain lines elsewhere.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use planwright::exec::RunUpdate;
use planwright::run::event::AttemptOutcome;
use planwright::run::{EventKind, Failure, StepPath};

use super::record::{LONG, SHORT};
use super::say;
use super::text::{data, plain};

/// A failure in one line, as far as it fits one.
fn told(failure: &Failure) -> String {
    data(&failure.to_string(), SHORT)
}

/// Shows one run.
#[derive(Debug)]
pub(crate) struct Live {
    /// On a terminal: how many steps ended, and which run.
    bar: Option<ProgressBar>,
    running: BTreeSet<StepPath>,
    ended: BTreeSet<StepPath>,
}

impl Live {
    /// A view of a run with so many steps.
    pub(crate) fn new(steps: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {pos}/{len} steps, {elapsed} {wide_msg}")
            {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self {
            bar,
            running: BTreeSet::new(),
            ended: BTreeSet::new(),
        }
    }

    /// Shows one thing that happened.
    pub(crate) fn show(&mut self, update: &RunUpdate) {
        let line = match update {
            RunUpdate::Recorded(event) => self.event(&event.kind),
            RunUpdate::Progress { step, message, .. } => {
                Some(format!("{step}: {}", data(message, SHORT)))
            }
            RunUpdate::Missed(count) => Some(format!("({count} updates were not shown)")),
        };
        if let Some(line) = line {
            self.say(&line);
        }
        if let Some(bar) = &self.bar {
            let ended = self.ended.iter().filter(|step| step.items().is_empty());
            bar.set_position(ended.count() as u64);
            let running: Vec<String> = self
                .running
                .iter()
                .take(8)
                .map(ToString::to_string)
                .collect();
            bar.set_message(plain(&running.join(", ")).into_owned());
        }
    }

    /// Writes a line without disturbing the view.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(plain(line)),
            None => say(line),
        }
    }

    /// Takes the view off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn event(&mut self, kind: &EventKind) -> Option<String> {
        match kind {
            EventKind::AttemptStarted(started) => {
                self.running.insert(started.step.clone());
                let again = if started.attempt > 1 {
                    format!(" (attempt {})", started.attempt)
                } else {
                    String::new()
                };
                Some(format!("{}: started{again}", started.step))
            }
            EventKind::AttemptEnded { step, outcome, .. } => {
                self.running.remove(step);
                Some(format!("{step}: {}", self.outcome(step, outcome)))
            }
            EventKind::RetryScheduled { step, due_at, .. } => {
                Some(format!("{step}: tries again at {due_at}"))
            }
            EventKind::StepSkipped { step, reason } => {
                self.ended.insert(step.clone());
                Some(format!("{step}: skipped ({reason})"))
            }
            EventKind::StepFailed { step, failure } => {
                self.ended.insert(step.clone());
                Some(format!("{step}: failed: {}", told(failure)))
            }
            EventKind::BranchTaken { step, result } => {
                self.ended.insert(step.clone());
                Some(format!("{step}: {result}"))
            }
            EventKind::ItemsExpanded(expanded) => {
                Some(format!("{}: {} items", expanded.step, expanded.count))
            }
            EventKind::UntilEvaluated {
                step,
                index,
                result,
            } => Some(format!("{step}: `until` is {result} after item {index}")),
            EventKind::ItemsStopped { step } => Some(format!("{step}: is out of time")),
            EventKind::ListCollected { step, count } => {
                self.ended.insert(step.clone());
                Some(format!("{step}: {count} collected"))
            }
            EventKind::FanOutDropped { step, .. } => {
                self.ended.insert(step.clone());
                Some(format!("{step}: cancelled"))
            }
            EventKind::AgentCalled(called) => {
                let tool = data(&called.tool, LONG);
                let refused = called.refusal.as_ref();
                let refused = refused.map(|why| format!(" (refused: {})", told(why)));
                Some(format!(
                    "{}: calls {tool}{}",
                    called.step,
                    refused.unwrap_or_default()
                ))
            }
            EventKind::RequestOpened(request) => Some(format!(
                "{}: asks ({}): {}",
                request.step,
                request.kind,
                data(&request.prompt, LONG)
            )),
            EventKind::RequestAnswered(answered) => {
                self.ended.insert(answered.step.clone());
                Some(format!("{}: answered by {}", answered.step, answered.by))
            }
            EventKind::InDoubtFound { step, attempt } => {
                self.running.remove(step);
                Some(format!("{step}: attempt {attempt} is in doubt"))
            }
            EventKind::CancelRequested { by, reason } => {
                Some(format!("cancelled by {by}: {}", data(reason, SHORT)))
            }
            EventKind::BudgetCrossed { .. } => {
                Some("a budget is used up: nothing more starts".to_owned())
            }
            EventKind::RunCreated(_)
            | EventKind::ModelAnswered { .. }
            | EventKind::AgentCallEnded { .. }
            | EventKind::RetryDropped { .. }
            | EventKind::RequestWithdrawn { .. }
            | EventKind::Decided { .. }
            | EventKind::LateResult { .. }
            | EventKind::RunResumed { .. }
            | EventKind::RunForked(_)
            | EventKind::RunEnded { .. } => None,
        }
    }

    fn outcome(&mut self, step: &StepPath, outcome: &AttemptOutcome) -> String {
        match outcome {
            AttemptOutcome::Succeeded(_) => {
                self.ended.insert(step.clone());
                "succeeded".to_owned()
            }
            AttemptOutcome::Failed(failure) => {
                self.ended.insert(step.clone());
                format!("failed: {}", told(failure))
            }
            AttemptOutcome::Retrying(failure) => {
                format!("failed, and tries again: {}", told(failure))
            }
            AttemptOutcome::Cancelled(_) => {
                self.ended.insert(step.clone());
                "cancelled".to_owned()
            }
            AttemptOutcome::Interrupted => "was interrupted, and starts again".to_owned(),
        }
    }
}
