//! From events in the journal to what they say is done.

use std::sync::Arc;

use plan_run::{Event, EventKind, Request, StepPath};

use crate::drive::Drive;
use crate::drive::batch::Settled;
use crate::drive::lending::{Fetched, Lent};

impl Drive {
    /// Performs what events say that have just become durable.
    pub(super) fn perform(&mut self, events: &[Arc<Event>]) {
        for event in events {
            match &event.kind {
                EventKind::AttemptStarted(started) => self.depart(&started.step, started.attempt),
                EventKind::ItemsStopped { step } => self.stop_within(step),
                EventKind::RequestOpened(request) => self.ask(Request::clone(request)),
                EventKind::RequestAnswered(answered) => self.asks.withdraw(&answered.request),
                EventKind::RequestWithdrawn { request, .. } => self.asks.withdraw(request),
                EventKind::RetryScheduled { step, delay, .. } => {
                    tracing::debug!(step = %step, ?delay, "another attempt follows");
                }
                EventKind::RunCreated(_)
                | EventKind::AttemptEnded { .. }
                | EventKind::ModelAnswered { .. }
                | EventKind::AgentCalled(_)
                | EventKind::AgentCallEnded { .. }
                | EventKind::RetryDropped { .. }
                | EventKind::StepSkipped { .. }
                | EventKind::StepFailed { .. }
                | EventKind::BranchTaken { .. }
                | EventKind::ItemsExpanded(_)
                | EventKind::UntilEvaluated { .. }
                | EventKind::ListCollected { .. }
                | EventKind::FanOutDropped { .. }
                | EventKind::InDoubtFound { .. }
                | EventKind::Decided { .. }
                | EventKind::CancelRequested { .. }
                | EventKind::BudgetCrossed { .. }
                | EventKind::LateResult { .. }
                | EventKind::RunResumed { .. }
                | EventKind::RunForked(_)
                | EventKind::RunEnded { .. } => {}
            }
        }
        self.heed_ending();
    }

    /// Shows a request to a person, where the host has a channel.
    pub(super) fn ask(&mut self, request: Request) {
        if let Some(channel) = &self.shared.human {
            self.asks.ask(channel, self.facts.run.clone(), request);
        }
    }

    /// Makes the attempts that the journal has and nobody has made: the append that told of them seemed to fail.
    pub(super) fn perform_orphans(&mut self) {
        for (step, attempt) in self.machine.started() {
            let under_way = self.flights.has(&step, attempt)
                || self.lending.is_fetching(&step, attempt)
                || self
                    .results
                    .iter()
                    .any(|settled| settled.is_of(&step, attempt));
            if !under_way {
                self.depart(&step, attempt);
            }
        }
    }

    fn depart(&mut self, step: &StepPath, attempt: u32) {
        if self.lending.needs(step.step()).is_empty() {
            self.call(step, attempt, &Lent::new());
        } else {
            let source = self.shared.secrets.clone();
            self.lending.fetch(source, step.clone(), attempt);
        }
    }

    /// Goes on with an attempt for which the host was asked for secrets.
    pub(super) fn lent(&mut self, fetched: Fetched) {
        let Fetched {
            step,
            attempt,
            lent,
        } = fetched;
        match lent {
            Ok(lent) => self.call(&step, attempt, &lent),
            Err(failure) => self
                .results
                .push(Settled::new(step, attempt, Err(Box::new(failure)))),
        }
    }

    /// Makes the call of an attempt, with the secrets that it needs.
    fn call(&mut self, step: &StepPath, attempt: u32, lent: &Lent) {
        let secret = |name: &_| lent.get(name).map(|secret| secret.expose().to_owned());
        match self.machine.effect(step, attempt, &secret) {
            Ok(effect) => self.dispatch(step, attempt, effect, lent),
            Err(failure) => {
                let settled = Settled::new(step.clone(), attempt, Err(Box::new(failure)));
                self.results.push(settled);
            }
        }
    }
}
